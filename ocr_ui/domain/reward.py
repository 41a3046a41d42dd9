"""A score of an answer against a label."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task


class RewardTask(StrEnum):
    """What a reward is given for. These are the trainers' names; they are not the names of templates."""

    SPOTTING = "spotting"
    LAYOUT = "layout"
    PARSING = "parsing"
    IE = "ie"
    CHART = "chart_deplot"
    TRANSLATION = "translation"
    VQA = "vqa"


OF_TASK: dict[Task, RewardTask] = {
    Task.SPOTTING: RewardTask.SPOTTING,
    Task.TEXT: RewardTask.PARSING,
    Task.FIELDS: RewardTask.IE,
    Task.TRANSLATE: RewardTask.TRANSLATION,
    Task.QA: RewardTask.VQA,
    Task.DOCUMENT: RewardTask.PARSING,
    Task.TABLE: RewardTask.PARSING,
    Task.FORMULA: RewardTask.PARSING,
    Task.CHART: RewardTask.CHART,
    Task.LAYOUT: RewardTask.LAYOUT,
    Task.SUBTITLES: RewardTask.PARSING,
}
"""The reward of what a template asks for. The official kit has no such table; this is ours."""


@dataclass(frozen=True, slots=True)
class Reward:
    """One named score with its reason in words.

    Attributes:
        name: of the rule: official, clean, judge, or the file that computed it.
        value: 0..1; -1 where the rule says that the pair must not be learned from; None where it gives nothing. A
            reward file may give any number.
        reason: an English sentence.
        code, details: of the reason, for sentences in other languages.
    """

    name: str
    value: float | None
    reason: str
    code: str = ""
    details: dict[str, Any] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "reward": self.value,
            "reason": self.reason,
            "code": self.code,
            "details": self.details,
        }


@dataclass(frozen=True, slots=True)
class LabelProblem:
    """Why a label cannot be scored, or not as it was meant.

    Attributes:
        code: stable name, see `ocr_ui.scoring.labels`.
        message: an English sentence.
        mended: the label without the problem; None where no program can tell.
        details: values that the sentence speaks of.
        content: of an item: its page without the problem; None where no program can tell.
        hint: what a person can do about it.
    """

    code: str
    message: str
    mended: str | None = None
    details: dict[str, Any] = field(default_factory=dict, hash=False)
    content: PageContent | None = None
    hint: str = ""

    def to_dict(self) -> dict[str, Any]:
        content = self.content.to_dict() if self.content else None
        told = {"code": self.code, "message": self.message, "hint": self.hint, "details": self.details}
        return {**told, "mended": self.mended, "content": content}
