"""A fast stream of events to a slow, steady stream of batches, as a page can take them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

Event = TypeVar("Event")

_END = object()


async def paced(source: AsyncIterator[Event], hz: float = 20, beat: float = 0.5) -> AsyncIterator[list[Event]]:
    """Batches of what has arrived: at most `hz` a second, and an empty one after each `beat` seconds of silence.

    The beat is where a closed tab is noticed: a web framework can only end a generator that yields.
    The source is closed when this generator is, at whatever point. An error of the source is raised
    after the batch of what came before it.

    Args:
        source: an async generator; consumed to its end.
        hz: batches a second at most.
        beat: seconds of silence after which an empty batch is given.
    """
    loop = asyncio.get_running_loop()
    batch: list[Event] = []
    last = loop.time() - 1 / hz
    pending: asyncio.Task = asyncio.ensure_future(anext(source, _END))
    try:
        while True:
            due = last + (1 / hz if batch else beat)
            await asyncio.wait({pending}, timeout=max(0.0, due - loop.time()))
            if pending.done():
                if pending.exception() is not None:
                    break
                if pending.result() is _END:
                    break
                batch.append(pending.result())
                pending = asyncio.ensure_future(anext(source, _END))
            if loop.time() >= last + (1 / hz if batch else beat):
                last = loop.time()
                yield batch
                batch = []
        if batch:
            yield batch
        pending.result()
    finally:
        pending.cancel()
        await asyncio.gather(pending, return_exceptions=True)
        await source.aclose()
