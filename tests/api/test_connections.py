"""Connections on which nothing is asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from live import until

from ocr_ui.api import connections
from ocr_ui.api.connections import ClosingIdle

WAITING = 30.0
"""For what comes at once unless the machine stands still."""


@contextmanager
def serving(seen: list[bool]) -> Iterator[socket.socket]:
    """A connection to a server that notes, for each request, whether its connection would still be closed."""

    async def application(scope: dict, receive: object, send: object) -> None:
        seen.extend(made._waiting is not None for made in server.server_state.connections)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(application, port=0, http=ClosingIdle, lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        with socket.create_connection(server.servers[0].sockets[0].getsockname(), WAITING) as connection:
            yield connection
    finally:
        server.should_exit = True
        thread.join(WAITING)


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: somebo"])
def test_a_connection_without_a_request_is_closed(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.01)
    with serving([]) as connection:
        try:
            connection.sendall(begun)
            assert connection.recv(100) == b""
        except ConnectionError:
            pass  # closed before the beginning came


def test_a_request_that_is_there_is_left_alone_and_what_begins_after_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    with serving(seen) as connection:
        for _ in range(2):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"ok"):
                answer += connection.recv(1000)
        assert seen == [False, False]
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.01)
        connection.sendall(b"GET / HT")
        assert connection.recv(100) == b""
