"""A workbook for people: items, their lines, their fields and their tables, one sheet each.

Every cell is text, so that 007 keeps its zeros, twenty digits stay twenty and nothing is a formula; what would be one
if it were typed is marked as text for those who edit the cell. What XML forbids is stripped and counted, and cells
that no spreadsheet holds are cut; JSON Lines has the texts exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.exceptions import FileCreateError

from ocr_ui.domain.geometry import Quad
from ocr_ui.exports.columns import COLUMNS, cut, values
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.exports.xml_text import allowed

MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
"""What a sheet holds."""

_CORNERS = ("top_left", "top_right", "bottom_right", "bottom_left")
_SHEETS = {
    "items": COLUMNS,
    "lines": ("item", "line", "text", "confidence", *(f"{corner}_{axis}" for corner in _CORNERS for axis in "xy")),
    "fields": ("item", "name", "value", "kind", "confidence"),
    "tables": ("item", "table", "row", "cells"),
}
_FIXED = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)


class Xlsx(FolderFormat):
    name = "xlsx"
    file_name = "items.xlsx"
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    single_file = True

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        # Rows go to files in `folder` as they come, so that a full disk shows there and memory stays as it is.
        settings = {"constant_memory": True, "tmpdir": str(folder), "strings_to_urls": False}
        book = xlsxwriter.Workbook(str(folder / self.file_name), settings)
        book.set_properties({"created": _FIXED, "title": "OCR Workbench"})
        book.use_zip64()
        # The texts of the other sheets stand among the items too: what is changed in them is counted once.
        counted = {"items": notes}
        sheets = {name: _Sheet(book, name, columns, counted.get(name, Notes())) for name, columns in _SHEETS.items()}
        for sample in samples:
            _add(sample, sheets)
        notes.changes["cells_left_out"] += sheets["tables"].left_out
        try:
            book.close()
        except FileCreateError as error:
            raise OSError(*error.args[0].args) from error


class _Sheet:
    """A sheet of text; goes on in another one where it is full."""

    def __init__(self, book: xlsxwriter.Workbook, name: str, columns: Sequence[str], notes: Notes) -> None:
        self._book, self._name, self._columns, self._notes = book, name, columns, notes
        self._text = book.add_format({"num_format": "@", "valign": "top"})
        self._wrapped = book.add_format({"num_format": "@", "valign": "top", "text_wrap": True})
        self._quoted = book.add_format({"num_format": "@", "valign": "top", "quote_prefix": True})
        self._bold = book.add_format({"num_format": "@", "bold": True})
        self.left_out = self._number = 0
        self._begin()

    def add(self, row: Sequence[Any]) -> None:
        if self._row == MOST_ROWS:
            self._begin()
        for column, value in enumerate(row[:MOST_COLUMNS]):
            if value is not None and value != "":
                self._write(column, str(value))
        self.left_out += max(0, len(row) - MOST_COLUMNS)
        self._row += 1

    def _write(self, column: int, value: str) -> None:
        text = cut(allowed(value, self._notes), self._notes)
        style = self._quoted if text[:1] in set("=+-@'") else self._wrapped if "\n" in text else self._text
        self._sheet.write_string(self._row, column, text, style)

    def _begin(self) -> None:
        self._number += 1
        self._sheet = self._book.add_worksheet(self._name if self._number == 1 else f"{self._name} {self._number}")
        self._sheet.freeze_panes(1, 0)
        for column, title in enumerate(self._columns):
            self._sheet.write_string(0, column, title, self._bold)
        self._row = 1


def _add(sample: Sample, sheets: dict[str, _Sheet]) -> None:
    row, label, item = values(sample), sample.label, sample.id
    sheets["items"].add([row[name] for name in COLUMNS])
    for number, line in enumerate(label.lines, 1):
        sheets["lines"].add([item, number, line.text, _share(line.confidence), *_corners(line.quad)])
    for field in label.fields:
        sheets["fields"].add([item, field.name, field.value, field.kind, _share(field.confidence)])
    for number, table in enumerate(label.tables, 1):
        for index, cells in enumerate(table.grid, 1):
            sheets["tables"].add([item, number, index, *cells])


def _corners(quad: Quad | None) -> list[str]:
    return [f"{value:.2f}".rstrip("0").rstrip(".") for point in quad.points for value in point] if quad else []


def _share(confidence: float | None) -> str | None:
    return None if confidence is None else f"{confidence:.4f}"
