"""What the formats for trainers have in common."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from ocr_ui.domain.recognition import ASKED_NOTHING
from ocr_ui.exports.examples import Example, examples
from ocr_ui.exports.reasons import LeftOut, Reason
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.rows import Files
from ocr_ui.exports.sample import Notes, Options, Sample


class TrainerFormat(FolderFormat, ABC):
    """One folder of its own with a file a part of the data and, where rows name files, the pictures.

    Attributes:
        reward: the label is compared by a reward, not imitated.
        bundles: rows name files of pictures; else they hold the pictures.
        pairs: rows are better and worse answers, some of which need no label.
    """

    name: ClassVar[str]
    reward: ClassVar[bool] = False
    bundles: ClassVar[bool] = True
    pairs: ClassVar[bool] = False
    rated = True
    needs_pictures = True
    as_read = True
    splits = True

    @property
    def file_name(self) -> str:
        return self.name

    @property
    def folder(self) -> str:
        return self.name

    @property
    def pictures(self) -> str:
        return f"{self.name}/pictures"

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        own = folder / self.name
        own.mkdir(exist_ok=True)
        with Files(lambda name: self.open_file(own, name), notes) as files:
            for example in examples(samples, folder, self.name, notes, options, self.reward, self.pairs):
                self._add(files, example, notes)
        self.finish(own, files)
        if not self.bundles:
            shutil.rmtree(folder / self.pictures, ignore_errors=True)

    def _add(self, files: Files, example: Example, notes: Notes) -> None:
        try:
            for name, row in self.rows(example):
                files.add(name, row)
        except LeftOut as left_out:
            notes.leave_out(example.sample, left_out.reason)

    @abstractmethod
    def open_file(self, folder: Path, name: str) -> Any:
        """The writer of the file `name` (without its ending)."""

    @abstractmethod
    def rows(self, example: Example) -> Iterator[tuple[str, dict[str, Any]]]:
        """Name of a file, and a row of it. Raises LeftOut: the example gives no row."""

    def finish(self, folder: Path, files: Files) -> None:
        """Writes what stands beside the rows."""


def no_pair(example: Example) -> Reason:
    """Why there are no two answers of which one is better."""
    if example.was_right:
        return Reason("was_right", "the model was right, so that there is no worse answer")
    if not example.model_answer:
        return no_answer(example)
    return Reason("same_answer", "the model's answer and the label are the same text")


def no_answer(example: Example) -> Reason:
    outcome = example.sample.recognition.outcome
    if outcome == "complete" and example.sample.recognition.engine.kind not in ASKED_NOTHING:
        return Reason("answer_holds_sign", "the model's answer holds signs that trainers take for others")
    if outcome != "complete":
        return Reason("answer_not_whole", f"the model's answer is not whole ({outcome})", {"outcome": outcome})
    return Reason("no_answer", "its engine takes no prompt, so that it gave no answer to one")
