"""Pixels of the pictures that were used last: what has just come in need not be decoded again when Read is pressed."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np

MOST_BYTES = 64 * 1024 * 1024
MOST_PICTURES = 32
"""Each that came from a decoding process holds a file descriptor: a stream of small ones must not use them up."""


class RecentPixels:
    """Thread-safe. By the sha256 of the picture, whose bytes never change; whether it is still there, its store knows.

    Args:
        most_bytes: that are kept together; a larger picture is not kept at all.
        most: pictures that are kept together.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, most: int = MOST_PICTURES) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._most = most
        self._kept: OrderedDict[str, np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, sha256: str, pixels: np.ndarray) -> None:
        """Args: pixels: what the picture holds; nobody may write into them any more."""
        if pixels.nbytes > self._most_bytes:
            return
        pixels.flags.writeable = False
        with self._lock:
            self._drop(sha256)
            self._kept[sha256] = pixels
            self._bytes += pixels.nbytes
            while self._bytes > self._most_bytes or len(self._kept) > self._most:
                self._drop(next(iter(self._kept)))

    def get(self, sha256: str) -> np.ndarray | None:
        """The pixels, read-only."""
        with self._lock:
            if sha256 in self._kept:
                self._kept.move_to_end(sha256)
            return self._kept.get(sha256)

    def _drop(self, sha256: str) -> None:
        pixels = self._kept.pop(sha256, None)
        self._bytes -= 0 if pixels is None else pixels.nbytes
