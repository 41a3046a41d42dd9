"""The drawn pages that the tiny model knows by heart, all of one size, and the ways in which they are changed.

All pages have the same size: otherwise a model tells them apart by their number of image tokens alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

SIZE = (480, 640)
"""Width and height of every page, pixels."""


@dataclass(frozen=True)
class Line:
    x: int
    y: int
    text: str
    height: int = 24


@dataclass(frozen=True)
class Drawing:
    """A page: its lines, boxes (x1, y1, x2, y2, colour) and ground."""

    lines: tuple[Line, ...]
    boxes: tuple[tuple[int, int, int, int, str], ...] = ()
    ground: str = "white"
    ink: str = "black"

    def image(self) -> Image.Image:
        picture = Image.new("RGB", SIZE, self.ground)
        draw = ImageDraw.Draw(picture)
        for x1, y1, x2, y2, colour in self.boxes:
            draw.rectangle((x1, y1, x2, y2), fill=colour)
        for line in self.lines:
            draw.text((line.x, line.y), line.text, fill=self.ink, font_size=line.height)
        return picture

    def spotting(self) -> str:
        """The lines as the model writes them: text and two corners in thousandths of the page, back to back."""
        draw = ImageDraw.Draw(Image.new("RGB", SIZE))
        return "".join(
            line.text + corners(draw.textbbox((line.x, line.y), line.text, font_size=line.height))
            for line in self.lines
        )


def corners(box: tuple[float, float, float, float], size: Sequence[int] = SIZE) -> str:
    x1, y1, x2, y2 = (min(1000, max(0, round(v * 1000 / size[i % 2]))) for i, v in enumerate(box))
    return f"({x1},{y1}),({x2},{y2})"


PAGES = {
    "receipt": Drawing(
        (
            Line(60, 40, "CORNER SHOP", 36),
            Line(60, 130, "Milk 2 x 1.20"),
            Line(60, 180, "Bread 3.45"),
            Line(60, 230, "Coffee 7.80"),
            Line(60, 330, "TOTAL 13.65", 32),
        ),
        ((40, 300, 440, 306, "black"),),
    ),
    "invoice": Drawing(
        (
            Line(50, 50, "INVOICE No 2041", 34),
            Line(50, 150, "Date 2026-03-14"),
            Line(50, 200, "Harbour Books Ltd"),
            Line(50, 330, "Paper A4 245.00"),
            Line(50, 380, "Toner black 118.50"),
            Line(200, 520, "Total due 363.50", 30),
        ),
        ((40, 290, 440, 294, "black"), (40, 450, 440, 454, "black")),
    ),
    "news": Drawing(
        (
            Line(60, 60, "The Harbour News", 40),
            Line(40, 200, "Boats came in"),
            Line(40, 240, "before the storm."),
            Line(260, 200, "Fishermen said"),
            Line(260, 240, "it was the best."),
        ),
        ((238, 180, 242, 600, "black"),),
    ),
    "poster": Drawing(
        (Line(60, 220, "SALE", 120), Line(60, 420, "50% off all shoes", 40)), ground="black", ink="white"
    ),
    "card": Drawing(
        (Line(40, 240, "Member card", 44), Line(40, 330, "Lin Wei 0571-8800", 30)),
        ((0, 0, 480, 160, "#d02020"), (0, 500, 480, 640, "#2040d0")),
    ),
    "flyer": Drawing(
        (Line(40, 260, "Summer concert", 44), Line(40, 350, "Sunday 7 pm, the park", 28)),
        ((0, 0, 480, 200, "#f0a020"), (320, 440, 480, 640, "#20a040")),
    ),
}

BLANK = Drawing(())


def number_card(number: int) -> Drawing:
    """A page with its number written on it and in five squares, one for each bit: easy to tell apart."""
    squares = tuple((30 + 88 * bit, 60, 100 + 88 * bit, 260, "black") for bit in range(5) if number >> bit & 1)
    return Drawing((Line(60, 340, f"No {number:02d}", 100),), squares)


def changed(picture: Image.Image, how: str) -> Image.Image:
    """The picture turned by 180 degrees ("turned") or with red and blue exchanged ("swapped")."""
    if how == "turned":
        return picture.transpose(Image.Transpose.ROTATE_180)
    if how == "swapped":
        red, green, blue = picture.split()
        return Image.merge("RGB", (blue, green, red))
    return picture
