"""Pixels that are kept for the next reading, and pictures that are decoded once."""

from __future__ import annotations

import numpy as np
import pytest

from ocr_ui.services.recent_pixels import RecentPixels


def picture(side: int = 10) -> np.ndarray:
    return np.zeros((side, side, 3), np.uint8)


def test_what_was_kept_comes_back_and_cannot_be_written_to() -> None:
    recent, pixels = RecentPixels(), picture()
    assert recent.get("a") is None
    recent.keep("a", pixels)
    assert recent.get("a") is pixels
    with pytest.raises(ValueError, match="read-only"):
        recent.get("a")[0, 0] = 1


def test_the_longest_unused_goes_first_and_what_is_too_large_is_not_kept() -> None:
    recent = RecentPixels(most_bytes=700)
    a, b, c = (picture() for _ in "abc")
    recent.keep("a", a)
    recent.keep("b", b)
    recent.keep("b", b)
    assert recent.get("a") is a
    recent.keep("c", c)
    assert recent.get("a") is a
    assert recent.get("b") is None
    assert recent.get("c") is c
    recent.keep("large", picture(side=20))
    assert recent.get("large") is None
    assert recent.get("c") is c


def test_many_small_pictures_are_not_all_kept() -> None:
    recent = RecentPixels(most=3)
    kept = [picture(side=1) for _ in range(5)]
    for number, pixels in enumerate(kept):
        recent.keep(str(number), pixels)
    assert [recent.get(str(number)) is pixels for number, pixels in enumerate(kept)] == [False, False, True, True, True]
