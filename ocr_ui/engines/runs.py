"""Requests on their way through an engine, and ending them while they wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished

T = TypeVar("T")


class Ended(Exception):
    """A run was ended while it waited."""


class Places:
    """A limited number of places. Who wants several gets them before anybody who comes later gets one."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._free = asyncio.Semaphore(number)
        self._turn = asyncio.Lock()

    async def take(self, count: int, held: list[None]) -> None:
        """Waits for `count` places, or for all where there are fewer, and puts one entry into `held` for each."""
        async with self._turn:
            while len(held) < min(count, self._number):
                await self._free.acquire()
                held.append(None)

    def give_back(self, held: list[None]) -> None:
        while held:
            held.pop()
            self._free.release()


@dataclass(slots=True)
class Said:
    """One answer, as far as it has come.

    Attributes:
        texts, characters: its parts, and their length together.
        tokens: how many they stand for.
        finish: why it ended by itself; empty while it goes on.
        told: its last event was given.
    """

    texts: list[str] = field(default_factory=list)
    characters: int = 0
    tokens: int = 0
    finish: str = ""
    told: bool = False

    def add(self, text: str, tokens: int) -> None:
        self.texts.append(text)
        self.characters += len(text)
        self.tokens += tokens

    def end(self, reason: str, seconds: float) -> Finished:
        """Its last event."""
        self.told = True
        return Finished(Generation("".join(self.texts), reason, self.tokens, seconds))


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
        self.working, self.begun, self.last = True, False, time.monotonic()

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
    async def place(self, places: Places, count: int = 1) -> AsyncIterator[None]:
        """Some of a limited number of places, waited for and given back; raises Ended as `unless_ended` does."""
        held: list[None] = []
        taking = asyncio.ensure_future(places.take(count, held))
        try:
            await self.unless_ended(taking)
            yield
        finally:
            taking.cancel()
            places.give_back(held)
