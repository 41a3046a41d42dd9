"""Pushes of the dataset to the Hugging Face hub, an object store or a folder."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, SecretStr

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.services.dataset import read_filters
from ocr_ui.services.export import read_options
from ocr_ui.services.push import Asked, Push, push_value
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench


class PushBody(BaseModel):
    """What to push; `filters` and `options` as the query of an export has them.

    `names` of people stand in data, report and card where it is true, and without it where the push is not public.
    `token` is used for this one push; without it the one of the server's environment is.
    """

    format: str = Field(max_length=100)
    target: str = Field(max_length=1000)
    filters: dict[str, Any] = {}
    options: dict[str, Any] = {}
    public: bool = False
    names: bool | None = None
    licence: str = Field("", max_length=200)
    token: SecretStr = SecretStr("")


def push_routes(workbench: Workbench, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["pushes"])

    def value(push: Push, request: Request) -> dict[str, Any]:
        error = localize_error(error_value(push.error), language_of(request)) if push.error else None
        return {**push_value(push), "error": error}

    @routes.post("/v1/pushes", status_code=202)
    async def start(body: PushBody, request: Request) -> dict[str, Any]:
        """Begins a push and gives its number, by which it is asked after."""
        filters, options = read_filters(body.filters), read_options(body.options)
        asked = Asked(body.format, body.target, filters, options, body.public, body.licence, body.names)
        return value(workbench.pushes.start(asked, body.token.get_secret_value()), request)

    @routes.get("/v1/pushes/{push_id}")
    async def one(push_id: int, request: Request) -> dict[str, Any]:
        """How far it is: `state` is running, done or failed."""
        return value(workbench.pushes.get(push_id), request)

    return routes
