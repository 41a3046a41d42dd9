"""How far confidences can be trusted, measured and listed over HTTP."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from ocr_ui.services.calibrate import MISS_RATE
from ocr_ui.services.workbench import Workbench


class Measurement(BaseModel):
    """`miss_rate`: the share of the mistakes that may be missed. Without `keep` nothing is kept, and nothing used."""

    model_config = ConfigDict(extra="forbid")

    template: str = Field(max_length=100)
    miss_rate: float = MISS_RATE
    keep: bool = True
    person: str = Field("", max_length=200)


def calibration_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["calibration"])

    @routes.get("/v1/calibrations")
    async def calibrations(template: str = "") -> dict[str, Any]:
        """The newest threshold of each template, part (`line`, `cell`, `field:amount`) and engine, with its figures.

        `stale` says what has changed since it was measured (engine, model, revision, template, settings), compared
        with the last reading with the template; `unused` why it is not used: that, or `few` where it stands on fewer
        than ten mistakes.
        """
        return {"thresholds": [one.to_dict() for one in await workbench.calibrator.list(template)]}

    @routes.post("/v1/calibrations")
    async def measure(body: Measurement) -> dict[str, Any]:
        """Works out from corrected pages how often what has a confidence is right, and the lowest threshold that misses
        no more of the mistakes than is allowed: for lines, cells and each kind of field, of each engine that has read.
        """
        asked = body.template, body.miss_rate, body.person, body.keep
        return {"thresholds": [one.to_dict() for one in await workbench.calibrator.measure(*asked)]}

    return routes
