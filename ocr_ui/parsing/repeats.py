"""Endless repetition at the end of an answer: found on finished text, and on a running stream to stop it.

Only the tail decides, not the length. A loop runs until something stops it, so the thresholds can afford to be
higher than what a page can hold: a column of thirty equal amounts, a form with forty empty rows or a dotted ruler is
no loop, whatever the official cleaner says (8 repeats of up to 256 characters, checked from 4,000 characters on).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

LONGEST_UNIT = 4096
PROBE = 12
SHORTEST = 64
FEWEST = 3
"""No text under 64 characters and no unit that comes fewer than three times is a loop."""
PARAGRAPHS = ((1000, FEWEST), (300, 4), (120, 6))
"""Length of what is repeated and how often it has to come, for units longer than a line."""
COUNTED_LINES = 300
"""Lines that differ by a running number alone; a page holds about a hundred."""

_TAG = re.compile(r"<[^<>]{0,80}>")
_DIGITS = re.compile(r"\d+")
_COORDINATES = re.compile(r"\(\d+,\d+\),\(\d+,\d+\)|<pos_\d+>|\"b?box\"")
_ROW = re.compile(r"\n|<tr\b|</t[dr]>|\|")
_UNIT_STARTS = ("<ref>", "<quad>", "<tr", "{", "|")


@dataclass(frozen=True, slots=True)
class Repeat:
    """A tail that says the same again and again.

    Attributes:
        start: index of the first character of the first turn.
        unit: what is repeated; for a counting loop the last turn.
        count: complete turns.
        exact: every turn is the same; False for a counting loop (``1. item``, ``2. item``, ...), which is told but
            not cut, since each turn says something else.
    """

    start: int
    unit: str
    count: int
    exact: bool = True

    @property
    def cut(self) -> int:
        """Where to cut so that one turn is kept."""
        return self.start + len(self.unit)


def find_repeat(text: str) -> Repeat | None:
    """The loop that `text` ends in, or None."""
    return _find_exact(text) or _find_counting(text)


class RepeatGuard:
    """Watches a running answer. `feed` gives the Repeat once the tail is a loop, None before.

    Looks each time the answer grew by 256 characters or a sixteenth, so that a whole stream costs about as much as
    a few looks at its end.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._next = 256

    def feed(self, delta: str) -> Repeat | None:
        self._parts.append(delta)
        self._length += len(delta)
        if self._length < self._next:
            return None
        self._next = self._length + max(256, self._length // 16)
        text = "".join(self._parts)
        self._parts = [text]
        return find_repeat(text)


def _find_exact(text: str) -> Repeat | None:
    length = len(text)
    if length < SHORTEST:
        return None
    probe = text[-PROBE:]
    too_few: list[tuple[int, int]] = []
    for size in range(1, min(LONGEST_UNIT, length // FEWEST) + 1):
        if not text.startswith(probe, length - size - PROBE):
            continue
        if any(size % period == 0 and size <= run for period, run in too_few):
            continue  # thirty equal lines are no fifteen of a unit twice as long, which would need fewer turns
        unit = text[length - size :]
        needed = _turns_needed(unit)
        turns = _turns(text, unit, needed)
        if turns >= needed:
            return _whole_run(text, size)
        if turns > 1:
            too_few.append((size, turns * size))
    return None


def _turns(text: str, unit: str, most: int) -> int:
    """How often `text` has `unit` at its end, counted up to `most`."""
    size, at = len(unit), len(text) - len(unit)
    turns = 1
    while turns < most and at >= size and text.startswith(unit, at - size):
        at -= size
        turns += 1
    return turns


def _turns_needed(unit: str) -> int:
    """How many equal turns make a loop, by what is repeated."""
    size = len(unit)
    if not unit.strip():
        return -(-100 // size)
    turns = unit + unit
    if _COORDINATES.search(turns):
        return 8
    words = _outside_tags(turns)
    row = bool(_ROW.search(turns))
    if not any(c.isalnum() for c in words):
        return max(100, -(-400 // size))
    if not any(c.isalpha() for c in words):
        return max(150, -(-400 // size))
    for length, needed in PARAGRAPHS:
        if size >= length:
            return needed
    if row:
        return 12 if len(words) >= 80 else 40
    return 8 if size >= 40 else max(20, -(-100 // size))


def _outside_tags(turns: str) -> str:
    """The text of two turns without tags, also without those that the ends cut in two."""
    first, last = turns.find(">"), turns.rfind("<")
    if 0 <= first < turns.find("<") % (len(turns) + 1):
        turns = turns[first + 1 :]
    if last >= 0 and ">" not in turns[turns.rfind("<") :]:
        turns = turns[: turns.rfind("<")]
    return _TAG.sub("", turns)


def _whole_run(text: str, size: int) -> Repeat:
    """The run of period `size` at the end of `text`, from its first turn on."""
    start = _run_start(text, size)
    start = _turn_start(text, start, size)
    return Repeat(start, text[start : start + size], (len(text) - start) // size)


def _run_start(text: str, size: int) -> int:
    start = len(text) - size
    unit = text[start:]
    block = unit * max(1, 4096 // size)
    while start >= len(block) and text.startswith(block, start - len(block)):
        start -= len(block)
    while start >= size and text.startswith(unit, start - size):
        start -= size
    while start > 0 and text[start - 1] == text[start - 1 + size]:
        start -= 1
    return start


def _turn_start(text: str, start: int, size: int) -> int:
    """The first place in the first turn where a line, a row or an entry begins."""
    for place in range(start, start + size):
        if text[place - 1 : place] == "\n" or text.startswith(_UNIT_STARTS, place):
            return place
    return start


def _find_counting(text: str) -> Repeat | None:
    if text.count("\n", -200 * COUNTED_LINES) < COUNTED_LINES:
        return None
    body = text.rstrip("\n")
    lines = body.rsplit("\n", COUNTED_LINES + 1)[1:]
    if len(lines) < COUNTED_LINES:
        return None
    if lines[-1] and _shape(lines[-1]) != _shape(lines[-2]) and _shape(lines[-2]).startswith(_shape(lines[-1])[:-1]):
        lines, body = lines[:-1], body[: -len(lines[-1]) - 1]
    shape = _shape(lines[-1])
    if not any(c.isalpha() for c in shape) or "0" not in shape:
        return None
    turns = [line for line in lines if _shape(line) == shape]
    if len(turns) < COUNTED_LINES or turns != lines[-len(turns) :] or not _is_counting(turns):
        return None
    start = len(body) - sum(len(turn) + 1 for turn in turns) + 1
    return Repeat(max(0, start), turns[-1] + "\n", len(turns), exact=False)


def _shape(line: str) -> str:
    return _DIGITS.sub("0", line)


def _is_counting(lines: list[str]) -> bool:
    """Some number of the line grows by the same step from each line to the next."""
    rows = [[int(found[:18]) for found in _DIGITS.findall(line)] for line in lines]
    for column in zip(*rows, strict=True):
        steps = {b - a for a, b in pairwise(column)}
        if len(steps) == 1 and steps != {0}:
            return True
    return False
