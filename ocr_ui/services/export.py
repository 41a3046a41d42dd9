"""Exports: items with their pictures into a folder, or as one file for a download."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ocr_ui.errors import BadInput, NotFound
from ocr_ui.exports.files import pack
from ocr_ui.exports.registry import FolderFormat, Format, TextFormat, format_named
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.services.dataset import as_filters
from ocr_ui.storage.items import Filters, WholeItem
from ocr_ui.storage.store import Store

PICTURES = "pictures"
_PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export did.

    Attributes:
        format: name of the format.
        folder: where it stands.
        files: paths relative to `folder`, the data file or folder first; pictures are counted, not listed.
        count_in, count_out: items that the filter found, items in the data file; they differ by those in `left_out`.
        left_out: (id of the item, reason).
        pictures: number of picture files bundled.
        missing_pictures: (id of the item, sha256, missing or damaged) of items that are exported without their picture,
            whose file is gone or holds other bytes than it was stored with.
        changes: how many texts were written otherwise than they are, by what was done.
        sha256: of the data file; of the list of checksums where a format has several files.
    """

    format: str
    folder: str
    files: tuple[str, ...]
    count_in: int
    count_out: int
    left_out: tuple[tuple[int, str], ...]
    pictures: int
    missing_pictures: tuple[tuple[int, str, str], ...]
    changes: dict[str, int]
    sha256: str


@dataclass(frozen=True, slots=True)
class Download:
    """A file that is ready to be sent, in a temporary folder of its own."""

    file: Path
    name: str
    media_type: str
    folder: Path


class Exporter:
    """Writes items of a store in the formats of `ocr_ui.exports.registry`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def export(
        self,
        format: str,
        out_dir: Path,
        filters: Filters | Mapping[str, Any] | None = None,
        pictures: bool = True,
        options: Options | None = None,
    ) -> ExportReport:
        """As `export_now`, off the event loop."""
        return await asyncio.to_thread(self.export_now, format, out_dir, filters, pictures, options)

    def export_now(
        self,
        format: str,
        out_dir: Path,
        filters: Filters | Mapping[str, Any] | None = None,
        pictures: bool = True,
        options: Options | None = None,
    ) -> ExportReport:
        """Writes one moment's items into a folder: the data, `pictures/`, and `report-FORMAT.json`.

        All is written into a temporary folder beside `out_dir` and moved when it is whole. A folder that is there keeps
        its other files; those of the same name and the format's own folder are replaced, the data last. The same items
        give the same bytes.

        Raises:
            BadInput: `unknown_format`, `nothing_to_export`, and those of `ocr_ui.services.dataset.read_filters`.
            BadInput: `export_failed` (details: folder, reason), the folder cannot be written or is full.
            StoreFailed: the store cannot be read.
        """
        chosen, wanted = format_named(format), as_filters(filters)
        out_dir = Path(out_dir).absolute()
        with _told(out_dir), _work_folder(out_dir) as work:
            report = self._fill(chosen, work, wanted, pictures, options or Options(), out_dir)
            if not report.count_in:
                raise _nothing()
            _move(work, out_dir, chosen)
        return report

    def _fill(
        self, chosen: Format, work: Path, wanted: Filters, pictures: bool, options: Options, told: Path
    ) -> ExportReport:
        """Writes everything into the empty folder `work`."""
        run = _Run(self._store, chosen, wanted, work if pictures or _needs_pictures(chosen) else None)
        digest = _write_data(chosen, work, run, options)
        report = run.report(chosen, told, digest)
        (work / _report_name(chosen)).write_text(_sheet(report, wanted), encoding="utf-8")
        return report

    def chunks(self, format: str, filters: Filters | Mapping[str, Any] | None = None) -> Iterator[bytes]:
        """The data file of a text format alone, in pieces, without pictures; holds a few items in memory.

        Raises as `export_now`.
        """
        chosen, wanted = format_named(format), as_filters(filters)
        if not isinstance(chosen, TextFormat):
            raise TypeError(f"{format} is packed")
        return _encoded(chosen.write(_Run(self._store, chosen, wanted, None).samples(), Notes()))

    async def stream(self, format: str, filters: Filters | Mapping[str, Any] | None = None) -> AsyncIterator[bytes]:
        """As `chunks`, off the event loop; closing it early frees the store."""
        pieces = self.chunks(format, filters)
        try:
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                yield piece
        finally:
            await asyncio.to_thread(pieces.close)  # type: ignore[attr-defined]

    async def packed(
        self,
        format: str,
        filters: Filters | Mapping[str, Any] | None = None,
        options: Options | None = None,
    ) -> Download:
        """A format of files as one file: its only one, else an archive of all with pictures and report.

        Whoever gets it removes its folder when it is sent. Raises as `export_now`, except that an empty selection gives
        files without items.
        """
        return await asyncio.to_thread(self._packed, format, filters, options or Options())

    def is_streamed(self, format: str) -> bool:
        """Whether a download is a `stream`, not `packed`. Raises as `export_now`."""
        return isinstance(format_named(format), TextFormat)

    def file_name(self, format: str) -> str:
        return format_named(format).file_name

    def media_type(self, format: str) -> str:
        return format_named(format).media_type

    def _packed(self, format: str, filters: Filters | Mapping[str, Any] | None, options: Options) -> Download:
        chosen, wanted = format_named(format), as_filters(filters)
        if not isinstance(chosen, FolderFormat):
            raise TypeError(f"{format} is streamed")
        folder = Path(tempfile.mkdtemp(prefix="ocr-export-"))
        try:
            with _told(folder):
                return self._pack(chosen, folder, wanted, options)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _pack(self, chosen: FolderFormat, folder: Path, wanted: Filters, options: Options) -> Download:
        work = folder / "files"
        work.mkdir()
        self._fill(chosen, work, wanted, not chosen.single_file, options, work)
        if chosen.single_file:
            return Download(work / chosen.file_name, chosen.file_name, chosen.media_type, folder)
        archive = folder / f"{chosen.name}.zip"
        pack(archive, work, _files(work))
        shutil.rmtree(work)
        return Download(archive, archive.name, chosen.media_type, folder)


class _Run:
    """One export on its way: hands out samples, copies their pictures, counts.

    Args:
        folder: where the folder of pictures goes; None to leave the pictures out.
    """

    def __init__(self, store: Store, chosen: Format, filters: Filters, folder: Path | None) -> None:
        self._store, self._filters, self._folder = store, filters, folder
        self._pictures = chosen.pictures if isinstance(chosen, FolderFormat) else PICTURES
        self._copied: set[str] = set()
        self._missing: list[tuple[int, str, str]] = []
        self.notes = Notes()
        self.count_in = 0

    def samples(self) -> Iterator[Sample]:
        for item in self._store.items.each(self._filters):
            self.count_in += 1
            yield _sample(item, self._picture(item))

    def report(self, chosen: Format, out_dir: Path, digest: str) -> ExportReport:
        left_out = tuple(self.notes.left_out)
        return ExportReport(
            format=chosen.name,
            folder=str(out_dir),
            files=(chosen.file_name, *_sums(chosen), _report_name(chosen)),
            count_in=self.count_in,
            count_out=self.count_in - len(left_out),
            left_out=left_out,
            pictures=len(self._copied),
            missing_pictures=tuple(self._missing),
            changes={name: number for name, number in sorted(self.notes.changes.items()) if number},
            sha256=digest,
        )

    def _picture(self, item: WholeItem) -> str:
        """The picture's path relative to the data file, "" where none is bundled."""
        sha256 = item.page.sha256
        path = f"{self._pictures}/{sha256}.png"
        if self._folder is None or sha256 in self._copied:
            return path if self._folder else ""
        problem = self._copy(sha256, self._folder / path)
        if problem:
            self._missing.append((item.id, sha256, problem))
            return ""
        self._copied.add(sha256)
        return path

    def _copy(self, sha256: str, target: Path) -> str:
        """Copies a picture; gives what is wrong with it, "" where it was copied."""
        try:
            picture = self._store.pictures.read(sha256)
        except NotFound:
            return "missing"
        if hashlib.sha256(picture).hexdigest() != sha256:
            return "damaged"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(picture)
        return ""


def _sample(item: WholeItem, picture: str) -> Sample:
    values = {field.name: getattr(item, field.name) for field in fields(item)}
    return Sample(picture=picture, **values)


def _needs_pictures(chosen: Format) -> bool:
    return isinstance(chosen, FolderFormat) and chosen.needs_pictures


def _write_data(chosen: Format, work: Path, run: _Run, options: Options) -> str:
    """Writes the data and gives its sha256."""
    if isinstance(chosen, TextFormat):
        return _write_pieces(work / chosen.file_name, _encoded(chosen.write(run.samples(), run.notes)))
    chosen.fill(work, run.samples(), run.notes, options)
    if chosen.single_file:
        return _digest(work / chosen.file_name)
    lines = (f"{_digest(file)}  {file.relative_to(work).as_posix()}\n".encode() for file in _files(work))
    return _write_pieces(work / _sums(chosen)[0], lines)


def _sums(chosen: Format) -> tuple[str, ...]:
    """The list of checksums, which `sha256sum --check` reads, beside a format of several files."""
    several = isinstance(chosen, FolderFormat) and not chosen.single_file
    return (f"sha256-{chosen.name}.txt",) if several else ()


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _digest(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _write_pieces(file: Path, pieces: Iterable[bytes]) -> str:
    """Writes the file and gives the sha256 of its bytes in hex."""
    digest = hashlib.sha256()
    with file.open("wb") as out:
        for piece in pieces:
            digest.update(piece)
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _encoded(pieces: Iterable[str]) -> Iterator[bytes]:
    """The text as UTF-8 in pieces of about 64 KiB."""
    waiting = bytearray()
    for piece in pieces:
        waiting += piece.encode("utf-8")
        if len(waiting) >= _PIECE:
            yield bytes(waiting)
            waiting.clear()
    if waiting:
        yield bytes(waiting)


def _report_name(chosen: Format) -> str:
    return f"report-{chosen.name}.json"


def _sheet(report: ExportReport, filters: Filters) -> str:
    """The report beside the data; without folder and time, so that the same items give the same bytes."""
    values = {name: value for name, value in asdict(report).items() if name != "folder"}
    chosen = {name: value for name, value in asdict(filters).items() if value}
    return json.dumps({**values, "filters": chosen}, default=str, indent=1) + "\n"


@contextmanager
def _work_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target`, on the same disk, that is gone afterwards."""
    work = target.parent / f".{target.name[:40]}-{secrets.token_hex(8)}"
    work.mkdir(parents=True)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(work.with_name(f"{work.name}-old"), ignore_errors=True)


def _move(work: Path, out_dir: Path, chosen: Format) -> None:
    try:
        os.rename(work, out_dir)  # takes the place of an empty folder too
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        own = chosen.folder if isinstance(chosen, FolderFormat) else ""
        if own and (out_dir / own).is_dir():
            os.rename(out_dir / own, work.with_name(f"{work.name}-old"))
        _move_into(work, out_dir, last=chosen.file_name)


def _move_into(work: Path, out_dir: Path, last: str) -> None:
    for file in sorted((file.relative_to(work) for file in _files(work)), key=lambda one: str(one) == last):
        (out_dir / file).parent.mkdir(parents=True, exist_ok=True)
        os.replace(work / file, out_dir / file)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise BadInput(
            "export_failed",
            f"The export could not be written to {folder}: {error.strerror or error}.",
            "Free some space and try again." if full else "Choose a folder that can be written.",
            folder=str(folder),
            reason=error.strerror or str(error),
        ) from error


def _nothing() -> BadInput:
    return BadInput("nothing_to_export", "No item matches; nothing was written.", "Widen the filter.")
