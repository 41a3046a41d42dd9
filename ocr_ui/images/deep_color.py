"""Colour pictures with 16 bits a sample: Pillow keeps the upper 8 of them, which leaves 4 of a 12-bit picture."""

from __future__ import annotations

import cv2
import numpy as np
from PIL import Image, TiffImagePlugin

from ocr_ui.domain.content import ContentWarning
from ocr_ui.images.depth import to_8_bits

_PNG_COLORED_OR_ALPHA = (2, 4, 6)
_TIFF_RGB = 2


def with_all_bits(data: bytes, image: Image.Image) -> tuple[Image.Image, tuple[ContentWarning, ...]]:
    """A picture of 8 bits made of all 16, as RGB or RGBA, and warnings; `image` itself where that is not needed.

    Args:
        image: the same file as Pillow loaded it; OpenCV turns TIFF as Pillow does, and PNG not at all.
    """
    samples = _decoded(data) if _is_deep(data, image) else None
    if samples is None or samples.ndim != 3 or samples.shape[:2] != (image.height, image.width):
        return image, ()
    order = {3: cv2.COLOR_BGR2RGB, 4: cv2.COLOR_BGRA2RGBA}.get(samples.shape[2])
    if order is None or samples.dtype != np.uint16:
        return image, ()
    narrow, notes = to_8_bits(samples)
    better = Image.fromarray(cv2.cvtColor(narrow, order))
    better.info = {key: value for key, value in image.info.items() if key == "icc_profile" and image.mode != "LA"}
    return better, notes


def _decoded(data: bytes) -> np.ndarray | None:
    try:
        return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None  # damaged: Pillow's 8 bits, with its warning, have to do


def _is_deep(data: bytes, image: Image.Image) -> bool:
    if getattr(image, "n_frames", 1) > 1:
        return False
    if image.format == "PNG":
        return data[24] == 16 and data[25] in _PNG_COLORED_OR_ALPHA  # bit depth and colour type in the IHDR chunk
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return False
    depths = image.tag_v2.get(TiffImagePlugin.BITSPERSAMPLE, ())
    rgb = image.tag_v2.get(TiffImagePlugin.PHOTOMETRIC_INTERPRETATION) == _TIFF_RGB
    return rgb and len(depths) >= 3 and set(depths) == {16}
