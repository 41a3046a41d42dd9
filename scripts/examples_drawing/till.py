"""A roll of till paper: rows that go down the strip."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from examples_drawing.paper import cloud, fibres, ramp, shaded, soft_shape, to_array, to_image, worn_ink
from examples_drawing.picture import Picture
from examples_drawing.sheet import Sheet

PAPER = (250, 249, 246)
PRINT = (42, 42, 50)


class Till:
    """Prints rows on a strip `width` wide; `row` is the distance between baselines, all in pixels."""

    def __init__(self, width: int, height: int, margin: float, face: str, size: float, row: float) -> None:
        self.sheet = Sheet(width, height, PAPER)
        self.left, self.right = margin, width - margin
        self.face, self.size, self.row = face, size, row
        self.y = 0.0

    def down(self, rows: float = 1) -> None:
        self.y += rows * self.row

    def center(self, text: str, face: str = "", size: float = 0, spacing: float = 0) -> None:
        size = size or self.size
        self.y += self.row * max(size / self.size, 1)
        middle = (self.left + self.right) / 2
        self.sheet.text(middle, self.y, text, face or self.face, size, PRINT, "center", spacing)

    def pair(self, left: str, right: str, face: str = "", size: float = 0, indent: float = 0) -> None:
        """A text on the left and another flush right."""
        size = size or self.size
        self.y += self.row * max(size / self.size, 1)
        if left:
            self.sheet.text(self.left + indent, self.y, left, face or self.face, size, PRINT)
        if right:
            self.sheet.text(self.right, self.y, right, face or self.face, size, PRINT, "right")

    def cells(self, *cells: tuple[float, str, str], face: str = "") -> None:
        """Texts at given offsets from the left edge, each with its alignment."""
        self.y += self.row
        for offset, text, align in cells:
            self.sheet.text(self.left + offset, self.y, text, face or self.face, self.size, PRINT, align)

    def strip(self, below: float) -> Picture:
        """What was printed, cut off `below` pixels under the last row."""
        whole = self.sheet.picture()
        return whole.with_image(whole.image.crop((0, 0, whole.image.width, round(self.y + below))))

    def dashes(self, double: bool = False) -> None:
        self.y += self.row * 0.55
        for lift in (0, 4) if double else (0,):
            self.sheet.rule(self.left, self.y + lift, self.right, self.y + lift, 1.4, PRINT, dash=0 if double else 5)
        self.y += self.row * 0.1


def printed(picture: Picture, rng: np.random.Generator, wear: float = 0.28) -> Picture:
    """Heat-printed: uneven ink, paper with a soft curl from side to side."""
    image = worn_ink(picture.image, rng, wear)
    width = image.size[0]
    curl = 1 - 0.07 * np.abs(np.linspace(-1, 1, width, dtype=np.float32)) ** 2.5
    return picture.with_image(shaded(image, fibres(rng, image.size, 0.008) * curl[None, :]))


def laid_on(
    picture: Picture,
    rng: np.random.Generator,
    size: tuple[int, int],
    corners: np.ndarray,
    ground: tuple[float, float, float],
    shadow: float = 14,
) -> Picture:
    """Lays the strip on a plain table top, with its shadow; `corners` as in `Picture.projected`."""
    top = np.array(ground, np.float32) * fibres(rng, size, 0.05)[..., None]
    top *= ramp(size, 1.08, 0.86, 35)[..., None] + 0.01 * cloud(rng, size, 2)[..., None]
    dark = soft_shape(size, np.add(corners, (shadow * 0.5, shadow * 0.8)), shadow)
    table = to_image(top * (1 - 0.5 * dark[..., None]))
    large = table.resize((size[0] * 2, size[1] * 2), Image.Resampling.BICUBIC)
    laid = picture.projected(corners * 2, large, _torn(picture.image.size)).shrunk(2)
    light = ramp(size, 1.03, 0.93, 60)
    return laid.with_image(to_image(to_array(laid.image) * light[..., None]))


def _torn(size: tuple[int, int], tooth: int = 9) -> Image.Image:
    """A mask with the teeth of the cutter at both ends."""
    width, height = size
    steps = range(0, width + tooth, tooth)
    top = [(x, 1 if n % 2 else 1 + tooth * 0.6) for n, x in enumerate(steps)]
    bottom = [(x, height - 2 if n % 2 else height - 2 - tooth * 0.6) for n, x in enumerate(steps)]
    mask = Image.new("L", (width * 2, height * 2))
    pen = ImageDraw.Draw(mask)
    pen.polygon([(x * 2, y * 2) for x, y in top + bottom[::-1]], fill=255)
    pen.rectangle([0, 0, 3, height * 2], 0)
    pen.rectangle([width * 2 - 4, 0, width * 2, height * 2], 0)
    return mask.resize(size, Image.Resampling.LANCZOS)
