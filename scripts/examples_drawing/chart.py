"""A bar chart from a report."""

from __future__ import annotations

import numpy as np

from examples_drawing.example import Example
from examples_drawing.sheet import Sheet

SERIES = (("2023", (168, 196, 214)), ("2024", (74, 134, 176)), ("2025", (22, 66, 104)))
GROUPS = (
    ("Wind", (412, 486, 571)),
    ("Solar", (238, 305, 398)),
    ("Hydro", (184, 176, 190)),
    ("Biomass", (121, 127, 119)),
    ("Gas", (356, 290, 214)),
)
LEFT, RIGHT, TOP, BOTTOM, HIGHEST = 110, 1140, 200, 640, 600


def draw(rng: np.random.Generator) -> Example:
    sheet = Sheet(1200, 800)
    sheet.text(60, 78, "Electricity generated in Westhaven County", "modern-bold", 36)
    sheet.text(60, 118, "Gigawatt hours a year, by source", "modern", 23, (100, 106, 114))
    _legend(sheet)
    _grid(sheet)
    _bars(sheet)
    sheet.text(
        60, 764, "Source: County Energy Office, own figures. 2025 is provisional.", "modern", 18, (120, 126, 132)
    )
    head = ["Source", *(name for name, _ in SERIES)]
    rows = [[name, *map(str, values)] for name, values in GROUPS]
    table = [head, ["---"] * len(head), *rows]
    return Example(
        name="chart",
        title={"en": "Bar chart", "zh": "柱状图"},
        template="chart",
        language="en",
        kind="chart",
        picture=sheet.picture(),
        options={"optimize": True},
        extra={"markdown": "\n".join(f"| {' | '.join(row)} |" for row in table)},
    )


def _legend(sheet: Sheet) -> None:
    x = 860
    for name, colour in SERIES:
        sheet.box(x, 142, x + 22, 164, colour, radius=3)
        x = sheet.text(x + 32, 161, name, "modern", 21) + 28


def _grid(sheet: Sheet) -> None:
    for value in range(HIGHEST, -1, -100):
        y = BOTTOM - (BOTTOM - TOP) * value / HIGHEST
        sheet.rule(LEFT, y, RIGHT, y, 1.5 if value == 0 else 1, (70, 76, 84) if value == 0 else (221, 225, 229))
        sheet.text(LEFT - 16, y + 7, str(value), "modern", 20, (100, 106, 114), "right")


def _bars(sheet: Sheet) -> None:
    wide = (RIGHT - LEFT) / len(GROUPS)
    for number, (_, values) in enumerate(GROUPS):
        start = LEFT + wide * number + 28
        for place, (value, (_, colour)) in enumerate(zip(values, SERIES, strict=True)):
            x, y = start + 51 * place, BOTTOM - (BOTTOM - TOP) * value / HIGHEST
            sheet.box(x, y, x + 46, BOTTOM - 1, colour)
            sheet.box(x + 2, y - 25, x + 44, y - 4, (255, 255, 255))
            sheet.text(x + 23, y - 9, str(value), "modern-bold", 18, (50, 56, 64), "center")
    for number, (name, _) in enumerate(GROUPS):
        sheet.text(LEFT + wide * (number + 0.5), BOTTOM + 38, name, "modern", 23, align="center")
