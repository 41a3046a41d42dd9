"""Files that are there whole or not at all, and stay after a loss of power."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_UNFINISHED = ".unfinished-"
_UNFINISHED_SECONDS = 3600.0


@contextmanager
def unfinished(folder: Path) -> Iterator[tuple[IO[bytes], Callable[[Path], None]]]:
    """A new file in the folder under a passing name, and what gives it its own, on disk, at the end of the block."""
    handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=folder)
    try:
        with os.fdopen(handle, "wb") as out:

            def finish(file: Path) -> None:
                out.flush()
                os.fsync(out.fileno())
                os.replace(name, file)
                sync_folder(file.parent)

            yield out, finish
    finally:
        with suppress(OSError):
            os.unlink(name)


def write_whole(file: Path, data: bytes) -> None:
    """All bytes under the final name, on disk, or no such name."""
    with unfinished(file.parent) as (out, finish):
        out.write(data)
        finish(file)


def make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """A new name lasts only once its folder is on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(folder: Path, older_than: float = _UNFINISHED_SECONDS) -> int:
    """Removes what writers that were killed left unfinished below the folder `older_than` seconds ago; gives the
    number."""
    limit = time.time() - older_than
    removed = 0
    for file in folder.glob(f"??/{_UNFINISHED}*"):
        with suppress(FileNotFoundError):
            if file.stat().st_mtime < limit:
                file.unlink()
                removed += 1
    return removed
