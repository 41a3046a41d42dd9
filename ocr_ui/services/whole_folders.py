"""Folders that are written whole or not at all: beside their place, then moved there."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ocr_ui.errors import BadInput


@contextmanager
def work_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target`, on the same disk, that is gone afterwards."""
    work = target.parent / f".{target.name[:40]}-{secrets.token_hex(8)}"
    work.mkdir(parents=True)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(work.with_name(f"{work.name}-old"), ignore_errors=True)


def move(work: Path, target: Path, own: str = "", last: str = "") -> None:
    """Moves what stands in `work` to `target`, which keeps its other files.

    Args:
        own: a folder in it whose old contents are replaced as a whole, "" for none.
        last: the file that is moved when the others are there.
    """
    try:
        os.rename(work, target)  # takes the place of an empty folder too
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if own and (target / own).is_dir():
            os.rename(target / own, work.with_name(f"{work.name}-old"))
        for name in files_of(work):
            if name != last:
                _replace(work, target, name)
        if (work / last).is_file():
            _replace(work, target, last)


def _replace(work: Path, target: Path, name: str) -> None:
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    os.replace(work / name, target / name)


def files_of(folder: Path) -> Iterator[str]:
    """Paths of all files below it, relative and with slashes, always in the same order; a folder's at a time."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        below = os.path.relpath(place, folder).replace(os.sep, "/")
        for name in sorted(names):
            yield name if below == "." else f"{below}/{name}"


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Tells what the disk refuses. Raises BadInput (`export_failed`; details: folder, reason)."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise BadInput(
            "export_failed",
            f"The export could not be written to {folder}: {error.strerror or error}.",
            "Free some space and try again." if full else "Choose a folder that can be written.",
            folder=str(folder),
            reason=error.strerror or str(error),
        ) from error
