"""What a model's answer is worth against a label: of two texts, and of an item as it is being corrected."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.reward import OF_TASK, LabelProblem, Reward, RewardTask
from ocr_ui.errors import TooLarge
from ocr_ui.scoring import labels, rewards
from ocr_ui.scoring.judge import Judge
from ocr_ui.scoring.reward_file import RewardFile
from ocr_ui.services.annotate import Annotator, Item
from ocr_ui.services.checked_content import checked
from ocr_ui.services.label_text import label_text
from ocr_ui.services.reward_once import JUDGED
from ocr_ui.settings import Settings

LONGEST = 300_000
"""Characters of a text that are compared: twice as many take four times as long."""

THREADS = 2


@dataclass(frozen=True, slots=True)
class Scored:
    """Attributes:
    task: what the reward is given for.
    response, reference: the texts that were compared.
    rewards: the one that training sees first (the reward file's, else the judge's or the official rule's), then others.
    problems: of the label.
    """

    task: RewardTask
    response: str
    reference: str
    rewards: tuple[Reward, ...]
    problems: tuple[LabelProblem, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task.value,
            "reference": self.reference,
            "reward": self.rewards[0].value,
            "reason": self.rewards[0].reason,
            "rewards": [reward.to_dict() for reward in self.rewards],
            "label_problems": [problem.to_dict() for problem in self.problems],
        }


class Rewarding:
    """Scores in threads of its own; a reward file keeps one process for all."""

    def __init__(self, settings: Settings, annotator: Annotator) -> None:
        """Raises BadInput (`reward_file_missing`, `bad_judge_url`)."""
        self._annotator = annotator
        self._file = RewardFile(settings.reward_file, settings.reward_seconds) if settings.reward_file else None
        self._judge = Judge.from_settings(settings)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="rewards")

    async def score(self, task_name: str, response: str, reference: str, question: str = "") -> Scored:
        """Raises BadInput (`unknown_task`, `no_judge_prompt`), TooLarge (`reward_text_too_long`)."""
        task = rewards.reward_task(task_name)
        score = asyncio.get_running_loop().run_in_executor
        return await score(self._threads, self._score, task, response, reference, question, self._judge)

    async def of_item(self, recognition_id: int, content: dict[str, Any] | None = None) -> Scored:
        """The model's own answer against a content of its item, or against the item as it was left.

        No judge is asked: this is called while somebody types.

        Raises:
            NotFound: `unknown_recognition`.
            BadInput: the content is none.
            TooLarge: `reward_text_too_long`.
        """
        item = await self._annotator.open_item(recognition_id)
        label = item.content if content is None else checked(content)
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._score_item, item, label)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._file is not None:
            await asyncio.to_thread(self._file.close)

    def _score_item(self, item: Item, label: PageContent) -> Scored:
        recognition, page = item.recognition.recognition, item.page.page
        task, size = Task(recognition.prompt.task), (page.width, page.height)
        response = recognition.generation.text
        if (
            recognition.generation.tokens is None
        ):  # an engine of no language model: its lines, as a model would say them
            response = label_text(task, recognition.content, size)
        reference = label_text(task, label, size, response)
        return self._score(OF_TASK[task], response, reference, recognition.prompt.text, None)

    def _score(self, task: RewardTask, response: str, reference: str, question: str, judge: Judge | None) -> Scored:
        longest = max(len(response), len(reference))
        if longest > LONGEST:
            raise TooLarge(
                "reward_text_too_long",
                f"A text has {longest} characters; rewards are computed for up to {LONGEST}.",
                "Use the command line, which has no limit.",
                length=longest,
                limit=LONGEST,
            )
        found: list[Reward] = []
        if self._file is not None:
            found.append(self._file.score(task.value, response, reference, {"question": question}))
        if judge is not None and task in JUDGED:
            found.append(judge.score(task, response, reference, question))
        else:
            found.append(rewards.score(task, response, reference))
        clean = rewards.score(task, response, reference, "clean")
        if clean.code not in ("no_rule", "no_judge"):
            found.append(clean)
        return Scored(task, response, reference, tuple(found), tuple(labels.problems(task, reference)))
