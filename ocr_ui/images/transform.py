"""What is done to the stored picture for an engine, recorded so that boxes find their way back.

A transform is a row of steps, each an affine map with the size of what it gives. A further kind of step is one more
class and its entry in `STEPS`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import cv2
import numpy as np

from ocr_ui.domain.content import ContentWarning
from ocr_ui.domain.geometry import Quad
from ocr_ui.images.clean_steps import Binarise, Denoise, Deskew, Despeckle, EvenLight
from ocr_ui.images.ink import ground_color

Size = tuple[int, int]


class Step(Protocol):
    """One change of the picture.

    Attributes:
        kind: its name in the record.
    """

    kind: ClassVar[str]

    def size(self, before: Size) -> Size:
        """Width and height after the step, of a picture that had `before`."""
        ...

    def matrix(self, before: Size) -> np.ndarray:
        """Affine map (3, 3) of points, in pixels, from before the step to after it."""
        ...

    def apply(self, pixels: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True, slots=True)
class Scale:
    """To a new size; each axis by its own factor, since sizes are whole."""

    kind: ClassVar[str] = "scale"
    width: int
    height: int

    def size(self, before: Size) -> Size:
        return self.width, self.height

    def matrix(self, before: Size) -> np.ndarray:
        return np.diag([self.width / before[0], self.height / before[1], 1.0])

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        smaller = self.width * self.height < pixels.shape[0] * pixels.shape[1]
        return cv2.resize(
            pixels, (self.width, self.height), interpolation=cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
        )


@dataclass(frozen=True, slots=True)
class Pad:
    """A margin in one colour."""

    kind: ClassVar[str] = "pad"
    left: int
    top: int
    right: int
    bottom: int
    color: tuple[int, int, int]

    def size(self, before: Size) -> Size:
        return before[0] + self.left + self.right, before[1] + self.top + self.bottom

    def matrix(self, before: Size) -> np.ndarray:
        return np.array([[1.0, 0.0, self.left], [0.0, 1.0, self.top], [0.0, 0.0, 1.0]])

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        height, width = pixels.shape[:2]
        wide, high = self.size((width, height))
        out = np.empty((high, wide, 3), np.uint8)
        out[:] = self.color
        out[self.top : self.top + height, self.left : self.left + width] = pixels
        return out


@dataclass(frozen=True, slots=True)
class Turn:
    """Quarter turns clockwise, 1 to 3."""

    kind: ClassVar[str] = "turn"
    turns: int

    def size(self, before: Size) -> Size:
        return before if self.turns % 2 == 0 else (before[1], before[0])

    def matrix(self, before: Size) -> np.ndarray:
        width, height = before
        quarter = {
            0: [[1, 0, 0], [0, 1, 0]],
            1: [[0, -1, height], [1, 0, 0]],
            2: [[-1, 0, width], [0, -1, height]],
            3: [[0, 1, 0], [-1, 0, width]],
        }[self.turns % 4]
        return np.array([*quarter, [0, 0, 1]], float)

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.rot90(pixels, -self.turns))


STEPS: dict[str, type[Step]] = {
    step.kind: step for step in (Scale, Pad, Turn, Deskew, Despeckle, Denoise, EvenLight, Binarise)
}


@dataclass(frozen=True, slots=True)
class PictureTransform:
    """From the stored picture to what an engine reads, and back.

    Attributes:
        width, height: of the stored picture, pixels.
        steps: in the order in which they are done.
    """

    width: int
    height: int
    steps: tuple[Step, ...] = ()

    @property
    def engine_size(self) -> Size:
        """Width and height of what the engine reads."""
        return self._sizes()[-1]

    @property
    def scaled(self) -> tuple[Size, Size]:
        """Width and height before the copy was scaled, and after, without its margin; the same where it was not."""
        for step, before in zip(self.steps, self._sizes(), strict=False):
            if isinstance(step, Scale | Pad):
                return before, step.size(before) if isinstance(step, Scale) else before
        return self.engine_size, self.engine_size

    def then(self, step: Step) -> PictureTransform:
        return PictureTransform(self.width, self.height, (*self.steps, step))

    def followed_by(self, other: PictureTransform) -> PictureTransform:
        """Both in one; `other` begins with what this one gives."""
        return PictureTransform(self.width, self.height, (*self.steps, *other.steps))

    @property
    def keeps_shares(self) -> bool:
        """Whether a place is the same share of width and height in both pictures."""
        whole, (width, height) = self._matrix(), self.engine_size
        return bool(np.allclose(whole, np.diag([width / self.width, height / self.height, 1.0])))

    def apply(self, pixels: np.ndarray) -> np.ndarray:
        """The engine's picture, uint8 (height, width, 3), C-contiguous, of the stored one.

        Raises:
            ValueError: `pixels` are not of the stored picture's size.
        """
        if pixels.shape != (self.height, self.width, 3):
            raise ValueError(f"{pixels.shape} is not the picture of {self.height} x {self.width} x 3")
        for step in self.steps:
            pixels = step.apply(pixels)
        return np.ascontiguousarray(pixels)

    def to_engine(self, quad: Quad) -> Quad:
        """A quad in pixels of the stored picture to pixels of the engine's picture."""
        return _mapped(quad, self._matrix())

    def to_stored(self, quad: Quad) -> Quad:
        """A quad in pixels of the engine's picture to pixels of the stored picture, kept inside it.

        A box in the margin that a step added ends up on the border of the stored picture.
        """
        back = _mapped(quad, np.linalg.inv(self._matrix()))
        inside = [(min(max(x, 0.0), float(self.width)), min(max(y, 0.0), float(self.height))) for x, y in back.points]
        return Quad.from_points(inside)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; `from_dict` reads them back to an equal transform."""
        steps = [{"kind": step.kind, **asdict(step)} for step in self.steps]
        return {"width": self.width, "height": self.height, "steps": steps}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PictureTransform:
        """Raises KeyError, TypeError: the data does not have the shape that `to_dict` gives."""
        return cls(data["width"], data["height"], tuple(_step(record) for record in data["steps"]))

    @classmethod
    def recorded(cls, data: Mapping[str, Any]) -> PictureTransform | None:
        """That of a stored reading; None where nothing that can be read is recorded."""
        try:
            return cls.from_dict(dict(data))
        except (KeyError, TypeError):
            return None

    def _sizes(self) -> list[Size]:
        sizes = [(self.width, self.height)]
        for step in self.steps:
            sizes.append(step.size(sizes[-1]))
        return sizes

    def _matrix(self) -> np.ndarray:
        whole = np.eye(3)
        for step, before in zip(self.steps, self._sizes(), strict=False):
            whole = step.matrix(before) @ whole
        return whole


def prepare(
    pixels: np.ndarray, max_pixels: int, *, max_ratio: float = 200
) -> tuple[np.ndarray, PictureTransform, tuple[ContentWarning, ...]]:
    """An engine's copy of a picture: not more than `max_pixels`, not longer than `max_ratio` times its other side.

    A larger picture is scaled down, with a warning `scaled_down`; a longer one gets a margin in the colour of its
    ground on both long sides, with a warning `padded`. The picture itself is returned where nothing is to be done.

    Args:
        pixels: uint8 (height, width, 3), C-contiguous.
        max_pixels: at least `max_ratio`.
    """
    height, width = pixels.shape[:2]
    transform = PictureTransform(width, height)
    notes: list[ContentWarning] = []
    size = fitting((width, height), max_pixels, max_ratio)
    if size != (width, height):
        transform = transform.then(Scale(*size))
        text = f"The picture of {width} x {height} pixels was scaled down to {size[0]} x {size[1]} for reading."
        details = {"width": width, "height": height, "to_width": size[0], "to_height": size[1]}
        notes.append(ContentWarning("scaled_down", text, details=details))
    margins = _margins(size, max_ratio)
    if any(margins):
        transform = transform.then(Pad(*margins, ground_color(pixels)))
        text = f"The picture is more than {max_ratio:g} times as long as wide; a margin was added for reading."
        notes.append(ContentWarning("padded", text))
    return transform.apply(pixels), transform, tuple(notes)


def full_size(pixels: np.ndarray, max_pixels: int, *, max_ratio: float = 200) -> Size:
    """Width and height of the copy that `prepare` makes, without a margin."""
    return fitting((pixels.shape[1], pixels.shape[0]), max_pixels, max_ratio)


def pixels_for(size: Size, copy: Size, max_ratio: float = 200) -> int:
    """The `max_pixels` with which `prepare` makes just this copy of a picture of that size once more. Those of the copy
    itself would not do: each side of it is rounded down, which would be done again."""
    share = max(copy[0] / size[0], copy[1] / size[1])
    least = max(math.ceil(_area(size, max_ratio) * share * share), _padded_area(copy, max_ratio))
    fit = (most for most in (least, least + 1) if fitting(size, most, max_ratio) == copy)
    return next(fit, copy[0] * copy[1])


def fitting(size: Size, max_pixels: int, max_ratio: float = 200) -> Size:
    """The size, scaled down so that it stays within `max_pixels` even with the margins that it will get."""
    width, height = size
    area = _area(size, max_ratio)
    if area <= max_pixels and _padded_area(size, max_ratio) <= max_pixels:
        return size
    scale = math.sqrt(max_pixels / area)
    while True:
        smaller = max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
        if _padded_area(smaller, max_ratio) <= max_pixels or smaller == (1, 1):
            return smaller
        scale *= 0.99


def _area(size: Size, max_ratio: float) -> float:
    """Of a picture with its margins, before anything is rounded."""
    width, height = size
    return max(width, height / max_ratio) * max(height, width / max_ratio)


def _padded_area(size: Size, max_ratio: float) -> int:
    left, top, right, bottom = _margins(size, max_ratio)
    return (size[0] + left + right) * (size[1] + top + bottom)


def _margins(size: Size, max_ratio: float) -> tuple[int, int, int, int]:
    """Left, top, right, bottom."""
    width, height = size
    wider = max(0, math.ceil(height / max_ratio) - width)
    higher = max(0, math.ceil(width / max_ratio) - height)
    return wider // 2, higher // 2, wider - wider // 2, higher - higher // 2


def _mapped(quad: Quad, matrix: np.ndarray) -> Quad:
    points = np.array([[x, y, 1.0] for x, y in quad.points]) @ matrix.T
    return Quad.from_points(points[:, :2].tolist())


def _step(record: dict[str, Any]) -> Step:
    values: dict[str, Any] = {name: _value(value) for name, value in record.items() if name != "kind"}
    return STEPS[record["kind"]](**values)


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
