"""Pictures with boxes: each page as a JPEG file, its lines outlined and numbered in reading order.

Blue is sure, amber less so, red unsure; a line that an engine gives no confidence for is blue.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ocr_ui.exports.files import stem
from ocr_ui.exports.reasons import NO_PICTURE
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.images.crops import encode_jpeg
from ocr_ui.images.marked import Color, draw_boxes
from ocr_ui.images.stored import decode_png

BLUE, AMBER, RED = (37, 99, 235), (217, 119, 6), (220, 38, 38)
SURE, UNSURE = 0.9, 0.8


class Boxes(FolderFormat):
    name = "boxes"
    file_name = "boxes"
    folder = "boxes"
    pictures = "boxes"
    needs_pictures = True

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        (folder / self.folder).mkdir(exist_ok=True)
        for sample in samples:
            if not sample.picture:
                notes.leave_out(sample, NO_PICTURE)
                continue
            picture = folder / sample.picture
            quads = [(line.quad, _color(line.confidence)) for line in sample.label.lines if line.quad]
            drawn = draw_boxes(decode_png(picture.read_bytes()), quads)
            (folder / self.folder / f"{stem(sample)}.jpg").write_bytes(encode_jpeg(drawn))
            picture.unlink()


def _color(confidence: float | None) -> Color:
    if confidence is None or confidence >= SURE:
        return BLUE
    return AMBER if confidence >= UNSURE else RED
