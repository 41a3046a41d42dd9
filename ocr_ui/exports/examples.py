"""Items as examples for a trainer: picture, prompt as it was sent, and answers; what cannot be one is left out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ocr_ui.domain.exact_json import storable
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import ASKED_NOTHING
from ocr_ui.domain.review import State, Verdict
from ocr_ui.domain.reward import OF_TASK
from ocr_ui.domain.rollout import RIGHT_FROM
from ocr_ui.exports.labels import label, task_of
from ocr_ui.exports.reasons import NO_PICTURE, LeftOut, NoLabel, Reason
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.scoring.rewards import score

PLACEHOLDER = "<image>"
"""Stands for the picture in the prompts of several trainers."""

WHOLE = "train"
"""The part that everything belongs to where the data is not split."""

_SIGN = re.compile(r"<(?:image|video|audio)>|<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>")
"""What trainers count as pictures, and tokens of chat templates, which tokenizers read in any text."""
_PATCH = 32
_LEAST_PIXELS, _MOST_PIXELS = 512 * 512, 2048 * 2048
_FRAME = 8
"""Tokens of the chat template around prompt and picture, and some to spare."""


@dataclass(frozen=True, slots=True)
class Example:
    """What trainers need of an item.

    Attributes:
        picture: path of the file, relative to the folder of the format or absolute.
        file: the same file while the export is written.
        answer: the label; "" where there is none, and people have compared answers all the same.
        model_answer: what the model said, "" where it did not answer in text to its end, or with signs of trainers.
    """

    sample: Sample
    split: str
    picture: str
    file: Path
    task: Task
    prompt: str
    answer: str
    model_answer: str

    @property
    def reward_task(self) -> str:
        """The trainers' name of the task."""
        return OF_TASK[self.task].value

    @property
    def was_right(self) -> bool:
        return self.sample.review.verdict is Verdict.RIGHT

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(better, worse) answers: the label and what it corrects, and what people prefer among sampled answers."""
        corrected = [(self.answer, self.rejected)] if self.answer and self.rejected else []
        return list(dict.fromkeys([*corrected, *self.sample.preferred]))

    @property
    def rated(self) -> list[tuple[str, bool]]:
        """Answers of the model, each with whether it is right: as a person said, the sampled ones by the reward."""
        said = {self.model_answer: self.was_right} if self.model_answer else {}
        for text in self.sample.sampled:
            found = score(self.reward_task, text, self.answer).value if text not in said and self.answer else None
            if found is not None and found >= 0:
                said[text] = found >= RIGHT_FROM
        return list(said.items())

    @property
    def rejected(self) -> str:
        """The model's answer where a person said otherwise, else ""."""
        wrong = self.sample.review.verdict is Verdict.WRONG and self.model_answer != self.answer
        return self.model_answer if wrong else ""


def examples(
    samples: Iterable[Sample],
    folder: Path,
    name: str,
    notes: Notes,
    options: Options,
    reward: bool = False,
    pairs: bool = False,
) -> Iterator[Example]:
    """The items that are examples; the others are told to `notes`.

    Args:
        folder: of the export; the format's own folder in it is `name`.
        reward: see `ocr_ui.exports.labels.label`.
        pairs: an item without a label is an example too where people have compared its answers.
    """
    for sample in samples:
        try:
            yield _example(_without_signs(sample), folder, name, notes, options, reward, pairs)
        except LeftOut as left_out:
            notes.leave_out(sample, left_out.reason)


def _example(
    sample: Sample, folder: Path, name: str, notes: Notes, options: Options, reward: bool, pairs: bool
) -> Example:
    if not sample.picture:
        raise LeftOut(NO_PICTURE)
    if sample.no_split:
        raise LeftOut(sample.no_split)
    prompt = storable(sample.recognition.prompt.text)
    if not prompt.strip():
        raise LeftOut(Reason("prompt_empty", "its prompt is empty"))
    if found := _SIGN.search(prompt):
        told = f"its prompt holds {found[0]}, which trainers take for a picture or the end of a turn"
        raise LeftOut(Reason("prompt_holds_sign", told, {"sign": found[0]}))
    text = storable(_label(sample, notes, reward, pairs))
    if found := _SIGN.search(text):
        told = f"its label holds {found[0]}, which trainers take for a picture or the end of a turn"
        raise LeftOut(Reason("label_holds_sign", told, {"sign": found[0]}))
    _check_length(sample, prompt, options.max_prompt_length)
    return Example(
        sample=sample,
        split=sample.split or WHOLE,
        picture=_path(sample.picture, name, options),
        file=folder / sample.picture,
        task=task_of(sample),
        prompt=prompt,
        answer=text,
        model_answer=_model_answer(sample),
    )


def _without_signs(sample: Sample) -> Sample:
    """Without sampled answers that trainers would take for something else."""
    preferred = tuple(pair for pair in sample.preferred if not any(map(_SIGN.search, pair)))
    return replace(
        sample, sampled=tuple(text for text in sample.sampled if not _SIGN.search(text)), preferred=preferred
    )


def _label(sample: Sample, notes: Notes, reward: bool, pairs: bool) -> str:
    try:
        return label(sample, notes, reward)
    except NoLabel:
        if pairs and sample.preferred and sample.review.state not in (State.SKIPPED, State.REJECTED):
            return ""
        raise


def _path(picture: str, name: str, options: Options) -> str:
    return f"{options.absolute}/{picture}" if options.absolute else picture.removeprefix(f"{name}/")


def _model_answer(sample: Sample) -> str:
    recognition = sample.recognition
    ended = recognition.outcome in ("complete", "cut") and recognition.engine.kind not in ASKED_NOTHING
    text = storable(recognition.generation.text).strip() if ended else ""
    return "" if _SIGN.search(text) else text


def _check_length(sample: Sample, prompt: str, most: int | None) -> None:
    if most is None:
        return
    size = sample.transform.engine_size if sample.transform else (sample.page.width, sample.page.height)
    tokens = prompt_tokens(prompt, *size)
    if tokens > most:
        told = f"picture and prompt have about {tokens} tokens, more than {most}"
        raise LeftOut(Reason("too_long", told, {"tokens": tokens, "limit": most}))


def prompt_tokens(prompt: str, width: int, height: int) -> int:
    """Tokens of a picture and a prompt: exact for the picture, not less than they are for Chinese and English text."""
    return picture_tokens(width, height) + len(prompt) + _FRAME


def picture_tokens(width: int, height: int) -> int:
    """Tokens of a picture of the model: sides in multiples of 32 pixels, 512 x 512 to 2048 x 2048 pixels in area."""
    high, wide = (max(_PATCH, round(side / _PATCH) * _PATCH) for side in (height, width))
    if high * wide > _MOST_PIXELS:
        by = math.sqrt(height * width / _MOST_PIXELS)
        high, wide = (max(_PATCH, math.floor(side / by / _PATCH) * _PATCH) for side in (height, width))
    elif high * wide < _LEAST_PIXELS:
        by = math.sqrt(_LEAST_PIXELS / (height * width))
        high, wide = (math.ceil(side * by / _PATCH) * _PATCH for side in (height, width))
    return (high // _PATCH) * (wide // _PATCH + 1) + 2
