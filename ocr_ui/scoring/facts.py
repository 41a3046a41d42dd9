"""Facts about a page: texts that must or must not be there, their order, what a cell of a table holds.

All is looked for under the normalisation of the evaluation, and white space never counts: where a line ends is no fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rapidfuzz import fuzz

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.truth import CELL_SIDES, Fact, FactKind
from ocr_ui.errors import BadInput
from ocr_ui.scoring.text import Normalization

_MATH_MARKS = str.maketrans("", "", "$")
_NAMES = {"table": FactKind.CELL, **{kind.value: kind for kind in FactKind}}


def read_fact(data: dict[str, Any]) -> Fact:
    """A fact as test sets write it: `{"type": "present", "text": ...}`, `{"type": "order", "before", "after"}`,
    `{"type": "table" or "cell", "cell", "up", "down", "left", "right", "top_heading", "left_heading"}`,
    `{"type": "math", "math"}`, with `max_diffs` and `case_sensitive` where they are wanted.

    Raises:
        BadInput: `bad_fact` (details: fact).
    """
    kind = _NAMES.get(str(data.get("type") or data.get("kind")))
    said = next((data[name] for name in ("text", "before", "cell", "math") if data.get(name)), None)
    then = data.get("after") or data.get("then") or ""
    if kind is None or not isinstance(said, str) or (kind is FactKind.ORDER and not then):
        shown = str(data)[:120]
        raise BadInput(
            "bad_fact",
            f"This is no fact about a page: {shown}",
            "Write its type (present, absent, order, cell, math) and its text; docs/evaluation.md shows each.",
            fact=shown,
        )
    around = {side: str(data[side]) for side in CELL_SIDES if data.get(side)}
    return Fact(kind, said, str(then), around, int(data.get("max_diffs") or 0), bool(data.get("case_sensitive", True)))


def holds(fact: Fact, content: PageContent, normalization: Normalization) -> bool:
    """Is this true of what was read?"""
    plain = replace(normalization, no_spaces=True, case=normalization.case or not fact.case)
    if fact.kind is FactKind.CELL:
        return any(_cell_holds(fact, table.grid, plain) for table in content.tables)
    text = plain("\n".join(texts(content)))
    wanted = plain(fact.text)
    if fact.kind is FactKind.MATH:
        return wanted.translate(_MATH_MARKS) in text.translate(_MATH_MARKS)
    if fact.kind is FactKind.ORDER:
        return _in_order(wanted, plain(fact.then), text, fact.most_diffs)
    found = _place(wanted, text, fact.most_diffs) is not None
    return found is (fact.kind is FactKind.PRESENT)


def texts(content: PageContent) -> Iterator[str]:
    """Everything that a page says as running text: its lines, else its text; of a page of fields alone their values."""
    if content.lines:
        yield from (line.text for line in content.lines)
    elif content.text:
        yield content.text
    else:
        yield from (f"{field.name} {field.value or ''}" for field in content.fields)


def _place(wanted: str, text: str, most_diffs: int) -> tuple[int, int] | None:
    """Where a text stands in another, first and behind its last character."""
    at = text.find(wanted)
    if at >= 0:
        return at, at + len(wanted)
    if not most_diffs or not wanted:
        return None
    found = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * (1 - most_diffs / len(wanted)))
    return (found.dest_start, found.dest_end) if found and len(text) >= len(wanted) else None


def _in_order(first: str, then: str, text: str, most_diffs: int) -> bool:
    before = _place(first, text, most_diffs)
    return before is not None and _place(then, text[before[1] :], most_diffs) is not None


def _cell_holds(fact: Fact, grid: Sequence[Sequence[str]], plain: Normalization) -> bool:
    rows = [[plain(cell) for cell in row] for row in grid]
    places = [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == plain(fact.text)]
    return any(
        all(plain(wanted) in _beside(rows, r, c, side) for side, wanted in fact.around.items()) for r, c in places
    )


def _beside(rows: list[list[str]], r: int, c: int, side: str) -> list[str]:
    """The cells that stand on one side of a cell: the next one that is another cell, or all for a heading.

    A spanned cell stands in each slot that it covers, so that the same text once more is the same cell.
    """
    column = [row[c] for row in rows if c < len(row)]
    line = {
        "up": column[:r][::-1],
        "top_heading": column[:r],
        "down": column[r + 1 :],
        "left": rows[r][:c][::-1],
        "left_heading": rows[r][:c],
        "right": rows[r][c + 1 :],
    }[side]
    if side.endswith("heading"):
        return line
    others = [cell for cell in line if cell != rows[r][c]]
    return others[:1]
