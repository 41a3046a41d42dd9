"""Which of two readings somebody found better: added, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, Select, func, insert, or_, select

from ocr_ui.domain.person import Person
from ocr_ui.domain.preference import Preference
from ocr_ui.domain.rollout import Choice
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.people import signed
from ocr_ui.storage.recognitions import recognitions_of
from ocr_ui.storage.records import ComparedReadings
from ocr_ui.storage.tables import preference


class Preferences:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, values: Iterable[Preference], client_key: str = "") -> None:
        """Keeps what somebody says; when this returns it is on disk.

        Args:
            client_key: new for each judgement; what was sent with it before is not added again.

        Raises:
            StoreFailed: see `Database.writing`.
        """
        with self._database.writing() as connection:
            now = datetime.now(UTC)
            rows = [
                {
                    "left_id": value.left,
                    "right_id": value.right,
                    "experiment_id": value.experiment,
                    "person_id": people.id_of(connection, Person(value.person)),
                    "created_at": now,
                    "client_key": client_key or None,
                    "choice": value.choice.value,
                    "blind": value.blind,
                    "seconds": value.seconds,
                }
                for value in values
                if not _sent_before(connection, value, client_key)
            ]
            if rows:
                connection.execute(insert(preference), rows)

    def of_experiment(self, experiment_id: int) -> list[Preference]:
        """Oldest first."""
        query = _query().where(preference.c.experiment_id == experiment_id)
        with self._database.reading() as connection:
            return [_value(row) for row in connection.execute(query)]

    def of_item(
        self, recognition_id: int, revisions: Sequence[str] = (), until: datetime | None = None
    ) -> list[ComparedReadings]:
        """All that was said of a reading beside another one, oldest first.

        Args:
            revisions: of the models of both; empty for any.
            until: only what was there at that moment.
        """
        query = _query().where(or_(preference.c.left_id == recognition_id, preference.c.right_id == recognition_id))
        if until is not None:
            query = query.where(preference.c.created_at <= until)
        with self._database.reading() as connection:
            told = [_value(row) for row in connection.execute(query)]
            ids = {number for one in told for number in (one.left, one.right)}
            found = recognitions_of(connection, ids) if ids else {}
        both = (ComparedReadings(one, found[one.left], found[one.right]) for one in told)
        return [
            one
            for one in both
            if not revisions or {one.left.engine.revision, one.right.engine.revision} <= {*revisions}
        ]

    def any(self) -> bool:
        """Is there one at all?"""
        with self._database.reading() as connection:
            return connection.scalar(select(func.min(preference.c.id))) is not None


def _sent_before(connection: Connection, value: Preference, client_key: str) -> bool:
    if not client_key:
        return False
    same = (
        preference.c.client_key == client_key,
        preference.c.left_id == value.left,
        preference.c.right_id == value.right,
    )
    return connection.scalar(select(preference.c.id).where(*same)) is not None


def _query() -> Select:
    return signed(preference).order_by(preference.c.id)


def _value(row: Row) -> Preference:
    return Preference(
        left=row.left_id,
        right=row.right_id,
        choice=Choice(row.choice),
        person=row.person or "",
        blind=row.blind,
        seconds=row.seconds,
        experiment=row.experiment_id,
    )
