"""Memory and time of the export formats: pages of 30 lines, written by a process of its own a format.

`python benchmarks/exports.py` prints a row for some and for ten times as many items; memory that grows with them is
what no format may have. Not among them are ppocrlabel, which cuts up pictures, and trl-dpo, which takes only what was
corrected. Formats that need pictures get one file of 100 kB for all items. `--store` fills a store with items that have
small pictures of their own and exports them from there, as `python -m ocr_ui export` does; every fourth is corrected.
`--keep DIR` leaves that store in a folder, and takes it from there the next time.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from PIL import Image

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import EngineName, Generation, PromptUsed, Recognition
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.exports.registry import NAMES, TextFormat, format_named
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.services.export import Exporter
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

JUDGED = Review(Verdict.RIGHT, State.SUBMITTED)
FILLER = bytes(100_000)
"""As many bytes as a picture of a page has; the formats measured here do not look into them."""

FORMATS = [name for name in NAMES if name not in ("ppocrlabel", "trl-dpo")]
PICTURE = (120, 160)
"""Pixels of a picture in the store: what is measured is the export, not the decoding of pages."""

SAVED_AT_ONCE = 500


def samples(items: int, picture: str) -> Iterator[Sample]:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    for item in range(items):
        texts = [f"line {line} of page {item}: 12.50" for line in range(30)]
        boxes = [Quad.from_box(BoundingBox(10, line * 20, 500, line * 20 + 15)) for line in range(30)]
        lines = tuple(TextLine(text, box, 0.9) for text, box in zip(texts, boxes, strict=True))
        content = PageContent(lines, text="\n".join(texts))
        prompt = PromptUsed("full_text", "0", "spotting", "Read all.", {}, {})
        recognition = Recognition(
            "0" * 64, EngineName("vllm", "1", "m", "r"), prompt, content, Generation("\n".join(texts))
        )
        page = Page("0" * 64, 1000, 800, "page.png")
        yield Sample(item, item, item, "page.png", page, picture, recognition, "", now, None, None, JUDGED, now)


def write(name: str, items: int) -> None:
    chosen, notes = format_named(name), Notes()
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(chosen, TextFormat):
            with (Path(folder) / chosen.file_name).open("w", encoding="utf-8") as out:
                out.writelines(chosen.write(samples(items, ""), notes))
        else:
            picture = f"{chosen.pictures}/page.png" if chosen.needs_pictures else ""
            if picture:
                (Path(folder) / chosen.pictures).mkdir(parents=True)
                (Path(folder) / picture).write_bytes(FILLER)
            chosen.fill(Path(folder), samples(items, picture), notes, Options())
        assert not notes.left_out, notes.left_out[0]
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    _row(name, items, begin, size)


def _row(name: str, items: int, begin: float, size: int) -> None:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    each = (time.process_time() - begin) / items * 1000
    print(f"{name:14} {items:7} items  {memory:5.0f} MB at most  {each:6.2f} ms an item  {size / 1e6:7.1f} MB of files")


def fill(folder: Path, items: int) -> None:
    """A store of so many pages, each with a grey picture of its own and a reading of 30 lines."""
    with Store.open(Settings(data_dir=folder)) as store:
        waiting = samples(items, "")
        while several := list(islice(waiting, SAVED_AT_ONCE)):
            with store.transaction():
                for sample in several:
                    keep(store, sample)


def keep(store: Store, sample: Sample) -> None:
    picture = io.BytesIO()
    Image.new("RGB", PICTURE, (sample.id % 256, sample.id // 256 % 256, sample.id // 65536)).save(picture, "PNG")
    sha256 = store.pictures.put(picture.getvalue())
    page = Page(sha256, *PICTURE, f"page {sample.id}.png")
    page_id = store.pages.add_document(page.name, [page], None).page_ids[0]
    boxes = [Quad.from_box(BoundingBox(2, line * 5, 118, line * 5 + 4)) for line in range(30)]
    lines = tuple(TextLine(line.text, box, 0.9) for line, box in zip(sample.label.lines, boxes, strict=True))
    content = PageContent(lines, text=sample.label.text)
    read = replace(sample.recognition, page_sha256=sha256, content=content)
    item = store.recognitions.add(read, page_id, None)
    if sample.id % 4:
        store.reviews.set(item, JUDGED)
    else:
        better = PageContent((TextLine("corrected", boxes[0]), *lines[1:]), text=content.text)
        store.corrections.add(item, 0, better, None)
        store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, correction_version=1))


def export(name: str, folder: Path) -> None:
    begin = time.process_time()
    with tempfile.TemporaryDirectory(dir=folder.parent) as out, Store.open(Settings(data_dir=folder)) as store:
        report = Exporter(store).export_now(name, Path(out) / "out")
        size = sum(entry.stat().st_size for entry in files_below(out))
        _row(name, report.count_out, begin, size)


def files_below(folder: str) -> Iterator[os.DirEntry[str]]:
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from files_below(entry.path)
        else:
            yield entry


def write_store(items: int, only: str | None, keep_in: Path | None) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = (keep_in or Path(temporary)) / "store"
        if not folder.exists():
            fill(folder, items)
        for name in [only] if only else NAMES:
            subprocess.run([sys.executable, __file__, "--from", str(folder), "--only", name], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--only", choices=NAMES)
    parser.add_argument("--store", action="store_true", help="from a store of --items items, with pictures")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="with --store: where the store stays")
    parser.add_argument("--from", dest="folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder:
        export(options.only, Path(options.folder))
        return
    if options.store:
        write_store(options.items, options.only, options.keep)
        return
    if options.only:
        write(options.only, options.items)
        return
    for name in FORMATS:
        for items in (options.items, options.items * 10):
            subprocess.run([sys.executable, __file__, "--only", name, "--items", str(items)], check=True)


if __name__ == "__main__":
    main()
