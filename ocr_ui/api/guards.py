"""ASGI guards around the whole server: size of requests, their host and origin, headers, no fetching of addresses."""

from __future__ import annotations

import asyncio
import ipaddress
import re
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ocr_ui.api.errors import Localize, error_response, no_such_route
from ocr_ui.domain.amounts import bytes_text
from ocr_ui.errors import BadInput, EngineBusy, NotAllowed, TooLarge, TooSlow, WorkbenchError
from ocr_ui.services.admission import Admission

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        # Gradio compiles its templates in the page: without 'unsafe-eval' nothing is drawn.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "frame-ancestors 'self'",
        "form-action 'self'",
    )
)
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
UPLOAD_PATH = "/gradio_api/upload"
PAGE_POSTS, PAGE_CALLS = ("queue/join", "cancel", "reset"), "run/"
"""What the page sends to Gradio, behind `/gradio_api/`; other ways keep files (`process_recording`) or edit code."""
UNUSED = ("deep_link", "vibe", "runs", "run-history", "dev/")
FIGURES = re.compile(r"(/[a-z]{2})?(/gradio_api)?/monitoring(/|$)")
"""What Gradio answers besides: what stands in a tab written to its folder of files, figures of what was used."""
FETCHING_PATHS = ("/gradio_api/file=http", "/gradio_api/file/http", "/gradio_api/proxy=")


SILENT_SECONDS = 60.0
"""Longest silence within a body: a client that is gone without a word must not keep its place for ever."""

PICTURE_PATHS = frozenset({"/v1/ocr", "/v1/pictures", "/v1/chat/completions"})


class Admitted:
    """Lets requests with pictures in as `Admission` says, before their bodies are read."""

    def __init__(self, app: ASGIApp, admission: Admission, localize_error: Localize) -> None:
        self.app, self._admission, self._localize = app, admission, localize_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in PICTURE_PATHS:
            await self.app(scope, receive, send)
            return
        try:
            with self._admission.inside():
                await self.app(scope, receive, send)
        except EngineBusy as error:  # no route lets one through: this is the admission's
            await error_response(error, Request(scope), self._localize)(scope, receive, send)


class BodyLimit:
    """Refuses bodies over `limit` bytes, by their declared length and by what really comes, and those that stop coming.

    Args:
        limit: of a body, in bytes.
        told: the limit that the refusal names, of the file in the body.
        larger: what more a body may have on routes that begin so, in bytes.
        silence: seconds after which a body that does not go on is given up.
    """

    def __init__(
        self,
        app: ASGIApp,
        limit: int,
        told: int,
        localize_error: Localize,
        larger: Mapping[str, int] | None = None,
        silence: float = SILENT_SECONDS,
    ) -> None:
        self.app, self._limit, self._told, self._localize = app, limit, told, localize_error
        self._larger, self._silence = larger or {}, silence

    def _more(self, path: str) -> int:
        return next((more for start, more in self._larger.items() if path.startswith(start)), 0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        limit = self._limit + self._more(scope["path"])
        if declared.isdecimal() and int(declared) > limit:
            await self._refuse(self._too_large(scope), scope, receive, send)
            return
        await self._count(scope, receive, send, limit)

    async def _count(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        seen, whole, answered = 0, False, False
        refused: WorkbenchError | None = None

        async def counted() -> Message:
            nonlocal seen, whole, refused
            try:
                async with asyncio.timeout(None if whole else self._silence):
                    message = await receive()
            except TimeoutError:
                refused = _stopped(self._silence)
                raise
            seen += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if seen > limit:
                refused = self._too_large(scope)
                raise _BodyTooLarge
            return message

        async def watched(message: Message) -> None:
            nonlocal answered
            # Frameworks take the exception for a malformed body and answer that: not what happened.
            if refused and not answered:
                return
            answered = True
            await send(message)

        try:
            await self.app(scope, counted, watched)
        except Exception:
            if not refused or answered:
                raise
        if refused and not answered:
            await self._refuse(refused, scope, receive, send)

    def _too_large(self, scope: Scope) -> TooLarge:
        told = self._told + self._more(scope["path"])
        return TooLarge(
            "too_many_bytes",
            f"The file is too large: at most {bytes_text(told)} are taken.",
            "Save it smaller, for example as a JPEG.",
            limit=told,
        )

    async def _refuse(self, error: WorkbenchError, scope: Scope, receive: Receive, send: Send) -> None:
        response = error_response(error, Request(scope), self._localize)
        if isinstance(error, TooSlow):
            response.headers["Connection"] = "close"  # what may still come belongs to no request
        await response(scope, receive, send)


def _stopped(seconds: float) -> TooSlow:
    return TooSlow(
        "body_stopped",
        f"The request did not go on for {seconds:g} seconds.",
        "Send it again, over a connection that holds.",
        seconds=seconds,
    )


class _BodyTooLarge(Exception):
    pass


class SameOrigin:
    """Refuses changes that a page of another origin asks for (cross-site request forgery)."""

    def __init__(self, app: ASGIApp, localize_error: Localize) -> None:
        self.app, self._localize = app, localize_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS and not self._own(Headers(scope=scope)):
            error = BadInput("foreign_origin", "This request comes from another site.", "Open the product's own page.")
            await error_response(error, Request(scope), self._localize, 403)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    @staticmethod
    def _own(headers: Headers) -> bool:
        origin = headers.get("origin")
        return origin is None or origin.partition("://")[2].lower() == headers.get("host", "").lower()


class KnownHost:
    """Refuses requests that call a server of this machine alone by a foreign name.

    Without it, a site whose name is made to lead to 127.0.0.1 (DNS rebinding) is the same origin as this server, for
    the browser of a person who has opened that site.

    Args:
        names: that are allowed besides `localhost` and the addresses of this machine itself; `*` allows any.
    """

    def __init__(self, app: ASGIApp, names: list[str], localize_error: Localize) -> None:
        self.app, self._localize = app, localize_error
        self._names = {"localhost", *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            name = host_name(Headers(scope=scope).get("host", ""))
            if name and not self._known(name):
                error = BadInput(
                    "foreign_host",
                    f"This server is not called {name}.",
                    "Open it as http://localhost with its port, or name that host in OCR_UI_ALLOWED_HOSTS.",
                    host=name,
                )
                await error_response(error, Request(scope), self._localize, 421)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _known(self, name: str) -> bool:
        return "*" in self._names or name in self._names or is_loopback(name)


def host_name(host: str) -> str:
    """The name or address in a Host header, without port, brackets and the last dot."""
    name = host.strip().lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    return name.removesuffix(".")


def is_loopback(host: str) -> bool:
    """Does only this machine itself get there?"""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class HeadAsGet:
    """Answers HEAD wherever GET is answered: probes and link checkers ask so. The server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        asked = {**scope, "method": "GET"}
        try:
            await self.app(asked, receive, send)
        finally:
            scope["route"] = asked.get("route")  # those outside look for it


class NoFetching:
    """Refuses the routes by which Gradio would fetch an address that a visitor names, keep a file that nobody has
    looked at, or do anything else that the page does not ask for: roles, limits and the virus scan know none of it."""

    def __init__(self, app: ASGIApp, localize_error: Localize) -> None:
        self.app, self._localize = app, localize_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and any(path in scope["path"].lower() for path in FETCHING_PATHS):
            error = BadInput("no_fetching", "This server fetches no addresses.", "Upload the file itself.")
            await error_response(error, Request(scope), self._localize, 403)(scope, receive, send)
            return
        if scope["type"] == "http" and UPLOAD_PATH in scope["path"].lower():
            await error_response(no_such_files(), Request(scope), self._localize)(scope, receive, send)
            return
        if scope["type"] == "http" and _is_unused(scope):
            await error_response(no_such_route(), Request(scope), self._localize)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _is_unused(scope: Scope) -> bool:
    """A route of Gradio that its own page, as this product builds it, never asks for."""
    path = scope["path"].lower()
    part = path.partition("/gradio_api/")[2].strip("/")
    if part and scope["method"] not in SAFE_METHODS:
        return not (part in PAGE_POSTS or part.startswith(PAGE_CALLS))
    return part.startswith(UNUSED) or FIGURES.match(path) is not None


def no_such_files() -> NotAllowed:
    return NotAllowed("no_such_files", "Files are neither taken nor handed out here.", "Use the product's own pages.")


class SecurityHeaders:
    """Adds the headers that keep a browser from running or loading anything from elsewhere."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                # Gradio mirrors any origin; without these headers a browser keeps other sites out.
                for name in ("access-control-allow-origin", "access-control-allow-credentials"):
                    if name in headers:
                        del headers[name]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
