"""Reading over REST: a picture in, what stands on it out; and what was read before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from ocr_ui.api.errors import Localize, error_body, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.api.forms import FORM, JSON, OcrBody, OcrJson, read_ocr, schema_of
from ocr_ui.api.streams import BEAT, Gone, after, event, event_stream, nobody_there, while_there
from ocr_ui.errors import WorkbenchError
from ocr_ui.services.dataset import SINGLE, SORT_NAMES, Row
from ocr_ui.services.engines import EngineInfo
from ocr_ui.services.ocr import OcrStep
from ocr_ui.services.workbench import Workbench

FILE = {"type": "string", "format": "binary", "description": "A picture or a PDF file."}
AS_TEXT = {"type": "string", "contentMediaType": JSON, "description": "JSON text."}
_OWN = {"sort", "limit", "offset"}


def _form_schema() -> dict[str, Any]:
    schema = schema_of(OcrBody, file=FILE)
    for name in ("variables", "options"):
        schema["properties"][name] = {**AS_TEXT, "contentSchema": schema["properties"][name]}
    return schema


BODY = {
    "requestBody": {
        "required": True,
        "content": {FORM: {"schema": _form_schema()}, JSON: {"schema": schema_of(OcrJson)}},
    },
}
STREAM = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}


def ocr_routes(workbench: Workbench, localize: Localize, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["reading"])
    ocr = workbench.ocr

    @routes.post("/v1/ocr", openapi_extra=BODY, responses=STREAM)
    async def read(request: Request) -> Response:
        """Reads a picture: a form with `file`, or JSON with the file in base64 as `image`.

        The answer is the object of `python -m ocr_ui recognize --json` with the ids of the item and of the page, how it
        ended, and the seconds of each stage; the item stands in the dataset. With `stream` the answer is server-sent
        events: `text` (characters that the answer has grown by), `line` (a line that is finished), `restart` (the page
        is read anew with fewer pixels, or with all: what came before counts for nothing), and at the end `done` with
        the object, or `error`. Closing the connection ends the work.
        """
        asked, stream = await read_ocr(request)
        steps, language = ocr.read(asked), language_of(request)
        if stream:
            begun = after(await anext(steps), steps)
            return event_stream(_events(begun, localize, localize_error, language))
        try:
            async with aclosing(while_there(request, steps)) as found:
                async for step in found:
                    if step.value is not None:
                        return ExactJSONResponse(localize(step.value, language))
        except Gone:
            return nobody_there()
        raise RuntimeError("a reading without an end")

    @routes.get("/v1/engines")
    async def engines() -> dict[str, Any]:
        """The engines by the names that requests use, the default first. For those that take no prompt a template only
        says what to do, and which fields to find."""
        return {"engines": [_engine(info) for info in workbench.engines.infos()]}

    @routes.get("/v1/recognitions")
    async def recognitions(
        request: Request,
        sort: str = SORT_NAMES[0],
        limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
        offset: Annotated[int, Query(ge=0, lt=2**63)] = 0,
    ) -> ExactJSONResponse:
        """What was read, newest first: `limit` rows from `offset` on; all further parts of the query are filters, as
        those of the exports. With `text` each row names the place that was found. `next` is the offset of the next
        page, null on the last one."""
        query = request.query_params
        filters = {key: query[key] if key in SINGLE else query.getlist(key) for key in query if key not in _OWN}
        window = await workbench.dataset.list(filters, sort, limit, offset)
        more = offset + len(window.rows) < window.total and window.rows
        return ExactJSONResponse(
            {
                "recognitions": [row_value(row) for row in window.rows],
                "total": window.total,
                "next": offset + len(window.rows) if more else None,
            }
        )

    @routes.get("/v1/recognitions/{recognition_id}")
    async def recognition(recognition_id: int, request: Request) -> ExactJSONResponse:
        """What the model read, as `POST /v1/ocr` gave it; corrections stand in `/v1/items/{id}`."""
        return ExactJSONResponse(localize(await ocr.stored(recognition_id), language_of(request)))

    return routes


async def _events(
    steps: AsyncIterator[OcrStep], localize: Localize, localize_error: Localize, language: str
) -> AsyncIterator[bytes]:
    try:
        async with aclosing(steps) as found:  # type: ignore[type-var]
            async for step in found:
                for one in _told(step, localize, language):
                    yield one
    except WorkbenchError as error:
        yield event(error_body(error, localize_error, language), "error")


def _engine(info: EngineInfo) -> dict[str, Any]:
    state = info.health.state.value
    return {"name": info.name, "kind": info.kind, "state": state, "takes_prompt": info.takes_prompt}


def _told(step: OcrStep, localize: Localize, language: str) -> list[bytes]:
    told = [event({}, "restart")] if step.again else []
    told += [event({"text": step.text}, "text")] if step.text else []
    told += [event(line, "line") for line in step.lines]
    told += [event(localize(step.value, language), "done")] if step.value is not None else []
    return told or [BEAT]


def row_value(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "page": {"id": row.page_id, "sha256": row.sha256, "name": row.page, "number": row.page_number},
        "template": row.template,
        "task": row.task,
        "engine": row.engine,
        "model": row.model,
        "outcome": row.outcome,
        "state": row.state,
        "verdict": row.verdict,
        "version": row.version,
        "cer": row.cer,
        "confidence": row.confidence,
        "reviewer": row.reviewer,
        "created_at": row.created_at.isoformat(),
        "updated_at": row.updated_at.isoformat(),
        "text": row.text,
        "found": row.found and asdict(row.found),
    }
