"""Windows, scales and merging of the line finder, with a detector that sees painted bars."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest

from ocr_ui.engines import line_finder
from ocr_ui.engines.line_finder import find_lines, windows_of


def page(width: int, height: int, *bars: tuple[int, int, int, int]) -> np.ndarray:
    """White, with black bars of left, top, right, bottom."""
    picture = np.full((height, width, 3), 255, np.uint8)
    for left, top, right, bottom in bars:
        picture[top:bottom, left:right] = 0
    return picture


class Bars:
    """Finds dark bars at least `smallest` pixels high, and notes the sizes of the pictures that it got."""

    def __init__(self, smallest: int = 1) -> None:
        self.smallest = smallest
        self.sizes: list[tuple[int, int]] = []

    def __call__(self, picture: np.ndarray) -> np.ndarray:
        self.sizes.append(picture.shape[:2])
        dark = (picture[..., 0] < 128).astype(np.uint8)
        boxes = [cv2.boundingRect(contour) for contour in cv2.findContours(dark, cv2.RETR_EXTERNAL, 2)[0]]
        quads = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in boxes if h >= self.smallest]
        return np.float32(quads).reshape(-1, 4, 2)


def found(picture: np.ndarray, detector: Bars) -> list[tuple[int, int, int, int]]:
    quads = [quad for part, _ in find_lines(picture, detector) for quad in part]
    return sorted(tuple(round(float(v)) for v in (*quad.min(0), *quad.max(0))) for quad in quads)


def close(one: list[tuple[int, ...]], other: list[tuple[int, ...]], by: int = 4) -> bool:
    return len(one) == len(other) and all(
        np.abs(np.subtract(a, b)).max() <= by for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize(("width", "height"), [(400, 12_000), (9000, 60), (1000, 5000), (60, 2000)])
def test_windows_cover_a_long_picture_and_overlap(width: int, height: int) -> None:
    windows = windows_of(width, height)
    assert len(windows) > 1
    ends = [(w.top, w.bottom) if height > width else (w.left, w.right) for w in windows]
    assert ends[0][0] == 0
    assert ends[-1][1] == max(width, height)
    for (_, end), (start, _) in pairwise(ends):
        assert end - start >= line_finder.OVERLAP_AT_LEAST


@pytest.mark.parametrize(("width", "height"), [(1000, 1400), (1000, 3900), (1167, 54), (1, 1)])
def test_other_pictures_are_seen_as_a_whole(width: int, height: int) -> None:
    assert len(windows_of(width, height)) == 1


def test_every_line_of_a_long_receipt_comes_once() -> None:
    bars = [(20, top, 380, top + 24) for top in range(10, 5970, 61)]
    assert close(found(page(400, 6000, *bars), Bars()), sorted(bars))


def test_a_line_through_all_windows_comes_whole() -> None:
    bars = [(10, 8, 8990, 28), (10, 36, 3000, 52), (4000, 36, 8000, 52)]
    assert close(found(page(9000, 60, *bars), Bars()), sorted(bars), by=8)


def test_a_vertical_line_through_all_windows_comes_whole() -> None:
    assert close(found(page(60, 4000, (15, 20, 45, 3980)), Bars()), [(15, 20, 45, 3980)], by=8)


def test_lines_of_the_first_window_come_before_the_second_is_looked_at() -> None:
    detector = Bars()
    parts = find_lines(page(400, 6000, (20, 100, 380, 130)), detector)
    lines, last = next(parts)
    assert len(lines) == 1
    assert not last
    assert len(detector.sizes) == 1
    assert [last for _, last in parts][-1]


def test_small_lines_are_looked_at_again_in_a_larger_copy() -> None:
    bars = [(100, top, 900, top + 12) for top in range(100, 1900, 40)]
    detector = Bars()
    assert close(found(page(2000, 2000, *bars), detector), sorted(bars))
    assert len(detector.sizes) == 2
    assert detector.sizes[1] > detector.sizes[0]


def test_a_headline_that_the_larger_copy_misses_is_kept() -> None:
    class Misses(Bars):
        def __call__(self, picture: np.ndarray) -> np.ndarray:
            quads = super().__call__(picture)
            return quads if len(self.sizes) == 1 else quads[np.ptp(quads[:, :, 1], axis=1) < 100]

    bars = [(100, 40, 1900, 240), *[(100, top, 900, top + 12) for top in range(300, 1900, 40)]]
    assert close(found(page(2000, 2000, *bars), Misses()), sorted(bars))


def test_lines_of_a_fitting_size_are_looked_for_once() -> None:
    detector = Bars()
    assert len(found(page(1000, 1400, (100, 100, 900, 140)), detector)) == 1
    assert len(detector.sizes) == 1


def test_where_nothing_is_found_ink_decides_about_a_second_look() -> None:
    blank, speck = Bars(smallest=10), Bars(smallest=10)
    assert found(page(3000, 3000), blank) == []
    assert len(blank.sizes) == 1
    assert close(found(page(3000, 3000, (1000, 1000, 1400, 1018)), speck), [(1000, 1000, 1400, 1018)])
    assert len(speck.sizes) == 2


def test_nothing_larger_than_the_limit_goes_to_the_detector() -> None:
    detector = Bars()
    found(page(6000, 6000, *[(100, top, 5000, top + 10) for top in range(100, 5900, 40)]), detector)
    assert max(height * width for height, width in detector.sizes) <= line_finder.MOST_PIXELS * 1.01
