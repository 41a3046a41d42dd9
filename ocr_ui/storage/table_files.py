"""The rows of a database as files, one a table, which a database of either kind takes.

A file is gzipped JSON Lines: the names of the columns, then a list a row. Moments are written in UTC without a zone.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from alembic import command
from sqlalchemy import Connection, DateTime, Integer, MetaData, Table, func, insert, select, text

from ocr_ui.domain.exact_json import dumps
from ocr_ui.errors import Conflict
from ocr_ui.storage import migrate, search

ENDING = ".jsonl.gz"
PASSING = frozenset({"login", "rate_hit"})
"""What means nothing to another server: sessions, and counts of the last minutes."""
_ROWS_AT_ONCE = 500


def write_tables(connection: Connection, folder: Path) -> dict[str, int]:
    """Writes all tables as the connection sees them; gives their names with the numbers of rows."""
    return {table.name: _write(connection, table, folder / f"{table.name}{ENDING}") for table in _tables(connection)}


def take_tables(connection: Connection, folder: Path, revision: str, force: bool = False) -> dict[str, int]:
    """Makes the tables as they were at that revision, fills them from the files, and brings them up to date.

    Args:
        force: rows that are there go first.

    Returns:
        Names of tables with the numbers of rows.

    Raises:
        Conflict: `store_not_empty` (details: table, rows). StoreFailed: `store_newer`.
        ValueError, KeyError, TypeError: a file is not what it should be.
    """
    migrate.check_known(revision)
    if migrate.schema(connection).current is not None:
        if not force:
            _check_empty(connection)
        command.downgrade(migrate.config(connection), "base")
    command.upgrade(migrate.config(connection), revision)
    counts = {table.name: _take(connection, table, folder / f"{table.name}{ENDING}") for table in _tables(connection)}
    if connection.dialect.name == "postgresql":
        for table in _tables(connection):
            _count_on(connection, table)
    migrate.upgrade(connection)
    search.write_anew(connection)
    return counts


def _tables(connection: Connection) -> list[Table]:
    """As they are in the database, those that others point to first."""
    metadata = MetaData()
    metadata.reflect(connection, only=lambda name, _: not search.is_own(name))
    left_out = PASSING | {"alembic_version"}
    return [table for table in metadata.sorted_tables if table.name not in left_out]


def _check_empty(connection: Connection) -> None:
    counts = {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0 for table in _tables(connection)
    }
    table = max(counts, key=lambda name: counts[name])
    if counts[table]:
        raise Conflict(
            "store_not_empty",
            f"There is data already: {counts[table]} rows of {table}; nothing was changed.",
            "Restore into an empty store, or say --force: what is there is deleted then.",
            table=table,
            rows=counts[table],
        )


def _write(connection: Connection, table: Table, file: Path) -> int:
    query, rows = select(table).order_by(*table.primary_key), 0
    with gzip.GzipFile(file, "wb", mtime=0) as out:
        out.write(f"{dumps([column.name for column in table.c])}\n".encode())
        for row in connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query):
            out.write(f"{dumps([_plain(value) for value in row])}\n".encode())
            rows += 1
    return rows


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _take(connection: Connection, table: Table, file: Path) -> int:
    rows = 0
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        columns = [table.c[name] for name in json.loads(next(lines, ""))]
        while some := [json.loads(line) for line in islice(lines, _ROWS_AT_ONCE)]:
            connection.execute(insert(table), [dict(_values(columns, row)) for row in some])
            rows += len(some)
    return rows


def _values(columns: list[Any], row: list[Any]) -> Iterator[tuple[str, Any]]:
    for column, value in zip(columns, row, strict=True):
        is_moment = isinstance(column.type, DateTime) and value is not None
        yield column.name, datetime.fromisoformat(value) if is_moment else value


def _count_on(connection: Connection, table: Table) -> None:
    """New rows get numbers behind those that were taken."""
    key = list(table.primary_key)
    if len(key) == 1 and isinstance(key[0].type, Integer):
        last = connection.scalar(select(func.max(key[0])))
        sequence = text("SELECT setval(pg_get_serial_sequence(:name, :column), :last)")
        if last is not None:
            connection.execute(sequence, {"name": table.name, "column": key[0].name, "last": last})
