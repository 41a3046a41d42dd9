"""What the page asks for while lines are edited."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel

from ocr_ui.services.ordering import ordered_ids
from ocr_ui.services.workbench import Workbench


class LinesBody(BaseModel):
    """Lines as in `PageContent.to_dict`."""

    lines: list[dict]


def editing_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["editing"])

    @routes.post("/v1/reading-order")
    async def reading_order(body: LinesBody) -> dict[str, list[str]]:
        """Ids of the lines in the order in which a person reads them."""
        return {"order": await asyncio.to_thread(ordered_ids, body.lines)}

    return routes
