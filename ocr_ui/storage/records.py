"""What the store gives back: the values of the domain with their ids and times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import EngineName, Recognition
from ocr_ui.domain.review import Correction, Review


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as it was added: its id and the ids of its pages, in order."""

    id: int
    page_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StoredPage:
    id: int
    document_id: int
    document: str
    page: Page
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StoredRecognition:
    """Attributes: person: who asked for it, "" where nobody gave a name."""

    id: int
    page_id: int
    person: str
    created_at: datetime
    recognition: Recognition


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """What tells the readings of one page apart, without what was read."""

    id: int
    created_at: datetime
    engine: EngineName
    template: str
    outcome: str


@dataclass(frozen=True, slots=True)
class StoredCorrection:
    recognition_id: int
    saved_at: datetime
    correction: Correction


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A review with its count of changes.

    Attributes:
        revision: 0 until somebody touches it, then one more with each change.
        latest_version: of the newest correction, 0 where there is none.
    """

    recognition_id: int
    revision: int
    latest_version: int
    updated_at: datetime
    review: Review
