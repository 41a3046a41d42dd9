"""Days from which on a measure is another than before, by more than chance.

Each day is tried as the border of two samples: the days before it against it and those behind it. What is looked for at
many places is found by chance somewhere; so all that was tried counts (Holm), for all measures together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

BEFORE, AFTER = 14, 7
"""Days with a value, on either side of a border, that are compared at most."""
LEAST = 30
"""Values that a side needs; of fewer nothing is told."""
ALPHA = 0.01
"""The probability that anything is found where nothing has changed."""
LEAST_PSI = 0.1
"""Population stability index from which on a shift is worth telling: a tenth is usually called small."""
_BINS = 10
_EACH = 5
"""Values that each kind must be expected to have on each side, for the test to hold; rarer kinds count as one."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A border that was tried.

    Attributes:
        day: the number of the first day behind it.
        p: how probable as large a difference is where nothing has changed.
        score: statistic of the test; the larger, the clearer, within one measure.
        psi: population stability index: the sum over bins or kinds of (b - a) ln(b / a), of their shares before (a)
            and behind (b).
        before, after: numbers of values compared.
        first, last: numbers of the first day before and the last one behind that were compared.
    """

    measure: str
    day: int
    p: float
    score: float
    psi: float
    before: int
    after: int
    first: int
    last: int


def tried(measure: str, days: np.ndarray, values: np.ndarray) -> Iterator[Tried]:
    """Every day with LEAST values on either side.

    Args:
        days: of each value the number of its day.
        values: numbers are compared by Kolmogorov and Smirnov's test, texts as kinds by chi-square.
    """
    kinds = values.dtype.kind not in "fiub"
    coded = np.unique(values.astype(str), return_inverse=True)[1] if kinds else values.astype(float)
    there = np.unique(days)
    for place in range(1, len(there)):
        day, first = int(there[place]), int(there[max(0, place - BEFORE)])
        last = int(there[min(len(there), place + AFTER) - 1])
        before, after = coded[(days >= first) & (days < day)], coded[(days >= day) & (days <= last)]
        if min(len(before), len(after)) < LEAST:
            continue
        score, p = _kinds(before, after) if kinds else _numbers(before, after)
        index = _psi(*(_counts(before, after) if kinds else _binned(before, after)))
        yield Tried(measure, day, p, score, index, len(before), len(after), first, last)


def shifts(all_tried: Iterable[Tried]) -> list[Tried]:
    """What is no chance, in the order of days. A border that another one of its measure, a clearer one, lies within the
    samples of is the same shift seen from beside it."""
    ordered = sorted(all_tried, key=lambda one: one.p)
    found: list[Tried] = []
    for rank, one in enumerate(ordered):
        if one.p > ALPHA / (len(ordered) - rank):
            break
        if one.psi >= LEAST_PSI:
            found.append(one)
    kept: list[Tried] = []
    for one in sorted(found, key=lambda one: -one.score):
        if not any(one.measure == other.measure and one.first < other.day <= one.last for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.day)


def _numbers(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    from scipy.special import kolmogorov  # scipy takes a moment to import

    both = np.concatenate((before, after))
    shares = [np.searchsorted(np.sort(side), both, side="right") / len(side) for side in (before, after)]
    size = np.sqrt(len(before) * len(after) / len(both))
    score = float(np.abs(shares[0] - shares[1]).max() * (size + 0.12 + 0.11 / size))
    return score, float(kolmogorov(score))


def _kinds(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    from scipy.special import chdtrc

    seen = np.array(_counts(before, after), dtype=float)
    smaller = min(len(before), len(after)) / seen.sum()
    rare = seen.sum(axis=0) * smaller < _EACH
    if rare.any():
        rest = seen[:, rare].sum(axis=1, keepdims=True)
        seen = np.hstack((seen[:, ~rare], rest)) if rest.sum() * smaller >= _EACH else seen[:, ~rare]
    if seen.shape[1] < 2:
        return 0.0, 1.0
    expected = seen.sum(axis=1, keepdims=True) * seen.sum(axis=0, keepdims=True) / seen.sum()
    apart = np.abs(seen - expected)
    if seen.shape[1] == 2:
        apart = np.maximum(apart - 0.5, 0)  # Yates
    score = float((apart**2 / expected).sum())
    return score, float(chdtrc(seen.shape[1] - 1, score))


def _counts(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    kinds = int(max(before.max(), after.max())) + 1
    counted = [np.bincount(side.astype(int), minlength=kinds) for side in (before, after)]
    there = counted[0] + counted[1] > 0
    return counted[0][there], counted[1][there]


def _binned(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """In bins that hold as many values of before each, fewer of them where there are few values."""
    bins = min(_BINS, min(len(before), len(after)) // 10)
    edges = np.unique(np.quantile(before, np.linspace(0, 1, bins + 1)[1:-1]))
    places = [np.searchsorted(edges, side, side="left") for side in (before, after)]
    first, second = (np.bincount(side, minlength=len(edges) + 1) for side in places)
    return first, second


def _psi(before: np.ndarray, after: np.ndarray) -> float:
    """Half a value is added to each bin, so that an empty one is no infinity."""
    shares = [(side + 0.5) / (side.sum() + 0.5 * len(side)) for side in (before, after)]
    return float(((shares[1] - shares[0]) * np.log(shares[1] / shares[0])).sum())
