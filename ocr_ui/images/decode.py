"""Bytes to pictures, in this process: without a bound on time, and with settings of Pillow that hold process-wide.

The door (`ocr_ui.images.door`) runs this in a process of its own. Fuzzers may call it directly.
"""

from __future__ import annotations

from dataclasses import replace

from ocr_ui.domain.content import ContentWarning
from ocr_ui.errors import BadInput
from ocr_ui.images import refusals
from ocr_ui.images.ink import is_blank
from ocr_ui.images.kinds import kind_of
from ocr_ui.images.limits import Limits
from ocr_ui.images.raster import RasterSource
from ocr_ui.images.source import Picture, Source

_LOOK_AHEAD = 10


def open_source(data: bytes, limits: Limits) -> Source:
    """Opens a file of any kind that is taken.

    Raises:
        BadInput, TooLarge: with a code of `ocr_ui.images.refusals`; nothing else.
    """
    if len(data) > limits.max_bytes:
        raise refusals.too_many_bytes(len(data), limits.max_bytes)
    kind = kind_of(data)
    try:
        return _pdf(data, limits) if kind == "PDF" else RasterSource(data, kind, limits)
    except MemoryError as error:
        raise refusals.too_much_memory() from error


def _pdf(data: bytes, limits: Limits) -> Source:
    from ocr_ui.images.pdf import PdfSource  # loading PDFium takes a while, which only PDFs should pay

    return PdfSource(data, limits)


def read_page(source: Source, page: int) -> Picture:
    """Decodes one page and says so where it is blank. Raises BadInput and TooLarge, nothing else."""
    if not 1 <= page <= source.pages:
        raise refusals.no_such_page(page, source.pages)
    try:
        picture = source.read(page)
    except MemoryError as error:
        raise refusals.too_much_memory() from error
    if not is_blank(picture.pixels):
        return picture
    note = ContentWarning("empty", "The picture is blank: nothing stands out from its ground.")
    return replace(picture, warnings=(*picture.warnings, note))


def read_only(source: Source, page: int) -> Picture:
    """As `read_page`, for a caller who takes one page alone: says that there are others."""
    picture = read_page(source, page)
    if source.pages == 1:
        return picture
    return replace(picture, warnings=(_others(source, page), *picture.warnings, *_blank_first(source, page, picture)))


def _others(source: Source, page: int) -> ContentWarning:
    details = {"pages": source.pages, "page": page}
    if source.animated:
        which = "the first" if page == 1 else f"number {page}"
        told = f"This is an animation of {source.pages} pictures; {which} was taken."
        return ContentWarning("animated", told, details=details)
    told = f"The document has {source.pages} pages; page {page} was taken."
    return ContentWarning("more_pages", told, details=details)


def _blank_first(source: Source, page: int, picture: Picture) -> tuple[ContentWarning, ...]:
    if page != 1 or not is_blank(picture.pixels):
        return ()
    for other in range(2, min(source.pages, _LOOK_AHEAD) + 1):
        if _has_ink(source, other):
            told = f"The first picture is blank; number {other} is not."
            return (ContentWarning("blank_first", told, details={"page": other}),)
    return ()


def _has_ink(source: Source, page: int) -> bool:
    try:
        return not is_blank(source.read(page).pixels)
    except (BadInput, MemoryError):
        return False  # the page that was asked for is fine; a damaged other one is told when it is asked for
