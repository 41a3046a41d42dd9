"""Drift by day over HTTP."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from ocr_ui.services.drift import DAYS
from ocr_ui.services.workbench import Workbench


def drift_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["drift"])

    @routes.get("/v1/drift")
    async def drift(days: int = DAYS, template: str = "") -> dict[str, Any]:
        """Page kind, size, writing, confidence and correction rate of the last days, day by day of UTC, with what
        changed when, and the days from which on something is another than before by more than chance.

        `events` has what shifted together, the newest first, with the changes near it; `first` is where one would look
        first: `data`, `configuration`, `model` or `post_processing`.
        """
        return await workbench.drift.look(days, template)

    return routes
