"""Experiments in daily use: two templates or engines, a share for the other one, verdicts, and the way back."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.domain.rollout import Choice
from ocr_ui.services.access import who
from ocr_ui.services.experiment_view import arm_judged_value, arm_pair_value, experiment_value
from ocr_ui.services.experiments import Ask
from ocr_ui.services.workbench import Workbench

PERSON = Field("", max_length=200)


class StartBody(BaseModel):
    """A is `template` as it is in use, B `other_template` (with `@` and a version, if not the one in use).

    `engine`: readings by this engine alone take part, "" for any; `other_engine`: B's, "" for the one asked. `share`:
    of the pictures that go to B, 0 to 1.
    """

    template: str = Field(max_length=200)
    other_template: str = Field("", max_length=200)
    engine: str = Field("", max_length=200)
    other_engine: str = Field("", max_length=200)
    share: float = Field(0.1, ge=0, le=1)
    name: str = Field("", max_length=200)
    person: str = PERSON


class ShareBody(BaseModel):
    share: float = Field(ge=0, le=1)


class PersonBody(BaseModel):
    person: str = PERSON


class NextBody(PersonBody):
    skip: str = Field("", max_length=64)


class PairBody(PersonBody):
    choice: Choice
    seconds: float = Field(0.0, ge=0)


def experiment_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["experiments"])
    experiments, pairs = workbench.experiments, workbench.arm_pairs

    @routes.get("/v1/experiments")
    async def every() -> ExactJSONResponse:
        """The newest first."""
        return ExactJSONResponse({"experiments": [experiment_value(one) for one in await experiments.list()]})

    @routes.post("/v1/experiments", status_code=201)
    async def start(body: StartBody) -> ExactJSONResponse:
        """From now on a share of the pictures that are read with A goes to B. For administrators."""
        ask = Ask(body.template, body.other_template, body.engine, body.other_engine, body.share, body.name)
        return ExactJSONResponse(experiment_value(await experiments.start(ask, who(body.person))), 201)

    @routes.get("/v1/experiments/{experiment_id}")
    async def one(experiment_id: int) -> ExactJSONResponse:
        """With what is known of both arms, in intervals."""
        return ExactJSONResponse(experiment_value(await experiments.get(experiment_id)))

    @routes.patch("/v1/experiments/{experiment_id}")
    async def change(experiment_id: int, body: ShareBody) -> ExactJSONResponse:
        """Another share for B. For administrators."""
        return ExactJSONResponse(experiment_value(await experiments.set_share(experiment_id, body.share)))

    @routes.post("/v1/experiments/{experiment_id}/roll-back")
    async def roll_back(experiment_id: int, body: PersonBody) -> ExactJSONResponse:
        """All pictures go to A again; what is known stays. For administrators."""
        return ExactJSONResponse(experiment_value(await experiments.roll_back(experiment_id, who(body.person))))

    @routes.post("/v1/experiments/{experiment_id}/pair")
    async def pair(experiment_id: int, body: NextBody) -> ExactJSONResponse:
        """A picture that both arms read differently, the sides at random and without a name; {"pair": null} where
        none is left for this person. Where only one arm has read it, the answer waits for the other one."""
        return ExactJSONResponse(arm_pair_value(await pairs.next(experiment_id, who(body.person), body.skip)))

    @routes.post("/v1/experiment-pairs/{token}")
    async def judge(token: str, body: PairBody) -> dict[str, Any]:
        """Keeps a choice and tells whose the readings were. Sent again, it counts once."""
        arms = await pairs.judge(token, body.choice, who(body.person), body.seconds)
        return arm_judged_value(body.choice, arms)

    return routes
