"""Pictures in and out: upload, rotate, the stored picture, its thumbnail, the examples."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.services.pictures import Received
from ocr_ui.services.workbench import Workbench

FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
"""The address holds the picture's sha256: what it names never changes."""


class Turn(BaseModel):
    """Quarter turns clockwise, 1 to 3."""

    turns: int = Field(1, ge=1, le=3)


class Beside(BaseModel):
    """Id of a stored page of the same document."""

    page: int


def picture_routes(workbench: Workbench, localize: Localize) -> APIRouter:
    routes = APIRouter(tags=["pictures"])
    pictures = workbench.pictures

    def shown(received: Received, request: Request) -> dict:
        value = workbench.views.picture(received)
        document = received.document and {"sha256": received.document.sha256, "pages": received.document.pages}
        answer = {
            "page": value["item"]["page"],
            "warnings": value["warnings"],
            "document": document,
            "number": received.page.number,
            "item": received.recognition_id,
        }
        return localize(answer, language_of(request))

    @routes.post("/v1/pictures")
    async def upload(
        request: Request, file: Annotated[UploadFile, File()], person: Annotated[str, Form(max_length=200)] = ""
    ) -> dict:
        """Takes a picture, makes it upright and stores it. The answer names the page and what was done to it."""
        data = await file.read()
        return shown(await pictures.receive(data, name_of(file), person.strip()), request)

    @routes.post("/v1/documents/{sha256}/pages/{number}")
    async def other_page(sha256: str, number: int, beside: Beside, request: Request) -> dict:
        """Opens another page of a file of several; `item` is its newest reading, where it was read before."""
        return shown(await pictures.page_beside(sha256, number, beside.page), request)

    @routes.get("/v1/documents/{sha256}/pages/{number}/thumbnail")
    async def page_thumbnail(sha256: str, number: int) -> Response:
        small = await pictures.page_thumbnail(sha256, number)
        return Response(small, media_type="image/jpeg", headers=FOREVER)

    @routes.post("/v1/pages/{sha256}/rotate")
    async def rotate(sha256: str, turn: Turn, request: Request) -> dict:
        """Stores the page turned clockwise, as a page of its own."""
        return shown(await pictures.rotate(sha256, turn.turns), request)

    @routes.get("/pictures/{sha256}")
    async def picture(sha256: str) -> FileResponse:
        return FileResponse(await pictures.file(sha256), media_type="image/png", headers=FOREVER)

    @routes.delete("/pictures/{sha256}", status_code=204)
    async def forget(sha256: str) -> Response:
        """Removes a picture for good, on somebody's request; results and labels stay. For administrators."""
        await pictures.forget(sha256)
        return Response(status_code=204)

    @routes.get("/pictures/{sha256}/thumbnail")
    async def thumbnail(sha256: str) -> Response:
        return Response(await pictures.thumbnail(sha256), media_type="image/jpeg", headers=FOREVER)

    @routes.post("/v1/examples/{name}")
    async def example(name: str, request: Request) -> dict:
        """Stores an example picture as `POST /v1/pictures` does one of the caller's."""
        found = workbench.examples.get(name)
        return shown(await pictures.receive(await workbench.examples.bytes(name), found.file.name), request)

    @routes.get("/examples/{name}/thumbnail")
    async def example_thumbnail(name: str) -> Response:
        return Response(
            await workbench.examples.thumbnail(name),
            media_type="image/jpeg",
            headers={"Cache-Control": "private, max-age=3600"},
        )

    return routes


def name_of(file: UploadFile) -> str:
    """The file's name; browsers write three characters of it as percent signs with digits in a form (HTML standard,
    multipart/form-data encoding)."""
    name = file.filename or ""
    for written, meant in (("%22", '"'), ("%0D", " "), ("%0A", " ")):
        name = name.replace(written, meant)
    return name
