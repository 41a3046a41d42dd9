"""What Prometheus asks for, and the counting of requests."""

from __future__ import annotations

import asyncio
import time

from fastapi import APIRouter, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ocr_ui.api.requests import ELSEWHERE, route_of
from ocr_ui.metrics import REQUEST_SECONDS, REQUESTS, exposition
from ocr_ui.services.workbench import Workbench

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
ANY_METHOD = "any"
"""Of what no route takes, and of methods that somebody made up: what anybody makes up must not become a row."""


def measure_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["health"])

    @routes.get("/metrics", responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}})
    async def metrics() -> Response:
        """Requests, readings and the seconds of their stages, engines, cards and batches, in Prometheus's text form."""
        text, media_type = exposition(await asyncio.to_thread(workbench.looker.seen))
        return Response(text, media_type=media_type)

    return routes


class Counted:
    """Counts answers and their seconds by the route that gave them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin, status = time.perf_counter(), 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            route = route_of(scope)
            method = scope["method"] if route != ELSEWHERE and scope["method"] in METHODS else ANY_METHOD
            REQUESTS.labels(method, route, str(status or "none")).inc()
            REQUEST_SECONDS.labels(method, route).observe(time.perf_counter() - begin)
