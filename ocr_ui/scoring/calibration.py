"""From what people judged to how far confidences can be trusted, and a threshold for a chosen rate of misses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ocr_ui.domain.calibration import CELL, LINE, Bin, Calibration, Judged, Load, field_part
from ocr_ui.domain.content import PageContent, Table
from ocr_ui.scoring.pairing import pair_lines

_CELL = re.compile(r"<(t[dh])([^<>]*)>(.*?)</\1>", re.DOTALL)

BINS = 10
SHOWN = 20
"""Thresholds whose load is told."""
ALL = 1.0000001
"""A threshold above every confidence: all is looked at."""


def calibrate(judged: Sequence[Judged], miss_rate: float, bins: int = BINS) -> Calibration:
    """Args: miss_rate: the share of the mistakes that may stay unseen, 0..1."""
    confidences = np.array([one.confidence for one in judged], dtype=float)
    wrong = np.array([not one.right for one in judged], dtype=bool)
    found = tuple(_bins(confidences, wrong, bins))
    count = len(judged)
    error = sum(one.count * abs(one.confidence - one.right) for one in found) / count if count else 0.0
    loads = _loads(confidences, wrong)
    chosen = next((one for one in loads if one.caught >= 1 - miss_rate - 1e-9), loads[-1])
    shown = dict.fromkeys([*loads[:: max(1, len(loads) // SHOWN)], loads[-1]])
    return Calibration(count, int(wrong.sum()), float(error), found, tuple(shown), miss_rate, chosen)


def _bins(confidences: np.ndarray, wrong: np.ndarray, bins: int) -> Iterator[Bin]:
    """Equal widths from 0 to 1; a bound belongs to the bin above it, and 1 to the last."""
    place = np.minimum((confidences * bins).astype(int), bins - 1)
    for number in range(bins):
        inside = place == number
        if inside.any():
            mean, right = float(confidences[inside].mean()), float(1 - wrong[inside].mean())
            yield Bin(number / bins, (number + 1) / bins, int(inside.sum()), mean, right)


def _loads(confidences: np.ndarray, wrong: np.ndarray) -> list[Load]:
    """For every threshold that makes a difference, the lowest first: what is below it, and the mistakes among it."""
    thresholds = [*np.unique(confidences).tolist(), ALL]
    order = np.argsort(confidences, kind="stable")
    below = np.searchsorted(confidences[order], thresholds, side="left")
    mistakes = np.concatenate(([0], np.cumsum(wrong[order])))
    count, all_wrong = max(1, len(confidences)), int(wrong.sum())
    return [
        Load(float(threshold), n / count, float(mistakes[n] / all_wrong) if all_wrong else 1.0)
        for threshold, n in zip(thresholds, below.tolist(), strict=True)
    ]


def judge(model: PageContent, human: PageContent) -> Iterator[tuple[str, Judged]]:
    """Everything of a model's page that has a confidence, with its part, by the page as a person left it."""
    for m, h in pair_lines(model.lines, human.lines):
        line = None if m is None else model.lines[m]
        if line is not None and line.confidence is not None:
            right = h is not None and human.lines[h].text == line.text
            yield LINE, Judged(line.confidence, right)
    values = {field.name: field.value for field in human.fields}
    for field in model.fields:
        if field.confidence is not None:
            right = field.name in values and values[field.name] == field.value
            yield field_part(field.kind), Judged(field.confidence, right)
    if len(model.tables) == len(human.tables):
        for ours, theirs in zip(model.tables, human.tables, strict=True):
            yield from _cells(ours, theirs)


def _cells(model: Table, human: Table) -> Iterator[tuple[str, Judged]]:
    """Cell by cell where the person left the table's form as it was: of another form nothing can be told."""
    ours, theirs = (_CELL.findall(table.html) for table in (model, human))
    if len(ours) != len(model.confidences) or _form(model) != _form(human):
        return
    for said, wanted, pair in zip(ours, theirs, model.confidences, strict=True):
        if pair is not None:
            yield CELL, Judged(pair[0], said[2] == wanted[2])


def _form(table: Table) -> str:
    return _CELL.sub(r"<\1\2></\1>", table.html)
