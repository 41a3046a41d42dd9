"""Reading a model's raw answer without a picture: what `python -m ocr_ui parse` prints."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Any

from ocr_ui.domain.prompt import Task
from ocr_ui.errors import BadInput
from ocr_ui.parsing import dispatch

TASKS: dict[str, Task] = {**{task.value: task for task in Task}, "markdown": Task.DOCUMENT}
"""Task names; `markdown` is another name for `document`."""


_BEGINNINGS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_answer(data: bytes) -> tuple[str, list[dict[str, Any]]]:
    """The text of a file, and a warning where it is none: UTF-8, or what its byte order mark says. Never raises."""
    encoding = next((name for beginning, name in _BEGINNINGS if data.startswith(beginning)), "utf-8")
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="replace")
    message = f"The input is not all UTF-8 text: {text.count(chr(0xFFFD))} places could not be read. Is it a text file?"
    return text, [{"code": "not_text", "message": message, "line": None}]


def parse_text(task_name: str, text: str, width: int, height: int, field_names: Sequence[str] = ()) -> dict[str, Any]:
    """Lines, fields, tables, text and warnings of an answer, as plain JSON values in pixels of width x height.

    Raises:
        BadInput: `unknown_task` or `bad_size`. No text raises.
    """
    task = TASKS.get(task_name)
    if task is None:
        raise BadInput(
            "unknown_task",
            f"There is no task {task_name!r}.",
            f"Choose one of: {', '.join(TASKS)}.",
            task=task_name,
            allowed=", ".join(TASKS),
        )
    if width < 1 or height < 1:
        raise BadInput(
            "bad_size",
            f"A picture cannot be {width} x {height} pixels.",
            "Give the width and height of the picture in pixels, 1 or more.",
            width=width,
            height=height,
        )
    content = dispatch.parse(task, text, (width, height), field_names=field_names).to_dict()
    return {
        "lines": [{key: line[key] for key in ("text", "quad", "confidence")} for line in content["lines"]],
        "fields": [{key: field[key] for key in ("name", "value")} for field in content["fields"]],
        "tables": [{key: table[key] for key in ("html", "grid")} for table in content["tables"]],
        "text": content["text"],
        "warnings": [{key: said[key] for key in ("code", "message", "line")} for said in content["warnings"]],
    }
