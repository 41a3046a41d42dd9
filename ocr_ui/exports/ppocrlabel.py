"""PPOCRLabel and PaddleOCR: a folder that the tool opens, with Label.txt, fileState.txt, rec_gt.txt and the crops.

Each line has four corners in whole pixels: top left first as the text is read, then clockwise. Crops stay as the line
lies on the page; turned ones come on request. The tool replaces the words true, false and null in Label.txt before it
evaluates a line and cuts lines at tabs, so those are written as escapes: every reader gets the text exactly.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.page import Page
from ocr_ui.exports.reasons import NO_PICTURE, Reason
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.images.crops import crop, encode_jpeg
from ocr_ui.images.stored import decode_png, rotate_quarters

FOLDER = "ppocrlabel"
ILLEGIBLE = "###"
"""The text of a line that nobody can read; PaddleOCR leaves such boxes out of account."""
TALL = 1.5
"""A crop that is so many times as high as wide is turned by PaddleOCR's recogniser."""

_CROPS = "crop_img"
_NO_BOXES = Reason("no_boxes_for_tool", "no line has a box, and the tool keeps no picture without boxes")
# Lone surrogates have no UTF-8; U+0085, U+2028 and U+2029 end a line for some readers.
_UNSAFE = re.compile("[\ud800-\udfff\u0085\u2028\u2029\x7f]")
_WORDS = re.compile("true|false|null")
_BREAKS = re.compile("[\t\r\n\v\f\u0085\u2028\u2029]+")
_UNWRITABLE = re.compile("[\ud800-\udfff]")


class PpocrLabel(FolderFormat):
    name = "ppocrlabel"
    file_name = f"{FOLDER}/Label.txt"
    folder = FOLDER
    pictures = FOLDER
    needs_pictures = True

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        base = folder / FOLDER
        (base / _CROPS).mkdir(parents=True)
        with (
            _text(base / "Label.txt") as labels,
            _text(base / "fileState.txt") as states,
            _text(base / "rec_gt.txt") as crops,
        ):
            writer = _Writer(folder, labels, states, crops, notes, options)
            for sample in samples:
                writer.add(sample)


def _text(file: Path) -> TextIO:
    return file.open("w", encoding="utf-8", newline="\n")


@dataclass(slots=True)
class _Writer:
    folder: Path
    labels: TextIO
    states: TextIO
    crops: TextIO
    notes: Notes
    options: Options
    used: set[str] = field(default_factory=set)

    def add(self, sample: Sample) -> None:
        lines = [line for line in sample.label.lines if line.quad]
        if not sample.picture:
            self.notes.leave_out(sample, NO_PICTURE)
        elif not lines:
            self.notes.leave_out(sample, _NO_BOXES)
        else:
            self.notes.changes["lines_without_a_box_left_out"] += len(sample.label.lines) - len(lines)
            self._write(sample, lines)

    def _write(self, sample: Sample, lines: list[TextLine]) -> None:
        key = self._key(sample)
        pixels = decode_png((self.folder / key).read_bytes())
        quads = [_whole(line.quad, sample.page) for line in lines]
        entries = [_entry(line, quad) for line, quad in zip(lines, quads, strict=True)]
        self.labels.write(f"{key}\t{_json(entries)}\n")
        self.states.write(f"{key}\t1\n")
        for number, (line, quad) in enumerate(zip(lines, quads, strict=True)):
            self._crop(f"{Path(key).stem}_crop_{number}.jpg", line.text, pixels, quad)

    def _key(self, sample: Sample) -> str:
        """Folder and name of the picture: the tool knows it by them, so a picture of two items stands there twice."""
        key = sample.picture
        if key in self.used:
            key = f"{FOLDER}/{sample.page.sha256}-{sample.id}.png"
            shutil.copyfile(self.folder / sample.picture, self.folder / key)
        self.used.add(key)
        return key

    def _crop(self, name: str, text: str, pixels: np.ndarray, quad: Quad) -> None:
        if not text.strip():
            self.notes.changes["crops_without_text_left_out"] += 1
            return
        piece = crop(pixels, quad if self.options.turn_crops else quad.upright())
        if self.options.turn_crops and piece.shape[0] >= TALL * piece.shape[1]:
            piece = rotate_quarters(piece, -1)
        (self.folder / FOLDER / _CROPS / name).write_bytes(encode_jpeg(piece))
        flat, breaks = _BREAKS.subn(" ", text)
        flat, lost = _UNWRITABLE.subn("\ufffd", flat)
        self.notes.changes["breaks_in_rec_gt_as_blanks"] += breaks
        self.notes.changes["surrogates_in_rec_gt_replaced"] += lost
        self.crops.write(f"{_CROPS}/{name}\t{flat}\n")


def _whole(quad: Quad, page: Page) -> Quad:
    return quad.as_read().clip(page.width, page.height).rounded(0)


def _entry(line: TextLine, quad: Quad) -> dict[str, Any]:
    points = [[int(x), int(y)] for x, y in quad.points]
    legible = bool(line.text.strip())
    return {"transcription": line.text if legible else ILLEGIBLE, "points": points, "difficult": not legible}


def _json(entries: list[dict[str, Any]]) -> str:
    """One line of JSON that means the same to a JSON parser and to Python's `eval` after the tool's replacements."""
    parts = []
    for entry in entries:
        text = json.dumps(entry["transcription"], ensure_ascii=False)
        text = _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
        text = _WORDS.sub(lambda match: f"\\u{ord(match[0][0]):04x}{match[0][1:]}", text)
        rest = json.dumps({"points": entry["points"], "difficult": entry["difficult"]})
        parts.append(f'{{"transcription": {text}, {rest[1:]}')
    return f"[{', '.join(parts)}]"
