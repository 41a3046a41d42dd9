"""Processes that a test has to do with: whether one is still there, and the server as one of its own."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import SystemRandom

from tests.forked import Started, starter

PAUSE = "STOPPING_SERVER_PAUSE"
"""Names the seconds in the middle of each reading, in the server's environment."""
GO = "go"
"""A file in the server's folder that ends them early."""


def alive(pid: int) -> bool:
    """Running, or stopped; not a zombie that waits for its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pid: int, seconds: float = 60) -> bool:
    """Waits for its end: a signal that is sent has not arrived yet."""
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def free_port() -> int:
    """A port of this machine that nobody has. It is not one of those that the system gives out by itself: whatever else
    runs here takes it neither before a server does nor while that is started again."""
    while True:
        port = SystemRandom().randrange(15_000, 30_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def first_line(process: Started, out: Path, err: Path) -> str:
    """What a program says first, once it has said it; fails where it ends before."""
    while not (told := out.read_text() if out.exists() else "").endswith("\n"):
        assert process.poll() is None, err.read_text()
        time.sleep(0.02)
    return told


@contextmanager
def running(folder: Path, pause: float, **environment: str) -> Iterator[tuple[Started, str]]:
    """The server without its page (`stopping_server.py`), with a data folder in `folder`, and its address.

    Args:
        pause: seconds in the middle of each reading, at the most: the file `GO` in `folder` ends it.
        environment: settings.
    """
    named = {"OCR_UI_DATA_DIR": str(folder / "data"), "OCR_UI_PORT": "0", "OCR_UI_TURN_PAGES": "0", **environment}
    out, err = folder / "out", folder / "err"
    process = starter("stopping_server").start({**os.environ, **named, PAUSE: str(pause)}, out, err)
    try:
        yield process, re.search(r"https?://\S+", first_line(process, out, err))[0]
    finally:
        process.kill()
        process.wait()
