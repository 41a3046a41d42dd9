"""Coordinates as a model writes them, 0..1000 of the picture's width and height, to quads in pixels.

What cannot be read gives no quad: a box is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2

from ocr_ui.domain.geometry import BoundingBox, Point, Quad

SCALE = 1000
LARGEST = 9999
"""A number above this is two numbers that lost their comma, not a point beyond the edge."""

NUMBER = r"[-+−－＋]?\d{1,9}(?:[.．]\d{1,9})?[%％]?"
"""ASCII or full-width digits; a percentage is of the width or height."""
SPACE = r"\s{0,4}"
POINT = rf"[(（]{SPACE}{NUMBER}{SPACE}[,，、]{SPACE}{NUMBER}{SPACE}[)）]"
POINTS = rf"{POINT}(?:{SPACE}[,，、]{SPACE}{POINT}){{1,7}}"
"""Two to eight points with commas between. All repetitions are bounded, so that a reader of a stream knows how much
text it has to see before it can decide."""

_NUMBER = re.compile(NUMBER)
_SHAPE = re.compile(r"[(（\[]|[)）\]]|[,，、;；\s]+|" + NUMBER)
_ASCII = str.maketrans("−－＋．％", "--+.%")


@dataclass(frozen=True, slots=True)
class Reading:
    """A quad, or None where none can be trusted, and the codes of what was wrong."""

    quad: Quad | None
    codes: tuple[str, ...] = ()


BAD = Reading(None, ("bad_box",))


def number(text: str) -> float:
    """The value of what NUMBER matches; a percentage in thousandths."""
    if text.isdecimal():
        return float(text)
    plain = text.translate(_ASCII)
    return float(plain[:-1]) * SCALE / 100 if plain.endswith("%") else float(plain)


def numbers(text: str) -> list[float]:
    """All numbers in a text that POINTS matched."""
    if text.isascii() and "%" not in text:
        return list(map(float, _NUMBER.findall(text)))
    return [number(found) for found in _NUMBER.findall(text)]


def read_list(text: str) -> list[float] | None:
    """The numbers of `(1,2),(3,4)`, `[1,2,3,4]`, `[[1,2],[3,4]]` or `1,2,3,4`; None for anything else.

    Brackets that hold other than 2, 4 or 8 numbers (or groups) are no coordinates.
    """
    values: list[float] = []
    depth, group, position = 0, 0, 0
    after_number = False
    for found in _SHAPE.finditer(text):
        piece = found[0]
        is_number = piece[-1].isdecimal() or piece[-1] in "%％"
        if found.start() != position or (is_number and after_number):
            return None
        position, after_number = found.end(), is_number
        if piece in "(（[":
            depth, group = depth + 1, 0
        elif piece in ")）]":
            if depth == 0 or group not in (0, 2, 4, 8):
                return None
            depth, group = depth - 1, 0
        elif is_number:
            values.append(number(piece))
            group += 1
    return values if position == len(text) and depth == 0 else None


def place(values: Sequence[float] | None, size: tuple[int, int]) -> Reading:
    """Two corners (4 numbers) or four points (8 numbers) in 0..1000, to a quad in pixels of `size`.

    Corners in the wrong order are put right, points beyond the edge are moved to it, fractions of 1 (0.25, 0.5) are
    taken as such; each is told by its code. Other counts, glued numbers and boxes wholly outside give no quad.
    """
    if values is not None and len(values) == 4 and _is_plain(*values):
        return Reading(_upright(*values, size))
    if values is None or len(values) not in (4, 8) or not all(abs(value) <= LARGEST for value in values):
        return BAD
    codes: list[str] = []
    if all(0 <= value <= 1 for value in values) and any(value != int(value) for value in values):
        values = [value * SCALE for value in values]
        codes.append("repaired")
    points = list(zip(values[::2], values[1::2], strict=True))
    hull = BoundingBox.around(points)
    if hull.right < 0 or hull.bottom < 0 or hull.left > SCALE or hull.top > SCALE:
        return BAD
    inside = [(_clamp(x), _clamp(y)) for x, y in points]
    if inside != points:
        codes.append("clamped")
    ordered = _order_corners(inside) if len(inside) == 2 else order_points(inside)
    if ordered != inside:
        codes.append("reversed")
    if is_flat(ordered):
        codes.append("degenerate")
    return Reading(Quad.from_normalized(ordered, *size), tuple(codes))


def _is_plain(left: float, top: float, right: float, bottom: float) -> bool:
    """Two corners in order, inside, and no fractions of 1."""
    return 0 <= left < right <= SCALE and 0 <= top < bottom <= SCALE and (right > 1 or bottom > 1)


def _upright(left: float, top: float, right: float, bottom: float, size: tuple[int, int]) -> Quad:
    """What `Quad.from_normalized` gives for two corners in order: the one case that has to be quick."""
    width, height = size
    left, right = left * width / SCALE, right * width / SCALE
    top, bottom = top * height / SCALE, bottom * height / SCALE
    return Quad(((left, top), (right, top), (right, bottom), (left, bottom)))


def is_flat(points: Sequence[Point]) -> bool:
    """Two corners without width or height, or a polygon without area."""
    if len(points) == 2:
        return points[0][0] == points[1][0] or points[0][1] == points[1][1]
    return abs(_turn(points)) < 1e-9


def order_points(points: list[Point]) -> list[Point]:
    """Four points clockwise as seen; unchanged where they already are, or where they have no area.

    The first point stays first if the order was right: a line of text may start at any corner of the page. Otherwise
    where it started is lost, and the corner nearest to the page's top left becomes the first.
    """
    if _crosses(points):
        x, y = sum(p[0] for p in points) / 4, sum(p[1] for p in points) / 4
        points = sorted(points, key=lambda p: atan2(p[1] - y, p[0] - x))
    elif _turn(points) < 0:
        points = points[::-1]
    else:
        return points
    first = min(range(4), key=lambda i: (points[i][0] + points[i][1], points[i][1]))
    return points[first:] + points[:first]


def _order_corners(points: list[Point]) -> list[Point]:
    box = BoundingBox.around(points)
    return [(box.left, box.top), (box.right, box.bottom)]


def _clamp(value: float) -> float:
    return min(max(value, 0.0), float(SCALE))


def _turn(points: Sequence[Point]) -> float:
    """Twice the signed area, positive for clockwise with y downwards."""
    following = [*points[1:], points[0]]
    return sum(x * v - u * y for (x, y), (u, v) in zip(points, following, strict=True))


def _crosses(points: Sequence[Point]) -> bool:
    a, b, c, d = points
    return _cut(a, b, c, d) or _cut(b, c, d, a)


def _cut(a: Point, b: Point, c: Point, d: Point) -> bool:
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Point, b: Point, p: Point) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
