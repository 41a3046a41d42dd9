"""A journal article in two columns with a figure."""

from __future__ import annotations

import numpy as np

from examples_drawing.example import Example
from examples_drawing.paper import fibres, grain, ramp, shaded
from examples_drawing.sheet import Sheet

LEFT, RIGHT, GAP = 104, 1136, 44
COLUMN = (RIGHT - LEFT - GAP) / 2
SECOND = LEFT + COLUMN + GAP
FACE, SIZE, LEADING = "book", 24, 29.5

ABSTRACT = (
    "Public clocks in small harbours lose or gain several minutes a month, and nobody knows why they do so together. "
    "We compared the tower clocks of nine harbours over two years with a radio reference. Most of the common drift "
    "follows the temperature of the water, not of the air. A simple correction halves the error."
)
INTRODUCTION = (
    "A harbour clock has two masters: its pendulum and the weather. Keepers have always known that their clocks run "
    "slow in summer, and most of them set the hands once a week without writing it down. The records that do exist "
    "were kept for other reasons, such as tide tables and ferry disputes.",
    "Earlier work looked at single clocks. Aldous and Merrin described a tower that gained four minutes in a cold "
    "spring, but they could not separate the tower from the season. With several clocks on one coast, we can.",
    "The question is not only a curiosity. Three of the ferries on this coast still leave by the tower, and a skipper "
    "who trusts it may miss the slack water by as much as the length of a meal.",
)
METHOD = (
    "Between January 2023 and December 2024 we filmed nine dials for one minute each day at noon. A small program "
    "found the hands and compared them with the time code of the camera, which was set by radio. The method reads a "
    "dial to within two seconds in good light and five in fog.",
    "Water temperature came from the harbour offices, air temperature from the nearest weather station. Days on "
    "which a keeper set the clock were marked and left out, 312 of 6,579 in all.",
    "We did not touch the clocks. Two keepers asked us to say so, and one of them checked. The films, the readings and "
    "the program are kept at the institute and may be seen there on weekdays.",
)
RESULTS = (
    "All nine clocks drift together. Figure 1 shows the mean by month: the clocks lose most in August, two to three "
    "weeks after the air is warmest but in the same week as the water. The correlation with the water is 0.87, with "
    "the air 0.61.",
    "We believe that the towers stand on wet ground and take their warmth from below. A pendulum rod of steel grows "
    "by eleven parts in a million for each degree, which explains about half of what we saw. The rest may be the oil.",
    "Two clocks depart from the others. The one at Greywater has a wooden rod and hardly drifts at all; the one at "
    "Pell Sound was moved to a brick tower in 2022 and now follows the air.",
)
CONCLUSION = (
    "A table of twelve numbers, one for each month, brings the mean error from 71 to 34 seconds. It costs nothing and "
    "could be painted on the inside of the clock case. Whether the keepers will look at it is another matter.",
)
CAPTION = "Figure 1. Mean drift of nine clocks by month, in seconds, with the temperature of the water (dashed)."


def draw(rng: np.random.Generator) -> Example:
    sheet = Sheet(1240, 1754, (253, 252, 247))
    top = _head(sheet)
    _first_column(sheet, top)
    _second_column(sheet, top)
    sheet.text(620, 1690, "214", "book", 22, align="center")
    picture = sheet.picture()
    light = fibres(rng, picture.image.size, 0.008) * ramp(picture.image.size, 0.97, 1.0, 15)
    return Example(
        name="two_columns",
        title={"en": "Journal article in two columns", "zh": "双栏论文"},
        template="document",
        language="en",
        kind="two_columns",
        picture=picture.with_image(grain(shaded(picture.image, light), rng, 0.008)),
        suffix=".jpg",
        options={"quality": 84},
    )


def _head(sheet: Sheet) -> float:
    """Title, authors and abstract. Returns the first baseline of the columns."""
    sheet.text(LEFT, 92, "Annals of Coastal Timekeeping", "book-italic", 22)
    sheet.text(RIGHT, 92, "Vol. 12, No. 3 (2025)", "book-italic", 22, align="right")
    sheet.rule(LEFT, 106, RIGHT, 106, 1)
    sheet.text(620, 178, "Why harbour clocks run slow together", "book-bold", 46, align="center")
    sheet.text(620, 224, "Ines Calloway, Bram Oster and Tove Lindgaard", "book", 27, align="center")
    sheet.text(620, 256, "Institute for Slow Measurement, Westhaven", "book-italic", 23, align="center")
    sheet.text(620, 308, "Abstract", "book-bold", 23, align="center")
    y = sheet.paragraph(LEFT + 90, 340, RIGHT - LEFT - 180, ABSTRACT, "book", 22, 27)
    return y + 36


def _section(sheet: Sheet, x: float, y: float, title: str, paragraphs: tuple[str, ...]) -> float:
    sheet.text(x, y, title, "book-bold", 26)
    y += 36
    for number, words in enumerate(paragraphs):
        y = sheet.paragraph(x, y, COLUMN, words, FACE, SIZE, LEADING, indent=26 if number else 0)
    return y + 20


def _first_column(sheet: Sheet, top: float) -> None:
    y = _section(sheet, LEFT, top, "1  Introduction", INTRODUCTION)
    y = _section(sheet, LEFT, y, "2  Method", METHOD)
    sheet.rule(LEFT, 1596, LEFT + 150, 1596, 1)
    sheet.paragraph(
        LEFT, 1622, COLUMN, "* We thank the keepers, who let us in without asking what for.", "book", 19, 24
    )


def _second_column(sheet: Sheet, top: float) -> None:
    _figure(sheet, SECOND, top - 20, COLUMN, 300)
    y = sheet.paragraph(SECOND, top + 330, COLUMN, CAPTION, "book-italic", 21, 26)
    y = _section(sheet, SECOND, y + 22, "3  Results", RESULTS)
    _section(sheet, SECOND, y, "4  Conclusion", CONCLUSION)


def _figure(sheet: Sheet, x: float, y: float, width: float, height: float) -> None:
    left, right, top, bottom = x + 58, x + width - 8, y + 12, y + height - 34
    for number, value in enumerate((0, -30, -60, -90, -120)):
        level = top + (bottom - top) * number / 4
        sheet.rule(left, level, right, level, 0.8, (205, 205, 200))
        sheet.text(left - 10, level + 6, f"{value}".replace("-", "−"), "sans", 17, align="right")
    months = np.linspace(0, 11, 120)
    at = left + 18 + (right - left - 36) * months / 11
    drift = 0.46 - 0.36 * np.cos((months - 7.4) * np.pi / 6 + np.pi)
    water = 0.5 - 0.33 * np.cos((months - 7.2) * np.pi / 6)
    points = list(zip(at, top + (bottom - top) * water, strict=True))
    for n in range(0, len(points) - 4, 8):
        sheet.curve(points[n : n + 5], 2, (150, 90, 60))
    sheet.curve(list(zip(at, top + (bottom - top) * drift, strict=True)), 3, (30, 60, 110))
    for month in range(12):
        place = round(month * 119 / 11)
        sheet.disc(at[place], top + (bottom - top) * drift[place], 5, (30, 60, 110))
        sheet.text(at[place], bottom + 26, "JFMAMJJASOND"[month], "sans", 17, align="center", kind=None)
    sheet.remember("J F M A M J J A S O N D", (at[0] - 8, bottom + 10, at[-1] + 8, bottom + 30))
    sheet.box(left, top, right, bottom, outline=(60, 60, 60), width=1.2)
