"""A page's content as the text of a label, in the shape in which the model answers the template."""

from __future__ import annotations

import json

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.errors import BadInput
from ocr_ui.parsing import spotting_format
from ocr_ui.parsing.spotting_format import Shape
from ocr_ui.scoring.spotting_shapes import shape_of


def label_text(task: Task, content: PageContent, size: tuple[int, int], answer: str = "") -> str:
    """What a model would have to answer for the content to be right.

    Args:
        size: width and height of the picture in pixels.
        answer: of the model; lines with boxes take its shape, and JSON where it has none or cannot hold a line.
    """
    if task is Task.SPOTTING:
        return _spotting(content, size, shape_of(answer))
    if task is Task.FIELDS:
        return json.dumps({field.name: field.value for field in content.fields}, ensure_ascii=False)
    if task is Task.TABLE and content.tables:
        return "\n".join(table.html for table in content.tables)
    return content.text or "\n".join(line.text for line in content.lines)


def _spotting(content: PageContent, size: tuple[int, int], shape: str) -> str:
    try:
        return spotting_format.write(content.lines, Shape(shape or Shape.JSON), size, upright=True)
    except BadInput:
        return spotting_format.write(content.lines, Shape.JSON, size, upright=True)
