"""The server on a port of its own, in a thread: for what a client in the same thread cannot show."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import uvicorn
from fastapi import FastAPI
from stored import begin_store

import app
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

START_SECONDS = 60


def rest_app(settings: Settings, engines: Engines) -> FastAPI:
    """The whole server but for the page, which takes seconds to build."""
    begin_store(settings)
    with patch.object(app, "mount", lambda made, *_: made):
        return app.create_app(settings, engines)


@contextmanager
def live(app: FastAPI) -> Iterator[str]:
    """The address of the running app."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, START_SECONDS)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)


def until(true, seconds: float = 60) -> None:
    """Waits until `true()`; fails where it does not become so, however busy the machine is."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "did not come true"
        time.sleep(0.01)
