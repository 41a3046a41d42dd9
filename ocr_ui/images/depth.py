"""From samples of 12, 16 or 32 bits and from floats to 8 bits."""

from __future__ import annotations

import numpy as np

from ocr_ui.domain.content import ContentWarning

_WHOLE_RANGES = (255, 1023, 4095, 16383, 65535)


def to_8_bits(samples: np.ndarray) -> tuple[np.ndarray, tuple[ContentWarning, ...]]:
    """Samples of any number type to uint8 of the same shape, and what a person should know about it.

    16-bit samples are divided by 257. Cameras and scanners keep 10, 12 or 14 bits in 16: where no sample passes the
    white of such a range, that range is taken for the whole. Floats are in 0..1 or 0..255; what is neither is stretched
    from its smallest to its largest value. Infinities and not-a-numbers count as 0.
    """
    if samples.dtype == np.uint8:
        return samples, ()
    if samples.dtype == bool:
        return samples.astype(np.uint8) * 255, ()
    if samples.dtype.kind == "f":
        samples = np.nan_to_num(samples.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    low, high = (float(samples.min()), float(samples.max())) if samples.size else (0.0, 0.0)
    if samples.dtype.kind == "f" and low >= 0 and high <= 255:
        return _scaled(samples, 0.0, 1.0 if high <= 1 else 255.0), ()
    white = next((white for white in _WHOLE_RANGES if high <= white), None)
    if samples.dtype.kind == "f" or low < 0 or white is None:
        return _scaled(samples, low, high), (_stretched(low, high),)
    return _scaled(samples, 0.0, white), () if white in (255, 65535) else (_narrow(white),)


def _scaled(samples: np.ndarray, low: float, high: float) -> np.ndarray:
    if high <= low:
        return np.zeros(samples.shape, np.uint8)
    if samples.dtype == np.uint16:
        return np.take(_levels(np.arange(65536), low, high), samples)
    out = np.empty(samples.shape, np.uint8)
    for target, row in zip(out, samples, strict=True):  # row by row, to need little memory beside the picture
        target[...] = _levels(row, low, high)
    return out


def _levels(values: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.rint(np.clip((values.astype(np.float64) - low) * (255.0 / (high - low)), 0, 255)).astype(np.uint8)


def _stretched(low: float, high: float) -> ContentWarning:
    told = f"Sample values from {low:g} to {high:g} were stretched to black to white."
    return ContentWarning("stretched", told, details={"low": f"{low:g}", "high": f"{high:g}"})


def _narrow(white: int) -> ContentWarning:
    bits = white.bit_length()
    told = f"The samples use {bits} of their 16 bits; {white} was taken for white."
    return ContentWarning("narrow_range", told, details={"bits": bits})
