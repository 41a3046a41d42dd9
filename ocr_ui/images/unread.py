"""The part of a cut file that its decoder never reached."""

from __future__ import annotations

import numpy as np

from ocr_ui.images.ink import ground_color

_JPEG_BLOCK_ROWS = 16
"""Height of a row of JPEG blocks with the usual subsampling of colours."""


def paint_unread(raw: np.ndarray, pixels: np.ndarray, kind: str) -> tuple[np.ndarray, float]:
    """The picture with its missing end in the colour of its ground, and the share of rows that are there.

    libjpeg fills what is missing with mid-grey blocks, other decoders leave zeros.

    Args:
        raw: samples as the decoder left them, (height, width) or (height, width, channels).
        pixels: the same picture as RGB, uint8 (height, width, 3).
    """
    if raw.shape[:2] != pixels.shape[:2]:
        return pixels, 1.0
    filler = _filler(raw, kind)
    if kind == "BMP" and filler[0].all() and not filler[-1].all():  # rows from the bottom to the top, as most BMPs have
        painted, share = paint_unread(raw[::-1], pixels[::-1], kind)
        return painted[::-1], share
    rows = np.flatnonzero(~filler.all(axis=1))
    end = int(rows[-1]) + 1 if rows.size else 0
    if end == 0:
        return pixels, 0.0
    painted = np.array(pixels)
    ground = ground_color(pixels[:end])
    painted[end:] = ground
    if kind == "JPEG" and end < len(raw):
        top = (end - 1) // _JPEG_BLOCK_ROWS * _JPEG_BLOCK_ROWS
        columns = np.flatnonzero(~filler[top:end].all(axis=0))
        painted[top:end, int(columns[-1]) + 1 :] = ground
    return painted, end / len(raw)


def _filler(raw: np.ndarray, kind: str) -> np.ndarray:
    """True where a pixel, (height, width), may be what the decoder leaves behind."""
    samples = raw if raw.ndim == 3 else raw[:, :, None]
    if kind == "JPEG":
        return ((samples == 128) | (samples == 127)).all(axis=2)
    return (samples == 0).all(axis=2)
