"""A drawn picture together with what it says and where, and the ways to turn and photograph both alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from PIL import Image

Mapping = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Line:
    """A line of text; `quad` has shape (4, 2), pixels, clockwise from the top left as the text is read.

    `kind` is text, handwriting, formula (the text is LaTeX), seal (bent around a seal) or stamp (across other things).
    """

    text: str
    quad: np.ndarray
    kind: str = "text"


@dataclass(frozen=True)
class Picture:
    """An RGB picture and its lines in reading order."""

    image: Image.Image
    lines: list[Line] = field(default_factory=list)

    def with_image(self, image: Image.Image) -> Picture:
        return replace(self, image=image)

    def moved(self, image: Image.Image, mapping: Mapping) -> Picture:
        """Another image, with every quad sent through `mapping`: points (n, 2) to points (n, 2)."""
        return Picture(image, [replace(line, quad=mapping(line.quad)) for line in self.lines])

    def shrunk(self, factor: int) -> Picture:
        size = (self.image.width // factor, self.image.height // factor)
        return self.moved(self.image.resize(size, Image.Resampling.LANCZOS), lambda points: points / factor)

    def turned_left(self) -> Picture:
        """A quarter turn against the clock: the page's top edge comes to lie on the left."""
        width = self.image.width
        turned = self.image.transpose(Image.Transpose.ROTATE_90)
        return self.moved(turned, lambda points: np.stack([points[:, 1], width - points[:, 0]], axis=1))

    def projected(self, corners: np.ndarray, ground: Image.Image, shape: Image.Image | None = None) -> Picture:
        """Lays the picture on `ground` so that its corners (clockwise from the top left) fall on `corners` (4, 2).

        `shape` is a mask of the picture's size for paper that is not a plain rectangle.
        """
        matrix = homography(outline(self.image.size), corners)
        back = np.linalg.inv(matrix)
        back /= back[2, 2]
        coefficients = tuple(back.ravel()[:8])
        warp = (ground.size, Image.Transform.PERSPECTIVE, coefficients)
        page = self.image.transform(*warp, Image.Resampling.BICUBIC)
        mask = (shape or sharp_rectangle(self.image.size)).transform(*warp, Image.Resampling.BILINEAR)
        laid = ground.copy()
        laid.paste(page, (0, 0), mask)
        return self.moved(laid, lambda points: project(matrix, points))


def sharp_rectangle(size: tuple[int, int]) -> Image.Image:
    """A full mask with an empty rim, so that its edge is smooth after a projection."""
    width, height = size
    mask = Image.new("L", size)
    mask.paste(255, (2, 2, width - 2, height - 2))
    return mask


def outline(size: tuple[int, int]) -> np.ndarray:
    """The corners of a picture, clockwise from the top left, shape (4, 2)."""
    width, height = size
    return np.array([(0, 0), (width, 0), (width, height), (0, height)], float)


def homography(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The 3 x 3 matrix that maps four points on four others, both of shape (4, 2)."""
    rows, values = [], []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    solved = np.linalg.solve(np.array(rows, float), np.array(values, float))
    return np.append(solved, 1.0).reshape(3, 3)


def project(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points of shape (n, 2) through a homography."""
    flat = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return flat[:, :2] / flat[:, 2:]
