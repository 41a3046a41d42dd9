"""How much one file may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the decoding process has no settings and starts in half the time without them
    from ocr_ui.settings import Settings


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one file that is handed in.

    Attributes:
        max_bytes: size of the file.
        max_pixels: width times height of one page, once it is decoded.
        decode_seconds: time for decoding one page; the decoder is ended when it is over.
        max_pages: pages that are taken from one document in one go.
        max_side: width and height of one page; what JPEG and the canvases of browsers can hold.
    """

    max_bytes: int = 20_000_000
    max_pixels: int = 100_000_000
    decode_seconds: float = 20.0
    max_pages: int = 500
    max_side: int = 65_500

    @classmethod
    def from_settings(cls, settings: Settings) -> Limits:
        return cls(settings.max_upload_bytes, settings.max_pixels, settings.decode_seconds, settings.max_pages)
