"""One page read with RapidOCR's models: the calling thread finds the lines, others read them beside each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from typing import TypeVar

import cv2
import numpy as np

from ocr_ui.domain.content import ContentWarning, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.engines.base import LinesDelta
from ocr_ui.engines.gaps import with_gaps
from ocr_ui.engines.legibility import Jury, Legibility, legibility
from ocr_ui.engines.line_finder import find_lines
from ocr_ui.engines.rapid_models import RapidModels, StopSign, crop_line
from ocr_ui.engines.reading_order import reading_order

GROUPS = (1, 2)
"""Lines in the first groups; the rest come in groups of GROUP."""
GROUP = 4
TURNED_SCORE = 0.9
"""A line is turned on its head only where it reads this well then: of letters that the models do not know, the better
of two wrong readings would be a guess."""
UPRIGHT_SCORE = 0.95
"""What reads as well as this does not stand on its head: upside-down lines scored at most 0.9."""
SOME = 0.2
"""From this part of the text's length on, unread lines are worth a word."""


Seen = tuple[TextLine, Legibility, float]
"""A line, whether it was read, and its length in line heights."""
Item = TypeVar("Item")


class RapidPage:
    """Reads one page. `deltas` is consumed once; `warnings` is complete after that."""

    def __init__(self, models: RapidModels, pixels: np.ndarray, stop: StopSign, readers: Executor) -> None:
        """Args:
        pixels: RGB uint8 of shape (height, width, 3).
        readers: threads that read lines beside each other.
        """
        self._models, self._readers = models, readers
        self._picture = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
        self._stop = stop
        self._jury: Jury[TextLine] = Jury()
        self._found = 0
        self._shown = 0

    def deltas(self) -> Iterator[LinesDelta]:
        """The lines in reading order, a few at a time.

        Raises:
            Stopped: the stop sign was set.
        """
        for quads, last in find_lines(self._picture, lambda part: self._models.find(part, self._stop)):
            self._found += len(quads)
            total = self._found if last else None
            for group in self._read(quads[reading_order(quads)]):
                self._stop.check()
                lines = [line for seen in group for line in self._jury.hear(*seen.result())]
                if lines:
                    self._shown += len(lines)
                    yield LinesDelta(tuple(lines), total)
        rest = self._jury.close()
        if rest:
            self._shown += len(rest)
            yield LinesDelta(tuple(rest), self._shown)

    def _read(self, quads: np.ndarray) -> Iterator[list[Future[Seen]]]:
        """The lines in groups, all of them begun at once; those that nobody waits for any more are not read."""
        seen = [self._readers.submit(self._look, quad) for quad in quads]
        try:
            yield from _groups(seen, first=self._shown == 0)
        finally:
            for one in seen:
                one.cancel()

    def _look(self, quad: np.ndarray) -> Seen:
        """One line: called by several threads."""
        self._stop.check()
        crop, tall = crop_line(self._picture, quad)
        reading = self._models.read([crop])[0]
        turned = False
        if reading.score < UPRIGHT_SCORE and self._models.upside_down([crop])[0]:
            # The classifier takes lines of worn type for upside-down ones, so the better reading decides.
            other = np.ascontiguousarray(np.rot90(crop, 2))
            other_reading = self._models.read([other])[0]
            turned = other_reading.score > max(reading.score, TURNED_SCORE)
            crop, reading = (other, other_reading) if turned else (crop, reading)
        verdict = legibility(crop, reading, lambda copy: self._models.read([copy])[0])
        text = with_gaps(crop, reading)
        line = TextLine(text, _as_read(quad, tall, turned, reading.text), round(reading.score, 4))
        return line, verdict, crop.shape[1] / crop.shape[0]

    @property
    def warnings(self) -> tuple[ContentWarning, ...]:
        """`empty`, `unreadable_script` or `unreadable_lines`, or none."""
        jury = self._jury
        if not jury.legible:
            return (
                ContentWarning(
                    "unreadable_script",
                    "There is text here that this engine cannot read: probably a script that it does not know "
                    "(it knows Chinese, Japanese, Latin and Greek letters). Nothing was guessed; "
                    "read it with HunyuanOCR.",
                ),
            )
        if self._shown == 0:
            return (ContentWarning("empty", "No text was found."),)
        if jury.unread >= SOME * (jury.read + jury.unread):
            return (
                ContentWarning(
                    "unreadable_lines",
                    "Some of the text could not be read: a script that this engine does not know, handwriting, "
                    "or too blurred.",
                ),
            )
        return ()


def _groups(lines: list[Item], first: bool) -> Iterator[list[Item]]:
    start, sizes = 0, list(GROUPS) if first else []
    while start < len(lines):
        size = sizes.pop(0) if sizes else GROUP
        yield lines[start : start + size]
        start += size


def _as_read(quad: np.ndarray, tall: bool, turned: bool, text: str) -> Quad:
    """The quad with its corners in the order in which the text runs.

    A tall crop was turned left, so its text began at the top right corner; a vertical column of Han or kana stands
    upright all the same.
    """
    shift = 2 if turned else 0
    if tall and not _is_cjk(text):
        shift += 1
    return Quad.from_points(np.roll(quad, -shift, axis=0).tolist())


def _is_cjk(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    wide = [c for c in letters if unicodedata.east_asian_width(c) in "WF"]
    return bool(letters) and 2 * len(wide) >= len(letters)
