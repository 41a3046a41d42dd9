"""How much one file may cost."""

from __future__ import annotations

from dataclasses import dataclass

from ocr_ui.settings import Settings


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one file that is handed in.

    Attributes:
        max_bytes: size of the file.
        max_pixels: width times height of one page, once it is decoded.
        decode_seconds: time for decoding one page; the decoder is ended when it is over.
        max_pages: pages that are taken from one document in one go.
    """

    max_bytes: int = 20_000_000
    max_pixels: int = 100_000_000
    decode_seconds: float = 20.0
    max_pages: int = 500

    @classmethod
    def from_settings(cls, settings: Settings) -> Limits:
        return cls(settings.max_upload_bytes, settings.max_pixels, settings.decode_seconds, settings.max_pages)
