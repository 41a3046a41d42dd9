from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from fakes import SOON

from ocr_ui.services.pacing import paced


class Source:
    """Yields the items of a script; a float is a pause in seconds, an event is waited for, an exception is raised."""

    def __init__(self, *script: object) -> None:
        self.script, self.closed = script, False

    async def play(self):
        try:
            for step in self.script:
                if isinstance(step, float):
                    await asyncio.sleep(step)
                elif isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        finally:
            self.closed = True


async def test_nothing_is_lost_and_order_is_kept() -> None:
    source = Source(*range(500))
    batches = [batch async for batch in paced(source.play())]
    assert [item for batch in batches for item in batch] == list(range(500))
    assert len(batches) < 500
    assert source.closed


async def test_the_first_event_is_given_without_waiting() -> None:
    stream = paced(Source("a", 600.0, "b").play(), hz=0.01, beat=600)
    assert await asyncio.wait_for(anext(stream), SOON) == ["a"]
    await stream.aclose()


async def test_what_comes_after_silence_is_given_at_once() -> None:
    go_on, never = asyncio.Event(), asyncio.Event()
    stream = paced(Source(go_on, "a", never).play(), hz=1 / 600, beat=0.01)
    assert [await anext(stream) for _ in range(2)] == [[], []]
    go_on.set()
    found: list[str] = []
    async with asyncio.timeout(SOON):
        while not found:
            found = await anext(stream)
    assert found == ["a"]
    await stream.aclose()


async def test_silence_is_told_when_it_has_lasted_a_beat_however_few_batches_are_wanted() -> None:
    go_on = asyncio.Event()
    stream = paced(Source(go_on, "a").play(), hz=1 / 1200, beat=600)
    first = asyncio.ensure_future(anext(stream))
    for _ in range(5):
        await asyncio.sleep(0)
    go_on.set()
    assert await asyncio.wait_for(first, SOON) == ["a"]
    await stream.aclose()


async def test_silence_gives_beats() -> None:
    go_on, batches = asyncio.Event(), []
    async for batch in paced(Source(go_on, "x").play(), hz=100, beat=0.01):
        batches.append(batch)
        if batches.count([]) == 3:
            go_on.set()
    assert batches[-1] == ["x"]


async def test_an_error_comes_after_what_came_before_it() -> None:
    got = []

    async def collect() -> None:
        async for batch in paced(Source("a", "b", RuntimeError("broken")).play(), hz=1):
            got.extend(batch)

    with pytest.raises(RuntimeError, match="broken"):
        await collect()
    assert got == ["a", "b"]


async def test_closing_ends_a_source_that_waits() -> None:
    source = Source("a", 60.0)
    stream = paced(source.play(), hz=100, beat=0.01)
    await anext(stream)
    await anext(stream)
    await asyncio.wait_for(stream.aclose(), SOON)
    assert source.closed


async def test_events_cost_no_task_each() -> None:
    made = 0

    def counting(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **more: Any) -> asyncio.Task:
        nonlocal made
        made += 1
        return asyncio.Task(coroutine, loop=loop, **more)

    asyncio.get_running_loop().set_task_factory(counting)
    batches = [batch async for batch in paced(Source(*[step for n in range(300) for step in (n, 0.0)]).play())]
    assert [item for batch in batches for item in batch] == list(range(300))
    assert made == 1


async def test_the_source_goes_on_while_a_batch_is_looked_at() -> None:
    more = asyncio.Event()
    stream = paced(Source("a", more, "b", "c").play())
    assert await anext(stream) == ["a"]
    more.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert [batch async for batch in stream] == [["b", "c"]]
