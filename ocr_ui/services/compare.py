"""Two readings of one picture beside each other: which lines and fields belong together, and where they differ."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import Field, PageContent, TextLine
from ocr_ui.domain.experiment import HIDDEN
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import EngineName
from ocr_ui.domain.review import ErrorKind
from ocr_ui.images.transform import PictureTransform
from ocr_ui.scoring.differences import LinePair, compare
from ocr_ui.scoring.marks import marked_lines
from ocr_ui.scoring.metrics import name_of, same_value, written
from ocr_ui.scoring.pairing import SAME_PLACE
from ocr_ui.scoring.segments import Segment, segments
from ocr_ui.scoring.text import Normalization, edit_distance
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import Annotator, Item
from ocr_ui.services.preferences import other_pictures
from ocr_ui.storage.records import ReadingRow
from ocr_ui.storage.store import Store

STATES = ("same", "alike", "text", "box", "order", "left", "right")
"""How two rows stand to each other: the same; written otherwise, and equal to a score; another text; the same text in
another place, or in another order; there is such a row on the left alone, or on the right alone."""


_HIDDEN = EngineName(HIDDEN)


@dataclass(frozen=True, slots=True)
class Row:
    """A line, a field or a row of a table in both readings.

    Attributes:
        name: of a field; empty elsewhere.
        left, right: the text in pieces, each marked where the other differs; None where there is no such row, or where
            the field is absent from the picture.
        left_quad, right_quad: in pixels of the picture that both read.
        state: one of STATES.
    """

    name: str
    left: tuple[Segment, ...] | None
    right: tuple[Segment, ...] | None
    left_quad: Quad | None
    right_quad: Quad | None
    state: str


@dataclass(frozen=True, slots=True)
class Section:
    """Rows of one kind: fields, lines, tables or text. Text is there beside lines only where it says more than they."""

    kind: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Attributes:
    left, right: both items as they were left: corrected where somebody has corrected them.
    edit_distance: in characters, see `ocr_ui.scoring.differences.compare`.
    """

    left: Item
    right: Item
    sections: tuple[Section, ...]
    edit_distance: int

    @property
    def page(self) -> Page:
        return self.left.page.page


class Comparer:
    """Compares readings of a store."""

    def __init__(self, store: Store, annotator: Annotator) -> None:
        self._store, self._annotator = store, annotator

    @needs(Action.READ)
    async def compare(self, left_id: int, right_id: int) -> Comparison:
        """Raises NotFound (`unknown_recognition`), BadInput (`not_the_same_picture`)."""
        left, right = await self._annotator.open_item(left_id), await self._annotator.open_item(right_id)
        if left.page.page.sha256 != right.page.page.sha256:
            raise other_pictures(left_id, right_id)
        return await asyncio.to_thread(compare_items, left, right)

    @needs(Action.READ)
    async def readings(self, recognition_id: int) -> list[ReadingRow]:
        """The newest readings of the page of an item, itself among them. Raises NotFound (`unknown_recognition`)."""
        return await asyncio.to_thread(self._readings, recognition_id)

    def _readings(self, recognition_id: int) -> list[ReadingRow]:
        rows = self._store.recognitions.of_same_page(recognition_id)
        hidden = self._store.experiments.hidden([row.id for row in rows])
        return [_masked(row, hidden[row.id]) if row.id in hidden else row for row in rows]


def compare_items(left: Item, right: Item) -> Comparison:
    return Comparison(left, right, *sections_of(left.content, right.content))


def sections_of(
    left: PageContent, right: PageContent, scored: Normalization | None = None
) -> tuple[tuple[Section, ...], int]:
    """The rows of two readings of one picture, and their edit distance in characters.

    Args: scored: marks what a score under this normalisation counts; None: every difference as it is written. Tables
        are scored as they are written.
    """
    ours, theirs = _comparable(left), _comparable(right)
    difference = compare(ours, theirs)
    if scored is not None:
        own = [tuple(map(TextLine, _own_text(side))) for side in (ours, theirs)]
        found = (
            Section("fields", tuple(_scored_fields(ours.fields, theirs.fields, scored))),
            Section("lines", tuple(_scored_lines(ours.lines, theirs.lines, scored))),
            Section("tables", _text_rows(_cells(ours), _cells(theirs))),
            Section("text", tuple(_scored_lines(*own, scored))),
        )
        return tuple(section for section in found if section.rows), _scored_distance(left, right, scored)
    found = (
        Section("fields", tuple(_field_rows(ours.fields, theirs.fields))),
        Section("lines", tuple(_line_row(pair) for pair in difference.pairs if ours.lines or theirs.lines)),
        Section("tables", _text_rows(_cells(ours), _cells(theirs))),
        Section("text", _text_rows(_own_text(ours), _own_text(theirs))),
    )
    return tuple(section for section in found if section.rows), difference.edit_distance


def _comparable(content: PageContent) -> PageContent:
    """Lines without ids, which two readings both count from 0; the text as lines where an engine gives no lines."""
    lines = content.lines or tuple(TextLine(text) for text in content.text.split("\n") if text.strip())
    return replace(content, lines=tuple(replace(line, id="") for line in lines))


def _own_text(content: PageContent) -> list[str]:
    """The text by lines, where it is more than the lines one after the other."""
    said = [text for text in content.text.split("\n") if text.strip()]
    return [] if said == [line.text for line in content.lines if line.text.strip()] else said


def _cells(content: PageContent) -> list[str]:
    return [" | ".join(row) for table in content.tables for row in table.grid]


def _text_rows(left: Iterable[str], right: Iterable[str]) -> tuple[Row, ...]:
    ours, theirs = (PageContent(lines=tuple(TextLine(text) for text in texts)) for texts in (left, right))
    return tuple(_line_row(pair) for pair in compare(ours, theirs).pairs)


def _line_row(pair: LinePair) -> Row:
    left, right = pair.model, pair.human
    pieces = segments(left.text, right.text) if left and right else (_alone(left), _alone(right))
    return Row("", *pieces, left.quad if left else None, right.quad if right else None, _line_state(pair))


def _alone(line: TextLine | None) -> tuple[Segment, ...] | None:
    return None if line is None else ((line.text, True),)


def _line_state(pair: LinePair) -> str:
    if pair.model is None or pair.human is None:
        return "left" if pair.model else "right"
    if pair.model.text != pair.human.text:
        return "text"
    if ErrorKind.WRONG_ORDER in pair.kinds:
        return "order"
    return "box" if pair.iou is not None and pair.iou < SAME_PLACE else "same"


def _field_rows(left: Sequence[Field], right: Sequence[Field]) -> Iterator[Row]:
    ours, theirs = {field.name: field for field in left}, {field.name: field for field in right}
    for name in dict.fromkeys((*ours, *theirs)):
        yield _field_row(name, ours.get(name), theirs.get(name))


def _field_row(name: str, left: Field | None, right: Field | None) -> Row:
    one, other = left.value if left else None, right.value if right else None
    if one is None or other is None:
        state = "same" if one is other else "right" if one is None else "left"
        pieces = tuple(None if value is None else ((value, True),) for value in (one, other))
    else:
        state = "same" if one == other else "text"
        pieces = segments(one, other)
    return Row(name, *pieces, left.quad if left else None, right.quad if right else None, state)


def _scored_lines(left: Sequence[TextLine], right: Sequence[TextLine], normalization: Normalization) -> Iterator[Row]:
    pieces = marked_lines([line.text for line in left], [line.text for line in right], normalization)
    told = {id(line): said for line, said in zip((*left, *right), (*pieces[0], *pieces[1]), strict=True)}
    for pair in compare(PageContent(lines=tuple(left)), PageContent(lines=tuple(right))).pairs:
        sides = tuple(told[id(line)] if line else None for line in (pair.model, pair.human))
        quads = (line.quad if line else None for line in (pair.model, pair.human))
        yield Row("", *sides, *quads, _scored_state(pair, sides))


def _scored_state(pair: LinePair, sides: Iterable[tuple[Segment, ...] | None]) -> str:
    state = _line_state(pair)
    if any(differs for pieces in sides for _, differs in pieces or ()):
        return "text" if state in ("same", "box") else state
    if state in ("text", "left", "right"):
        return "alike"
    return "same" if state == "order" else state


def _scored_fields(left: Sequence[Field], right: Sequence[Field], normalization: Normalization) -> Iterator[Row]:
    ours, theirs = ({name_of(field): field for field in side} for side in (left, right))
    for name in dict.fromkeys((*ours, *theirs)):
        one, other = ours.get(name), theirs.get(name)
        row = _field_row((one or other).name, one, other)  # type: ignore[union-attr]
        if row.state == "text":
            ([mine], [its]) = marked_lines([one.value], [other.value], normalization)  # type: ignore[union-attr]
            state = "alike" if same_value(one.value, other.value, normalization) else "text"  # type: ignore[union-attr]
            row = replace(row, left=mine, right=its, state=state)
        yield row


def _scored_distance(left: PageContent, right: PageContent, normalization: Normalization) -> int:
    """As `differences.compare` has it: of the text, where that is equal of the fields, then of the cells."""

    def texts(content: PageContent) -> Iterator[str]:
        yield normalization(written(content))
        yield "\n".join(normalization(field.value or "") for field in content.fields)
        yield "\n".join(_cells(content))

    pairs = zip(texts(left), texts(right), strict=True)
    return next((edit_distance(one, other) for one, other in pairs if one != other), 0)


def _masked(row: ReadingRow, template: str) -> ReadingRow:
    """Of an arm that nobody may know yet: its size might give it away. Args: template: as asked for."""
    return replace(row, template=template, engine=_HIDDEN, transform={})


def _copy_size(transform: Mapping[str, Any]) -> list[int] | None:
    """Width and height of the copy that was read; None where nothing is recorded."""
    read = PictureTransform.recorded(transform)
    return list(read.scaled[1]) if read else None


def reading_value(row: ReadingRow) -> dict[str, Any]:
    """A reading for the page's list of those that can be compared."""
    return {
        "id": row.id,
        "engine": row.engine.title,
        "engine_name": row.engine.name or row.engine.kind,
        "template": row.template,
        "outcome": row.outcome,
        "size": _copy_size(row.transform),
        "created_at": row.created_at.isoformat(),
    }


def comparison_value(comparison: Comparison) -> dict[str, Any]:
    """Plain JSON values, for the page."""
    page = comparison.page
    return {
        "picture": {"url": f"/pictures/{page.sha256}", "width": page.width, "height": page.height, "name": page.name},
        "left": _side(comparison.left),
        "right": _side(comparison.right),
        "edit_distance": comparison.edit_distance,
        "sections": [{"kind": s.kind, "rows": [row_value(row) for row in s.rows]} for s in comparison.sections],
    }


def _side(item: Item) -> dict[str, Any]:
    recognition = item.recognition.recognition
    engine, template, transform = recognition.engine, recognition.prompt.template, recognition.transform
    if item.arm and item.arm_hidden:
        engine, template, transform = _HIDDEN, item.arm.asked_template, {}
    return {
        "id": item.recognition.id,
        "engine": engine.title,
        "engine_version": engine.version,
        "model": engine.model,
        "revision": engine.revision,
        "template": template,
        "size": _copy_size(transform),
        "created_at": item.recognition.created_at.isoformat(),
        "outcome": recognition.outcome,
        "seconds": recognition.generation.seconds,
        "version": item.correction.correction.version if item.correction else 0,
    }


def row_value(row: Row) -> dict[str, Any]:
    """Plain JSON values, for the page."""
    return {
        "name": row.name,
        "left": _pieces(row.left),
        "right": _pieces(row.right),
        "left_quad": _points(row.left_quad),
        "right_quad": _points(row.right_quad),
        "state": row.state,
    }


def _pieces(pieces: tuple[Segment, ...] | None) -> list[list[Any]] | None:
    return None if pieces is None else [list(piece) for piece in pieces]


def _points(quad: Quad | None) -> list[list[float]] | None:
    return None if quad is None else [list(point) for point in quad.points]
