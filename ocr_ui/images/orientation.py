"""The eight ways in which a camera may have been held."""

from __future__ import annotations

import numpy as np

_HOW = {
    1: (False, 0),
    2: (True, 0),
    3: (False, 2),
    4: (True, 2),
    5: (True, 3),
    6: (False, 1),
    7: (True, 1),
    8: (False, 3),
}
"""EXIF value: mirror left to right first?, then so many quarter turns clockwise."""


def upright(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """The picture as it was meant, by the EXIF tag Orientation, 1..8 (CIPA DC-008, 4.6.4)."""
    mirrored, turns = _HOW[orientation]
    return np.rot90(pixels[:, ::-1] if mirrored else pixels, -turns)
