"""The official reward of named values, as the model's reinforcement kit computes it."""

from __future__ import annotations

import json
from typing import Any

from ocr_ui.domain.counted import counted
from ocr_ui.domain.reward import Reward
from ocr_ui.scoring.official_parsing import reward as parsing_reward
from ocr_ui.scoring.text import edit_distance

_FENCE = "```"
_DIGITS = 6
_MOST_NAMED = 3


def reward(response: str, reference: str) -> Reward:
    """The mean similarity over all names of both sides. A label that is no object goes to the rule of parsing."""
    label = read_object(reference)
    if label is None:
        found = parsing_reward(response, reference)
        told = f"The label is no JSON object, so that it is scored as a text. {found.reason}"
        return Reward("official", found.value, told, "label_no_object", {"reason": found.reason, "code": found.code})
    answer = read_object(response)
    return _compared(answer or {}, label, answer is not None)


def read_object(text: str) -> dict[str, Any] | None:
    """The object of an answer: the whole, or what a fence holds, or from the first brace to the last; else None."""
    for candidate in _candidates(text.strip()):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None


def _candidates(text: str) -> list[str]:
    inside = [_unfenced(text)] if text.startswith(_FENCE) and text.endswith(_FENCE) and len(text) > 6 else []
    first, last = text.find("{"), text.rfind("}")
    return [text, *inside, *([text[first : last + 1]] if -1 < first < last else [])]


def _unfenced(text: str) -> str:
    inside = text[len(_FENCE) : -len(_FENCE)].strip()
    return inside[4:] if inside[:4].lower() == "json" else inside


def comparable(value: Any) -> str:
    """A value as text: nothing as none, numbers as Python prints them, lists and objects as JSON."""
    if value is None:
        return ""
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value).strip().replace("\n", "").replace(" ", "").lower()


def similarity(one: str, other: str) -> float:
    """1 for equal texts, 0 where nothing is the same."""
    longest = max(len(one), len(other))
    return 1 - edit_distance(one, other) / longest if longest else 1.0


def _compared(answer: dict[str, Any], label: dict[str, Any], is_object: bool) -> Reward:
    names = sorted({*answer, *label})
    scores = {name: similarity(comparable(answer.get(name)), comparable(label.get(name))) for name in names}
    value = round(sum(scores.values()) / len(scores), _DIGITS) if scores else 0.0
    wrong = sorted((name for name in scores if scores[name] < 1), key=scores.__getitem__)
    told = {
        "fields": len(names),
        "right": len(names) - len(wrong),
        "wrong": ", ".join(wrong[:_MOST_NAMED]),
        "extra": len(set(answer) - set(label)),
    }
    reason = f"{told['right']} of {counted(len(names), 'field is', 'fields are')} right."
    if wrong:
        reason += f" Not right: {told['wrong']}{', ...' if len(wrong) > _MOST_NAMED else ''}."
    if told["extra"]:
        reason += f" {told['extra']} are not in the label."
    if not is_object:
        return Reward("official", value, f"The answer is no JSON object. {reason}", "answer_no_object", told)
    return Reward("official", value, reason, "fields", told)
