"""Downloads of the dataset, as a stream of constant memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from ocr_ui.services.dataset import read_filters
from ocr_ui.services.workbench import Workbench


def export_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["exports"])
    exporter = workbench.exporter

    @routes.get("/v1/exports/{name}")
    async def download(name: str, request: Request) -> StreamingResponse:
        """The items that the filters in the query choose, as one file of format `name` (jsonl, csv)."""
        query = request.query_params
        filters = read_filters({key: query.getlist(key) if key not in SINGLE else query[key] for key in query})
        headers = {"Content-Disposition": f'attachment; filename="{exporter.file_name(name)}"'}
        pieces = exporter.stream(name, filters)
        # What is wrong with the request or the store shows here, while the answer can still say so.
        first = await anext(pieces, b"")
        return StreamingResponse(_from(first, pieces), media_type=exporter.media_type(name), headers=headers)

    return routes


async def _from(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async with aclosing(rest) as pieces:  # type: ignore[type-var]
        yield first
        async for piece in pieces:
            yield piece


SINGLE = {"text", "since", "until"}
