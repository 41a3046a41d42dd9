"""The `datasets` library: a folder of pictures with their metadata, and parquet files with the pictures inside.

Both have every item that has a picture, judged or not: `text` is the label where a person has given one, else what
was read, and `verdict` and `state` say which.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from ocr_ui.domain.exact_json import storable
from ocr_ui.domain.reward import OF_TASK
from ocr_ui.exports.columns import whole_text
from ocr_ui.exports.examples import WHOLE
from ocr_ui.exports.labels import label, task_of
from ocr_ui.exports.reasons import NO_PICTURE, NoLabel
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.rows import (
    PICTURE,
    PICTURE_FEATURE,
    Files,
    JsonLinesFile,
    ParquetFile,
    picture_cell,
    text_feature,
)
from ocr_ui.exports.sample import Notes, Options, Sample

_TEXTS = ("text", "label", "task_type", "prompt", "template", "document", "page_name", "verdict", "state", "model_text")


class ImageFolder(FolderFormat):
    name = "imagefolder"
    file_name = "imagefolder"
    folder = "imagefolder"
    pictures = "imagefolder/pictures"
    needs_pictures = True
    splits = True

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        own = folder / self.name

        def open_file(split: str) -> JsonLinesFile:
            (own / split).mkdir(parents=True)
            return JsonLinesFile(own / split / "metadata.jsonl")

        with Files(open_file, notes) as files:
            for sample in _with_pictures(samples, notes):
                split, name = sample.split or WHOLE, f"{sample.id:06d}.png"
                objects = {"bbox": _boxes(sample), "categories": [0] * len(_placed(sample))}
                objects |= {"text": [storable(line.text) for line in _placed(sample)]}
                files.add(split, {"file_name": name, **_row(sample, notes), "objects": objects})
                # The same file under another name: what several items have in common takes its place once.
                os.link(folder / sample.picture, own / split / name)
        _remove(folder / self.pictures)


class DatasetsParquet(FolderFormat):
    name = "datasets"
    file_name = "datasets"
    folder = "datasets"
    pictures = "datasets/pictures"
    needs_pictures = True
    splits = True

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        own = folder / self.name
        (own / "data").mkdir(parents=True)
        lines = pa.struct([("text", pa.string()), ("bbox", pa.list_(pa.float64()))])
        numbers = [("item", pa.int64()), ("width", pa.int64()), ("height", pa.int64())]
        texts = [(name, pa.string()) for name in _TEXTS]
        schema = pa.schema([("image", PICTURE), *numbers, *texts, ("lines", pa.list_(lines))])
        number = {"dtype": "int64", "_type": "Value"}
        features: dict[str, Any] = {"image": PICTURE_FEATURE, **{name: number for name, _ in numbers}}
        features |= {name: text_feature() for name in _TEXTS}
        features["lines"] = [{"text": text_feature(), "bbox": [{"dtype": "float64", "_type": "Value"}]}]
        with Files(lambda split: ParquetFile(own / "data" / f"{split}.parquet", schema, features), notes) as files:
            for sample in _with_pictures(samples, notes):
                placed = zip(_placed(sample), _boxes(sample), strict=True)
                found = [{"text": storable(line.text), "bbox": box} for line, box in placed]
                page = {"item": sample.id, "width": sample.page.width, "height": sample.page.height}
                row = {"image": picture_cell(folder / sample.picture), **page, **_row(sample, notes), "lines": found}
                files.add(sample.split or WHOLE, row)
        _remove(folder / self.pictures)


def _with_pictures(samples: Iterable[Sample], notes: Notes) -> Iterator[Sample]:
    for sample in samples:
        if sample.picture and not sample.no_split:
            yield sample
        else:
            notes.leave_out(sample, sample.no_split or NO_PICTURE)


def _row(sample: Sample, notes: Notes) -> dict[str, Any]:
    prompt, review = sample.recognition.prompt, sample.review
    values = {
        "text": whole_text(sample.label) or json.dumps({f.name: f.value for f in sample.label.fields} or ""),
        "label": "",
        "task_type": "",
        "prompt": prompt.text,
        "template": prompt.template,
        "document": sample.document,
        "page_name": sample.page.name,
        "verdict": str(review.verdict or ""),
        "state": str(review.state),
        "model_text": sample.recognition.generation.text,
    }
    try:
        values["task_type"] = OF_TASK[task_of(sample)].value
        values["label"] = label(sample, notes)
    except NoLabel:
        notes.changes["rows_without_a_label"] += 1
    return {name: storable(value) for name, value in values.items()}


def _placed(sample: Sample) -> list[Any]:
    return [line for line in sample.label.lines if line.quad]


def _boxes(sample: Sample) -> list[list[float]]:
    """Left, top, width and height in pixels of the stored picture."""
    bounds = [line.quad.bounds for line in _placed(sample)]
    return [[round(value, 2) for value in (box.left, box.top, box.width, box.height)] for box in bounds]


def _remove(folder: Path) -> None:
    for file in folder.iterdir() if folder.is_dir() else ():
        file.unlink()
    if folder.is_dir():
        folder.rmdir()
