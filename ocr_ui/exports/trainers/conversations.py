"""LLaMA-Factory and ms-swift: JSON Lines of conversations, a file each for supervised training, DPO, KTO and GRPO."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from ocr_ui.exports.examples import PLACEHOLDER, WHOLE, Example
from ocr_ui.exports.rows import Files, JsonLinesFile
from ocr_ui.exports.trainers.base import TrainerFormat

_COLUMNS = {"messages": "conversations", "images": "images"}
_MORE: dict[str, dict[str, Any]] = {
    "sft": {"columns": _COLUMNS},
    "dpo": {"ranking": True, "columns": {**_COLUMNS, "chosen": "chosen", "rejected": "rejected"}},
    "kto": {"columns": {**_COLUMNS, "kto_tag": "kto_tag"}},
}


class _Conversations(TrainerFormat):
    pairs: ClassVar[bool] = True

    def open_file(self, folder: Path, name: str) -> JsonLinesFile:
        return JsonLinesFile(folder / f"{name}.jsonl")


class LlamaFactory(_Conversations):
    """Turns are counted: an even number for supervised training and KTO, an odd one for DPO."""

    name: ClassVar[str] = "llama-factory"

    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        asked, images = _turn("human", f"{PLACEHOLDER}{example.prompt}"), [example.picture]
        if example.answer:
            whole = {"conversations": [asked, _turn("gpt", example.answer)], "images": images}
            yield _file("sft", example), whole
        for better, worse in example.pairs:
            chosen, rejected = _turn("gpt", better), _turn("gpt", worse)
            yield (
                _file("dpo", example),
                {"conversations": [asked], "chosen": chosen, "rejected": rejected, "images": images},
            )
        for text, right in example.rated if example.answer else ():
            said = [asked, _turn("gpt", text)]
            yield _file("kto", example), {"conversations": said, "kto_tag": right, "images": images}

    def finish(self, folder: Path, files: Files) -> None:
        info = {
            f"ocr_{name}": {"file_name": f"{name}.jsonl", "formatting": "sharegpt", **_MORE[name[:3]]}
            for name in files.names
        }
        text = json.dumps(info, indent=2) + "\n"
        (folder / "dataset_info.json").write_text(text, encoding="utf-8")


class MsSwift(_Conversations):
    name: ClassVar[str] = "ms-swift"

    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        asked = {"role": "user", "content": f"{PLACEHOLDER}{example.prompt}"}
        images = {"images": [example.picture]}
        whole = [asked, {"role": "assistant", "content": example.answer}]
        if example.answer:
            yield _file("sft", example), {"messages": whole, **images}
        for better, worse in example.pairs:
            chosen = [asked, {"role": "assistant", "content": better}]
            yield _file("dpo", example), {"messages": chosen, "rejected_response": worse, **images}
        if not example.answer:
            return
        for text, right in example.rated:
            said = [asked, {"role": "assistant", "content": text}]
            yield _file("kto", example), {"messages": said, "label": right, **images}
        yield (
            _file("grpo", example),
            {"messages": [asked], "solution": example.answer, "task_type": example.reward_task, **images},
        )


def _file(method: str, example: Example) -> str:
    return method if example.split == WHOLE else f"{method}_{example.split}"


def _turn(speaker: str, text: str) -> dict[str, str]:
    return {"from": speaker, "value": text}
