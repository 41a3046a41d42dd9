"""Whether a label can be scored by the official rules, what stands in the way, and the label without it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from ocr_ui.domain.counted import counted
from ocr_ui.domain.reward import LabelProblem, RewardTask
from ocr_ui.scoring import flat_text
from ocr_ui.scoring.flat_text import flatten
from ocr_ui.scoring.official_fields import read_object
from ocr_ui.scoring.official_spotting import NO_TEXT
from ocr_ui.scoring.spotting_shapes import PAIR, read, rule_shape

_TABLE_ATTRIBUTES = re.compile(r"<table\s[^<>]{0,400}>", re.IGNORECASE)
_COORDINATES = re.compile(r"[(（]\s*\d+\s*[,，]\s*\d+\s*[)）]")
_POINT = r"\(\d+,\d+\)"
_POLYGON = re.compile(rf"<quad>\s*({_POINT}(?:\s*,?\s*{_POINT}){{2,30}})\s*</quad>")
_LOOSE_PAIR = re.compile(rf"({_POINT})[^\S\n]*,?[^\S\n]*({_POINT})")
_NUMBERS = re.compile(r"\d+")
_BROKEN_REF = re.compile(r"<ref>((?:(?!</?ref>)[^\n])*\n(?:(?!</?ref>).)*)</ref>", re.DOTALL)
_ONLY_PUNCTUATION = re.compile(r"[\s(),]*")
_LONGEST_LITERAL = 200_000


def problems(task: RewardTask, label: str) -> list[LabelProblem]:
    """All that is wrong with a label, what matters most first; none for one that can be scored as it was meant.

    A mended label has one problem less; it is checked again for the next.
    """
    if not label.strip():
        mended = NO_TEXT if task is RewardTask.SPOTTING else None
        return [LabelProblem("label_empty", "The label is empty: no answer can be right.", mended)]
    checks = {RewardTask.SPOTTING: _spotting, RewardTask.PARSING: _parsing, RewardTask.IE: _fields}
    return list(checks[task](label)) if task in checks else []


def _spotting(label: str) -> Iterator[LabelProblem]:
    shape = rule_shape(label)
    if NO_TEXT in label and not shape:
        return
    if found := _POLYGON.search(label):
        message = "Only two corners of a box are read, and here are more: the box is taken for another one."
        yield LabelProblem("label_polygon", message, _POLYGON.sub(_two_corners, label), {"box": found[1][:80]})
    if not shape:
        message = "The label is in none of the four shapes of text with boxes: the pair is left out of the training."
        yield LabelProblem("label_shape_unknown", message, _as_json(label))
        return
    if shape == "bare" and (text := _text_of_coordinates(label)):
        message = f"The text {text!r} looks like coordinates: JSON can hold it, this shape cannot."
        yield LabelProblem("label_text_like_coordinates", message, _bare_as_json(label), {"text": text})
    if shape == "tags" and _BROKEN_REF.search(label):
        message = "A text has a line break, and its line is not read."
        yield LabelProblem("label_line_break", message, _BROKEN_REF.sub(_joined, label))
    wanted, got = _entries(label, shape), len(read(label, shape))
    if got < wanted:
        lines = counted(wanted, "line")
        message = f"Only {got} of {lines} of the label can be read: the others count as invented by the model."
        yield LabelProblem("label_lines_unread", message, None, {"read": got, "lines": wanted})


def _parsing(label: str) -> Iterator[LabelProblem]:
    if found := _TABLE_ATTRIBUTES.search(label):
        message = (
            f"The rule finds tables as <table> alone; {found[0][:80]} is overlooked, and the answer counts as wrong."
        )
        yield LabelProblem("label_table_attributes", message, without_attributes(label), {"tag": found[0][:80]})
    if flat_text.without_coordinates(flatten(label)) != flatten(label):
        found = _COORDINATES.search(label)
        told = found[0] if found else ""
        message = f"Coordinates such as {told} are dropped from the answer and not from the label."
        yield LabelProblem("label_coordinates", message, without_coordinates(label) if found else None, {"found": told})


def _fields(label: str) -> Iterator[LabelProblem]:
    value = read_object(label)
    if value is None:
        message = "The label is no JSON object: it is scored as a text, character by character."
        yield LabelProblem("label_no_object", message, _object_of(label))
    elif not value:
        yield LabelProblem("label_no_fields", "The label has no fields: every answer is worth 0.")


# ---- mending


def without_attributes(text: str) -> str:
    """Tables as ``<table>`` alone."""
    return _TABLE_ATTRIBUTES.sub("<table>", text)


def without_coordinates(text: str) -> str:
    return _COORDINATES.sub("", text)


def _two_corners(found: re.Match[str]) -> str:
    values = [int(number) for number in _NUMBERS.findall(found[1])]
    xs, ys = values[::2], values[1::2]
    return f"<quad>({min(xs)},{min(ys)}),({max(xs)},{max(ys)})</quad>"


def _joined(found: re.Match[str]) -> str:
    return f"<ref>{' '.join(found[1].split())}</ref>"


def _as_json(label: str) -> str | None:
    """The label as strict JSON, where it is a list of boxes in Python's or a fence's clothes, or has loose pairs."""
    value = _literal(label)
    entries = value if isinstance(value, list) else [value]
    lines = [
        {"box": [round(float(n)) for n in entry.get("box", entry.get("bbox"))], "text": str(entry.get("text", ""))}
        for entry in entries
        if isinstance(entry, dict) and _is_box(entry.get("box", entry.get("bbox")))
    ]
    if lines and len(lines) == len(entries):
        return _written(lines)
    tight = _LOOSE_PAIR.sub(r"\1,\2", label)
    return tight if tight != label and rule_shape(tight) else None


def _is_box(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 4 and all(isinstance(n, int | float) for n in value)


def _object_of(label: str) -> str | None:
    value = _literal(label)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or not value:
        return None
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return None


def _literal(label: str) -> Any:
    """What stands in a text as JSON or as a Python value, a fence around it left out; None for neither."""
    text = label.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if len(text) > _LONGEST_LITERAL:
        return None
    for reader in (json.loads, ast.literal_eval):
        try:
            return reader(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _text_of_coordinates(label: str) -> str:
    """The first pair of corners that follows another one with nothing said between: part of a text, most likely."""
    start = end = 0
    for found in PAIR.finditer(label):
        if end and _ONLY_PUNCTUATION.fullmatch(label, end, found.start()):
            return label[start:end]
        start, end = found.span()
    return ""


def _bare_as_json(label: str) -> str:
    """Of corners in a row the last are the box, the others belong to the text."""
    lines: list[dict[str, Any]] = []
    end = 0
    found = list(PAIR.finditer(label))
    for at, pair in enumerate(found):
        behind = found[at + 1] if at + 1 < len(found) else None
        if behind is None or not _ONLY_PUNCTUATION.fullmatch(label, pair.end(), behind.start()):
            lines.append({"box": [int(number) for number in pair.groups()], "text": label[end : pair.start()].strip()})
            end = pair.end()
    return _written(lines)


def _written(lines: list[dict[str, Any]]) -> str:
    return "[" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "]"


def _entries(label: str, shape: str) -> int:
    """How many lines with a text and a box the label means to have."""
    if shape == "json":
        return len(json.loads(label))
    return label.count("<ref>") if shape in ("tags", "positions") else len(read(label, shape))
