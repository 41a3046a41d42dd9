"""Was a crop read, or was something invented where the models do not know the script?

PP-OCRv6 knows Han, kana, Latin and Greek letters. Given others (Arabic, Hebrew, Thai, Devanagari, Hangul, Cyrillic)
it answers with blanks, with a few look-alike letters far apart, or with letters of low probability that change when
the crop is moved by some pixels. These three signs are looked for. Their limits: single letters that the models lack
inside a known script (Vietnamese vowels with two marks) are left out without any sign, and hard handwriting may be
taken for an unknown script.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

import cv2
import numpy as np
from rapidfuzz.distance import Levenshtein

from ocr_ui.engines.gaps import ink_columns
from ocr_ui.engines.rapid_models import Reading

LOWEST_SCORE = 0.5
"""RapidOCR's own `text_score`: what is below is not text."""
SURE_SCORE = 0.75
"""Of drawn lines in ten scripts that the models do not know, the readings with letters in them stayed below this; of
real lines in known scripts nearly all are above."""
COVERED = 0.4
AGREEMENT = 0.85
REACH = 0.75
"""A character accounts for the ink within this many line heights of its middle."""

ReadOne = Callable[[np.ndarray], Reading]
Item = TypeVar("Item")


class Legibility(StrEnum):
    READ = "read"
    DOUBTFUL = "doubtful"
    UNREAD = "unread"


def legibility(crop: np.ndarray, reading: Reading, read: ReadOne) -> Legibility:
    """Judges the reading of a level crop (BGR); doubtful ones are read again, slightly moved."""
    if not reading.text or reading.score < LOWEST_SCORE:
        return Legibility.UNREAD
    if covered_ink(crop, reading.places) < COVERED:
        return Legibility.DOUBTFUL
    if reading.score >= SURE_SCORE or _steady(crop, reading, read):
        return Legibility.READ
    return Legibility.DOUBTFUL


def covered_ink(crop: np.ndarray, places: tuple[float, ...]) -> float:
    """Part of the columns with ink that lie near a recognised character, 0..1; 1 where there is no ink or no place."""
    if not places:
        return 1.0
    ink = np.flatnonzero(ink_columns(crop))
    if len(ink) == 0:
        return 1.0
    middles = np.asarray(places) * crop.shape[1]
    distance = np.abs(ink[:, None] - middles[None, :]).min(axis=1)
    return float((distance <= REACH * crop.shape[0]).mean())


def _steady(crop: np.ndarray, reading: Reading, read: ReadOne) -> bool:
    """Whether the same is read from the crop with a wider border and from the crop made narrower."""
    wider = cv2.copyMakeBorder(crop, 3, 3, 6, 6, cv2.BORDER_REPLICATE)
    narrower = cv2.resize(crop, (max(1, round(crop.shape[1] * 0.9)), crop.shape[0]), interpolation=cv2.INTER_AREA)
    return all(
        Levenshtein.normalized_similarity(reading.text, read(copy).text) >= AGREEMENT for copy in (wider, narrower)
    )


@dataclass
class Jury(Generic[Item]):
    """Holds doubtful lines back until enough of the page was read, and gives them up where the page was not.

    Lines come out in the order they went in. `extent` is a line's length in line heights, about its characters.
    """

    read: float = 0.0
    unread: float = 0.0
    _held: list[tuple[Item, Legibility]] = field(default_factory=list)

    def hear(self, item: Item, verdict: Legibility, extent: float) -> list[Item]:
        """Takes one line and returns those that can be shown now."""
        if verdict is Legibility.READ:
            self.read += extent
        elif extent >= 2:  # round noise such as a logo says nothing about the script
            self.unread += extent
        if verdict is not Legibility.UNREAD:
            self._held.append((item, verdict))
        return self._release() if self.legible else []

    @property
    def legible(self) -> bool:
        """Whether more was read than not, by length."""
        return self.read >= self.unread

    def close(self) -> list[Item]:
        """What is left at the end of the page; of a page in an unknown script only the lines that were read."""
        if not self.legible:
            self._held = [(item, verdict) for item, verdict in self._held if verdict is Legibility.READ]
        return self._release()

    def _release(self) -> list[Item]:
        items = [item for item, _ in self._held]
        self._held.clear()
        return items
