"""TRL: conversations in parquet files, with the picture as a feature of the `datasets` library."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from ocr_ui.exports.examples import Example
from ocr_ui.exports.reasons import LeftOut
from ocr_ui.exports.rows import PICTURE, PICTURE_FEATURE, ParquetFile, picture_cell, text_feature
from ocr_ui.exports.trainers.base import TrainerFormat, no_answer, no_pair

# No key `image` in the parts: Arrow would give it to every part, and TRL would no longer count the picture's place.
_PART = pa.struct([("type", pa.string()), ("text", pa.string())])
_TURNS = pa.list_(pa.struct([("role", pa.string()), ("content", pa.list_(_PART))]))
_TURNS_FEATURE = [{"role": text_feature(), "content": [{"type": text_feature(), "text": text_feature()}]}]


class _Trl(TrainerFormat):
    bundles: ClassVar[bool] = False
    turns: ClassVar[tuple[str, ...]] = ()
    others: ClassVar[dict[str, tuple[pa.DataType, dict[str, str]]]] = {}

    def open_file(self, folder: Path, name: str) -> ParquetFile:
        columns = [("images", pa.list_(PICTURE)), ("prompt", _TURNS), *((turn, _TURNS) for turn in self.turns)]
        schema = pa.schema([*columns, *((name, kind) for name, (kind, _) in self.others.items())])
        features = {"images": [PICTURE_FEATURE], **dict.fromkeys(("prompt", *self.turns), _TURNS_FEATURE)}
        features |= {name: feature for name, (_, feature) in self.others.items()}
        return ParquetFile(folder / f"{name}.parquet", schema, features)

    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        asked = [{"type": "image"}, {"type": "text", "text": example.prompt}]
        prompt = [{"role": "user", "content": asked}]
        for answers in self.answers(example):
            yield example.split, {"images": [picture_cell(example.file)], "prompt": prompt, **answers}

    @abstractmethod
    def answers(self, example: Example) -> list[dict[str, Any]]:
        """The columns behind the prompt, for each row. Raises LeftOut."""


class TrlSft(_Trl):
    name: ClassVar[str] = "trl-sft"
    turns: ClassVar[tuple[str, ...]] = ("completion",)

    def answers(self, example: Example) -> list[dict[str, Any]]:
        return [{"completion": _said(example.answer)}]


class TrlDpo(_Trl):
    name: ClassVar[str] = "trl-dpo"
    turns: ClassVar[tuple[str, ...]] = ("chosen", "rejected")
    pairs: ClassVar[bool] = True

    def answers(self, example: Example) -> list[dict[str, Any]]:
        if not example.pairs:
            raise LeftOut(no_pair(example))
        return [{"chosen": _said(better), "rejected": _said(worse)} for better, worse in example.pairs]


class TrlKto(_Trl):
    name: ClassVar[str] = "trl-kto"
    turns: ClassVar[tuple[str, ...]] = ("completion",)
    others: ClassVar[dict[str, tuple[pa.DataType, dict[str, str]]]] = {
        "label": (pa.bool_(), {"dtype": "bool", "_type": "Value"})
    }

    def answers(self, example: Example) -> list[dict[str, Any]]:
        if not example.rated:
            raise LeftOut(no_answer(example))
        return [{"completion": _said(text), "label": right} for text, right in example.rated]


class TrlGrpo(_Trl):
    name: ClassVar[str] = "trl-grpo"
    reward: ClassVar[bool] = True
    others: ClassVar[dict[str, tuple[pa.DataType, dict[str, str]]]] = {
        "ground_truth": (pa.string(), text_feature()),
        "task_type": (pa.string(), text_feature()),
    }

    def answers(self, example: Example) -> list[dict[str, Any]]:
        return [{"ground_truth": example.answer, "task_type": example.reward_task}]


def _said(text: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": [{"type": "text", "text": text}]}]
