"""Two competitors on the same pages: how far apart they are, and how far that may be chance.

Pages are drawn anew with replacement, the same ones for both sides (paired bootstrap, percentiles), so that what makes
a page hard for both does not count as a difference between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ocr_ui.scoring.metrics import METRIC, Part, corpus, value

DRAWS = 2_000
SEED = 20_261_130
SURE = 0.95
"""Share of the draws that an interval holds."""

FEWEST = 6
"""Of fewer pages that differ all may fall to one side by chance, as coins do, more often than in 5 of 100 cases."""

_CELLS_AT_ONCE = 4_000_000
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """Second competitor less first, in one measure, over the pages that both have it of.

    Attributes:
        low, high: of the interval.
        better, equal, worse: pages on which the second is that.
        verdict: better or worse where the interval leaves no doubt which; else `open`; `few` where it does so of fewer
            than FEWEST pages that differ; `equal` where none does.
    """

    metric: str
    first: float
    second: float
    low: float
    high: float
    better: int
    equal: int
    worse: int
    verdict: str

    @property
    def pages(self) -> int:
        return self.better + self.equal + self.worse

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "difference": self.second - self.first, "pages": self.pages}


def interval(parts: Sequence[Part], draws: int = DRAWS, seed: int = SEED) -> tuple[float, float] | None:
    """Where the measure of pages like these lies, in 95 of 100 cases; None of none."""
    if not parts:
        return None
    sums = _drawn(np.array(parts, dtype=float), draws, seed)
    return _bounds(_values(sums[:, 0], sums[:, 1]))


def unpaired(
    first: Sequence[Part], second: Sequence[Part], draws: int = DRAWS, seed: int = SEED
) -> tuple[float, float] | None:
    """Second less first where each side has pages of its own: where the difference lies, in 95 of 100 cases."""
    if not first or not second:
        return None
    ours = _drawn(np.array(first, dtype=float), draws, seed)
    theirs = _drawn(np.array(second, dtype=float), draws, seed + 1)
    return _bounds(_values(theirs[:, 0], theirs[:, 1]) - _values(ours[:, 0], ours[:, 1]))


def difference(
    first: Sequence[Mapping[str, Part]],
    second: Sequence[Mapping[str, Part]],
    metric: str,
    draws: int = DRAWS,
    seed: int = SEED,
    lower: bool | None = None,
) -> Difference | None:
    """Compares two competitors in one measure.

    Args:
        first, second: of the same pages in the same order, an empty mapping for a page that one has not read.
        lower: less of it is better; None for what METRICS says of it.

    Returns:
        None where there is no page of which both have the measure.
    """
    both = [(a[metric], b[metric]) for a, b in zip(first, second, strict=True) if metric in a and metric in b]
    if not both:
        return None
    ours, theirs = zip(*both, strict=True)
    sums = _drawn(np.hstack([np.array(ours, dtype=float), np.array(theirs, dtype=float)]), draws, seed)
    low, high = _bounds(_values(sums[:, 2], sums[:, 3]) - _values(sums[:, 0], sums[:, 1]))
    lower = METRIC[metric].lower if lower is None else lower
    steps = [value(b) - value(a) for a, b in both]
    more, less = sum(step > _EQUAL for step in steps), sum(step < -_EQUAL for step in steps)
    better, worse = (less, more) if lower else (more, less)
    return Difference(
        metric=metric,
        first=corpus(ours) or 0.0,
        second=corpus(theirs) or 0.0,
        low=low,
        high=high,
        better=better,
        equal=len(steps) - more - less,
        worse=worse,
        verdict=_verdict(low, high, lower, more + less),
    )


def _verdict(low: float, high: float, lower: bool, changed: int) -> str:
    if not changed:
        return "equal"
    if low <= _EQUAL and high >= -_EQUAL:
        return "open"
    if changed < FEWEST:
        return "few"
    return "worse" if (low > 0) is lower else "better"


def _drawn(columns: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Sums of each column over pages drawn with replacement.

    Args:
        columns: of shape (pages, columns).

    Returns:
        Array of shape (draws, columns).
    """
    random, pages = np.random.default_rng(seed), len(columns)
    at_once = max(1, min(draws, _CELLS_AT_ONCE // pages))
    sums = []
    for start in range(0, draws, at_once):
        some = min(at_once, draws - start)
        picked = random.integers(0, pages, (some, pages))
        picked += np.arange(some)[:, None] * pages
        counts = np.bincount(picked.ravel(), minlength=some * pages).reshape(some, pages)
        sums.append(counts @ columns)
    return np.vstack(sums)


def _values(parts: np.ndarray, wholes: np.ndarray) -> np.ndarray:
    """As `metrics.value` of each."""
    return np.where(wholes > 0, parts / np.where(wholes > 0, wholes, 1), (parts > 0).astype(float))


def _bounds(values: np.ndarray) -> tuple[float, float]:
    low, high = np.percentile(values, [50 * (1 - SURE), 50 * (1 + SURE)])
    return float(low), float(high)
