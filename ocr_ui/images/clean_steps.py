"""What may be done to an engine's copy of a page that lies askew, is noisy, or was seen in bad light."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import cv2
import numpy as np

from ocr_ui.images.condition import GROUND_PIXELS, ground_of, small_copy

Size = tuple[int, int]
Color = tuple[int, int, int]
PAPER = 245
"""Grey level of the paper where the light is evened."""
WINDOWS, LEAST_WINDOW = 24, 25
"""So many windows fit the short side of a page whose threshold is local; pixels that one has at least."""
UNDER = 0.4
"""How far the threshold lies under the mean, of the way to the darkest, where nothing but paper is around."""


@dataclass(frozen=True, slots=True)
class Deskew:
    """Turned so that lines which fall to the right by `degrees` are level, on a sheet that holds all of the page.

    Attributes:
        color: of the corners that this adds.
    """

    kind: ClassVar[str] = "deskew"
    degrees: float
    color: Color

    def size(self, before: Size) -> Size:
        cos, sin = np.abs(self._turn()[0])
        return ceil(before[0] * cos + before[1] * sin), ceil(before[0] * sin + before[1] * cos)

    def matrix(self, before: Size) -> np.ndarray:
        turn = self._turn()
        after = self.size(before)
        return np.block([[turn, (np.array([after]) / 2 - turn @ np.array(before) / 2).T], [np.array([[0, 0, 1]])]])

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        before = pixels.shape[1], pixels.shape[0]
        matrix = self.matrix(before)[:2]
        # OpenCV counts from the middle of the first pixel, quads from its corner.
        matrix[:, 2] += matrix[:, :2].sum(axis=1) / 2 - 0.5
        return cv2.warpAffine(
            pixels,
            matrix,
            self.size(before),
            flags=cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=self.color,
        )

    def _turn(self) -> np.ndarray:
        angle = np.deg2rad(self.degrees)
        return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


class _InPlace:
    """A step that moves nothing."""

    __slots__ = ()

    def size(self, before: Size) -> Size:
        return before

    def matrix(self, before: Size) -> np.ndarray:
        return np.eye(3)


@dataclass(frozen=True, slots=True)
class Despeckle(_InPlace):
    """Single pixels that differ from all around them are taken out (median of 3 x 3)."""

    kind: ClassVar[str] = "despeckle"

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        return cv2.medianBlur(pixels, 3)


@dataclass(frozen=True, slots=True)
class Denoise(_InPlace):
    """Grain is smoothed where there is no edge (bilateral filter).

    Attributes:
        sigma: of the noise, grey levels of 255.
    """

    kind: ClassVar[str] = "denoise"
    sigma: float

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        return cv2.bilateralFilter(pixels, 5, 3 * self.sigma, 2)


@dataclass(frozen=True, slots=True)
class EvenLight(_InPlace):
    """Divided by the paper around each place, so that it is equally light everywhere."""

    kind: ClassVar[str] = "even_light"

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        ground = ground_of(small_copy(pixels, GROUND_PIXELS))
        wide = cv2.resize(ground, (pixels.shape[1], pixels.shape[0]), interpolation=cv2.INTER_LINEAR)
        return cv2.divide(pixels, np.maximum(wide, 1), scale=PAPER)


@dataclass(frozen=True, slots=True)
class Binarise(_InPlace):
    """Black and white, by a threshold from the surroundings of each place (Wolf and Jolion); faint ink is ink."""

    kind: ClassVar[str] = "binarise"

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
        side = max(LEAST_WINDOW, min(grey.shape) // WINDOWS) | 1
        mean = cv2.blur(grey, (side, side))
        deviation = np.sqrt(np.maximum(cv2.blur(grey * grey, (side, side)) - mean * mean, 0))
        share = UNDER * (1 - deviation / max(float(deviation.max()), 1.0))
        threshold = mean - share * (mean - grey.min())
        return cv2.cvtColor(np.where(grey > threshold, 255, 0).astype(np.uint8), cv2.COLOR_GRAY2RGB)
