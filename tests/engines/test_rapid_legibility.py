"""Reading or guessing: the verdict on a line and the jury over a page."""

from __future__ import annotations

import numpy as np

from ocr_ui.engines.legibility import Jury, Legibility, covered_ink, legibility
from ocr_ui.engines.rapid_models import Reading

CROP = np.full((48, 480, 3), 255, np.uint8)
CROP[10:38, 10:470:4] = 0
EVEN = tuple(np.linspace(0.05, 0.95, 10))


def never(crop: np.ndarray) -> Reading:
    raise AssertionError("read again without need")


def test_a_sure_reading_is_read() -> None:
    assert legibility(CROP, Reading("abcdefghij", 0.9, EVEN), never) is Legibility.READ


def test_blank_or_improbable_is_unread() -> None:
    assert legibility(CROP, Reading("", 0.99), never) is Legibility.UNREAD
    assert legibility(CROP, Reading("abcdefghij", 0.49, EVEN), never) is Legibility.UNREAD


def test_few_letters_for_much_ink_are_doubtful_however_sure() -> None:
    assert legibility(CROP, Reading("W", 0.99, (0.1,)), never) is Legibility.DOUBTFUL


def test_an_unsure_reading_must_be_steady() -> None:
    unsure = Reading("abcdefghij", 0.6, EVEN)
    assert legibility(CROP, unsure, lambda crop: unsure) is Legibility.READ
    assert legibility(CROP, unsure, lambda crop: Reading("d1n o71 d", 0.6, EVEN)) is Legibility.DOUBTFUL


def test_covered_ink() -> None:
    assert covered_ink(CROP, EVEN) == 1
    assert covered_ink(CROP, (0.5,)) < 0.25
    assert covered_ink(np.full_like(CROP, 255), (0.5,)) == 1


def test_a_read_page_flows() -> None:
    jury: Jury[str] = Jury()
    assert jury.hear("a", Legibility.READ, 10) == ["a"]
    assert jury.hear("b", Legibility.DOUBTFUL, 5) == ["b"]
    assert jury.close() == []
    assert jury.legible


def test_doubtful_lines_wait_for_read_ones_and_keep_their_place() -> None:
    jury: Jury[str] = Jury()
    assert jury.hear("a", Legibility.DOUBTFUL, 10) == []
    assert jury.hear("b", Legibility.READ, 5) == []
    assert jury.hear("c", Legibility.READ, 5) == ["a", "b", "c"]


def test_of_an_unread_page_only_read_lines_come() -> None:
    jury: Jury[str] = Jury()
    for item, verdict in (("a", Legibility.DOUBTFUL), ("b", Legibility.UNREAD), ("c", Legibility.READ)):
        assert jury.hear(item, verdict, 10) == []
    assert not jury.legible
    assert jury.close() == ["c"]


def test_round_noise_says_nothing_about_the_script() -> None:
    jury: Jury[str] = Jury()
    for _ in range(50):
        jury.hear("logo", Legibility.UNREAD, 1.2)
    assert jury.legible
