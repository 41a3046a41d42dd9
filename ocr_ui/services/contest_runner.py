"""Reads contests in the background, one at a time, beside whatever other process does so on the same store."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import aclosing

from ocr_ui.errors import EngineBusy, EngineFailed, StoreFailed, WorkbenchError
from ocr_ui.services.contests import Contests, ask_of
from ocr_ui.services.evaluate import Evaluator, Step
from ocr_ui.services.job_runner import LEASE_SECONDS
from ocr_ui.services.outage import LOOK_SECONDS, Outage
from ocr_ui.services.rollout_batch import BUSY_SECONDS
from ocr_ui.services.view import error_value
from ocr_ui.services.work_off import first_of, holder_name
from ocr_ui.settings import Settings
from ocr_ui.storage.contests import Far
from ocr_ui.storage.records import StoredContest
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

RECENT = 30
"""Pages that the speed is worked out of."""
TOLD_SECONDS = 0.25
"""How far a contest is, is written no more often than this."""


class ContestRunner:
    """Claims contests and reads them.

    A claim that is not renewed for `lease` seconds is anybody's: after kill -9 the next process goes on, and what was
    read is kept.
    """

    def __init__(
        self,
        store: Store,
        contests: Contests,
        evaluator: Evaluator,
        settings: Settings,
        lease: float = LEASE_SECONDS,
    ) -> None:
        self._store, self._contests, self._evaluator = store, contests, evaluator
        self._settings, self._lease = settings, lease
        self.holder = holder_name()
        self._stop = asyncio.Event()
        self._outage = Outage("contests", log)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._settings.batch_at_once != 0 and self._task is None:
            self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Ends what runs; it waits for the next process."""
        self._stop.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        changed = self._contests.listen()
        while not self._stop.is_set():
            wait = LOOK_SECONDS
            try:
                found = await asyncio.to_thread(self._store.contests.take, self.holder, self._lease)
                if found is not None:
                    wait = await self._watched(found, changed)
                if found is None or not wait:
                    self._outage.over()
            except StoreFailed as error:
                self._outage.tell(error)
                wait = self._outage.pause()
            except Exception:
                log.exception("contests: a fault of the product")
                wait = BUSY_SECONDS
            if wait:
                await first_of(self._stop.wait(), changed.wait(), seconds=wait)
            changed.clear()

    async def _watched(self, found: StoredContest, changed: asyncio.Event) -> float:
        """Reads a contest as long as the claim on it holds; gives the seconds to wait before the next."""
        course = Course()
        reading = asyncio.create_task(self._read(found, course))
        try:
            while not (reading.done() or self._stop.is_set()):
                ends = _ended(reading), self._stop.wait(), changed.wait()
                await first_of(*ends, course.moved.wait(), seconds=self._lease / 3)
                changed.clear()
                course.moved.clear()
                claim = self.holder, self._lease, found.id, course.far
                if not await asyncio.to_thread(self._store.contests.renew, *claim):
                    break
                await first_of(_ended(reading), self._stop.wait(), changed.wait(), seconds=TOLD_SECONDS)
            reading.cancel()
            (outcome,) = await asyncio.gather(reading, return_exceptions=True)
        finally:
            reading.cancel()
        if isinstance(outcome, asyncio.CancelledError | None):
            await asyncio.to_thread(self._store.contests.give_back, self.holder, found.id)
            return 0
        return await self._failed(found, outcome)

    async def _failed(self, found: StoredContest, error: BaseException) -> float:
        if isinstance(error, StoreFailed | EngineBusy):
            self._outage.tell(error)
            await asyncio.to_thread(self._store.contests.give_back, self.holder, found.id)
            return BUSY_SECONDS
        if not isinstance(error, WorkbenchError):
            log.error("contest %d failed", found.id, exc_info=error)
            reason = f"{type(error).__name__}: {error}"
            error = EngineFailed("reading_failed", f"Reading failed: {reason}", "Try again.", reason=reason)
        if await asyncio.to_thread(self._store.contests.renew, self.holder, self._lease, found.id):
            await asyncio.to_thread(self._store.contests.pause, found.id, error_value(error))
        return 0

    async def _read(self, found: StoredContest, course: Course) -> None:
        async with aclosing(self._evaluator.run(ask_of(found.asked, found.created_at), found.person)) as steps:
            async for step in steps:
                if step.result is None:
                    course.step(step)
                else:
                    ended = self.holder, found.id, step.result["run"], step.total
                    await asyncio.to_thread(self._store.contests.done, *ended)


class Course:
    """How far the reading of a contest is, and how fast it goes by the pages that are read now.

    Attributes:
        moved: set whenever that has changed.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.far: Far | None = None
        self.moved = asyncio.Event()
        self._clock = clock
        self._ends: deque[float] = deque(maxlen=RECENT)

    def step(self, step: Step) -> None:
        now = self._clock()
        if step.fresh or not self._ends:
            self._ends.append(now)
        elif len(self._ends) == 1:  # the first page that is read begins where those that were kept end
            self._ends[0] = now
        took = self._ends[-1] - self._ends[0]
        speed = (len(self._ends) - 1) / took if took > 0 else None
        self.far = Far(step.done, step.total, f"{step.competitor}: {step.page}", speed)
        self.moved.set()


async def _ended(task: asyncio.Task[None]) -> None:
    await asyncio.wait({task})
