"""The log of evaluations and measurements of speed, and readings that are kept for the next one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, Select, delete, insert, select, update

from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.errors import NotFound
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.people import signed
from ocr_ui.storage.records import StoredRun
from ocr_ui.storage.tables import evaluation_page, evaluation_reading, evaluation_run

_ROWS_AT_ONCE = 500


class Evaluations:
    def __init__(self, database: Database) -> None:
        self._database = database

    def reading(self, key: str, since: datetime | None = None) -> dict[str, Any] | None:
        """A reading that was kept; None where there is none of the key. Args: since: none that was kept before."""
        query = select(evaluation_reading.c.reading).where(evaluation_reading.c.key == key)
        if since is not None:
            query = query.where(evaluation_reading.c.created_at >= since)
        with self._database.reading() as connection:
            found = connection.scalar(query)
        return None if found is None else json.loads(found)

    def keep(self, key: str, reading: Mapping[str, Any]) -> None:
        """Keeps a reading; one of the same key is replaced."""
        row = {"key": key, "created_at": datetime.now(UTC), "reading": dumps(dict(reading))}
        with self._database.writing() as connection:
            connection.execute(delete(evaluation_reading).where(evaluation_reading.c.key == key))
            connection.execute(insert(evaluation_reading), row)

    def begin(
        self, kind: str, data: str, data_sha256: str, config: Mapping[str, Any], person: Person | None = None
    ) -> int:
        """A new run in the log, or the newest one of this configuration that has not ended: it goes on."""
        written = dumps(dict(config))
        same = (
            select(evaluation_run.c.id)
            .where(evaluation_run.c.kind == kind, evaluation_run.c.data_sha256 == data_sha256)
            .where(evaluation_run.c.config == written, evaluation_run.c.ended_at.is_(None))
            .order_by(evaluation_run.c.id.desc())
        )
        row = {"kind": kind, "data": storable(data), "data_sha256": data_sha256, "config": written, "result": ""}
        with self._database.writing() as connection:
            found = connection.scalar(same.limit(1))
            if found is not None:
                return found
            row |= {"created_at": datetime.now(UTC), "person_id": people.id_of(connection, person)}
            return connection.execute(insert(evaluation_run).values(row)).inserted_primary_key[0]

    def end(self, run: int, result: Mapping[str, Any], pages: Sequence[Mapping[str, Any]] = ()) -> None:
        """Writes what a run found, all in one transaction."""
        rows = [{"run_id": run, "number": number, "result": dumps(dict(page))} for number, page in enumerate(pages)]
        with self._database.writing() as connection:
            connection.execute(delete(evaluation_page).where(evaluation_page.c.run_id == run))
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                connection.execute(insert(evaluation_page), rows[start : start + _ROWS_AT_ONCE])
            ended = {"ended_at": datetime.now(UTC), "result": dumps(dict(result))}
            connection.execute(update(evaluation_run).where(evaluation_run.c.id == run).values(ended))

    def get(self, run: int) -> StoredRun:
        """Raises NotFound (`unknown_run`)."""
        with self._database.reading() as connection:
            row = connection.execute(_runs().where(evaluation_run.c.id == run)).first()
        if row is None:
            raise NotFound("unknown_run", f"There is no run {run}.", "Choose one of the list.", run=run)
        return _run(row)

    def list(
        self, kind: str = "", data_sha256: str = "", limit: int = 100, before: int | None = None
    ) -> list[StoredRun]:
        """Runs that have ended, the newest first.

        Args:
            kind, data_sha256: only such; "" for all.
            before: only runs with a smaller number.
        """
        query = _runs().where(evaluation_run.c.ended_at.is_not(None)).order_by(evaluation_run.c.id.desc())
        if kind:
            query = query.where(evaluation_run.c.kind == kind)
        if data_sha256:
            query = query.where(evaluation_run.c.data_sha256 == data_sha256)
        if before is not None:
            query = query.where(evaluation_run.c.id < before)
        with self._database.reading() as connection:
            return [_run(row) for row in connection.execute(query.limit(limit))]

    def pages(self, run: int) -> Iterator[dict[str, Any]]:
        """What a run found of each page, in order."""
        query = select(evaluation_page.c.result).where(evaluation_page.c.run_id == run)
        with self._database.reading() as connection:
            rows = connection.scalars(query.order_by(evaluation_page.c.number)).all()
        return map(json.loads, rows)


def _runs() -> Select:
    return signed(evaluation_run)


def _run(row: Row) -> StoredRun:
    return StoredRun(
        id=row.id,
        kind=row.kind,
        data=row.data,
        data_sha256=row.data_sha256,
        person=row.person or "",
        created_at=row.created_at,
        ended_at=row.ended_at,
        config=json.loads(row.config),
        result=json.loads(row.result) if row.result else {},
    )
