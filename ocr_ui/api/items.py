"""Items for the viewer: a recognition with its latest correction, as it was left."""

from __future__ import annotations

from fastapi import APIRouter

from ocr_ui.services.workbench import Workbench


def item_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["items"])

    @routes.get("/v1/items/{recognition_id}")
    async def item(recognition_id: int) -> dict:
        return workbench.views.item(await workbench.annotator.open_item(recognition_id))

    return routes
