"""A printed table with cells that span rows and columns; the HTML comes from the same cells as the drawing."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np

from examples_drawing.example import Example
from examples_drawing.paper import fibres, shaded
from examples_drawing.sheet import Sheet

EDGES = (80, 250, 470, 610, 750, 890, 1030, 1180)
TOP, ROW = 262, 58
HEAD_FILL, SUM_FILL, BLUE = (222, 230, 240), (240, 244, 249), (30, 62, 110)


@dataclass(frozen=True)
class Cell:
    text: str
    rows: int = 1
    columns: int = 1
    head: bool = False
    align: str = "right"


def head(text: str, rows: int = 1, columns: int = 1) -> Cell:
    return Cell(text, rows, columns, head=True, align="center")


def left(text: str, rows: int = 1, columns: int = 1) -> Cell:
    return Cell(text, rows, columns, align="left")


ROWS: tuple[tuple[Cell, ...], ...] = (
    (head("Region", 2), head("Line", 2), head("Passengers (thousand)", 1, 2), head("Punctual (%)", 1, 2),
     head("Change", 2)),
    (head("2024"), head("2025"), head("2024"), head("2025")),
    (left("North", 3), left("Harbour ferry"), Cell("1,204"), Cell("1,318"), Cell("94.1"), Cell("95.6"), Cell("+9.5%")),
    (left("Hill tram"), Cell("862"), Cell("907"), Cell("91.8"), Cell("90.2"), Cell("+5.2%")),
    (left("Night bus N4"), Cell("215"), Cell("198"), Cell("88.0"), Cell("89.7"), Cell("-7.9%")),
    (left("South", 2), left("Canal line"), Cell("2,046"), Cell("2,251"), Cell("96.3"), Cell("96.9"), Cell("+10.0%")),
    (left("Orbital bus"), Cell("1,530"), Cell("1,498"), Cell("87.4"), Cell("86.1"), Cell("-2.1%")),
    (left("Islands", 3), left("Skerry ferry"), Cell("148"), Cell("171"), Cell("82.5"), Cell("85.0"), Cell("+15.5%")),
    (left("Mail boat"), Cell("36"), Cell("39"), Cell("79.9"), Cell("81.3"), Cell("+8.3%")),
    (left("Air taxi"), Cell("suspended", 1, 2), Cell("—"), Cell("—"), Cell("n/a")),
    (left("All lines", 1, 2), Cell("6,041"), Cell("6,382"), Cell("91.6"), Cell("92.0"), Cell("+5.6%")),
)  # fmt: skip


def draw(rng: np.random.Generator) -> Example:
    sheet = Sheet(1260, 1080, (254, 254, 252))
    sheet.text(80, 100, "Westhaven Transport Authority", "sans", 22, (90, 96, 104))
    sheet.text(80, 146, "Table 3. Passengers and punctuality by line", "serif-bold", 36)
    sheet.text(80, 190, "Calendar years 2024 and 2025; a train, tram or boat counts as punctual up to 3 minutes late.",
               "serif", 23)  # fmt: skip
    for row, column, cell in placed():
        _cell(sheet, row, column, cell)
    bottom = TOP + ROW * len(ROWS)
    for y, width in ((TOP, 3), (TOP + 2 * ROW, 2), (bottom - ROW, 2), (bottom, 3)):
        sheet.rule(EDGES[0], y, EDGES[-1], y, width, BLUE)
    notes = (
        "Air taxi: service suspended since October 2023 (works on the landing stage).",
        "Source: own counts; sums may differ from the rows because of rounding.",
    )
    for number, note in enumerate(notes):
        sheet.text(80, bottom + 46 + 34 * number, note, "serif-italic", 21)
    picture = sheet.picture()
    return Example(
        name="table",
        title={"en": "Table with merged cells", "zh": "带合并单元格的表格"},
        template="table",
        language="en",
        kind="table",
        picture=picture.with_image(shaded(picture.image, fibres(rng, picture.image.size, 0.005))),
        suffix=".webp",
        options={"quality": 86, "method": 6},
        extra={"html": html()},
    )


def placed() -> list[tuple[int, int, Cell]]:
    """Each cell with the row and column of its first slot."""
    taken: set[tuple[int, int]] = set()
    found = []
    for row, cells in enumerate(ROWS):
        column = 0
        for cell in cells:
            while (row, column) in taken:
                column += 1
            taken |= {(row + r, column + c) for r in range(cell.rows) for c in range(cell.columns)}
            found.append((row, column, cell))
    return found


def html() -> str:
    """The table as the model is asked for it: bare, with spans."""
    rows = "".join(f"<tr>{''.join(_tag(cell) for cell in cells)}</tr>" for cells in ROWS)
    return f"<table>{rows}</table>"


def _tag(cell: Cell) -> str:
    name = "th" if cell.head else "td"
    spans = "".join(
        f' {key}="{value}"' for key, value in (("rowspan", cell.rows), ("colspan", cell.columns)) if value > 1
    )
    return f"<{name}{spans}>{escape(cell.text, quote=False)}</{name}>"


def _cell(sheet: Sheet, row: int, column: int, cell: Cell) -> None:
    x0, x1 = EDGES[column], EDGES[column + cell.columns]
    y0, y1 = TOP + ROW * row, TOP + ROW * (row + cell.rows)
    last = row == len(ROWS) - 1
    fill = HEAD_FILL if cell.head else SUM_FILL if last else None
    sheet.box(x0, y0, x1, y1, fill, (150, 162, 178))
    centred = cell.align == "center" or (cell.columns == 2 and not last)
    align = "center" if centred else cell.align
    x = {"left": x0 + 16, "right": x1 - 18, "center": (x0 + x1) / 2}[align]
    face = "sans-bold" if cell.head or last else "sans"
    sheet.text(x, (y0 + y1) / 2 + 8, cell.text, face, 23, BLUE if cell.head else (28, 28, 32), align)
