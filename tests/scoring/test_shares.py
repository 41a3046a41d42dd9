"""Intervals of shares, worked out anew by searching for their bounds."""

from __future__ import annotations

import math
import random

import pytest

from ocr_ui.scoring.contest import unpaired
from ocr_ui.scoring.shares import Z, apart, share, verdict


def searched(count: int, of: int, upper: bool) -> float:
    """The share that lies just Z standard errors (by itself, not by what was seen) from what was seen."""
    low, high = (count / of, 1.0) if upper else (0.0, count / of)
    for _ in range(200):
        middle = (low + high) / 2
        inside = abs(count / of - middle) <= Z * math.sqrt(middle * (1 - middle) / of)
        low, high = (middle, high) if inside is upper else (low, middle)
    return low


@pytest.mark.parametrize(("count", "of"), [(0, 5), (1, 7), (3, 40), (20, 40), (57, 60), (9, 9)])
def test_wilsons_interval_holds_what_lies_within_its_standard_errors(count: int, of: int) -> None:
    found = share(count, of)
    assert found.low == pytest.approx(searched(count, of, upper=False), abs=1e-9)
    assert found.high == pytest.approx(searched(count, of, upper=True), abs=1e-9)


@pytest.mark.parametrize(("first", "second"), [((3, 40), (12, 45)), ((0, 10), (4, 12)), ((20, 40), (19, 41))])
def test_the_difference_joins_both_intervals(first: tuple[int, int], second: tuple[int, int]) -> None:
    found = apart(share(*first), share(*second))
    one, other = first[0] / first[1], second[0] / second[1]
    below = (other - searched(*second, upper=False)) ** 2 + (searched(*first, upper=True) - one) ** 2
    above = (searched(*second, upper=True) - other) ** 2 + (one - searched(*first, upper=False)) ** 2
    assert found.difference == pytest.approx(other - one)
    assert found.low == pytest.approx(other - one - math.sqrt(below), abs=1e-8)
    assert found.high == pytest.approx(other - one + math.sqrt(above), abs=1e-8)


def test_nothing_judged_says_nothing() -> None:
    assert (share(0, 0).value, share(0, 0).low, share(0, 0).high) == (None, 0.0, 1.0)
    assert apart(share(0, 0), share(1, 2)) is None
    assert unpaired([], [(1, 2)]) is None


@pytest.mark.parametrize(
    ("low", "high", "fewest", "lower", "said"),
    [
        (-0.1, 0.1, 100, True, "open"),
        (0.02, 0.1, 100, True, "worse"),
        (-0.1, -0.02, 100, True, "better"),
        (0.02, 0.1, 100, False, "better"),
        (0.3, 0.9, 5, True, "few"),
    ],
)
def test_what_may_be_chance_is_no_verdict(low: float, high: float, fewest: int, lower: bool, said: str) -> None:
    assert verdict(low, high, fewest, lower) == said


def test_pages_of_each_side_are_drawn_by_themselves() -> None:
    chance = random.Random(4)
    first = [(float(chance.random() < 0.2), 1.0) for _ in range(300)]
    second = [(float(chance.random() < 0.4), 1.0) for _ in range(200)]
    low, high = unpaired(first, second)
    one, other = (sum(part for part, _ in parts) / len(parts) for parts in (first, second))
    error = Z * math.sqrt(one * (1 - one) / 300 + other * (1 - other) / 200)
    assert low == pytest.approx(other - one - error, abs=0.015)
    assert high == pytest.approx(other - one + error, abs=0.015)
