"""The official reward of text with boxes, as the model's reinforcement kit computes it.

Boxes are matched greedily, in the order of the answer: another order of the same answer can be worth something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ocr_ui.domain.counted import counted
from ocr_ui.domain.reward import Reward
from ocr_ui.scoring.spotting_shapes import BoxedText, comparable, read, rule_shape
from ocr_ui.scoring.text import edit_distance

NO_TEXT = "没有文字"
ENOUGH = 0.5
"""Overlap from which on two boxes are the same."""

_INSIDE = re.compile(r"<answer>(.+?)</answer>", re.DOTALL)
_STOPS = str.maketrans("", "", ".。")
_EXACT_WITHIN = 1e-4
_NO_DIVISION_BY_ZERO = 1e-6
_LONGEST_NUMBER = re.compile(r"\d{300,}")


def reward(response: str, reference: str) -> Reward:
    """Never raises. None where either side has the shape of lines with boxes and not one that can be read."""
    try:
        response, reference = _inside(response), _inside(reference)
    except LookupError:
        return _told(-1.0, "answer_tags_empty", "Nothing stands between the <answer> tags; the rule fails there.")
    if _LONGEST_NUMBER.search(response) or _LONGEST_NUMBER.search(reference):
        return _told(-1.0, "number_too_long", "A number has hundreds of digits; the rule fails there.")
    if _same(response, reference):
        return _told(1.0, "same", "The answer says the same as the label.")
    shape, wanted = rule_shape(response), rule_shape(reference)
    if not shape:
        return _told(0.0, "answer_shape_unknown", "The answer is in none of the four shapes of text with boxes.")
    if not wanted:
        return _told(
            -1.0,
            "label_shape_unknown",
            "The label is in none of the four shapes of text with boxes: the pair is left out of the training.",
        )
    read_lines, label_lines = read(response, shape), read(reference, wanted)
    if not read_lines or not label_lines:
        side = "label" if read_lines else "answer"
        return _told(None, f"{side}_without_lines", f"No line of the {side} can be read: the rule gives no value.")
    return _matched(_match(read_lines, label_lines), len(read_lines), len(label_lines))


def _inside(text: str) -> str:
    """What stands between answer tags, where a text has them. Raises LookupError where nothing does."""
    if "<answer>" not in text or "</answer>" not in text:
        return text
    return _INSIDE.findall(text)[0].strip()


def _same(response: str, reference: str) -> bool:
    response, reference = (text.strip().translate(_STOPS) for text in (response, reference))
    if response == reference:
        return True
    return NO_TEXT in response and (not reference or NO_TEXT in reference)


@dataclass(frozen=True, slots=True)
class _Match:
    """Sum and number of the terms, and how many boxes found a partner."""

    distance: float
    terms: int
    pairs: int


def _match(response: list[BoxedText], reference: list[BoxedText]) -> _Match:
    free = list(reference)
    texts: list[tuple[str, str]] = []
    pairs = 0
    for line in response:
        best = max(free, key=line.iou, default=None)
        if best is not None and line.iou(best) >= ENOUGH:
            free.remove(best)
            texts.append((line.text, best.text))
            pairs += 1
        else:
            texts.append((line.text, ""))
    texts += [("", line.text) for line in free]
    return _Match(sum(_distance(*pair) for pair in texts), len(texts), pairs)


def _distance(one: str, other: str) -> float:
    """Edit distance per character of the longer text; 0 for two empty ones."""
    one, other = comparable(one), comparable(other)
    longest = max(len(one), len(other))
    return edit_distance(one, other) / longest if longest else 0.0


def _matched(match: _Match, answered: int, labelled: int) -> Reward:
    value = min(1.0, max(0.0, 1 - match.distance / (match.terms + _NO_DIVISION_BY_ZERO)))
    nearest = float(round(value))
    value = nearest if abs(value - nearest) <= _EXACT_WITHIN else value
    told = {
        "pairs": match.pairs,
        "answered": answered,
        "labelled": labelled,
        "invented": answered - match.pairs,
        "missed": labelled - match.pairs,
    }
    found = counted(labelled, "box of the label was", "boxes of the label were")
    reason = (
        f"{match.pairs} of {found} found, {told['missed']} missed, {told['invented']} invented or misplaced; "
        f"the texts of all differ by {match.distance / match.terms:.1%} on average."
    )
    return _told(value, "boxes", reason, difference=round(match.distance / match.terms, 4), **told)


def _told(value: float | None, code: str, reason: str, **details: object) -> Reward:
    return Reward("official", value, reason, code, details)
