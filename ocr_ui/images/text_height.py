"""How high the smallest text of a page is, told from its ink alone: no model, tens of milliseconds.

Ink is what differs from its surroundings, dark on light or light on dark. Its connected pieces that could be letters
are looked for rows and columns of pieces alike, the largest first; what lies inside such a row is a part of its letters
and none of its own. Of all letters that stand in rows the smallest few do not count, since dots and broken strokes are
among them.

A guess that is too low costs pixels, one that is too high costs text. So whatever could be small text counts as such,
and where little can be told, nothing is.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

REVISION = 1
"""Of the estimate: another one gives other heights for the same page."""

LEAST_LETTERS = 20
"""Fewer letters in rows are no page of text, and nothing is said of it."""
SMALLEST_LETTERS, SMALLEST_SHARE, ALIKE = 12, 0.02, 1.3
"""The smallest text are the smallest letters of which so many, and such a share of all, are within this factor of each
other; what is scattered below them are dots, broken strokes, and the grain of paper and wood."""

_MOST_PIXELS = 4_200_000
"""A larger picture is looked at in a copy: what is smaller there than LOWEST is not told from dirt."""
_LOWEST, _HIGHEST = 4, 220
"""Pixels; what is lower or higher is no letter."""
_CONTRAST = 36
"""Of 255; fainter ink is not looked at."""
_POOL, _REACH = 8, 9
"""Light and dark of the surroundings: extremes of squares of _POOL pixels, among _REACH squares each way in all."""
_STEP = 2**0.5
_BAND = 2.2
"""Letters of a row differ in height by this factor at most. It leaves room for capitals and small letters, which are
1.5 times as high at most, in one of two bands that are a _STEP apart."""
_GAP, _OVERLAP, _LEVEL = 1.6, 0.3, 0.3
"""Letters of a row, in heights: apart at most; over each other at most; their middles apart at most."""
_WIDEST = 2.5
"""Times as wide as high; wider pieces are rules, and words whose letters touch."""
_ROW = 4
"""Letters that a row has at least."""
_SOLID = 0.8
"""A piece as wide as high of which so much is ink is a dot, not a letter."""


@dataclass(frozen=True, slots=True)
class TextHeight:
    """Attributes:
    pixels: height of the smallest letters, of the given picture; None where it cannot be told.
    letters: that stand in rows.
    """

    pixels: float | None
    letters: int


def smallest_text(pixels: np.ndarray) -> TextHeight:
    """Args: pixels: uint8 (height, width, 3), RGB."""
    gray = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    scale = min(1.0, (_MOST_PIXELS / gray.size) ** 0.5)
    if scale < 1:
        gray = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    boxes = _pieces(_ink(gray))
    across, down = _rows_of(boxes), _rows_of(boxes[:, [1, 0, 3, 2]])
    heights = np.sort(np.concatenate([across.heights, down.heights]))
    found = _smallest(heights) if len(heights) >= LEAST_LETTERS else None
    if found is not None and _doubted(found, boxes[across.left & down.left]) > len(heights):
        found = None
    return TextHeight(None if found is None else found / scale, len(heights))


def _doubted(height: float, boxes: np.ndarray) -> int:
    """How many of the pieces that stand in no row could be letters of still smaller text."""
    sizes = np.maximum(boxes[:, 2], boxes[:, 3])
    return int(np.count_nonzero((sizes > height / 4) & (sizes < height * 0.75)))


def _smallest(heights: np.ndarray) -> float | None:
    """Args: heights: ascending."""
    needed = max(SMALLEST_LETTERS, SMALLEST_SHARE * len(heights))
    alike = np.searchsorted(heights, heights * ALIKE, side="right") - np.arange(len(heights))
    found = np.flatnonzero(alike >= needed)
    if not len(found):
        return None
    first = int(found[0])
    return float(np.median(heights[first : first + alike[first]]))


def _ink(gray: np.ndarray) -> np.ndarray:
    """255 for ink, 0 elsewhere."""
    height, width = gray.shape
    size = max(1, width // _POOL), max(1, height // _POOL)
    reach = np.ones((_REACH, _REACH), np.uint8)
    square = np.ones((_POOL, _POOL), np.uint8)
    dark = cv2.resize(cv2.erode(gray, square), size, interpolation=cv2.INTER_NEAREST)
    light = cv2.resize(cv2.dilate(gray, square), size, interpolation=cv2.INTER_NEAREST)
    dark, light = cv2.erode(dark, reach), cv2.dilate(light, reach)
    mean = cv2.blur(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), (_REACH, _REACH))
    middle = ((dark.astype(np.uint16) + light) // 2).astype(np.uint8)
    plain = light - dark < _CONTRAST
    on_light = mean >= middle
    # The threshold of light ink on dark ground is turned around by an exclusive or.
    below = np.where(plain, 0, middle).astype(np.uint8)
    whole = (width, height)
    ink = cv2.compare(gray, cv2.resize(below, whole, interpolation=cv2.INTER_LINEAR), cv2.CMP_LT)
    flip = cv2.resize(np.where(on_light | plain, 0, 255).astype(np.uint8), whole, interpolation=cv2.INTER_NEAREST)
    return cv2.bitwise_xor(ink, flip)


def _pieces(ink: np.ndarray) -> np.ndarray:
    """Boxes (left, top, width, height) of connected pieces that could be letters; shape (n, 4), float32."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8, ltype=cv2.CV_32S)
    stats = stats[1:]
    wide, high, area = (stats[:, n].astype(np.float32) for n in (2, 3, 4))
    longer, shorter = np.maximum(wide, high), np.minimum(wide, high)
    dot = (longer < 1.5 * shorter) & (area > _SOLID * wide * high)
    letter = (longer >= _LOWEST) & (longer <= _HIGHEST) & ~dot & (area > 0.08 * wide * high)
    return stats[letter, :4].astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Attributes:
    heights: of rows, once for each of their letters.
    left: bool (n,), which of all pieces lie in none.
    """

    heights: np.ndarray
    left: np.ndarray


def _rows_of(boxes: np.ndarray) -> _Rows:
    """The rows of larger letters before those of smaller ones."""
    found: list[np.ndarray] = [np.zeros(0, np.float32)]
    left, highest = np.ones(len(boxes), bool), float(_HIGHEST)
    high, slim = boxes[:, 3], boxes[:, 2] < _WIDEST * boxes[:, 3]
    while highest > _LOWEST:
        band = np.flatnonzero(left & slim & (high <= highest) & (high > highest / _BAND))
        rows = [boxes[band[row]] for row in _rows(boxes[band])]
        found += [np.full(len(row), np.sort(row[:, 3])[3 * (len(row) - 1) // 4]) for row in rows]
        if rows:
            left &= ~_within(boxes, rows)
        highest /= _STEP
    return _Rows(np.concatenate(found), left)


def _rows(boxes: np.ndarray) -> list[np.ndarray]:
    """Indices of boxes of about one height that follow each other from left to right, row by row."""
    if len(boxes) < _ROW:
        return []
    order = _chains(boxes)
    kinds, counts = np.unique(order, return_counts=True)
    return [np.flatnonzero(order == kind) for kind in kinds[counts >= _ROW]]


def _chains(boxes: np.ndarray) -> np.ndarray:
    """For each box the last one of its row: each is followed by the next one to its right that stands beside it."""
    left, high = boxes[:, 0], boxes[:, 3]
    right, middle = left + boxes[:, 2], boxes[:, 1] + high / 2
    typical, far = float(np.median(high)), float(right.max()) + 1
    lane = np.floor(middle / typical)
    keys = lane * far + left
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    n = np.arange(len(boxes))
    follower, nearest = n.copy(), np.full(len(boxes), _GAP * typical)
    for step in (-1, 0, 1):
        place = np.searchsorted(keys, (lane + step) * far + np.minimum(right - _OVERLAP * typical, far - 1))
        other = order[np.minimum(place, len(boxes) - 1)]
        gap = left[other] - right
        beside = np.abs(middle[other] - middle) < _LEVEL * np.maximum(high, high[other])
        better = beside & (place < len(boxes)) & (lane[other] == lane + step) & (gap <= nearest) & (left[other] > left)
        follower[better], nearest[better] = other[better], gap[better]
    while not np.array_equal(follower, ends := follower[follower]):
        follower = ends
    return follower


def _within(boxes: np.ndarray, rows: list[np.ndarray]) -> np.ndarray:
    """Which boxes have their middle inside one of the rows."""
    x, y = boxes[:, 0] + boxes[:, 2] / 2, boxes[:, 1] + boxes[:, 3] / 2
    inside = np.zeros(len(boxes), bool)
    for row in rows:
        (left, top), (right, bottom) = row[:, :2].min(axis=0), (row[:, :2] + row[:, 2:]).max(axis=0)
        inside |= (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    return inside
