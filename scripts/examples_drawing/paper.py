"""Paper, noise and light: what makes a clean drawing look like a thing that was printed and seen."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

Size = tuple[int, int]


def to_array(image: Image.Image) -> np.ndarray:
    """RGB as float32 in 0..1, shape (height, width, 3)."""
    return np.asarray(image.convert("RGB"), np.float32) / 255


def to_image(array: np.ndarray) -> Image.Image:
    return Image.fromarray(np.round(np.clip(array, 0, 1) * 255).astype(np.uint8), "RGB")


def cloud(rng: np.random.Generator, size: Size, grain: float) -> np.ndarray:
    """Smooth noise of mean 0 and deviation 1, shape (height, width); `grain` is the size of its blobs in pixels."""
    width, height = size
    step = max(1, int(grain // 2))
    small = rng.standard_normal((height // step + 3, width // step + 3)).astype(np.float32)
    small = ndimage.gaussian_filter(small, max(grain / step, 0.5), mode="reflect")
    large = np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC))
    return (large - large.mean()) / (large.std() + 1e-9)


def fibres(rng: np.random.Generator, size: Size, strength: float = 0.012) -> np.ndarray:
    """A factor around 1 for each pixel: the unevenness of a sheet of paper."""
    return 1 + strength * (0.5 * cloud(rng, size, 90) + 0.3 * cloud(rng, size, 9) + 0.35 * cloud(rng, size, 2))


def shaded(image: Image.Image, factor: np.ndarray) -> Image.Image:
    """Multiplies an image by a factor of shape (height, width) or (height, width, 3)."""
    return to_image(to_array(image) * (factor if factor.ndim == 3 else factor[..., None]))


def grain(image: Image.Image, rng: np.random.Generator, strength: float) -> Image.Image:
    """Sensor noise: mostly brightness, a little colour."""
    array = to_array(image)
    light = rng.standard_normal(array.shape[:2]).astype(np.float32)[..., None]
    colour = rng.standard_normal(array.shape).astype(np.float32)
    return to_image(array + strength * (0.8 * light + 0.45 * colour))


def worn_ink(image: Image.Image, rng: np.random.Generator, strength: float, size: float = 14) -> Image.Image:
    """Lets the paper show through the ink here and there, as a weak till or a dry stamp does."""
    array = to_array(image)
    gaps = np.clip(strength * (0.5 + 0.5 * cloud(rng, image.size, size)), 0, 0.85)[..., None]
    ground = np.median(array[::7, ::7].reshape(-1, 3), axis=0)
    return to_image(array + (ground - array) * gaps)


def ramp(size: Size, start: float, end: float, angle: float = 0.0) -> np.ndarray:
    """A straight run of light from `start` to `end`, shape (height, width); angle 0 runs left to right, in degrees."""
    width, height = size
    x, y = np.meshgrid(np.linspace(-1, 1, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32))
    turn = np.deg2rad(angle)
    along = x * np.cos(turn) + y * np.sin(turn)
    along = (along - along.min()) / (along.max() - along.min())
    return start + (end - start) * along


def soft_shape(size: Size, points: np.ndarray, blur: float) -> np.ndarray:
    """A filled polygon with soft edges as values in 0..1, shape (height, width)."""
    step = 4
    mask = Image.new("L", (size[0] // step + 1, size[1] // step + 1))
    ImageDraw.Draw(mask).polygon([(x / step, y / step) for x, y in points], fill=255)
    soft = ndimage.gaussian_filter(np.asarray(mask, np.float32) / 255, blur / step)
    return np.asarray(Image.fromarray(soft).resize(size, Image.Resampling.BICUBIC))
