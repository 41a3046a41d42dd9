"""What an answer is worth against a label: by the official rules, by our own, and as trainers call it.

This file can be handed to a trainer as it is. It imports what the rules need and no more.

- verl: ``custom_reward_function.path=.../ocr_ui/scoring/rewards.py custom_reward_function.name=compute_score``
- TRL: ``from ocr_ui.scoring.rewards import trl_reward``
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

if not __package__:  # loaded by its path: the package may not be installed
    sys.path.append(str(Path(__file__).resolve().parent.parent.parent))

from ocr_ui.domain.reward import OF_TASK, Reward, RewardTask
from ocr_ui.errors import BadInput
from ocr_ui.scoring import official_fields, official_parsing, official_spotting

RULES = ("official", "clean")
"""official: as the model's reinforcement kit computes it. clean: our own, see `ocr_ui.scoring.clean_rewards`."""

Rule = Callable[[str, str], Reward]

_OFFICIAL: dict[RewardTask, Rule] = {
    RewardTask.SPOTTING: official_spotting.reward,
    RewardTask.IE: official_fields.reward,
    RewardTask.PARSING: official_parsing.reward,
}
_JUDGED = (RewardTask.TRANSLATION, RewardTask.VQA)
_WITHIN = (
    RewardTask.IE,
    RewardTask.PARSING,
    RewardTask.SPOTTING,
    RewardTask.LAYOUT,
    RewardTask.CHART,
    RewardTask.TRANSLATION,
    RewardTask.VQA,
)
"""Tasks in the order in which the official kit looks for their names within longer ones, such as ``ie-rule``."""

_LABEL_COLUMNS = ("ground_truth", "reference", "ref_answer", "solution", "answer")
_TASK_COLUMNS = ("task_type", "task", "data_source")


def reward_task(name: str) -> RewardTask:
    """The reward's task for its own name, for that of a template's task, or for a longer name that holds it.

    Raises:
        BadInput: `unknown_task`.
    """
    plain = name.strip().lower()
    known = {**{task.value: reward for task, reward in OF_TASK.items()}, **{task.value: task for task in RewardTask}}
    if plain in known:
        return known[plain]
    for task in _WITHIN:
        if task.value in plain:
            return task
    allowed = ", ".join(known)
    raise BadInput(
        "unknown_task", f"There is no task {name!r}.", f"Choose one of: {allowed}.", task=name, allowed=allowed
    )


def score(task: RewardTask | str, response: str, reference: str, rule: str = "official") -> Reward:
    """By a rule, without asking anybody. Nothing in the texts raises.

    Raises:
        BadInput: `unknown_task`, `unknown_rule`.
    """
    task = reward_task(task)
    if rule not in RULES:
        known = ", ".join(RULES)
        raise BadInput(
            "unknown_rule", f"There is no rule {rule!r}.", f"Choose one of: {known}.", rule=rule, allowed=known
        )
    if task in _JUDGED:
        reason = f"A {task.value} is scored by a judge model, and none is set (OCR_UI_JUDGE_URL)."
        return Reward("judge", None, reason, "no_judge", {"task": task.value})
    rules = _OFFICIAL if rule == "official" else _clean_rules()
    if task not in rules:
        reason = f"There is no {rule} rule for {task.value} here: run the official kit's with --reward-file."
        return Reward(rule, None, reason, "no_rule", {"task": task.value, "rule": rule})
    return rules[task](response, reference)


def _clean_rules() -> dict[RewardTask, Rule]:
    from ocr_ui.scoring import clean_rewards

    return {
        RewardTask.SPOTTING: clean_rewards.spotting,
        RewardTask.IE: clean_rewards.ie,
        RewardTask.PARSING: clean_rewards.parsing,
    }


def with_length(value: float, response: str, reference: str, weight: float) -> float:
    """The value, lowered for what an answer is longer than its label: by `weight` of it at twice the length or more.

    A short right answer is worth more than a long one. -1 and 0 stay what they are.
    """
    if value <= 0 or weight <= 0:
        return value
    excess = max(0, len(response) - len(reference)) / max(1, len(reference))
    return value * (1 - min(1.0, weight) * min(1.0, excess))


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    rule: str = "official",
    length_weight: float = 0.0,
    **kwargs: Any,
) -> dict[str, Any]:
    """verl's custom reward function.

    Args:
        data_source: names the task where `extra_info` has no `task_type`.
        rule: one of RULES (a reward_kwarg).
        length_weight: how much of a reward an answer loses at twice its label's length; 0 for none (a reward_kwarg).
        kwargs: what verl hands over besides is not needed.

    Returns:
        score (-1 where the rule gives none, as the official kit says "leave it out"), acc and the reason.

    Raises:
        BadInput: the task is unknown: better at the first sample than after a day of training on nothing.
    """
    extra = dict(extra_info or {})
    found = _ask_or_score(extra.get("task_type") or data_source, solution_str, ground_truth, rule, extra)
    value = -1.0 if found.value is None else with_length(found.value, solution_str, ground_truth, length_weight)
    return {"score": float(value), "acc": float(value > 0), "reason": found.reason}


def trl_reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
    """TRL's reward function: one number a completion, None (not counted) where the rule gives none.

    Labels come from the column ground_truth, reference, ref_answer, solution or answer; tasks from task_type, task or
    data_source.

    Raises:
        BadInput: `reward_column_missing`, `unknown_task`.
    """
    return trl_reward_with()(prompts, completions, **columns)


def trl_reward_with(rule: str = "official", length_weight: float = 0.0) -> Callable[..., list[float | None]]:
    """`trl_reward` with another rule or a length term."""

    def ocr_reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
        labels, tasks = _column(columns, _LABEL_COLUMNS), _column(columns, _TASK_COLUMNS)
        rewards: list[float | None] = []
        for completion, label, task in zip(completions, labels, tasks, strict=True):
            answer = _completion_text(completion)
            found = _ask_or_score(task, answer, label, rule, {})
            given = found.value is not None and found.value >= 0
            rewards.append(with_length(found.value, answer, label, length_weight) if given else None)  # type: ignore[arg-type]
        return rewards

    return ocr_reward


def _ask_or_score(task_name: str, response: str, reference: str, rule: str, extra: dict[str, Any]) -> Reward:
    task = reward_task(task_name)
    if task not in _JUDGED:
        return score(task, response, reference, rule)
    from ocr_ui.scoring.judge import Judge
    from ocr_ui.settings import Settings

    judge = Judge.from_settings(Settings())
    if judge is None:
        return score(task, response, reference, rule)
    return judge.score(task, response, reference, str(extra.get("question") or ""))


def _column(columns: dict[str, Any], names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if name in columns:
            return columns[name]
    wanted = ", ".join(names)
    raise BadInput("reward_column_missing", f"The data set has none of the columns {wanted}.", "Add one.", names=wanted)


def _completion_text(completion: Any) -> str:
    """A completion is a text, or a list of messages whose contents are texts or parts."""
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"] if completion else ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content)
