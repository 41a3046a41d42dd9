"""The model's own kits: supervised training (JSON Lines, two forms) and reinforcement learning (parquet for verl)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from ocr_ui.domain.prompt import Task
from ocr_ui.exports.examples import PLACEHOLDER, Example
from ocr_ui.exports.rows import PICTURE, JsonLinesFile, ParquetFile, picture_cell
from ocr_ui.exports.trainers.base import TrainerFormat

_TEXTS = pa.list_(pa.string())
_PROMPT = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
_REWARD = pa.struct([("style", pa.string()), ("ground_truth", pa.string())])
_OFFICIAL = pa.schema(
    [
        ("data_source", pa.string()),
        ("prompt", _PROMPT),
        ("images", _TEXTS),
        ("reward_model", _REWARD),
        (
            "extra_info",
            pa.struct(
                [
                    ("task_type", pa.string()),
                    ("question", pa.string()),
                    ("img_path", _TEXTS),
                    ("source_lang_text", pa.string()),
                    ("target_lang", pa.string()),
                ]
            ),
        ),
    ]
)
_PLAIN = pa.schema(
    [
        ("data_source", pa.string()),
        ("prompt", _PROMPT),
        ("images", pa.list_(PICTURE)),
        ("ability", pa.string()),
        ("reward_model", _REWARD),
        (
            "extra_info",
            pa.struct(
                [("split", pa.string()), ("index", pa.int64()), ("task_type", pa.string()), ("question", pa.string())]
            ),
        ),
    ]
)


class _Sft(TrainerFormat):
    """The kit keeps a count of tokens beside a file and takes it for the next one of that name: each has its own."""

    def open_file(self, folder: Path, name: str) -> JsonLinesFile:
        return JsonLinesFile(folder / f"{name}.jsonl", hashed=True)


class SftA(_Sft):
    name: ClassVar[str] = "sft-a"

    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        turn = {"question": example.prompt, "answer": example.answer}
        yield example.split, {"img_path_sh": example.picture, "conv": [turn]}


class SftB(_Sft):
    name: ClassVar[str] = "sft-b"

    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        asked = {"from": "human", "value": f"{PLACEHOLDER}\n{example.prompt}"}
        said = {"from": "gpt", "value": example.answer}
        yield example.split, {"image_path": [example.picture], "conversations": [asked, said]}


class Verl(TrainerFormat):
    name: ClassVar[str] = "verl"
    reward: ClassVar[bool] = True

    def open_file(self, folder: Path, name: str) -> ParquetFile:
        return ParquetFile(folder / f"{name}.parquet", _OFFICIAL)

    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        task = example.reward_task
        extra = {"task_type": task, "question": question(example), "img_path": [example.picture]}
        if example.task is Task.TRANSLATE:
            variables = example.sample.recognition.prompt.variables
            extra |= {"source_lang_text": "", "target_lang": variables.get("target", "")}
        yield (
            example.split,
            {
                "data_source": task,
                "prompt": prompt(example),
                "images": [example.picture],
                "reward_model": {"style": "rule", "ground_truth": example.answer},
                "extra_info": extra,
            },
        )


class VerlPlain(TrainerFormat):
    name: ClassVar[str] = "verl-plain"
    reward: ClassVar[bool] = True
    bundles: ClassVar[bool] = False

    def open_file(self, folder: Path, name: str) -> ParquetFile:
        return ParquetFile(folder / f"{name}.parquet", _PLAIN)

    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        task = example.reward_task
        yield (
            example.split,
            {
                "data_source": f"ocr/{task}",
                "prompt": prompt(example),
                "images": [picture_cell(example.file)],
                "ability": "ocr",
                "reward_model": {"style": "rule", "ground_truth": example.answer},
                "extra_info": {
                    "split": example.split,
                    "index": example.sample.id,
                    "task_type": task,
                    "question": question(example),
                },
            },
        )


def prompt(example: Example) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"{PLACEHOLDER}\n{example.prompt}"}]


def question(example: Example) -> str:
    """What was asked, where the reward needs it: its judge of answers to questions."""
    return example.prompt if example.task is Task.QA else ""
