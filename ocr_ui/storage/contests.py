"""Evaluations in the background: what is asked, how far each is, and which process is at work on it.

One is claimed by a process for a time, in one transaction; a process that is gone loses its claim when the time is
over, and whoever takes it then goes on with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, insert, or_, select, update

from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.job import JobState
from ocr_ui.domain.person import Person
from ocr_ui.errors import Conflict, NotFound
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.people import signed
from ocr_ui.storage.records import StoredContest
from ocr_ui.storage.tables import contest

_FREE = {"holder": "", "until": None}


@dataclass(frozen=True, slots=True)
class Far:
    """How far a contest is, as StoredContest has it."""

    done: int
    total: int
    told: str
    per_second: float | None


class Contests:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, asked: Mapping[str, Any], person: Person | None = None) -> int:
        """Stores a question, which waits for a process, and gives its number."""
        row = {"state": JobState.OPEN.value, "asked": dumps(dict(asked)), "reason": "", "told": ""}
        row |= {"done": 0, "total": 0, "created_at": datetime.now(UTC), **_FREE}
        with self._database.writing() as connection:
            row["person_id"] = people.id_of(connection, person)
            return connection.execute(insert(contest).values(row)).inserted_primary_key[0]

    def get(self, number: int) -> StoredContest:
        """Raises NotFound (`unknown_contest`)."""
        with self._database.reading() as connection:
            return _get(connection, number)

    def list(self, limit: int = 50) -> list[StoredContest]:
        """The newest first."""
        with self._database.reading() as connection:
            return [_contest(row) for row in connection.execute(_contests().order_by(contest.c.id.desc()).limit(limit))]

    def pause(self, number: int, reason: Mapping[str, Any] | None = None) -> bool:
        """Whoever is at work on it loses the claim. False where it was not open. Args: reason: what paused it."""
        told = dumps(dict(reason)) if reason else ""
        values = {"state": JobState.PAUSED.value, "reason": told, "per_second": None, **_FREE}
        return self._move(number, (JobState.OPEN,), values)

    def resume(self, number: int) -> bool:
        """Waits for a process again. False where it was not paused. Raises NotFound, Conflict (`contest_ended`)."""
        with self._database.writing() as connection:
            if _get(connection, number).state in (JobState.DONE, JobState.CANCELLED):
                told = f"Contest {number} has ended."
                raise Conflict("contest_ended", told, "Begin a new one; what was read is kept.", contest=number)
            return self._move(number, (JobState.PAUSED,), {"state": JobState.OPEN.value, "reason": ""})

    def cancel(self, number: int) -> bool:
        """Gives it up; what was read stays kept. False where it had ended. Raises NotFound."""
        values = {"state": JobState.CANCELLED.value, "reason": "", "ended_at": datetime.now(UTC), **_FREE}
        return self._move(number, (JobState.OPEN, JobState.PAUSED), values)

    def _move(self, number: int, states: Sequence[JobState], values: Mapping[str, Any]) -> bool:
        with self._database.writing() as connection:
            _get(connection, number)
            here = (contest.c.id == number, contest.c.state.in_([state.value for state in states]))
            return bool(connection.execute(update(contest).where(*here).values(dict(values))).rowcount)

    # For the process that is at work on one

    def take(self, holder: str, seconds: float) -> StoredContest | None:
        """Claims the oldest that waits, or whose process is gone; None where there is none."""
        now = datetime.now(UTC)
        free = or_(contest.c.holder == "", contest.c.until < now)
        waits = (contest.c.state == JobState.OPEN.value, free)
        first = select(contest.c.id).where(*waits).order_by(contest.c.id).limit(1)
        with self._database.writing() as connection:
            number = connection.scalar(first.with_for_update(skip_locked=True))
            if number is None:
                return None
            claim = {"holder": holder, "until": now + timedelta(seconds=seconds)}
            connection.execute(update(contest).where(contest.c.id == number).values(claim))
            return _get(connection, number)

    def renew(self, holder: str, seconds: float, number: int, far: Far | None = None) -> bool:
        """The claim has its full time again, and it stands there how far it is. False where the claim is lost."""
        values: dict[str, Any] = {"until": datetime.now(UTC) + timedelta(seconds=seconds)}
        if far is not None:
            values |= {"done": far.done, "total": far.total, "told": storable(far.told), "per_second": far.per_second}
        return self._held(holder, number, values)

    def done(self, holder: str, number: int, run: int, total: int) -> bool:
        """It has its result in the log. False where the claim is lost."""
        ended = {"state": JobState.DONE.value, "ended_at": datetime.now(UTC), **_FREE}
        return self._held(holder, number, {**ended, "run_id": run, "done": total, "total": total})

    def give_back(self, holder: str, number: int) -> None:
        """It waits again, for anybody."""
        self._held(holder, number, _FREE)

    def _held(self, holder: str, number: int, values: Mapping[str, Any]) -> bool:
        mine: tuple[ColumnElement[bool], ...] = (contest.c.id == number, contest.c.holder == holder)
        with self._database.writing() as connection:
            return bool(connection.execute(update(contest).where(*mine).values(dict(values))).rowcount)


def _contests() -> Select:
    return signed(contest)


def _get(connection: Connection, number: int) -> StoredContest:
    row = connection.execute(_contests().where(contest.c.id == number)).first()
    if row is None:
        raise NotFound("unknown_contest", f"There is no contest {number}.", "Begin a new one.", contest=number)
    return _contest(row)


def _contest(row: Row) -> StoredContest:
    return StoredContest(
        id=row.id,
        person=row.person or "",
        created_at=row.created_at,
        ended_at=row.ended_at,
        state=JobState(row.state),
        asked=json.loads(row.asked),
        reason=json.loads(row.reason) if row.reason else None,
        done=row.done,
        total=row.total,
        told=row.told,
        per_second=row.per_second,
        run=row.run_id,
        held=bool(row.holder),
    )
