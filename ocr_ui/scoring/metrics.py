"""How good a reading of a page is, by every measure that what is known of the page allows.

A measure of a page is a part of a whole: characters that are wrong of those that there are, boxes found of those that
were looked for. The measure of many pages is the sum of their parts by the sum of their wholes, so that a long page
counts for more than a short one; tables, rewards and formulas count one each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ocr_ui.domain.content import Field, PageContent, TextLine
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.truth import Truth
from ocr_ui.scoring import teds
from ocr_ui.scoring.assignment import best_pairs, most_pairs
from ocr_ui.scoring.facts import holds
from ocr_ui.scoring.pairing import SAME_PLACE, boxes_of, overlaps
from ocr_ui.scoring.text import Normalization, edit_distance, rate, words

Part = tuple[float, float]
"""What counts, and of how much."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Attributes:
    lower: less of it is better.
    name: in English, for reports and tables.
    """

    key: str
    name: str
    lower: bool = False


METRICS: tuple[Metric, ...] = (
    Metric("cer", "CER", lower=True),
    Metric("wer", "WER", lower=True),
    Metric("box_precision", "Box precision"),
    Metric("box_recall", "Box recall"),
    Metric("box_f1", "Box F1"),
    Metric("field_exact", "Fields exact"),
    Metric("field_precision", "Field precision"),
    Metric("field_recall", "Field recall"),
    Metric("field_f1", "Field F1"),
    Metric("teds", "TEDS"),
    Metric("formula_distance", "Formula distance", lower=True),
    Metric("official", "Official reward"),
    Metric("facts", "Facts"),
)
"""Every measure, in the order in which they are shown; the first that a test set allows is its main one."""

METRIC = {metric.key: metric for metric in METRICS}

_NAME = Normalization(unicode="NFKC", case=True, no_spaces=True)
FORMULAS = Normalization(no_spaces=True)
"""White space means nothing in LaTeX but behind a command."""
_HEAD_CELL = re.compile(r"<(/?)th(?=[\s>/])", re.IGNORECASE)
_WRAPPER = re.compile(r"</?(?:thead|tbody|tfoot|colgroup|col|caption)(?:\s[^<>]{0,400})?>", re.IGNORECASE)
_TABLE_MARKS = re.compile(r"<(table|tr)\s[^<>]{0,400}>", re.IGNORECASE)


def value(part: Part) -> float:
    """What a part of a whole comes to; where nothing was to be read, 0, or 1 for anything that was."""
    return rate(*part)


def score_page(
    truth: Truth,
    read: PageContent,
    task: Task,
    normalization: Normalization,
    official: float | None = None,
) -> dict[str, Part]:
    """Every measure that is known of a reading, by the keys of METRICS.

    Args:
        read: nothing where the reading failed: a page that was not read is wrong from beginning to end.
        official: the official reward; None, or below 0, where the rule gives none.
    """
    found: dict[str, Part] = {}
    wanted = truth.answer(task)
    if wanted is not None:
        found |= _text(wanted, written(read), normalization)
    if truth.lines is not None and task is Task.SPOTTING:
        found |= _boxes(read.lines, truth.lines)
    if truth.fields is not None and task is Task.FIELDS:
        found |= _fields(read.fields, truth.fields, normalization)
    if truth.tables is not None and task in (Task.TABLE, Task.DOCUMENT):
        found |= _tables([table.html for table in read.tables], truth.tables)
    if truth.formulas is not None and task is Task.FORMULA:
        found |= _formulas(written(read), "\n".join(truth.formulas))
    if official is not None and official >= 0:
        found["official"] = (official, 1)
    if truth.facts:
        found["facts"] = (sum(holds(fact, read, normalization) for fact in truth.facts), len(truth.facts))
    return found


def written(content: PageContent) -> str:
    """What a reading says as running text: its lines in their order, else its text."""
    return "\n".join(line.text for line in content.lines) if content.lines else content.text


def _text(wanted: str, read: str, normalization: Normalization) -> dict[str, Part]:
    wanted, read = normalization(wanted), normalization(read)
    if wanted == read:
        return {"cer": (0, len(wanted)), "wer": (0, len(words(wanted)))}
    right, got = words(wanted), words(read)
    return {
        "cer": (edit_distance(wanted, read), len(wanted)),
        "wer": (Levenshtein.distance(right, got), len(right)),
    }


def _boxes(read: Sequence[TextLine], wanted: Sequence[TextLine]) -> dict[str, Part]:
    """Boxes that overlap by half are one, each at most once, so that as many as possible find a partner."""
    ours, theirs = boxes_of(read), boxes_of(wanted)
    pairs = most_pairs(overlaps(theirs, ours) >= SAME_PLACE) if len(ours) and len(theirs) else 0
    return _three("box", pairs, len(ours), len(theirs))


def _fields(read: Sequence[Field], wanted: Sequence[Field], normalization: Normalization) -> dict[str, Part]:
    """A value is right where it is equal under the normalisation; that a field is absent is right where it is known."""
    got = {name_of(field): field.value for field in read}
    right = {name_of(field): field.value for field in wanted}
    same = [name for name in right if name in got and same_value(got[name], right[name], normalization)]
    with_value = sum(right[name] is not None for name in same)
    given = sum(one is not None for one in got.values())
    known = sum(one is not None for one in right.values())
    exact = {"field_exact": (len(same), len(right))} if right else {}
    return {**exact, **_three("field", with_value, given, known)}


def name_of(field: Field) -> str:
    """By which a field of the one side finds that of the other."""
    return _NAME(field.name).rstrip(":")


def same_value(one: str | None, other: str | None, normalization: Normalization) -> bool:
    if one is None or other is None:
        return one is other
    return normalization(one) == normalization(other)


def _three(name: str, right: int, given: int, wanted: int) -> dict[str, Part]:
    """Precision, recall and F1, each where there is something that it is a part of."""
    found = {
        f"{name}_precision": (right, given),
        f"{name}_recall": (right, wanted),
        f"{name}_f1": (2 * right, given + wanted),
    }
    return {key: part for key, part in found.items() if part[1]}


def _tables(read: Sequence[str], wanted: Sequence[str]) -> dict[str, Part]:
    """The best pairing's TEDS by the number of tables on the side that has more: one missing or invented counts 0."""
    most = max(len(read), len(wanted))
    if not most:
        return {}
    ours, theirs = [plain_table(table) for table in read], [plain_table(table) for table in wanted]
    return {"teds": (sum(alike for *_, alike in best_pairs(ours, theirs, _teds)), most)}


def plain_table(html: str) -> str:
    """Rows and cells alone: whether a cell is a heading, and what groups rows, is notation that models differ in."""
    return _TABLE_MARKS.sub(r"<\1>", _HEAD_CELL.sub(r"<\1td", _WRAPPER.sub("", html)))


def _teds(one: str, other: str) -> float:
    """0 for what is no table, or too large to be compared."""
    try:
        return teds.similarity(one, other)
    except (ValueError, teds.TooLarge):
        return 0.0


def _formulas(read: str, wanted: str) -> dict[str, Part]:
    """Edit distance by the longer of both, without white space."""
    ours, theirs = FORMULAS(read), FORMULAS(wanted)
    longest = max(len(ours), len(theirs))
    return {"formula_distance": (edit_distance(ours, theirs), longest)} if longest else {}


def corpus(parts: Sequence[Part]) -> float | None:
    """The measure of several pages; None of none."""
    return value((sum(part for part, _ in parts), sum(whole for _, whole in parts))) if parts else None
