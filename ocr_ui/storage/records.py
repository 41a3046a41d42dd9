"""What the store gives back: the values of the domain with their ids and times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

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


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A frozen version of the dataset.

    Attributes:
        person: who froze it, "" where nobody gave a name.
        items: how many it has.
        sha256: over its items as they were; the same data has the same, whatever its name.
        licence: of the data, "" where none was given.
        program: version of this program that froze it.
        filters: that chose the items, as `Filters` that are set.
        exports: how often it was exported.
    """

    id: int
    name: str
    created_at: datetime
    person: str
    items: int
    sha256: str
    licence: str
    program: str
    filters: dict[str, Any]
    exports: int


@dataclass(frozen=True, slots=True)
class LoggedExport:
    """An export that was made.

    Attributes:
        version: name of the frozen version, "" where it was none.
        target: the folder or the address it went to.
        items: in the data file.
        sha256: of the data, as in its report.
        details: filters and options that were set.
    """

    created_at: datetime
    version: str
    format: str
    target: str
    items: int
    sha256: str
    details: dict[str, Any]
