"""A page as the answer of a model: the one writer of labels.

Coordinates are thousandths of the picture that the model reads: its own copy where a transform leads there, else the
stored one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from ocr_ui.domain.content import Field, PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Recognition
from ocr_ui.errors import BadInput
from ocr_ui.exports.reasons import NoLabel, Reason
from ocr_ui.images.transform import PictureTransform
from ocr_ui.parsing import loose_json
from ocr_ui.parsing.answers import clean
from ocr_ui.parsing.spotting_format import NO_TEXT, Shape, shape_of
from ocr_ui.parsing.spotting_format import write as write_lines
from ocr_ui.scoring.differences import same

_TABLE = re.compile(r"<table\b[^>]*>.*?</table\s*>", re.IGNORECASE | re.DOTALL)
_MATHS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))
_HAS_TEXTLESS_LABEL = frozenset({Task.SPOTTING, Task.TEXT, Task.DOCUMENT, Task.SUBTITLES})


_shape_of = lru_cache(maxsize=8)(shape_of)
"""The whole answer is looked through: once, not for each of its lines."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a label is written of.

    Attributes:
        recognition: what was asked, and what the model said.
        content: the page as it should have been read.
        stored_size: width and height of the stored picture in pixels.
        transform: from the stored picture to the one that the label's coordinates belong to; None where it is that.
    """

    recognition: Recognition
    content: PageContent
    stored_size: tuple[int, int]
    transform: PictureTransform | None = None

    @property
    def size(self) -> tuple[int, int]:
        return self.transform.engine_size if self.transform else self.stored_size

    @property
    def shape(self) -> Shape:
        """The shape of the model's own answer; where it gave none with a box, the one that its prompt asks for."""
        return _shape_of(self.recognition.generation.text, self.recognition.prompt.text)

    def placed(self, line: TextLine) -> TextLine:
        if self.transform is None or line.quad is None:
            return line
        return replace(line, quad=self.transform.to_engine(line.quad))


def task_of(recognition: Recognition) -> Task:
    """Raises NoLabel: the task is not one of Task."""
    name = recognition.prompt.task
    try:
        return Task(name)
    except ValueError as error:
        told = f"its task {name[:40]!r} has no form of answer"
        raise NoLabel(Reason("no_task", told, {"task": name[:40]})) from error


def write(said: Said, changes: Counter[str] | None = None, reward: bool = False) -> str:
    """The answer that reads as the content, as it stands: nothing is mended but the lines' shape.

    Args:
        changes: counts what had to be written otherwise than it stands on the page.
        reward: the text is compared by a reward, not imitated: where the answer's shape cannot hold a line, JSON does.

    Raises:
        NoLabel: the answer's shape cannot hold what is on the page.
    """
    task = task_of(said.recognition)
    text = _WRITERS.get(task, _plain)(said, Counter() if changes is None else changes, reward)
    if text.strip():
        return text
    if task not in _HAS_TEXTLESS_LABEL:
        raise NoLabel(Reason("label_empty", "its label is empty"))
    return NO_TEXT


def _spotting(said: Said, changes: Counter[str], reward: bool) -> str:
    for number, line in enumerate(said.content.lines, 1):
        if line.quad is None and line.text.strip():
            raise NoLabel(Reason("line_without_box", f"line {number} has no box", {"line": number}))
    lines = [line for line in said.content.lines if line.text.strip()]
    # A box that says nothing holds what nobody can read: no answer is right there, and no line is to be learned.
    illegible = sum(line.quad is not None and not line.text.strip() for line in said.content.lines)
    if illegible and not lines:
        raise NoLabel(Reason("all_illegible", "none of its lines can be read by anybody"))
    changes["illegible_lines_left_out"] += illegible
    placed = [said.placed(line) for line in lines]
    turned = sum(set(line.quad.points) != set(Quad.from_box(line.quad.bounds).points) for line in placed if line.quad)
    shapes = [said.shape]
    if any("\n" in line.text for line in lines) and said.shape is not Shape.JSON:
        if not reward:
            told = f"a line has a line break, which the answer's shape ({said.shape}) cannot hold"
            raise NoLabel(Reason("line_break", told, {"shape": said.shape.value}))
        shapes = []
    if reward:
        shapes.append(Shape.JSON)
    text, shape = _first_that_holds(placed, shapes, said.size)
    changes["turned_boxes_as_upright"] += turned
    changes["labels_as_json"] += shape is Shape.JSON and said.shape is not Shape.JSON
    return text


def _first_that_holds(lines: list[TextLine], shapes: list[Shape], size: tuple[int, int]) -> tuple[str, Shape]:
    for shape in shapes:
        try:
            return write_lines(lines, shape, size, upright=True), shape
        except BadInput as error:
            reason = error
    told = f"the shape of the answer cannot hold it: {reason.message}"
    raise NoLabel(Reason("shape_cannot_hold", told, reason.details))


def _fields(said: Said, changes: Counter[str], reward: bool) -> str:
    fields = said.content.fields
    if not fields:
        raise NoLabel(Reason("no_fields", "it has no fields"))
    names = [field.name for field in fields]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise NoLabel(Reason("field_twice", "two fields have the same name", {"name": twice}))
    return "{" + ", ".join(f"{loose_json.quote(field.name)}: {_value(field)}" for field in fields) + "}"


def _value(field: Field) -> str:
    """A nested value stands in content as its JSON text and goes into the label as that; any other is a string."""
    if field.value is None:
        return "null"
    if field.value[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            json.loads(field.value)
            return field.value
    return loose_json.quote(field.value)


def _document(said: Said, changes: Counter[str], reward: bool) -> str:
    """The whole text; tables that were edited beside it stand in it in their places."""
    text, tables = _plain(said, changes, reward), said.content.tables
    if tables == said.recognition.content.tables or all(table.html in text for table in tables):
        return text
    places = list(_TABLE.finditer(text))
    if len(places) != len(tables):
        raise NoLabel(Reason("tables_apart", "its text and its tables do not belong together"))
    parts, at = [], 0
    for place, table in zip(places, tables, strict=True):
        parts += [text[at : place.start()], table.html]
        at = place.end()
    return "".join([*parts, text[at:]])


def _formula(said: Said, changes: Counter[str], reward: bool) -> str:
    """The formulas, each between the marks that the model put around its own."""
    raw = clean(said.recognition.generation.text).strip()
    opening, closing = next((pair for pair in _MATHS if raw.startswith(pair[0]) and raw.endswith(pair[1])), ("", ""))
    text = _plain(said, changes, reward)
    if not opening or text.startswith(opening):
        return text
    return "\n".join(f"{opening}{row}{closing}" for row in text.split("\n") if row.strip())


def _layout(said: Said, changes: Counter[str], reward: bool) -> str:
    """The model's own answer where it was right: what others should look like is not known."""
    if not same(said.recognition.content, said.content):
        told = "the form of a layout answer is not known, so that only a right one can be a label"
        raise NoLabel(Reason("layout_corrected", told))
    if said.transform is None and said.recognition.transform.get("steps"):
        changes["layouts_in_the_read_pictures_coordinates"] += 1
    return clean(said.recognition.generation.text).strip()


def _plain(said: Said, changes: Counter[str], reward: bool) -> str:
    return (said.content.text or "\n".join(_texts(said.content))).strip("\r\n")


def _texts(content: PageContent) -> Iterable[str]:
    return (line.text for line in content.lines)


_WRITERS: dict[Task, Callable[[Said, Counter[str], bool], str]] = {
    Task.SPOTTING: _spotting,
    Task.FIELDS: _fields,
    Task.TABLE: _document,
    Task.DOCUMENT: _document,
    Task.CHART: _document,
    Task.TRANSLATE: _document,
    Task.FORMULA: _formula,
    Task.LAYOUT: _layout,
}
