"""What belongs to working through a list: filters saved by name, and the time that the work takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, delete, func, insert, select, update

from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import State
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.people import signed
from ocr_ui.storage.records import Pace, SavedFilter
from ocr_ui.storage.tables import person as person_table
from ocr_ui.storage.tables import review_history, saved_filter, second_review, work_time

_FINISHED = [state.value for state in (State.SUBMITTED, State.ACCEPTED, State.REJECTED, State.SKIPPED)]


class Queues:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save_filter(self, name: str, query: Mapping[str, Any], person: Person) -> None:
        """Keeps a filter under a name; an older one of that name is replaced."""
        with self._database.writing() as connection:
            row = {
                "name": name,
                "query": dumps(dict(query)),
                "person_id": people.id_of(connection, person),
                "updated_at": datetime.now(UTC),
            }
            connection.execute(delete(saved_filter).where(saved_filter.c.name == name))
            connection.execute(insert(saved_filter).values(row))

    def remove_filter(self, name: str) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(saved_filter).where(saved_filter.c.name == name))

    def filters(self) -> list[SavedFilter]:
        """All by name."""
        query = signed(saved_filter).order_by(saved_filter.c.name)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [SavedFilter(row.name, json.loads(row.query), row.person or "", row.updated_at) for row in rows]

    def work(self, recognition_id: int, sitting: str, person: Person, seconds: float) -> None:
        """Keeps how long a sitting has worked on an item so far; a smaller number than before changes nothing."""
        where = work_time.c.recognition_id == recognition_id, work_time.c.sitting == sitting
        with self._database.writing() as connection:
            now = datetime.now(UTC)
            known = connection.scalar(select(work_time.c.seconds).where(*where))
            if known is None:
                row = {"recognition_id": recognition_id, "sitting": sitting, "seconds": seconds, "updated_at": now}
                connection.execute(insert(work_time).values(**row, person_id=people.id_of(connection, person)))
            elif seconds > known:
                connection.execute(update(work_time).where(*where).values(seconds=seconds, updated_at=now))

    def seconds(self, recognition_id: int) -> dict[str, float]:
        """Seconds of work on an item by person; those of nobody's under ""."""
        name = func.coalesce(person_table.c.name, "")
        query = _times(name).where(work_time.c.recognition_id == recognition_id).group_by(name)
        with self._database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def pace(self, person: Person, since: datetime) -> Pace:
        """What a person has finished since then, and the time of work for it."""
        with self._database.reading() as connection:
            person_id = people.known(connection, person)
            if person_id is None and people.clean(person):
                return Pace(0, 0, 0.0)  # somebody new: NULL stands for nobody, whose work is not theirs
            is_theirs = review_history.c.person_id == person_id
            reviews = select(review_history.c.recognition_id).where(
                is_theirs, review_history.c.created_at >= since, review_history.c.state.in_(_FINISHED)
            )
            seconds = select(second_review.c.recognition_id).where(
                second_review.c.person_id == person_id, second_review.c.created_at >= since
            )
            finished = reviews.union(seconds).subquery()
            done = connection.scalar(select(func.count()).select_from(finished))
            mine = work_time.c.person_id == person_id, work_time.c.updated_at >= since
            timed = select(func.count(work_time.c.recognition_id.distinct())).where(
                *mine, work_time.c.recognition_id.in_(select(finished.c[0]))
            )
            measured = connection.scalar(timed)
            spent = connection.scalar(select(func.sum(work_time.c.seconds)).where(*mine))
        return Pace(done or 0, measured or 0, spent or 0.0)


def _times(name: Any) -> Select:
    return select(name, func.sum(work_time.c.seconds)).outerjoin(
        person_table, person_table.c.id == work_time.c.person_id
    )
