"""A sheet to set text and rules on, in the pixels of the finished picture; it remembers each line and its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from examples_drawing.fonts import features, font
from examples_drawing.picture import Line, Picture

Colour = tuple[int, int, int]
Run = tuple[str, str]
"""A piece of text and its face."""

INK: Colour = (28, 28, 32)
LINE_ABOVE, LINE_BELOW = 0.74, 0.2
"""A line's box reaches at least so far above and below its baseline, in parts of the size of the letters: boxes of
neighbouring lines are of one height whether or not they hold a `p` or an `l`, as in most labelled data sets."""
NO_LINE_START = "，。、；：？！）》”’」』】%,.;:?!)"


class Sheet:
    """Draws at `scale` times the size and shrinks at the end, so that edges and letters come out smooth.

    Attributes:
        large: of all sheets: they are not shrunk, as if scanned with so many times the dots an inch.
    """

    large = False

    def __init__(self, width: int, height: int, paper: Colour = (255, 255, 255), scale: int = 2) -> None:
        self.width, self.height, self.scale = width, height, scale
        self.image = Image.new("RGB", (width * scale, height * scale), paper)
        self.pen = ImageDraw.Draw(self.image)
        self.lines: list[Line] = []

    def picture(self) -> Picture:
        """The finished picture at its own size."""
        large = Picture(self.image, [Line(n.text, n.quad * self.scale, n.kind) for n in self.lines])
        return large if self.scale == 1 or self.large else large.shrunk(self.scale)

    def measure(self, text: str, face: str, size: float, spacing: float = 0) -> float:
        """How far a text reaches, in pixels."""
        return font(face, size * self.scale).getlength(text, features=features(face)) / self.scale + spacing * max(
            len(text) - 1, 0
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        face: str,
        size: float,
        fill: Colour = INK,
        align: str = "left",
        spacing: float = 0,
        kind: str | None = "text",
    ) -> float:
        """Sets one line with its baseline at `y` and remembers it; `kind` None leaves it unremembered.

        Returns:
            The x where the text ends.
        """
        wide = self.measure(text, face, size, spacing)
        left = x - {"left": 0, "center": wide / 2, "right": wide}[align]
        pieces = [(left, text)]
        if spacing:
            pieces = [(left + self.measure(text[:n], face, size) + n * spacing, text[n]) for n in range(len(text))]
        self._set([(at, piece, face) for at, piece in pieces], y, size, fill, text, kind)
        return left + wide

    def runs(self, x: float, y: float, runs: Sequence[Run], size: float, fill: Colour = INK) -> float:
        """One line in several faces. Returns the x where it ends."""
        placed, at = [], x
        for piece, face in runs:
            placed.append((at, piece, face))
            at += self.measure(piece, face, size)
        self._set(placed, y, size, fill, "".join(piece for piece, _ in runs), "text")
        return at

    def paragraph(
        self,
        x: float,
        y: float,
        width: float,
        text: str,
        face: str,
        size: float,
        leading: float,
        indent: float = 0,
        justify: bool = True,
        fill: Colour = INK,
    ) -> float:
        """Breaks a text into lines, the first baseline at `y`. Returns the baseline after the last line."""
        chinese = any("\u4e00" <= letter <= "\u9fff" for letter in text)
        glue = "" if chinese else " "
        rows = self._broken(self._atoms(text, chinese), width, face, size, indent, glue)
        for number, row in enumerate(rows):
            left = x + (indent if number == 0 else 0)
            room = width - (indent if number == 0 else 0)
            full = justify and number < len(rows) - 1
            self._justified(left, y, row, room if full else None, face, size, glue, fill)
            y += leading
        return y

    @staticmethod
    def _atoms(text: str, chinese: bool) -> list[str]:
        """What may not be broken: words, or Chinese characters with the punctuation after them."""
        if not chinese:
            return text.split()
        atoms: list[str] = []
        for letter in text:
            joined = atoms and (letter in NO_LINE_START or (letter.isascii() and atoms[-1][-1].isascii()))
            if joined or (atoms and atoms[-1][-1] in "（《“"):
                atoms[-1] += letter
            else:
                atoms.append(letter)
        return atoms

    def _broken(
        self, atoms: list[str], width: float, face: str, size: float, indent: float, glue: str
    ) -> list[list[str]]:
        rows: list[list[str]] = [[]]
        for atom in atoms:
            room = width - (indent if len(rows) == 1 else 0)
            if rows[-1] and self.measure(glue.join([*rows[-1], atom]), face, size) > room:
                rows.append([])
            rows[-1].append(atom)
        return rows

    def _justified(
        self,
        x: float,
        y: float,
        row: list[str],
        room: float | None,
        face: str,
        size: float,
        glue: str,
        fill: Colour,
    ) -> None:
        text = glue.join(row)
        if room is None or len(row) < 2:
            self.text(x, y, text, face, size, fill)
            return
        extra = (room - sum(self.measure(atom, face, size) for atom in row)) / (len(row) - 1)
        placed, at = [], x
        for atom in row:
            placed.append((at, atom, face))
            at += self.measure(atom, face, size) + extra
        self._set(placed, y, size, fill, text, "text")

    def _set(
        self,
        placed: list[tuple[float, str, str]],
        y: float,
        size: float,
        fill: Colour,
        text: str,
        kind: str | None,
    ) -> None:
        scale, boxes = self.scale, []
        for at, piece, face in placed:
            where, letters = (at * scale, y * scale), font(face, size * scale)
            self.pen.text(where, piece, fill, letters, anchor="ls", features=features(face))
            if piece.strip():
                boxes.append(_ink_box(where, piece, letters, features(face)))
        if kind and text.strip():
            ends = np.array(boxes, float)
            left, top, right, bottom = np.array((*ends[:, :2].min(axis=0), *ends[:, 2:].max(axis=0))) / scale
            high, low = min(top, y - LINE_ABOVE * size), max(bottom, y + LINE_BELOW * size)
            self.remember(text, (left, high, right, low), kind, margin=0.06 * size)

    def remember(self, text: str, box: Sequence[float], kind: str = "text", margin: float = 0) -> None:
        """Notes a line by its box (left, top, right, bottom)."""
        left, top, right, bottom = box
        left, top, right, bottom = left - margin, top - margin, right + margin, bottom + margin
        self.lines.append(Line(text, np.array([(left, top), (right, top), (right, bottom), (left, bottom)]), kind))

    def rule(
        self, x0: float, y0: float, x1: float, y1: float, width: float = 1, fill: Colour = INK, dash: float = 0
    ) -> None:
        """A straight line; with `dash` a broken one, in pixels."""
        long = float(np.hypot(x1 - x0, y1 - y0))
        count = max(1, int(long // (2 * dash))) if dash else 1
        for n in range(count):
            start, end = (n / count, (n + 0.5) / count) if dash else (0, 1)
            ends = [(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t) for t in (start, end)]
            self.pen.line([(x * self.scale, y * self.scale) for x, y in ends], fill, max(1, round(width * self.scale)))

    def box(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: Colour | None = None,
        outline: Colour | None = None,
        width: float = 1,
        radius: float = 0,
    ) -> None:
        ends = [value * self.scale for value in (x0, y0, x1, y1)]
        line = max(1, round(width * self.scale)) if outline else 0
        self.pen.rounded_rectangle(ends, radius * self.scale, fill, outline, line)

    def polygon(self, points: Sequence[tuple[float, float]], fill: Colour) -> None:
        self.pen.polygon([(x * self.scale, y * self.scale) for x, y in points], fill)

    def curve(self, points: Sequence[tuple[float, float]], width: float, fill: Colour) -> None:
        """A line through many points."""
        self.pen.line([(x * self.scale, y * self.scale) for x, y in points], fill, round(width * self.scale), "curve")

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        fill: Colour | None = None,
        outline: Colour | None = None,
        width: int = 1,
    ) -> None:
        ends = [value * self.scale for value in (x - radius, y - radius, x + radius, y + radius)]
        self.pen.ellipse(ends, fill, outline, round(width * self.scale))

    def paste(self, layer: Image.Image, x: float, y: float) -> None:
        """Lays an RGBA layer that was drawn at `scale` times the size with its top left corner at (x, y)."""
        self.image.paste(layer, (round(x * self.scale), round(y * self.scale)), layer)


def _ink_box(
    where: tuple[float, float], text: str, letters: ImageFont.FreeTypeFont, wanted: list[str] | None
) -> np.ndarray:
    """The box of the ink alone; Pillow's `textbbox` counts the empty half of a Chinese full stop as well."""
    mask, offset = letters.getmask2(text, "L", anchor="ls", features=wanted)
    return np.array(mask.getbbox(), float) + np.tile(np.add(where, offset), 2)
