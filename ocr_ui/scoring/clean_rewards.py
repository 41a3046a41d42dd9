"""Our own rewards beside the official ones: no order, no cliffs, no markup that decides whether a table is seen."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from ocr_ui.domain.counted import counted
from ocr_ui.domain.reward import Reward
from ocr_ui.scoring import teds
from ocr_ui.scoring.assignment import best_pairs
from ocr_ui.scoring.flat_text import flatten
from ocr_ui.scoring.official_fields import read_object
from ocr_ui.scoring.official_spotting import ENOUGH, NO_TEXT
from ocr_ui.scoring.spotting_shapes import BoxedText, read, rule_shape
from ocr_ui.scoring.text import LENIENT, Normalization, edit_distance

_TABLE = re.compile(r"<table(?:\s[^<>]{0,400})?>.*?</table>", re.DOTALL | re.IGNORECASE)
_ATTRIBUTES = re.compile(r"<(table|thead|tbody|tr)\s[^<>]{0,400}>", re.IGNORECASE)
_PLAIN = Normalization(unicode="NFKC", no_spaces=True)
_MOST_PAIRS = 4_000_000
_TABLE_WORK = 60
_MOST_TABLE_WORK = 20_000_000


def spotting(response: str, reference: str) -> Reward:
    """Twice the similarity of the pairs by the lines of both sides, with the pairing that gives most."""
    label_shape = rule_shape(reference)
    labelled = read(reference, label_shape) if label_shape else []
    if not labelled and NO_TEXT not in reference and reference.strip():
        return _told(None, "label_shape_unknown", "The label is in none of the four shapes of text with boxes.")
    answer_shape = rule_shape(response)
    answered = read(response, answer_shape) if answer_shape else []
    if not labelled or not answered:
        value = float(not labelled and not answered)
        reason = f"The answer has {counted(len(answered), 'line')} and the label {len(labelled)}."
        return _told(value, "line_numbers", reason, answered=len(answered), labelled=len(labelled))
    if len(answered) * len(labelled) > _MOST_PAIRS:
        return _told(None, "too_many_lines", "There are too many lines to find the best pairing.")
    found = [alike for *_, alike in best_pairs(answered, labelled, _line_similarity) if alike > 0]
    value = 2 * sum(found) / (len(answered) + len(labelled))
    lines = counted(len(found), f"line of {len(labelled)} was", f"lines of {len(labelled)} were")
    reason = f"{lines} found among {len(answered)}, at best {value:.1%} together."
    return _told(value, "lines", reason, pairs=len(found), answered=len(answered), labelled=len(labelled))


def ie(response: str, reference: str) -> Reward:
    """The mean similarity over the fields of both sides; lists and objects are compared part by part."""
    label = read_object(reference)
    if label is None:
        return _told(None, "label_no_object", "The label is no JSON object.")
    value = _value_similarity(read_object(response) or {}, label)
    return _told(value, "values", f"The values are {value:.1%} alike.", alike=value)


def parsing(response: str, reference: str) -> Reward:
    """Similarity of the texts, and where there are tables the half of it TEDS with the pairing that gives most."""
    similarity = _text_similarity(response, reference)
    answered, labelled = ([_bare(table) for table in _TABLE.findall(text)] for text in (response, reference))
    if not answered and not labelled:
        return _told(similarity, "text", f"The texts are {similarity:.1%} alike.", text=similarity)
    if len(answered) * len(labelled) > 1 and _work(answered) * _work(labelled) > _MOST_TABLE_WORK:
        return _told(None, "too_many_tables", "There are too many tables to find the best pairing.")
    try:
        pairs = best_pairs(answered, labelled, _table_similarity)
    except teds.TooLarge:
        return _told(None, "table_too_large", "A table is too large to be compared here.", limit=teds.MOST_NODES)
    tables = 2 * sum(alike for *_, alike in pairs) / (len(answered) + len(labelled))
    value = (similarity + tables) / 2
    return _told(
        value, "text_and_tables", f"Text {similarity:.1%} alike, tables {tables:.1%}.", text=similarity, teds=tables
    )


def _line_similarity(one: BoxedText, other: BoxedText) -> float:
    """That of the texts of one place; 0 for boxes in different places."""
    return _similarity(_PLAIN(one.text), _PLAIN(other.text)) if one.iou(other) >= ENOUGH else 0.0


def _value_similarity(one: Any, other: Any) -> float:
    if isinstance(one, dict) and isinstance(other, dict):
        names = {*one, *other}
        return sum(_value_similarity(one.get(n), other.get(n)) for n in names) / len(names) if names else 1.0
    if isinstance(one, list) and isinstance(other, list):
        longest = max(len(one), len(other))
        return sum(map(_value_similarity, one, other)) / longest if longest else 1.0
    return _similarity(LENIENT(_written(one)), LENIENT(_written(other)))


def _written(value: Any) -> str:
    return "" if value is None else str(value)


def _text_similarity(response: str, reference: str) -> float:
    return _similarity(*(_PLAIN(flatten(html.unescape(text))) for text in (response, reference)))


def _similarity(one: str, other: str) -> float:
    longest = max(len(one), len(other))
    return 1 - edit_distance(one, other) / longest if longest else 1.0


def _work(tables: Sequence[str]) -> int:
    """Tags of all tables, and what it costs to read each."""
    return sum(table.count("<") + _TABLE_WORK for table in tables)


def _bare(table: str) -> str:
    return _ATTRIBUTES.sub(r"<\1>", table)


def _table_similarity(one: str, other: str) -> float:
    try:
        return teds.similarity(one, other)
    except ValueError:
        return 0.0


def _told(value: float | None, code: str, reason: str, **details: object) -> Reward:
    return Reward("clean", value, reason, code, details)
