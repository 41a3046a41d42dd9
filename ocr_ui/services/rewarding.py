"""What a model's answer is worth against a label: of two texts, and of an item as it is being corrected."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.recognition import ASKED_NOTHING, Recognition
from ocr_ui.domain.review import Verdict
from ocr_ui.domain.reward import OF_TASK, LabelProblem, Reward, RewardTask
from ocr_ui.domain.rollout import Answer, LabelUsed, Rollout, Worth
from ocr_ui.errors import TooLarge
from ocr_ui.exports import label_text
from ocr_ui.exports.label_text import Said
from ocr_ui.exports.reasons import NoLabel, Reason
from ocr_ui.scoring import labels, rewards, versions
from ocr_ui.scoring.differences import compare
from ocr_ui.scoring.judge import Judge
from ocr_ui.scoring.reward_file import RewardFile
from ocr_ui.services.annotate import Annotator, Item
from ocr_ui.services.checked_content import checked
from ocr_ui.services.export import read_as
from ocr_ui.services.reward_once import JUDGED
from ocr_ui.settings import Settings

LONGEST = 300_000
"""Characters of a text that are compared: twice as many take four times as long."""

THREADS = 2


@dataclass(frozen=True, slots=True)
class Scored:
    """Attributes:
    task: what the reward is given for; None where the item has no label that one could be given for.
    response, reference: the texts that were compared.
    rewards: the one that training sees first (the reward file's, else the judge's or the official rule's), then others.
    problems: of the label.
    """

    task: RewardTask | None
    response: str
    reference: str
    rewards: tuple[Reward, ...]
    problems: tuple[LabelProblem, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task and self.task.value,
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

    async def of_rollout(self, item: Item, rollout: Rollout, judge: bool = True) -> Rollout:
        """The answers with what each is worth against the item's label, and that label.

        Args:
            judge: ask the judge where one is set and the task needs it; it takes its time for each answer.
        """
        score = asyncio.get_running_loop().run_in_executor
        return await score(self._threads, self._score_rollout, item, rollout, self._judge if judge else None)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._file is not None:
            await asyncio.to_thread(self._file.close)

    def _score_item(self, item: Item, label: PageContent) -> Scored:
        recognition, page = item.recognition.recognition, item.page.page
        said = Said(recognition, label, (page.width, page.height), read_as(recognition.transform))
        response = answer_of(replace(said, content=recognition.content))
        try:
            task, reference = OF_TASK[label_text.task_of(recognition)], label_text.write(said, reward=True)
        except NoLabel as error:
            return _unlabelled(response, error.reason)
        return self._score(task, response, reference, recognition.prompt.text, None)

    def _score_rollout(self, item: Item, rollout: Rollout, judge: Judge | None) -> Rollout:
        recognition, page = item.recognition.recognition, item.page.page
        transform = read_as(rollout.transform)
        said = Said(recognition, item.content, (page.width, page.height), transform)
        answers = tuple(self._score_answer(said, answer, judge) for answer in rollout.answers)
        version = item.correction.correction.version if item.correction else 0
        judged = version > 0 or item.review.review.verdict is Verdict.RIGHT
        return replace(rollout, answers=answers, label=LabelUsed(version, judged, _about_tokens(said, answers)))

    def _score_answer(self, said: Said, answer: Answer, judge: Judge | None) -> Answer:
        """An answer that failed, or that somebody stopped, is worth nothing that could be learned from."""
        distance = compare(answer.content, said.content).edit_distance
        if answer.outcome in ("failed", "stopped"):
            return replace(answer, worths=(), edit_distance=distance)
        response, prompt = answer.generation.text, said.recognition.prompt
        as_answered = replace(said, recognition=replace(said.recognition, generation=answer.generation))
        try:
            task, reference = OF_TASK[label_text.task_of(said.recognition)], label_text.write(as_answered, reward=True)
            scored = self._score(task, response, reference, prompt.text, judge)
        except NoLabel as error:
            scored = _unlabelled(response, error.reason)
        except TooLarge as error:
            scored = Scored(None, response, "", (Reward("official", None, str(error), error.code),), ())
        return replace(answer, worths=tuple(map(self._worth, scored.rewards)), edit_distance=distance)

    def _worth(self, reward: Reward) -> Worth:
        if reward.name == "judge" and self._judge is not None:
            version = versions.of_judge(self._judge)
        elif self._file is not None and reward.name not in (*rewards.RULES, "judge"):
            version = versions.of_file(self._file.path)
        else:
            version = versions.own_rules()
        return Worth(reward.name, version, reward.value, reward.reason, reward.code, reward.details)

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


def answer_of(said: Said) -> str:
    """The model's answer; of an engine that takes no prompt, what it read, as a model would have said it."""
    recognition: Recognition = said.recognition
    if recognition.engine.kind in ASKED_NOTHING:
        with suppress(NoLabel):
            return label_text.write(said, reward=True)
    return recognition.generation.text


def _unlabelled(response: str, reason: Reason) -> Scored:
    told = Reward("official", None, f"No reward: {reason}.", "no_label", {"why": asdict(reason)})
    return Scored(None, response, "", (told,), ())


def _about_tokens(said: Said, answers: Sequence[Answer]) -> int | None:
    """How many tokens the label has, going by what a token of the answers holds; None where that cannot be told."""
    counted = [answer.generation for answer in answers if answer.generation.tokens and answer.generation.text]
    characters = sum(len(one.text) for one in counted)
    if not characters:
        return None
    try:
        label = label_text.write(said, reward=True)
    except NoLabel:
        return None
    return round(len(label) * sum(one.tokens or 0 for one in counted) / characters)
