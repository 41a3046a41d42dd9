"""Names of the files of an item, and archives that are the same bytes each time."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from ocr_ui.exports.sample import Sample

_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST = 60
_PACKED_ALREADY = frozenset({".png", ".jpg", ".xlsx", ".docx", ".pdf"})
_BEGINNING = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip can name."""


def stem(sample: Sample) -> str:
    """A file name without its ending that is unique in a store, safe on every system and still says the page's name."""
    page = f"-{sample.page.number}" if sample.page.number > 1 else ""
    return f"{_named(sample.id, sample.page.name)}{page}"


def document_stem(sample: Sample) -> str:
    """As `stem`, of the document that the page is of."""
    return _named(sample.document_id, sample.document)


def _named(number: int, name: str) -> str:
    folders, _, last = name.rpartition("/")
    readable = _UNSAFE.sub("_", f"{folders}/{last.rpartition('.')[0] or last}")[:_LONGEST].strip("._-")
    return f"{number:06d}-{readable}" if readable else f"{number:06d}"


class Pages:
    """Files of pages, to be put together by document once all are written; the newest of those of one page counts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, dict[int, Path]] = {}

    def place(self, sample: Sample, ending: str) -> Path:
        """Where the file of a page is to be written."""
        file = self._folder / f"{sample.id}{ending}"
        older = self._files.setdefault(document_stem(sample), {}).pop(sample.page.number, None)
        if older is not None:
            older.unlink()
        self._files[document_stem(sample)][sample.page.number] = file
        return file

    def documents(self) -> Iterator[tuple[str, list[Path]]]:
        """The stem of each document and its pages in order; a page's file is gone afterwards."""
        for name, files in self._files.items():
            yield name, [files[number] for number in sorted(files)]
            for file in files.values():
                file.unlink()


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
