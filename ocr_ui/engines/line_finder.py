"""Where the lines stand: the detector at a fitting scale, in overlapping windows where a picture is long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np

Detect = Callable[[np.ndarray], np.ndarray]
"""BGR picture to quads of shape (n, 4, 2) in its pixels."""

FIRST_PIXELS = 720_000
"""What the detector gets first: its time grows with the pixels (1.4 s of one core a million), and on ordinary pages
nothing more is found in larger copies."""
MOST_PIXELS = 3_000_000
ENLARGE_FIRST = 1.25
ENLARGE_MOST = 2.0
SMALL_LINE = 13.0
"""Boxes (with the detector's margin, about 1.6 times the letters) below this many pixels are the smallest that the
detector finds: then there may be more, and it looks again in a larger copy, where they are GOOD_LINE high."""
GOOD_LINE = 20.0
LARGE_LINE = 60.0
"""Lines this high in the first copy are kept although the larger copy misses them."""
LONG = 4.0
"""A picture this many times as long as wide is read in windows."""
WINDOW = 3.0
WINDOW_AT_LEAST = 1280
OVERLAP_AT_LEAST = 128
SAME = 0.6
"""Boxes that share this part of the smaller one are the same line."""
CUT_REACH = 6.0
"""A box that ends this close to the edge of its window, in pixels, may have been cut there."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the picture, pixels: columns left..right, rows top..bottom."""

    left: int
    top: int
    right: int
    bottom: int


def find_lines(picture: np.ndarray, detect: Detect) -> Iterator[tuple[np.ndarray, bool]]:
    """Finds the lines of a picture, window after window along its long side.

    Args:
        picture: BGR uint8 of shape (height, width, 3).
        detect: the detector.

    Yields:
        Quads of shape (n, 4, 2) in pixels of the picture, and whether these are the last. A line that reaches into the
        next window comes with it, joined; no line comes twice.
    """
    windows = windows_of(picture.shape[1], picture.shape[0])
    upright = picture.shape[0] >= picture.shape[1]
    axis = 1 if upright else 0
    held = np.zeros((0, 4, 2), np.float32)
    for number, window in enumerate(windows):
        part = np.ascontiguousarray(picture[window.top : window.bottom, window.left : window.right])
        quads = _find_in_window(part, detect) + np.float32([window.left, window.top])
        merged = _merge(held, quads, axis)
        if number + 1 == len(windows):
            yield merged, True
            return
        border = windows[number + 1].top if upright else windows[number + 1].left
        open_ = merged[:, :, axis].max(axis=1) >= border - CUT_REACH
        held = merged[open_]
        yield merged[~open_], False


def windows_of(width: int, height: int) -> list[Window]:
    """The whole picture, or overlapping windows along its long side where it is LONG."""
    long, short = max(width, height), min(width, height)
    length = max(round(WINDOW * short), WINDOW_AT_LEAST)
    if long < LONG * short or long <= length:
        return [Window(0, 0, width, height)]
    overlap = max(OVERLAP_AT_LEAST, min(short // 3, length // 4))
    count = -(-(long - overlap) // (length - overlap))
    starts = [round(n * (long - length) / (count - 1)) for n in range(count)]
    if height >= width:
        return [Window(0, start, width, start + length) for start in starts]
    return [Window(start, 0, start + length, height) for start in starts]


def _find_in_window(picture: np.ndarray, detect: Detect) -> np.ndarray:
    height, width = picture.shape[:2]
    first = min(ENLARGE_FIRST, (FIRST_PIXELS / (width * height)) ** 0.5)
    most = min(ENLARGE_MOST, (MOST_PIXELS / (width * height)) ** 0.5)
    quads = _at_scale(picture, first, detect)
    if len(quads) == 0:
        return _at_scale(picture, min(1.0, most), detect) if first < 0.8 and _has_ink(picture) else quads
    small = float(np.quantile(_heights(quads) * first, 0.2))
    better = min(most, first * GOOD_LINE / small)
    if small >= SMALL_LINE or better < 1.25 * first:
        return quads
    again = _at_scale(picture, better, detect)
    large = quads[_heights(quads) * first >= LARGE_LINE]
    missed = [quad for quad in large if not (_shares(quad, again) > 0.3).any()]
    return np.concatenate([again, np.stack(missed)]) if missed else again


def _at_scale(picture: np.ndarray, scale: float, detect: Detect) -> np.ndarray:
    height, width = picture.shape[:2]
    size = max(1, round(width * scale)), max(1, round(height * scale))
    copy = cv2.resize(picture, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    quads = detect(copy)
    return np.clip(quads / np.float32([size[0] / width, size[1] / height]), 0, (width, height)).astype(np.float32)


def _has_ink(picture: np.ndarray) -> bool:
    """Whether anything stands out from the paper; a blank scan does not deserve a second, slower look."""
    return float(np.ptp(cv2.resize(picture, (256, 256), interpolation=cv2.INTER_AREA))) > 24


def _heights(quads: np.ndarray) -> np.ndarray:
    """Length of the short side of each quad, pixels, at least 1."""
    edges = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2)
    return np.maximum(1, edges[:, :2].min(axis=1))


def _merge(held: np.ndarray, quads: np.ndarray, axis: int) -> np.ndarray:
    """Lines of the window before that reach into this one, and this window's lines, each line once."""
    kept = list(quads)
    for old in held:
        shares = _shares(old, np.stack(kept)) if kept else np.zeros(0)
        same = [int(n) for n in np.flatnonzero(shares > SAME)] or [
            n for n, quad in enumerate(kept) if _goes_on(old, quad, axis)
        ]
        for n in sorted(same, reverse=True):
            old = _joined(old, kept.pop(n), axis)
        kept.append(old)
    return np.stack(kept).astype(np.float32) if kept else np.zeros((0, 4, 2), np.float32)


def _shares(quad: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Overlap of the bounding boxes as a part of the smaller one, for each of `others`."""
    if len(others) == 0:
        return np.zeros(0)
    low = np.maximum(quad.min(axis=0), others.min(axis=1))
    high = np.minimum(quad.max(axis=0), others.max(axis=1))
    shared = np.prod(np.maximum(high - low, 0), axis=1)
    smaller = np.minimum(np.prod(np.ptp(quad, axis=0)), np.prod(np.ptp(others, axis=1), axis=1))
    return shared / np.maximum(smaller, 1)


def _goes_on(old: np.ndarray, quad: np.ndarray, axis: int) -> bool:
    """Whether two boxes overlap along the windows' axis and stand in the same row (or column) across it."""
    across = 1 - axis
    along = min(old[:, axis].max(), quad[:, axis].max()) - max(old[:, axis].min(), quad[:, axis].min())
    beside = min(old[:, across].max(), quad[:, across].max()) - max(old[:, across].min(), quad[:, across].min())
    narrow = min(np.ptp(old[:, across]), np.ptp(quad[:, across]))
    elongated = all(np.ptp(q[:, axis]) > 1.5 * np.ptp(q[:, across]) for q in (old, quad))
    return bool(elongated and along > 0 and beside > SAME * narrow)


def _joined(old: np.ndarray, new: np.ndarray, axis: int) -> np.ndarray:
    """One quad for two that show the same line: the larger where it holds the other, else ends of both."""
    first, second = (old, new) if old[:, axis].min() <= new[:, axis].min() else (new, old)
    if second[:, axis].max() <= first[:, axis].max() + CUT_REACH:
        return first
    if second[:, axis].min() <= first[:, axis].min() + CUT_REACH:
        return second
    if axis == 0:
        return np.stack([first[0], second[1], second[2], first[3]])
    return np.stack([first[0], first[1], second[2], second[3]])
