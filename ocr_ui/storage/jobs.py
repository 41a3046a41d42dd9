"""Batches of pages to read: whose turn it is, and what became of each page.

A page is claimed by a process for a time, in one transaction, so that two never read the same one; a process that is
gone loses its claims when their time is over. The result of a page and that it is done are saved together.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, exists, func, insert, or_, select, update

from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.job import JobState, TaskState
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.errors import Conflict, NotFound
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.numbers import unused_number
from ocr_ui.storage.pages import put_page
from ocr_ui.storage.people import signed
from ocr_ui.storage.records import FailedTask, JobTotals, PageTask, RouteTotals, StoredJob, StoredPage
from ocr_ui.storage.tables import document, job, job_file, job_task

RECENT = 30
"""Pages that the speed of a batch is worked out of."""
_OF_TASK = ("id", "job_id", "file_id", "number", "page_id", "recognition_id", "seconds", "start_s", "end_s")
_UNTOUCHED = {"holder": "", "until": None}
_ENDED = (JobState.DONE.value, JobState.CANCELLED.value)
_LEFT = (TaskState.WAITING.value, TaskState.RUNNING.value)


class Jobs:
    def __init__(self, database: Database) -> None:
        self._database = database

    # A batch

    def begin(
        self, name: str, asked: dict[str, Any], priority: int = 0, person: Person | None = None, paused: bool = False
    ) -> int:
        """Stores a batch without files and gives its id."""
        with self._database.writing() as connection:
            state = JobState.PAUSED if paused else JobState.OPEN
            row = {"state": state.value, "priority": priority, "announced": False, "name": storable(name)}
            row |= {"reason": "", "asked": dumps(asked), "created_at": datetime.now(UTC)}
            row["person_id"] = people.id_of(connection, person)
            return connection.execute(insert(job).values(row)).inserted_primary_key[0]

    def get(self, number: int) -> StoredJob:
        """Raises NotFound (`unknown_job`)."""
        with self._database.reading() as connection:
            return _get(connection, number)

    def list(self, limit: int = 50) -> list[StoredJob]:
        """The newest first."""
        with self._database.reading() as connection:
            return [_job(row) for row in connection.execute(_jobs().order_by(job.c.id.desc()).limit(limit))]

    def name(self, number: int, name: str) -> None:
        with self._database.writing() as connection:
            connection.execute(update(job).where(job.c.id == number).values(name=storable(name)))

    def add_file(self, number: int, name: str, sha256: str, size: int) -> int:
        """A file whose pages are not counted yet.

        Raises:
            NotFound: `unknown_job`. Conflict: `job_ended`.
        """
        with self._database.writing() as connection:
            _check_going(_get(connection, number))
            return _add_file(connection, number, name, sha256, size)

    def add_page(self, number: int, stored: StoredPage) -> int:
        """A page that is stored already, to be read once more. Raises as `add_file`."""
        with self._database.writing() as connection:
            _check_going(_get(connection, number))
            row = {"job_id": number, "name": storable(stored.document), "sha256": "", "size": 0}
            row["document_id"] = stored.document_id
            file_id = connection.execute(insert(job_file).values(row)).inserted_primary_key[0]
            task = _waiting(number, file_id, stored.page.number) | {"page_id": stored.id}
            return connection.execute(insert(job_task).values(task)).inserted_primary_key[0]

    def refuse_file(self, number: int, name: str, error: dict[str, Any]) -> None:
        """A file that cannot be read, with the reason: it counts as failed, and there is nothing to try again."""
        with self._database.writing() as connection:
            _refuse(connection, number, name, error)

    def pause(self, number: int, reason: dict[str, Any] | None = None) -> bool:
        """No more pages are begun. False where it was not open. Args: reason: the error that pauses it."""
        told = dumps(reason) if reason else ""
        return self._move(number, (JobState.OPEN,), {"state": JobState.PAUSED.value, "reason": told})

    def resume(self, number: int) -> bool:
        """Goes on with one that is paused; one without pages is done at once. False where it was not paused."""
        with self._database.writing() as connection:
            opened = {"state": JobState.OPEN.value, "reason": ""}
            moved = self._move(number, (JobState.PAUSED,), opened)
            _end_if_over(connection, number)
        return moved

    def cancel(self, number: int) -> bool:
        """Gives up what is not done; whoever reads a page of it loses the claim. False where it had ended."""
        with self._database.writing() as connection:
            values = {"state": JobState.CANCELLED.value, "ended_at": datetime.now(UTC), "reason": ""}
            if not self._move(number, (JobState.OPEN, JobState.PAUSED), values):
                return False
            left = (job_task.c.job_id == number, job_task.c.state.in_(_LEFT))
            connection.execute(update(job_task).where(*left).values(_UNTOUCHED | {"state": TaskState.CANCELLED.value}))
        return True

    def retry(self, number: int) -> int:
        """What failed waits once more, where its file is there; gives how many that are. Raises NotFound, Conflict."""
        with self._database.writing() as connection:
            found = _get(connection, number)
            if found.state == JobState.CANCELLED:
                raise _ended(number)
            waiting = _UNTOUCHED | {"state": TaskState.WAITING.value, "error": "", "ended_at": None, "seconds": 0.0}
            count = connection.execute(update(job_task).where(*_failed_for_now(number)).values(waiting)).rowcount
            if count:
                opened = {"state": JobState.OPEN.value, "reason": "", "ended_at": None, "announced": False}
                connection.execute(update(job).where(job.c.id == number).values(opened))
        return count

    def _move(self, number: int, states: Sequence[JobState], values: dict[str, Any]) -> bool:
        with self._database.writing() as connection:
            _get(connection, number)
            here = (job.c.id == number, job.c.state.in_([state.value for state in states]))
            return bool(connection.execute(update(job).where(*here).values(values)).rowcount)

    # A page

    def take(self, holder: str, seconds: float, without: Collection[str] = ()) -> PageTask | None:
        """Claims the next page, or the next file to be looked into; None where nothing waits.

        Args:
            without: engines whose batches are left out; empty stands for the default.

        Batches of a higher priority come first, then older ones; within a batch files are looked into before pages are
        read, so that it is soon known how many there are.
        """
        with self._database.writing() as connection:
            now = datetime.now(UTC)
            opened = select(job.c.id, job.c.asked).where(job.c.state == JobState.OPEN.value)
            for number, asked in connection.execute(opened.order_by(job.c.priority.desc(), job.c.id)).all():
                engine = json.loads(asked).get("engine", "")
                if engine not in without and (found := _first(connection, number, now)) is not None:
                    claim = {"state": TaskState.RUNNING.value, "holder": holder}
                    claim["until"] = now + timedelta(seconds=seconds)
                    connection.execute(update(job_task).where(job_task.c.id == found.id).values(claim))
                    return replace(found, engine=engine)
        return None

    def renew(self, holder: str, seconds: float, tasks: Iterable[int]) -> set[int]:
        """Gives the claims their full time again, and those of the tasks that are still the holder's."""
        with self._database.writing() as connection:
            mine = (job_task.c.id.in_(list(tasks)), *_held(holder))
            until = datetime.now(UTC) + timedelta(seconds=seconds)
            connection.execute(update(job_task).where(*mine).values(until=until))
            return set(connection.scalars(select(job_task.c.id).where(*mine)))

    def give_back(self, holder: str, tasks: Iterable[int]) -> None:
        """What was not done waits again, for anybody."""
        with self._database.writing() as connection:
            waiting = _UNTOUCHED | {"state": TaskState.WAITING.value}
            mine = (job_task.c.id.in_(list(tasks)), *_held(holder))
            connection.execute(update(job_task).where(*mine).values(waiting))

    def counted(
        self,
        holder: str,
        task: PageTask,
        pages: Iterable[int],
        spans: Mapping[int, tuple[float, float]] | None = None,
    ) -> bool:
        """The pages of a file take its place. False where the claim is lost.

        Args:
            spans: of a video, from when to when each page is shown, in seconds.
        """
        with self._database.writing() as connection:
            if not _drop(connection, holder, task):
                return False
            shown = {number: {"start_s": start, "end_s": end} for number, (start, end) in (spans or {}).items()}
            rows = [_waiting(task.job, task.file, number) | shown.get(number, {}) for number in pages]
            if rows:
                connection.execute(insert(job_task), rows)
            _end_if_over(connection, task.job)
        return True

    def unpacked(
        self,
        holder: str,
        task: PageTask,
        files: Iterable[tuple[str, str, int]],
        refused: Iterable[tuple[str, dict[str, Any]]],
    ) -> bool:
        """The files of an archive take its place. False where the claim is lost.

        Args:
            files: name, sha256, size.
            refused: name, error.
        """
        with self._database.writing() as connection:
            if not _drop(connection, holder, task):
                return False
            connection.execute(delete(job_file).where(job_file.c.id == task.file))
            for name, sha256, size in files:
                _add_file(connection, task.job, name, sha256, size)
            for name, error in refused:
                _refuse(connection, task.job, name, error)
            _end_if_over(connection, task.job)
        return True

    def keep_page(self, task: PageTask, value: Page) -> int:
        """Stores the picture of a page in the document of its file, and gives the page's id."""
        with self._database.writing() as connection:
            here = job_file.c.id == task.file
            found = connection.execute(select(job_file.c.document_id, job_file.c.name).where(here)).one()
            now = datetime.now(UTC)
            document_id = found.document_id
            if document_id is None:
                person_id = connection.scalar(select(job.c.person_id).where(job.c.id == task.job))
                made = {"name": found.name, "person_id": person_id, "created_at": now}
                made |= unused_number(connection, document)
                document_id = connection.execute(insert(document).values(made)).inserted_primary_key[0]
                connection.execute(update(job_file).where(here).values(document_id=document_id))
            page_id = put_page(connection, document_id, value)
            connection.execute(update(job_task).where(job_task.c.id == task.id).values(page_id=page_id))
        return page_id

    def done(self, holder: str, task: PageTask, recognition_id: int, seconds: float, route: str = "") -> bool:
        """A page has its result. False where the claim is lost: the caller undoes what it saved with this."""
        values = {"recognition_id": recognition_id, "route": route, "seconds": seconds}
        return self._end(holder, task, {**values, "state": TaskState.DONE.value})

    def read_once(self, holder: str, task: PageTask, recognition_id: int, seconds: float) -> bool:
        """A page has its first result and is to be read again. False as of `done`."""
        with self._database.writing() as connection:
            mine = (job_task.c.id == task.id, *_held(holder))
            values = {"recognition_id": recognition_id, "seconds": seconds}
            return bool(connection.execute(update(job_task).where(*mine).values(values)).rowcount)

    def read_twice(
        self, holder: str, task: PageTask, kept: int, other: int | None, second_seconds: float, route: str
    ) -> bool:
        """A page has both its results. False as of `done`."""
        values = {"recognition_id": kept, "second_id": other, "second_seconds": second_seconds, "route": route}
        return self._end(holder, task, {**values, "state": TaskState.DONE.value})

    def failed(self, holder: str, task: PageTask, error: dict[str, Any], final: bool = False) -> bool:
        """Args: final: it would fail each time; the file is not needed any more."""
        with self._database.writing() as connection:
            if final:
                connection.execute(update(job_file).where(job_file.c.id == task.file).values(sha256=""))
            return self._end(holder, task, {"state": TaskState.FAILED.value, "error": dumps(error)})

    def _end(self, holder: str, task: PageTask, values: dict[str, Any]) -> bool:
        with self._database.writing() as connection:
            ended = _UNTOUCHED | values | {"ended_at": datetime.now(UTC)}
            mine = (job_task.c.id == task.id, *_held(holder))
            if not connection.execute(update(job_task).where(*mine).values(ended)).rowcount:
                return False
            _end_if_over(connection, task.job)
        return True

    # How far a batch is

    def totals(self, number: int) -> JobTotals:
        looked = job_task.c.number > 0
        query = select(job_task.c.state, looked, func.count(), func.sum(job_task.c.seconds))
        with self._database.reading() as connection:
            query = query.where(job_task.c.job_id == number).group_by(job_task.c.state, looked)
            rows = connection.execute(query).all()
            speed = _speed(connection, number)
            again = connection.scalar(select(func.count()).select_from(job_task).where(*_failed_for_now(number)))
        counts = dict.fromkeys(TaskState, 0)
        unopened, seconds = 0, 0.0
        for state, known, count, took in rows:
            seconds += took
            if not known and state in _LEFT:
                unopened += count
            else:
                counts[TaskState(state)] += count
        return JobTotals(*counts.values(), unopened=unopened, retryable=again, seconds=seconds, per_second=speed)

    def counts(self) -> tuple[dict[str, int], int]:
        """Batches by state, and the pages and files of all that go on which are to be read."""
        states = select(job.c.state, func.count()).group_by(job.c.state)
        left = select(func.count()).select_from(job_task).join(job, job.c.id == job_task.c.job_id)
        left = left.where(job_task.c.state.in_(_LEFT), job.c.state.not_in(_ENDED))
        with self._database.reading() as connection:
            known = dict(connection.execute(states).all())
            return {**dict.fromkeys(JobState, 0), **known}, connection.scalar(left) or 0

    def files(self, number: int) -> list[str]:
        """Names of the files, in order; those of an archive that was unpacked begin with its own."""
        query = select(job_file.c.name).where(job_file.c.job_id == number).order_by(job_file.c.id)
        with self._database.reading() as connection:
            return list(connection.scalars(query))

    def failures(self, number: int, limit: int = 100) -> list[FailedTask]:
        """Pages and files that failed, in order."""
        query = (
            select(job_task.c.number, job_task.c.error, job_task.c.page_id, job_file.c.name, job_file.c.sha256)
            .join(job_file, job_file.c.id == job_task.c.file_id)
            .where(job_task.c.job_id == number, job_task.c.state == TaskState.FAILED.value)
            .order_by(job_task.c.file_id, job_task.c.number)
            .limit(limit)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            FailedTask(row.name, row.number, _error(row.error), bool(row.sha256) or row.page_id is not None)
            for row in rows
        ]

    def routes(self, number: int) -> list[RouteTotals]:
        """How many pages that are done went where, with the seconds of the first engine and of the second."""
        seconds = func.sum(job_task.c.seconds), func.sum(job_task.c.second_seconds)
        query = (
            select(job_task.c.route, func.count(), *seconds)
            .where(job_task.c.job_id == number, job_task.c.state == TaskState.DONE.value)
            .group_by(job_task.c.route)
            .order_by(job_task.c.route)
        )
        with self._database.reading() as connection:
            return [RouteTotals(*row) for row in connection.execute(query)]

    def has_frames(self, number: int) -> bool:
        """Is there a video among its files?"""
        query = select(job_task.c.id).where(job_task.c.job_id == number, job_task.c.start_s.is_not(None)).limit(1)
        with self._database.reading() as connection:
            return connection.scalar(query) is not None

    def unannounced(self) -> list[int]:
        """Batches that are done, and nobody was told yet; each is given once."""
        with self._database.writing() as connection:
            found = (job.c.state == JobState.DONE.value, job.c.announced.is_(False))
            numbers = list(connection.scalars(select(job.c.id).where(*found).order_by(job.c.id)))
            if numbers:
                connection.execute(update(job).where(job.c.id.in_(numbers)).values(announced=True))
        return numbers

    def needed_files(self) -> set[str]:
        """The sha256 of files that pages are still to be read of, or could be read again."""
        left = (*_LEFT, TaskState.FAILED.value)
        query = select(job_file.c.sha256).join(job_task, job_task.c.file_id == job_file.c.id)
        with self._database.reading() as connection:
            return set(connection.scalars(query.where(job_task.c.state.in_(left)).distinct()))


def _get(connection: Connection, number: int) -> StoredJob:
    row = connection.execute(_jobs().where(job.c.id == number)).first()
    if row is None:
        raise NotFound("unknown_job", f"There is no batch {number}.", "Start a new one.", job=number)
    return _job(row)


def _jobs() -> Select:
    return signed(job)


def _job(row: Row) -> StoredJob:
    reason = json.loads(row.reason) if row.reason else None
    return StoredJob(
        id=row.id,
        name=row.name,
        person=row.person or "",
        created_at=row.created_at,
        ended_at=row.ended_at,
        state=JobState(row.state),
        priority=row.priority,
        reason=reason,
        asked=json.loads(row.asked),
    )


def _check_going(found: StoredJob) -> None:
    if found.state.value in _ENDED:
        raise _ended(found.id)


def _ended(number: int) -> Conflict:
    return Conflict("job_ended", f"The batch {number} has ended.", "Start a new one.", job=number)


def _add_file(connection: Connection, number: int, name: str, sha256: str, size: int) -> int:
    row = {"job_id": number, "name": storable(name), "sha256": sha256, "size": size}
    file_id = connection.execute(insert(job_file).values(row)).inserted_primary_key[0]
    connection.execute(insert(job_task).values(_waiting(number, file_id, 0)))
    return file_id


def _refuse(connection: Connection, number: int, name: str, error: dict[str, Any]) -> None:
    row = {"job_id": number, "name": storable(name), "sha256": "", "size": 0}
    file_id = connection.execute(insert(job_file).values(row)).inserted_primary_key[0]
    failed = {"state": TaskState.FAILED.value, "error": dumps(error), "ended_at": datetime.now(UTC)}
    connection.execute(insert(job_task).values(_waiting(number, file_id, 0) | failed))


def _waiting(number: int, file_id: int, place: int) -> dict[str, Any]:
    row = {"job_id": number, "file_id": file_id, "number": place, "state": TaskState.WAITING.value}
    return row | _UNTOUCHED | {"seconds": 0.0, "second_seconds": 0.0, "route": "", "error": ""}


def _first(connection: Connection, number: int, now: datetime) -> PageTask | None:
    """The next task of a batch that is free, files that are not looked into first."""
    waits = job_task.c.state == TaskState.WAITING.value
    left = and_(job_task.c.state == TaskState.RUNNING.value, job_task.c.until < now)
    for which in (and_(job_task.c.number == 0, waits), waits, left):
        row = connection.execute(_tasks(number, which)).first()
        if row is not None:
            span = None if row.start_s is None else (row.start_s, row.end_s)
            read = row.page_id, row.recognition_id, row.seconds, span
            return PageTask(row.id, row.job_id, row.file_id, row.name, row.sha256, row.number, *read)
    return None


def _tasks(number: int, which: ColumnElement[bool]) -> Select:
    columns = [job_task.c[name] for name in _OF_TASK]
    return (
        select(*columns, job_file.c.name, job_file.c.sha256)
        .join(job_file, job_file.c.id == job_task.c.file_id)
        .where(job_task.c.job_id == number, which)
        .order_by(job_task.c.file_id, job_task.c.number)
        .limit(1)
        .with_for_update(of=job_task, skip_locked=True)
    )


def _error(stored: str) -> dict[str, Any]:
    """Why a task failed. What was said of it goes with its items, see `ocr_ui.storage.erasing`."""
    if stored:
        return json.loads(stored)
    deleted = NotFound("failure_deleted", "What failed here was deleted with its items.", "Hand it in again.")
    return {"code": deleted.code, "message": deleted.message, "hint": deleted.hint, "details": {}}


def _failed_for_now(number: int) -> tuple[ColumnElement[bool], ...]:
    """What failed and can be tried again: its file or its picture is there."""
    kept = select(job_file.c.id).where(job_file.c.job_id == number, job_file.c.sha256 != "")
    there = or_(job_task.c.file_id.in_(kept), job_task.c.page_id.is_not(None))
    return job_task.c.job_id == number, job_task.c.state == TaskState.FAILED.value, there


def _held(holder: str) -> tuple[ColumnElement[bool], ...]:
    return job_task.c.holder == holder, job_task.c.state == TaskState.RUNNING.value


def _drop(connection: Connection, holder: str, task: PageTask) -> bool:
    return bool(connection.execute(delete(job_task).where(job_task.c.id == task.id, *_held(holder))).rowcount)


def _end_if_over(connection: Connection, number: int) -> None:
    """A batch with nothing left to do is done."""
    left = exists().where(job_task.c.job_id == number, job_task.c.state.in_(_LEFT))
    over = (job.c.id == number, job.c.state == JobState.OPEN.value, ~left)
    connection.execute(update(job).where(*over).values(state=JobState.DONE.value, ended_at=datetime.now(UTC)))


def _speed(connection: Connection, number: int) -> float | None:
    """Pages a second over the newest ones, None before there are two."""
    ended = (job_task.c.job_id == number, job_task.c.ended_at.is_not(None), job_task.c.number > 0)
    query = select(job_task.c.ended_at).where(*ended).order_by(job_task.c.ended_at.desc()).limit(RECENT)
    moments = list(connection.scalars(query))
    if len(moments) < 2:
        return None
    took = (moments[0] - moments[-1]).total_seconds()
    return (len(moments) - 1) / took if took > 0 else None
