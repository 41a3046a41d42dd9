"""Starts the product: settings, engines, store, services, REST and the page, all in one process on one port."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from types import FrameType
from typing import Any

# Before Gradio and the hub's client are imported: nothing on this machine calls anybody unasked.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("DO_NOT_TRACK", "1")

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import ValidationError

from ocr_ui import logs
from ocr_ui.api.accounts import account_routes
from ocr_ui.api.calibrations import calibration_routes
from ocr_ui.api.chat import chat_routes
from ocr_ui.api.comparisons import comparison_routes
from ocr_ui.api.connections import ClosingIdle
from ocr_ui.api.contests import contest_routes
from ocr_ui.api.corrections import correction_routes
from ocr_ui.api.docs import add_docs
from ocr_ui.api.drafts import draft_routes
from ocr_ui.api.drift import drift_routes
from ocr_ui.api.editing import editing_routes
from ocr_ui.api.errors import RESPONSES, Unexpected, add_error_handlers
from ocr_ui.api.experiments import experiment_routes
from ocr_ui.api.exports import export_routes
from ocr_ui.api.guards import (
    Admitted,
    BodyLimit,
    HeadAsGet,
    KnownHost,
    NoFetching,
    SameOrigin,
    SecurityHeaders,
    is_loopback,
)
from ocr_ui.api.health import health_routes
from ocr_ui.api.items import item_routes
from ocr_ui.api.jobs import job_routes
from ocr_ui.api.login import ACTING, Forwarded, Known, login_routes, networks
from ocr_ui.api.measures import Counted, measure_routes
from ocr_ui.api.monitor import monitor_routes
from ocr_ui.api.ocr import ocr_routes
from ocr_ui.api.pictures import picture_routes
from ocr_ui.api.pushes import push_routes
from ocr_ui.api.queue import queue_routes
from ocr_ui.api.requests import REQUEST, Named
from ocr_ui.api.rewards import reward_routes
from ocr_ui.api.rollouts import rollout_routes
from ocr_ui.api.second_reviews import second_review_routes
from ocr_ui.api.talk import talk_routes
from ocr_ui.api.templates import template_routes
from ocr_ui.api.tries import try_routes
from ocr_ui.api.versions import version_routes
from ocr_ui.domain.version import VERSION
from ocr_ui.errors import WorkbenchError
from ocr_ui.images import door
from ocr_ui.services.engines import Engines
from ocr_ui.services.tls import check_tls
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings, odd_settings, read_settings
from ocr_ui.ui.app import ICON, STATIC, mount
from ocr_ui.ui.login_page import login_page
from ocr_ui.ui.messages import localize, localize_error, localize_reasons
from ocr_ui.ui.module_html import STATIC_URL
from ocr_ui.ui.monitor_words import localize_finding
from ocr_ui.ui.plotly_script import PLOTLY, PLOTLY_URL
from ocr_ui.ui.reward_messages import localize_rewards, localize_rollout
from ocr_ui.ui.texts import choose_language

log = logging.getLogger("ocr_ui")

JOBS = "/v1/jobs"
"""Routes below take whole archives."""

FORM_OVERHEAD = 100_000
"""Bytes that a form around a file may take."""
BASE64_PATHS = ("/v1/ocr", "/v1/chat/completions")
"""Where a file may come in base64, which takes four bytes for three."""

KEEP_ALIVE_SECONDS = 75
"""Longer than clients and load balancers keep an idle connection (5 to 60 s): who is first to close one must not be the
server, or a request that is on its way meanwhile is lost."""

GRACE_SECONDS = 3
"""Open pages keep a connection; so long they may end their work once the server is told to end."""


def create_app(settings: Settings, engines: Engines | None = None) -> FastAPI:
    """The whole server. `engines` replaces those that the settings name (for tests)."""
    workbench = Workbench.open(settings, engines)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        door.warm_up()
        workbench.engines.start()
        workbench.retention.start()
        workbench.runner.start()
        workbench.contest_runner.start()
        workbench.catch_up.start()
        await workbench.drift.configured()
        yield
        await workbench.close()
        door.close()

    app = FastAPI(
        title="OCR Workbench", version=VERSION, lifespan=lifespan, docs_url=None, redoc_url=None, responses=RESPONSES
    )
    app.state.workbench = workbench
    add_docs(app)
    app.include_router(measure_routes(workbench))
    app.include_router(ocr_routes(workbench, localize, localize_error))
    app.include_router(chat_routes(workbench, localize_error))
    add_error_handlers(app, localize_error)
    app.include_router(health_routes(workbench, localize_error))
    for routes in (
        comparison_routes,
        correction_routes,
        draft_routes,
        drift_routes,
        experiment_routes,
        queue_routes,
        talk_routes,
        version_routes,
    ):
        app.include_router(routes(workbench))
    for localized_routes in (picture_routes, item_routes, second_review_routes):
        app.include_router(localized_routes(workbench, localize))
    app.include_router(editing_routes(workbench, localize_error))
    app.include_router(template_routes(workbench, localize_error))
    app.include_router(job_routes(workbench, localize_error))
    app.include_router(contest_routes(workbench, localize_error))
    app.include_router(export_routes(workbench, localize_reasons))
    app.include_router(push_routes(workbench, localize_error))
    app.include_router(reward_routes(workbench, localize_rewards))
    app.include_router(rollout_routes(workbench, localize_rollout))
    app.include_router(try_routes(workbench, localize, localize_error))
    app.include_router(calibration_routes(workbench, localize_error))
    app.include_router(account_routes(workbench))
    app.include_router(monitor_routes(workbench, localize_finding))
    app.include_router(login_routes(workbench, login_page, page_language, localize_error))
    app.mount(STATIC_URL, FreshFiles(directory=STATIC), name="static-ui")

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> FileResponse:
        return FileResponse(ICON, media_type="image/svg+xml")

    @app.get(PLOTLY_URL, include_in_schema=False)
    async def plotly() -> FileResponse:
        return FileResponse(str(PLOTLY), media_type="text/javascript", headers={"Cache-Control": "max-age=31536000"})

    @app.get("/", include_in_schema=False)
    async def front(request: Request) -> RedirectResponse:
        language = page_language(request)
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{language}/{query}")

    # The last one added is the outermost: its headers stand on every answer, refusals and failures included.
    app.add_middleware(HeadAsGet)
    app.add_middleware(Admitted, admission=workbench.admission, localize_error=localize_error)
    app.add_middleware(
        BodyLimit,
        limit=settings.max_upload_bytes + FORM_OVERHEAD,
        told=settings.max_upload_bytes,
        larger={
            JOBS: max(0, settings.batch_bytes - settings.max_upload_bytes),
            **dict.fromkeys(BASE64_PATHS, settings.max_upload_bytes // 3 + 4),
        },
        localize_error=localize_error,
    )
    logins = settings.auth != "none"
    if logins:
        app.add_middleware(Known, workbench=workbench, localize_error=localize_error)
    app.add_middleware(NoFetching, localize_error=localize_error)
    app.add_middleware(SameOrigin, localize_error=localize_error)
    if is_loopback(settings.host):
        names = [name.strip() for name in settings.allowed_hosts.split(",") if name.strip()]
        app.add_middleware(KnownHost, names=names, localize_error=localize_error)
    app.add_middleware(Unexpected, localize_error=localize_error)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(Counted)
    app.add_middleware(Named)
    app.add_middleware(Forwarded, trusted=settings.trusted_proxies)
    return mount(app, workbench, ACTING if logins else "", REQUEST)


def page_language(request: Request) -> str:
    """Asked for in the address, chosen before, or the browser's."""
    asked = request.query_params.get("language") or request.cookies.get("workbench_language")
    return choose_language(request.headers.get("accept-language", ""), asked)


class FreshFiles(StaticFiles):
    """Static files that a browser asks after each time (answered with 304), so that an update is seen at once."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


def main() -> int:
    try:
        settings = read_settings()
        set_up_logs(settings)
        for odd in odd_settings(settings):
            log.warning("%s %s", *odd)
        check_tls(settings)
        check_access(settings)
        with closing(bind(settings)) as listener:
            return serve(create_app(settings), settings, listener)
    except ValidationError as error:
        return complain("\n".join(f"OCR_UI_{e['loc'][0]}".upper() + f": {e['msg']}" for e in error.errors()))
    except WorkbenchError as error:
        return complain(told(error))


def set_up_logs(settings: Settings) -> None:
    """Raises WorkbenchError (`log_file_unusable`)."""
    try:
        logs.set_up(
            settings.log_format,
            settings.secrets(),
            settings.log_file,
            most_bytes=settings.log_file_bytes,
            files=settings.log_files,
            days=settings.log_days,
        )
    except OSError as error:
        raise WorkbenchError(
            "log_file_unusable",
            f"The log file {settings.log_file} cannot be written: {error.strerror}.",
            "Correct OCR_UI_LOG_FILE.",
            file=str(settings.log_file),
            reason=str(error.strerror),
        ) from error


def told(error: WorkbenchError) -> str:
    """An error for the console, in Chinese where the terminal's language is."""
    terminal = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return localize_error(error_value(error), "zh")["message"] if terminal.startswith("zh") else str(error)


def serve(app: FastAPI, settings: Settings, listener: socket.socket) -> int:
    """Serves until it is told to end. Gives the exit code; uvicorn itself exits where the start fails."""
    tls = {"ssl_certfile": settings.tls_cert, "ssl_keyfile": settings.tls_key} if settings.tls_cert else {}
    # Who the client is, behind a proxy, is found out by `Forwarded`: uvicorn's own way hides the proxy's address.
    plain = {
        "log_level": "warning",
        "log_config": None,
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "timeout_keep_alive": KEEP_ALIVE_SECONDS,
        "proxy_headers": False,
        "http": ClosingIdle,
    }
    config = uvicorn.Config(app, **plain, **tls)
    shown = address(settings.host, listener.getsockname()[1], "https" if tls else "http")
    server = TalkingServer(config, shown, app.state.workbench.drained if hasattr(app.state, "workbench") else None)
    with suppress(KeyboardInterrupt):  # uvicorn has ended in order, and then raises the signal once more
        server.run(sockets=[listener])
    return 0


class TalkingServer(uvicorn.Server):
    """Prints the address once it answers there, and lets what is being read come to its end when it is told to stop.

    Args:
        drained: waited for after SIGTERM, while new requests are answered still (`/readyz` with 503); a second signal,
            or Ctrl+C, ends at once.
    """

    def __init__(
        self, config: uvicorn.Config, address: str, drained: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        super().__init__(config)
        self._address, self._drained = address, drained
        self._draining: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._loop = asyncio.get_running_loop()
            sys.stdout.write(f"OCR Workbench: {self._address}\n")
            sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig != signal.SIGTERM or self._drained is None or self._draining is not None or not self.started:
            super().handle_exit(sig, frame)
            return
        # uvicorn closes its port as soon as it is told to end: nobody could ask /readyz any more.
        self._loop.call_soon_threadsafe(self._drain, sig)

    def _drain(self, sig: int) -> None:
        async def then_end() -> None:
            await self._drained()
            super(TalkingServer, self).handle_exit(sig, None)

        self._draining = asyncio.ensure_future(then_end())


def address(host: str, port: int, scheme: str = "http") -> str:
    """What to type into a browser on this machine."""
    if host in ("127.0.0.1", "0.0.0.0", "::"):  # noqa: S104
        return f"{scheme}://localhost:{port}"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def bind(settings: Settings) -> socket.socket:
    """The port, taken before anything is loaded, so that nobody waits only to hear that it is in use.

    Raises:
        WorkbenchError: `port_in_use` (details: port), `cannot_listen` (details: host, port, reason).
    """
    listener = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except (OSError, UnicodeError) as error:
        listener.close()
        reason = str(getattr(error, "strerror", None) or error)
        says = f"Cannot listen on {settings.host}:{settings.port}: {reason}."
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            hint = "Stop the other program, or choose another port with OCR_UI_PORT."
            raise WorkbenchError("port_in_use", says, hint, port=settings.port) from error
        where = {"host": settings.host, "port": settings.port, "reason": reason}
        raise WorkbenchError("cannot_listen", says, "Correct OCR_UI_HOST or OCR_UI_PORT.", **where) from error
    return listener


def check_access(settings: Settings) -> None:
    """Raises WorkbenchError (`no_login_elsewhere`) where everybody on the network could come in."""
    networks(settings.trusted_proxies)
    if settings.auth == "none" and not is_loopback(settings.host) and not settings.allow_no_login:
        raise WorkbenchError(
            "no_login_elsewhere",
            f"On {settings.host} everybody who reaches this machine could come in: there is no login.",
            "Set OCR_UI_AUTH=password (docs/access.md), or OCR_UI_ALLOW_NO_LOGIN=1 where you trust all of them.",
            host=settings.host,
        )


def complain(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
