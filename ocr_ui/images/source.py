"""What an opened file gives, whatever its kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ocr_ui.domain.content import ContentWarning


@dataclass(frozen=True, slots=True)
class Picture:
    """One decoded page.

    Attributes:
        pixels: uint8 (height, width, 3), RGB, upright; not always contiguous.
        mode: how the file keeps its pixels, in Pillow's words, or PDF.
        warnings: what a person should know about it.
    """

    pixels: np.ndarray
    mode: str
    warnings: tuple[ContentWarning, ...] = ()


class Source(Protocol):
    """An opened file.

    Attributes:
        pages: how many pictures or pages it has, at least 1.
        animated: they follow in time rather than as pages.
    """

    pages: int
    animated: bool

    def read(self, page: int) -> Picture:
        """Decodes page 1..pages. Raises BadInput and its kinds."""
        ...
