"""Folders that are written whole or not at all: beside their place, then moved there.

Several processes may write into one folder: each moves its files while the others wait. What a process that was killed
left beside it goes with the next export that succeeds.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ocr_ui.errors import BadInput

_OLD = "-old"


@contextmanager
def work_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target`, on the same disk, gone afterwards, as are parents that were made for nothing."""
    made = _make(target.parent)
    try:
        with _alone(target.parent):
            work = target.parent / f"{_beginning(target)}{secrets.token_hex(8)}"
            work.mkdir()
            held = os.open(work, os.O_RDONLY)
            _lock(held)
        try:
            yield work
            _sweep(target)
        finally:
            _remove(work)
            _remove(_old(work))
            os.close(held)
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def real(folder: Path) -> Path:
    """The folder that a path leads to, through links: what stands beside that is on its disk."""
    return Path(os.path.realpath(folder))


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
        with _alone(target):
            _merge(work, target, own, last)


def _merge(work: Path, target: Path, own: str, last: str) -> None:
    for name in files_of(work):
        if name != last and not (own and name.startswith(f"{own}/")):
            _replace(work, target, name)
    if own and (work / own).is_dir():
        if (target / own).is_dir():
            os.rename(target / own, _old(work))
        os.rename(work / own, target / own)
    if (work / last).is_file():
        _replace(work, target, last)


def _replace(work: Path, target: Path, name: str) -> None:
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    os.replace(work / name, target / name)


def _make(folder: Path) -> list[Path]:
    """Makes a folder with its parents; gives those that were not there, the deepest first."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _beginning(target: Path) -> str:
    return f".{target.name[:40]}-"


def _old(work: Path) -> Path:
    return work.with_name(f"{work.name}{_OLD}")


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _sweep(target: Path) -> None:
    """Removes what processes that are gone left beside the folder: each locks its own while it lives."""
    left = re.compile(rf"{re.escape(_beginning(target))}[0-9a-f]{{16}}(?:{_OLD})?")
    # Not the target: where it is the work folder under its new name, its lock is held.
    with _alone(target.parent):
        for found in [one for one in target.parent.iterdir() if left.fullmatch(one.name)]:
            if not _is_held(found.with_name(found.name.removesuffix(_OLD))):
                _remove(found)


def _is_held(work: Path) -> bool:
    try:
        descriptor = os.open(work, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _lock(descriptor, fcntl.LOCK_NB)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, more: int = 0) -> bool:
    """Whether the lock was had. A disk that knows no locks gives none: there, each writes as it comes."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | more)
    except OSError:
        return False
    return True


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One at a time, over all processes."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


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
