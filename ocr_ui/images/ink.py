"""What is ground on a picture, and how much stands out from it."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

INK_CONTRAST = 100
"""A pixel is ink where a channel differs from the ground by more than this, of 255."""

_FAINT_CONTRAST = 32
_SPECKS = 12
_SAMPLE = 200_000
_QUICK_SAMPLE = 50_000
_BAND_PIXELS = 4_000_000


def ground_color(pixels: np.ndarray) -> tuple[int, int, int]:
    """The most frequent colour of a picture.

    Colours are counted in steps of 16 so that the noise of a scan does not split one ground into many; the answer is
    the median of the pixels in the fullest step.

    Args:
        pixels: uint8 (height, width, 3), at least one pixel.
    """
    sample = _sample(pixels, _SAMPLE)
    steps = (sample >> 4).astype(np.int32)
    keys = (steps[:, 0] << 8) | (steps[:, 1] << 4) | steps[:, 2]
    fullest = np.bincount(keys, minlength=4096).argmax()
    red, green, blue = np.median(sample[keys == fullest], axis=0)
    return int(red), int(green), int(blue)


def ink_share(pixels: np.ndarray) -> float:
    """Share, 0..1, of pixels that differ from the ground by more than INK_CONTRAST in a channel."""
    return _standing_out(pixels, ground_color(pixels), INK_CONTRAST) / (pixels.shape[0] * pixels.shape[1])


def is_blank(pixels: np.ndarray) -> bool:
    """Nothing at all stands out, not even faintly. A blank sheet with specks, folds or shadows is not blank by this."""
    ground = ground_color(pixels)
    few = _sample(pixels, _QUICK_SAMPLE)[:, None]
    return (
        _standing_out(few, ground, _FAINT_CONTRAST) < _SPECKS
        and _standing_out(pixels, ground, _FAINT_CONTRAST) < _SPECKS
    )


def _standing_out(pixels: np.ndarray, ground: tuple[int, int, int], contrast: int) -> int:
    """Number of pixels off the ground by more than `contrast`, counted in bands to need little memory."""
    low = tuple(max(0, value - contrast) for value in ground)
    high = tuple(min(255, value + contrast) for value in ground)
    near = sum(cv2.countNonZero(cv2.inRange(band, low, high)) for band in _bands(pixels))
    return pixels.shape[0] * pixels.shape[1] - near


def _bands(pixels: np.ndarray) -> Iterator[np.ndarray]:
    rows = max(1, _BAND_PIXELS // max(1, pixels.shape[1]))
    return (np.ascontiguousarray(pixels[top : top + rows]) for top in range(0, pixels.shape[0], rows))


def _sample(pixels: np.ndarray, most: int) -> np.ndarray:
    """About `most` pixels as (n, 3), evenly spread; the step is odd so that it follows no raster of even width."""
    flat = pixels.reshape(-1, pixels.shape[2])
    step = max(1, flat.shape[0] // most)
    return np.ascontiguousarray(flat[:: step if step == 1 else step | 1])
