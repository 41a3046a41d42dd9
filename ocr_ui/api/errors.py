"""Errors as JSON, in one form: `{"error": {"code", "message", "hint", "details"}}`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from ocr_ui.errors import WorkbenchError

log = logging.getLogger(__name__)


def error_response(status: int, code: str, message: str, hint: str = "", details: dict | None = None) -> JSONResponse:
    body = {"error": {"code": code, "message": message, "hint": hint, "details": details or {}}}
    return JSONResponse(body, status_code=status)


LANGUAGE_HEADER = "X-Workbench-Lang"
"""The page names its language in this header; without it errors are in English."""

Localize = Callable[[dict[str, Any], str], dict[str, Any]]
"""From a value with English words and a language to the value in that language."""


def language_of(request: Request) -> str:
    return request.headers.get(LANGUAGE_HEADER, "en")


def add_error_handlers(app: FastAPI, localize_error: Localize) -> None:
    """Turns exceptions of routes into JSON; what nobody expected is logged whole and told without its inside."""

    @app.exception_handler(WorkbenchError)
    async def told(request: Request, error: WorkbenchError) -> JSONResponse:
        value = {"code": error.code, "message": error.message, "hint": error.hint, "details": error.details}
        return JSONResponse({"error": localize_error(value, language_of(request))}, status_code=error.status)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return error_response(
            422, "malformed", f"{where}: {first['msg']}", "Send the request in the form that docs/ describes."
        )

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return error_response(
            500, "internal", "Something went wrong in the server.", "The console has the whole error."
        )
