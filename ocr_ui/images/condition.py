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
NOISE_SIDE = 700
"""Side of the square in the middle of the page in which noise is measured, at full size: a smaller copy has none."""


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
    """The angle at which the page's ink falls into the sharpest rows. About 10 ms.

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


def noise(pixels: np.ndarray) -> float:
    """Standard deviation of the noise in grey levels of 255, in the middle of the page (Immerkaer's estimate).

    The median of the residuals, so that letters, which are the smaller part of a page, count for little. A picture
    that was compressed or smoothed has next to none.
    """
    height, width = pixels.shape[:2]
    high, wide = min(height, NOISE_SIDE), min(width, NOISE_SIDE)
    top, left = (height - high) // 2, (width - wide) // 2
    grey = cv2.cvtColor(np.ascontiguousarray(pixels[top : top + high, left : left + wide]), cv2.COLOR_RGB2GRAY)
    mask = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
    residual = cv2.filter2D(grey, cv2.CV_32F, mask)
    return float(np.median(np.abs(residual))) * 1.4826 / 6


def _ink(pixels: np.ndarray) -> np.ndarray:
    """What stands out from its surroundings in a small copy, float32 (height, width), 0 for ground."""
    height, width = pixels.shape[:2]
    scale = min(1.0, (SMALL / (height * width)) ** 0.5)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    grey = cv2.cvtColor(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
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
    """How much the ink of neighbouring rows differs where rows lie at that angle."""
    angle = np.deg2rad(degrees)
    turned = rows * np.cos(angle) - columns * np.sin(angle)
    places = (turned - turned.min()).astype(np.int32)
    return float((np.diff(np.bincount(places, weights)) ** 2).sum())
