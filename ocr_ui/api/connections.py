"""Connections that ask for nothing are closed: uvicorn itself waits for the head of a request for ever."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS = 75.0
"""Longest time that the head of a request may take to come, from its first byte, or from the connection, on; longer
than load balancers keep a connection that they have opened beforehand."""


class ClosingIdle(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """uvicorn's protocol that closes a connection on which no whole head of a request came in time.

    Each connection takes one of the files that a process may have open; between two requests uvicorn's own keep-alive
    time counts.
    """

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        if not self._idle:
            self._rest()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_SECONDS, self._close)

    def _rest(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _close(self) -> None:
        self._waiting = None
        if self._idle and self.transport.get_protocol() is self:
            self.timeout_keep_alive_handler()
