"""Cut a line out of its page, as recognisers are trained on it."""

from __future__ import annotations

from math import dist

import cv2
import numpy as np

from ocr_ui.domain.geometry import Quad

_JPEG = (cv2.IMWRITE_JPEG_QUALITY, 95)


def crop(pixels: np.ndarray, quad: Quad) -> np.ndarray:
    """The pixels within a quad, straightened: its first corner becomes the top left one. At least 1 x 1 pixel.

    Args:
        pixels: uint8 (height, width, 3).
    """
    a, b, c, d = quad.points
    width = max(1, round(max(dist(a, b), dist(d, c))))
    height = max(1, round(max(dist(a, d), dist(b, c))))
    bounds = quad.bounds
    if a == (bounds.left, bounds.top) and c == (bounds.right, bounds.bottom) and b == (bounds.right, bounds.top):
        left, top = round(bounds.left), round(bounds.top)
        inside = pixels[top : top + height, left : left + width]
        if inside.shape[:2] == (height, width):
            return np.ascontiguousarray(inside)
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(quad.points, np.float32), corners)
    return cv2.warpPerspective(pixels, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def encode_jpeg(pixels: np.ndarray) -> bytes:
    """JPEG file of RGB pixels, uint8 (height, width, 3)."""
    done, data = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), _JPEG)
    if not done:
        raise ValueError(f"no JPEG can be made of an array {pixels.shape}")
    return data.tobytes()
