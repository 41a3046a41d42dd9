"""Documents and pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """One upright RGB picture, stored once under the sha256 of its file.

    Attributes:
        sha256: of the stored PNG file, in hex.
        width, height: of the stored picture, pixels.
        name: the file name it came under; shown, never used as a path.
        number: 1-based place in its document.
        start, end: from when to when it is shown, in seconds from a video's beginning; None where it is of none.
    """

    sha256: str
    width: int
    height: int
    name: str = ""
    number: int = 1
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One or more pages that were handed in together."""

    name: str
    pages: tuple[Page, ...]
