"""The order in which a person reads boxes of text: rows, columns of prose, vertical columns from the right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PROSE_RATIO = 5.0
"""A line of running text is at least this many times as long as high. Cells of a table are mostly shorter, so that
tables and label-value forms are read row by row although blank gutters run between their columns."""
TALL_RATIO = 1.5
"""Higher than wide by this factor: text that runs down the page (the bound at which PP-OCR turns a crop)."""


def reading_order(quads: np.ndarray) -> list[int]:
    """Indices of `quads` in reading order.

    Args:
        quads: float array of shape (n, 4, 2), pixels; corners clockwise from the one nearest to the top left.

    Where most of the text stands in tall boxes the page is read as vertical Chinese or Japanese: columns from the
    right, each from the top. Otherwise columns of prose are read one after the other and all else row by row.
    """
    if len(quads) == 0:
        return []
    if _mostly_tall(quads):
        quads = np.stack([quads[..., 1], -quads[..., 0]], axis=-1)[:, [1, 2, 3, 0]]
    boxes = _boxes(_levelled(quads))
    return _ordered(list(range(len(boxes))), boxes)


def is_tall(quad: np.ndarray) -> bool:
    """Whether a quad of shape (4, 2) is that much higher than wide that its text runs down or is turned."""
    wide, high = _sides(quad[None])
    return bool(high[0] >= TALL_RATIO * wide[0])


def _mostly_tall(quads: np.ndarray) -> bool:
    wide, high = _sides(quads)
    tall = high >= TALL_RATIO * wide
    return bool((wide * high)[tall].sum() > (wide * high)[~tall].sum())


def _sides(quads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    edges = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2)
    return np.maximum(edges[:, 0], edges[:, 2]), np.maximum(edges[:, 1], edges[:, 3])


def _levelled(quads: np.ndarray) -> np.ndarray:
    """The quads turned by the median slope of their long lines, so that rows of a slanting page are level."""
    wide, high = _sides(quads)
    long = wide > 3 * high
    if not long.any():
        return quads
    run = quads[long, 1] - quads[long, 0]
    slope = float(np.median(np.arctan2(run[:, 1], run[:, 0])))
    cos, sin = np.cos(slope), np.sin(slope)
    return quads @ np.array([[cos, -sin], [sin, cos]])


def _boxes(quads: np.ndarray) -> np.ndarray:
    """Left, top, right, bottom of each quad, shape (n, 4)."""
    return np.concatenate([quads.min(axis=1), quads.max(axis=1)], axis=1)


def _ordered(items: list[int], boxes: np.ndarray) -> list[int]:
    gutter = _gutter(items, boxes)
    if gutter is None:
        return _by_rows(items, boxes)
    order: list[int] = []
    for band, crossing in _bands(items, boxes, gutter):
        left, right = _split(band, boxes, gutter)
        if _two_columns(left, right, boxes):
            order += _ordered(left, boxes) + _ordered(right, boxes)
        else:
            order += _by_rows(band, boxes)
        order += crossing
    return order


def _gutter(items: list[int], boxes: np.ndarray) -> float | None:
    """The x that parts most lines into two columns of prose, or None."""
    best, best_count = None, 0
    for x in _candidates(items, boxes):
        count = 0
        for band, _ in _bands(items, boxes, x):
            left, right = _split(band, boxes, x)
            if _two_columns(left, right, boxes):
                count += len(band)
        if count > best_count:
            best, best_count = x, count
    return best


def _candidates(items: list[int], boxes: np.ndarray) -> list[float]:
    """Places just left of where lines begin, one for all that begin within a line's height of each other."""
    reach = float(np.median(boxes[items, 3] - boxes[items, 1]))
    found: list[float] = []
    for left in sorted(boxes[items, 0]):
        if not found or left - found[-1] > reach:
            found.append(float(left))
    return [x - 1 for x in found[1:]]


def _bands(items: list[int], boxes: np.ndarray, x: float) -> list[tuple[list[int], list[int]]]:
    """The lines between the ones that cross `x`, each band with the crossing line that ends it."""
    slack = 0.5 * float(np.median(boxes[items, 3] - boxes[items, 1]))
    crosses = {i for i in items if boxes[i, 0] < x - slack and boxes[i, 2] > x + slack}
    bands: list[tuple[list[int], list[int]]] = []
    band: list[int] = []
    for i in sorted(items, key=lambda i: boxes[i, 1] + boxes[i, 3]):
        if i in crosses:
            bands.append((band, [i]))
            band = []
        else:
            band.append(i)
    return [*bands, (band, [])]


def _split(items: Sequence[int], boxes: np.ndarray, x: float) -> tuple[list[int], list[int]]:
    left = [i for i in items if boxes[i, 0] + boxes[i, 2] < 2 * x]
    return left, [i for i in items if boxes[i, 0] + boxes[i, 2] >= 2 * x]


def _two_columns(left: list[int], right: list[int], boxes: np.ndarray) -> bool:
    """Two or more lines of prose on each side, standing beside each other."""
    if len(left) < 2 or len(right) < 2:
        return False
    if not (_is_prose(boxes[left]) and _is_prose(boxes[right])):
        return False
    top = max(boxes[left, 1].min(), boxes[right, 1].min())
    bottom = min(boxes[left, 3].max(), boxes[right, 3].max())
    lower = min(np.ptp(boxes[left][:, [1, 3]]), np.ptp(boxes[right][:, [1, 3]]))
    return bool(bottom - top > 0.5 * lower)


def _is_prose(boxes: np.ndarray) -> bool:
    """Most lines are long, and about as long as the longest."""
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return bool(np.median(wide / np.maximum(high, 1)) >= PROSE_RATIO and np.median(wide) >= 0.5 * wide.max())


def _by_rows(items: list[int], boxes: np.ndarray) -> list[int]:
    """Row by row. A line belongs to a row where its middle lies within the height of the row's last line."""
    rows: list[list[int]] = []
    for i in sorted(items, key=lambda i: boxes[i, 1] + boxes[i, 3]):
        if rows and _same_row(boxes[i], boxes[rows[-1][-1]]) and _same_row(boxes[i], boxes[rows[-1][0]]):
            rows[-1].append(i)
        else:
            rows.append([i])
    return [i for row in rows for i in sorted(row, key=lambda i: boxes[i, 0])]


def _same_row(box: np.ndarray, other: np.ndarray) -> bool:
    middle, other_middle = (box[1] + box[3]) / 2, (other[1] + other[3]) / 2
    return bool(abs(middle - other_middle) < 0.5 * min(box[3] - box[1], other[3] - other[1]))
