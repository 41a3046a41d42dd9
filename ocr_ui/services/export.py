"""Exports: items with their pictures into a folder, or as one file for a download."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.counted import counted
from ocr_ui.domain.version import VERSION
from ocr_ui.errors import BadInput, NotFound, StoreFailed
from ocr_ui.exports.files import pack
from ocr_ui.exports.reasons import Reason
from ocr_ui.exports.registry import FolderFormat, Format, TextFormat, format_named
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.exports.show import COMMANDS, first_record
from ocr_ui.images.cleaning import STEPS as CLEANING
from ocr_ui.images.stored import decode_png, encode_png
from ocr_ui.images.transform import PictureTransform
from ocr_ui.services.access import needs
from ocr_ui.services.dataset import as_filters, set_filters, shown_filters
from ocr_ui.services.figures import prepare
from ocr_ui.services.preferred import sampled_answers
from ocr_ui.services.splits import Splits, find_splits, read_shares
from ocr_ui.services.whole_folders import files_of, move, real, told, work_folder
from ocr_ui.storage.items import Filters, WholeItem
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

PICTURES = "pictures"
DOWNLOAD = "download"
"""What stands in the log in the place of a folder."""

_PIECE = 64 * 1024
LISTED = 100
"""Items that are named of those that were left out for one reason."""
LOOKED_AT = 5
"""Items that an example is looked for among."""


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
        copies: of them, those that are copies as they were read: `smaller` ones with fewer pixels than the stored
            picture, `cleaned` ones.
        missing_pictures: (id of the item, sha256, missing or damaged) of items that are exported without their picture,
            whose file is gone or holds other bytes than it was stored with.
        changes: how many texts were written otherwise than they are, by what was done.
        rows: of each file of rows, or of each part of the data, where the format has such.
        dataset_version: name and sha256 of the frozen version, empty where it was none.
        version: of this program.
        sha256: of the data file; of the list of checksums where a format has several files.
    """

    format: str
    folder: str
    files: tuple[str, ...]
    count_in: int
    count_out: int
    left_out: tuple[tuple[int, Reason], ...]
    pictures: int
    copies: dict[str, int]
    missing_pictures: tuple[tuple[int, str, str], ...]
    changes: dict[str, int]
    rows: dict[str, int]
    dataset_version: dict[str, str]
    version: str
    sha256: str


Beside = Callable[[Path, ExportReport], None]
"""Writes more files into the folder of an export, whose report is at hand."""


def left_out_value(report: ExportReport) -> list[dict[str, Any]]:
    """What was left out, the most frequent reason first: the reason's code, message and details, with its items."""
    items: dict[str, list[int]] = {}
    first = {reason.code: reason for _, reason in reversed(report.left_out)}
    for item, reason in report.left_out:
        items.setdefault(reason.code, []).append(item)
    most = sorted(items, key=lambda code: -len(items[code]))
    return [{**asdict(first[code]), "count": len(items[code]), "items": items[code][:LISTED]} for code in most]


class NothingToExport(BadInput):
    """`nothing_to_export`: no item matches."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file that is ready to be sent, in a temporary folder of its own."""

    file: Path
    name: str
    media_type: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Example:
    """Attributes: record: as text, "" where the data is none; command: that starts the trainer, "" for none."""

    format: str
    record: str
    command: str


def read_options(values: Mapping[str, Any]) -> Options:
    """Options from plain values, as addresses and pages give them.

    Args:
        values: split (0.9/0.05/0.05), max_prompt_length, stored_pictures and turn_crops ("1" or True), absolute (the
            folder that will stand before paths of pictures); empty ones are not asked for.

    Raises:
        BadInput: `bad_split`, `bad_filter_value` (details: name, value, allowed).
    """
    return Options(
        turn_crops=values.get("turn_crops") in ("1", True),
        stored_pictures=values.get("stored_pictures") in ("1", True),
        absolute=str(values.get("absolute") or "").strip().rstrip("/"),
        shares=read_shares(str(values.get("split") or "")),
        max_prompt_length=_length(str(values.get("max_prompt_length") or "").strip()),
    )


def _length(written: str) -> int | None:
    if not written:
        return None
    if not re.fullmatch("0*[1-9][0-9]{0,17}", written):
        told = {"name": "max_prompt_length", "value": written[:40], "allowed": "1, 2, 3 ..."}
        raise BadInput("bad_filter_value", f"{written[:40]!r} is not a number of tokens.", "Write a number.", **told)
    return int(written)


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
            BadInput: `unknown_format`, `nothing_to_export`, `no_parts` (the format is not written in parts), and those
                of `ocr_ui.services.dataset.read_filters`.
            BadInput: `export_failed` (details: folder, reason), the folder cannot be written or is full.
            StoreFailed: the store cannot be read.
        """
        report = self.write_now(format, out_dir, filters, pictures, options)
        self.note(report, report.folder, as_filters(filters), options or Options())
        return report

    def write_now(
        self,
        format: str,
        out_dir: Path,
        filters: Filters | Mapping[str, Any] | None = None,
        pictures: bool = True,
        options: Options | None = None,
        beside: Beside | None = None,
    ) -> ExportReport:
        """As `export_now`, without a note in the log. Args: beside: adds files before all of it is moved."""
        chosen, wanted = format_named(format), as_filters(filters)
        out_dir = real(out_dir)
        with told(out_dir), work_folder(out_dir) as work:
            report = self._fill(chosen, work, wanted, pictures, options or Options(), out_dir)
            if not report.count_in:
                raise _nothing()
            if _is_empty(chosen, report):
                raise _nothing_left(report)
            if beside:
                beside(work, report)
            own = chosen.folder if isinstance(chosen, FolderFormat) else ""
            move(work, out_dir, own, last=chosen.file_name)
        return report

    def _fill(
        self, chosen: Format, work: Path, wanted: Filters, pictures: bool, options: Options, shown: Path
    ) -> ExportReport:
        """Writes everything into the empty folder `work`."""
        run = _Run(self._store, chosen, wanted, work if pictures or _needs_pictures(chosen) else None, options)
        digest = _write_data(chosen, work, run, options)
        report = run.report(chosen, shown, digest)
        (work / _report_name(chosen)).write_text(_sheet(report, wanted, options), encoding="utf-8")
        return report

    def chunks(self, format: str, filters: Filters | Mapping[str, Any] | None = None) -> Iterator[bytes]:
        """The data file of a text format alone, in pieces, without pictures; holds a few items in memory.

        Raises as `export_now`.
        """
        chosen, wanted = format_named(format), as_filters(filters)
        if not isinstance(chosen, TextFormat):
            raise TypeError(f"{format} is packed")
        return self._counted(chosen, _Run(self._store, chosen, wanted, None, Options()), wanted)

    def _counted(self, chosen: TextFormat, run: _Run, wanted: Filters) -> Iterator[bytes]:
        """The pieces, and a note of the download at their end."""
        digest = hashlib.sha256()
        for piece in _encoded(chosen.write(run.samples(), run.notes)):
            digest.update(piece)
            yield piece
        self.note(run.report(chosen, Path(), digest.hexdigest()), DOWNLOAD, wanted, Options())

    @needs(Action.READ, audited="export.download")
    async def stream(self, format: str, filters: Filters | Mapping[str, Any] | None = None) -> AsyncIterator[bytes]:
        """As `chunks`, off the event loop; closing it early frees the store."""
        pieces = self.chunks(format, filters)
        try:
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                yield piece
        finally:
            await asyncio.to_thread(pieces.close)  # type: ignore[attr-defined]

    @needs(Action.READ, audited="export.download")
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

    @needs(Action.READ, audited="export.download")
    async def bundled(
        self, formats: Sequence[str], filters: Filters | Mapping[str, Any] | None = None, name: str = "results"
    ) -> Download:
        """Several formats in one archive, without the bundled pictures of formats that can do without.

        Whoever gets it removes its folder when it is sent. Raises as `export_now`.
        """
        return await asyncio.to_thread(self._bundled, formats, as_filters(filters), name)

    def _bundled(self, formats: Sequence[str], filters: Filters, name: str) -> Download:
        chosen = [format_named(one) for one in dict.fromkeys(formats)]
        if not chosen:
            raise _nothing()
        folder = Path(tempfile.mkdtemp(prefix="ocr-export-"))
        try:
            with told(folder):
                work = folder / "files"
                work.mkdir()
                reports = [self._fill(one, work, filters, False, Options(), work) for one in chosen]
                if not reports[0].count_in:
                    raise _nothing()
                for report in reports:
                    self.note(report, DOWNLOAD, filters, Options())
                archive = folder / f"{name}.zip"
                pack(archive, work, files_of(work))
                shutil.rmtree(work)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return Download(archive, archive.name, FolderFormat.media_type, folder)

    @needs(Action.READ)
    async def example(self, format: str, filters: Filters | Mapping[str, Any] | None = None) -> Example:
        """One real record, of the items that were reviewed last. Raises as `export_now`."""
        return await asyncio.to_thread(self._example, format, as_filters(filters))

    def _example(self, format: str, filters: Filters) -> Example:
        chosen = format_named(format)
        newest = tuple(row.id for row in self._store.items.list(filters, "updated", LOOKED_AT))
        if not newest:
            raise _nothing()
        with tempfile.TemporaryDirectory(prefix="ocr-export-") as folder, told(Path(folder)):
            shown = Filters(items=newest, version=filters.version)
            report = self._fill(chosen, Path(folder), shown, True, Options(), Path(folder))
            if _is_empty(chosen, report):
                raise _nothing_left(report)
            return Example(chosen.name, first_record(chosen, Path(folder)), COMMANDS.get(chosen.name, ""))

    @needs(Action.READ)
    async def check(
        self, format: str, filters: Filters | Mapping[str, Any] | None = None, options: Options | None = None
    ) -> ExportReport:
        """The report of an export that is written and thrown away. Raises as `export_now`."""
        return await asyncio.to_thread(self._check, format, as_filters(filters), options or Options())

    def _check(self, format: str, filters: Filters, options: Options) -> ExportReport:
        chosen = format_named(format)
        with tempfile.TemporaryDirectory(prefix="ocr-export-") as folder, told(Path(folder)):
            report = self._fill(chosen, Path(folder), filters, True, options, Path(folder))
        if not report.count_in:
            raise _nothing()
        return report

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
            with told(folder):
                return self._pack(chosen, folder, wanted, options)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _pack(self, chosen: FolderFormat, folder: Path, wanted: Filters, options: Options) -> Download:
        work = folder / "files"
        work.mkdir()
        report = self._fill(chosen, work, wanted, not chosen.single_file, options, work)
        self.note(report, DOWNLOAD, wanted, options)
        if chosen.single_file:
            return Download(work / chosen.file_name, chosen.file_name, chosen.media_type, folder)
        archive = folder / f"{chosen.name}.zip"
        pack(archive, work, files_of(work))
        shutil.rmtree(work)
        return Download(archive, archive.name, chosen.media_type, folder)

    def note(self, report: ExportReport, target: str, wanted: Filters, options: Options) -> None:
        """Notes what was handed out. The data is whole by then: that it cannot be noted is no reason to withhold it."""
        details = {"filters": set_filters(wanted), "options": _set(options)}
        try:
            self._store.versions.log(report.format, target, report.count_out, report.sha256, wanted.version, details)
        except StoreFailed as error:
            log.warning("An export to %s could not be noted: %s", target, error)


class _Run:
    """One export on its way: hands out samples, copies their pictures, counts.

    Args:
        folder: where the folder of pictures goes; None to leave the pictures out.
    """

    def __init__(self, store: Store, chosen: Format, filters: Filters, folder: Path | None, options: Options) -> None:
        self._store, self._filters, self._folder = store, filters, folder
        prepare(store, filters)
        several = isinstance(chosen, FolderFormat)
        self._pictures = chosen.pictures if several else PICTURES
        self._as_read = several and chosen.as_read and not options.stored_pictures
        if options.shares and not (several and chosen.splits):
            raise _no_parts(chosen)
        self._splits = find_splits(store, options.shares) if options.shares else Splits()
        self._rated = several and chosen.rated and (store.rollouts.any() or store.preferences.any())
        self._copied = 0
        self._copies = Counter(smaller=0, cleaned=0)
        self._missing: list[tuple[int, str, str]] = []
        self._version = store.versions.get(filters.version) if filters.version else None
        self._nameless = options.nameless
        self.notes = Notes()
        self.count_in = 0

    def samples(self) -> Iterator[Sample]:
        for item in self._store.items.each(self._filters):
            self.count_in += 1
            yield self._sample(item)

    def _sample(self, item: WholeItem) -> Sample:
        item = _without_names(item) if self._nameless else item
        transform = read_as(item.recognition.transform) if self._as_read else None
        sampled, preferred = self._answers(item) if self._rated else ((), ())
        return Sample(
            **{field.name: getattr(item, field.name) for field in fields(item)},
            picture=self._picture(item, transform),
            transform=transform,
            split=self._splits.parts.get(item.document_id, ""),
            no_split=self._splits.without_part.get(item.document_id),
            sampled=sampled,
            preferred=preferred,
        )

    def _answers(self, item: WholeItem) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """Of the model revisions that were asked for; of a frozen version, those that were there then."""
        until = self._version.created_at if self._version else None
        found = self._store.rollouts.whole_of_item(item.id, self._filters.revisions, until)
        compared = self._store.preferences.of_item(item.id, self._filters.revisions, until)
        return sampled_answers(found, item.recognition.generation.text, compared)

    def report(self, chosen: Format, out_dir: Path, digest: str) -> ExportReport:
        left_out = tuple(self.notes.left_out)
        return ExportReport(
            format=chosen.name,
            folder=str(out_dir),
            files=(chosen.file_name, *_sums(chosen), _report_name(chosen)),
            count_in=self.count_in,
            count_out=self.count_in - len(left_out),
            left_out=left_out,
            pictures=self._copied,
            copies=dict(sorted(self._copies.items())),
            missing_pictures=tuple(self._missing),
            changes={name: number for name, number in sorted(self.notes.changes.items()) if number},
            rows=dict(sorted(self.notes.rows.items())),
            dataset_version={"name": self._version.name, "sha256": self._version.sha256} if self._version else {},
            version=VERSION,
            sha256=digest,
        )

    def _picture(self, item: WholeItem, transform: PictureTransform | None) -> str:
        """The picture's path relative to the data file, "" where none is bundled."""
        sha256 = item.page.sha256
        path = f"{self._pictures}/{sha256}{_mark(transform)}.png"
        if self._folder is None:
            return ""
        if (self._folder / path).exists():
            return path
        problem = self._copy(sha256, self._folder / path, transform)
        if problem:
            self._missing.append((item.id, sha256, problem))
            return ""
        self._copied += 1
        if transform is not None:
            size, copy = transform.scaled
            self._copies["smaller"] += size != copy
            self._copies["cleaned"] += any(step.kind in CLEANING for step in transform.steps)
        return path

    def _copy(self, sha256: str, target: Path, transform: PictureTransform | None) -> str:
        """Copies a picture; gives what is wrong with it, "" where it was copied."""
        try:
            picture = self._store.pictures.read(sha256)
        except NotFound:
            return "missing"
        if hashlib.sha256(picture).hexdigest() != sha256:
            return "damaged"
        if transform:
            try:
                picture = encode_png(transform.apply(decode_png(picture)))
            except ValueError:
                return "damaged"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(picture)
        return ""


def _without_names(item: WholeItem) -> WholeItem:
    correction = item.correction and replace(item.correction, person="")
    return replace(item, read_by="", correction=correction, review=replace(item.review, person=""))


def read_as(recorded: Mapping[str, Any]) -> PictureTransform | None:
    """From the stored picture to the one that was read; None where they are the same, or nothing is recorded."""
    transform = PictureTransform.recorded(recorded)
    return transform if transform and transform.steps else None


def _mark(transform: PictureTransform | None) -> str:
    """Tells copies of a picture that were read in different ways apart."""
    if transform is None:
        return ""
    steps = json.dumps(transform.to_dict(), sort_keys=True).encode()
    return f"-{hashlib.sha256(steps).hexdigest()[:12]}"


def _needs_pictures(chosen: Format) -> bool:
    return isinstance(chosen, FolderFormat) and chosen.needs_pictures


def _write_data(chosen: Format, work: Path, run: _Run, options: Options) -> str:
    """Writes the data and gives its sha256."""
    if isinstance(chosen, TextFormat):
        return _write_pieces(work / chosen.file_name, _encoded(chosen.write(run.samples(), run.notes)))
    chosen.fill(work, run.samples(), run.notes, options)
    if chosen.single_file:
        return _digest(work / chosen.file_name)
    sums = _sums(chosen)[0]
    lines = (f"{_digest(work / file)}  {file}\n".encode() for file in files_of(work) if file != sums)
    return _write_pieces(work / sums, lines)


def _sums(chosen: Format) -> tuple[str, ...]:
    """The list of checksums, which `sha256sum --check` reads, beside a format of several files."""
    several = isinstance(chosen, FolderFormat) and not chosen.single_file
    return (f"sha256-{chosen.name}.txt",) if several else ()


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


def _sheet(report: ExportReport, filters: Filters, options: Options) -> str:
    """The report beside the data; without folder and time, so that the same items give the same bytes."""
    values = {name: value for name, value in asdict(report).items() if name != "folder"}
    asked = {name: value for name, value in _set(options).items() if name != "absolute"}
    chosen = shown_filters(set_filters(filters), options.nameless)
    return json.dumps({**values, "filters": chosen, "options": asked}, indent=1) + "\n"


def _set(values: Options) -> dict[str, Any]:
    """What is not as it is by itself."""
    return {name: value for name, value in asdict(values).items() if value}


def _is_empty(chosen: Format, report: ExportReport) -> bool:
    """A file of rows, or of labels of pictures, is none without one of them."""
    rows = isinstance(chosen, FolderFormat) and (chosen.splits or chosen.needs_pictures)
    return rows and not report.count_out


def _nothing_left(report: ExportReport) -> BadInput:
    reasons = Counter(reason.code for _, reason in report.left_out).most_common(3)
    first = {reason.code: reason for _, reason in reversed(report.left_out)}
    told = "; ".join(f"{first[code]} ({count})" for code, count in reasons)
    return BadInput(
        "nothing_fits",
        f"None of the {counted(report.count_in, 'item')} can be written as {report.format}; nothing was written. "
        f"{told}.",
        "Judge or correct some of them, or choose another format.",
        count=report.count_in,
        format=report.format,
        reasons=[{**asdict(first[code]), "count": count} for code, count in reasons],
    )


def _no_parts(chosen: Format) -> BadInput:
    return BadInput(
        "no_parts",
        f"The format {chosen.name} is not written in parts.",
        "Leave the split out, or choose a format for training.",
        format=chosen.name,
    )


def _nothing() -> NothingToExport:
    return NothingToExport("nothing_to_export", "No item matches; nothing was written.", "Widen the filter.")
