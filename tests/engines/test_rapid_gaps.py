"""Blanks put back where a wide gap stands in Chinese or Japanese text."""

from __future__ import annotations

import numpy as np
import pytest

from ocr_ui.engines.gaps import with_gaps
from ocr_ui.engines.rapid_models import Reading


def line(*lefts: int) -> tuple[np.ndarray, tuple[float, ...]]:
    """A level line 40 pixels high with a character of 30 pixels at each place, and the characters' middles."""
    width = lefts[-1] + 40
    crop = np.full((40, width, 3), 255, np.uint8)
    for left in lefts:
        crop[6:34, left : left + 30 : 3] = 0
        crop[6:34, left + 1 : left + 30 : 3] = 60
    return crop, tuple((left + 15) / width for left in lefts)


@pytest.mark.parametrize(
    ("text", "lefts", "wanted"),
    [
        ("大桶装更划算", (4, 38, 72, 150, 184, 218), "大桶装 更划算"),
        ("大桶装更划算", (4, 38, 72, 106, 140, 174), "大桶装更划算"),
        ("大桶装 更划算", (4, 38, 72, 150, 184, 218), "大桶装 更划算"),
        ("合计金额", (4, 70, 136, 202), "合计金额"),
        ("abcdef", (4, 38, 72, 150, 184, 218), "abcdef"),
        ("No姓名", (4, 38, 130, 164), "No 姓名"),
        ("  大桶装更", (4, 38, 130, 164), "  大桶 装更"),
        ("大桶，更划算", (4, 38, 72, 126, 160, 194), "大桶，更划算"),
        ("大桶】更划算", (4, 38, 72, 150, 184, 218), "大桶】 更划算"),
        ("", (4,), ""),
    ],
)
def test_with_gaps(text: str, lefts: tuple[int, ...], wanted: str) -> None:
    crop, places = line(*lefts)
    assert with_gaps(crop, Reading(text, 0.9, places if text else ())) == wanted


def test_places_that_do_not_fit_the_text_change_nothing() -> None:
    crop, places = line(4, 38, 130)
    assert with_gaps(crop, Reading("大桶装更", 0.9, places)) == "大桶装更"
