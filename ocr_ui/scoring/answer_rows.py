"""Where several answers about one picture differ: line by line, each beside the line of the label that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.scoring.pairing import SAME_PLACE, pair_lines


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A line, a field or a row of a table.

    Attributes:
        label: what the label says; None where it has no such row.
        texts: what each answer says; None where it has no such row.
        quad: where it stands, in pixels of the stored picture; None where nobody knows.
        place: the answers put it in different places of the picture.
        quads: where each answer puts it.
    """

    label: str | None
    texts: tuple[str | None, ...]
    quad: Quad | None
    place: bool = False
    quads: tuple[Quad | None, ...] = ()

    @property
    def differs(self) -> bool:
        return self.place or len(set(self.texts)) > 1


def answer_rows(label: PageContent, answers: Sequence[PageContent]) -> tuple[AnswerRow, ...]:
    """Rows in the order of the label; what only answers have stands behind the rows of the label.

    Costs one comparison of lines an answer, and one more for what the label lacks.
    """
    return (*_fields(label, answers), *_lines(_rows(label), [_rows(answer) for answer in answers]))


def _rows(content: PageContent) -> tuple[TextLine, ...]:
    """The lines, or the text by lines where there are none; then the rows of tables that the text does not hold."""
    lines = content.lines or tuple(TextLine(text) for text in content.text.split("\n") if text.strip())
    cells = tuple(TextLine(" | ".join(row)) for table in content.tables for row in table.grid if not content.text)
    return tuple(replace(line, id="") for line in (*lines, *cells))


def _fields(label: PageContent, answers: Sequence[PageContent]) -> Iterator[AnswerRow]:
    said = [{field.name: field for field in content.fields} for content in (label, *answers)]
    for name in dict.fromkeys(name for fields in said for name in fields):
        found = [fields.get(name) for fields in said]
        texts = [None if field is None else f"{name}: {'' if field.value is None else field.value}" for field in found]
        quad = next((field.quad for field in found if field and field.quad), None)
        quads = tuple(field.quad if field else None for field in found[1:])
        yield AnswerRow(texts[0], tuple(texts[1:]), quad, quads=quads)


def _lines(label: Sequence[TextLine], answers: Sequence[Sequence[TextLine]]) -> Iterator[AnswerRow]:
    found: list[list[TextLine | None]] = [[None] * len(answers) for _ in label]
    beside: list[tuple[TextLine, list[TextLine | None]]] = []
    for number, lines in enumerate(answers):
        lacking = []
        for ours, theirs in pair_lines(lines, label):
            if ours is not None and theirs is not None:
                found[theirs][number] = lines[ours]
            elif ours is not None:
                lacking.append(lines[ours])
        _beside(beside, lacking, number, len(answers))
    for line, row in zip(label, found, strict=True):
        yield _row(line, row)
    for _, row in beside:
        yield _row(None, row)


def _beside(
    rows: list[tuple[TextLine, list[TextLine | None]]], lines: Sequence[TextLine], number: int, answers: int
) -> None:
    """Puts lines that the label lacks beside those of the answers before them."""
    known = [first for first, _ in rows]
    for ours, theirs in pair_lines(lines, known):
        if ours is None:
            continue
        if theirs is None:
            rows.append((lines[ours], [None] * answers))
            rows[-1][1][number] = lines[ours]
        else:
            rows[theirs][1][number] = lines[ours]


def _row(label: TextLine | None, lines: Sequence[TextLine | None]) -> AnswerRow:
    quads = [line.quad for line in lines if line is not None and line.quad is not None]
    quad = label.quad if label is not None and label.quad is not None else next(iter(quads), None)
    texts = tuple(None if line is None else line.text for line in lines)
    own = tuple(None if line is None else line.quad for line in lines)
    return AnswerRow(label.text if label is not None else None, texts, quad, _apart(quads), own)


def _apart(quads: Iterable[Quad]) -> bool:
    bounds = [quad.bounds for quad in quads]
    return any(bounds[0].iou(other) < SAME_PLACE for other in bounds[1:])
