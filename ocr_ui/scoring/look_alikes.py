"""Which characters are taken for each other: the table `look_alikes.txt`, and the widths that NFKC makes equal."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import permutations
from pathlib import Path

_TABLE = Path(__file__).with_suffix(".txt")
_LONGEST_RUN = 64


def alike(one: str, other: str) -> bool:
    """The texts differ, and only in characters that look alike, groups such as `rn` and `m` included.

    Texts of more than 64 characters are never alike: so long a run is no mix-up of characters.
    """
    if one == other or max(len(one), len(other)) > _LONGEST_RUN:
        return False
    reached = {(0, 0)}
    ahead = [(0, 0)]
    while ahead:
        at = ahead.pop()
        for step in _steps(one, other, *at):
            if step not in reached:
                reached.add(step)
                ahead.append(step)
    return (len(one), len(other)) in reached


def _steps(one: str, other: str, i: int, j: int) -> list[tuple[int, int]]:
    """Places after one more pair of equal or alike pieces, from place `i` in one and `j` in the other."""
    pairs, longest = _pairs()
    steps = []
    for m in range(1, min(longest, len(one) - i) + 1):
        for n in range(1, min(longest, len(other) - j) + 1):
            a, b = one[i : i + m], other[j : j + n]
            if a == b or (a, b) in pairs or _same_width_aside(a, b):
                steps.append((i + m, j + n))
    return steps


def _same_width_aside(one: str, other: str) -> bool:
    return unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other)


@cache
def _pairs() -> tuple[frozenset[tuple[str, str]], int]:
    """All ordered pairs of the table, and the length of its longest entry."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    sets = [line.split() for line in lines if line.strip() and not line.startswith("# ")]
    pairs = frozenset(pair for alike_ones in sets for pair in permutations(alike_ones, 2))
    return pairs, max(len(entry) for alike_ones in sets for entry in alike_ones)
