"""Items for the viewer: a recognition with its latest correction, as it was left; and their end."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.services.erase import MOST_ITEMS
from ocr_ui.services.workbench import Workbench


class DeleteBody(BaseModel):
    """Numbers of items; `frozen`: those that stand in frozen versions too."""

    items: list[int] = Field(min_length=1, max_length=MOST_ITEMS)
    frozen: bool = False


def item_routes(workbench: Workbench, localize: Localize) -> APIRouter:
    routes = APIRouter(tags=["items"])

    @routes.get("/v1/items/{recognition_id}")
    async def item(recognition_id: int, request: Request) -> ExactJSONResponse:
        """As `ocr_ui.services.view.Views.item`, warnings in the language of the request."""
        value = await asyncio.to_thread(workbench.views.item, await workbench.annotator.open_item(recognition_id))
        return ExactJSONResponse(localize(value, language_of(request)))

    @routes.delete("/v1/items/{recognition_id}")
    async def erase(recognition_id: int, frozen: Annotated[bool, Query()] = False) -> dict[str, Any]:
        """Deletes an item for good, with all that is known of it, and its picture where nobody else needs that. 409
        where it stands in a frozen version and `frozen` does not say that this is meant. For administrators."""
        return asdict(await workbench.eraser.erase([recognition_id], frozen))

    @routes.post("/v1/items/delete")
    async def erase_several(body: DeleteBody) -> dict[str, Any]:
        """As deleting one, for several at once: all of them or none."""
        return asdict(await workbench.eraser.erase(body.items, body.frozen))

    return routes
