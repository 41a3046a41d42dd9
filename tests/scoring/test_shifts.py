from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ocr_ui.scoring.shifts import LEAST, shifts, tried

DAYS = 60
EACH = 20


def by_day(numbers: np.random.Generator, days: int = DAYS, each: int = EACH) -> np.ndarray:
    return np.repeat(np.arange(days) * 2, each)  # every other day: those without a page are no days


def kinds(numbers: np.random.Generator, *shares: float, of: int) -> np.ndarray:
    return numbers.choice(["complex", "dense", "simple"], size=of, p=shares)


@pytest.fixture
def numbers() -> np.random.Generator:
    return np.random.default_rng(7)


def test_noise_is_no_shift(numbers: np.random.Generator) -> None:
    found = 0
    for _ in range(20):
        days = by_day(numbers)
        sizes, layouts = numbers.normal(size=len(days)), kinds(numbers, 0.1, 0.2, 0.7, of=len(days))
        found += len(shifts([*tried("size", days, sizes), *tried("layout", days, layouts)]))
    assert found == 0


def test_planted_shifts_are_found_at_their_day_and_once(numbers: np.random.Generator) -> None:
    days = by_day(numbers)
    sizes = numbers.normal(size=len(days)) + np.where(days >= 30, 1.0, 0)
    some = int((days < 80).sum())
    layouts = np.concatenate(
        (kinds(numbers, 0.1, 0.2, 0.7, of=some), kinds(numbers, 0.5, 0.2, 0.3, of=len(days) - some))
    )
    found = shifts([*tried("size", days, sizes), *tried("layout", days, layouts)])
    assert [one.measure for one in found] == ["size", "layout"]
    assert abs(found[0].day - 30) <= 2
    assert abs(found[1].day - 80) <= 2
    assert all(one.psi > 0.25 for one in found)


def test_two_shifts_of_one_measure_are_two(numbers: np.random.Generator) -> None:
    days = by_day(numbers)
    values = numbers.normal(size=len(days)) + np.where((days >= 40) & (days < 80), 2.0, 0)
    found = shifts(tried("size", days, values))
    assert [abs(one.day - day) <= 2 for one, day in zip(found, (40, 80), strict=True)] == [True, True]


def test_a_difference_that_is_certain_and_tiny_is_not_told(numbers: np.random.Generator) -> None:
    days = by_day(numbers, days=10, each=4_000)
    values = numbers.normal(size=len(days)) + np.where(days >= 10, 0.15, 0)
    all_tried = list(tried("size", days, values))
    assert min(one.p for one in all_tried) < 1e-9
    assert shifts(all_tried) == []


def test_of_few_values_nothing_is_told() -> None:
    days = np.repeat([0, 1], LEAST - 1)
    assert list(tried("size", days, days.astype(float))) == []
    assert list(tried("size", np.array([], dtype=int), np.array([], dtype=float))) == []


def test_the_tests_are_those_of_scipy(numbers: np.random.Generator) -> None:
    days = np.repeat([0, 1], 300)
    values = numbers.normal(size=600) + days * 0.2
    (one,) = tried("size", days, values)
    assert one.p == pytest.approx(stats.ks_2samp(values[:300], values[300:], method="asymp").pvalue, rel=0.3)
    said = kinds(numbers, 0.2, 0.3, 0.5, of=600)
    (one,) = tried("layout", days, said)
    table = [[int((said[side] == kind).sum()) for kind in sorted(set(said))] for side in (days == 0, days == 1)]
    assert one.p == pytest.approx(stats.chi2_contingency(table).pvalue)
    shares = np.array(table) / 300
    psi = ((shares[1] - shares[0]) * np.log(shares[1] / shares[0])).sum()
    assert one.psi == pytest.approx(psi, abs=1e-3)


def test_what_is_always_the_same_and_what_is_rare_is_no_shift() -> None:
    days = np.repeat([0, 1], 100)
    same = np.full(200, "simple")
    rare = np.where(np.arange(200) == 150, "dense", "simple")
    for values in (same, rare, np.ones(200)):
        (one,) = tried("any", days, values)
        assert one.p > 0.3
