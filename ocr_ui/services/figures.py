"""Works out of readings what lists are filtered and sorted by, where that has not been done yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ocr_ui.scoring.scripts import script_of
from ocr_ui.scoring.text import edit_distance
from ocr_ui.storage.items import Filters
from ocr_ui.storage.records import ReadingFigure, ReadText
from ocr_ui.storage.store import Store


def prepare(store: Store, filters: Filters, sort: str = "") -> None:
    """What these filters or this order ask for, and has not been worked out yet. Raises StoreFailed."""
    if sort == "disagreement" or filters.scripts:
        work_out(store)


def work_out(store: Store) -> None:
    """The writing of each reading, and how far it is from another engine's of the same page and task. Raises
    StoreFailed."""
    missing = store.figures.missing()
    if missing:
        pages: dict[int, list[ReadText]] = defaultdict(list)
        for reading in store.figures.texts(missing):
            pages[reading.page_id].append(reading)
        store.figures.put(figure for readings in pages.values() for figure in _figures(readings))


def _figures(readings: Sequence[ReadText]) -> Iterator[ReadingFigure]:
    for reading in readings:
        others = [o for o in readings if o.engine != reading.engine and o.task == reading.task]
        distance = _distance(reading.text, others[-1].text) if others else None
        yield ReadingFigure(reading.id, script_of(reading.text), distance)


def _distance(one: str, other: str) -> float:
    longest = max(len(one), len(other))
    return edit_distance(one, other) / longest if longest else 0.0
