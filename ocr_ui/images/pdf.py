"""Pages of a PDF as pictures."""

from __future__ import annotations

import math

import pypdfium2
import pypdfium2.raw as pdfium

from ocr_ui.domain.content import ContentWarning
from ocr_ui.errors import BadInput
from ocr_ui.images import refusals
from ocr_ui.images.limits import Limits
from ocr_ui.images.source import Picture

DPI = 200
"""What Tesseract's and most OCR guides take for the least that small print needs."""

_POINTS_PER_INCH = 72
_MAX_PIXELS = 40_000_000
_MAX_SIDE = 32_000
_TAIL = 2048
_NO_ERROR_OF_ITS_OWN = pdfium.FPDF_ERR_FILE


class PdfSource:
    """A PDF in memory, drawn on white at DPI, or less where the page would pass the limits."""

    animated = False

    def __init__(self, data: bytes, limits: Limits) -> None:
        """Raises BadInput: `pdf_encrypted`, `pdf_empty`, `damaged`."""
        _forget_last_error()
        try:
            self._document = pypdfium2.PdfDocument(data)
            self.pages = len(self._document)
        except pypdfium2.PdfiumError as error:
            raise _refusal(error) from error
        if self.pages < 1:
            raise refusals.pdf_empty()
        self._document.init_forms()  # without it, what was typed into a form is not drawn
        self._most = min(limits.max_pixels, _MAX_PIXELS)
        self._cut = b"%%EOF" not in data[-_TAIL:]

    def read(self, page: int) -> Picture:
        try:
            opened = self._document[page - 1]
            width, height = opened.get_size()
            scale = self._scale(width, height)
            if not scale:
                raise refusals.pdf_page_unusable(page)
            pixels = opened.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3]
            opened.close()
        except (pypdfium2.PdfiumError, ValueError, MemoryError) as error:
            raise refusals.pdf_page_unusable(page) from error
        return Picture(pixels, "PDF", tuple(self._notes(scale)))

    def _scale(self, width: float, height: float) -> float:
        """Pixels per point, 0 where the page has no size. Both sides are rounded up by the renderer."""
        if not (math.isfinite(width) and math.isfinite(height) and width > 0 and height > 0):
            return 0.0
        scale = min(DPI / _POINTS_PER_INCH, math.sqrt(self._most / (width * height)), _MAX_SIDE / max(width, height))
        while math.ceil(width * scale) * math.ceil(height * scale) > self._most:
            scale *= 0.98
        return scale

    def _notes(self, scale: float) -> list[ContentWarning]:
        notes = []
        dpi = scale * _POINTS_PER_INCH
        if dpi < DPI - 1:
            told = f"The page is very large; it was drawn at {dpi:.0f} dots per inch, not {DPI}."
            notes.append(ContentWarning("reduced", told, details={"dpi": round(dpi)}))
        if self._cut:
            notes.append(ContentWarning("truncated", "The PDF has no end (truncated); parts of it may be missing."))
        return notes


def _forget_last_error() -> None:
    """PDFium sets no error code for a document without pages, so that the code of the document before would show."""
    pdfium.FPDF_LoadDocument(b"", None)


def _refusal(error: pypdfium2.PdfiumError) -> BadInput:
    if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return refusals.pdf_encrypted()
    return refusals.pdf_empty() if error.err_code == _NO_ERROR_OF_ITS_OWN else refusals.damaged("PDF")
