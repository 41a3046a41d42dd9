"""Works out of readings what lists are filtered and sorted by: with each reading that is stored, so that no list waits
for it; and for those that were stored without it."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import Recognition
from ocr_ui.errors import StoreFailed
from ocr_ui.scoring.scripts import script_of
from ocr_ui.scoring.text import edit_distance
from ocr_ui.storage.items import Filters
from ocr_ui.storage.records import ReadingFigure, ReadText
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

PAGES_AT_ONCE = 200


def add_reading(store: Store, value: Recognition, page_id: int, person: Person | None = None) -> int:
    """Stores a recognition and what lists need of it, and gives its id. Raises as `Recognitions.add`."""
    recognition_id = store.recognitions.add(value, page_id, person)
    _work_out(store, [page_id])
    return recognition_id


def prepare(store: Store, filters: Filters, sort: str = "") -> None:
    """What these filters or this order ask for, and has not been worked out yet. Raises StoreFailed."""
    if sort == "disagreement" or filters.scripts:
        for _ in work_out(store):
            pass


class CatchUp:
    """Works out in the background, a few pages at a time, what was stored without it: by an older version, or by a
    program that ended before it was done."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        self._closing = True
        if self._task:
            await self._task

    async def _run(self) -> None:
        steps = work_out(self._store)
        try:
            while not self._closing and await asyncio.to_thread(next, steps, None) is not None:
                pass
        except StoreFailed as error:
            log.warning("Lists work out themselves what they are sorted by: %s", error)


def work_out(store: Store) -> Iterator[int]:
    """The writing of each reading, how far it is from another engine's of the same page and task, and the kind of the
    page. Gives the number of pages done so far, every PAGES_AT_ONCE of them. Raises StoreFailed."""
    missing = store.figures.missing()
    for start in range(0, len(missing), PAGES_AT_ONCE):
        some = missing[start : start + PAGES_AT_ONCE]
        _work_out(store, some)
        yield start + len(some)


def _work_out(store: Store, page_ids: list[int]) -> None:
    pages: dict[int, list[ReadText]] = defaultdict(list)
    for reading in store.figures.texts(page_ids):
        pages[reading.page_id].append(reading)
    # Before anything is written: nobody waits for a lock meanwhile.
    figures = [figure for readings in pages.values() for figure in _figures(readings)]
    store.figures.put(figures)


def _figures(readings: Sequence[ReadText]) -> Iterator[ReadingFigure]:
    for reading in readings:
        others = [o for o in readings if o.engine != reading.engine and o.task == reading.task]
        distance = _distance(reading.text, others[-1].text) if others else None
        yield ReadingFigure(reading.id, script_of(reading.text), distance, reading.layout)


def _distance(one: str, other: str) -> float:
    longest = max(len(one), len(other))
    return edit_distance(one, other) / longest if longest else 0.0
