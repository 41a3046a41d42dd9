"""Pages of level lines, and copies that lie askew."""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ocr_ui.images.clean_steps import Deskew

WHITE = (255, 255, 255)


@cache
def page(lines: int = 18, width: int = 800) -> np.ndarray:
    """A page of level lines, RGB; not to be written to."""
    image = Image.new("RGB", (width, 60 + 36 * lines), WHITE)
    drawing, font = ImageDraw.Draw(image), ImageFont.load_default(20)
    for number in range(lines):
        words = " ".join(f"{number * 37 + part:x} line" for part in range(3 + number % 7))
        drawing.text((60, 30 + 36 * number), words, (20, 20, 30), font=font)
    return np.asarray(image)


def askew(pixels: np.ndarray, degrees: float) -> np.ndarray:
    """Lines fall to the right by so much."""
    return Deskew(-degrees, WHITE).apply(pixels)
