"""Reading order of boxes, drawn as numbers."""

from __future__ import annotations

import numpy as np

from ocr_ui.engines.rapid_models import from_top_left
from ocr_ui.engines.reading_order import is_tall, reading_order


def quads(*boxes: tuple[float, float, float, float]) -> np.ndarray:
    """Left, top, right, bottom of each."""
    return np.float32([[(a, b), (c, b), (c, d), (a, d)] for a, b, c, d in boxes])


def turned(corners: np.ndarray, degrees: float) -> np.ndarray:
    angle = np.radians(degrees)
    return corners @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


TWO_COLUMNS = quads(
    (50, 0, 950, 40),  # heading over both
    *[(50, 100 + 30 * n, 450, 120 + 30 * n) for n in range(5)],
    *[(550, 107 + 30 * n, 950, 127 + 30 * n) for n in range(6)],
    (50, 400, 940, 420),  # footer over both
)
TABLE = quads(
    *[
        (left, 40 * row, left + width, 40 * row + 20)
        for row in range(4)
        for left, width in ((0, 150), (300, 60), (500, 80))
    ]
)
VERTICAL = quads((0, 0, 50, 600), (100, 0, 150, 600), (200, 0, 250, 280), (200, 310, 250, 600))


def test_nothing() -> None:
    assert reading_order(np.zeros((0, 4, 2))) == []


def test_columns_of_prose_one_after_the_other() -> None:
    shuffled = np.random.default_rng(1).permutation(len(TWO_COLUMNS))
    order = [int(shuffled[i]) for i in reading_order(TWO_COLUMNS[shuffled])]
    assert order == list(range(len(TWO_COLUMNS)))


def test_three_columns() -> None:
    columns = quads(*[(left, 30 * n, left + 200, 30 * n + 20) for left in (0, 250, 500) for n in range(4)])
    assert reading_order(columns) == list(range(12))


def test_a_table_row_by_row() -> None:
    assert reading_order(TABLE) == list(range(12))


def test_a_slanting_table_row_by_row() -> None:
    long = quads((0, -60, 600, -40))
    assert reading_order(turned(np.concatenate([long, TABLE]), 4)) == list(range(13))


def test_labels_and_amounts_of_a_receipt_row_by_row() -> None:
    rows = quads(
        *[box for n in range(5) for box in ((0, 30 * n, 220, 30 * n + 20), (400, 30 * n + 3, 460, 30 * n + 23))]
    )
    assert reading_order(rows) == list(range(10))


def test_vertical_columns_from_the_right() -> None:
    assert reading_order(VERTICAL) == [2, 3, 1, 0]


def test_a_tall_stamp_beside_lines_changes_nothing_else() -> None:
    page = quads((0, 0, 400, 20), (0, 40, 400, 60), (0, 80, 400, 100), (450, 0, 480, 100))
    assert [i for i in reading_order(page) if i != 3] == [0, 1, 2]


def test_all_come_once() -> None:
    random = np.random.default_rng(2)
    corner, size = random.uniform(0, 900, (300, 2)), random.uniform(5, 300, (300, 2))
    boxes = np.concatenate([corner, corner + size], axis=1)
    assert sorted(reading_order(quads(*map(tuple, boxes)))) == list(range(300))


def test_corners_begin_at_the_top_left_however_the_box_slants() -> None:
    for box in ((0, 0, 400, 20), (0, 0, 20, 400)):
        for degrees in (-20, 0, 20):
            corners = turned(quads(box), degrees)
            for shift in range(4):
                assert np.allclose(from_top_left(np.roll(corners, shift, axis=1)), corners)


def test_a_slanting_tall_box_is_tall() -> None:
    slanting = turned(quads((0, 0, 50, 700)), 10)
    assert is_tall(from_top_left(np.roll(slanting, 1, axis=1))[0])
