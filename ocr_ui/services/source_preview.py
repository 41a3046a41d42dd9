"""What a person types, as it will look and with what is wrong in it."""

from __future__ import annotations

from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.render.markdown import content_html
from ocr_ui.render.problems import PROBLEMS, find_problems


def source_preview(text: str, task: Task) -> dict[str, Any]:
    """`html` is safe markup. Each of the `problems` has its code, English words, offsets in characters, and the line
    and column where it begins, counted from 1."""
    problems = [
        {
            "code": problem.code,
            "message": PROBLEMS[problem.code],
            "start": problem.start,
            "end": problem.end,
            "line": problem.line,
            "column": problem.column,
        }
        for problem in find_problems(text, task)
    ]
    return {"html": content_html(PageContent(text=text), task), "problems": problems}
