"""Reads a stored page and keeps the result."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, aclosing, suppress
from dataclasses import dataclass, replace
from functools import partial

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import Recognition
from ocr_ui.errors import StoreFailed, WorkbenchError
from ocr_ui.metrics import AtWork, StageClock, error_told, pixels_chosen, reading_ended
from ocr_ui.services.access import needs, who
from ocr_ui.services.engines import Engines
from ocr_ui.services.figures import add_reading
from ocr_ui.services.pictures import PageStore
from ocr_ui.services.pixel_rules import need_of
from ocr_ui.services.reading import Progress, ReadRequest, check_engine
from ocr_ui.services.runs import Runs
from ocr_ui.services.second_look import read_by_need
from ocr_ui.services.traffic import Given, Keep, Traffic
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

AGAIN = "again"

CLOSING_SECONDS = 2.0
"""A closed tab is noticed at the next beat of its reading; so long a page that is opened anew waits for that."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One step of a reading.

    Attributes:
        recognition_id: once it is stored.
        given: the arm of an experiment that it went to; None for none.
    """

    page: Page
    progress: Progress
    recognition_id: int | None = None
    given: Given | None = None


class Recognizer:
    """Readings of stored pages, by owner: whoever started one can stop it.

    Args:
        begins: called in the event loop whenever a reading begins.
    """

    def __init__(
        self,
        store: Store,
        pages: PageStore,
        engines: Engines,
        settings: Settings,
        traffic: Traffic | None = None,
        begins: Callable[[], None] = lambda: None,
    ) -> None:
        self._store, self._pages, self._engines, self._settings = store, pages, engines, settings
        self._traffic = traffic
        self._runs, self._begins = Runs(engines), begins
        self._busy: Counter[int] = Counter()
        self._ended = asyncio.Event()
        self._keeping: set[asyncio.Task[None]] = set()

    @needs(Action.RECOGNIZE, audited="page.read", limited="reads")
    async def read(
        self,
        page_id: int,
        request: ReadRequest,
        *,
        engine: str = "",
        person: str = "",
        owner: str = "",
        keep: Keep | None = None,
        daily: bool = False,
        before: Mapping[str, float] | None = None,
    ) -> AsyncIterator[Reading]:
        """Reads a page; the last step carries the id of the stored recognition.

        While the engine loads, steps say that the reading waits. A reading that fails before anything was read, or is
        stopped before the engine was there, is not stored. Where the store fails, the last step has the whole result
        with that error and no id. Closing this generator ends the engine's work; what had been read by then is stored
        as stopped, and `latest` gives it.

        Args:
            engine: name of the engine, empty for the default.
            person: who asks; may be empty.
            owner: `stop` takes it (a page's session, a client's id).
            keep: stores the result, in a thread, in the place of the store itself.
            daily: an experiment may give the reading to its other arm.
            before: seconds of the stages that the picture went through on its way here.

        Raises:
            BadInput, NotFound, EngineDead: before anything runs.
        """
        person = who(person).name
        # Listed before anything is waited for: whoever presses Stop early means this run.
        with self._runs.listed(owner, request.run_id) as stop:
            self._busy[page_id] += 1
            self._begins()
            kept = keep or partial(add_reading, self._store)
            at_work, clock = AtWork(), StageClock()
            clock.seconds.update(before or {})
            try:
                async with aclosing(self._steps(page_id, request, engine, person, stop, kept, daily, clock)) as steps:
                    async for step in steps:
                        at_work.be(step.progress.state)
                        yield step
            finally:
                at_work.end()
                self._end(page_id)

    async def _steps(
        self,
        page_id: int,
        request: ReadRequest,
        engine: str,
        person: str,
        stop: asyncio.Event,
        keep: Keep,
        daily: bool,
        clock: StageClock,
    ) -> AsyncIterator[Reading]:
        with clock.stage("decode_image"):
            page, pixels = await self._pages.load(page_id)
        given = await self._traffic.given(page.sha256, request, engine) if daily and self._traffic else None
        if given is not None and self._traffic:
            keep = self._traffic.noting(given, keep, engine or self._engines.default)
            request, engine = given.request, given.engine
        begin = time.perf_counter()
        while (chosen := await self._engines.ready_soon(engine)) is None:
            state = "stopped" if stop.is_set() else "waiting"
            yield Reading(page, Progress(PageContent(), "", state, time.perf_counter() - begin), given=given)
            if stop.is_set():
                return
        check_engine(chosen, request.template)
        own = self._engines.settings_of(engine, self._settings)

        def abandoned(finish: Callable[[], Progress]) -> None:
            self._busy[page_id] += 1
            task = asyncio.create_task(self._keep_abandoned(page_id, page, finish, clock, person, engine, keep))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

        if not request.whole:
            need = await asyncio.to_thread(need_of, chosen.name, own, self._store)
            request = replace(request, need=need)
        reading = read_by_need(pixels, page.sha256, chosen, request, own, stop, abandoned)
        async with aclosing(reading) as steps:
            async for step in steps:
                if step.recognition is None:
                    yield Reading(page, step, given=given)
                else:
                    yield replace(await self._keep(page_id, page, step, clock, person, engine, keep), given=given)

    async def _keep_abandoned(
        self,
        page_id: int,
        page: Page,
        finish: Callable[[], Progress],
        clock: StageClock,
        person: str,
        engine: str,
        keep: Keep,
    ) -> None:
        """Stores what was read for a page that is gone: its tab was closed or loaded again."""
        try:
            kept = await self._keep(page_id, page, await asyncio.to_thread(finish), clock, person, engine, keep)
            if kept.progress.error:
                log.error("what was read of page %d could not be kept: %s", page_id, kept.progress.error)
        finally:
            self._end(page_id)

    @property
    def at_work(self) -> int:
        """How many readings are under way or being stored."""
        return self._busy.total()

    def _end(self, page_id: int) -> None:
        self._busy[page_id] -= 1
        if not self._busy[page_id]:
            del self._busy[page_id]
        self._ended.set()
        self._ended = asyncio.Event()

    @needs(Action.READ)
    async def latest(self, page_id: int) -> int | None:
        """The id of the newest recognition of a page, None where there is none.

        Where the page is being read, waits a little: its tab may just have been loaded again, and what it had read is
        being stored.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                while page_id in self._busy:
                    await self._ended.wait()
        found = await asyncio.to_thread(self._store.recognitions.latest, page_id)
        return None if found is None else found.id

    async def close(self) -> None:
        """Waits until everything that was read is stored."""
        await asyncio.gather(*self._keeping, return_exceptions=True)

    async def _keep(
        self, page_id: int, page: Page, step: Progress, clock: StageClock, person: str, engine: str, keep: Keep
    ) -> Reading:
        recognition = step.recognition
        assert recognition is not None  # noqa: S101 - the caller has looked
        name = replace(recognition.engine, name=engine or self._engines.default)
        timings = {**clock.seconds, **recognition.timings}
        timed = replace(recognition, engine=name, timings=timings)
        if recognition.outcome in ("failed", "stopped") and not recognition.generation.text:
            _note(timed, page_id, timings, step.error, step.all_tokens)
            return Reading(page, step)
        reader, store = Person(person) if person else None, StageClock()
        try:
            with store.stage("store"):
                stored = await asyncio.to_thread(keep, timed, page_id, reader)
        except StoreFailed as error:
            _note(timed, page_id, timings, error, step.all_tokens)
            return Reading(page, replace(step, state="failed", error=error))
        _note(timed, page_id, {**timings, **store.seconds}, step.error, step.all_tokens)
        return Reading(page, replace(step, recognition=timed), stored)

    def is_reading(self, owner: str) -> bool:
        """Has `owner` something running?"""
        return self._runs.any(owner)

    def listed(self, owner: str, run_id: str) -> AbstractContextManager[asyncio.Event]:
        """For who has something to wait for before a `read` of this name: `stop` means it from now on."""
        return self._runs.listed(owner, run_id)

    async def stop(self, owner: str) -> int:
        """Stops what `owner` has running; gives how many runs that were."""
        return await self._runs.stop(owner)


def _note(
    recognition: Recognition,
    page_id: int,
    timings: Mapping[str, float],
    error: WorkbenchError | None,
    tokens: int | None,
) -> None:
    """Counts a reading that ended, and writes a line of the log, with nothing of what was read.

    Args:
        tokens: with those of readings of the page that were replaced.
    """
    engine = recognition.engine
    reading_ended(engine.name or engine.kind, recognition.outcome, timings, tokens)
    if (pixels := recognition.pixels) is not None:
        pixels_chosen(engine.name or engine.kind, AGAIN if pixels.again else pixels.reason)
    if error is not None:
        error_told("reading", error.code)
    fields = {
        "page": page_id,
        "engine": engine.name or engine.kind,
        "template": recognition.prompt.template,
        "outcome": recognition.outcome,
        "tokens": tokens,
        "seconds": {stage: round(seconds, 3) for stage, seconds in timings.items()},
        **({"code": error.code} if error else {}),
    }
    log.info("reading", extra={"fields": fields})
