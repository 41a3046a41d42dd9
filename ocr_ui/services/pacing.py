"""A fast stream of events to a slow, steady stream of batches, as a page can take them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TypeVar

Event = TypeVar("Event")


async def paced(
    source: AsyncIterator[Event], hz: float = 20, beat: float = 0.5, waiting: list[Event] | None = None
) -> AsyncIterator[list[Event]]:
    """Batches of what has arrived: at most `hz` a second, and an empty one after each `beat` seconds of silence.

    The beat is where a closed tab is noticed: a web framework can only end a generator that yields.
    The source is closed when this generator is, at whatever point. An error of the source is raised
    after the batch of what came before it.

    Args:
        source: an async generator; consumed to its end, as fast as it gives events.
        hz: batches a second at most.
        beat: seconds of silence after which an empty batch is given.
        waiting: an empty list, which holds what has come and was not given yet: also after this was closed.
    """
    loop = asyncio.get_running_loop()
    waiting = [] if waiting is None else waiting
    arrived = asyncio.Event()

    async def take_all() -> None:
        # One task for all events: one for each is most of what a fast stream costs.
        try:
            async for event in source:
                waiting.append(event)
                arrived.set()
        finally:
            arrived.set()

    def taken() -> list[Event]:
        batch = waiting.copy()
        waiting.clear()
        return batch

    taking = asyncio.ensure_future(take_all())
    last = loop.time()
    told = last - 1 / hz  # of events: what comes after silence, such as a start, does not wait for the next beat
    try:
        while not taking.done():
            arrived.clear()
            if not waiting:
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, last + beat - loop.time())):
                        await arrived.wait()
            if waiting:
                await asyncio.wait({taking}, timeout=max(0.0, told + 1 / hz - loop.time()))
            if not taking.done() and (waiting or loop.time() >= last + beat):
                last = loop.time()
                told = last if waiting else told
                yield taken()
        if waiting:
            yield taken()
        taking.result()
    finally:
        taking.cancel()
        await asyncio.gather(taking, return_exceptions=True)
        await source.aclose()
