"""Who did what when: rows that are only ever added."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from sqlalchemy import insert, select

from ocr_ui.domain.exact_json import storable
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import AuditRow
from ocr_ui.storage.tables import audit

ROWS_AT_ONCE = 1_000


class Audit:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, via: str, address: str, action: str, target: str = "", details: str = "") -> None:
        values = {"name": storable(name)[:200], "via": via, "address": address[:100], "action": action}
        with self._database.writing() as connection:
            told = {"target": storable(target), "details": storable(details)}
            connection.execute(insert(audit).values(at=datetime.now(UTC), **values, **told))

    def rows(self, after: int = 0, limit: int = ROWS_AT_ONCE) -> list[AuditRow]:
        """Oldest first, from behind the row of that number."""
        query = select(audit).where(audit.c.id > after).order_by(audit.c.id).limit(limit)
        with self._database.reading() as connection:
            return [AuditRow(**row._mapping) for row in connection.execute(query)]

    def all(self) -> Iterator[AuditRow]:
        after = 0
        while rows := self.rows(after):
            yield from rows
            after = rows[-1].id
