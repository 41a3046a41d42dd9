"""Rollouts: several answers about an item, what they are worth, what people say of them, and batches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ocr_ui.api.corrections import saved_value
from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.api.streams import json_lines
from ocr_ui.domain.rollout import Choice
from ocr_ui.errors import WorkbenchError
from ocr_ui.services.access import own, who
from ocr_ui.services.rollout_view import (
    batch_value,
    judged_value,
    judgement_value,
    pair_value,
    row_value,
    shown_value,
    step_value,
)
from ocr_ui.services.rollouts import Ask, Step
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench

PERSON = Field("", max_length=200)
KEY = Field(min_length=8, max_length=64)
SECONDS = Field(0.0, ge=0)


class AskBody(BaseModel):
    n: int = 8
    temperature: float = 0.8
    top_p: float = Field(1.0, gt=0, le=1)
    engine: str = ""
    seed: int | None = None
    max_tokens: int | None = Field(None, ge=1)
    person: str = PERSON

    @property
    def ask(self) -> Ask:
        return Ask(self.n, self.temperature, self.top_p, self.engine, self.seed, self.max_tokens)


class SampleBody(AskBody):
    """`owner`: a name of the caller's own, by which it can stop this."""

    owner: str = Field("", max_length=64)


class StopBody(BaseModel):
    owner: str = Field(min_length=8, max_length=64)


class BestBody(BaseModel):
    answer: int
    base_version: int = Field(ge=0)
    edit: bool = False
    person: str = PERSON
    seconds: float = SECONDS
    client_key: str = KEY


class RankingBody(BaseModel):
    answers: list[int] = Field(max_length=64)
    person: str = PERSON
    seconds: float = SECONDS
    client_key: str = KEY


class NextBody(BaseModel):
    person: str = PERSON
    skip: str = Field("", max_length=64)


class PairBody(BaseModel):
    choice: Choice
    person: str = PERSON
    seconds: float = SECONDS


class BatchBody(AskBody):
    """`filters`: as the query of an export has them, lists under their names."""

    filters: dict[str, Any] = {}
    retry_failed: bool = False


def rollout_routes(workbench: Workbench, localize: Localize) -> APIRouter:
    routes = APIRouter(tags=["rollouts"])
    rollouts, pairs, batches = workbench.rollouts, workbench.pairs, workbench.batches

    @routes.get("/v1/items/{recognition_id}/rollouts")
    async def of_item(recognition_id: int) -> ExactJSONResponse:
        """The newest rollouts of an item, newest first."""
        return ExactJSONResponse({"rollouts": [row_value(row) for row in await rollouts.of_item(recognition_id)]})

    @routes.post("/v1/items/{recognition_id}/rollouts")
    async def sample(recognition_id: int, body: SampleBody, request: Request) -> StreamingResponse:
        """Samples answers; JSON Lines as they come, the last of which has the rollout's id, or the error.

        Closing the connection ends the engine's work; the answers that had come are kept.
        """
        steps = rollouts.sample(recognition_id, body.ask, who(body.person), own(body.owner))
        return json_lines(_steps(steps, localize, language_of(request)))

    @routes.post("/v1/rollouts/stop")
    async def stop(body: StopBody) -> dict[str, int]:
        """Ends what this owner has running; what came is kept."""
        return {"stopped": await rollouts.stop(own(body.owner))}

    @routes.get("/v1/rollouts/{rollout_id}")
    async def show(rollout_id: int, request: Request) -> ExactJSONResponse:
        """The answers with their rewards against the label as it is now, and where they differ."""
        return ExactJSONResponse(localize(shown_value(await rollouts.show(rollout_id)), language_of(request)))

    @routes.get("/v1/rollouts/{rollout_id}/judgements")
    async def judgements(rollout_id: int) -> dict[str, Any]:
        """What people said of the answers, oldest first."""
        return {"judgements": [judgement_value(one) for one in await rollouts.judgements(rollout_id)]}

    @routes.post("/v1/rollouts/{rollout_id}/best")
    async def best(rollout_id: int, body: BestBody) -> dict[str, Any]:
        """An answer becomes the label of its item: a new correction, submitted, or to be edited."""
        saved = await rollouts.choose(
            rollout_id,
            body.answer,
            body.base_version,
            who(body.person),
            body.edit,
            body.seconds,
            body.client_key,
        )
        return saved_value(saved)

    @routes.post("/v1/rollouts/{rollout_id}/ranking")
    async def rank(rollout_id: int, body: RankingBody) -> dict[str, Any]:
        """Answers in order, the best first."""
        person = who(body.person)
        return judgement_value(await rollouts.rank(rollout_id, body.answers, person, body.seconds, body.client_key))

    @routes.post("/v1/rollouts/{rollout_id}/pair")
    async def pair(rollout_id: int, body: NextBody) -> ExactJSONResponse:
        """Two answers to compare blind, the sides at random; {"pair": null} where none is left for this person."""
        return ExactJSONResponse(pair_value(await pairs.next(rollout_id, who(body.person), body.skip)))

    @routes.post("/v1/rollout-pairs/{token}")
    async def judge(token: str, body: PairBody) -> dict[str, Any]:
        """Keeps a choice and tells which answers they were. Sent again, it counts once."""
        return judged_value(*await pairs.judge(token, body.choice, who(body.person), body.seconds))

    @routes.post("/v1/rollout-jobs", status_code=202)
    async def start(body: BatchBody, request: Request) -> dict[str, Any]:
        """Starts a batch over a filter of the dataset, or goes on with the unfinished one that asks the same."""
        person = who(body.person)
        return localize(
            batch_value(await batches.start(body.ask, body.filters, person, body.retry_failed)), language_of(request)
        )

    @routes.get("/v1/rollout-jobs/newest")
    async def newest(request: Request) -> dict[str, Any]:
        """The newest batch; {"job": null} where there is none."""
        found = await batches.newest()
        return {"job": None} if found is None else localize(batch_value(found), language_of(request))

    @routes.get("/v1/rollout-jobs/{job}")
    async def progress(job: int, request: Request) -> dict[str, Any]:
        """How far a batch is."""
        return localize(batch_value(await batches.progress(job)), language_of(request))

    @routes.post("/v1/rollout-jobs/{job}/stop")
    async def halt(job: int, request: Request) -> dict[str, Any]:
        """Ends a batch that this server runs; the items that wait go on waiting."""
        return localize(batch_value(await batches.stop(job)), language_of(request))

    @routes.post("/v1/rollout-jobs/{job}/resume", status_code=202)
    async def resume(job: int, request: Request) -> dict[str, Any]:
        """Goes on with a batch that does not run."""
        return localize(batch_value(await batches.resume(job)), language_of(request))

    return routes


async def _steps(steps: AsyncIterator[Step], localize: Localize, language: str) -> AsyncIterator[dict[str, Any]]:
    try:
        async with aclosing(steps) as found:  # type: ignore[type-var]
            async for step in found:
                yield localize(step_value(step), language)
    except WorkbenchError as error:
        failed = {"state": "failed", "answers": [], "rollout": None, "error": error_value(error)}
        yield localize(failed, language)
