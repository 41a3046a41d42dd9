"""Requests on their way through an engine, and ending them while they wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


class Ended(Exception):
    """A run was ended while it waited."""


@dataclass(slots=True)
class Run:
    """One request.

    Attributes:
        id: of the request.
        asked: `time.monotonic()` when it came.
        last: the same for its last token, or for the start of the work on it.
        working: the engine works on it; before that it waits for its turn.
        begun: its first token has come.
        reason: why it was ended ("aborted", "timeout"); empty while it goes on.
    """

    id: str
    asked: float = field(default_factory=time.monotonic)
    last: float = 0.0
    working: bool = False
    begun: bool = False
    reason: str = ""
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.asked

    def work(self) -> None:
        self.working, self.last = True, time.monotonic()

    def token(self) -> None:
        self.begun, self.last = True, time.monotonic()

    def end(self, reason: str) -> None:
        self.reason = self.reason or reason
        self._ended.set()

    async def unless_ended(self, waiting: Awaitable[T], limit: float | None = None) -> T:
        """The result of `waiting`. `waiting` is given up as soon as the run is ended or `limit` seconds are over.

        Raises:
            Ended: the run was ended; also when the time was over, with "timeout" as the run's reason.
        """
        task = asyncio.ensure_future(waiting)
        ended = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait({task, ended}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self.end("timeout")
            if self.reason:
                raise Ended
            return task.result()
        finally:
            ended.cancel()
            task.cancel()

    @asynccontextmanager
    async def place(self, places: asyncio.Semaphore) -> AsyncIterator[None]:
        """One of a limited number of places, waited for and given back; raises Ended as `unless_ended` does."""
        taking = asyncio.ensure_future(places.acquire())
        try:
            await self.unless_ended(taking)
            yield
        finally:
            if taking.done() and not taking.cancelled():
                places.release()
