"""Sizes that files declare, for the kinds whose decoders make room for them as soon as the file is opened."""

from __future__ import annotations


def declared_size(data: bytes, kind: str) -> tuple[int, int] | None:
    """Width and height in pixels of a WebP or GIF; None for other kinds.

    Raises:
        ValueError: the header is cut or unknown.
    """
    if kind == "WebP":
        return _webp(data[12:16], data[20:30])
    if kind == "GIF" and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    return None


def _webp(chunk: bytes, body: bytes) -> tuple[int, int]:
    """By RFC 9649, sections 2.5 to 2.7."""
    if len(body) < 10:
        raise ValueError("cut WebP header")
    if chunk == b"VP8X":
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        return int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF
    raise ValueError(f"unknown WebP chunk {chunk!r}")
