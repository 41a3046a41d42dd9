"""How many requests with a picture are let in, how long they may take, and the end of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ocr_ui.domain.counted import counted
from ocr_ui.errors import EngineBusy, TooLate
from ocr_ui.metrics import REFUSED, REQUESTS_AT_WORK

LOOK_SECONDS = 0.1


class Admission:
    """Refuses early what there is no room for: each request holds a picture in memory until it is done.

    Args:
        most: requests at once.
    """

    def __init__(self, most: int) -> None:
        self._most, self._inside = most, 0
        self.stopping = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        """A request is in for the `with` block.

        Raises:
            EngineBusy: `too_many_requests`, or `server_stopping`.
        """
        self._check()
        self._inside += 1
        REQUESTS_AT_WORK.inc()
        try:
            yield
        finally:
            self._inside -= 1
            REQUESTS_AT_WORK.dec()

    def _check(self) -> None:
        if self.stopping:
            raise EngineBusy("server_stopping", "The server is being stopped.", "Try again in a moment.")
        if self._inside >= self._most:
            REFUSED.inc()
            raise EngineBusy(
                "too_many_requests",
                f"{counted(self._most, 'request with a picture is', 'requests with pictures are')} worked on already.",
                "Try again in a moment.",
                most=self._most,
            )

    async def drained(self, seconds: float, others: Callable[[], int]) -> None:
        """Lets nobody in any more, and waits until all are done, at most so many seconds.

        Args:
            others: how many other readings are under way.
        """
        self.stopping = True
        end = asyncio.get_running_loop().time() + seconds
        while (self._inside or others()) and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110 - two counters of others
            await asyncio.sleep(LOOK_SECONDS)


def too_late(seconds: float) -> TooLate:
    return TooLate(
        "request_timeout",
        f"The picture was not read in {seconds:g} seconds.",
        "Try a smaller picture; for many pages start a batch.",
        seconds=seconds,
    )


def nothing_came(engine: str, seconds: float) -> TooLate:
    """An engine's request that ended in silence, with not a character of an answer."""
    return TooLate(
        "nothing_came",
        f"The engine {engine} did not answer within {seconds:.0f} seconds; nothing was read.",
        "Try again; if it happens again, try a smaller picture or another engine.",
        engine=engine,
        seconds=round(seconds),
    )
