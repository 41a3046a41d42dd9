"""Readers of the formats for trainers: the trainers' own loader (`datasets`), and their rules on a row."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

VERL_TASKS = {"spotting", "layout", "parsing", "ie", "chart_deplot", "translation", "vqa"}


@dataclass
class Row:
    """What a trainer gets of a row.

    Attributes:
        answer: to be imitated or compared; the better one of two.
        worse: the other one.
        flag: of KTO.
        picture: uint8 (height, width, 3).
    """

    prompt: str
    answer: str
    picture: np.ndarray
    worse: str = ""
    flag: bool | None = None
    raw: dict[str, Any] = field(default_factory=dict)


def rows(folder: Path, name: str, split: str = "train") -> list[Row]:
    """The rows of a part of the export `name` in `folder`, checked by the format's rules."""
    own = folder / name
    file = own / f"{split}.parquet"
    if name in _JSON:
        [found] = own.glob(f"{split}*.jsonl")
        return [_JSON[name](row, own) for row in map(json.loads, found.read_text("utf-8").splitlines())]
    return [_PARQUET[name](row, own) for row in loaded("parquet", data_files=str(file))]


def llama_factory(folder: Path, name: str) -> list[Row]:
    """A data set by its name in dataset_info.json, as LLaMA-Factory's parser and sharegpt converter take it."""
    own = folder / "llama-factory"
    info = json.loads((own / "dataset_info.json").read_text("utf-8"))[name]
    assert info["formatting"] == "sharegpt"
    columns, found = info["columns"], []
    for row in loaded("json", data_files=str(own / info["file_name"])):
        turns = row[columns["messages"]]
        assert [turn["from"] for turn in turns] == ["human", "gpt"][: len(turns)]
        assert len(turns) % 2 == (1 if info.get("ranking") else 0)
        prompt, images = turns[0]["value"], row[columns["images"]]
        assert prompt.count("<image>") == len(images) == 1
        said = [row[columns[key]] for key in ("chosen", "rejected")] if info.get("ranking") else [turns[1]]
        assert all(turn["from"] == "gpt" for turn in said)
        flag = row[columns["kto_tag"]] if "kto_tag" in columns else None
        assert flag is None or isinstance(flag, bool)
        picture = _file(own, images[0])
        worse = said[1]["value"] if len(said) > 1 else ""
        found.append(Row(prompt.removeprefix("<image>"), said[0]["value"], picture, worse, flag, row))
    return found


def ms_swift(folder: Path, method: str) -> list[Row]:
    own, found = folder / "ms-swift", []
    for row in loaded("json", data_files=str(own / f"{method}.jsonl")):
        turns = row["messages"]
        assert [turn["role"] for turn in turns] == ["user", "assistant"][: len(turns)]
        assert turns[0]["content"].count("<image>") == len(row["images"]) == 1
        answer = turns[1]["content"] if len(turns) > 1 else row["solution"]
        prompt, picture = turns[0]["content"].removeprefix("<image>"), _file(own, row["images"][0])
        found.append(Row(prompt, answer, picture, row.get("rejected_response", ""), row.get("label"), row))
    return found


def loaded(kind: str, **options: Any) -> list[dict[str, Any]]:
    """All rows as the `datasets` library gives them, pictures decoded."""
    with loading() as load:
        return list(load(kind, split="train", **options))


@contextmanager
def loading() -> Iterator[Any]:
    import datasets

    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as cache:
        yield lambda *args, **options: datasets.load_dataset(*args, cache_dir=cache, **options)


def _sft_a(row: dict[str, Any], own: Path) -> Row:
    """As pipeline_count_and_pack.py: the first turn alone; an empty question or answer is dropped silently."""
    turn = row["conv"][0]
    assert turn["question"]
    assert turn["answer"]
    return Row(turn["question"], turn["answer"], _file(own, row.get("img_path_sh") or row["img_path_cq"]), raw=row)


def _sft_b(row: dict[str, Any], own: Path) -> Row:
    assert "conv" not in row
    asked = next(turn["value"] for turn in row["conversations"] if turn["from"] == "human")
    said = next(turn["value"] for turn in row["conversations"] if turn["from"] == "gpt")
    assert said
    return Row(asked.removeprefix("<image>\n"), said, _file(own, row["image_path"][0]), raw=row)


def _verl(row: dict[str, Any], own: Path) -> Row:
    [turn] = row["prompt"]
    assert turn["role"] == "user"
    assert turn["content"].count("<image>") == len(row["images"]) == 1
    assert row["reward_model"]["style"] == "rule"
    assert row["extra_info"]["task_type"] in VERL_TASKS
    assert row["extra_info"]["img_path"] == row["images"]
    prompt, answer = turn["content"].removeprefix("<image>\n"), row["reward_model"]["ground_truth"]
    return Row(prompt, answer, _file(own, row["images"][0]), raw=row)


def _verl_plain(row: dict[str, Any], own: Path) -> Row:
    [turn], [image] = row["prompt"], row["images"]
    assert turn["content"].count("<image>") == 1
    answer = row["reward_model"]["ground_truth"]
    return Row(turn["content"].removeprefix("<image>\n"), answer, _decoded(image["bytes"]), raw=row)


def _easyr1(row: dict[str, Any], own: Path) -> Row:
    [image] = row["images"]
    assert row["prompt"].count("<image>") == 1
    return Row(row["prompt"].removeprefix("<image>\n"), row["answer"], _decoded(image["bytes"]), raw=row)


def _trl(row: dict[str, Any], own: Path) -> Row:
    """Places of pictures as TRL counts them: parts of the type `image` that have no key `image`."""
    [turn], [image] = row["prompt"], row["images"]
    assert isinstance(image, Image.Image)
    assert turn["role"] == "user"
    assert sum(part["type"] == "image" and "image" not in part for part in turn["content"]) == 1
    assert turn["content"][0]["type"] == "image"
    answers = [_said(row[key]) for key in ("chosen", "rejected", "completion") if key in row]
    assert ("label" in row) <= ("completion" in row)
    answer = answers[0] if answers else row["ground_truth"]
    worse = answers[1] if len(answers) > 1 else ""
    return Row(turn["content"][1]["text"], answer, np.asarray(image.convert("RGB")), worse, row.get("label"), row)


def _said(turns: list[dict[str, Any]]) -> str:
    [turn] = turns
    assert turn["role"] == "assistant"
    [part] = turn["content"]
    assert part["type"] == "text"
    return part["text"]


def _file(own: Path, path: str) -> np.ndarray:
    return _decoded((own / path).read_bytes())  # an absolute path stays one


def _decoded(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


_JSON = {"sft-a": _sft_a, "sft-b": _sft_b}
_PARQUET = {
    "verl": _verl,
    "verl-plain": _verl_plain,
    "easyr1": _easyr1,
    **dict.fromkeys(("trl-sft", "trl-dpo", "trl-kto", "trl-grpo"), _trl),
}
