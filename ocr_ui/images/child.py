"""The decoding process: takes files, gives pixels, and may die of either without harm to the product."""

from __future__ import annotations

import fcntl
import mmap
import os
import resource
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from ocr_ui.errors import BadInput
from ocr_ui.images import decode, wire
from ocr_ui.images.limits import Limits
from ocr_ui.images.source import Picture, Source

_LIFELINE = 0
"""Standard input: a pipe on which nothing ever comes; it closes when the product ends, however it ends."""

_BYTES_PER_PIXEL = 20
_BYTES_FOR_ANY = 512 * 1024 * 1024
_GRACE_SECONDS = 2.0


def main(fd: int) -> None:
    """Answers requests on the socket `fd` until the other side closes it."""
    _die_with_the_product()
    _be_the_first_to_be_killed()
    sock = socket.socket(fileno=fd)
    sock.setblocking(True)
    base = _virtual_bytes()
    wire.send(sock, {"ready": os.getpid()})
    opened: tuple[str, Source] | None = None
    while True:
        try:
            request, data_fd = wire.receive(sock)
        except wire.HungUp:
            return
        limits = Limits(**request["limits"])
        _bound(limits, base)
        reply: dict[str, Any]
        pixels_fd = None
        try:
            if "video" in request:
                reply, pixels_fd = _of_video(request["video"], data_fd, limits)
            else:
                if opened is None or opened[0] != request["token"]:
                    opened = None
                    opened = request["token"], decode.open_source(_bytes_of(data_fd), limits)
                reply, pixels_fd = _answer(request, opened[1])
        except BadInput as error:
            reply = {"refused": [type(error).__name__, error.code, error.message, error.hint, error.details]}
        except Exception as error:  # of the product's own; it is told, and the process is not trusted any more
            reply = {"fault": fault(error)}
        signal.setitimer(signal.ITIMER_REAL, 0)
        if data_fd is not None:
            os.close(data_fd)
        wire.send(sock, reply, pixels_fd)
        if pixels_fd is not None:
            os.close(pixels_fd)


def fault(error: Exception) -> str:
    """The places in the code and the class, for the log; what the exception says may quote the file."""
    return f"{''.join(traceback.format_tb(error.__traceback__))}{type(error).__name__}"


def _answer(request: dict[str, Any], source: Source) -> tuple[dict[str, Any], int | None]:
    page = request["page"]
    if page is None:
        return {"pages": source.pages}, None
    picture = (decode.read_only if request["only"] else decode.read_page)(source, page)
    return _header(picture, source.pages), _pixels(picture.pixels)


def _of_video(asked: dict[str, Any], fd: int | None, limits: Limits) -> tuple[dict[str, Any], int | None]:
    from ocr_ui.images import video  # loading FFmpeg takes a while, which only videos should pay

    if fd is None:
        raise ValueError("a video is sent with every request")
    with os.fdopen(os.dup(fd), "rb") as data:
        data.seek(0)
        if asked["time"] is None:
            return {"stretches": video.stretches(data, asked["kind"], limits, asked["most_seconds"])}, None
        picture = video.frame_at(data, asked["kind"], limits, asked["time"])
    return _header(picture, 1), _pixels(picture.pixels)


def _header(picture: Picture, pages: int) -> dict[str, Any]:
    return {
        "height": picture.pixels.shape[0],
        "width": picture.pixels.shape[1],
        "mode": picture.mode,
        "pages": pages,
        "warnings": [warning.to_dict() for warning in picture.warnings],
    }


def _pixels(pixels: np.ndarray) -> int:
    fd = wire.new_buffer(pixels.size)
    np.frombuffer(wire.mapped(fd), np.uint8).reshape(pixels.shape)[...] = pixels
    return fd


def _bytes_of(fd: int | None) -> bytes:
    if fd is None:
        raise ValueError("a request for a new file came without the file")
    with wire.mapped(fd, mmap.ACCESS_READ) as memory:  # a file on the disk is open for reading alone
        return bytes(memory)


def _die_with_the_product() -> None:
    """SIGIO, whose default is the end of the process, is sent by the kernel when the lifeline closes.

    Unlike a thread, this works while a decoder holds the interpreter; unlike PR_SET_PDEATHSIG, it does not mistake the
    end of the thread that started this process for the end of the product.
    """
    fcntl.fcntl(_LIFELINE, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(_LIFELINE, fcntl.F_SETFL, fcntl.fcntl(_LIFELINE, fcntl.F_GETFL) | os.O_ASYNC)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C goes to the whole group; the product decides


def _be_the_first_to_be_killed() -> None:
    """Where memory runs out, the kernel should take this process and not the server."""
    score = Path("/proc/self/oom_score_adj")
    if score.exists():
        score.write_text("1000")


def _virtual_bytes() -> int | None:
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[0]) * resource.getpagesize() if status.exists() else None


def _bound(limits: Limits, base: int | None) -> None:
    """Memory by the kernel's limit, and time by an alarm for the case that nobody is left to end this process."""
    signal.setitimer(signal.ITIMER_REAL, limits.decode_seconds + _GRACE_SECONDS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if base is not None:
        most = base + _BYTES_FOR_ANY + _BYTES_PER_PIXEL * limits.max_pixels
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    main(int(sys.argv[1]))
