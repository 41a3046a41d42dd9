"""One item on its way into a file, and what happened to it there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.review import Correction, Review
from ocr_ui.exports.reasons import Reason
from ocr_ui.images.transform import PictureTransform


@dataclass(frozen=True, slots=True)
class Sample:
    """A recognition with all that people made of it.

    Attributes:
        id: of the recognition.
        document: name it was handed in under.
        picture: path of the picture's file relative to the exported file, "" where none is bundled.
        read_by, read_at: who asked for the recognition, and when, in UTC.
        correction: the newest, None where there is none.
        reviewed_at: of the last change of the review, None where nobody has judged.
        transform: of the stored picture to the bundled one, None where that is the stored one.
        split: the part of the data that it belongs to; "" where the data is not split, or belongs to no part.
        no_split: why it belongs to no part, None where it has one or the data is not split.
        sampled: answers of its rollouts, each text once.
        preferred: (better, worse) of those, as people have said.
    """

    id: int
    page_id: int
    document_id: int
    document: str
    page: Page
    picture: str
    recognition: Recognition
    read_by: str
    read_at: datetime
    correction: Correction | None
    corrected_at: datetime | None
    review: Review
    reviewed_at: datetime | None
    transform: PictureTransform | None = None
    split: str = ""
    no_split: Reason | None = None
    sampled: tuple[str, ...] = ()
    preferred: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> PageContent:
        """The page as a person says it is, else as the model read it."""
        return self.correction.content if self.correction else self.recognition.content


@dataclass(frozen=True, slots=True)
class Options:
    """What somebody asked for beside the format.

    Attributes:
        turn_crops: crops of lines lie as they are read, tall ones on their side (PPOCRLabel).
        stored_pictures: for training, the stored pictures, not the copies that the model read.
        absolute: the folder before the paths of pictures, "" for paths relative to the data.
        shares: of the parts that the data is split into, by name; empty for one part.
        max_prompt_length: tokens of prompt and picture; rows of more are left out. None for any.
        nameless: names of people are left out of data, report and card.
    """

    turn_crops: bool = False
    stored_pictures: bool = False
    absolute: str = ""
    shares: tuple[tuple[str, float], ...] = ()
    max_prompt_length: int | None = None
    nameless: bool = False


@dataclass(slots=True)
class Notes:
    """Filled while a format writes.

    Attributes:
        left_out: items that are not in the file: (id, reason).
        changes: how many texts could not be written as they are, by what was done to them.
        rows: of each data file, by its name or the split's.
    """

    left_out: list[tuple[int, Reason]] = field(default_factory=list)
    changes: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)

    def leave_out(self, sample: Sample, reason: Reason) -> None:
        self.left_out.append((sample.id, reason))
