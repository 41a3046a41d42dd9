"""The label of an item: what a person says is right, as a trainer gets it."""

from __future__ import annotations

import re

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.review import State, Verdict
from ocr_ui.domain.reward import OF_TASK
from ocr_ui.exports import label_text
from ocr_ui.exports.reasons import NoLabel, Reason
from ocr_ui.exports.sample import Notes, Sample
from ocr_ui.scoring.labels import problems

_TABLE_TAG = re.compile(r"<table\s[^>]*>", re.IGNORECASE)


def task_of(sample: Sample) -> Task:
    """Raises NoLabel: the task is not one of Task."""
    return label_text.task_of(sample.recognition)


def judged(sample: Sample) -> PageContent:
    """The page as a person says it is.

    Raises:
        NoLabel: nobody has said it, or somebody has said that it must not be used.
    """
    review = sample.review
    if review.state is State.SKIPPED:
        raise NoLabel(Reason("skipped", "it was skipped in the review"))
    if review.state is State.REJECTED:
        raise NoLabel(Reason("rejected", "it was rejected in the review"))
    if review.verdict is None and sample.correction:
        raise NoLabel(Reason("no_verdict", "it has a correction without a verdict"))
    if review.verdict is None:
        raise NoLabel(Reason("not_judged", "nobody has judged it"))
    if review.verdict is Verdict.WRONG and sample.correction is None:
        raise NoLabel(Reason("not_corrected", "it was judged wrong and not corrected"))
    return sample.label


def label(sample: Sample, notes: Notes, reward: bool = False) -> str:
    """The text that the model should have answered with.

    Args:
        notes: told what had to be written otherwise than it stands on the page.
        reward: the label is compared by a reward, not imitated: any shape that the reward reads will do, and what the
            official rules cannot score is no label.

    Raises:
        NoLabel: see `judged`; or the answer's shape cannot hold what is on the page.
    """
    said = label_text.Said(sample.recognition, judged(sample), _size(sample), sample.transform)
    text, tags = _TABLE_TAG.subn("<table>", label_text.write(said, notes.changes, reward))
    notes.changes["table_attributes_dropped"] += tags
    if reward and (found := problems(OF_TASK[task_of(sample)], text)):
        told = f"its label cannot be scored: {found[0].message}"
        raise NoLabel(Reason(found[0].code, told, found[0].details))
    return text


def _size(sample: Sample) -> tuple[int, int]:
    return sample.page.width, sample.page.height
