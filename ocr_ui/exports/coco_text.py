"""COCO-Text (`cocotext.json`), and the same boxes as COCO has them (`coco.json`), for tools that know no texts.

Boxes are left, top, width and height, outlines four corners, in pixels of the stored picture. A text without letters
is not legible. Every item with boxes is in it: the newest correction where there is one, else what was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.exact_json import dumps
from ocr_ui.exports.examples import WHOLE
from ocr_ui.exports.reasons import NO_PICTURE, Reason
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample

FOLDER = "coco-text"
_SETS = {"train": "train", "validation": "val", "test": "test"}
_INFO = {"description": "OCR Workbench", "version": "1"}


class CocoText(FolderFormat):
    name = FOLDER
    file_name = f"{FOLDER}/cocotext.json"
    folder = FOLDER
    pictures = f"{FOLDER}/images"
    needs_pictures = True
    splits = True

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        own = folder / FOLDER
        own.mkdir(exist_ok=True)
        names = ("imgs", "anns", "img_to_anns", "images", "annotations")
        with ExitStack() as stack:
            parts = {name: _Part(stack.enter_context(_text(own / f".{name}"))) for name in names}
            writer = _Writer(parts, notes)
            for sample in samples:
                writer.add(sample)
        _assemble(own)
        for name in names:
            (own / f".{name}").unlink()


def _text(file: Path) -> TextIO:
    return file.open("w", encoding="utf-8", newline="\n")


class _Part:
    """Entries with commas between them, to be put into a whole afterwards."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._any = out, False

    def add(self, entry: str) -> None:
        self._out.write((",\n" if self._any else "") + entry)
        self._any = True


class _Writer:
    def __init__(self, parts: dict[str, _Part], notes: Notes) -> None:
        self._parts, self._notes, self._next = parts, notes, 1

    def add(self, sample: Sample) -> None:
        lines = [line for line in sample.label.lines if line.quad]
        if not sample.picture or sample.no_split:
            self._notes.leave_out(sample, sample.no_split or NO_PICTURE)
        elif not lines:
            self._notes.leave_out(sample, Reason("no_boxes", "no line has a box"))
        else:
            self._notes.changes["lines_without_a_box_left_out"] += len(sample.label.lines) - len(lines)
            self._notes.rows[sample.split or WHOLE] += 1
            self._image(sample)
            numbers = [self._line(sample, line) for line in lines]
            self._parts["img_to_anns"].add(f'"{sample.id}":{dumps(numbers)}')

    def _image(self, sample: Sample) -> None:
        page = sample.page
        image = {
            "id": sample.id,
            "file_name": sample.picture.removeprefix(f"{FOLDER}/images/"),
            "width": page.width,
            "height": page.height,
        }
        part = _SETS[sample.split or WHOLE]
        self._parts["imgs"].add(f'"{sample.id}":{dumps({**image, "set": part})}')
        self._parts["images"].add(dumps(image))

    def _line(self, sample: Sample, line: TextLine) -> int:
        number, self._next = self._next, self._next + 1
        both = {"id": number, "image_id": sample.id, **_place(line)}
        outline = both.pop("outline")
        words = {"utf8_string": line.text, "legibility": "legible" if line.text.strip() else "illegible"}
        theirs = {**both, "mask": outline, **words, "class": "machine printed", "language": "na"}
        self._parts["anns"].add(f'"{number}":{dumps(theirs)}')
        coco = {**both, "segmentation": [outline], "category_id": 1, "iscrowd": 0, "caption": line.text}
        self._parts["annotations"].add(dumps(coco))
        return number


def _place(line: TextLine) -> dict[str, Any]:
    box = line.quad.bounds
    outline = [round(value, 2) for point in line.quad.points for value in point]
    bounds = [round(value, 2) for value in (box.left, box.top, box.width, box.height)]
    return {"bbox": bounds, "area": round(_area(outline), 2), "outline": outline}


def _area(outline: list[float]) -> float:
    xs, ys = outline[::2], outline[1::2]
    return abs(sum(xs[i - 1] * ys[i] - xs[i] * ys[i - 1] for i in range(len(xs)))) / 2


def _assemble(own: Path) -> None:
    with _text(own / "cocotext.json") as out:
        out.write(f'{{"info":{dumps(_INFO)},"cats":{{}},\n"imgs":{{\n')
        _copy(own / ".imgs", out)
        out.write('\n},\n"anns":{\n')
        _copy(own / ".anns", out)
        out.write('\n},\n"imgToAnns":{\n')
        _copy(own / ".img_to_anns", out)
        out.write("\n}}\n")
    with _text(own / "coco.json") as out:
        category = [{"id": 1, "name": "text"}]
        out.write(f'{{"info":{dumps(_INFO)},"categories":{dumps(category)},\n"images":[\n')
        _copy(own / ".images", out)
        out.write('\n],\n"annotations":[\n')
        _copy(own / ".annotations", out)
        out.write("\n]}\n")


def _copy(file: Path, out: TextIO) -> None:
    with file.open(encoding="utf-8", newline="") as data:
        while piece := data.read(1 << 20):
            out.write(piece)
