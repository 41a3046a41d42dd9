"""How a page lies and looks, measured on a small copy: what a decision about cleaning it stands on."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

MOST_DEGREES = 15.0
"""Larger angles are not looked for: what lies more askew is a picture of something, or turned by quarters."""
SMALL = 400_000
"""Pixels of the copy on which the angle is looked for."""
AROUND = 31
"""Ink is what differs from the mean of this many pixels around it, in the small copy."""
FAINT, FULL = 20, 90
"""By less than FAINT (of 255) it is ground; from FULL on more contrast counts no more."""
FEW = 60
"""Spots of ink below which nothing is said."""
ROUGH, FINE, FINEST = 0.5, 0.1, 0.02
"""Degrees between the angles that are tried, one row after the other."""
GROUND_PIXELS = 120_000
"""Of the copy on which the light is measured."""
INK_WIDTH = 11
"""Strokes and letters are narrower than this there, in pixels."""
LEAST_INK = 12
"""Grey levels by which ink is darker than its ground."""
NOISE_SIDE = 700
"""Side of the square in the middle of the page in which noise is measured, at full size: a smaller copy has none."""
RIPPLE = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
RING = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)
SPECK = 48
"""Grey levels by which a speck differs from all around it."""


@dataclass(frozen=True, slots=True)
class Skew:
    """The angle of the lines.

    Attributes:
        degrees: by which lines fall to the right; negative where they rise.
        sharpness: how far rows of ink and gaps stand apart at that angle, in multiples of the usual angle's.
        gain: the same in multiples of that at 0 degrees; 1 for a level page.
    """

    degrees: float = 0.0
    sharpness: float = 0.0
    gain: float = 1.0


def skew(pixels: np.ndarray) -> Skew:
    """The angle at which the page's ink falls into the sharpest rows. About 25 ms.

    Args:
        pixels: uint8 (height, width, 3), RGB.
    """
    ink = _ink(pixels)
    spots = _spots(ink, 4, 2)
    if len(spots[0]) < FEW:
        return Skew()
    angles = np.arange(-MOST_DEGREES, MOST_DEGREES + ROUGH / 2, ROUGH)
    sharp = np.array([_sharpness(*spots, angle) for angle in angles])
    best = float(angles[sharp.argmax()])
    spots = _spots(ink, 4, 1)
    for step, reach in ((FINE, ROUGH), (FINEST, FINE)):
        near = np.arange(best - reach, best + reach + step / 2, step)
        found = np.array([_sharpness(*spots, angle) for angle in near])
        best, top = float(near[found.argmax()]), float(found.max())
    level = max(_sharpness(*spots, angle) for angle in (-FINE, 0.0, FINE))
    usual = float(np.median([_sharpness(*spots, angle) for angle in angles[::4]]))
    return Skew(round(best, 2), top / max(usual, 1e-9), top / max(level, 1e-9))


def specks(pixels: np.ndarray) -> float:
    """Share of the pixels in the middle of the page that are lighter or darker than all eight around them, by far."""
    grey = _middle(pixels)
    if min(grey.shape) < 3:
        return 0.0
    lighter = cv2.subtract(grey, cv2.dilate(grey, RING))
    darker = cv2.subtract(cv2.erode(grey, RING), grey)
    return float((cv2.max(lighter, darker) > SPECK).mean())


@dataclass(frozen=True, slots=True)
class Light:
    """How the page is lit.

    Attributes:
        evenness: of the ground, its darker part (the 20th percentile) as a share of its lightest; 1 for even light.
        contrast: of the ink to the ground around it, grey levels of 255; 0 where there is no ink.
    """

    evenness: float
    contrast: float


def light(pixels: np.ndarray) -> Light:
    """Measured on a small copy, about 12 ms. Ink is what is darker than its ground."""
    grey = cv2.cvtColor(small_copy(pixels, GROUND_PIXELS), cv2.COLOR_RGB2GRAY)
    ground = ground_of(grey)
    dark, bright = np.percentile(ground, (20, 95))
    ink = cv2.subtract(ground, grey)
    ink = ink[ink > LEAST_INK]
    contrast = float(np.percentile(ink, 75)) if len(ink) >= FEW else 0.0
    return Light(float(dark / max(bright, 1)), contrast)


def ground_of(grey: np.ndarray) -> np.ndarray:
    """The paper around each place of a small copy, uint8 as `grey` (one or three channels): ink is painted over."""
    ground = cv2.medianBlur(cv2.dilate(grey, np.ones((INK_WIDTH, INK_WIDTH), np.uint8)), 2 * INK_WIDTH - 1)
    return cv2.GaussianBlur(ground, (0, 0), INK_WIDTH / 2)


def noise(pixels: np.ndarray) -> float:
    """Standard deviation of the noise in grey levels of 255, in the middle of the page (Immerkaer's estimate).

    The median of the residuals, so that letters, which are the smaller part of a page, count for little. A picture
    that was compressed or smoothed has next to none.
    """
    residual = cv2.filter2D(_middle(pixels), cv2.CV_32F, RIPPLE)
    return float(np.median(np.abs(residual))) * 1.4826 / 6


def _middle(pixels: np.ndarray) -> np.ndarray:
    """Grey levels of the middle of the page at full size."""
    height, width = pixels.shape[:2]
    high, wide = min(height, NOISE_SIDE), min(width, NOISE_SIDE)
    top, left = (height - high) // 2, (width - wide) // 2
    return cv2.cvtColor(np.ascontiguousarray(pixels[top : top + high, left : left + wide]), cv2.COLOR_RGB2GRAY)


def small_copy(pixels: np.ndarray, most: int) -> np.ndarray:
    """A copy of at most about so many pixels."""
    height, width = pixels.shape[:2]
    scale = min(1.0, (most / (height * width)) ** 0.5)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)


def _ink(pixels: np.ndarray) -> np.ndarray:
    """What stands out from its surroundings in a small copy, float32 (height, width), 0 for ground."""
    grey = cv2.cvtColor(small_copy(pixels, SMALL), cv2.COLOR_RGB2GRAY)
    apart = cv2.absdiff(grey, cv2.blur(grey, (AROUND, AROUND)))
    return np.where(apart > FAINT, np.minimum(apart, FULL), 0).astype(np.float32)


def _spots(ink: np.ndarray, wide: int, high: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and columns, from the middle, and ink of all blocks of so many pixels that have some."""
    height, width = ink.shape[0] // high * high, ink.shape[1] // wide * wide
    blocks = ink[:height, :width].reshape(height // high, high, width // wide, wide).sum(axis=(1, 3))
    rows, columns = np.nonzero(blocks)
    weights = blocks[rows, columns].astype(np.float64)
    return rows - height / high / 2, (columns - width / wide / 2) * (wide / high), weights


def _sharpness(rows: np.ndarray, columns: np.ndarray, weights: np.ndarray, degrees: float) -> float:
    """How much the ink of neighbouring rows differs where rows lie at that angle.

    Ink between two rows is given to both: else angles at which the raster falls onto itself would look sharp, whatever
    is on the page.
    """
    angle = np.deg2rad(degrees)
    turned = rows * np.cos(angle) - columns * np.sin(angle)
    turned -= turned.min()
    places = turned.astype(np.int32)
    lower = weights * (turned - places)
    most = int(places.max()) + 2
    sums = np.bincount(places, weights - lower, most)
    sums[1:] += np.bincount(places, lower, most)[:-1]
    return float(((sums[2:] - sums[:-2]) ** 2).sum())
