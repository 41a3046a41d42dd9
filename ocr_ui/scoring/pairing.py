"""Which line of one reading is which line of another."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from ocr_ui.domain.content import Field, TextLine

SAME_PLACE = 0.5
"""Boxes that overlap this much (intersection over union) hold the same line; the model's official reward matches so."""

_SIMILAR = 0.4
_RELATED = 0.3
_MOST_COMPARED = 250_000
_ROWS_AT_ONCE = 256

Pair = tuple[int | None, int | None]


def pair_lines(model: Sequence[TextLine], human: Sequence[TextLine]) -> list[Pair]:
    """Indices of lines that belong together, in the order of `human`.

    By id first (an edited line keeps its id), then by equal text, by place, by similar text. A line without a partner
    comes with None; one of the model's stands behind the line that it followed. Costs about one pass over the lines
    where most have a partner by id or text; 1,000 lines without ids or equal texts take well under a second.
    """
    matched = _Matches(model, human)
    matched.by_id()
    matched.by_text()
    matched.by_place()
    matched.by_similarity()
    return _in_order(matched.of_human, len(model))


class _Matches:
    def __init__(self, model: Sequence[TextLine], human: Sequence[TextLine]) -> None:
        self.model, self.human = model, human
        self.of_human: list[int | None] = [None] * len(human)
        self._taken: set[int] = set()

    def by_id(self) -> None:
        places = {line.id: index for index, line in enumerate(self.model) if line.id}
        for h, line in enumerate(self.human):
            m = places.get(line.id)
            if m is not None and m not in self._taken and _related(self.model[m], line):
                self._take(m, h)

    def by_text(self) -> None:
        places: dict[str, deque[int]] = defaultdict(deque)
        for m in self._free_model():
            places[self.model[m].text].append(m)
        for h in self._free_human():
            text = self.human[h].text
            if text.strip() and places[text]:
                self._take(places[text].popleft(), h)

    def by_place(self) -> None:
        ours = [m for m in self._free_model() if self.model[m].quad]
        theirs = [h for h in self._free_human() if self.human[h].quad]
        if not ours or not theirs:
            return
        boxes = boxes_of(self.model[m] for m in ours)
        for start in range(0, len(theirs), _ROWS_AT_ONCE):
            rows = theirs[start : start + _ROWS_AT_ONCE]
            for h, found in zip(rows, overlaps(boxes_of(self.human[h] for h in rows), boxes), strict=True):
                self._take_best(h, ours, found)

    def by_similarity(self) -> None:
        ours, theirs = self._free_model(), self._free_human()
        if not ours or not theirs:
            return
        pairs = _most_similar if len(ours) * len(theirs) <= _MOST_COMPARED else _in_turn
        for m, h in pairs(self.model, self.human, ours, theirs):
            if m not in self._taken and self.of_human[h] is None:
                self._take(m, h)

    def _take_best(self, h: int, ours: list[int], found: np.ndarray) -> None:
        for place in np.argsort(-found, kind="stable"):
            if found[place] < SAME_PLACE:
                return
            if ours[place] not in self._taken:
                self._take(ours[place], h)
                return

    def _take(self, m: int, h: int) -> None:
        self.of_human[h] = m
        self._taken.add(m)

    def _free_model(self) -> list[int]:
        return [m for m in range(len(self.model)) if m not in self._taken]

    def _free_human(self) -> list[int]:
        return [h for h, m in enumerate(self.of_human) if m is None]


def _related(one: TextLine, other: TextLine) -> bool:
    """An id alone is not enough: two readings of one page both count their lines from 0."""
    if one.text == other.text or one.quad is None or other.quad is None:
        return True
    if one.quad.bounds.iou(other.quad.bounds) > 0:
        return True
    return Levenshtein.normalized_similarity(one.text, other.text) >= _RELATED


def _most_similar(
    model: Sequence[TextLine], human: Sequence[TextLine], ours: list[int], theirs: list[int]
) -> list[tuple[int, int]]:
    scores = cdist(
        [human[h].text for h in theirs],
        [model[m].text for m in ours],
        scorer=Levenshtein.normalized_similarity,
        score_cutoff=_SIMILAR,
    )
    rows, columns = np.nonzero(scores)
    best_first = np.lexsort((np.abs(rows - columns), -scores[rows, columns]))
    return [(ours[columns[n]], theirs[rows[n]]) for n in best_first if theirs[rows[n]] is not None]


def _in_turn(
    model: Sequence[TextLine], human: Sequence[TextLine], ours: list[int], theirs: list[int]
) -> list[tuple[int, int]]:
    """For readings that have next to nothing in common: line by line, where they are similar."""
    pairs = zip(ours, theirs, strict=False)
    return [(m, h) for m, h in pairs if Levenshtein.normalized_similarity(model[m].text, human[h].text) >= _SIMILAR]


def by_name(fields: Iterable[Field]) -> dict[tuple[str, int], Field]:
    """Fields by their name and a number, 0 for the first of that name: two of one name are two."""
    seen: Counter[str] = Counter()
    found = {}
    for field in fields:
        found[field.name, seen[field.name]] = field
        seen[field.name] += 1
    return found


def boxes_of(lines: Iterable[TextLine]) -> np.ndarray:
    """Array of shape (lines with a box, 4): left, top, right, bottom in pixels."""
    bounds = [line.quad.bounds for line in lines if line.quad]
    return np.array([(b.left, b.top, b.right, b.bottom) for b in bounds], dtype=float).reshape(-1, 4)


def overlaps(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Intersection over union of each row box with each column box; 0 where both are without area."""
    low = np.maximum(rows[:, None, :2], columns[None, :, :2])
    high = np.minimum(rows[:, None, 2:], columns[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2)
    union = _areas(rows)[:, None] + _areas(columns)[None, :] - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


def _areas(boxes: np.ndarray) -> np.ndarray:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _in_order(of_human: list[int | None], models: int) -> list[Pair]:
    behind: dict[int, list[int]] = defaultdict(list)
    taken = {m for m in of_human if m is not None}
    last = -1
    for m in range(models):
        if m in taken:
            last = m
        else:
            behind[last].append(m)
    pairs: list[Pair] = [(m, None) for m in behind[-1]]
    for h, partner in enumerate(of_human):
        pairs.append((partner, h))
        if partner is not None:
            pairs.extend((m, None) for m in behind[partner])
    return pairs
