"""Archives that are handed in: looked through before anything of them is unpacked, and unpacked file by file."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from ocr_ui.domain.amounts import bytes_text
from ocr_ui.errors import BadInput, TooLarge

STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
MOST_RATIO = 200
"""Of unpacked to packed bytes; what deflate can do at most is 1032."""
HARMLESS_BYTES = 10_000_000
"""Whatever the ratio, so much is no danger: a blank page is packed to nothing."""
_OFFICE = ("[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF")
_ARCHIVES = (".zip", ".rar", ".7z", ".gz", ".tgz", ".bz2", ".xz", ".tar", ".zst")
_JUNK = ("thumbs.db", "desktop.ini", ".ds_store")
_UTF8 = 0x800
_ENCRYPTED = 0x1
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an archive.

    Attributes:
        name: its path there, as a person reads it; never used as a path here.
        nested: it is an archive itself, which is not opened.
    """

    name: str
    info: zipfile.ZipInfo
    nested: bool


def is_archive(file: Path) -> bool:
    """A zip that is not a document of some office program."""
    with file.open("rb") as data:
        if not data.read(4).startswith(STARTS):
            return False
    try:
        with zipfile.ZipFile(file) as archive:
            return not any(name in _OFFICE for name in archive.namelist()[:20])
    except _DAMAGED:
        return True


def look_through(file: Path, most_files: int, most_bytes: int) -> list[Entry]:
    """The files of an archive, without what operating systems leave in it.

    Raises:
        BadInput: `zip_damaged`, `zip_encrypted`, `zip_bad_name` (details: name), `zip_empty`.
        TooLarge: `zip_too_many` (details: files, limit), `zip_too_large` (limit), `zip_ratio` (ratio, limit).
    """
    with unpacking(file) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir() and not _is_junk(info.filename)]
    if len(infos) > most_files:
        raise TooLarge(
            "zip_too_many",
            f"The archive has {len(infos)} files; at most {most_files} are taken.",
            "Hand it in in parts.",
            files=len(infos),
            limit=most_files,
        )
    _check_sizes(infos, file.stat().st_size, most_bytes)
    if any(info.flag_bits & _ENCRYPTED for info in infos):
        raise BadInput("zip_encrypted", "The archive is locked with a password.", "Pack the files without one.")
    entries = [Entry(_readable(info), info, info.filename.lower().endswith(_ARCHIVES)) for info in infos]
    for entry in entries:
        _check_name(entry.name)
    if not entries:
        raise BadInput("zip_empty", "There is no file in the archive.", "Pack pictures or PDF files.")
    return entries


@contextmanager
def reading(archive: zipfile.ZipFile, entry: Entry) -> Iterator[IO[bytes]]:
    """One file of an archive, unpacked as it is read.

    Raises:
        BadInput: `zip_nested`, `zip_file_damaged`.
    """
    if entry.nested:
        raise BadInput("zip_nested", "An archive within an archive is not opened.", "Hand it in by itself.")
    try:
        with archive.open(entry.info) as data:
            yield data
    except BadInput:
        raise
    except _DAMAGED as error:
        raise BadInput(
            "zip_file_damaged", "This file of the archive cannot be unpacked.", "Pack it once more."
        ) from error


@contextmanager
def unpacking(file: Path) -> Iterator[zipfile.ZipFile]:
    """The open archive, for `reading`. Raises BadInput (`zip_damaged`)."""
    try:
        archive = zipfile.ZipFile(file)
    except _DAMAGED as error:
        raise BadInput("zip_damaged", "The archive is damaged or incomplete.", "Copy or pack it again.") from error
    with archive:
        yield archive


def _check_sizes(infos: list[zipfile.ZipInfo], packed: int, most: int) -> None:
    """By what the archive says of its files. One that lies is caught while it is unpacked: no more is read of a file
    than it was said to have."""
    unpacked = sum(info.file_size for info in infos)
    if unpacked > most:
        raise TooLarge(
            "zip_too_large",
            f"Unpacked the archive has {bytes_text(unpacked)}; at most {bytes_text(most)} are taken.",
            "Hand it in in parts.",
            bytes=unpacked,
            limit=most,
        )
    ratio = unpacked / max(packed, 1)
    if unpacked > HARMLESS_BYTES and ratio > MOST_RATIO:
        raise TooLarge(
            "zip_ratio",
            f"The archive unpacks to {ratio:.0f} times its size; at most {MOST_RATIO} times are taken.",
            "Hand in the files themselves.",
            ratio=round(ratio),
            limit=MOST_RATIO,
        )


def _check_name(name: str) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0]) or "\0" in name:
        shown = name[:80]
        raise BadInput(
            "zip_bad_name",
            f"The archive has a file that points out of it: {shown!r}.",
            "Pack it anew with an ordinary program.",
            name=shown,
        )


def _readable(info: zipfile.ZipInfo) -> str:
    """Archives of Chinese Windows name files in GBK without saying so."""
    if info.flag_bits & _UTF8:
        return info.filename
    raw = info.filename.encode("cp437", "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return info.filename


def _is_junk(name: str) -> bool:
    last = PurePosixPath(name).name
    return name.startswith("__MACOSX/") or last.startswith("._") or last.lower() in _JUNK
