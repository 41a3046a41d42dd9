"""The probabilities of a model's tokens, kept by where they stand in its answer."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure a model was of a piece of its answer.

    Attributes:
        mean: the geometric mean of the tokens' probabilities, 0..1.
        lowest: that of the least sure token, 0..1.
    """

    mean: float
    lowest: float


class Probabilities:
    """Collects tokens as they come; `between` then costs as much as the tokens asked about."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._ends = array("q")
        self._values = array("d")
        self._length = 0

    def __len__(self) -> int:
        return len(self._values)

    def feed(self, text: str, pieces: Sequence[str], logprobs: Sequence[float]) -> None:
        """More of the answer.

        Args:
            text: the new characters.
            pieces: the text of each token, adding up to `text`; a part of a character has none.
            logprobs: the natural logarithm of each token's probability; empty where the engine gives none.
        """
        at = self._length
        self._length += len(text)
        for piece, value in zip(pieces, logprobs, strict=False):
            start, at = at, at + len(piece)
            self._starts.append(start)
            self._ends.append(at)
            self._values.append(min(0.0, value))
            if piece:
                self._carry(len(self._ends) - 2, start, at)

    def _carry(self, index: int, start: int, end: int) -> None:
        """The parts of a character, which came just before without text, stand where its last token does."""
        while index >= 0 and self._starts[index] == self._ends[index] == start:
            self._ends[index] = end
            index -= 1

    def between(self, start: int, end: int) -> Certainty | None:
        """Of the tokens that have a character in `start`..`end`; None where there are none."""
        first = bisect_right(self._ends, start)
        values = []
        for index in range(first, len(self._values)):
            if self._starts[index] >= end:
                break
            values.append(self._values[index])
        if not values:
            return None
        return Certainty(math.exp(sum(values) / len(values)), math.exp(min(values)))
