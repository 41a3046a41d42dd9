"""Names of the files of an item, and archives that are the same bytes each time."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

from ocr_ui.exports.sample import Sample

_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST = 60
_PACKED_ALREADY = frozenset({".png", ".jpg", ".xlsx", ".docx"})
_BEGINNING = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip can name."""


def stem(sample: Sample) -> str:
    """A file name without its ending that is unique in a store, safe on every system and still says the page's name."""
    name = sample.page.name.rpartition(".")[0] or sample.page.name
    readable = _UNSAFE.sub("_", name)[:_LONGEST].strip("._-")
    page = f"-{sample.page.number}" if sample.page.number > 1 else ""
    return f"{sample.id:06d}-{readable}{page}" if readable else f"{sample.id:06d}{page}"


def pack(archive: Path, folder: Path, names: Iterable[str]) -> None:
    """Writes a zip of files below `folder`, in the order given, without a trace of when it was written."""
    with zipfile.ZipFile(archive, "w") as out:
        for name in names:
            entry, file = _entry(name), folder / name
            with file.open("rb") as data, out.open(entry, "w", force_zip64=file.stat().st_size > 2**31) as target:
                while piece := data.read(1 << 20):
                    target.write(piece)


def repack(data: zipfile.ZipFile, target: Path) -> None:
    """Writes the same entries once more, without the times they carry."""
    with zipfile.ZipFile(target, "w") as out:
        for name in data.namelist():
            out.writestr(_entry(name), data.read(name))


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _BEGINNING)
    entry.compress_type = zipfile.ZIP_STORED if Path(name).suffix in _PACKED_ALREADY else zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
