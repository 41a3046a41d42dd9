"""Points, boxes and quads. All in pixels of the upright picture, origin at its top-left corner, y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

Point = tuple[float, float]

_STRAIGHT = 1.0
"""Pixels by which a side may be off a row or a column of the picture and still count as along it."""


@dataclass(frozen=True, slots=True)
class BoundingBox:
    """An upright rectangle, `left <= right` and `top <= bottom`, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def center(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def iou(self, other: BoundingBox) -> float:
        """Intersection over union, 0 where both boxes have no area."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        shared = max(0.0, wide) * max(0.0, high)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    @classmethod
    def around(cls, points: Sequence[Point]) -> BoundingBox:
        """The smallest upright rectangle that holds all points (at least one)."""
        xs, ys = [x for x, _ in points], [y for _, y in points]
        return cls(min(xs), min(ys), max(xs), max(ys))


@dataclass(frozen=True, slots=True)
class Quad:
    """Four corners of a line of text: top left first as the text is read, then clockwise."""

    points: tuple[Point, Point, Point, Point]

    @classmethod
    def from_points(cls, points: Sequence[Sequence[float]]) -> Quad:
        """Four `(x, y)` pairs to a Quad.

        Raises:
            ValueError: not exactly four pairs.
        """
        if len(points) != 4 or any(len(point) != 2 for point in points):
            raise ValueError("a quad has four points of two numbers each")
        a, b, c, d = ((float(x), float(y)) for x, y in points)
        return cls((a, b, c, d))

    @classmethod
    def from_box(cls, box: BoundingBox) -> Quad:
        return cls(((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)))

    @classmethod
    def from_normalized(cls, points: Sequence[Point], width: int, height: int, scale: float = 1000) -> Quad:
        """Two corners or four points in 0..`scale` of the picture's width and height, to pixels.

        HunyuanOCR gives its coordinates in 0..1000, separately for each axis.
        """
        pixels = [(x * width / scale, y * height / scale) for x, y in points]
        if len(pixels) == 2:
            return cls.from_box(BoundingBox.around(pixels))
        return cls.from_points(pixels)

    @property
    def bounds(self) -> BoundingBox:
        return BoundingBox.around(self.points)

    def upright(self) -> Quad:
        """The same corners clockwise, the one first from which the picture's own rows begin: its top left."""
        points = self.points if self._turns_right() else self.points[::-1]
        starts = [Quad((*points[n:], *points[:n])) for n in range(4)]  # type: ignore[arg-type]
        return max(starts, key=Quad._rightward)

    def as_read(self) -> Quad:
        """The same corners clockwise, the text's own top left first, whichever corner a box was drawn from.

        The order given says how the text runs only where a line lies slanting and runs up or down along its longer
        side; any other order is upright: nobody writes mirrored, or across a line.
        """
        along, across = self._edges()
        runs_steeply = abs(along[1]) > abs(along[0]) and hypot(*along) > hypot(*across)
        slanting = all(abs(x) > _STRAIGHT and abs(y) > _STRAIGHT for x, y in (along, across))
        return self if slanting and runs_steeply and self._turns_right() else self.upright()

    def _edges(self) -> tuple[Point, Point]:
        """From left to right and from top to bottom, as the corners are named; both sides added."""
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = self.points
        return (bx - ax + cx - dx, by - ay + cy - dy), (cx - bx + dx - ax, cy - by + dy - ay)

    def _rightward(self) -> float:
        """The cosine of the angle between the line's direction and the picture's rows."""
        x, y = self._edges()[0]
        length = hypot(x, y)
        return x / length if length else -2.0

    def _turns_right(self) -> bool:
        ring = zip(self.points, (*self.points[1:], self.points[0]), strict=True)
        return sum(ax * by - bx * ay for (ax, ay), (bx, by) in ring) >= 0

    def holds(self, point: Point) -> bool:
        """Whether a point lies in the quad or on its border; for quads without dents."""
        x, y = point
        ring = zip(self.points, (*self.points[1:], self.points[0]), strict=True)
        sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for (ax, ay), (bx, by) in ring]
        return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)

    def rounded(self, digits: int = 2) -> Quad:
        """The same quad with coordinates of so many digits: hundredths of a pixel say all that there is to say."""
        return Quad.from_points([(round(x, digits), round(y, digits)) for x, y in self.points])

    def clip(self, width: int, height: int) -> Quad:
        """The same quad with each corner moved into a `width` x `height` picture."""
        return Quad.from_points([(min(max(x, 0), width), min(max(y, 0), height)) for x, y in self.points])
