from __future__ import annotations

import random
import statistics

import numpy as np
import pytest

from ocr_ui.scoring.contest import difference, interval


def cers(*values: float) -> list[dict[str, tuple[float, float]]]:
    return [{"cer": (value, 100)} for value in values]


def test_pages_on_which_each_is_better_are_counted() -> None:
    found = difference(cers(1, 5, 5, 9), cers(0, 5, 9, 8), "cer")
    assert (found.better, found.equal, found.worse, found.pages) == (2, 1, 1, 4)
    assert found.first == pytest.approx(0.05)
    assert found.second == pytest.approx(0.055)


def test_more_is_better_where_that_is_so() -> None:
    found = difference([{"teds": (0.5, 1)}] * 6, [{"teds": (0.9, 1)}] * 6, "teds")
    assert (found.better, found.worse, found.verdict) == (6, 0, "better")
    assert found.low == pytest.approx(0.4)
    assert found.high == pytest.approx(0.4)


def test_noise_is_not_called_progress() -> None:
    drawn = random.Random(5)
    first = cers(*(drawn.uniform(0, 20) for _ in range(60)))
    second = [{"cer": (one["cer"][0] + drawn.gauss(0, 4), 100)} for one in first]
    found = difference(first, second, "cer")
    assert found.low < 0 < found.high
    assert found.verdict == "open"


def test_a_small_change_of_every_page_is_seen_among_large_ones_between_pages() -> None:
    """That is what pairing is for: pages differ by twenty, the competitors by one."""
    drawn = random.Random(5)
    first = cers(*(drawn.uniform(0, 20) for _ in range(60)))
    second = [{"cer": (one["cer"][0] + drawn.uniform(0.5, 1.5), 100)} for one in first]
    found = difference(first, second, "cer")
    assert found.verdict == "worse"
    assert 0.005 < found.low < 0.01 < found.high < 0.015


@pytest.mark.parametrize(("pages", "verdict"), [(1, "few"), (5, "few"), (6, "worse")])
def test_a_few_pages_prove_nothing_however_clear_they_are(pages: int, verdict: str) -> None:
    assert difference(cers(*[1] * pages), cers(*[9] * pages), "cer").verdict == verdict


def test_equal_competitors_are_equal() -> None:
    found = difference(cers(1, 2, 3), cers(1, 2, 3), "cer")
    assert (found.verdict, found.low, found.high, found.equal) == ("equal", 0, 0, 3)


def test_pages_that_one_has_not_read_stay_out() -> None:
    found = difference([{"cer": (1, 100)}, {}], [{"cer": (2, 100)}, {"cer": (90, 100)}], "cer")
    assert (found.pages, found.second) == (1, 0.02)
    assert difference([{}], [{"cer": (1, 2)}], "cer") is None


def test_the_interval_is_that_of_a_plain_bootstrap() -> None:
    """Against the textbook, in plain Python with a random generator of its own."""
    drawn = random.Random(3)
    first = [{"cer": (drawn.randint(0, 30), drawn.randint(50, 150))} for _ in range(40)]
    second = [{"cer": (max(0, one["cer"][0] - drawn.randint(-3, 6)), one["cer"][1])} for one in first]
    found = difference(first, second, "cer")
    steps = []
    for _ in range(4000):
        pages = [drawn.randrange(40) for _ in range(40)]
        rates = [
            sum(side[n]["cer"][0] for n in pages) / sum(side[n]["cer"][1] for n in pages) for side in (first, second)
        ]
        steps.append(rates[1] - rates[0])
    cuts = statistics.quantiles(steps, n=40)
    assert found.low == pytest.approx(cuts[0], abs=0.003)
    assert found.high == pytest.approx(cuts[-1], abs=0.003)


def test_the_same_seed_gives_the_same_interval() -> None:
    parts = [(n % 7, 10) for n in range(30)]
    assert interval(parts) == interval(parts)
    assert interval(parts) != interval(parts, seed=1)
    low, high = interval(parts)
    assert low < sum(part for part, _ in parts) / 300 < high
    assert interval([]) is None


def test_a_pile_of_pages_is_drawn_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [(n % 7, 10) for n in range(30)]
    whole = interval(parts, draws=500)
    monkeypatch.setattr("ocr_ui.scoring.contest._CELLS_AT_ONCE", 90)
    assert interval(parts, draws=500) == pytest.approx(whole)


def test_pages_without_anything_to_read_do_not_divide_by_zero() -> None:
    with np.errstate(all="raise"):
        assert interval([(0, 0), (0, 0)]) == (0, 0)
