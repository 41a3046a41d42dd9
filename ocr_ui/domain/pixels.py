"""How many pixels an engine was given of a page, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

REDUCED = "reduced"
"""The copy is smaller than it could be: the smallest text is read in it all the same."""
AS_MANY, UNKNOWN, FEW, UNCALIBRATED = "as_many", "unknown", "few", "uncalibrated"
"""Why it is not: the smallest text needs them all, its height cannot be told, there are few pixels anyway, it was never
measured how high text must be for this engine."""

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Need:
    """What an engine needs of a page.

    Attributes:
        target: height that the smallest text keeps, in pixels of the copy; None where it was never measured.
        fewest: pixels that a copy has at least, where the page has as many.
        unsure: below this mean confidence a page that was read small is read once more with all pixels; 0 for never.
    """

    target: float | None
    fewest: int
    unsure: float = 0.0


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A page that was read small and not surely was read with all pixels.

    Attributes:
        small, full: mean confidence of each reading; None where it has none, or did not come to its end.
        kept: the reading with all pixels is the one that is kept.
    """

    small: float | None
    full: float | None
    kept: bool


@dataclass(frozen=True, slots=True)
class PixelChoice:
    """Attributes:
    reason: REDUCED or why not.
    size: width and height of the engine's copy; `full` what they would have been.
    text_height: of the smallest text, in pixels of the full copy; None where it was not looked for or not told.
    target: as in `Need`.
    rule: revision of the estimate and the rule.
    seconds: that the choice took.
    again: where the page was read a second time.
    """

    reason: str
    size: Size
    full: Size
    text_height: float | None = None
    target: float | None = None
    rule: int = 0
    seconds: float = 0.0
    again: SecondLook | None = None

    @property
    def reduced(self) -> bool:
        """The reading is one with fewer pixels than there are."""
        return self.size != self.full

    @property
    def share(self) -> float:
        """Of the pixels of the full copy."""
        return (self.size[0] * self.size[1]) / (self.full[0] * self.full[1])

    def looked_again(self, again: SecondLook) -> PixelChoice:
        return replace(self, again=again)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; `from_dict` reads them back."""
        return {**asdict(self), "size": list(self.size), "full": list(self.full)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PixelChoice:
        again = data.get("again")
        sizes = {name: (int(data[name][0]), int(data[name][1])) for name in ("size", "full")}
        return cls(**{**data, **sizes, "again": SecondLook(**again) if again else None})
