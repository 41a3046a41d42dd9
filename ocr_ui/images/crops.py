"""Cut a line out of its page, as recognisers are trained on it."""

from __future__ import annotations

from dataclasses import dataclass
from math import dist

import cv2
import numpy as np

from ocr_ui.domain.geometry import Quad


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


@dataclass(frozen=True, slots=True)
class Cutout:
    """A box cut out of its page with a margin, straightened.

    Attributes:
        pixels: uint8 (height, width, 3).
        around: the box with its margin, in pixels of the page; its first corner is the top left one of `pixels`.
        inner: the box itself, in pixels of `pixels`.
    """

    pixels: np.ndarray
    around: Quad
    inner: Quad

    def to_page(self, quad: Quad) -> Quad:
        """A quad in pixels of the cutout to pixels of the page."""
        high, wide = self.pixels.shape[:2]
        corners = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], np.float32)
        return _through(cv2.getPerspectiveTransform(corners, np.array(self.around.points, np.float32)), quad)


def cut_out(pixels: np.ndarray, quad: Quad, margin: float) -> Cutout:
    """Cuts a box out of its page. Where the margin leaves the page, the page's border goes on.

    Args:
        pixels: uint8 (height, width, 3), the page.
        margin: on each side, as a share of the box's shorter side.
    """
    a, b, c, d = quad.points
    wide, high = max(dist(a, b), dist(d, c)), max(dist(a, d), dist(b, c))
    room = margin * min(wide, high)
    x, y = room / max(wide, 1.0), room / max(high, 1.0)
    around = Quad.from_points([_at(quad, u, v) for u, v in ((-x, -y), (1 + x, -y), (1 + x, 1 + y), (-x, 1 + y))])
    cut = crop(pixels, around)
    tall, long = cut.shape[:2]
    corners = np.array([(0, 0), (long, 0), (long, tall), (0, tall)], np.float32)
    inner = _through(cv2.getPerspectiveTransform(np.array(around.points, np.float32), corners), quad)
    return Cutout(cut, around, inner)


def _at(quad: Quad, u: float, v: float) -> tuple[float, float]:
    """The place at shares `u` of the width and `v` of the height of a quad; outside of 0..1 beside it."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad.points
    left = (ax + (dx - ax) * v, ay + (dy - ay) * v)
    right = (bx + (cx - bx) * v, by + (cy - by) * v)
    return left[0] + (right[0] - left[0]) * u, left[1] + (right[1] - left[1]) * u


def _through(matrix: np.ndarray, quad: Quad) -> Quad:
    points = np.array([[x, y, 1.0] for x, y in quad.points]) @ np.asarray(matrix, float).T
    return Quad.from_points((points[:, :2] / points[:, 2:]).tolist())


def encode_jpeg(pixels: np.ndarray, quality: int = 95) -> bytes:
    """JPEG file of RGB pixels, uint8 (height, width, 3)."""
    options = (cv2.IMWRITE_JPEG_QUALITY, quality)
    done, data = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), options)
    if not done:
        raise ValueError(f"no JPEG can be made of an array {pixels.shape}")
    return data.tobytes()
