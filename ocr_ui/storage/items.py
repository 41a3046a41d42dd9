"""Items: recognitions with their page, newest correction and review, filtered, sorted, counted."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Result,
    Row,
    Select,
    and_,
    case,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy.sql.visitors import replacement_traverse

from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.experiment import HIDDEN
from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.review import Correction, ErrorKind, Review, State, Verdict
from ocr_ui.domain.routing import BOTH
from ocr_ui.errors import BadInput
from ocr_ui.storage import corrections, recognitions, reviews, search
from ocr_ui.storage.database import Database
from ocr_ui.storage.dataset_versions import frozen_reviews
from ocr_ui.storage.search import Found
from ocr_ui.storage.tables import (
    correction,
    document,
    experiment,
    experiment_reading,
    job_task,
    page,
    reading_figure,
    recognition,
    review,
    review_error,
    rollout,
    second_review,
)
from ocr_ui.storage.tables import person as person_table

SNIPPET = 160
"""Characters of a row's text."""

_ROWS_AT_ONCE = 50

NO_VERDICT = "none"
"""Stands in `Filters.verdicts` for items that nobody has judged."""

REVIEWS = ("none", "one", "agreed", "disputed", "resolved")
"""By how many people an item was reviewed: by nobody; by one; by two who say the same, or who differ, or who differed
until the dispute was resolved."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which items; empty parts do not restrict, several values of one part are alternatives.

    Attributes:
        engines: names as configured, or kinds where there was none.
        revisions: of the models.
        verdicts: values of Verdict, or NO_VERDICT.
        tags: of the review.
        reviewers: names of those who made the last change to the review.
        since, until: the recognition was made at or after, before; aware moments.
        text: stands in what the engine read, in the newest correction or in the page's name; case is ignored, for texts
            of one or two characters that of ASCII letters alone; a blank is any white space.
        items: only these recognitions.
        version: the name of a frozen version: its items, with the correction and the review that were frozen, to which
            all the other parts apply.
        reviews: of REVIEWS.
        scripts: the writing of most letters, of `ocr_ui.scoring.scripts`; not known before it is worked out.
        confidence: the least sure line, field or cell is below this, 0..1.
        agreement: a second review agrees by this much or more: 1 less the CER between the two people, 0..1.
        not_reviewers: nobody of these has reviewed the item, first or second.
        marks: of the item's newest rollout, values of `ocr_ui.domain.rollout.Mark`.
        jobs: numbers of batches that read the items.
        readers: names of those who had the pages read, or brought them in where nobody said who had them read.
        unmasked: templates, engines, models and revisions are those that an item was read with, also of an experiment's
            items that nobody has judged yet; for what the product works out by itself.
    """

    templates: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    revisions: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    states: tuple[State, ...] = ()
    error_kinds: tuple[ErrorKind, ...] = ()
    tags: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    items: tuple[int, ...] = ()
    version: str = ""
    reviews: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    confidence: float | None = None
    agreement: float | None = None
    not_reviewers: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    jobs: tuple[int, ...] = ()
    readers: tuple[str, ...] = ()
    unmasked: bool = False


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One line of the list.

    Attributes:
        template, engine, model: of an experiment's item that nobody has judged yet the template that was asked for,
            HIDDEN and "".
        id: of the recognition.
        sha256: of the picture; its thumbnail is stored under the same.
        version: of the newest correction, 0 for none; `edit_distance` and `cer` belong to it, None where there is none.
        confidence: the lowest of the lines, None where the engine gives none.
        text: the beginning of the newest text, at most SNIPPET characters.
        reviews: one of REVIEWS.
        found: the place of the text that was looked for, None where there is none or nothing was.
    """

    id: int
    page_id: int
    document_id: int
    sha256: str
    page: str
    page_number: int
    template: str
    task: str
    engine: str
    model: str
    outcome: str
    verdict: Verdict | None
    state: State
    error_kinds: tuple[ErrorKind, ...]
    version: int
    edit_distance: int | None
    cer: float | None
    confidence: float | None
    reviewer: str
    created_at: datetime
    updated_at: datetime
    text: str
    reviews: str
    found: Found | None = None


@dataclass(frozen=True, slots=True)
class WholeItem:
    """All that is known of an item, for exports."""

    id: int
    page_id: int
    document_id: int
    document: str
    page: Page
    recognition: Recognition
    read_by: str
    read_at: datetime
    correction: Correction | None
    corrected_at: datetime | None
    review: Review
    reviewed_at: datetime | None


@dataclass(frozen=True, slots=True)
class ItemMark:
    """Attributes:
    correction_version, review_revision: 0 for none.
    sha256: over all that is exported of the item: picture, prompt, answer, content, correction and review.
    """

    id: int
    correction_version: int
    review_revision: int
    sha256: str


_corrector = person_table.alias("corrector")
_reviewer = person_table.alias("reviewer")
_reader = person_table.alias("reader")

_newest_text = func.coalesce(correction.c.text, recognition.c.text)
_second = person_table.alias("second")
_judged = review.c.state.in_([state.value for state in (State.SUBMITTED, State.ACCEPTED, State.REJECTED)])
_reviews = case(
    (second_review.c.resolved_version.is_not(None), "resolved"),
    (second_review.c.disputed.is_(True), "disputed"),
    (second_review.c.disputed.is_(False), "agreed"),
    (_judged, "one"),
    else_="none",
)
_engine = func.coalesce(func.nullif(recognition.c.engine_name, ""), recognition.c.engine)
"""As it was configured; several of one kind are told apart by it."""

_hidden = and_(review.c.verdict.is_(None), recognition.c.id.in_(select(experiment_reading.c.recognition_id)))
"""Nobody is told yet which arm of an experiment it was read by, neither by a row, nor by what a filter finds."""
_asked = (
    select(experiment.c.template)
    .join(experiment_reading, experiment_reading.c.experiment_id == experiment.c.id)
    .where(experiment_reading.c.recognition_id == recognition.c.id)
    .correlate(recognition)
    .scalar_subquery()
)
_told: dict[str, ColumnElement[str]] = {
    "template": case((_hidden, _asked), else_=recognition.c.template),
    "engine": case((_hidden, literal_column(f"'{HIDDEN}'")), else_=_engine),
    "model": case((_hidden, literal_column("''")), else_=recognition.c.model),
    "revision": case((_hidden, literal_column("''")), else_=recognition.c.revision),
}
"""What a reading was made with, as far as it may be told."""
_used: dict[str, ColumnElement[str]] = {
    "template": recognition.c.template,
    "engine": _engine,
    "model": recognition.c.model,
    "revision": recognition.c.revision,
}

SORTS: dict[str, tuple[ColumnElement, ...]] = {
    "newest": (recognition.c.created_at.desc(), recognition.c.id.desc()),
    "oldest": (recognition.c.created_at, recognition.c.id),
    "updated": (review.c.updated_at.desc(), recognition.c.id.desc()),
    "most_edited": (func.coalesce(correction.c.edit_distance, -1).desc(), recognition.c.id.desc()),
    "worst_cer": (func.coalesce(correction.c.cer, -1).desc(), recognition.c.id.desc()),
    "least_sure": (func.coalesce(recognition.c.confidence, 2), recognition.c.id.desc()),
    "disagreement": (func.coalesce(reading_figure.c.disagreement, -1).desc(), recognition.c.id.desc()),
    "name": (page.c.name, page.c.number, recognition.c.id),
}
"""Orders of the list, by name."""

GROUPS: dict[str, ColumnElement] = {
    "day": func.date(recognition.c.created_at),
    "verdict": func.coalesce(review.c.verdict, NO_VERDICT),
    "state": review.c.state,
    **_told,
    "reviewer": func.coalesce(_reviewer.c.name, ""),
    "error_kind": review_error.c.kind,
}
"""What items can be counted by. `day` is the day of the recognition in UTC, as YYYY-MM-DD."""


class Items:
    def __init__(self, database: Database) -> None:
        self._database = database

    def list(
        self, filters: Filters | None = None, sort: str = "newest", limit: int = 50, offset: int = 0
    ) -> list[ItemRow]:
        """A window of the sorted items.

        Raises:
            BadInput: `unknown_sort`.
            NotFound: `unknown_version`, as all methods here do.
        """
        wanted = storable(filters.text) if filters else ""
        query = _rows(whole=bool(wanted)).order_by(*_order(sort))
        with self._database.reading() as connection:
            found = _run(connection, query.limit(max(0, limit)).offset(max(0, offset)), filters)
            return [_row(row, wanted) for row in found]

    def ids(self, filters: Filters | None = None, sort: str = "newest", limit: int = 10_000) -> list[int]:
        """The recognitions of the sorted items. Raises as `list`."""
        query = select(recognition.c.id).select_from(_joined()).order_by(*_order(sort))
        with self._database.reading() as connection:
            return list(_run(connection, query.limit(limit), filters).scalars())

    def tags(self) -> list[str]:
        """All tags that reviews have, sorted."""
        query = select(review.c.tags).where(review.c.tags != "[]").distinct()
        with self._database.reading() as connection:
            return sorted({tag for tags in connection.scalars(query) for tag in json.loads(tags)})

    def count(self, filters: Filters | None = None) -> int:
        query = select(func.count()).select_from(_joined())
        with self._database.reading() as connection:
            return _run(connection, query, filters).scalar_one()

    def count_by(self, group: str, filters: Filters | None = None) -> dict[str, int]:
        """Numbers of items by each value of `group`, one of GROUPS, sorted by value.

        An item with several error kinds counts once for each of them, and items without one do not appear there.
        """
        if group == "error_kind" and filters and filters.version:
            return self._count_frozen_kinds(filters)
        key = GROUPS[group]
        source = _joined()
        if group == "error_kind":
            source = source.join(review_error, review_error.c.recognition_id == recognition.c.id)
        query = select(key, func.count()).select_from(source).group_by(key).order_by(key)
        with self._database.reading() as connection:
            return {str(value): count for value, count in _run(connection, query, filters)}

    def readers(self) -> list[str]:
        """Names of those who had pages read, or brought in."""
        had = select(recognition.c.person_id).union(select(document.c.person_id))
        query = select(person_table.c.name).where(person_table.c.id.in_(had)).order_by(person_table.c.name)
        with self._database.reading() as connection:
            return list(connection.scalars(query))

    def _count_frozen_kinds(self, filters: Filters) -> dict[str, int]:
        """The table of kinds has those of today alone; those of a frozen review stand in its JSON text."""
        key = review.c.error_kinds
        query = select(key, func.count()).select_from(_joined()).group_by(key)
        counts: Counter[str] = Counter()
        with self._database.reading() as connection:
            for written, count in _run(connection, query, filters):
                counts.update(dict.fromkeys(json.loads(written), count))
        return dict(sorted(counts.items()))

    def each(self, filters: Filters | None = None) -> Iterator[WholeItem]:
        """All items by id, a few in memory at a time, from one moment's view of the store."""
        query = _whole().order_by(recognition.c.id)
        with self._database.snapshot() as connection:
            for row in _run(connection.execution_options(yield_per=_ROWS_AT_ONCE), query, filters):
                yield _whole_item(row)

    def agreement(self, filters: Filters | None = None) -> tuple[int, int, float]:
        """Numbers of items with a second review, and of those in which both said the same; the mean CER between both.

        The error rate is 0 where nobody reviewed twice.
        """
        same = func.coalesce(func.sum(case((second_review.c.disputed, 0), else_=1)), 0)
        cer = func.coalesce(func.avg(second_review.c.cer), 0.0)
        query = select(func.count(), same, cer).select_from(_joined())
        with self._database.reading() as connection:
            return tuple(_run(connection, query.where(second_review.c.id.is_not(None)), filters).one())

    def marks(self, filters: Filters | None = None) -> Iterator[ItemMark]:
        """What fixes each item as it is at one moment, by id."""
        query = _marked().order_by(recognition.c.id)
        with self._database.snapshot() as connection:
            for row in _run(connection.execution_options(yield_per=_ROWS_AT_ONCE), query, filters):
                yield _mark(row)


def _run(connection: Connection, query: Select, filters: Filters | None) -> Result:
    """Runs a query on the items that the filters choose; of a frozen version, with what was frozen in the place of
    today's review."""
    query = query.where(*_conditions(filters, connection.dialect.name))
    if not (filters and filters.version):
        return connection.execute(query)
    frozen = frozen_reviews(connection, filters.version)

    def replaced(element: Any, **_: Any) -> Any:
        if element is review:
            return frozen
        if isinstance(element, Column) and element.table is review:
            return frozen.c[element.name]
        return None

    return connection.execute(replacement_traverse(query, {}, replaced))


def matching(connection: Connection, items: Sequence[int], filters: Filters | None) -> set[int]:
    """Those of these recognitions that the filters choose; without filters those that there are."""
    query = select(recognition.c.id).select_from(_joined())
    return set(_run(connection, query.where(recognition.c.id.in_(list(items))), filters).scalars())


def _order(sort: str) -> tuple[ColumnElement, ...]:
    if sort not in SORTS:
        raise BadInput("unknown_sort", f"There is no order {sort!r}.", f"Use one of: {', '.join(SORTS)}.", sort=sort)
    return SORTS[sort]


def _joined() -> FromClause:
    newest = and_(
        correction.c.recognition_id == recognition.c.id,
        correction.c.version == review.c.latest_version,
    )
    return (
        recognition.join(review, review.c.recognition_id == recognition.c.id)
        .join(page, page.c.id == recognition.c.page_id)
        .outerjoin(correction, newest)
        .outerjoin(_reviewer, _reviewer.c.id == review.c.person_id)
        .outerjoin(second_review, second_review.c.id == review.c.second_id)
        .outerjoin(_second, _second.c.id == second_review.c.person_id)
        .outerjoin(reading_figure, reading_figure.c.recognition_id == recognition.c.id)
    )


def _conditions(filters: Filters | None, dialect: str) -> list[ColumnElement[bool]]:
    if filters is None:
        return []
    read_with = _used if filters.unmasked else _told
    listed = [
        column.in_([storable(str(value)) for value in values])
        for column, values in (
            (read_with["template"], filters.templates),
            (read_with["engine"], filters.engines),
            (read_with["model"], filters.models),
            (read_with["revision"], filters.revisions),
            (review.c.state, filters.states),
            (_reviewer.c.name, filters.reviewers),
            (_reviews, filters.reviews),
            (reading_figure.c.script, filters.scripts),
        )
        if values
    ]
    return (
        listed
        + _verdict(filters)
        + _errors(filters)
        + _tags(filters)
        + _times(filters)
        + _text(filters, dialect)
        + _ids(filters)
        + _numbers(filters)
        + _not_by(filters)
        + _marks(filters)
        + _jobs(filters)
        + _readers(filters)
    )


def _readers(filters: Filters) -> list[ColumnElement[bool]]:
    if not filters.readers:
        return []
    named = person_table.c.name.in_([storable(name) for name in filters.readers])
    people = select(person_table.c.id).where(named)
    brought = page.c.document_id.in_(select(document.c.id).where(document.c.person_id.in_(people)))
    return [or_(recognition.c.person_id.in_(people), and_(recognition.c.person_id.is_(None), brought))]


def _jobs(filters: Filters) -> list[ColumnElement[bool]]:
    if not filters.jobs:
        return []
    here = job_task.c.job_id.in_(filters.jobs)
    read = select(job_task.c.recognition_id).where(here, job_task.c.recognition_id.is_not(None))
    beside = select(job_task.c.second_id).where(here, job_task.c.route == BOTH)
    return [recognition.c.id.in_(read.union_all(beside))]


def _marks(filters: Filters) -> list[ColumnElement[bool]]:
    if not filters.marks:
        return []
    newest = select(func.max(rollout.c.id)).group_by(rollout.c.recognition_id)
    marked = rollout.c.mark.in_([storable(str(mark)) for mark in filters.marks])
    return [recognition.c.id.in_(select(rollout.c.recognition_id).where(marked, rollout.c.id.in_(newest)))]


def _verdict(filters: Filters) -> list[ColumnElement[bool]]:
    if not filters.verdicts:
        return []
    named = review.c.verdict.in_([storable(str(value)) for value in filters.verdicts])
    return [or_(named, review.c.verdict.is_(None)) if NO_VERDICT in filters.verdicts else named]


def _errors(filters: Filters) -> list[ColumnElement[bool]]:
    if not filters.error_kinds:
        return []
    if filters.version:
        return [or_(*(review.c.error_kinds.contains(dumps(kind.value)) for kind in filters.error_kinds))]
    kinds = [kind.value for kind in filters.error_kinds]
    return [recognition.c.id.in_(select(review_error.c.recognition_id).where(review_error.c.kind.in_(kinds)))]


def _tags(filters: Filters) -> list[ColumnElement[bool]]:
    """A tag stands in the list's JSON text as it is written by itself."""
    named = [review.c.tags.contains(dumps(storable(tag)), autoescape=True) for tag in filters.tags]
    return [or_(*named)] if named else []


def _times(filters: Filters) -> list[ColumnElement[bool]]:
    since = [recognition.c.created_at >= filters.since] if filters.since else []
    until = [recognition.c.created_at < filters.until] if filters.until else []
    return since + until


def _text(filters: Filters, dialect: str) -> list[ColumnElement[bool]]:
    if not filters.text:
        return []
    wanted = storable(filters.text)
    return [search.holding_then(wanted) if filters.version else search.holding(wanted, dialect)]


def _ids(filters: Filters) -> list[ColumnElement[bool]]:
    return [recognition.c.id.in_(filters.items)] if filters.items else []


_MARKED = (
    (recognition, "engine engine_version model revision engine_name template template_version task outcome method"),
    (recognition, "error transform prompt generation content"),
    (page, "sha256 number name"),
    (correction, "content"),
    (review, "correction_version verdict state error_kinds tags note"),
    (second_review, "verdict disputed cer content resolved_version"),
)
"""Columns that an item's checksum is over: what exports write and filters ask, and the reviewers' names beside them."""


def _marked() -> Select:
    columns = (table.c[name].label(f"{table.name}_{name}") for table, names in _MARKED for name in names.split())
    fixed = recognition.c.id, review.c.latest_version, review.c.revision
    names = _reviewer.c.name.label("reviewer"), _second.c.name.label("second_reviewer")
    return select(*fixed, *columns, *names).select_from(_joined())


def _mark(row: Row) -> ItemMark:
    number, version, revision, *values = row
    return ItemMark(number, version, revision, hashlib.sha256(dumps(values).encode()).hexdigest())


def _numbers(filters: Filters) -> list[ColumnElement[bool]]:
    unsure = [] if filters.confidence is None else [recognition.c.confidence < filters.confidence]
    # A rate of 0.05 is stored as what 1/20 rounds to; 1 - 0.95 must not be just below it.
    most = None if filters.agreement is None else 1 - filters.agreement + 1e-9
    return unsure + ([] if most is None else [second_review.c.cer <= most])


def _not_by(filters: Filters) -> list[ColumnElement[bool]]:
    names = [storable(name) for name in filters.not_reviewers]
    people = (_reviewer.c.name, _second.c.name) if names else ()
    return [func.coalesce(name, "").not_in(names) for name in people]


def _rows(whole: bool = False) -> Select:
    """Args: whole: with the whole texts, as the engine read it and as it is now."""
    texts = (recognition.c.text.label("read_text"), _newest_text.label("newest_text")) if whole else ()
    return select(
        recognition.c.id,
        recognition.c.page_id,
        page.c.document_id,
        page.c.sha256,
        page.c.name.label("page"),
        page.c.number.label("page_number"),
        _told["template"].label("template"),
        recognition.c.task,
        _told["engine"].label("engine"),
        _told["model"].label("model"),
        recognition.c.outcome,
        review.c.verdict,
        review.c.state,
        review.c.error_kinds,
        review.c.latest_version.label("version"),
        correction.c.edit_distance,
        correction.c.cer,
        recognition.c.confidence,
        func.coalesce(_reviewer.c.name, "").label("reviewer"),
        recognition.c.created_at,
        review.c.updated_at,
        func.substr(_newest_text, 1, SNIPPET).label("text"),
        _reviews.label("reviews"),
        *texts,
    ).select_from(_joined())


def _row(row: Row, wanted: str) -> ItemRow:
    values: dict[str, Any] = dict(row._mapping)
    if wanted:
        values["found"] = search.place_of(wanted, values.pop("newest_text"), values.pop("read_text"))
    values["verdict"] = Verdict(row.verdict) if row.verdict else None
    values["state"] = State(row.state)
    values["error_kinds"] = tuple(ErrorKind(kind) for kind in json.loads(row.error_kinds))
    return ItemRow(**values)


def _whole() -> Select:
    source = (
        _joined()
        .join(document, document.c.id == page.c.document_id)
        .outerjoin(_reader, _reader.c.id == recognition.c.person_id)
        .outerjoin(_corrector, _corrector.c.id == correction.c.person_id)
    )
    return select(
        *(column.label(f"recognition_{column.name}") for column in recognition.c),
        *(column.label(f"correction_{column.name}") for column in correction.c),
        *(column.label(f"review_{column.name}") for column in review.c),
        *(column.label(f"page_{column.name}") for column in page.c if column.name != "id"),
        document.c.name.label("document_name"),
        _reader.c.name.label("reader"),
        _corrector.c.name.label("corrector"),
        _reviewer.c.name.label("reviewer"),
    ).select_from(source)


class _Part:
    """The columns of a joined row that belong to one table, under their own names."""

    def __init__(self, row: Row, table: str, **more: Any) -> None:
        start = f"{table}_"
        self.__dict__ = {key[len(start) :]: row._mapping[key] for key in row._mapping if key.startswith(start)} | more


def _whole_item(row: Row) -> WholeItem:
    read = _Part(row, "recognition", sha256=row.page_sha256)
    fixed = _Part(row, "correction", person=row.corrector)
    judged = _Part(row, "review", reviewer=row.reviewer)
    corrected = row.correction_id is not None
    return WholeItem(
        id=read.id,
        page_id=read.page_id,
        document_id=row.page_document_id,
        document=row.document_name,
        page=Page(
            row.page_sha256,
            row.page_width,
            row.page_height,
            row.page_name,
            row.page_number,
            row.page_start_s,
            row.page_end_s,
        ),
        recognition=recognitions.value_of(read),
        read_by=row.reader or "",
        read_at=read.created_at,
        correction=corrections.stored(fixed).correction if corrected else None,
        corrected_at=fixed.created_at if corrected else None,
        review=reviews.value_of(judged),
        reviewed_at=judged.updated_at if judged.revision else None,
    )
