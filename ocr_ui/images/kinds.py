"""What kind of file a row of bytes is. The name of a file says nothing."""

from __future__ import annotations

import re

from ocr_ui.images import refusals

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"II+\0", "TIFF"),
    (b"MM\0+", "TIFF"),
    (b"%PDF-", "PDF"),
)

_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "ZIP (or a Word, Excel or OpenDocument file)"),
    (b"\xd0\xcf\x11\xe0", "old Word or Excel"),
    (b"8BPS", "Photoshop"),
    (b"\0\0\0\x0cjP  ", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"\0\0\0\x0cJXL ", "JPEG XL"),
    (b"\xff\x0a", "JPEG XL"),
    (b"\0\0\x01\0", "icon"),
    (b"AT&TFORM", "DjVu"),
    (b"%!PS", "PostScript"),
    (b"{\\rtf", "rich text"),
    (b"Rar!", "RAR"),
    (b"7z\xbc\xaf", "7-Zip"),
    (b"\x1f\x8b", "gzip"),
)

_VIDEOS: tuple[tuple[bytes, str], ...] = (
    (b"\x1aE\xdf\xa3", "matroska"),
    (b"FLV\x01", "flv"),
    (b"OggS", "ogg"),
    (b"\0\0\x01\xba", "mpeg"),
)
_TS_PACKET, _TS_SYNC = 188, 0x47
"""ISO/IEC 13818-1, 2.4.3: packets of 188 bytes that begin with this one."""

_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"mif2"}
_AVIF_BRANDS = {b"avif", b"avis"}
_BMP_HEADER_SIZES = {12, 40, 52, 56, 64, 108, 124}
_MARKUP = re.compile(
    rb"\s*(?:<!--.*?-->\s*|<\?.*?\?>\s*|<!DOCTYPE[^>]*>\s*)*<(svg|html|head|body|script|[a-z!?])", re.I | re.S
)
_PDF_LEAD = 1024
"""Readers of PDF accept the header anywhere in the first 1024 bytes (PDF 1.7 reference, appendix H, note 13)."""


def kind_of(data: bytes) -> str:
    """JPEG, PNG, GIF, BMP, TIFF, WebP, HEIC, AVIF or PDF.

    Raises:
        BadInput: `empty_file`; `video_is_no_picture`; `unsupported_format` for kinds that are known and not taken;
            `not_a_picture`.
    """
    if not data:
        raise refusals.empty_file()
    if video_kind(data):
        raise refusals.video_is_no_picture()
    kind = _known(_STARTS, data) or _boxed(data) or _riff(data) or _bmp(data)
    if kind:
        return kind
    other = _known(_OTHERS, data) or _markup(data)
    if other:
        raise refusals.unsupported_format(other)
    if b"%PDF-" in data[:_PDF_LEAD]:
        return "PDF"
    raise refusals.not_a_picture()


def video_kind(data: bytes) -> str | None:
    """What a video is in, in the words of FFmpeg; None for what is none. `data`: its first kilobyte or more."""
    if data[4:8] == b"ftyp":
        return None if _boxed(data) else "mp4"
    if data[:4] == b"RIFF" and data[8:12] == b"AVI ":
        return "avi"
    if len(data) > 2 * _TS_PACKET and all(data[at] == _TS_SYNC for at in (0, _TS_PACKET, 2 * _TS_PACKET)):
        return "mpegts"
    return _known(_VIDEOS, data)


def _known(starts: tuple[tuple[bytes, str], ...], data: bytes) -> str | None:
    return next((kind for start, kind in starts if data.startswith(start)), None)


def _boxed(data: bytes) -> str | None:
    """Files made of ISO base media boxes tell their kind by brands (ISO/IEC 14496-12, box `ftyp`)."""
    if data[4:8] != b"ftyp":
        return None
    end = min(max(int.from_bytes(data[:4], "big"), 16), 256)
    brands = {data[8:12]} | {data[at : at + 4] for at in range(16, end, 4)}
    if brands & _AVIF_BRANDS:
        return "AVIF"
    return "HEIC" if brands & _HEIC_BRANDS else None


def _riff(data: bytes) -> str | None:
    return "WebP" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _bmp(data: bytes) -> str | None:
    return "BMP" if data[:2] == b"BM" and int.from_bytes(data[14:18], "little") in _BMP_HEADER_SIZES else None


def _markup(data: bytes) -> str | None:
    found = _MARKUP.match(data[:4096].removeprefix(b"\xef\xbb\xbf"))
    if not found:
        return None
    return "SVG" if found[1].lower() == b"svg" else "HTML or XML"
