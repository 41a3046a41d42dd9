"""Where the value of a field stands among the lines of a page, and whether it looks like its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ocr_ui.domain.content import Field, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.parsing.label_value import part_of
from ocr_ui.parsing.value_kinds import fold, value_span

LEAST_ALIKE = 0.75
"""Of the characters of a value and of a line; below that they say different things."""

CHECKED = ("amount", "date", "number", "time", "rate")
"""Kinds of values that are held against what they look like; others say anything."""


@dataclass(frozen=True, slots=True)
class Place:
    """The line that has a value, and the part of its box that the value takes (None where the line has no box)."""

    line: TextLine
    quad: Quad | None


def place_of(value: str | None, lines: Sequence[TextLine]) -> Place | None:
    """The line with the value in it, of several the one that says least else; then the one that is most like it.

    Letter case, blanks and the width of characters do not count. None where no line is alike enough.
    """
    wanted, _ = _letters(value or "")
    if not wanted:
        return None
    read = [(line, *_letters(line.text)) for line in lines]
    having = [(line, text, at) for line, text, at in read if wanted in text]
    if having:
        line, text, at = min(having, key=lambda entry: len(entry[1]))
        start = text.index(wanted)
        return Place(line, part_of(line, at[start], at[start + len(wanted) - 1] + 1))
    alike = max(((_likeness(wanted, text), index) for index, (_, text, _) in enumerate(read)), default=(0.0, 0))
    if alike[0] < LEAST_ALIKE:
        return None
    line = read[alike[1]][0]
    return Place(line, line.quad)


def fits(field: Field) -> bool:
    """Whether the whole value is what its kind looks like; an absent or empty value and plain text always are."""
    value = (field.value or "").strip()
    if not value or field.kind not in CHECKED:
        return True
    return value_span(value, field.kind) == (0, len(value))


def _likeness(wanted: str, text: str) -> float:
    matcher = SequenceMatcher(None, wanted, text, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= LEAST_ALIKE <= matcher.quick_ratio() else 0.0


def _letters(text: str) -> tuple[str, list[int]]:
    """The text without blanks, in one case and width, and where each of its characters stands in the text."""
    kept = [(char, index) for index, char in enumerate(fold(text)) if not char.isspace()]
    lowered = [char.lower() if len(char.lower()) == 1 else char for char, _ in kept]
    return "".join(lowered), [index for _, index in kept]
