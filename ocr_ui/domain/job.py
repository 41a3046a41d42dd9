"""Batches: their states, and which pages of a document are meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ocr_ui.errors import BadInput

LONGEST_RANGES = 1000
_RANGE = re.compile(r"\s*([0-9]{1,6})\s*(?:[-–—~～]\s*([0-9]{1,6})?\s*)?", re.ASCII)
PRIORITIES = {"low": -1, "normal": 0, "high": 1}


class JobState(StrEnum):
    """Attributes: OPEN: its pages are read as soon as somebody is free."""

    OPEN = "open"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class TaskState(StrEnum):
    """Of one page, or of a file that nobody has looked into yet."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class PageRanges:
    """Pages of a document, "1-3,7" or "5-" as people write them; none named means all.

    Attributes:
        parts: (first, last) counted from 1; `last` is None to the end.
    """

    parts: tuple[tuple[int, int | None], ...] = ()

    @classmethod
    def parse(cls, written: str) -> PageRanges:
        """Raises BadInput (`bad_page_range`; details: value)."""
        text = written.strip().translate(str.maketrans("，、；;", ",,,,"))
        if not text:
            return cls()
        return cls(tuple(_part(part, written) for part in text[:LONGEST_RANGES].split(",")))

    def of(self, pages: int) -> list[int]:
        """The pages that a document of so many pages has of these, in order, each once."""
        if not self.parts:
            return list(range(1, pages + 1))
        spans = (range(first, min(pages if last is None else last, pages) + 1) for first, last in self.parts)
        return sorted({page for span in spans for page in span})

    def __str__(self) -> str:
        return ",".join(_written(first, last) for first, last in self.parts)


def _part(part: str, whole: str) -> tuple[int, int | None]:
    found = _RANGE.fullmatch(part)
    if found is None:
        raise _bad(whole)
    first = int(found[1])
    last = first if found[0].strip() == found[1] else (int(found[2]) if found[2] else None)
    if first < 1 or (last is not None and last < first):
        raise _bad(whole)
    return first, last


def _written(first: int, last: int | None) -> str:
    return str(first) if first == last else f"{first}-{last or ''}"


def _bad(written: str) -> BadInput:
    shown = written[:80]
    return BadInput("bad_page_range", f"{shown!r} names no pages.", "Write them as 1-3,7 or 5-.", value=shown)


def numbered(names: Iterable[str]) -> str:
    """Names as a batch is called by them: the first, and how many more there are."""
    listed = list(names)
    return listed[0] if len(listed) == 1 else f"{listed[0]} + {len(listed) - 1}" if listed else ""
