"""Several streams as one: what each gives, in the order in which it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import TypeVar

Item = TypeVar("Item")


async def merged(sources: Sequence[AsyncGenerator[Item, None]]) -> AsyncIterator[tuple[int, Item]]:
    """Each item with the index of its source, until all have ended.

    An error of one source ends all of them and is raised. Closing this closes the sources, and waits until they are.
    """
    came: asyncio.Queue[tuple[int, Item] | None] = asyncio.Queue()

    async def follow(index: int, source: AsyncGenerator[Item, None]) -> None:
        async with aclosing(source) as items:
            async for item in items:
                came.put_nowait((index, item))

    async def all_of_them() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for index, source in enumerate(sources):
                    group.create_task(follow(index, source))
        except* Exception as errors:
            raise errors.exceptions[0] from None
        finally:
            came.put_nowait(None)

    following = asyncio.create_task(all_of_them())
    try:
        while (item := await came.get()) is not None:
            yield item
        await following
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
