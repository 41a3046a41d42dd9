"""Answers that are text alone: nothing in them is markup."""

from __future__ import annotations

import re

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.parsing.coordinates import POINTS
from ocr_ui.parsing.notes import Notes
from ocr_ui.parsing.repeats import find_repeat

_BOXED = re.compile(r"</ref>\s{0,8}<quad>|<quad>\s{0,8}(?:<pos_\d|\()|\{\s{0,8}\"(?:box|bbox|text)\"\s{0,8}:")
_PAIR = re.compile(POINTS)


def has_boxes(text: str) -> bool:
    """The answer is in a spotting shape, although plain text was asked for."""
    if _BOXED.search(text):
        return True
    pairs = [found.end() for found in _PAIR.finditer(text)]
    return len(pairs) > 1 and pairs[-1] == len(text.rstrip())


def cut_repeat(text: str, notes: Notes, finished: bool) -> str:
    """The text up to one turn of the loop it ends in. A counting loop is told and left."""
    repeat = find_repeat(text) if finished else None
    if repeat is None:
        return text
    if not repeat.exact:
        notes.add("repeated", "The answer ends in lines that differ by a number alone; they may be made up.")
        return text
    notes.add("repeated")
    return text[: repeat.cut].rstrip() if not repeat.unit.strip() else text[: repeat.cut]


MOST_LINES = 100_000
"""Lines that are told apart; an answer of more is noise, and each line costs as much as a hundred characters."""


def rows(text: str, notes: Notes) -> list[str]:
    """The text cut at line feeds; what stands behind the first MOST_LINES stays one piece, so that nothing is lost."""
    found = text.split("\n", MOST_LINES)
    if len(found) > MOST_LINES:
        notes.add("limit", "The answer has more lines than are told apart; the rest is kept as one.")
    return found


def text_lines(text: str, notes: Notes) -> tuple[TextLine, ...]:
    """Every line that is not blank, its indentation kept."""
    return tuple(TextLine(line.rstrip("\r")) for line in rows(text, notes) if line.strip())


def parse(text: str, finished: bool = True) -> PageContent:
    notes = Notes()
    text = cut_repeat(text, notes, finished).rstrip()
    lines = text_lines(text, notes)
    if not lines:
        notes.add("empty")
    return PageContent(lines, text=text.strip("\r\n"), warnings=notes.warnings())
