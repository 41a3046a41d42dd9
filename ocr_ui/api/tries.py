"""One picture read in several ways at once, and which of the readings is the better one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.api.forms import OcrOptions
from ocr_ui.api.streams import json_lines
from ocr_ui.errors import WorkbenchError
from ocr_ui.services.access import own, who
from ocr_ui.services.tries import MOST, Lane, Way
from ocr_ui.services.try_view import kept_value, lanes_value, shown_value
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench


class WayBody(BaseModel):
    """A way to read: `options` as of /v1/ocr; a version of a template stands behind `@`.

    `wording` stands in place of the template's text for this run, and its blanks are filled in; `options.prompt` is
    sent as it is.
    """

    template: str = Field(max_length=200)
    variables: dict[str, str] = {}
    engine: str = Field("", max_length=200)
    options: OcrOptions = OcrOptions()
    wording: str | None = Field(None, max_length=100_000)

    @property
    def way(self) -> Way:
        options = self.options
        asked = options.prompt, options.sampling, options.structured, self.wording
        copy = options.preprocess, options.pixels, options.full_resolution
        return Way(self.template, self.variables, self.engine, *asked, *copy)


class TryBody(BaseModel):
    """`page`: id of a stored page. `owner`: a name of the caller's own, by which it can stop this."""

    page: int
    ways: list[WayBody] = Field(min_length=1, max_length=MOST)
    person: str = Field("", max_length=200)
    owner: str = Field("", max_length=64)


class StopBody(BaseModel):
    """`way`: index of the one to stop; null for all."""

    owner: str = Field(min_length=8, max_length=64)
    way: int | None = Field(None, ge=0, lt=MOST)


class PreferenceBody(BaseModel):
    """`better` and `worse`: items that are readings of one picture."""

    better: int
    worse: list[int] = Field(min_length=1, max_length=8)
    person: str = Field("", max_length=200)
    seconds: float = Field(0.0, ge=0)
    client_key: str = Field(min_length=8, max_length=64)


def try_routes(workbench: Workbench, localize: Localize, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["tries"])

    @routes.post("/v1/tries")
    async def run(body: TryBody, request: Request) -> StreamingResponse:
        """Reads a page in all these ways at once; JSON Lines as they go on. Each result is an item as any other.

        Closing the connection ends all of them; what had been read by then is kept.
        """
        ways = [one.way for one in body.ways]
        steps = workbench.tries.run(body.page, ways, who(body.person), own(body.owner))
        return json_lines(_steps(steps, localize_error, language_of(request)))

    @routes.post("/v1/tries/stop")
    async def stop(body: StopBody) -> dict[str, int]:
        """Ends what this owner has running, or one way of it."""
        return {"stopped": await workbench.tries.stop(own(body.owner), body.way)}

    @routes.get("/v1/tries")
    async def show(
        request: Request,
        item: Annotated[list[int], Query(min_length=1, max_length=MOST)],
        base: Annotated[int, Query(ge=0, lt=MOST)] = 0,
    ) -> ExactJSONResponse:
        """Items that are readings of one picture side by side, line by line, with what is not as the base has it."""
        value = shown_value(await workbench.tries.show(item, base))
        language = language_of(request)
        for one in value["readings"]:
            one["error"] = one["error"] and localize_error(one["error"], language)
        value["readings"] = [localize(one, language) for one in value["readings"]]
        return ExactJSONResponse(value)

    @routes.post("/v1/preferences")
    async def prefer(body: PreferenceBody) -> dict[str, Any]:
        """Keeps that a reading is better than others, and says of each why the two are no pair for DPO, "" if they
        are."""
        person = who(body.person)
        return kept_value(
            await workbench.preferences.prefer(body.better, body.worse, person, body.seconds, body.client_key)
        )

    return routes


async def _steps(
    steps: AsyncIterator[Sequence[Lane]], localize_error: Localize, language: str
) -> AsyncIterator[dict[str, Any]]:
    try:
        async with aclosing(steps) as found:  # type: ignore[type-var]
            async for lanes in found:
                value = lanes_value(lanes)
                for lane in value["lanes"]:
                    lane["error"] = lane["error"] and localize_error(lane["error"], language)
                yield value
    except WorkbenchError as error:
        yield {"ended": True, "lanes": [], "error": localize_error(error_value(error), language)}
