"""Errors as JSON, in one form: `{"error": {"code", "message", "hint", "details"}}`."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from ocr_ui.errors import WorkbenchError

log = logging.getLogger(__name__)


def error_response(status: int, code: str, message: str, hint: str = "", details: dict | None = None) -> JSONResponse:
    body = {"error": {"code": code, "message": message, "hint": hint, "details": details or {}}}
    return JSONResponse(body, status_code=status)


def add_error_handlers(app: FastAPI) -> None:
    """Turns exceptions of routes into JSON; what nobody expected is logged whole and told without its inside."""

    @app.exception_handler(WorkbenchError)
    async def told(request: Request, error: WorkbenchError) -> JSONResponse:
        return error_response(error.status, error.code, error.message, error.hint, error.details)

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
