"""Which pictures are copies of each other: scaled, compressed again, a little lighter, turned by quarters.

A difference hash: the picture as 17 x 17 grey values, and for each pair of neighbours in a row whether the left one is
lighter. What differs by less than noise counts as equal, so that blank paper hashes alike in every copy.
"""

from __future__ import annotations

import cv2
import numpy as np

SIDE = 17
BITS = SIDE * (SIDE - 1)
MOST_BITS_APART = 12
"""Of BITS. Copies as above, cut by a few pixels or turned by half a degree differ by 10 at most, pages of other text by
25 at least; forms that differ by a few digits count as copies."""

_NOISE = 2
_FLAT = 1.5
"""Spread of the grey values of a page that has next to nothing on it."""


def small(pixels: np.ndarray) -> np.ndarray:
    """uint8 (17, 17): the picture's grey values, each the mean of its part."""
    return cv2.resize(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (SIDE, SIDE), interpolation=cv2.INTER_AREA)


def is_flat(grey: np.ndarray) -> bool:
    """There is nothing on it that one picture could have in common with another."""
    return float(grey.std()) < _FLAT


def difference_hash(grey: np.ndarray) -> np.ndarray:
    """Packed bits, uint64 (5,)."""
    values = grey.astype(np.int16)
    bits = np.packbits(values[:, :-1] > values[:, 1:] + _NOISE)
    return np.frombuffer(bits.tobytes().ljust(40, b"\0"), np.uint64)


def turned_hashes(grey: np.ndarray) -> list[np.ndarray]:
    """The hashes of the picture as it lies and turned by one to three quarters."""
    return [difference_hash(np.ascontiguousarray(np.rot90(grey, turns))) for turns in range(4)]


class Lookalikes:
    """Hashes with the group of each; finds those near a picture. 40 bytes a picture, a millisecond for 100,000."""

    def __init__(self) -> None:
        self._hashes = np.empty((256, 5), np.uint64)
        self._groups: list[int] = []

    def add(self, grey: np.ndarray, group: int) -> None:
        count = len(self._groups)
        if count == len(self._hashes):
            self._hashes = np.concatenate([self._hashes, np.empty_like(self._hashes)])
        self._hashes[count] = difference_hash(grey)
        self._groups.append(group)

    def groups_near(self, grey: np.ndarray) -> set[int]:
        known = self._hashes[: len(self._groups)]
        near = np.zeros(len(known), bool)
        for one in turned_hashes(grey):
            near |= np.bitwise_count(known ^ one).sum(axis=1) <= MOST_BITS_APART
        return {self._groups[index] for index in np.flatnonzero(near)}
