"""Batches of rollouts: which items are still to be asked. Each item is answered and marked in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import func, insert, select, update

from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.errors import NotFound
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import JobCounts
from ocr_ui.storage.tables import rollout_job, rollout_task

_ROWS_AT_ONCE = 500


class JobState(StrEnum):
    OPEN = "open"
    DONE = "done"
    """Every item was answered, or failed."""


class TaskState(StrEnum):
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class RolloutJobs:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, asked: dict[str, Any], items: Iterable[int], person: Person | None = None) -> int:
        """Stores a batch over items, all waiting, and gives its id."""
        wanted = list(dict.fromkeys(items))
        with self._database.writing() as connection:
            row = {"state": JobState.OPEN.value, "asked": dumps(asked), "created_at": datetime.now(UTC)}
            row["person_id"] = people.id_of(connection, person)
            job = connection.execute(insert(rollout_job).values(row)).inserted_primary_key[0]
            for start in range(0, len(wanted), _ROWS_AT_ONCE):
                part = wanted[start : start + _ROWS_AT_ONCE]
                rows = [{"job_id": job, "recognition_id": item, "state": "waiting", "error": ""} for item in part]
                connection.execute(insert(rollout_task), rows)
        return job

    def find(self, asked: dict[str, Any], finished: bool = False) -> int | None:
        """The newest batch that asks just this; None where there is none. Only open ones where not `finished` too."""
        query = select(rollout_job.c.id).where(rollout_job.c.asked == dumps(asked)).order_by(rollout_job.c.id.desc())
        if not finished:
            query = query.where(rollout_job.c.state == JobState.OPEN.value)
        with self._database.reading() as connection:
            return connection.scalar(query.limit(1))

    def newest(self) -> int | None:
        """The newest batch, finished or not."""
        with self._database.reading() as connection:
            return connection.scalar(select(func.max(rollout_job.c.id)))

    def asked(self, job: int) -> dict[str, Any]:
        """What a batch asks of each item. Raises NotFound (`unknown_rollout_job`)."""
        with self._database.reading() as connection:
            found = connection.scalar(select(rollout_job.c.asked).where(rollout_job.c.id == job))
        if found is None:
            raise NotFound("unknown_rollout_job", f"There is no batch {job}.", "Start a new one.", job=job)
        return json.loads(found)

    def waiting(self, job: int, limit: int, after: int = 0) -> list[int]:
        """Items that are still to be asked, by their numbers, from the one behind `after` on."""
        query = (
            select(rollout_task.c.recognition_id)
            .where(rollout_task.c.job_id == job, rollout_task.c.state == TaskState.WAITING.value)
            .where(rollout_task.c.recognition_id > after)
            .order_by(rollout_task.c.recognition_id)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return list(connection.scalars(query))

    def done(self, job: int, item: int, rollout_id: int) -> bool:
        """An item has its answers. False where it was not waiting any more: somebody else was first."""
        return self._set(job, item, {"state": TaskState.DONE.value, "rollout_id": rollout_id})

    def failed(self, job: int, item: int, error: str) -> bool:
        return self._set(job, item, {"state": TaskState.FAILED.value, "error": storable(error)})

    def again(self, job: int) -> None:
        """Items that failed wait once more."""
        with self._database.writing() as connection:
            failed = (rollout_task.c.job_id == job, rollout_task.c.state == TaskState.FAILED.value)
            waiting = {"state": TaskState.WAITING.value, "error": ""}
            if connection.execute(update(rollout_task).where(*failed).values(waiting)).rowcount:
                opened = update(rollout_job).where(rollout_job.c.id == job)
                connection.execute(opened.values(state=JobState.OPEN.value))

    def finish(self, job: int) -> None:
        """Closes a batch that has no item waiting."""
        with self._database.writing() as connection:
            waiting = select(rollout_task.c.job_id).where(
                rollout_task.c.job_id == job, rollout_task.c.state == TaskState.WAITING.value
            )
            closed = update(rollout_job).where(rollout_job.c.id == job, ~waiting.exists())
            connection.execute(closed.values(state=JobState.DONE.value))

    def counts(self, job: int) -> JobCounts:
        query = (
            select(rollout_task.c.state, func.count())
            .where(rollout_task.c.job_id == job)
            .group_by(rollout_task.c.state)
        )
        with self._database.reading() as connection:
            found = dict(connection.execute(query).all())  # type: ignore[arg-type]
        return JobCounts(*(found.get(state.value, 0) for state in TaskState))

    def errors(self, job: int, limit: int = 20) -> list[tuple[int, str]]:
        """Items that failed, and why."""
        query = (
            select(rollout_task.c.recognition_id, rollout_task.c.error)
            .where(rollout_task.c.job_id == job, rollout_task.c.state == TaskState.FAILED.value)
            .order_by(rollout_task.c.recognition_id)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return [(row.recognition_id, row.error) for row in connection.execute(query)]

    def _set(self, job: int, item: int, values: dict[str, Any]) -> bool:
        place = (
            rollout_task.c.job_id == job,
            rollout_task.c.recognition_id == item,
            rollout_task.c.state == TaskState.WAITING.value,
        )
        with self._database.writing() as connection:
            return bool(connection.execute(update(rollout_task).where(*place).values(values)).rowcount)
