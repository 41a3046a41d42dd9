"""Processes that a test has to do with: whether one is still there, and the server as one of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent


def alive(pid: int) -> bool:
    """Running, or stopped; not a zombie that waits for its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pid: int, seconds: float = 10) -> bool:
    """Waits for its end: a signal that is sent has not arrived yet."""
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


@contextmanager
def running(folder: Path, pause: float, **environment: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """The server without its page (`stopping_server.py`), with a data folder in `folder`, and its address.

    Args:
        pause: seconds in the middle of each reading.
        environment: settings.
    """
    named = {"OCR_UI_DATA_DIR": str(folder / "data"), "OCR_UI_PORT": "0", "OCR_UI_TURN_PAGES": "0", **environment}
    named["PYTHONPATH"] = f"{HERE.parent}{os.pathsep}{HERE}"
    command = [sys.executable, str(HERE / "stopping_server.py"), str(pause)]
    with (folder / "err").open("w") as err:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **named}, stdout=subprocess.PIPE, stderr=err, text=True
        )
    try:
        told = process.stdout.readline()
        assert told, (folder / "err").read_text()
        yield process, re.search(r"https?://\S+", told)[0]
    finally:
        process.kill()
        process.wait()
