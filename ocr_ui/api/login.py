"""Who asks: sessions, keys and proxies, for REST and the page alike; and the routes to log in and out."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable
from typing import Annotated
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ocr_ui.api.errors import Localize, error_body, error_response
from ocr_ui.api.guards import no_such_files
from ocr_ui.domain.access import NOBODY, Action, Identity
from ocr_ui.errors import NotAllowed, NotLoggedIn, TooMany, WorkbenchError
from ocr_ui.services.access import Acting, act_as, acting, not_logged_in, require
from ocr_ui.services.workbench import Workbench

COOKIE = "workbench_session"
ACCOUNT_COOKIE, ACCOUNT_HEADER = "workbench_account", "X-Workbench-Account"
"""The number of the account that a page was loaded by: its scripts keep drafts by it, and send it with requests."""
ACTING = "workbench.acting"
"""Key of an ASGI scope under which the page finds who acts: its handlers run in tasks of Gradio's own."""
PUBLIC = ("/login", "/logout", "/healthz", "/readyz", "/favicon.ico")
PUBLIC_FOLDERS = ("/static-ui/",)
FILES = ("/gradio_api/file=", "/gradio_api/file/", "/gradio_api/upload", "/gradio_api/stream/")
"""Gradio's own way with files, whose cache everybody who is logged in could read. The product does not use it."""

LoginPage = Callable[[str, str, str, bool], str]
"""From a language, an error's words, where to go then, and whether there is nobody who could log in yet."""


class Forwarded:
    """Takes from trusted proxies, and from nobody else, who the client is and whether it came by https."""

    def __init__(self, app: ASGIApp, trusted: str) -> None:
        self.app, self._trusted = app, networks(trusted)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._trusts(_peer(scope)):
            headers = Headers(scope=scope)
            scope = {**scope, "workbench.proxied": True}
            scheme = _last(headers, "x-forwarded-proto").lower()
            if scheme in ("http", "https"):
                scope["scheme"] = scheme
            client = _last(headers, "x-forwarded-for")
            if client:
                scope["client"] = (client[:100], 0)
        await self.app(scope, receive, send)

    def _trusts(self, address: str) -> bool:
        try:
            peer = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(peer in network for network in self._trusted)


def _last(headers: Headers, name: str) -> str:
    """The value that the nearest proxy has added: some write behind what came in, some a header of their own."""
    return ",".join(headers.getlist(name)).rpartition(",")[2].strip()


def networks(written: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Raises WorkbenchError (`bad_trusted_proxies`)."""
    try:
        return [ipaddress.ip_network(one.strip(), strict=False) for one in written.split(",") if one.strip()]
    except ValueError as error:
        raise WorkbenchError(
            "bad_trusted_proxies",
            f"Trusted proxies cannot be read: {error}.",
            "Write addresses or networks, separated by commas, into OCR_UI_TRUSTED_PROXIES.",
            reason=str(error),
        ) from error


def _peer(scope: Scope) -> str:
    return (scope.get("client") or ("", 0))[0]


class Known:
    """Finds out who asks, lets nobody further who has to log in first, and acts as them."""

    def __init__(self, app: ASGIApp, workbench: Workbench, localize_error: Localize) -> None:
        self.app, self._bench, self._localize = app, workbench, localize_error
        settings = workbench.settings
        self._by_proxy, self._header = settings.auth == "proxy", settings.proxy_header

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            identity = await self._identity(scope)
        except WorkbenchError as error:
            if not _is_public(scope["path"]):
                with act_as(Acting(NOBODY, _peer(scope))):
                    await self._refused(error, scope)(scope, receive, send)
                return
            identity = NOBODY  # what asks whether the process lives is answered also while the database is away
        now = Acting(identity, _peer(scope), self._record, self._bench.rates.take)
        scope[ACTING] = now  # not in a copy: those outside look for the route that this request takes
        with act_as(now):
            try:
                self._check(scope, identity)
            except WorkbenchError as error:
                await self._refused(error, scope)(scope, receive, send)
                return
            await self.app(scope, receive, self._telling_scripts(scope, identity, send))

    @staticmethod
    def _telling_scripts(scope: Scope, identity: Identity, send: Send) -> Send:
        """Gives a page that is loaded the number of the account, in a cookie that its scripts can read."""
        number = str(identity.account or "")
        request = Request(scope)
        known = request.cookies.get(ACCOUNT_COOKIE, "") == number
        if known or not number or scope["method"] != "GET" or "text/html" not in request.headers.get("accept", ""):
            return send

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                secure = "; Secure" if scope["scheme"] == "https" else ""
                cookie = f"{ACCOUNT_COOKIE}={number}; Path=/; SameSite=Lax{secure}"
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        return answered

    async def _identity(self, scope: Scope) -> Identity:
        headers, accounts = Headers(scope=scope), self._bench.accounts
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return await asyncio.to_thread(accounts.of_key, key.strip()) or NOBODY
        if self._by_proxy:
            # More than one: a proxy has added its own to what the client sent, and which is which nobody knows.
            names = headers.getlist(self._header) if scope.get("workbench.proxied") else []
            name = names[0].strip() if len(names) == 1 else ""
            return (await asyncio.to_thread(accounts.of_proxy, name) if name else None) or NOBODY
        secret = Request(scope).cookies.get(COOKIE, "")
        return (await asyncio.to_thread(accounts.of_session, secret) if secret else None) or NOBODY

    def _check(self, scope: Scope, identity: Identity) -> None:
        """Raises NotLoggedIn, NotAllowed."""
        path = scope["path"]
        if _is_public(path):
            return
        if not identity.logged_in:
            raise not_logged_in()
        if scope["method"] in ("GET", "HEAD") or "/gradio_api/" in path:
            require(Action.READ)
        if any(part in path for part in FILES):
            raise no_such_files()
        tab = parse_qs(scope["query_string"].decode("latin-1")).get("session_hash", [""])[0]
        tab = tab or path.partition("/gradio_api/heartbeat/")[2]
        loaded_by = Headers(scope=scope).get(ACCOUNT_HEADER, "")
        another = bool(loaded_by) and identity.via != "key" and loaded_by != str(identity.account)
        if another or (tab and not self._bench.page_sessions.is_own(tab, identity.account or 0)):
            raise NotAllowed("not_your_tab", "This tab is somebody else's.", "Load the page again.")

    def _refused(self, error: WorkbenchError, scope: Scope) -> Response:
        request = Request(scope)
        wants_page = "text/html" in request.headers.get("accept", "") and scope["method"] == "GET"
        if isinstance(error, NotLoggedIn) and wants_page and not self._by_proxy:
            query = scope["query_string"].decode("latin-1")
            wanted = scope["path"] + (f"?{query}" if query else "")
            return RedirectResponse(f"/login?next={quote(wanted, safe='')}", 303)
        response = error_response(error, request, self._localize)
        if isinstance(error, NotLoggedIn):
            response.headers["WWW-Authenticate"] = "Bearer"
        return response

    def _record(self, identity: Identity, address: str, action: str, target: str) -> None:
        self._bench.store.audit.add(identity.name, identity.via, address, action, target)


def _is_public(path: str) -> bool:
    return path in PUBLIC or path.startswith(PUBLIC_FOLDERS)


def login_routes(
    workbench: Workbench, page: LoginPage, language_of: Callable[[Request], str], localize_error: Localize
) -> APIRouter:
    """Args: language_of: the page's language, by the browser's cookie and header."""
    routes = APIRouter(include_in_schema=False)
    accounts = workbench.accounts

    @routes.get("/login")
    async def ask(request: Request, next: str = "/") -> Response:
        empty = await asyncio.to_thread(accounts.is_empty)
        return HTMLResponse(page(language_of(request), "", local(next), empty))

    @routes.post("/login")
    async def log_in(
        request: Request,
        name: Annotated[str, Form(max_length=200)],
        password: Annotated[str, Form(max_length=2_000)],
        next: Annotated[str, Form(max_length=2_000)] = "/",
    ) -> Response:
        try:
            secret, _ = await asyncio.to_thread(accounts.log_in, name, password, acting().address)
        except (NotLoggedIn, TooMany) as error:
            language = language_of(request)
            said = error_body(error, localize_error, language)["error"]
            words = f"{said['message']} {said['hint']}".strip()
            again = HTMLResponse(page(language, words, local(next), False), error.status)
            if isinstance(error, TooMany):
                again.headers["Retry-After"] = str(error.details["seconds"])
            return again
        response = RedirectResponse(local(next), 303)
        response.set_cookie(
            COOKIE,
            secret,
            max_age=round(workbench.settings.session_hours * 3600),
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    @routes.post("/logout")
    async def log_out(request: Request) -> Response:
        await asyncio.to_thread(accounts.log_out, request.cookies.get(COOKIE, ""))
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=request.url.scheme == "https")
        return response

    return routes


def local(address: str) -> str:
    """An address within this product, `/` for any other: a login must not send anybody elsewhere."""
    inside = address.startswith("/") and not address.startswith(("//", "/\\")) and "\\" not in address
    return address if inside and address.isprintable() else "/"
