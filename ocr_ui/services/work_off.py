"""Many things to do, some of them at once, until nothing is left or somebody ends it."""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine
from typing import Any, TypeVar

One = TypeVar("One")

HALT_SECONDS = 0.5
"""Between two calls of `halt` while something still runs."""


async def work_off(
    take: Callable[[], Awaitable[One | None]],
    do: Callable[[One], Coroutine[Any, Any, None]],
    at_once: int | None,
    stop: asyncio.Event,
    halt: Callable[[], Awaitable[object]],
    wake: asyncio.Event | None = None,
) -> AsyncIterator[None]:
    """Does what `take` gives, at most `at_once` at the same time; yields whenever something has ended.

    Ends where `take` gives None and nothing runs. Once `stop` is set nothing more is begun, `halt` is called until
    all that runs has ended. Closing the generator cancels what runs. An error of `do` ends it and is raised.

    Args:
        at_once: None for as many as `take` gives.
        wake: asks `take` again although nothing has ended; cleared here.
    """
    running: set[asyncio.Task[None]] = set()
    signals = {event: asyncio.create_task(event.wait()) for event in (stop, wake) if event is not None}
    try:
        while not stop.is_set():
            while not _are_all(running, at_once) and not stop.is_set() and (one := await take()) is not None:
                running.add(asyncio.create_task(do(one)))
            if not running:
                return
            ended, _ = await asyncio.wait({*running, *signals.values()}, return_when=asyncio.FIRST_COMPLETED)
            if wake is not None and wake.is_set():
                wake.clear()
                signals[wake] = asyncio.create_task(wake.wait())
            ended &= running
            running -= ended
            for task in ended:
                task.result()
            if ended:
                yield
        left = set(running)
        while left:
            # Again and again: what had only just been begun was perhaps not there yet to be halted.
            await halt()
            _, left = await asyncio.wait(left, timeout=HALT_SECONDS)
        await asyncio.gather(*running, return_exceptions=True)
    finally:
        for task in (*signals.values(), *running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _are_all(running: Collection[object], at_once: int | None) -> bool:
    return at_once is not None and len(running) >= at_once


def holder_name() -> str:
    """A name for this process under which it claims work, unlike that of any other."""
    return f"{socket.gethostname()[:40]}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


async def first_of(*waiting: Awaitable[object], seconds: float | None = None) -> None:
    """Waits for the first of several, at most so many seconds; the others are given up."""
    tasks = [asyncio.ensure_future(one) for one in waiting]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
