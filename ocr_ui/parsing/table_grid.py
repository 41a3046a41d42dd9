"""Cells with spans to a grid, and a grid to clean HTML, Markdown and CSV."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Sequence
from dataclasses import replace

from ocr_ui.domain.content import Table
from ocr_ui.parsing.table_html import MOST_CELLS, Cell, RawTable

WIDEST = 20
"""A colspan over this and over twice the longest row is absurd, not generous."""

Grid = tuple[tuple[str, ...], ...]

_RAISED = re.compile(r"&lt;(/?su[bp])&gt;")


def build(raw: RawTable, codes: dict[str, None]) -> Table:
    """A table whose spans fit it; `codes` gets limit, repaired or ragged where something did not."""
    rows = _clamp_spans(raw.rows, codes)
    grid, kept = _lay_out(rows, codes)
    return Table(_html(kept, raw.caption), grid)


def from_rows(rows: Sequence[Sequence[str]], codes: dict[str, None], header: bool = False) -> Table:
    """A table without spans."""
    cells = [[Cell(text, header=header and index == 0) for text in row] for index, row in enumerate(rows)]
    return build(RawTable(cells), codes)


def drop_empty_end(raw: RawTable) -> None:
    """Leaves out the empty rows that a loop left at the end."""
    while raw.rows and not any(cell.text for cell in raw.rows[-1]):
        raw.rows.pop()


def _clamp_spans(rows: list[list[Cell]], codes: dict[str, None]) -> list[list[Cell]]:
    """Spans no larger than the table: what HTML allows (1,000 columns) is more than any page has."""
    longest = max((len(row) for row in rows), default=0)
    most = max(WIDEST, 2 * longest)
    width = max((sum(cell.colspan if cell.colspan <= most else 1 for cell in row) for row in rows), default=0)
    return [
        [_clamp(cell, row, most, width, len(rows) - index, codes) for cell in row] for index, row in enumerate(rows)
    ]


def _clamp(cell: Cell, row: list[Cell], most: int, width: int, left: int, codes: dict[str, None]) -> Cell:
    colspan, rowspan = cell.colspan, cell.rowspan
    if colspan > most:
        codes["limit"] = None
        colspan = max(1, width - len(row) + 1)
    if rowspan > left:
        codes["limit" if rowspan > left + most else "repaired"] = None
        rowspan = left
    return (
        cell if (colspan, rowspan) == (cell.colspan, cell.rowspan) else replace(cell, colspan=colspan, rowspan=rowspan)
    )


def _lay_out(rows: list[list[Cell]], codes: dict[str, None]) -> tuple[Grid, list[list[Cell]]]:
    """Each cell into the first free slot of its row; the text of a spanned cell into every slot that it covers."""
    slots: list[dict[int, str]] = []
    waiting: dict[int, dict[int, str]] = {}
    kept: list[list[Cell]] = []
    count = 0
    for index, row in enumerate(rows):
        taken = waiting.pop(index, {})
        cells = []
        column = 0
        for cell in row:
            while column in taken:
                column += 1
            span = _free(taken, column, cell.colspan)
            if span < cell.colspan:
                codes["ragged"] = None
            for below in range(cell.rowspan):
                target = taken if below == 0 else waiting.setdefault(index + below, {})
                target.update(dict.fromkeys(range(column, column + span), cell.text))
            count += span * cell.rowspan
            cells.append(cell if span == cell.colspan else replace(cell, colspan=span))
            column += span
        if count > MOST_CELLS:
            codes["limit"] = None
            break
        slots.append(taken)
        kept.append(cells)
    width = max((max(row) + 1 for row in slots if row), default=0)
    if any(row and len(row) != width for row in slots):
        codes["ragged"] = None
    return tuple(tuple(row.get(column, "") for column in range(width)) for row in slots), kept


def _free(taken: dict[int, str], column: int, wanted: int) -> int:
    for step in range(1, wanted):
        if column + step in taken:
            return step
    return wanted


def _html(rows: list[list[Cell]], caption: str) -> str:
    head = f"<caption>{_markup(caption)}</caption>" if caption else ""
    return "<table>" + head + "".join("<tr>" + "".join(map(_cell_html, row)) + "</tr>" for row in rows) + "</table>"


def _cell_html(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = "".join(
        f' {name}="{value}"' for name, value in (("colspan", cell.colspan), ("rowspan", cell.rowspan)) if value > 1
    )
    return f"<{tag}{spans}>{_markup(cell.text)}</{tag}>"


def _markup(text: str) -> str:
    """Text as HTML, with breaks, and with sup and sub where they are closed in the right order."""
    escaped = html.escape(text, quote=False)
    if "&lt;" in escaped and _is_balanced(text):
        escaped = _RAISED.sub(r"<\1>", escaped)
    return escaped.replace("\n", "<br>")


def _is_balanced(text: str) -> bool:
    open_tags: list[str] = []
    for close, name in re.findall(r"<(/?)(su[bp])>", text):
        if not close:
            open_tags.append(name)
        elif not open_tags or open_tags.pop() != name:
            return False
    return not open_tags


def to_markdown(grid: Sequence[Sequence[str]]) -> str:
    """A pipe table; the first row is the head. Breaks become ``<br>``, pipes are escaped, LaTeX stays as it is."""
    if not grid:
        return ""
    rows = ["| " + " | ".join(_pipe_text(cell) for cell in row) + " |" for row in grid]
    return "\n".join([rows[0], "|" + " --- |" * len(grid[0]), *rows[1:]])


def _pipe_text(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\r", "").replace("\n", "<br>")


def to_csv(grid: Sequence[Sequence[str]]) -> str:
    """CSV as RFC 4180 has it. Cells stay as read: who writes it for a spreadsheet guards formulas."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(grid)
    return out.getvalue()
