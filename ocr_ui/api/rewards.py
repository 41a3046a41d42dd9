"""What an answer is worth against a label, and whether the label can be scored."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.services.workbench import Workbench


class RewardBody(BaseModel):
    task: str
    response: str
    reference: str
    question: str = ""


class LabelBody(BaseModel):
    content: dict[str, Any] | None = None
    part: str | None = None


def reward_routes(workbench: Workbench, localize: Localize) -> APIRouter:
    routes = APIRouter(tags=["rewards"])

    @routes.post("/v1/rewards")
    async def reward(body: RewardBody, request: Request) -> ExactJSONResponse:
        """Reward and reason, all rewards that there are for the task, and what is wrong with the label."""
        scored = await workbench.rewarding.score(body.task, body.response, body.reference, body.question)
        return ExactJSONResponse(localize(scored.to_dict(), language_of(request)))

    @routes.post("/v1/items/{recognition_id}/rewards")
    async def item_reward(recognition_id: int, body: LabelBody, request: Request) -> ExactJSONResponse:
        """The same for the model's answer of an item against a content, or against the item as it was left.

        `part` is "rules", which are quick, or "file", the team's own function; both without it.
        """
        scored = await workbench.rewarding.of_item(recognition_id, body.content, body.part)
        return ExactJSONResponse(localize(scored.to_dict(), language_of(request)))

    return routes
