"""The door for pictures: whatever file comes in, upright RGB pixels or one clear sentence comes out.

Files are decoded in a process of their own, bounded in bytes, pixels, memory and time (`ocr_ui.images.worker`).
All functions may be called from any thread; they block while the file is decoded.
"""

from __future__ import annotations

import atexit
import logging
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ocr_ui import errors
from ocr_ui.domain.content import ContentWarning
from ocr_ui.errors import WorkbenchError
from ocr_ui.images import refusals, wire
from ocr_ui.images.ink import ground_color, ink_share, is_blank
from ocr_ui.images.kinds import kind_of, video_kind
from ocr_ui.images.limits import Limits
from ocr_ui.images.stored import decode_png, encode_png, rotate_quarters, thumbnail
from ocr_ui.images.worker import Pool

__all__ = [
    "Limits",
    "UprightPicture",
    "close",
    "count_pages",
    "count_pages_of",
    "decode_png",
    "encode_png",
    "frame_at",
    "ground_color",
    "ink_share",
    "is_blank",
    "open_page_of",
    "open_pages",
    "open_picture",
    "rotate_quarters",
    "stretches_of",
    "thumbnail",
    "video_kind_of",
    "warm_up",
]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UprightPicture:
    """A picture as it is read, shown, stored and exported.

    Attributes:
        pixels: uint8 array of shape (height, width, 3), RGB, C-contiguous, writable.
        warnings: what a person should know: codes truncated, metadata_skipped, animated, more_pages, blank_first,
            empty, flattened, stretched, narrow_range, profile_ignored, reduced.
        source_mode: how the file kept its pixels, in Pillow's words (RGB, CMYK, I;16, ...), or PDF.
        pages: pages or pictures in the file, at least 1.
    """

    pixels: np.ndarray
    warnings: tuple[ContentWarning, ...] = ()
    source_mode: str = "RGB"
    pages: int = 1

    @property
    def width(self) -> int:
        return self.pixels.shape[1]

    @property
    def height(self) -> int:
        return self.pixels.shape[0]


def open_picture(data: bytes, limits: Limits, *, page: int = 1) -> UprightPicture:
    """One page of a file; a warning says so where the file has others.

    Raises:
        BadInput, TooLarge: the file is not taken; the codes are those of `ocr_ui.images.refusals`.
        EngineBusy: `decoder_busy`.
        WorkbenchError: `decoder_unavailable`, `decoder_fault`: a fault of the product or its installation.
    """
    with _handed_over(data, limits) as (token, fd):
        return _read(token, fd, limits, page, only=True)


def count_pages(data: bytes, limits: Limits) -> int:
    """Number of pages, or of pictures of an animation. Raises as `open_picture`."""
    with _handed_over(data, limits) as (token, fd):
        return _count(token, fd, limits)


def open_pages(data: bytes, limits: Limits, *, first: int = 1, last: int | None = None) -> Iterator[UprightPicture]:
    """The pages `first` to `last` (to the end where None), one after the other, each decoded when it is asked for.

    Raises:
        As `open_picture`: at once for the file, the range and `too_many_pages`; on the way for a damaged page.
    """
    pages = count_pages(data, limits)
    last = pages if last is None else last
    for page in (first, last):
        if not 1 <= page <= pages:
            raise refusals.no_such_page(page, pages)
    if last - first + 1 > limits.max_pages:
        raise refusals.too_many_pages(last - first + 1, limits.max_pages)
    return _pages(data, limits, first, last)


def count_pages_of(file: Path, name: str, limits: Limits) -> int:
    """As `count_pages`, of a file on the disk, which is not read into this process.

    Args:
        name: the same for the same bytes: a decoder that has them open still goes on with them.
    """
    with _from_disk(file, limits) as fd:
        return _count(name, fd, limits)


def open_page_of(file: Path, name: str, limits: Limits, page: int) -> UprightPicture:
    """One page of a file on the disk, as `open_pages` gives it; arguments as of `count_pages_of`."""
    with _from_disk(file, limits) as fd:
        return _read(name, fd, limits, page, only=False)


def video_kind_of(file: Path) -> str | None:
    """As `ocr_ui.images.kinds.video_kind`, of a file on the disk."""
    with file.open("rb") as data:
        return video_kind(data.read(_VIDEO_HEAD))


def stretches_of(file: Path, limits: Limits, most_seconds: float) -> list[tuple[float, float]]:
    """From when to when, in seconds, something that may be text stands unchanged in the lower part of a video.

    Raises:
        BadInput, TooLarge: those of `ocr_ui.images.video.stretches`, `decode_timeout`, `decoder_crashed`.
    """
    asked = {"kind": video_kind_of(file), "time": None, "most_seconds": most_seconds}
    with _from_disk(file, limits) as fd:
        reply, _ = _ask({"video": asked}, "", fd, limits, _videos)
    return [(start, end) for start, end in reply["stretches"]]


def frame_at(file: Path, limits: Limits, time: float) -> UprightPicture:
    """The frame that a video shows at a time, in seconds. Raises as `stretches_of`."""
    with _from_disk(file, limits) as fd:
        return _picture(*_ask({"video": {"kind": video_kind_of(file), "time": time}}, "", fd, limits, _videos))


def warm_up() -> None:
    """Starts the decoding process in the background; called when the server starts."""
    _pool.warm_up()


def close() -> None:
    """Ends the decoding processes; called when the server ends, and at exit. A later call starts new ones."""
    global _pool, _videos
    pools = _pool, _videos
    _pool, _videos = Pool(), Pool(most=1)
    for pool in pools:
        pool.close()


_pool = Pool()
_videos = Pool(most=1)
"""A process of its own: to look through a film takes minutes, in which pictures must not wait."""
_VIDEO_HEAD = 4096
atexit.register(close)


def _forget_the_parents_workers() -> None:
    global _pool, _videos
    _pool, _videos = Pool(), Pool(most=1)


os.register_at_fork(after_in_child=_forget_the_parents_workers)


def _pages(data: bytes, limits: Limits, first: int, last: int) -> Iterator[UprightPicture]:
    with _handed_over(data, limits) as (token, fd):
        for page in range(first, last + 1):
            yield _read(token, fd, limits, page, only=False)


@contextmanager
def _handed_over(data: bytes, limits: Limits) -> Iterator[tuple[str, int]]:
    """Checks what can be checked without decoding; puts the file where a worker can map it."""
    if len(data) > limits.max_bytes:
        raise refusals.too_many_bytes(len(data), limits.max_bytes)
    kind_of(data)
    fd = wire.new_buffer(len(data))
    try:
        with wire.mapped(fd) as memory:
            memory[:] = bytes(data)
        yield secrets.token_hex(8), fd
    finally:
        os.close(fd)


@contextmanager
def _from_disk(file: Path, limits: Limits) -> Iterator[int]:
    fd = os.open(file, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        if size > limits.max_bytes:
            raise refusals.too_many_bytes(size, limits.max_bytes)
        if not size:
            raise refusals.empty_file()
        yield fd
    finally:
        os.close(fd)


def _count(token: str, fd: int, limits: Limits) -> int:
    reply, _ = _ask({"page": None, "only": False}, token, fd, limits)
    return reply["pages"]


def _read(token: str, fd: int, limits: Limits, page: int, *, only: bool) -> UprightPicture:
    return _picture(*_ask({"page": page, "only": only}, token, fd, limits))


def _picture(reply: dict[str, Any], pixels_fd: int | None) -> UprightPicture:
    assert pixels_fd is not None, "every decoded page comes with its pixels"  # noqa: S101
    try:
        memory = wire.mapped(pixels_fd)
    finally:
        os.close(pixels_fd)
    return UprightPicture(
        np.frombuffer(memory, np.uint8).reshape(reply["height"], reply["width"], 3),
        tuple(ContentWarning.from_dict(warning) for warning in reply["warnings"]),
        reply["mode"],
        reply["pages"],
    )


def _ask(
    question: dict[str, Any], token: str, fd: int, limits: Limits, pool: Pool | None = None
) -> tuple[dict[str, Any], int | None]:
    reply, pixels_fd = (pool or _pool).ask({**question, "token": token, "limits": asdict(limits)}, fd, limits)
    if "refused" in reply:
        kind, code, message, hint, details = reply["refused"]
        raise getattr(errors, kind)(code, message, hint, **details)
    if "fault" in reply:
        log.error("decoding failed by a fault of the product\n%s", reply["fault"])
        raise WorkbenchError("decoder_fault", "Opening the picture failed by a fault of this program.", "Report it.")
    return reply, pixels_fd
