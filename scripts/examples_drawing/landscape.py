"""A misty river bend: what a small printed photo or a film still can show without a camera."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter
from scipy import ndimage

from examples_drawing.paper import cloud, to_image

Size = tuple[int, int]


def landscape(rng: np.random.Generator, size: Size) -> Image.Image:
    """Sky, four ridges in the haze and water with their reflection, in morning light."""
    width, height = size
    horizon = int(height * 0.62)
    sky = _sky(rng, (width, horizon))
    for number in range(4):
        sky = _ridge(rng, sky, 0.52 + 0.13 * number, 0.16 - 0.02 * number, number)
    water = _water(rng, sky, height - horizon)
    image = to_image(np.concatenate([sky, water]))
    return image.filter(ImageFilter.GaussianBlur(width / 900))


def _sky(rng: np.random.Generator, size: Size) -> np.ndarray:
    width, height = size
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    top, low = np.array((0.52, 0.63, 0.74), np.float32), np.array((0.96, 0.86, 0.72), np.float32)
    clouds = ndimage.gaussian_filter(cloud(rng, size, height / 9), (height / 60, width / 22))
    sky = top + (low - top) * down**1.2
    return sky + 0.05 * (clouds / clouds.std())[..., None] * (1 - down * 0.6)


def _ridge(rng: np.random.Generator, sky: np.ndarray, base: float, swing: float, number: int) -> np.ndarray:
    """Adds a ridge; nearer ones are darker and rougher."""
    height, width, _ = sky.shape
    wave = ndimage.gaussian_filter1d(rng.standard_normal(width + 400), width / (9 + 6 * number))[200:-200]
    rough = ndimage.gaussian_filter1d(rng.standard_normal(width), 2 + 8 / (number + 1)) * 0.006 * (number + 1)
    line = height * (base - swing * wave / np.abs(wave).max() + rough)
    inside = np.clip(np.arange(height)[:, None] - line[None, :], 0, 1)[..., None].astype(np.float32)
    haze = np.array((0.80, 0.79, 0.76), np.float32)
    near = np.array((0.13, 0.20, 0.20), np.float32)
    depth = (number + 1) / 4.3
    leaf = 1 + 0.025 * number * cloud(rng, (width, height), width / 300)[..., None]
    mist = np.clip((np.arange(height) / height - base) * 1.3, 0, 0.45)[:, None, None].astype(np.float32)
    colour = (haze + (near - haze) * depth) * leaf
    colour = colour + (haze - colour) * mist * (1.2 - depth)
    return sky * (1 - inside) + colour * inside


def _water(rng: np.random.Generator, sky: np.ndarray, height: int) -> np.ndarray:
    """The mirrored scene, broken by ripples that grow towards the viewer."""
    width = sky.shape[1]
    mirrored = sky[::-1][:height]
    down = np.linspace(0, 1, height, dtype=np.float32)
    ripples = ndimage.gaussian_filter(rng.standard_normal((height, width)).astype(np.float32), (2.2, 40))
    ripples /= ripples.std()
    rows = np.arange(height)[:, None] + ripples * (3 + 16 * down[:, None])
    rows = np.clip(rows, 0, height - 1).astype(int)
    water = mirrored[rows, np.arange(width)[None, :]]
    return ndimage.gaussian_filter(water, (1.5, 4, 0)) * (0.86 - 0.2 * down)[:, None, None] + 0.012 * ripples[..., None]
