"""Errors as JSON, in one form: `{"error": {"code", "message", "hint", "details"}}`."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.api.requests import route_of
from ocr_ui.domain.access import NOBODY
from ocr_ui.errors import BadInput, EngineBusy, NotFound, ScannerAway, StoreFailed, TooMany, WorkbenchError, internal
from ocr_ui.logs import request_id
from ocr_ui.metrics import error_told
from ocr_ui.services.access import acting

log = logging.getLogger(__name__)

LANGUAGE_HEADER = "X-Workbench-Lang"
"""The page names its language in this header; without it errors are in English."""

Localize = Callable[[dict[str, Any], str], dict[str, Any]]
"""From a value with English words and a language to the value in that language."""


def language_of(request: Request) -> str:
    return request.headers.get(LANGUAGE_HEADER, "en")


BUSY_SECONDS = 5
"""After which a busy server may be asked again."""

PASSING = ("database_away", "pictures_away", "store_locked")
"""Failures of the store that pass by themselves."""


class ErrorWords(BaseModel):
    """`code` is stable, for programs; `message` says what is wrong and `hint` what to do, for people; the log knows the
    request by the id in `request`."""

    code: str
    message: str
    hint: str
    details: dict[str, Any] = {}
    request: str = ""


class ErrorBody(BaseModel):
    error: ErrorWords


RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ErrorBody, "description": "The request cannot be answered."},
    "5XX": {"model": ErrorBody, "description": "The server, an engine or the store failed, or is busy."},
}
"""What every route may answer besides its own."""


def error_body(error: WorkbenchError, localize_error: Localize, language: str) -> dict[str, Any]:
    # Folders and servers are named to people of the house, and not to whoever finds the port.
    is_for_us = not isinstance(error, StoreFailed) or acting().identity != NOBODY
    details = error.details if is_for_us else {}
    value = {"code": error.code, "message": error.message, "hint": error.hint, "details": details}
    return {"error": {**localize_error(value, language), "request": request_id()}}


def error_response(
    error: WorkbenchError, request: Request, localize_error: Localize, status: int | None = None
) -> Response:
    """The answer that tells an error, in the language of the request."""
    error_told("rest", error.code)
    body = error_body(error, localize_error, language_of(request))
    response = ExactJSONResponse(body, status_code=status or error.status)
    if isinstance(error, EngineBusy | ScannerAway | TooMany) or error.code in PASSING:
        response.headers["Retry-After"] = str(math.ceil(error.details.get("seconds", BUSY_SECONDS)))
    return response


def add_error_handlers(app: FastAPI, localize_error: Localize) -> None:
    """Turns what routes raise on purpose into JSON. `Unexpected` does so for the rest."""

    @app.exception_handler(WorkbenchError)
    async def told(request: Request, error: WorkbenchError) -> Response:
        if error.status >= 500:
            # A server that says in time that it is full, or not ready yet, works as it should.
            level = logging.WARNING if isinstance(error, EngineBusy) else logging.ERROR
            log.log(level, "%s %s: %s", request.method, route_of(request.scope), error)
        return error_response(error, request, localize_error)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return error_response(_malformed(f"{where}: {first['msg']}"), request, localize_error, 422)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        response = error_response(_of_http(error), request, localize_error, error.status_code)
        response.headers.update(error.headers or {})
        return response


_HINTS = {
    HTTPStatus.NOT_FOUND: "All addresses for programs are listed at /docs.",
    HTTPStatus.METHOD_NOT_ALLOWED: "Use a method that the Allow header names; /docs lists all.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "Name one of these in the Content-Type header, as docs/rest.md shows.",
}
_TOO_MANY = re.compile(r"Too many files\. Maximum number of files is (\d+)")
"""In Starlette's words, which has no other sign of it."""


def _malformed(reason: str) -> BadInput:
    return BadInput("malformed", f"{reason}.", "Send the request in the form that docs/ describes.", reason=reason)


def _of_http(error: HTTPException) -> WorkbenchError:
    """What Starlette and FastAPI raise themselves: no such route, no such method, a body that is not what it says."""
    if error.status_code == HTTPStatus.BAD_REQUEST and (many := _TOO_MANY.match(str(error.detail))):
        return BadInput(
            "too_many_in_form",
            f"One form takes at most {many[1]} files.",
            "Send them in several forms that join one batch: POST /v1/jobs with start=false, then /v1/jobs/N/files "
            "with some files each, then /v1/jobs/N/resume.",
            limit=int(many[1]),
        )
    if error.status_code == HTTPStatus.BAD_REQUEST:
        return _malformed(str(error.detail).rstrip("."))
    code = HTTPStatus(error.status_code).name.lower()
    return WorkbenchError(code, f"{str(error.detail).rstrip('.')}.", _HINTS.get(error.status_code, ""))


def no_such_route() -> NotFound:
    return NotFound("not_found", "Not Found.", _HINTS[HTTPStatus.NOT_FOUND])


class Unexpected:
    """Logs what nobody expected and tells it without its inside.

    A middleware, because handlers of `Exception` run outside of all middlewares: without the headers they add.
    """

    def __init__(self, app: ASGIApp, localize_error: Localize) -> None:
        self.app, self._localize = app, localize_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answered = False

        async def watched(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:
            log.info("%s %s: who asked went away", scope["method"], route_of(scope))  # nobody is left to be answered
        except Exception:
            if answered:
                raise
            log.exception("%s %s failed", scope["method"], route_of(scope))
            await error_response(internal(request_id()), Request(scope), self._localize)(scope, receive, send)
