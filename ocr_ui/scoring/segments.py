"""Where two texts differ, character by character, in the form in which both can be shown."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

Segment = tuple[str, bool]
"""A piece of a text, and whether the other text has something else there."""

_LONGEST_EXPLAINED = 20_000
_ALIKE = 0.3
"""Below this similarity marks on single characters say nothing: the whole texts differ."""


def segments(one: str, other: str) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Both texts in pieces; the pieces of each joined are the text.

    Texts that have little in common, or more than 20,000 characters together, are marked as wholes.
    """
    if one == other:
        return _whole(one, False), _whole(other, False)
    if len(one) + len(other) > _LONGEST_EXPLAINED or Levenshtein.normalized_similarity(one, other) < _ALIKE:
        return _whole(one, True), _whole(other, True)
    ours: list[Segment] = []
    theirs: list[Segment] = []
    for part in Levenshtein.opcodes(one, other):
        differs = part.tag != "equal"
        _append(ours, one[part.src_start : part.src_end], differs)
        _append(theirs, other[part.dest_start : part.dest_end], differs)
    return tuple(ours), tuple(theirs)


def _whole(text: str, differs: bool) -> tuple[Segment, ...]:
    return ((text, differs),) if text else ()


def _append(pieces: list[Segment], text: str, differs: bool) -> None:
    if not text:
        return
    if pieces and pieces[-1][1] == differs:
        text = pieces.pop()[0] + text
    pieces.append((text, differs))
