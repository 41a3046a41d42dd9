"""Pictures with the boxes of their lines drawn on them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ocr_ui.domain.geometry import Quad

Color = tuple[int, int, int]


def draw_boxes(pixels: np.ndarray, quads: Sequence[tuple[Quad, Color]]) -> np.ndarray:
    """A copy with each quad outlined in its RGB colour and its number, from 1, beside its first corner.

    Args:
        pixels: uint8 (height, width, 3), RGB.
    """
    drawn = pixels.copy()
    wide = max(1, round(min(pixels.shape[:2]) / 500))
    for number, (quad, color) in enumerate(quads, 1):
        points = np.array(quad.points, np.float64).round().astype(np.int32)
        cv2.polylines(drawn, [points], True, color, wide, cv2.LINE_AA)
        place = int(points[0][0]), max(int(points[0][1]) - wide, 8 * wide)
        cv2.putText(drawn, str(number), place, cv2.FONT_HERSHEY_SIMPLEX, 0.35 * wide, color, wide, cv2.LINE_AA)
    return drawn
