"""Frozen versions of the dataset, and what was exported when."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from ocr_ui.services.dataset_versions import export_value, version_value
from ocr_ui.services.workbench import Workbench


class VersionBody(BaseModel):
    """What to freeze: `filters` as the query of an export has them, lists under their names."""

    name: str = Field(max_length=200)
    filters: dict[str, Any] = {}
    licence: str = Field("", max_length=1000)
    person: str = Field("", max_length=200)


def version_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["versions"])
    versions = workbench.versions

    @routes.get("/v1/versions")
    async def listed() -> dict[str, Any]:
        """The versions and the exports, the newest first."""
        return {
            "versions": [version_value(one) for one in await versions.list()],
            "exports": [export_value(one) for one in await versions.exports()],
        }

    @routes.post("/v1/versions", status_code=201)
    async def freeze(body: VersionBody) -> dict[str, Any]:
        """Keeps what the filters find at this moment. It cannot be changed or renamed afterwards."""
        return version_value(await versions.freeze(body.name, body.filters, body.licence, body.person))

    @routes.get("/v1/versions/{name}")
    async def one(name: str) -> dict[str, Any]:
        """A version and what was exported of it."""
        found = version_value(await versions.get(name))
        return {**found, "log": [export_value(one) for one in await versions.exports(name)]}

    @routes.get("/v1/versions/{name}/card")
    async def card(name: str) -> PlainTextResponse:
        """The data card as Markdown, without its charts."""
        return PlainTextResponse(await workbench.cards.text(name), media_type="text/markdown")

    @routes.delete("/v1/versions/{name}", status_code=204)
    async def delete(name: str) -> None:
        """Refused with 409 once it was exported."""
        await versions.delete(name)

    return routes
