"""Downloads of the dataset: text as a stream of constant memory, other formats as a file made for the download."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from starlette.background import BackgroundTask

from ocr_ui.api.errors import language_of
from ocr_ui.api.streams import after
from ocr_ui.services.dataset import SINGLE, Filters, read_filters
from ocr_ui.services.export import Options, left_out_value, read_options
from ocr_ui.services.workbench import Workbench

LocalizeReasons = Callable[[list[dict[str, Any]], str], list[dict[str, Any]]]
"""From reasons with English messages and a language to those in that language."""


def export_routes(workbench: Workbench, localize_reasons: LocalizeReasons) -> APIRouter:
    routes = APIRouter(tags=["exports"])
    exporter = workbench.exporter

    async def streamed(name: str, filters: Filters) -> Response:
        headers = {"Content-Disposition": f'attachment; filename="{exporter.file_name(name)}"'}
        pieces = exporter.stream(name, filters)
        # What is wrong with the request or the store shows here, while the answer can still say so.
        first = await anext(pieces, b"")
        return StreamingResponse(after(first, pieces), media_type=exporter.media_type(name), headers=headers)

    async def packed(name: str, filters: Filters, options: Options) -> Response:
        made = await exporter.packed(name, filters, options)
        gone = BackgroundTask(shutil.rmtree, made.folder, ignore_errors=True)
        return FileResponse(made.file, media_type=made.media_type, filename=made.name, background=gone)

    @routes.get("/v1/exports/{name}")
    async def download(name: str, request: Request) -> Response:
        """The items that the filters in the query choose, as one file of format `name`.

        jsonl, csv and xlsx are that file; the others are zip archives with their pictures and a report. `turn_crops=1`
        lays the crops of PPOCRLabel as they are read; `split=0.9/0.05/0.05`, `max_prompt_length=N`,
        `stored_pictures=1` and `absolute=FOLDER`, where the archive will be unpacked, are those of the command line.
        """
        filters, options = _filters(request), read_options(request.query_params)
        if exporter.is_streamed(name):
            return await streamed(name, filters)
        return await packed(name, filters, options)

    @routes.get("/v1/exports/{name}/report")
    async def report(name: str, request: Request) -> dict[str, Any]:
        """What an export would leave out and why, by writing it and throwing it away; takes as long as an export."""
        found = await exporter.check(name, _filters(request), read_options(request.query_params))
        counts = {"count_in": found.count_in, "count_out": found.count_out, "rows": found.rows}
        left_out = localize_reasons(left_out_value(found), language_of(request))
        return {**counts, "missing_pictures": [item for item, *_ in found.missing_pictures], "left_out": left_out}

    @routes.get("/v1/exports/{name}/example")
    async def example(name: str, request: Request) -> dict[str, str]:
        """One real record of the items that the filters choose, and the command that starts the format's trainer."""
        return asdict(await exporter.example(name, _filters(request)))

    return routes


OPTIONS = {"turn_crops", "stored_pictures", "split", "max_prompt_length", "absolute"}


def _filters(request: Request) -> Filters:
    query = request.query_params
    return read_filters(
        {key: query.getlist(key) if key not in SINGLE else query[key] for key in query if key not in OPTIONS}
    )
