"""The label of an item as text: what the model would have had to say, in the shape of its own answers.

Coordinates are thousandths of the picture that a trainer gets: the copy that the model read where that is exported,
else the stored one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

from ocr_ui.domain.content import Field, PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.review import State, Verdict
from ocr_ui.domain.reward import OF_TASK
from ocr_ui.errors import BadInput
from ocr_ui.exports.sample import Notes, Sample
from ocr_ui.parsing import loose_json, spotting_tokens
from ocr_ui.parsing.answers import clean
from ocr_ui.parsing.plain import has_boxes
from ocr_ui.parsing.spotting_format import NO_TEXT, Shape, write
from ocr_ui.scoring.differences import same
from ocr_ui.scoring.labels import problems

_JSON_SHAPE = re.compile(r"\s*(?:```\w*\s*)?\[\s*(?:\{|\])")
_TABLE = re.compile(r"<table\b[^>]*>.*?</table\s*>", re.IGNORECASE | re.DOTALL)
_TABLE_TAG = re.compile(r"<table\s[^>]*>", re.IGNORECASE)
_MATHS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))
_HAS_TEXTLESS_LABEL = frozenset({Task.SPOTTING, Task.TEXT, Task.DOCUMENT, Task.SUBTITLES})


class NoLabel(Exception):
    """The item has no label; the message says why, and what would give it one."""


def task_of(sample: Sample) -> Task:
    """Raises NoLabel: the task is not one of Task."""
    try:
        return Task(sample.recognition.prompt.task)
    except ValueError as error:
        raise NoLabel(f"its task {sample.recognition.prompt.task[:40]!r} has no form of answer") from error


def judged(sample: Sample) -> PageContent:
    """The page as a person says it is.

    Raises:
        NoLabel: nobody has said it, or somebody has said that it must not be used.
    """
    review = sample.review
    if review.state is State.SKIPPED:
        raise NoLabel("it was skipped in the review")
    if review.state is State.REJECTED:
        raise NoLabel("it was rejected in the review")
    if review.verdict is None:
        raise NoLabel("it has a correction without a verdict" if sample.correction else "nobody has judged it")
    if review.verdict is Verdict.WRONG and sample.correction is None:
        raise NoLabel("it was judged wrong and not corrected")
    return sample.label


def label(sample: Sample, notes: Notes, reward: bool = False) -> str:
    """The text that the model should have answered with.

    Args:
        notes: told what had to be written otherwise than it stands on the page.
        reward: the label is compared by a reward, not imitated: any shape that the reward reads will do, and what the
            official rules cannot score is no label.

    Raises:
        NoLabel: see `judged`; or the answer's shape cannot hold what is on the page.
    """
    task, content = task_of(sample), judged(sample)
    text = _WRITERS.get(task, _plain)(sample, content, notes, reward)
    if not text.strip():
        if task not in _HAS_TEXTLESS_LABEL:
            raise NoLabel("its label is empty")
        return NO_TEXT
    text, tags = _TABLE_TAG.subn("<table>", text)
    notes.changes["table_attributes_dropped"] += tags
    if reward and (found := problems(OF_TASK[task], text)):
        raise NoLabel(f"its label cannot be scored: {found[0].message}")
    return text


def shape_of(sample: Sample) -> Shape:
    """The shape of the model's own answer; where it gave none with a box, the one that its prompt asks for."""
    raw = clean(sample.recognition.generation.text)
    if _JSON_SHAPE.match(raw):
        return Shape.JSON
    if "<pos_" in raw:
        return Shape.POSITIONS
    if spotting_tokens.WHOLE_QUAD.search(raw):
        return Shape.TAGS
    if has_boxes(raw):
        return Shape.BARE
    return Shape.JSON if "json" in sample.recognition.prompt.text.lower() else Shape.BARE


def _spotting(sample: Sample, content: PageContent, notes: Notes, reward: bool) -> str:
    lines = [line for line in content.lines if line.quad or line.text.strip()]
    for number, line in enumerate(lines, 1):
        if line.quad is None:
            raise NoLabel(f"line {number} has no box")
    placed, size = [_placed(line, sample) for line in lines], _size(sample)
    turned = sum(set(line.quad.points) != set(Quad.from_box(line.quad.bounds).points) for line in placed if line.quad)
    shapes = [shape_of(sample)]
    if any("\n" in line.text for line in lines) and shapes[0] is not Shape.JSON:
        if not reward:
            raise NoLabel(f"a line has a line break, which the answer's shape ({shapes[0]}) cannot hold")
        shapes = []
    if reward:
        shapes.append(Shape.JSON)
    text = _first_that_holds(placed, shapes, size)
    notes.changes["turned_boxes_as_upright"] += turned
    notes.changes["labels_as_json"] += _JSON_SHAPE.match(text) is not None and shape_of(sample) is not Shape.JSON
    return text


def _first_that_holds(lines: list[TextLine], shapes: list[Shape], size: tuple[int, int]) -> str:
    for shape in shapes:
        try:
            return write(lines, shape, size, upright=True)
        except BadInput as error:
            reason = error.message
    raise NoLabel(f"the shape of the answer cannot hold it: {reason}")


def _placed(line: TextLine, sample: Sample) -> TextLine:
    if sample.transform is None or line.quad is None:
        return line
    return replace(line, quad=sample.transform.to_engine(line.quad))


def _size(sample: Sample) -> tuple[int, int]:
    """Width and height of the picture that is exported."""
    return sample.transform.engine_size if sample.transform else (sample.page.width, sample.page.height)


def _fields(sample: Sample, content: PageContent, notes: Notes, reward: bool) -> str:
    if not content.fields:
        raise NoLabel("it has no fields")
    names = [field.name for field in content.fields]
    if len(set(names)) < len(names):
        raise NoLabel("two fields have the same name")
    return "{" + ", ".join(f"{loose_json.quote(field.name)}: {_value(field)}" for field in content.fields) + "}"


def _value(field: Field) -> str:
    """A nested value stands in content as its JSON text and goes into the label as that; any other is a string."""
    if field.value is None:
        return "null"
    if field.value[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            json.loads(field.value)
            return field.value
    return loose_json.quote(field.value)


def _document(sample: Sample, content: PageContent, notes: Notes, reward: bool) -> str:
    """The whole text; tables that were edited beside it stand in it in their places."""
    text = _plain(sample, content, notes, reward)
    if content.tables == sample.recognition.content.tables or all(table.html in text for table in content.tables):
        return text
    places = list(_TABLE.finditer(text))
    if len(places) != len(content.tables):
        raise NoLabel("its text and its tables do not belong together")
    parts, at = [], 0
    for place, table in zip(places, content.tables, strict=True):
        parts += [text[at : place.start()], table.html]
        at = place.end()
    return "".join([*parts, text[at:]])


def _formula(sample: Sample, content: PageContent, notes: Notes, reward: bool) -> str:
    """The formulas, each between the marks that the model put around its own."""
    raw = clean(sample.recognition.generation.text).strip()
    opening, closing = next((pair for pair in _MATHS if raw.startswith(pair[0]) and raw.endswith(pair[1])), ("", ""))
    text = _plain(sample, content, notes, reward)
    if not opening or text.startswith(opening):
        return text
    return "\n".join(f"{opening}{row}{closing}" for row in text.split("\n") if row.strip())


def _layout(sample: Sample, content: PageContent, notes: Notes, reward: bool) -> str:
    """The model's own answer where it was right: what others should look like is not known."""
    if not same(sample.recognition.content, content):
        raise NoLabel("the form of a layout answer is not known, so that only a right one can be a label")
    if sample.transform is None and sample.recognition.transform.get("steps"):
        notes.changes["layouts_in_the_read_pictures_coordinates"] += 1
    return clean(sample.recognition.generation.text).strip()


def _plain(sample: Sample, content: PageContent, notes: Notes, reward: bool) -> str:
    return (content.text or "\n".join(_texts(content))).strip("\r\n")


def _texts(content: PageContent) -> Iterable[str]:
    return (line.text for line in content.lines)


_WRITERS: dict[Task, Callable[[Sample, PageContent, Notes, bool], str]] = {
    Task.SPOTTING: _spotting,
    Task.FIELDS: _fields,
    Task.TABLE: _document,
    Task.DOCUMENT: _document,
    Task.CHART: _document,
    Task.TRANSLATE: _document,
    Task.FORMULA: _formula,
    Task.LAYOUT: _layout,
}
