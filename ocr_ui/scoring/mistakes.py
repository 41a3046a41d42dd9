"""What was read wrong in a line: the words that differ, so that the same mistake can be looked for elsewhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

LONGEST = 80
"""Characters; what differs by more is another text rather than a mistake that comes again."""
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class Mistake:
    """Attributes:
    wrong: as it was read: whole words or, where writing has no spaces, with a character of its surroundings.
    right: as a person says it is.
    """

    wrong: str
    right: str


def mistake(model: str, human: str) -> Mistake | None:
    """The mistake of a line; None where there is none, or nothing that could be found again."""
    start = _shared(model, human)
    end = _shared(model[start:][::-1], human[start:][::-1])
    left = _widened(model, start, -1)
    right = _widened(model, len(model) - end, 1)
    wrong = model[left:right]
    rest = len(model) - right
    fixed = human[left : len(human) - rest]
    whole, meant = wrong.strip(), fixed.strip()
    if whole == meant or len(whole) > LONGEST or not any(letter.isalnum() for letter in whole):
        return None
    return Mistake(whole, meant)


def places(text: str, wrong: str) -> Iterator[int]:
    """Where a wrong reading stands in a text as words of its own."""
    at = text.find(wrong)
    while at >= 0:
        end = at + len(wrong)
        if not (_runs_on(text, at, -1) or _runs_on(text, end, 1)):
            yield at
        at = text.find(wrong, end)


def _shared(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _widened(text: str, at: int, step: int) -> int:
    """From the place of a change to the bound of its word, in the direction of `step`."""
    beside = at - 1 if step < 0 else at
    if 0 <= beside < len(text) and _UNSPACED.match(text[beside]):
        return at + step
    while 0 <= beside < len(text) and _in_word(text[beside]):
        at, beside = at + step, beside + step
    return at


def _runs_on(text: str, at: int, step: int) -> bool:
    """Whether a word goes on over the place before the character at `at`."""
    if not 0 < at < len(text):
        return False
    beside = text[at - 1] if step < 0 else text[at]
    inside = text[at] if step < 0 else text[at - 1]
    return _in_word(beside) and _in_word(inside)


def _in_word(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LMN" and not _UNSPACED.match(letter)
