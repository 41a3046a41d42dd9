"""What is ground on a picture, and how much stands out from it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

INK_CONTRAST = 100
"""A pixel is ink where a channel differs from the ground by more than this, of 255."""

_FAINT_CONTRAST = 32
_SPECKS = 12
_SAMPLE = 1_000_000
_BAND_PIXELS = 4_000_000


def ground_color(pixels: np.ndarray) -> tuple[int, int, int]:
    """The most frequent colour of a picture.

    Colours are counted in steps of 16 so that the noise of a scan does not split one ground into many; the answer is
    the median of the pixels in the fullest step.

    Args:
        pixels: uint8 (height, width, 3), at least one pixel.
    """
    sample = _sample(pixels)
    steps = (sample >> 4).astype(np.int32)
    keys = (steps[:, 0] << 8) | (steps[:, 1] << 4) | steps[:, 2]
    fullest = np.bincount(keys, minlength=4096).argmax()
    red, green, blue = np.median(sample[keys == fullest], axis=0)
    return int(red), int(green), int(blue)


def ink_share(pixels: np.ndarray) -> float:
    """Share, 0..1, of pixels that differ from the ground by more than INK_CONTRAST in a channel."""
    return _standing_out(pixels, INK_CONTRAST) / (pixels.shape[0] * pixels.shape[1])


def is_blank(pixels: np.ndarray) -> bool:
    """Nothing at all stands out, not even faintly. A blank sheet with specks, folds or shadows is not blank by this."""
    return _standing_out(pixels, _FAINT_CONTRAST, enough=_SPECKS) < _SPECKS


def _standing_out(pixels: np.ndarray, contrast: int, enough: int | None = None) -> int:
    """Number of pixels off the ground by more than `contrast`; counting ends once `enough` are found."""
    ground = np.array(ground_color(pixels), dtype=np.int16)
    low = np.clip(ground - contrast, 0, 255).astype(np.uint8)
    high = np.clip(ground + contrast, 0, 255).astype(np.uint8)
    found = 0
    for band in _bands(pixels):
        found += int(np.count_nonzero(((band < low) | (band > high)).any(axis=2)))
        if enough is not None and found >= enough:
            break
    return found


def _bands(pixels: np.ndarray) -> Iterator[np.ndarray]:
    """Groups of rows, so that a large picture needs little memory beside itself."""
    rows = max(1, _BAND_PIXELS // max(1, pixels.shape[1]))
    return (pixels[top : top + rows] for top in range(0, pixels.shape[0], rows))


def _sample(pixels: np.ndarray) -> np.ndarray:
    """At most about _SAMPLE pixels as rows of three, evenly spread; the step is odd so that it follows no raster."""
    flat = pixels.reshape(-1, pixels.shape[2])
    step = max(1, flat.shape[0] // _SAMPLE)
    return flat[:: step if step == 1 else step | 1]
