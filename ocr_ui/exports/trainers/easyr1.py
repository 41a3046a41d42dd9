"""EasyR1: parquet with the picture in the row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from ocr_ui.exports.examples import PLACEHOLDER, Example
from ocr_ui.exports.rows import PICTURE, ParquetFile, picture_cell
from ocr_ui.exports.trainers.base import TrainerFormat

_SCHEMA = pa.schema(
    [("prompt", pa.string()), ("answer", pa.string()), ("images", pa.list_(PICTURE)), ("task_type", pa.string())]
)


class EasyR1(TrainerFormat):
    name: ClassVar[str] = "easyr1"
    reward: ClassVar[bool] = True
    bundles: ClassVar[bool] = False

    def open_file(self, folder: Path, name: str) -> ParquetFile:
        return ParquetFile(folder / f"{name}.parquet", _SCHEMA)

    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        yield (
            example.split,
            {
                "prompt": f"{PLACEHOLDER}\n{example.prompt}",
                "answer": example.answer,
                "images": [picture_cell(example.file)],
                "task_type": example.reward_task,
            },
        )
