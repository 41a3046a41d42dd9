"""What a model's answer is worth against a label: of two texts, and of an item as it is being corrected."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import PageContent
from ocr_ui.domain.recognition import ASKED_NOTHING, IMPORTED, Recognition
from ocr_ui.domain.review import Verdict
from ocr_ui.domain.reward import OF_TASK, LabelProblem, Reward, RewardTask
from ocr_ui.domain.rollout import Answer, LabelUsed, Rollout, Worth
from ocr_ui.errors import BadInput, TooLarge
from ocr_ui.exports import label_text, mends
from ocr_ui.exports.label_text import Said
from ocr_ui.exports.reasons import NoLabel, Reason
from ocr_ui.scoring import labels, rewards, versions
from ocr_ui.scoring.differences import compare
from ocr_ui.scoring.judge import Judge
from ocr_ui.scoring.reward_file import RewardFile
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import Annotator, Item
from ocr_ui.services.checked_content import checked
from ocr_ui.services.export import read_as
from ocr_ui.services.reward_once import JUDGED
from ocr_ui.settings import Settings

LONGEST = 300_000
"""Characters of a text that are compared: twice as many take four times as long."""

THREADS = 2

PARTS = ("rules", "file")
"""What an item can be scored by, one after the other: the rules answer at once, a team's own function takes its time.
"""


@dataclass(frozen=True, slots=True)
class Scored:
    """Attributes:
    task: what the reward is given for; None where the item has no label that one could be given for.
    response, reference: the texts that were compared.
    rewards: the one that training sees first (the reward file's, else the judge's or the official rule's), then others.
    problems: of the label.
    scored_as: what the response is: the "model" said it, or it is written of what an engine read that takes no prompt
        ("lines"), or of an imported label ("import").
    file: the name of the reward function that training uses, "" for none.
    """

    task: RewardTask | None
    response: str
    reference: str
    rewards: tuple[Reward, ...]
    problems: tuple[LabelProblem, ...]
    scored_as: str = "model"
    file: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task and self.task.value,
            "reference": self.reference,
            "reward": self.rewards[0].value if self.rewards else None,
            "reason": self.rewards[0].reason if self.rewards else "",
            "rewards": [reward.to_dict() for reward in self.rewards],
            "label_problems": [problem.to_dict() for problem in self.problems],
            "scored_as": self.scored_as,
            "file": self.file,
        }


class Rewarding:
    """Scores in threads of its own; a reward file keeps one process for all."""

    def __init__(self, settings: Settings, annotator: Annotator) -> None:
        """Raises BadInput (`reward_file_missing`, `bad_judge_url`)."""
        self._annotator = annotator
        self._file = RewardFile(settings.reward_file, settings.reward_seconds) if settings.reward_file else None
        self._judge = Judge.from_settings(settings)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="rewards")
        # Of its own: a function that hangs must not hold up the rules.
        self._file_thread = ThreadPoolExecutor(1, thread_name_prefix="reward-file")

    @needs(Action.READ)
    async def score(self, task_name: str, response: str, reference: str, question: str = "") -> Scored:
        """Raises BadInput (`unknown_task`, `no_judge_prompt`), TooLarge (`reward_text_too_long`)."""
        task = rewards.reward_task(task_name)
        score = asyncio.get_running_loop().run_in_executor
        return await score(self._threads, self._score, task, response, reference, question, self._judge)

    @needs(Action.READ)
    async def of_item(
        self, recognition_id: int, content: dict[str, Any] | None = None, part: str | None = None
    ) -> Scored:
        """The model's own answer against a content of its item, or against the item as it was left.

        No judge is asked: this is called while somebody types.

        Args:
            part: one of PARTS; None for both.

        Raises:
            NotFound: `unknown_recognition`.
            BadInput: the content is none, `unknown_part`.
            TooLarge: `reward_text_too_long`.
        """
        if part is not None and part not in PARTS:
            raise BadInput(
                "unknown_part",
                f"There is no part {part[:40]!r} of a score.",
                f"Choose one of: {', '.join(PARTS)}.",
                part=part[:40],
                allowed=", ".join(PARTS),
            )
        item = await self._annotator.open_item(recognition_id)
        label = item.content if content is None else checked(content)
        threads = self._threads if part == "rules" else self._file_thread
        return await asyncio.get_running_loop().run_in_executor(threads, self._score_item, item, label, part)

    async def of_rollout(self, item: Item, rollout: Rollout, judge: bool = True) -> Rollout:
        """The answers with what each is worth against the item's label, and that label.

        Args:
            judge: ask the judge where one is set and the task needs it; it takes its time for each answer.
        """
        score = asyncio.get_running_loop().run_in_executor
        threads = self._threads if self._file is None else self._file_thread
        return await score(threads, self._score_rollout, item, rollout, self._judge if judge else None)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._file_thread.shutdown(wait=False, cancel_futures=True)
        if self._file is not None:
            await asyncio.to_thread(self._file.close)

    def _score_item(self, item: Item, label: PageContent, part: str | None) -> Scored:
        recognition, page = item.recognition.recognition, item.page.page
        said = Said(recognition, label, (page.width, page.height), read_as(recognition.transform))
        response = answer_of(replace(said, content=recognition.content))
        problems = () if part == "file" else mends.problems(said)
        try:
            task, reference = OF_TASK[label_text.task_of(recognition)], label_text.write(said, reward=True)
        except NoLabel as error:
            found = () if part == "file" else (_unlabelled(error.reason),)
            return Scored(None, response, "", found, problems, _scored_as(recognition), self._file_name)
        found = tuple(self._of_texts(task, response, reference, recognition.prompt.text, part))
        if self._judge is not None:
            found = tuple(_not_asked(task) if one.code == "no_judge" else one for one in found)
        return Scored(task, response, reference, found, problems, _scored_as(recognition), self._file_name)

    @property
    def _file_name(self) -> str:
        return self._file.name if self._file is not None else ""

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
            found = self._score(task, response, reference, prompt.text, judge).rewards
        except NoLabel as error:
            found = (_unlabelled(error.reason),)
        except TooLarge as error:
            found = (Reward("official", None, str(error), error.code, error.details),)
        return replace(answer, worths=tuple(map(self._worth, found)), edit_distance=distance)

    def _worth(self, reward: Reward) -> Worth:
        if reward.name == "judge" and self._judge is not None:
            version = versions.of_judge(self._judge)
        elif self._file is not None and reward.name not in (*rewards.RULES, "judge"):
            version = self._file.version
        else:
            version = versions.own_rules()
        return Worth(reward.name, version, reward.value, reward.reason, reward.code, reward.details)

    def _score(self, task: RewardTask, response: str, reference: str, question: str, judge: Judge | None) -> Scored:
        found = self._of_texts(task, response, reference, question, None)
        if judge is not None and task in JUDGED:
            judged = judge.score(task, response, reference, question)
            found = [judged if one.code == "no_judge" else one for one in found]
        problems = tuple(labels.problems(task, reference))
        return Scored(task, response, reference, tuple(found), problems, file=self._file_name)

    def _of_texts(
        self, task: RewardTask, response: str, reference: str, question: str, part: str | None
    ) -> list[Reward]:
        _check_length(response, reference)
        found: list[Reward] = []
        if self._file is not None and part != "rules":
            found.append(self._file.score(task.value, response, reference, {"question": question}))
        if part == "file":
            return found
        found.append(rewards.score(task, response, reference))
        clean = rewards.score(task, response, reference, "clean")
        return found if clean.code in ("no_rule", "no_judge") else [*found, clean]


def _check_length(*texts: str) -> None:
    longest = max(map(len, texts))
    if longest > LONGEST:
        raise TooLarge(
            "reward_text_too_long",
            f"A text has {longest} characters; rewards are computed for up to {LONGEST}.",
            "Use the command line, which has no limit.",
            length=longest,
            limit=LONGEST,
        )


def answer_of(said: Said) -> str:
    """The model's answer; of an engine that takes no prompt, what it read, as a model would have said it."""
    if said.recognition.engine.kind in ASKED_NOTHING:
        with suppress(NoLabel):
            return label_text.write(said, reward=True)
    return said.recognition.generation.text


def official_value(said: Said, task: RewardTask) -> float | None:
    """The model's official reward of an item's answer against `said.content`; None where there is no rule, no label for
    it, or it is too long."""
    try:
        reference = label_text.write(said, reward=True)
    except NoLabel:
        return None
    response = answer_of(replace(said, content=said.recognition.content))
    if max(len(response), len(reference)) > LONGEST:
        return None
    return rewards.score(task, response, reference).value


def _scored_as(recognition: Recognition) -> str:
    kind = recognition.engine.kind
    return kind if kind == IMPORTED else "lines" if kind in ASKED_NOTHING else "model"


def _not_asked(task: RewardTask) -> Reward:
    reason = f"A {task.value} is scored by a judge model, which is not asked while somebody edits."
    return Reward("judge", None, reason, "judge_not_asked", {"task": task.value})


def _unlabelled(reason: Reason) -> Reward:
    return Reward("official", None, f"No reward: {reason}.", "no_label", {"why": asdict(reason)})


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
