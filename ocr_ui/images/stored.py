"""Pictures as the product keeps and shows them: PNG files, thumbnails, quarter turns."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, PngImagePlugin

_PNG_LEVEL = 1
_THUMBNAIL_QUALITY = 80


def encode_png(pixels: np.ndarray) -> bytes:
    """PNG file of a picture. The same pixels give the same bytes, without any metadata.

    Args:
        pixels: uint8 (height, width, 3), RGB.
    """
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG", compress_level=_PNG_LEVEL)
    return out.getvalue()


def decode_png(data: bytes) -> np.ndarray:
    """Pixels, uint8 (height, width, 3), of a file that `encode_png` made. Not for files that people hand in.

    The plugin is used directly because `Image.open` warns about stored pictures of more than 89 million pixels.

    Raises:
        OSError, SyntaxError: the stored file is damaged.
    """
    return np.array(PngImagePlugin.PngImageFile(io.BytesIO(data)).convert("RGB"))


def thumbnail(pixels: np.ndarray, side: int = 256) -> bytes:
    """JPEG of the picture, scaled so that its longer side is at most `side`; never scaled up, no side under 1 pixel."""
    height, width = pixels.shape[:2]
    scale = min(1.0, side / max(width, height))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    out = io.BytesIO()
    small = Image.fromarray(pixels).resize(size, Image.Resampling.BOX if scale < 0.5 else Image.Resampling.BILINEAR)
    small.save(out, "JPEG", quality=_THUMBNAIL_QUALITY)
    return out.getvalue()


def rotate_quarters(pixels: np.ndarray, turns: int) -> np.ndarray:
    """The picture turned clockwise by `turns` quarters (negative: counter-clockwise), C-contiguous."""
    return np.ascontiguousarray(np.rot90(pixels, -turns))
