"""A passport photo of nobody: softly drawn head and shoulders, lit from the left."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from examples_drawing.paper import cloud, ramp, shaded

BACK, HAIR, SKIN, COAT, SHIRT = (176, 200, 218), (52, 42, 40), (222, 184, 160), (54, 62, 84), (236, 238, 240)


def portrait(width: int, height: int, scale: int) -> Image.Image:
    """An RGBA photo of `width` x `height`, drawn at `scale` times the size."""
    wide, high = width * scale * 2, height * scale * 2
    photo = Image.new("RGB", (wide, high), BACK)
    pen = ImageDraw.Draw(photo)

    def oval(x: float, y: float, across: float, down: float, fill: tuple[int, int, int]) -> None:
        pen.ellipse([(x - across) * wide, (y - down) * high, (x + across) * wide, (y + down) * high], fill)

    oval(0.5, 0.40, 0.245, 0.245, HAIR)
    pen.rounded_rectangle([0.265 * wide, 0.38 * high, 0.735 * wide, 0.72 * high], 0.1 * wide, HAIR)
    oval(0.5, 1.02, 0.46, 0.31, COAT)
    pen.rectangle([0.425 * wide, 0.56 * high, 0.575 * wide, 0.74 * high], (206, 166, 142))
    pen.polygon([(x * wide, y * high) for x, y in ((0.41, 0.70), (0.5, 0.86), (0.59, 0.70), (0.5, 0.75))], SHIRT)
    oval(0.5, 0.435, 0.175, 0.195, SKIN)
    pen.chord([0.3 * wide, 0.19 * high, 0.7 * wide, 0.47 * high], 180, 355, HAIR)
    for x in (0.43, 0.57):
        oval(x, 0.44, 0.021, 0.011, (70, 54, 50))
        pen.arc([(x - 0.045) * wide, 0.4 * high, (x + 0.045) * wide, 0.44 * high], 200, 340, HAIR, round(0.012 * wide))
    pen.arc([0.475 * wide, 0.43 * high, 0.525 * wide, 0.51 * high], 30, 130, (190, 144, 122), round(0.01 * wide))
    pen.arc([0.44 * wide, 0.50 * high, 0.56 * wide, 0.56 * high], 25, 155, (172, 96, 92), round(0.016 * wide))
    light = ramp(photo.size, 1.1, 0.8, 20) * (1 + 0.02 * cloud(np.random.default_rng(7), photo.size, wide / 60))
    soft = shaded(photo.filter(ImageFilter.GaussianBlur(wide / 150)), light)
    return soft.resize((width * scale, height * scale), Image.Resampling.LANCZOS).convert("RGBA")
