"""What the door makes of a file, without reading it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from ocr_ui.images.door import Limits, encode_png, open_picture
from ocr_ui.settings import Settings


def check_image(data: bytes, settings: Settings, *, page: int = 1, out: Path | None = None) -> dict[str, Any]:
    """Size, source mode, pages and warnings of the upright picture, as plain JSON values.

    Args:
        page: 1-based.
        out: where the upright picture is written as a PNG file; what stands there stays until it is whole.

    Raises:
        BadInput, TooLarge: the file is not taken.
        OSError: `out` cannot be written.
    """
    picture = open_picture(data, Limits.from_settings(settings), page=page)
    if out is not None:
        _write_whole(out, encode_png(picture.pixels))
    return {
        "width": picture.width,
        "height": picture.height,
        "mode": picture.source_mode,
        "pages": picture.pages,
        "warnings": [{"code": warning.code, "message": warning.message} for warning in picture.warnings],
    }


def _write_whole(out: Path, data: bytes) -> None:
    """The file takes its place when all of it is on the disk. A device or a pipe is written as it is."""
    out = out.resolve()
    if out.exists() and not out.is_file():
        out.write_bytes(data)
        return
    work = out.with_name(f".{out.name[:40]}-{secrets.token_hex(8)}")
    try:
        with work.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(work, out)
    finally:
        work.unlink(missing_ok=True)
