"""Reads a stored page and keeps the result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.engines.base import Engine
from ocr_ui.errors import EngineBusy, StoreFailed
from ocr_ui.metrics import StageClock
from ocr_ui.services.engines import Engines
from ocr_ui.services.pictures import PageStore
from ocr_ui.services.reading import Progress, ReadRequest, check_engine, read_picture
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

LOADING_BEAT = 0.5
"""Seconds between two steps that say that the engine is still loading."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One step of a reading: the page, how far it is and, once stored, the id of the recognition."""

    page: Page
    progress: Progress
    recognition_id: int | None = None


class Recognizer:
    """Readings of stored pages, by owner: whoever started one can stop it."""

    def __init__(self, store: Store, pages: PageStore, engines: Engines, settings: Settings) -> None:
        self._store, self._pages, self._engines, self._settings = store, pages, engines, settings
        self._runs: dict[str, dict[str, asyncio.Event]] = {}

    async def read(
        self, page_id: int, request: ReadRequest, *, engine: str = "", person: str = "", owner: str = ""
    ) -> AsyncIterator[Reading]:
        """Reads a page; the last step carries the id of the stored recognition.

        While the engine loads, steps say that the reading waits. A reading that fails before anything was read, or is
        stopped before the engine was there, is not stored. Where the store fails, the last step has the whole result
        with that error and no id. Closing this generator ends the engine's work.

        Args:
            engine: name of the engine, empty for the default.
            person: who asks; may be empty.
            owner: `stop` takes it (a page's session, a client's id).

        Raises:
            BadInput, NotFound, EngineDead: before anything runs.
        """
        # Listed before anything is waited for: whoever presses Stop early means this run.
        stop = self._runs.setdefault(owner, {})[request.run_id] = asyncio.Event()
        try:
            async with aclosing(self._steps(page_id, request, engine, person, stop)) as steps:
                async for step in steps:
                    yield step
        finally:
            del self._runs[owner][request.run_id]
            if not self._runs[owner]:
                del self._runs[owner]

    async def _steps(
        self, page_id: int, request: ReadRequest, engine: str, person: str, stop: asyncio.Event
    ) -> AsyncIterator[Reading]:
        clock = StageClock()
        with clock.stage("decode_image"):
            page, pixels = await self._pages.load(page_id)
        begin = time.perf_counter()
        while (chosen := await self._ready(engine)) is None:
            state = "stopped" if stop.is_set() else "waiting"
            yield Reading(page, Progress(PageContent(), "", state, time.perf_counter() - begin))
            if stop.is_set():
                return
        check_engine(chosen, request.template)
        own = self._engines.settings_of(engine, self._settings)
        async with aclosing(read_picture(pixels, page.sha256, chosen, request, own, stop)) as steps:
            async for step in steps:
                if step.recognition is None:
                    yield Reading(page, step)
                else:
                    named = replace(step.recognition.engine, name=engine or self._engines.default)
                    whole = replace(step, recognition=replace(step.recognition, engine=named))
                    yield await self._keep(page_id, page, whole, clock, person)

    async def _ready(self, engine: str) -> Engine | None:
        """The engine, or None where it is still loading after a while."""
        try:
            return await self._engines.ready(engine, LOADING_BEAT)
        except EngineBusy:
            return None

    async def _keep(self, page_id: int, page: Page, step: Progress, clock: StageClock, person: str) -> Reading:
        recognition = step.recognition
        assert recognition is not None  # noqa: S101 - the caller has looked
        if recognition.outcome in ("failed", "stopped") and not recognition.generation.text:
            return Reading(page, step)
        timed = replace(recognition, timings={**clock.seconds, **recognition.timings})
        reader = Person(person) if person else None
        try:
            stored = await asyncio.to_thread(self._store.recognitions.add, timed, page_id, reader)
        except StoreFailed as error:
            return Reading(page, replace(step, state="failed", error=error))
        return Reading(page, replace(step, recognition=timed), stored)

    def is_reading(self, owner: str) -> bool:
        """Has `owner` something running?"""
        return bool(self._runs.get(owner))

    async def stop(self, owner: str) -> int:
        """Stops what `owner` has running; gives how many runs that were."""
        runs = dict(self._runs.get(owner, {}))
        for run_id, stop in runs.items():
            stop.set()
            await self._engines.abort(run_id)
        return len(runs)
