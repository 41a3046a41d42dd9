"""What stands on a page, as a model read it or as a person corrected it: one type for both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ocr_ui.domain.calibration import CELL, LINE, field_part
from ocr_ui.domain.geometry import Quad

WARNING_CODES = (
    "truncated",
    "repeated",
    "clamped",
    "reversed",
    "degenerate",
    "bad_box",
    "unparsed",
    "duplicate_key",
    "repaired",
    "empty",
    "mixed_format",
    "ragged",
    "limit",
)
"""Codes of what went wrong while model output was parsed. Other parts of the product add codes of their own."""


@dataclass(frozen=True, slots=True)
class ContentWarning:
    """One thing that a person should know about a result.

    Attributes:
        code: one of WARNING_CODES, or a code of another part (the door for pictures, an engine).
        message: an English sentence; the page shows its own wording for codes that it knows.
        line: index into `PageContent.lines` of the line concerned, or None.
        details: the values that the sentence speaks of (plain JSON), for sentences in other languages.
    """

    code: str
    message: str
    line: int | None = None
    details: dict[str, Any] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, without details where there are none."""
        told = {"code": self.code, "message": self.message, "line": self.line}
        return {**told, "details": self.details} if self.details else told

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ContentWarning:
        """Reads what `to_dict` gives."""
        details = dict(data.get("details") or {})
        return cls(str(data["code"]), str(data.get("message", "")), data.get("line"), details)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text.

    Attributes:
        text: exactly as read or typed; never markup.
        quad: in pixels of the stored picture; None where no box can be trusted.
        confidence: 0..1, or None where the engine gives none; of a model the mean of its tokens' probabilities.
        lowest: the probability of the least sure token, 0..1; None where the engine does not answer in tokens.
        id: unique within its PageContent and stable under edits; empty until `PageContent.with_ids`.
    """

    text: str
    quad: Quad | None = None
    confidence: float | None = None
    id: str = ""
    lowest: float | None = None


@dataclass(frozen=True, slots=True)
class TextRegion:
    """A block of the layout: title, text, table, figure, formula, header or footer."""

    kind: str
    quad: Quad | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A named value.

    Attributes:
        name: as it was asked for.
        value: the text as read; None where the field is absent from the picture.
        quad: where the value stands; None where unknown.
        confidence, lowest: as of a line.
        kind: text, amount, date, number, time or rate.
        alternatives: other values seen under the same name (a duplicated key).
    """

    name: str
    value: str | None
    quad: Quad | None = None
    confidence: float | None = None
    kind: str = "text"
    alternatives: tuple[str, ...] = ()
    lowest: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table as clean HTML and as a grid of cell texts (a spanned cell's text stands in each slot it covers).

    Attributes:
        confidences: for each cell of the HTML, in its order, the mean and the lowest probability of its tokens, or
            None; empty where the engine gives none.
    """

    html: str
    grid: tuple[tuple[str, ...], ...] = ()
    quad: Quad | None = None
    confidences: tuple[tuple[float, float] | None, ...] = ()


Part = TypeVar("Part", TextLine, TextRegion, Field, Table)


@dataclass(frozen=True, slots=True)
class PageContent:
    """All that a page says. Coordinates are pixels of the stored, upright, full-size picture.

    Attributes:
        lines: in reading order.
        regions: layout blocks in reading order.
        fields: in the order asked for.
        tables: in reading order.
        text: the whole as text (lines joined by a line feed) or, for document tasks, as Markdown.
        warnings: what a person should know.
    """

    lines: tuple[TextLine, ...] = ()
    regions: tuple[TextRegion, ...] = ()
    fields: tuple[Field, ...] = ()
    tables: tuple[Table, ...] = ()
    text: str = ""
    warnings: tuple[ContentWarning, ...] = field(default=())

    def with_ids(self) -> PageContent:
        """The same content with an id for each line that has none (`l0`, `l1`, ... skipping ids in use)."""
        used = {line.id for line in self.lines if line.id}
        fresh = (f"l{n}" for n in range(len(self.lines) + len(used) + 1) if f"l{n}" not in used)
        return replace(self, lines=tuple(line if line.id else replace(line, id=next(fresh)) for line in self.lines))

    @property
    def least_confidence(self) -> float | None:
        """That of the least sure line, field or cell; None where the engine gives none."""
        return min((confidence for _, confidence in self.confidences), default=None)

    @property
    def confidences(self) -> Iterator[tuple[str, float]]:
        """All that there are, each with the part of the page that it is of, see `ocr_ui.domain.calibration`."""
        entries = [*((LINE, line) for line in self.lines), *((field_part(one.kind), one) for one in self.fields)]
        yield from ((part, entry.confidence) for part, entry in entries if entry.confidence is not None)
        yield from ((CELL, pair[0]) for table in self.tables for pair in table.confidences if pair)

    def placed(self, place: Callable[[Quad], Quad]) -> PageContent:
        """The same content with each quad at another place."""
        return replace(
            self,
            lines=tuple(_placed(line, place) for line in self.lines),
            regions=tuple(_placed(region, place) for region in self.regions),
            fields=tuple(_placed(field, place) for field in self.fields),
            tables=tuple(_placed(table, place) for table in self.tables),
        )

    def with_warnings(self, *warnings: ContentWarning) -> PageContent:
        return replace(self, warnings=self.warnings + warnings)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; `from_dict` reads them back to an equal PageContent."""
        return {
            "lines": [
                {
                    "id": line.id,
                    "text": line.text,
                    "quad": _points(line.quad),
                    "confidence": line.confidence,
                    **_lowest(line),
                }
                for line in self.lines
            ],
            "regions": [{"kind": r.kind, "quad": _points(r.quad), "text": r.text} for r in self.regions],
            "fields": [
                {
                    "name": f.name,
                    "value": f.value,
                    "quad": _points(f.quad),
                    "confidence": f.confidence,
                    "kind": f.kind,
                    "alternatives": list(f.alternatives),
                    **_lowest(f),
                }
                for f in self.fields
            ],
            "tables": [
                {
                    "html": t.html,
                    "grid": [list(row) for row in t.grid],
                    "quad": _points(t.quad),
                    **({"confidences": [pair and list(pair) for pair in t.confidences]} if t.confidences else {}),
                }
                for t in self.tables
            ],
            "text": self.text,
            "warnings": [warning.to_dict() for warning in self.warnings],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PageContent:
        """Reads what `to_dict` gives; missing parts are empty.

        Raises:
            ValueError, TypeError, KeyError: the data does not have this shape.
        """
        return cls(
            lines=tuple(
                TextLine(
                    str(d["text"]), _quad(d.get("quad")), d.get("confidence"), str(d.get("id", "")), d.get("lowest")
                )
                for d in data.get("lines", ())
            ),
            regions=tuple(
                TextRegion(str(d["kind"]), _quad(d.get("quad")), str(d.get("text", "")))
                for d in data.get("regions", ())
            ),
            fields=tuple(
                Field(
                    str(d["name"]),
                    None if d.get("value") is None else str(d["value"]),
                    _quad(d.get("quad")),
                    d.get("confidence"),
                    str(d.get("kind", "text")),
                    tuple(str(value) for value in d.get("alternatives", ())),
                    d.get("lowest"),
                )
                for d in data.get("fields", ())
            ),
            tables=tuple(
                Table(
                    str(d["html"]),
                    tuple(tuple(str(cell) for cell in row) for row in d.get("grid", ())),
                    _quad(d.get("quad")),
                    tuple(None if pair is None else _pair(*pair) for pair in d.get("confidences", ())),
                )
                for d in data.get("tables", ())
            ),
            text=str(data.get("text", "")),
            warnings=tuple(ContentWarning.from_dict(d) for d in data.get("warnings", ())),
        )


def _placed(part: Part, place: Callable[[Quad], Quad]) -> Part:
    return part if part.quad is None else replace(part, quad=place(part.quad))


def _lowest(entry: TextLine | Field) -> dict[str, float]:
    """Named only where it is known: most engines do not answer in tokens."""
    return {} if entry.lowest is None else {"lowest": entry.lowest}


def _pair(mean: float, lowest: float) -> tuple[float, float]:
    return mean, lowest


def _points(quad: Quad | None) -> list[list[float]] | None:
    return None if quad is None else [list(point) for point in quad.points]


def _quad(points: Any) -> Quad | None:
    return None if points is None else Quad.from_points(points)
