"""How far confidences can be trusted, measured and listed over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.streams import json_lines
from ocr_ui.errors import WorkbenchError
from ocr_ui.services.calibrate import MISS_RATE, Measured
from ocr_ui.services.thresholds import Threshold
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench


class Measurement(BaseModel):
    """`miss_rate`: the share of the mistakes that may be missed. Without `keep` nothing is kept, and nothing used.

    With `progress` the answer is JSON Lines: `{"done", "total"}` in pages as it goes on, and at last `{"thresholds"}`
    or `{"error"}`.
    """

    model_config = ConfigDict(extra="forbid")

    template: str = Field(max_length=100)
    miss_rate: float = MISS_RATE
    keep: bool = True
    person: str = Field("", max_length=200)
    progress: bool = False


def calibration_routes(workbench: Workbench, localize: Localize) -> APIRouter:
    routes = APIRouter(tags=["calibration"])

    @routes.get("/v1/calibrations")
    async def calibrations(template: str = "") -> dict[str, Any]:
        """The newest threshold of each template, part (`line`, `cell`, `field:amount`) and engine, with its figures.

        `stale` says what has changed since it was measured (engine, model, revision, template, settings), compared
        with the last reading with the template; `unused` why it is not used: that, or `few` where it stands on fewer
        than ten mistakes.
        """
        return _told(await workbench.calibrator.list(template))

    @routes.post("/v1/calibrations", response_model=None)
    async def measure(body: Measurement, request: Request) -> dict[str, Any] | StreamingResponse:
        """Works out from corrected pages how often what has a confidence is right, and the lowest threshold that misses
        no more of the mistakes than is allowed: for lines, cells and each kind of field, of each engine that has read.
        """
        asked = body.template, body.miss_rate, body.person, body.keep
        if body.progress:
            return json_lines(_steps(workbench.calibrator.measuring(*asked), localize, language_of(request)))
        return _told(await workbench.calibrator.measure(*asked))

    return routes


def _told(thresholds: Iterable[Threshold]) -> dict[str, Any]:
    return {"thresholds": [one.to_dict() for one in thresholds]}


async def _steps(steps: AsyncIterator[Measured], localize: Localize, language: str) -> AsyncIterator[dict[str, Any]]:
    try:
        async with aclosing(steps) as found:  # type: ignore[type-var]
            async for step in found:
                ended = step.thresholds is not None
                yield _told(step.thresholds) if ended else {"done": step.done, "total": step.total}
    except WorkbenchError as error:
        yield {"error": localize(error_value(error), language)}
