"""The sentences for what the door does not let in."""

from __future__ import annotations

from ocr_ui.domain.amounts import bytes_text, pixels_text
from ocr_ui.errors import BadInput, TooLarge

TAKEN = "JPEG, PNG, WebP, TIFF, BMP, GIF, HEIC, AVIF or PDF"


def empty_file() -> BadInput:
    return BadInput("empty_file", "The file is empty (0 bytes).", "Choose the file again, it may not have been saved.")


def too_many_bytes(size: int, limit: int) -> TooLarge:
    return TooLarge(
        "too_many_bytes",
        f"The file is too large: {bytes_text(size)}, at most {bytes_text(limit)} are taken.",
        "Save it smaller, for example as a JPEG.",
        bytes=size,
        limit=limit,
    )


def not_a_picture() -> BadInput:
    return BadInput("not_a_picture", "This is not a picture.", f"Hand in a {TAKEN} file.")


def unsupported_format(kind: str) -> BadInput:
    return BadInput(
        "unsupported_format", f"This is a file of kind {kind}, which is not taken.", f"Save it as {TAKEN}.", format=kind
    )


def video_is_no_picture() -> BadInput:
    return BadInput("video_is_no_picture", "This is a video, not a picture.", "Hand it in on the Batch tab.")


def video_without_picture() -> BadInput:
    return BadInput("video_without_picture", "The file has no moving picture, sound alone.", "Choose a video.")


def video_without_text() -> BadInput:
    return BadInput(
        "video_without_text",
        "Nothing that looks like text stands in the lower part of this video.",
        "Hand in single pictures where its text stands elsewhere.",
    )


def video_too_long(seconds: float, limit: float) -> TooLarge:
    return TooLarge(
        "video_too_long",
        f"The video is {seconds / 60:.0f} minutes long; at most {limit / 60:.0f} are taken.",
        "Cut it into parts.",
        minutes=round(seconds / 60),
        limit=round(limit / 60),
    )


def too_many_frames(frames: int, limit: int) -> TooLarge:
    return TooLarge(
        "too_many_frames",
        f"The lower part of the video changes {frames} times; at most {limit} frames are read.",
        "Cut it into parts, or name pages: the frames are counted from 1.",
        frames=frames,
        limit=limit,
    )


def damaged(kind: str) -> BadInput:
    return BadInput(
        "damaged",
        f"The {kind} file is damaged or incomplete (truncated): nothing of it can be read.",
        "Copy or download it again.",
        format=kind,
    )


def too_many_pixels(width: int, height: int, limit: int) -> TooLarge:
    return TooLarge(
        "too_many_pixels",
        f"The picture is too large: {width} x {height} pixels, at most {pixels_text(limit)} are taken.",
        "Scale it down or cut it into parts.",
        width=width,
        height=height,
        limit=limit,
    )


def too_long(width: int, height: int, limit: int) -> TooLarge:
    return TooLarge(
        "too_long",
        f"The picture is too long: {width} x {height} pixels, no side may have more than {limit}.",
        "Cut it into parts.",
        width=width,
        height=height,
        limit=limit,
    )


def too_much_memory() -> TooLarge:
    return TooLarge(
        "too_much_memory",
        "Decoding this picture needs more memory than a picture may take.",
        "Save it again in a simpler way, for example as an 8-bit PNG.",
    )


def decode_timeout(seconds: float) -> BadInput:
    return BadInput(
        "decode_timeout",
        f"Decoding the file took longer than {seconds:g} seconds and was stopped.",
        "Save it smaller or simpler, for example as a JPEG or PNG.",
        seconds=seconds,
    )


def decoder_crashed() -> BadInput:
    return BadInput(
        "decoder_crashed",
        "The file made its decoder crash; it is damaged or hostile.",
        "Open it in another program and save it again, for example as a PNG.",
    )


def no_such_page(page: int, pages: int) -> BadInput:
    return BadInput(
        "no_such_page",
        f"There is no page {page}: the document has {pages}.",
        f"Choose a page from 1 to {pages}.",
        page=page,
        pages=pages,
    )


def too_many_pages(pages: int, limit: int) -> TooLarge:
    return TooLarge(
        "too_many_pages",
        f"These are {pages} pages, at most {limit} are taken in one go.",
        "Split the document or ask for fewer pages.",
        pages=pages,
        limit=limit,
    )


def pdf_encrypted() -> BadInput:
    return BadInput("pdf_encrypted", "This PDF is locked with a password.", "Save a copy of it without a password.")


def pdf_empty() -> BadInput:
    return BadInput("pdf_empty", "This PDF has no pages.", "Choose another file.")


def pdf_page_unusable(page: int) -> BadInput:
    return BadInput(
        "pdf_page_unusable",
        f"Page {page} of this PDF cannot be drawn: the page is damaged or has no size.",
        "Print it to a new PDF, or hand it in as a picture.",
        page=page,
    )
