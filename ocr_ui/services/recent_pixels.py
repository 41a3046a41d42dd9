"""Pixels of the pictures that were used last: what has just come in need not be decoded again when Read is pressed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

import numpy as np

MOST_BYTES = 64 * 1024 * 1024
MOST_PICTURES = 32
"""Each that came from a decoding process holds a file descriptor: a stream of small ones must not use them up."""


class RecentPixels:
    """Thread-safe. Pixels are good as long as their file is what it was: removed or changed, it is decoded anew.

    Args:
        most_bytes: that are kept together; a larger picture is not kept at all.
        most: pictures that are kept together.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, most: int = MOST_PICTURES) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._most = most
        self._kept: OrderedDict[Path, tuple[tuple[int, int], np.ndarray]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, file: Path, pixels: np.ndarray) -> None:
        """Args: pixels: what `file` holds; nobody may write into them any more."""
        if pixels.nbytes > self._most_bytes:
            return
        pixels.flags.writeable = False
        stamp = _stamp(file)
        with self._lock:
            self._drop(file)
            self._kept[file] = stamp, pixels
            self._bytes += pixels.nbytes
            while self._bytes > self._most_bytes or len(self._kept) > self._most:
                self._drop(next(iter(self._kept)))

    def get(self, file: Path) -> np.ndarray | None:
        """The pixels, read-only. Raises FileNotFoundError where there is no file."""
        stamp = _stamp(file)
        with self._lock:
            kept = self._kept.get(file)
            if kept is None or kept[0] != stamp:
                return None
            self._kept.move_to_end(file)
            return kept[1]

    def _drop(self, file: Path) -> None:
        _, pixels = self._kept.pop(file, (None, None))
        self._bytes -= 0 if pixels is None else pixels.nbytes


def _stamp(file: Path) -> tuple[int, int]:
    told = file.stat()
    return told.st_size, told.st_mtime_ns
