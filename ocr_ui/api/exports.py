"""Downloads of the dataset, as a stream of constant memory."""

from __future__ import annotations

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
        return StreamingResponse(exporter.stream(name, filters), media_type=exporter.media_type(name), headers=headers)

    return routes


SINGLE = {"text", "since", "until"}
