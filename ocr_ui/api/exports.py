"""Downloads of the dataset: text as a stream of constant memory, other formats as a file made for the download."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import aclosing

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from starlette.background import BackgroundTask

from ocr_ui.services.dataset import Filters, read_filters
from ocr_ui.services.export import Options
from ocr_ui.services.workbench import Workbench


def export_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["exports"])
    exporter = workbench.exporter

    async def streamed(name: str, filters: Filters) -> Response:
        headers = {"Content-Disposition": f'attachment; filename="{exporter.file_name(name)}"'}
        pieces = exporter.stream(name, filters)
        # What is wrong with the request or the store shows here, while the answer can still say so.
        first = await anext(pieces, b"")
        return StreamingResponse(_from(first, pieces), media_type=exporter.media_type(name), headers=headers)

    async def packed(name: str, filters: Filters, options: Options) -> Response:
        made = await exporter.packed(name, filters, options)
        gone = BackgroundTask(shutil.rmtree, made.folder, ignore_errors=True)
        return FileResponse(made.file, media_type=made.media_type, filename=made.name, background=gone)

    @routes.get("/v1/exports/{name}")
    async def download(name: str, request: Request) -> Response:
        """The items that the filters in the query choose, as one file of format `name`.

        jsonl, csv and xlsx are that file; docx, page-xml, label-studio and ppocrlabel are zip archives with their
        pictures and a report. `turn_crops=1` lays the crops of PPOCRLabel as they are read.
        """
        query = request.query_params
        read = {key: query.getlist(key) if key not in SINGLE else query[key] for key in query if key != TURN_CROPS}
        filters = read_filters(read)
        if exporter.is_streamed(name):
            return await streamed(name, filters)
        return await packed(name, filters, Options(turn_crops=query.get(TURN_CROPS) == "1"))

    return routes


async def _from(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async with aclosing(rest) as pieces:  # type: ignore[type-var]
        yield first
        async for piece in pieces:
            yield piece


SINGLE = {"text", "since", "until"}
TURN_CROPS = "turn_crops"
