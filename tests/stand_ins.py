"""Servers of a few routes that stand in a thread for others, without the two waits of Python's own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SOON = 0.02


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler], **known: Any) -> Iterator[int]:
    """The port of a server whose requests `handler` answers; `known` are attributes of it.

    What follows an answer's head would wait up to 40 ms for the client to acknowledge that, and the end up to 0.5 s for
    the server to look whether it is meant to end.
    """
    quick = type(handler.__name__, (handler,), {"disable_nagle_algorithm": True, **known})
    with ThreadingHTTPServer(("127.0.0.1", 0), quick) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(SOON,), daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
