"""Which of two readings of one picture somebody found better, and whether a trainer may learn from it."""

from __future__ import annotations

from dataclasses import dataclass

from ocr_ui.domain.recognition import ASKED_NOTHING, Recognition
from ocr_ui.domain.rollout import Choice


@dataclass(frozen=True, slots=True)
class Preference:
    """What somebody says of two readings beside each other.

    Attributes:
        left, right: their ids.
        blind: whoever judged did not see which reading was whose.
        seconds: that it took.
        experiment: whose two arms they are; None for none.
    """

    left: int
    right: int
    choice: Choice
    person: str = ""
    blind: bool = False
    seconds: float = 0.0
    experiment: int | None = None


WHOLE = ("complete", "cut")
"""Outcomes of readings whose answer a model has ended itself, or was kept from going on with."""


def why_no_pair(one: Recognition, other: Recognition) -> str:
    """Why two readings are no better and worse answer for a trainer; "" where they are.

    A pair (DPO) is two answers of a model to one question: the same picture, in the same copy, and the same prompt
    letter by letter. What was asked in other words teaches which words to ask in, and no model.

    Returns:
        other_picture, no_prompt, other_prompt, other_copy, not_whole or same_answer.
    """
    if one.page_sha256 != other.page_sha256:
        return "other_picture"
    both = (one, other)
    if any(reading.engine.kind in ASKED_NOTHING or not reading.prompt.text.strip() for reading in both):
        return "no_prompt"
    if one.prompt.text != other.prompt.text:
        return "other_prompt"
    if one.transform != other.transform:
        return "other_copy"
    said = [reading.generation.text.strip() for reading in both]
    if not all(said) or any(reading.outcome not in WHOLE for reading in both):
        return "not_whole"
    return "same_answer" if said[0] == said[1] else ""
