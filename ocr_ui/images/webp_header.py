"""The size of a WebP, read before libwebp makes room for it."""

from __future__ import annotations


def canvas(data: bytes) -> tuple[int, int]:
    """Width and height in pixels from the first chunk (RFC 9649, sections 2.5 to 2.7).

    Raises:
        ValueError: the chunk is cut or unknown.
    """
    chunk, body = data[12:16], data[20:30]
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
