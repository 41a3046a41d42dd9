"""Numbers that were given once: SQLite by itself gives the highest ones again when their rows are gone."""

from __future__ import annotations

from sqlalchemy import Connection, Table, delete, func, insert, select

from ocr_ui.storage.tables import document, last_number, page, recognition

_KINDS = {recognition: "item", page: "page", document: "document"}
"""What people and programs know by number: from addresses, exports, the audit log and the log."""


def keep_last_numbers(connection: Connection) -> None:
    """Remembers the highest numbers, before rows go."""
    for table, kind in _KINDS.items():
        highest, kept = _highest(connection, table)
        connection.execute(delete(last_number).where(last_number.c.kind == kind))
        connection.execute(insert(last_number).values(kind=kind, number=max(highest, kept)))


def unused_number(connection: Connection, table: Table) -> dict[str, int]:
    """The number of a new row, where the database would give one that a deleted row had. A sequence of PostgreSQL's
    never does."""
    if connection.dialect.name != "sqlite":
        return {}
    highest, kept = _highest(connection, table)
    return {"id": kept + 1} if kept > highest else {}


def _highest(connection: Connection, table: Table) -> tuple[int, int]:
    """Of the rows that there are, and of those that there were when some were last deleted; 0 for none."""
    kept = select(last_number.c.number).where(last_number.c.kind == _KINDS[table])
    return connection.scalar(select(func.max(table.c.id))) or 0, connection.scalar(kept) or 0
