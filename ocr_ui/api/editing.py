"""What the page asks for while lines are edited."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.domain.prompt import Task
from ocr_ui.errors import WorkbenchError
from ocr_ui.services.access import who
from ocr_ui.services.field_links import field_links
from ocr_ui.services.line_history import entry_value
from ocr_ui.services.ordering import ordered_ids
from ocr_ui.services.reread import RereadStep, step_value
from ocr_ui.services.same_mistake import elsewhere_value
from ocr_ui.services.source_preview import source_preview
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench


class LinesBody(BaseModel):
    """Lines as in `PageContent.to_dict`."""

    lines: list[dict]


class LineBody(BaseModel):
    """What a line says now."""

    text: str = Field(max_length=100_000)


class FieldsBody(LinesBody):
    """Lines and fields as in `PageContent.to_dict`."""

    fields: list[dict] = Field(max_length=200)


class SourceBody(BaseModel):
    """The whole text of a page, and what its template asked for."""

    text: str = Field(max_length=4_000_000)
    task: Task


class RereadBody(LinesBody):
    """`lines` are those of the page as the person sees it, `ids` those that stand in the box."""

    quad: list[list[float]]
    ids: list[str] = []
    engine: str = ""
    person: str = Field("", max_length=200)


def editing_routes(workbench: Workbench, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["editing"])

    @routes.post("/v1/reading-order")
    async def reading_order(body: LinesBody) -> dict[str, list[str]]:
        """Ids of the lines in the order in which a person reads them."""
        return {"order": await asyncio.to_thread(ordered_ids, body.lines)}

    @routes.post("/v1/field-links")
    async def links(body: FieldsBody) -> dict[str, list[dict[str, Any]]]:
        """Where the fields' values stand among the lines, and whether they look like their kinds."""
        return {"fields": await asyncio.to_thread(field_links, body.lines, body.fields)}

    @routes.post("/v1/source-previews")
    async def preview(body: SourceBody) -> ExactJSONResponse:
        """A formula or Markdown as safe HTML, and the mistakes in it with their places."""
        return ExactJSONResponse(await asyncio.to_thread(source_preview, body.text, body.task))

    @routes.post("/v1/items/{recognition_id}/rereads")
    async def reread(recognition_id: int, body: RereadBody, request: Request) -> StreamingResponse:
        """Reads a box anew; JSON Lines as it goes, the last of which has what changes in the page, or the error.

        Closing the connection ends the engine's work.
        """
        person = who(body.person)
        steps = workbench.rereader.read(recognition_id, body.lines, body.quad, body.ids, body.engine, person)
        told = _told(steps, localize_error, language_of(request))
        return StreamingResponse(told, media_type="application/x-ndjson")

    @routes.get("/v1/items/{recognition_id}/lines/{line_id}/history")
    async def history(recognition_id: int, line_id: str) -> ExactJSONResponse:
        """Who or what wrote a line, oldest first."""
        found = await workbench.histories.of(recognition_id, line_id)
        return ExactJSONResponse({"history": [entry_value(entry) for entry in found]})

    @routes.post("/v1/items/{recognition_id}/lines/{line_id}/elsewhere")
    async def elsewhere(recognition_id: int, line_id: str, body: LineBody) -> ExactJSONResponse:
        """Lines of other items in which the same was read wrong."""
        return ExactJSONResponse(elsewhere_value(await workbench.mistakes.find(recognition_id, line_id, body.text)))

    return routes


async def _told(steps: AsyncIterator[RereadStep], localize_error: Localize, language: str) -> AsyncIterator[bytes]:
    try:
        async with aclosing(steps) as found:  # type: ignore[type-var]
            async for step in found:
                failed = {"error": localize_error(error_value(step.error), language)} if step.error else {}
                yield _line({**step_value(step), **failed})
    except WorkbenchError as error:
        yield _line({"state": "failed", "error": localize_error(error_value(error), language)})


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"
