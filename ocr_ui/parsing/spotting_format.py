"""Lines with boxes to each of the four shapes in which the model answers: labels for training, and exports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.errors import BadInput
from ocr_ui.parsing import loose_json, spotting_tokens
from ocr_ui.parsing.answers import clean
from ocr_ui.parsing.coordinates import POINTS, SCALE, is_flat
from ocr_ui.parsing.plain import has_boxes

NO_TEXT = "没有文字"
"""The model's answer, and the label, for a page without text."""

_POINTS = re.compile(POINTS)
_JSON_LIST = re.compile(r"\s*(?:```\w*\s*)?\[\s*(?:\{|\])")
_CHAIN_START = re.compile(r"\s*[,，、]\s*[(（]")
"""What goes on with the box before it; a bracket without a comma does not."""


class Shape(StrEnum):
    """tags: ``<ref>text</ref><quad>(x1,y1),(x2,y2)</quad>``; positions: ``<quad><pos_x1>...</quad><ref>text</ref>``;
    bare: ``text(x1,y1),(x2,y2)``; json: a list of ``{"box": [...], "text": "..."}``."""

    TAGS = "tags"
    POSITIONS = "positions"
    BARE = "bare"
    JSON = "json"


def shape_of(answer: str, prompt: str = "") -> Shape:
    """The shape of a model's answer, whatever is wrong with it; of one without a box, what its prompt asks for."""
    raw = clean(answer)
    if _JSON_LIST.match(raw):
        return Shape.JSON
    if "<pos_" in raw:
        return Shape.POSITIONS
    if spotting_tokens.WHOLE_QUAD.search(raw):
        return Shape.TAGS
    if has_boxes(raw) or _ends_in_box(raw):
        return Shape.BARE
    return Shape.JSON if "json" in prompt.lower() else Shape.BARE


def _ends_in_box(text: str) -> bool:
    ends = [found.end() for found in _POINTS.finditer(text)]
    return bool(ends) and ends[-1] == len(text.rstrip())


def write(lines: Sequence[TextLine], shape: Shape, size: tuple[int, int], upright: bool = False) -> str:
    """An answer that reads back to the same lines, with coordinates rounded to thousandths of `size`.

    Two lines of the same text and box read back as one.

    Args:
        size: width and height of the stored picture in pixels.
        upright: a turned quad as the upright box around it; the official scorers know no other.

    Raises:
        BadInput: `not_writable`, a line that the shape cannot hold; JSON can hold every line that says anything.
    """
    if not lines:
        return NO_TEXT
    for index, line in enumerate(lines):
        reason = problem(line, shape, size, upright)
        if shape is Shape.POSITIONS and not reason:
            reason = _order_problem(lines, index)
        if reason:
            raise BadInput(
                "not_writable",
                f"Line {index + 1} cannot be written as {shape.value}: {reason}.",
                "Choose JSON, which can hold any text.",
                line=index + 1,
                shape=shape.value,
            )
    if shape is Shape.JSON:
        return "[" + ",\n".join(_entry(line, size, upright) for line in lines) + "]"
    return "".join(_WRITERS[shape](line.text, _values(line.quad, size, upright)) for line in lines)


def problem(line: TextLine, shape: Shape, size: tuple[int, int], upright: bool = False) -> str:
    """Why the shape cannot hold a line; empty where it can."""
    if line.quad is None and not line.text.strip():
        return "it has neither text nor box"
    if shape is Shape.JSON:
        return ""
    if shape is Shape.BARE:
        return _bare_problem(line, size, upright)
    if line.text != line.text.strip("\r\n"):
        return "it begins or ends with a line break"
    if spotting_tokens.CLOSE_REF.search(line.text) or spotting_tokens.WHOLE_QUAD.search(line.text):
        return "its text holds the tags of the shape"
    return ""


def _order_problem(lines: Sequence[TextLine], index: int) -> str:
    """A text without box before the first box would take that box."""
    if index or lines[0].quad is not None or all(line.quad is None for line in lines):
        return ""
    return "a text without box cannot be the first"


def _bare_problem(line: TextLine, size: tuple[int, int], upright: bool) -> str:
    text = line.text
    if line.quad is None:
        return "it has no box"
    if not text or text != text.strip().strip("\ufeff") or text.startswith("`") or text.endswith("`"):
        return "it begins or ends with what the shape drops"
    if not text.strip("(), ") or text.endswith("("):
        return "the official rule reads no text in it"
    if _CHAIN_START.match(text + "(") or spotting_tokens.holds_token(text):
        return "its text looks like coordinates or tags"
    values = _values(line.quad, size, upright)
    if len(values) == 8 and is_flat(list(zip(values[::2], values[1::2], strict=True))):
        return "its four corners enclose nothing"
    found = _POINTS.search(_bare(text, values))
    return "" if found and found.start() == len(text) else "its text runs into the coordinates"


def _values(quad: Quad | None, size: tuple[int, int], upright: bool) -> list[int]:
    """Two corners, or four points of a quad that is not upright, in thousandths; nothing without a quad."""
    if quad is None:
        return []
    box = quad.bounds
    if upright or quad == Quad.from_box(box):
        points = [(box.left, box.top), (box.right, box.bottom)]
    else:
        points = list(quad.points)
    return [round(value * SCALE / side) for point in points for value, side in zip(point, size, strict=True)]


def _pairs(values: list[int]) -> str:
    return ",".join(f"({x},{y})" for x, y in zip(values[::2], values[1::2], strict=True))


def _tags(text: str, values: list[int]) -> str:
    return f"<ref>{text}</ref>" + (f"<quad>{_pairs(values)}</quad>" if values else "")


def _positions(text: str, values: list[int]) -> str:
    quad = "".join(f"<pos_{value}>" for value in values)
    return (f"<quad>{quad}</quad>" if quad else "") + f"<ref>{text}</ref>"


def _bare(text: str, values: list[int]) -> str:
    return text + _pairs(values)


_WRITERS = {Shape.TAGS: _tags, Shape.POSITIONS: _positions, Shape.BARE: _bare}


def _entry(line: TextLine, size: tuple[int, int], upright: bool) -> str:
    values = _values(line.quad, size, upright)
    box = f'"box": {values}, ' if values else ""
    return f'{{{box}"text": {loose_json.quote(line.text)}}}'
