"""Colour pictures with 16 bits a sample: Pillow keeps the upper 8 of them, which leaves 4 of a 12-bit picture."""

from __future__ import annotations

import cv2
import numpy as np
from PIL import Image, TiffImagePlugin

from ocr_ui.domain.content import ContentWarning
from ocr_ui.images.colors import flatten
from ocr_ui.images.depth import to_8_bits

_PNG_COLORED_OR_ALPHA = (2, 4, 6)
_TIFF_RGB = 2


def read(data: bytes, image: Image.Image) -> tuple[np.ndarray, tuple[ContentWarning, ...]] | None:
    """RGB pixels and warnings as `to_rgb` gives them; None where the file is of another kind or OpenCV fails.

    Args:
        image: the same file as Pillow loaded it; OpenCV turns TIFF as Pillow does, and PNG not at all.
    """
    if not _is_deep(data, image):
        return None
    try:
        samples = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None  # Pillow's 8 bits are still there
    if samples is None or samples.dtype != np.uint16 or samples.shape[:2] != (image.height, image.width):
        return None
    narrow, notes = to_8_bits(samples)
    if narrow.ndim != 3 or narrow.shape[2] not in (3, 4):
        return None
    rgb = np.ascontiguousarray(narrow[:, :, 2::-1])
    if narrow.shape[2] == 3:
        return rgb, notes
    flat, more = flatten(rgb, narrow[:, :, 3])
    return flat, notes + more


def _is_deep(data: bytes, image: Image.Image) -> bool:
    if getattr(image, "n_frames", 1) > 1:
        return False
    if image.format == "PNG":
        return data[24] == 16 and data[25] in _PNG_COLORED_OR_ALPHA  # bit depth and colour type in the IHDR chunk
    if isinstance(image, TiffImagePlugin.TiffImageFile):
        tags = image.tag_v2
        depths = tags.get(TiffImagePlugin.BITSPERSAMPLE, ())
        return (
            len(depths) >= 3
            and set(depths) == {16}
            and tags.get(TiffImagePlugin.PHOTOMETRIC_INTERPRETATION) == _TIFF_RGB
        )
    return False
