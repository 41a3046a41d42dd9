"""Shares of a whole with their intervals (Wilson's score), and how far apart two of them are (Newcombe's)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ocr_ui.scoring.contest import FEWEST

Z = 1.959963984540054
"""Of the normal distribution, for intervals that hold in 95 of 100 cases."""


@dataclass(frozen=True, slots=True)
class Share:
    """Attributes: low, high: of the interval; 0 and 1 where there is nothing to say."""

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Apart:
    """Second less first.

    Attributes:
        verdict: of what is the worse the more there is of it: better or worse where the interval leaves no doubt;
            else `open`; `few` where it does so of fewer than FEWEST on one of the sides, or there is nothing.
    """

    difference: float
    low: float
    high: float
    verdict: str


def share(count: int, of: int, z: float = Z) -> Share:
    """Wilson's interval, which holds for few and for extreme shares too."""
    if not of:
        return Share(0, 0, 0.0, 1.0)
    p, square = count / of, z * z
    middle = (p + square / (2 * of)) / (1 + square / of)
    half = z / (1 + square / of) * math.sqrt(p * (1 - p) / of + square / (4 * of * of))
    return Share(count, of, max(0.0, middle - half), min(1.0, middle + half))


def apart(first: Share, second: Share) -> Apart | None:
    """Newcombe's hybrid of two Wilson intervals; None where one side has nothing."""
    one, other = first.value, second.value
    if one is None or other is None:
        return None
    difference = other - one
    low = difference - math.hypot(other - second.low, first.high - one)
    high = difference + math.hypot(second.high - other, one - first.low)
    return Apart(difference, low, high, verdict(low, high, min(first.of, second.of)))


def verdict(low: float, high: float, fewest: int, lower: bool = True) -> str:
    """What an interval of a difference says. Args: lower: less is better. fewest: on one side."""
    if fewest < FEWEST:
        return "few"
    if low <= 0 <= high:
        return "open"
    return "worse" if (low > 0) is lower else "better"
