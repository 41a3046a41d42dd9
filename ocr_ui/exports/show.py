"""One real record of an export as text, and the command that hands the data to its trainer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ocr_ui.exports.registry import FolderFormat, Format

LONGEST = 4_000
"""Characters of a record that are shown."""

_REWARD = "ocr_ui/scoring/rewards.py"
COMMANDS = {
    "coco-text": "python -c \"from pycocotools.coco import COCO; COCO('coco-text/coco.json')\"",
    "imagefolder": 'python -c "from datasets import load_dataset; '
    "load_dataset('imagefolder', data_dir='imagefolder')\"",
    "datasets": "python -c \"from datasets import load_dataset; load_dataset('datasets')\"",
    "trl-sft": "trl sft --model_name_or_path tencent/HunyuanOCR --dataset_name ./trl-sft",
    "trl-dpo": "trl dpo --model_name_or_path tencent/HunyuanOCR --dataset_name ./trl-dpo",
    "trl-kto": "trl kto --model_name_or_path tencent/HunyuanOCR --dataset_name ./trl-kto",
    "trl-grpo": "trl grpo --model_name_or_path tencent/HunyuanOCR --dataset_name ./trl-grpo "
    "--reward_funcs ocr_ui.scoring.rewards.trl_reward",
    "llama-factory": "llamafactory-cli train --stage sft --dataset_dir llama-factory --media_dir llama-factory "
    "--dataset ocr_sft --model_name_or_path tencent/HunyuanOCR",
    "ms-swift": "cd ms-swift && swift sft --model tencent/HunyuanOCR --dataset sft.jsonl",
    "verl": "cd verl && python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=train.parquet "
    f"data.image_key=images custom_reward_function.path={_REWARD} custom_reward_function.name=compute_score",
    "verl-plain": "python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo "
    f"data.train_files=verl-plain/train.parquet data.image_key=images custom_reward_function.path={_REWARD} "
    "custom_reward_function.name=compute_score",
    "easyr1": "python -m verl.trainer.main config=examples/config.yaml data.train_files=easyr1/train.parquet "
    "data.prompt_key=prompt data.answer_key=answer data.image_key=images",
    "sft-a": "cd sft-a && ls train-*.jsonl  # for tools/pipeline_count_and_pack.py of HunyuanOCR's repository",
    "sft-b": "cd sft-b && ls train-*.jsonl  # for tools/pipeline_count_and_pack.py of HunyuanOCR's repository",
}
"""How each trainer is given its data; paths are relative to the export. Model and cards need settings of their own."""

_FIRST = ("sft", "train", "tasks", "Label")
_TEXT = frozenset({".jsonl", ".json", ".csv", ".txt", ".xml"})


def first_record(chosen: Format, folder: Path) -> str:
    """The beginning of the data in an export, its pictures as their sizes; "" for data that is no text."""
    place = folder / chosen.file_name
    if isinstance(chosen, FolderFormat) and chosen.folder and not place.is_file():
        place = folder / chosen.folder
    files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
    files.sort(key=lambda file: (not file.name.startswith(_FIRST), file))
    for file in files:
        if file.suffix == ".parquet":
            return _shown(next(pq.ParquetFile(file).iter_batches(1)).to_pylist()[0])
        if file.suffix == ".jsonl":
            with file.open(encoding="utf-8") as lines:
                return _shown(json.loads(next(lines)))
    text = next((file for file in files if file.suffix in _TEXT), None)
    return "" if text is None else text.read_text("utf-8-sig")[:LONGEST]


def _shown(row: dict[str, Any]) -> str:
    return json.dumps(_without_bytes(row), ensure_ascii=False, indent=2)[:LONGEST]


def _without_bytes(value: Any) -> Any:
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    if isinstance(value, dict):
        return {key: _without_bytes(one) for key, one in value.items()}
    return [_without_bytes(one) for one in value] if isinstance(value, list) else value
