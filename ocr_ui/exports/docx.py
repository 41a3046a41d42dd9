"""Word documents, one an item: the page's lines or text as paragraphs, its tables as tables, its fields as a table.

Texts stand there as they were read, Markdown marks included; what XML forbids is stripped and counted.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

import docx
from docx.document import Document
from lxml import etree, html

from ocr_ui.domain.content import Field, Table
from ocr_ui.exports.files import repack, stem
from ocr_ui.exports.parts import parts
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.exports.xml_text import allowed

MOST_COLUMNS = 63
"""What a table in Word holds."""

Spanned = tuple[int, int, int, int, str]
"""Row, column, rows, columns and text of a cell."""


class Docx(FolderFormat):
    name = "docx"
    file_name = "docx"
    folder = "docx"

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        (folder / self.folder).mkdir()
        for sample in samples:
            with zipfile.ZipFile(_document(sample, notes)) as written:
                repack(written, folder / self.folder / f"{stem(sample)}.docx")


def _document(sample: Sample, notes: Notes) -> io.BytesIO:
    document = docx.Document()
    document.core_properties.title = allowed(sample.page.name, notes)[:255]
    document.core_properties.author = "OCR Workbench"
    for part in parts(sample.label):
        if isinstance(part, Table):
            _add_table(document, part, notes)
        else:
            document.add_paragraph(allowed(part, notes))
    _add_fields(document, sample.label.fields, notes)
    out = io.BytesIO()
    document.save(out)
    return out


def _add_table(document: Document, table: Table, notes: Notes) -> None:
    cells = _cells(table)
    rows = max((row + high for row, _, high, _, _ in cells), default=0)
    columns = max((column + wide for _, column, _, wide, _ in cells), default=0)
    if not rows:
        return
    if columns > MOST_COLUMNS:
        notes.changes["tables_as_text"] += 1
        for row in table.grid:
            document.add_paragraph(allowed("\t".join(row), notes))
        return
    drawn = document.add_table(rows, columns, style="Table Grid")
    grid = [list(row.cells) for row in drawn.rows]
    for row, column, high, wide, text in cells:
        cell = grid[row][column]
        if (high, wide) != (1, 1):
            cell = cell.merge(grid[row + high - 1][column + wide - 1])
        cell.text = allowed(text, notes)


def _cells(table: Table) -> list[Spanned]:
    """The cells with their spans as the clean HTML has them; the grid's own where the two do not fit each other."""
    rows, columns = len(table.grid), max(map(len, table.grid), default=0)
    free = [[True] * columns for _ in range(rows)]
    found: list[Spanned] = []
    for row, element in enumerate(_rows(table.html)):
        column = 0
        for cell in element.iterchildren("td", "th"):
            while row < rows and column < columns and not free[row][column]:
                column += 1
            high, wide = int(cell.get("rowspan", 1)), int(cell.get("colspan", 1))
            if not _is_free(free, row, column, high, wide):
                return _plain(table)
            for taken in range(row, row + high):
                free[taken][column : column + wide] = [False] * wide
            found.append((row, column, high, wide, table.grid[row][column]))
    return found if not any(map(any, free)) else _plain(table)


def _is_free(free: list[list[bool]], row: int, column: int, high: int, wide: int) -> bool:
    if row + high > len(free) or min(high, wide) < 1:
        return False
    return all(column + wide <= len(line) and all(line[column : column + wide]) for line in free[row : row + high])


def _plain(table: Table) -> list[Spanned]:
    return [(row, column, 1, 1, text) for row, cells in enumerate(table.grid) for column, text in enumerate(cells)]


def _rows(source: str) -> list[etree._Element]:
    try:
        return list(html.fragment_fromstring(source, create_parent=True).iter("tr"))
    except (etree.LxmlError, ValueError):
        return []


def _add_fields(document: Document, fields: tuple[Field, ...], notes: Notes) -> None:
    if not fields:
        return
    drawn = document.add_table(0, 2, style="Table Grid")
    for field in fields:
        name, value = drawn.add_row().cells
        name.text, value.text = allowed(field.name, notes), allowed(field.value or "", notes)
