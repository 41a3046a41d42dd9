"""Drafts: edits reach the disk before anybody saves them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.services.access import who
from ocr_ui.services.drafts import DraftPlace
from ocr_ui.services.workbench import Workbench


class DraftBody(BaseModel):
    """`draft` is the page's own value, null to forget it; `browser` a text that the browser made up for itself."""

    browser: str = Field(min_length=8, max_length=64)
    person: str = Field("", max_length=200)
    second: bool = False
    base_version: int = Field(0, ge=0)
    draft: dict[str, Any] | None


def draft_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["drafts"])
    drafts = workbench.drafts

    @routes.post("/v1/items/{recognition_id}/draft")
    async def keep(recognition_id: int, body: DraftBody) -> dict:
        """Keeps edits that are not saved yet, answered only when they are on disk; each browser has one an item."""
        place = DraftPlace(recognition_id, body.browser, who(body.person), body.second)
        if body.draft is None:
            await drafts.drop(place)
            return {"kept_at": None}
        return {"kept_at": (await drafts.keep(place, body.base_version, body.draft)).isoformat()}

    @routes.get("/v1/items/{recognition_id}/draft")
    async def find(
        recognition_id: int,
        browser: Annotated[str, Query(min_length=8, max_length=64)],
        person: Annotated[str, Query(max_length=200)] = "",
        second: bool = False,
    ) -> ExactJSONResponse:
        """The newest draft of this browser or of this person, `draft` null where there is none."""
        found = await drafts.find(DraftPlace(recognition_id, browser, who(person), second))
        if found is None:
            return ExactJSONResponse({"draft": None})
        kept = {"draft": found.body, "base_version": found.base_version, "kept_at": found.kept_at.isoformat()}
        return ExactJSONResponse(kept)

    return routes
