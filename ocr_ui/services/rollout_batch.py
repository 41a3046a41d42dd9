"""Rollouts over a filter of the dataset: each item is done once, whatever interrupts the batch."""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.domain.rollout import Mark
from ocr_ui.engines.samples import check_count
from ocr_ui.errors import BadInput, Conflict, EngineBusy, EngineDead, StoreFailed, WorkbenchError, internal, noted
from ocr_ui.logs import request_id
from ocr_ui.services.access import needs
from ocr_ui.services.dataset import as_filters, set_filters
from ocr_ui.services.figures import prepare
from ocr_ui.services.rollouts import Ask, Rollouts
from ocr_ui.services.work_off import work_off
from ocr_ui.storage.items import Filters
from ocr_ui.storage.records import JobCounts
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Items that are asked about at the same time."""
MOST_AT_ONCE = 64
NOBODY_ANSWERS = frozenset({"server_unreachable", "engine_never_varies"})
"""What would fail for every other item too: the batch ends, and the rest waits."""
BUSY_SECONDS = 2.0
"""Wait before an engine that is loading or full is asked again."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is.

    Attributes:
        seconds: that this run of it has taken.
        marks: of the answers that this run has brought, by mark.
        resumed: it had been begun before.
        ended: nothing of it runs any more; `counts` tell whether it is whole.
    """

    job: int
    counts: JobCounts
    seconds: float
    marks: dict[str, int] = field(default_factory=dict)
    resumed: bool = False
    ended: bool = False
    error: WorkbenchError | None = None


class RolloutBatches:
    """Runs batches of a store, one process a batch."""

    def __init__(self, store: Store, rollouts: Rollouts) -> None:
        self._store, self._rollouts = store, rollouts
        self._running: dict[int, _Running] = {}

    def find(
        self,
        ask: Ask,
        filters: Filters | Mapping[str, Any] | None = None,
        person: Person | None = None,
        retry_failed: bool = False,
    ) -> tuple[int, bool]:
        """The batch that asks this of these items: the unfinished one, else a new one; and whether it was there.

        Args:
            retry_failed: the newest batch that asked this is taken, finished or not, and what failed in it waits again.

        Raises:
            BadInput: `nothing_to_sample`, those of `check_count` and those of `read_filters`. StoreFailed.
        """
        wanted = as_filters(filters)
        prepare(self._store, wanted)
        check_count(ask.sampling(), ask.n)
        asked = {**asdict(ask), "filters": set_filters(wanted)}
        with self._store.transaction():
            job = self._store.rollout_jobs.find(asked, finished=retry_failed)
            if job is not None:
                if retry_failed:
                    self._store.rollout_jobs.again(job)
                return job, True
            items = self._store.items.ids(wanted, "oldest", self._store.items.count(wanted))
            if not items:
                raise BadInput("nothing_to_sample", "No item of the dataset fits the filter.", "Choose another filter.")
            return self._store.rollout_jobs.begin(asked, items, person), False

    async def run(
        self,
        job: int,
        at_once: int = AT_ONCE,
        person: Person | None = None,
        stop: asyncio.Event | None = None,
        resumed: bool = False,
    ) -> AsyncIterator[BatchProgress]:
        """Asks about every item that waits; yields after each. A failure of one item is kept with it.

        The batch ends early, with its error, where the engine or the store is gone; the rest waits.

        Raises:
            NotFound: `unknown_rollout_job`. Conflict: `rollout_job_running`, another process has it. StoreFailed.
        """
        stored = await asyncio.to_thread(self._store.rollout_jobs.asked, job)
        ask = Ask(**{name: value for name, value in stored.items() if name != "filters"})
        held = self._store.alone(f"rollouts-{job}")
        is_alone = await asyncio.to_thread(held.__enter__)
        try:
            if not is_alone:
                raise Conflict(
                    "rollout_job_running", f"The batch {job} is running already.", "Wait for it, or stop it.", job=job
                )
            batch = _Batch(self._store, self._rollouts, job, ask, person, stop or asyncio.Event(), resumed)
            async with aclosing(batch.steps(max(1, min(at_once, MOST_AT_ONCE)))) as steps:
                async for step in steps:
                    yield step
        finally:
            await asyncio.to_thread(held.__exit__, None, None, None)

    # In the background of this process, for a page

    @needs(Action.RECOGNIZE, audited="rollout_batch.start")
    async def start(
        self,
        ask: Ask,
        filters: Filters | Mapping[str, Any] | None = None,
        person: Person | None = None,
        retry_failed: bool = False,
    ) -> BatchProgress:
        """Finds a batch as `find` does and runs it; it goes on when this has returned. Raises as `find` and `run`."""
        job, resumed = await asyncio.to_thread(self.find, ask, filters, person, retry_failed)
        return await self._launch(job, person, resumed)

    @needs(Action.RECOGNIZE, audited="rollout_batch.resume")
    async def resume(self, job: int) -> BatchProgress:
        """Goes on with a batch; one that runs here is left alone. Raises as `run`."""
        return await self._launch(job, None, True)

    async def _launch(self, job: int, person: Person | None, resumed: bool) -> BatchProgress:
        running = self._running.get(job)
        if running is not None and not running.last.ended:
            return running.last
        stop = asyncio.Event()
        steps = self.run(job, person=person, stop=stop, resumed=resumed)
        first = await anext(steps)
        running = self._running[job] = _Running(first, stop)
        running.task = asyncio.create_task(running.follow(steps))
        return first

    @needs(Action.READ)
    async def progress(self, job: int) -> BatchProgress:
        """How far a batch is: as this process runs it, else as it is stored. Raises NotFound."""
        if job in self._running:
            return self._running[job].last
        await asyncio.to_thread(self._store.rollout_jobs.asked, job)
        counts = await asyncio.to_thread(self._store.rollout_jobs.counts, job)
        return BatchProgress(job, counts, 0.0, ended=True)

    @needs(Action.READ)
    async def newest(self) -> BatchProgress | None:
        """The newest batch; None where there is none."""
        job = await asyncio.to_thread(self._store.rollout_jobs.newest)
        return None if job is None else await self.progress(job)

    @needs(Action.RECOGNIZE, audited="rollout_batch.stop")
    async def stop(self, job: int) -> BatchProgress:
        """Ends a batch that this process runs; the items that wait go on waiting. Raises NotFound."""
        running = self._running.get(job)
        if running is not None and running.task is not None:
            running.stop.set()
            await asyncio.wait({running.task})
        return await self.progress(job)

    async def close(self) -> None:
        """Ends all that run; they can be gone on with."""
        for job in list(self._running):
            await self.stop(job)


class _Running:
    """A batch in the background."""

    def __init__(self, last: BatchProgress, stop: asyncio.Event) -> None:
        self.last, self.stop = last, stop
        self.task: asyncio.Task[None] | None = None

    async def follow(self, steps: AsyncIterator[BatchProgress]) -> None:
        error: WorkbenchError | None = None
        try:
            async for step in steps:
                self.last = step
        except WorkbenchError as caught:
            error = caught
        except Exception:
            log.exception("a batch of rollouts failed")
            error = internal(request_id())
        if error is not None or not self.last.ended:
            self.last = replace(self.last, ended=True, error=error)


class _Batch:
    """One run of a batch."""

    def __init__(
        self,
        store: Store,
        rollouts: Rollouts,
        job: int,
        ask: Ask,
        person: Person | None,
        stop: asyncio.Event,
        resumed: bool,
    ) -> None:
        self._store, self._rollouts, self._job, self._ask, self._person = store, rollouts, job, ask, person
        self._stop, self._resumed = stop, resumed
        self._begin = time.monotonic()
        self._marks: dict[str, int] = dict.fromkeys(Mark, 0)
        self._error: WorkbenchError | None = None
        self._last = 0

    async def steps(self, at_once: int) -> AsyncIterator[BatchProgress]:
        yield await self._progress()
        halt = functools.partial(self._rollouts.stop, self._owner)
        async with aclosing(work_off(self._next, self._one, at_once, self._stop, halt)) as ended:
            async for _ in ended:
                yield await self._progress()
        if self._error is None and not self._stop.is_set():
            await asyncio.to_thread(self._store.rollout_jobs.finish, self._job)
        yield await self._progress(ended=True)

    @property
    def _owner(self) -> str:
        return f"rollout-job-{self._job}"

    async def _next(self) -> int | None:
        """Each item once in one run, whatever becomes of it; none after an error that ends the batch."""
        if self._error is not None:
            return None
        found = await asyncio.to_thread(self._store.rollout_jobs.waiting, self._job, 1, self._last)
        if not found:
            return None
        self._last = found[0]
        return self._last

    async def _one(self, item: int) -> None:
        try:
            mark = await self._asked(item)
        except (EngineDead, StoreFailed) as error:
            self._error = error
        except WorkbenchError as error:
            if error.code in NOBODY_ANSWERS:
                self._error = error
                return
            await asyncio.to_thread(self._store.rollout_jobs.failed, self._job, item, noted(error))
        else:
            if mark is not None:
                self._marks[mark] += 1

    async def _asked(self, item: int) -> Mark | None:
        """Raises what kept the item from being answered; None where it was stopped, so that it goes on waiting."""
        while True:
            try:
                value = await self._rollouts.collect(item, self._ask, self._owner)
                break
            except EngineBusy:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), BUSY_SECONDS)
                if self._stop.is_set():
                    return None
        if self._stop.is_set():
            return None
        await asyncio.to_thread(self._keep, item, value)
        return value.mark

    def _keep(self, item: int, value: Any) -> None:
        """The answers and that the item is done, together: after a crash it is either both or neither."""
        with self._store.transaction():
            rollout_id = self._store.rollouts.add(item, value, self._person)
            if not self._store.rollout_jobs.done(self._job, item, rollout_id):
                raise Conflict(
                    "rollout_task_done",
                    f"Item {item} was answered meanwhile.",
                    "Open it to see the answers.",
                    item=item,
                )

    async def _progress(self, ended: bool = False) -> BatchProgress:
        counts = await asyncio.to_thread(self._store.rollout_jobs.counts, self._job)
        marks = {str(mark): count for mark, count in self._marks.items() if count}
        took = time.monotonic() - self._begin
        return BatchProgress(self._job, counts, took, marks, self._resumed, ended, self._error)
