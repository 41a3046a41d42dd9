"""What the store gives back: the values of the domain with their ids and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ocr_ui.domain.access import Action, Role
from ocr_ui.domain.calibration import Calibration
from ocr_ui.domain.content import PageContent
from ocr_ui.domain.experiment import Arm, Experiment
from ocr_ui.domain.job import JobState
from ocr_ui.domain.page import Page
from ocr_ui.domain.preference import Preference
from ocr_ui.domain.recognition import EngineName, Recognition
from ocr_ui.domain.reread import Reread
from ocr_ui.domain.review import Correction, Review
from ocr_ui.domain.rollout import Judgement, Mark, Rollout
from ocr_ui.domain.second import SecondReview


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
    """What tells the readings of one page apart, without what was read.

    Attributes:
        transform: as in `Recognition`.
    """

    id: int
    created_at: datetime
    engine: EngineName
    template: str
    outcome: str
    transform: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredReread:
    """Attributes: person: who asked for it, "" where nobody gave a name."""

    id: int
    recognition_id: int
    person: str
    created_at: datetime
    reread: Reread


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
        items: how many were frozen; `removed` of them were deleted since, on somebody's request.
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
    removed: int = 0


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


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a dispute was ended: by whom, when, and which version of the correction came of it."""

    person: str
    at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class StoredSecondReview:
    id: int
    recognition_id: int
    saved_at: datetime
    review: SecondReview
    resolution: Resolution | None = None

    @property
    def in_dispute(self) -> bool:
        return self.review.disputed and self.resolution is None


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Of the second reviews of one pair of people or one template; rates are means, None where none has such.

    Attributes:
        names: (first, second) person, or (template,).
        same: items on which the two say the same.
        disputes: items on which they differ, unresolved.
    """

    names: tuple[str, ...]
    items: int
    same: int
    disputes: int
    cer: float
    box_f1: float | None
    fields: float | None


@dataclass(frozen=True, slots=True)
class Claim:
    """Attributes: holder: the browser tab that has the item; person: the name typed there."""

    recognition_id: int
    holder: str
    person: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Comment:
    """Attributes: line_id: of a line of the page, "" for the whole page."""

    id: int
    recognition_id: int
    line_id: str
    person: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Draft:
    """Attributes: base_version: the version that the edits were made on; body: as the page made it."""

    base_version: int
    body: dict[str, Any]
    kept_at: datetime


@dataclass(frozen=True, slots=True)
class Guidelines:
    """Attributes: version: 0 where nobody has written any yet."""

    version: int = 0
    text: str = ""
    person: str = ""
    saved_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A list's filters and order under a name; `query` as `ocr_ui.services.dataset.read_filters` takes it, and sort."""

    name: str
    query: dict[str, Any]
    person: str
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class Pace:
    """Attributes:
    done: items finished.
    timed: those of them whose time was measured, as it is at the desk.
    seconds: of work, without idle time.
    """

    done: int
    timed: int
    seconds: float

    @property
    def per_hour(self) -> float | None:
        return self.timed * 3600 / self.seconds if self.seconds else None


@dataclass(frozen=True, slots=True)
class ReadText:
    """Attributes: engine: what tells engines apart: kind, name and model. layout: the kind of the page, of
    `ocr_ui.domain.layout`."""

    id: int
    page_id: int
    engine: tuple[str, str, str]
    task: str
    text: str
    layout: str


@dataclass(frozen=True, slots=True)
class ReadingFigure:
    """Attributes:
    script: the writing of most letters, see `ocr_ui.scoring.scripts`.
    disagreement: edit distance to the newest reading of the page by another engine, divided by the longer text; None
        where no other engine has read it.
    """

    id: int
    script: str
    disagreement: float | None
    layout: str


@dataclass(frozen=True, slots=True)
class StoredRollout:
    """Attributes: person: who asked for it, "" where nobody gave a name."""

    id: int
    recognition_id: int
    person: str
    created_at: datetime
    rollout: Rollout


@dataclass(frozen=True, slots=True)
class RolloutRow:
    """What tells the rollouts of one item apart, without the answers.

    Attributes:
        reward: the mean; None where nothing was scored.
    """

    id: int
    created_at: datetime
    person: str
    engine: EngineName
    asked: int
    mark: Mark
    reward: float | None


@dataclass(frozen=True, slots=True)
class StoredJudgement:
    id: int
    rollout_id: int
    created_at: datetime
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How far a batch is, in items."""

    waiting: int
    done: int
    failed: int

    @property
    def total(self) -> int:
        return self.waiting + self.done + self.failed


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A batch of pages to read.

    Attributes:
        ended_at: None while it is not done or cancelled.
        reason: the error that paused it, as `{"code", "message", "hint", "details"}`.
        asked: what is asked of each page.
    """

    id: int
    name: str
    person: str
    created_at: datetime
    ended_at: datetime | None
    state: JobState
    priority: int
    reason: dict[str, Any] | None
    asked: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PageTask:
    """A page of a batch that a process has claimed.

    Attributes:
        file, name, sha256: what was handed in.
        number: of the page in its file, 0 for the whole file: its pages are to be counted.
        page_id: where its picture is stored already.
        recognition_id: of its first reading, where there is one and the page is to be read again.
        seconds: that the engine took for it.
        span: from when to when a frame of a video is shown, in seconds.
        engine: that its batch is read with; empty for the default.
    """

    id: int
    job: int
    file: int
    name: str
    sha256: str
    number: int
    page_id: int | None
    recognition_id: int | None = None
    seconds: float = 0.0
    span: tuple[float, float] | None = None
    engine: str = ""


@dataclass(frozen=True, slots=True)
class JobTotals:
    """How far a batch is, in pages; a file that failed as a whole counts as one.

    Attributes:
        unopened: files whose pages are not counted yet.
        retryable: of those that failed, what can be tried again.
        seconds: of work on pages.
        per_second: pages, over the newest ones; None where that cannot be told yet.
    """

    waiting: int
    running: int
    done: int
    failed: int
    cancelled: int
    unopened: int
    retryable: int
    seconds: float
    per_second: float | None

    @property
    def total(self) -> int:
        return self.waiting + self.running + self.done + self.failed + self.cancelled


@dataclass(frozen=True, slots=True)
class FailedTask:
    """Attributes:
    number: of the page in its file, 0 for the whole file.
    again: it can be tried once more.
    """

    file: str
    number: int
    error: dict[str, Any]
    again: bool


@dataclass(frozen=True, slots=True)
class RouteTotals:
    """Pages that went one way, with the seconds of the engine that read them first and of the other."""

    route: str
    pages: int
    seconds: float
    second_seconds: float


@dataclass(frozen=True, slots=True)
class StoredRun:
    """An evaluation or a measurement of speed in the log.

    Attributes:
        kind: evaluate or benchmark.
        data: the name of what was read; `data_sha256` over its pictures and what is known of them.
        ended_at: None while it runs, or where it was interrupted.
        config: all that the result depends on, so that any two can be compared.
        result: empty until it has ended.
    """

    id: int
    kind: str
    data: str
    data_sha256: str
    person: str
    created_at: datetime
    ended_at: datetime | None
    config: dict[str, Any]
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredContest:
    """An evaluation in the background.

    Attributes:
        reason: the error that paused it; None where a person did, or where it is not paused.
        done, total: pages times competitors; total is 0 before its pages were looked at.
        told: what was read last.
        per_second: pages, over the newest ones; None before there are two.
        run: its number in the log, once it is done.
        held: a process is at work on it.
    """

    id: int
    person: str
    created_at: datetime
    ended_at: datetime | None
    state: JobState
    asked: dict[str, Any]
    reason: dict[str, Any] | None
    done: int
    total: int
    told: str
    per_second: float | None
    run: int | None
    held: bool


@dataclass(frozen=True, slots=True)
class StoredAccount:
    """Attributes: password: its hash; empty where a proxy says who it is."""

    id: int
    name: str
    role: Role
    disabled: bool
    created_at: datetime
    password: str


@dataclass(frozen=True, slots=True)
class StoredKey:
    """An API key without its secret. Attributes: until: None for ever."""

    id: int
    name: str
    scopes: tuple[Action, ...]
    created_at: datetime
    used_at: datetime | None
    until: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class AuditRow:
    """Attributes: via: how they said who they are. target: what it was done to, often a number."""

    id: int
    at: datetime
    name: str
    via: str
    action: str
    address: str
    target: str
    details: str


@dataclass(frozen=True, slots=True)
class StoredPixelCalibration:
    """Attributes: target: pixels that the smallest text must keep; None where no fewer than all pixels will do."""

    id: int
    created_at: datetime
    target: float | None
    figures: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredCalibration:
    """Attributes:
    part: line, cell, or field with its kind.
    engine: its version is not kept: the model's revision says what the confidences are of.
    settings: that may change what is read, as they were, with the version of the template.
    """

    id: int
    created_at: datetime
    template: str
    part: str
    engine: EngineName
    settings: dict[str, Any]
    figures: Calibration


@dataclass(frozen=True, slots=True)
class StoredConfiguration:
    """Attributes: settings: by engine, those that may change what is read."""

    created_at: datetime
    program: str
    settings: dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class StoredTemplate:
    """An own template, or what was said of one of the product.

    Attributes:
        current, number: the version in use, "" and 0 for that of the product.
        content: the version in use as a file; its title, description and tags are those that stand here.
        file_sha256: of its file as it was last read or written, "" where it has none.
        deleted: it is kept for the readings that were asked with it alone.
    """

    name: str
    current: str
    number: int
    content: str
    title: dict[str, str]
    description: dict[str, str]
    tags: tuple[str, ...]
    file_sha256: str
    changed_at: datetime
    deleted: bool


@dataclass(frozen=True, slots=True)
class StoredWording:
    """A version of an own template. Attributes: content: as a file. from_file: it came from the prompts folder."""

    version: str
    number: int
    content: str
    note: str
    person: str
    created_at: datetime
    from_file: bool


@dataclass(frozen=True, slots=True)
class WordingUse:
    """How the readings of one version turned out.

    Attributes:
        readings: by engines that take its wording.
        accepted: those whose label was accepted; all that follows is of these.
        cer: mean error rate of the characters, None where nothing was accepted.
        edited: share of those in which something was corrected.
        reward: mean of the official rewards that are known.
        unscored: those whose reward is not known yet.
    """

    readings: int
    accepted: int
    cer: float | None
    edited: float | None
    reward: float | None
    unscored: int


@dataclass(frozen=True, slots=True)
class ComparedReadings:
    """What somebody said of two readings, and the readings."""

    preference: Preference
    left: Recognition
    right: Recognition


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """Attributes: person, ended_by: who started and who ended it. ended_at: None while it runs."""

    id: int
    created_at: datetime
    person: str
    ended_at: datetime | None
    ended_by: str
    experiment: Experiment


@dataclass(frozen=True, slots=True)
class ArmReading:
    """A reading of an experiment.

    Attributes:
        shadow: read for a blind comparison alone.
        asked_engine, asked_template: what was asked for before it was given to an arm.
    """

    id: int
    experiment: int
    arm: Arm
    shadow: bool
    asked_engine: str
    asked_template: str
    page_id: int
    sha256: str
    outcome: str


@dataclass(frozen=True, slots=True)
class ArmVerdict:
    """What came of a reading that somebody has judged.

    Attributes:
        wrong: it was called wrong, or corrected.
        accepted: the label was accepted.
        distance: in characters, to the label; 0 where the reading is the label, None where it was called wrong and
            nobody has said what would be right.
        cer: the same by the characters of the label.
    """

    id: int
    arm: Arm
    sha256: str
    wrong: bool
    accepted: bool
    distance: int | None
    cer: float
    content: PageContent
