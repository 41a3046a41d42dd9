"""One reward, by a rule, a judge or a reward file: what `python -m ocr_ui reward` prints."""

from __future__ import annotations

from contextlib import closing

from ocr_ui.domain.reward import Reward, RewardTask
from ocr_ui.scoring import rewards
from ocr_ui.scoring.judge import Judge
from ocr_ui.scoring.reward_file import RewardFile
from ocr_ui.settings import Settings

JUDGED = (RewardTask.TRANSLATION, RewardTask.VQA)


def one_reward(
    task_name: str,
    response: str,
    reference: str,
    settings: Settings,
    reward_file: str = "",
    rule: str = "",
    question: str = "",
) -> Reward:
    """The reward of an answer against a label.

    Args:
        reward_file: instead of that of the settings.
        rule: one of `rewards.RULES`; without it the reward file, where there is one, else the judge or the official
            rule.

    Raises:
        BadInput: `unknown_task`, `unknown_rule`, `reward_file_missing`, `bad_judge_url`, `no_judge_prompt`.
    """
    task = rewards.reward_task(task_name)
    where = reward_file or settings.reward_file
    if where and not rule:
        with closing(RewardFile(where, settings.reward_seconds)) as file:
            return file.score(task.value, response, reference, {"question": question})
    judge = Judge.from_settings(settings) if task in JUDGED else None
    if judge is not None:
        return judge.score(task, response, reference, question)
    return rewards.score(task, response, reference, rule or rewards.RULES[0])
