"""Which of ours belongs to which of theirs, so that all together fit best (Hungarian method)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def best_pairs(
    ours: Sequence[T], theirs: Sequence[T], similarity: Callable[[T, T], float]
) -> list[tuple[int, int, float]]:
    """The pairing with the highest sum of similarities: index of ours, index of theirs, how alike they are."""
    from scipy.optimize import linear_sum_assignment  # takes a third of a second to import

    scores = np.array([[similarity(a, b) for b in theirs] for a in ours], dtype=float).reshape(len(ours), len(theirs))
    rows, columns = linear_sum_assignment(scores, maximize=True)
    return [(int(r), int(c), float(scores[r, c])) for r, c in zip(rows, columns, strict=True)]


def most_pairs(allowed: np.ndarray) -> int:
    """How many pairs there are at most, each row and each column in one of them at most.

    Args:
        allowed: bool array of shape (rows, columns): which may be a pair.
    """
    if not allowed.size:
        return 0
    if allowed.sum(axis=0).max() <= 1 and allowed.sum(axis=1).max() <= 1:
        return int(allowed.sum())
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(allowed.astype(float), maximize=True)
    return int(allowed[rows, columns].sum())
