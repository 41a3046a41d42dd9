"""What may be done to an engine's copy of a page that lies askew."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import cv2
import numpy as np

Size = tuple[int, int]
Color = tuple[int, int, int]


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
