"""Items for the viewer: a recognition with its latest correction, as it was left."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.services.workbench import Workbench


def item_routes(workbench: Workbench, localize: Localize) -> APIRouter:
    routes = APIRouter(tags=["items"])

    @routes.get("/v1/items/{recognition_id}")
    async def item(recognition_id: int, request: Request) -> ExactJSONResponse:
        """As `ocr_ui.services.view.Views.item`, warnings in the language of the request."""
        value = await asyncio.to_thread(workbench.views.item, await workbench.annotator.open_item(recognition_id))
        return ExactJSONResponse(localize(value, language_of(request)))

    return routes
