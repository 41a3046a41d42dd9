"""A wooden desk seen from above, and what stands on it."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from examples_drawing.paper import cloud, soft_shape, to_array, to_image

Size = tuple[int, int]


def wood(rng: np.random.Generator, size: Size, planks: int = 4) -> Image.Image:
    """Planks running from left to right."""
    width, height = size
    rows = []
    for number in range(planks):
        high = height * (number + 1) // planks - height * number // planks
        rows.append(_plank(rng, (width, high)))
    return to_image(np.concatenate(rows))


def _plank(rng: np.random.Generator, size: Size) -> np.ndarray:
    height = size[1]
    y = np.linspace(0, height / 60, height, dtype=np.float32)[:, None]
    bend = 1.2 * _streaks(rng, size, 340, 60)
    rings = np.sin((y + bend) * 3.1 + rng.uniform(0, 6)) * 0.5 + 0.35 * np.sin((y + bend) * 9.7)
    fine = _streaks(rng, size, 160, 2)
    tone = 1 + 0.07 * rings + 0.055 * fine + 0.03 * cloud(rng, size, 80) + rng.uniform(-0.07, 0.07)
    pores = np.clip(_streaks(rng, size, 26, 1.4) - 1.5, 0, 1) * 0.16
    colour = np.array((0.56, 0.39, 0.25), np.float32) * (1 + rng.uniform(-0.03, 0.03))
    plank = colour * (tone - pores)[..., None] ** np.array((0.9, 1.05, 1.2), np.float32)
    seam = np.minimum(np.arange(height), np.arange(height)[::-1])
    return plank * (1 - 0.55 * np.exp(-seam / 2.2))[:, None, None].astype(np.float32)


def _streaks(rng: np.random.Generator, size: Size, along: float, across: float) -> np.ndarray:
    """Noise drawn out along the grain."""
    width, height = size
    small = cloud(rng, (max(8, int(width * across / along)), height), across)
    wide = np.asarray(Image.fromarray(small).resize(size, Image.Resampling.BICUBIC))
    return (wide - wide.mean()) / wide.std()


def mug(image: Image.Image, x: float, y: float, radius: float) -> Image.Image:
    """Sets a mug of coffee on the desk, its middle at (x, y)."""
    array, (width, height) = to_array(image), image.size
    turn = np.linspace(0, 2 * np.pi, 60)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    shadow = soft_shape((width, height), ring * radius * 1.04 + (x - radius * 0.22, y + radius * 0.28), radius * 0.12)
    image = to_image(array * (1 - 0.6 * shadow[..., None]))
    box = int(radius * 1.6)
    tile = _mug_layer(box * 4, radius * 2).resize((box * 2, box * 2), Image.Resampling.LANCZOS)
    image.paste(tile, (round(x - box), round(y - box)), tile)
    return image


def _mug_layer(size: int, radius: float) -> Image.Image:
    layer = Image.new("RGBA", (size, size))
    pen, middle = ImageDraw.Draw(layer), size / 2

    def disc(reach: float, fill: tuple[int, int, int], x: float = 0, y: float = 0) -> None:
        pen.ellipse([middle + x - reach, middle + y - reach, middle + x + reach, middle + y + reach], fill)

    pen.line([(middle, middle), (middle - radius * 1.32, middle + radius * 0.55)], (214, 212, 206), int(radius * 0.26))
    disc(radius, (226, 225, 220))
    disc(radius * 0.97, (240, 239, 235), -radius * 0.02, -radius * 0.02)
    disc(radius * 0.87, (186, 182, 174))
    disc(radius * 0.83, (74, 44, 26), radius * 0.02, radius * 0.03)
    disc(radius * 0.74, (92, 56, 34), radius * 0.03, radius * 0.05)
    pen.chord(
        [middle - radius * 0.6, middle - radius * 0.62, middle + radius * 0.5, middle + radius * 0.5],
        205,
        262,
        (150, 110, 84),
    )
    return layer.filter(ImageFilter.GaussianBlur(size / 300))


def pencil(image: Image.Image, start: tuple[float, float], end: tuple[float, float], width: float) -> Image.Image:
    """Lays a pencil on the desk, its point at `end`."""
    a, b = np.array(start, float), np.array(end, float)
    along = (b - a) / np.hypot(*(b - a))
    side = np.array([-along[1], along[0]]) * width / 2
    outline = np.array([a + side, b + side, b - side, a - side])
    shadow = soft_shape(image.size, np.add(outline, (-width * 0.4, width * 0.6)), width * 0.35)
    image = to_image(to_array(image) * (1 - 0.55 * shadow[..., None]))
    layer = Image.new("RGBA", (image.width * 2, image.height * 2))
    pen = ImageDraw.Draw(layer)
    neck, lead = b - along * width * 2.6, b - along * width * 0.8

    def strip(p: np.ndarray, q: np.ndarray, low: float, high: float, fill: tuple[int, int, int]) -> None:
        corners = (p + side * low, q + side * low, q + side * high, p + side * high)
        pen.polygon([(x * 2, y * 2) for x, y in corners], fill)

    strip(a, neck, -1, -0.35, (176, 126, 20))
    strip(a, neck, -0.35, 0.35, (224, 168, 38))
    strip(a, neck, 0.35, 1, (242, 196, 78))
    pen.polygon([tuple(p * 2) for p in (neck + side, neck - side, b)], (226, 190, 148))
    pen.polygon([tuple(p * 2) for p in (lead + side * 0.31, lead - side * 0.31, b)], (52, 50, 54))
    small = layer.resize(image.size, Image.Resampling.LANCZOS)
    image.paste(small, (0, 0), small)
    return image
