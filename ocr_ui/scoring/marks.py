"""Where two texts differ once a normalisation has made equal what it does, told of the texts as they are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from rapidfuzz.distance import Levenshtein

from ocr_ui.scoring.segments import Segment
from ocr_ui.scoring.text import Normalization

BREAK = "↵"
"""Stands at the end of a line for a line break that counts as a difference."""


def marked_lines(
    ours: Sequence[str], theirs: Sequence[str], normalization: Normalization
) -> tuple[list[tuple[Segment, ...]], list[tuple[Segment, ...]]]:
    """The lines of two texts in pieces, as `segments` gives those of a line.

    The texts are compared as wholes, as a score compares them: where white space is made equal, so are line breaks.
    """
    one, other = "\n".join(ours), "\n".join(theirs)
    left, right = _spread(one, normalization), _spread(other, normalization)
    marks = bytearray(len(one)), bytearray(len(other))
    said = ["".join(char for char, _, _ in side) for side in (left, right)]
    for part in Levenshtein.opcodes(*said):
        if part.tag != "equal":
            _mark(marks[0], left[part.src_start : part.src_end])
            _mark(marks[1], right[part.dest_start : part.dest_end])
    return list(_pieces(ours, marks[0])), list(_pieces(theirs, marks[1]))


Spread = list[tuple[str, int, int]]
"""Characters of a normalised text, each with the part of the text as written that it stands for."""


def _spread(text: str, normalization: Normalization) -> Spread:
    alone = replace(normalization, spaces=False, no_spaces=False)
    made = [(char, start, end) for start, end in _clusters(text) for char in alone(text[start:end])]
    if normalization.no_spaces:
        return [one for one in made if not one[0].isspace()]
    return _one_blank(made) if normalization.spaces else made


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Characters with what is joined to them: accents, vowel signs, halves of Korean syllables, marks of kana."""
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or not _joins(text[end]):
            yield start, end
            start = end


def _joins(char: str) -> bool:
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f"


def _one_blank(made: Spread) -> Spread:
    """Runs of white space as one blank, at the ends none."""
    found: Spread = []
    for blank, run in groupby(made, lambda one: one[0].isspace()):
        parts = list(run)
        found += [(" ", parts[0][1], parts[-1][2])] if blank else parts
    return found[bool(found) and found[0][0] == " " : len(found) - (len(found) > 1 and found[-1][0] == " ")]


def _mark(marks: bytearray, parts: Iterable[tuple[str, int, int]]) -> None:
    for _, start, end in parts:
        marks[start:end] = b"\x01" * (end - start)


def _pieces(lines: Sequence[str], marks: bytearray) -> Iterator[tuple[Segment, ...]]:
    start = 0
    for line in lines:
        end = start + len(line)
        runs = groupby(zip(line, marks[start:end], strict=True), lambda pair: bool(pair[1]))
        told = [("".join(char for char, _ in run), differs) for differs, run in runs]
        yield (*told, (BREAK, True)) if any(marks[end : end + 1]) else tuple(told)
        start = end + 1
