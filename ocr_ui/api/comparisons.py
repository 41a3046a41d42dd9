"""Two readings of one picture beside each other, and which readings of a page there are."""

from __future__ import annotations

from fastapi import APIRouter

from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.services.compare import comparison_value, reading_value
from ocr_ui.services.workbench import Workbench


def comparison_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["comparisons"])

    @routes.get("/v1/items/{recognition_id}/readings")
    async def readings(recognition_id: int) -> ExactJSONResponse:
        """The newest readings of the item's page, itself among them, newest first."""
        rows = await workbench.comparer.readings(recognition_id)
        return ExactJSONResponse({"readings": [reading_value(row) for row in rows]})

    @routes.get("/v1/comparisons/{left}/{right}")
    async def comparison(left: int, right: int) -> ExactJSONResponse:
        """Both items as they were left, line by line and field by field, with the characters that differ."""
        return ExactJSONResponse(comparison_value(await workbench.comparer.compare(left, right)))

    return routes
