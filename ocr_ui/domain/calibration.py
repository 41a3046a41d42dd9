"""How far confidences can be trusted: how often what has a confidence is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

LINE, CELL = "line", "cell"
"""Parts of a page that have a confidence; of fields each kind is a part of its own, `field:amount`."""


def field_part(kind: str) -> str:
    return f"field:{kind}"


@dataclass(frozen=True, slots=True)
class Judged:
    """A line, cell or field that a model gave, and whether a person left it as it was.

    Attributes:
        confidence: 0..1.
    """

    confidence: float
    right: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """Attributes: confidence: the mean of those in it; right: the share of them that is."""

    low: float
    high: float
    count: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class Load:
    """What a threshold comes to.

    Attributes:
        threshold: whatever is less sure is looked at.
        load: the share that is looked at.
        caught: the share of the mistakes that is among it.
    """

    threshold: float
    load: float
    caught: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Attributes:
    count, wrong: of what was judged.
    error: expected calibration error: how far the confidence of each bin is from what is right in it, by its count.
    bins: that are not empty.
    loads: review load against mistakes caught, at several thresholds.
    miss_rate: the share of the mistakes that may be missed; `chosen` keeps it with the least to look at.
    """

    count: int
    wrong: int
    error: float
    bins: tuple[Bin, ...]
    loads: tuple[Load, ...]
    miss_rate: float
    chosen: Load

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Calibration:
        bins: Sequence[dict[str, Any]] = data["bins"]
        loads: Sequence[dict[str, Any]] = data["loads"]
        return cls(
            count=data["count"],
            wrong=data["wrong"],
            error=data["error"],
            bins=tuple(Bin(**one) for one in bins),
            loads=tuple(Load(**one) for one in loads),
            miss_rate=data["miss_rate"],
            chosen=Load(**data["chosen"]),
        )
