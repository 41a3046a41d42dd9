"""One item on its way into a file, and what happened to it there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.review import Correction, Review


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

    @property
    def label(self) -> PageContent:
        """The page as a person says it is, else as the model read it."""
        return self.correction.content if self.correction else self.recognition.content


@dataclass(frozen=True, slots=True)
class Options:
    """What somebody asked for beside the format.

    Attributes:
        turn_crops: crops of lines lie as they are read, tall ones on their side (PPOCRLabel).
    """

    turn_crops: bool = False


@dataclass(slots=True)
class Notes:
    """Filled while a format writes.

    Attributes:
        left_out: items that are not in the file: (id, reason).
        changes: how many texts could not be written as they are, by what was done to them.
    """

    left_out: list[tuple[int, str]] = field(default_factory=list)
    changes: Counter[str] = field(default_factory=Counter)

    def leave_out(self, sample: Sample, reason: str) -> None:
        self.left_out.append((sample.id, reason))
