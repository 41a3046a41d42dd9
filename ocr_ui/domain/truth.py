"""What is known of a page before anybody reads it: the right answer, in as many parts as somebody has written down."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ocr_ui.domain.content import Field, TextLine
from ocr_ui.domain.prompt import Task

WHOLE_TEXT = frozenset({Task.SPOTTING, Task.TEXT, Task.DOCUMENT, Task.SUBTITLES})
"""Tasks whose answer is the text of the page."""


class FactKind(StrEnum):
    PRESENT = "present"
    ABSENT = "absent"
    ORDER = "order"
    """One text stands before another."""
    CELL = "cell"
    """A cell of a table holds a text, with others beside it."""
    MATH = "math"
    """A formula stands on the page, blanks aside."""


CELL_SIDES = ("up", "down", "left", "right", "top_heading", "left_heading")
"""Where another cell stands that a fact names: beside this one, or anywhere above it, or anywhere left of it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that must hold of what is read, whatever else is right or wrong.

    Attributes:
        text: that must be there or not; of an order, that stands first; of a cell, that it holds.
        then: of an order, what stands behind.
        around: of a cell, the texts of others, by CELL_SIDES.
        most_diffs: characters that may differ where `text` is looked for.
        case: letters of either case are different.
    """

    kind: FactKind
    text: str
    then: str = ""
    around: dict[str, str] = field(default_factory=dict, hash=False)
    most_diffs: int = 0
    case: bool = True

    def to_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = {"kind": self.kind.value, "text": self.text}
        optional = {"then": self.then, "around": self.around, "most_diffs": self.most_diffs}
        return {**told, **{name: value for name, value in optional.items() if value}, "case": self.case}


@dataclass(frozen=True, slots=True)
class Truth:
    """Parts that nobody has written down are None; an empty part says that there is nothing of the kind.

    Attributes:
        text: of the whole page, lines in reading order joined by line feeds.
        lines: with their boxes, in pixels of the picture as it was handed in, turned as its file says.
        tables: as HTML.
        formulas: as LaTeX.
        answers: of tasks whose answer is another text than the page's (a translation), by the task.
    """

    text: str | None = None
    lines: tuple[TextLine, ...] | None = None
    fields: tuple[Field, ...] | None = None
    tables: tuple[str, ...] | None = None
    formulas: tuple[str, ...] | None = None
    answers: dict[Task, str] = field(default_factory=dict, hash=False)
    facts: tuple[Fact, ...] = ()

    def answer(self, task: Task) -> str | None:
        """The text that is the right answer to a task; None where it is unknown or the answer is no running text."""
        return self.answers.get(task, self.text if task in WHOLE_TEXT else None)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: what a checksum of a test set is taken over."""
        quads = None if self.lines is None else [(one.text, one.quad and one.quad.points) for one in self.lines]
        return {
            "text": self.text,
            "lines": quads,
            "fields": None if self.fields is None else [(one.name, one.value) for one in self.fields],
            "tables": self.tables,
            "formulas": self.formulas,
            "answers": {task.value: text for task, text in self.answers.items()},
            "facts": [fact.to_dict() for fact in self.facts],
        }
