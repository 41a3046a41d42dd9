"""Names each request, so that it can be found in the log, from the page to the engine."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator

from starlette.datastructures import Headers, MutableHeaders
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ocr_ui.logs import as_request, request_name

log = logging.getLogger(__name__)

HEADER = "X-Request-ID"
REQUEST = "workbench.request"
"""Key of an ASGI scope under which the page finds the request's id: its handlers run in tasks of Gradio's own."""
TOLD = ("/v1/", "/pictures/", "/login", "/logout")
"""Addresses whose requests are written down: what changes something, and what is refused."""
ELSEWHERE = "other"
"""Route of what no route takes, and of the page's own files."""
READING_METHODS = ("GET", "HEAD", "OPTIONS")


class Named:
    """Takes the id that a client or a proxy has given a request, or makes one, and answers with it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = scope[REQUEST] = request_name(Headers(scope=scope).get(HEADER, ""))
        begin, status = time.perf_counter(), 0

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = name
            await send(message)

        with as_request(name):
            try:
                await self.app(scope, receive, answered)
            finally:
                if scope["path"].startswith(TOLD) and (scope["method"] not in READING_METHODS or status >= 400):
                    _tell(scope, status, time.perf_counter() - begin)


def route_of(scope: Scope) -> str:
    """The address of the route, and not what was put into it: names that people chose stand there. Of a request that
    was refused on its way, the route that it was meant for."""
    route = scope.get("route") or _meant(scope)
    return getattr(route, "path_format", ELSEWHERE)


def _meant(scope: Scope) -> BaseRoute | None:
    asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope  # as `HeadAsGet` has it
    routes = scope["app"].routes if "app" in scope else ()
    # Mounts have no address of their own: what stands behind them is the page's.
    return next((one for one in _whole(routes) if isinstance(one, Route) and one.matches(asked)[0] is Match.FULL), None)


def _whole(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """All routes: from 0.137 on FastAPI keeps routers that were included as they are."""
    for route in routes:
        included = getattr(route, "original_router", None)
        yield from (route,) if included is None else _whole(included.routes)


def _tell(scope: Scope, status: int, seconds: float) -> None:
    fields = {"method": scope["method"], "route": route_of(scope), "status": status, "seconds": round(seconds, 3)}
    log.info("request", extra={"fields": fields})
