"""The connection to the database: transactions that last once committed, and readers that never wait for writers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import IntegrityError

from ocr_ui.storage.failures import failure, told


class Database:
    """A SQLite file. Writers queue for the lock at their first statement, so that they never deadlock.

    Args:
        path: of the file; its folder exists.
        busy_seconds: how long a writer waits for another one before it fails with `store_locked`.
    """

    def __init__(self, path: Path, busy_seconds: float = 10.0) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self.engine = _engine(path, busy_seconds)
        self._writers = self.engine.execution_options(begin="BEGIN IMMEDIATE")
        self._local = threading.local()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: all of the block is on disk when it ends, or nothing of it.

        A block inside a block of the same thread joins the outer transaction.

        Raises:
            StoreFailed: disk full, read-only, locked, broken.
        """
        outer = getattr(self._local, "connection", None)
        if outer is not None:
            yield outer
            return
        with told(self.path.parent), self._writers.begin() as connection:
            self._local.connection = connection
            try:
                yield connection
            finally:
                self._local.connection = None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A consistent view; inside `writing` of the same thread it sees what that has written so far."""
        outer = getattr(self._local, "connection", None) or getattr(self._local, "view", None)
        if outer is not None:
            yield outer
            return
        with self.snapshot() as connection:
            yield connection

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """All that the block reads, in this thread, is of one moment, whatever is written meanwhile."""
        with self.reading() as connection:
            outer = getattr(self._local, "view", None)
            self._local.view = connection
            try:
                yield
            finally:
                self._local.view = outer

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A consistent view on a connection of its own, which may move between threads while it is open."""
        with told(self.path.parent), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """One transaction for changes of the schema, after which all foreign keys hold again.

        SQLite alters a table by building a new one, which foreign keys would forbid meanwhile.
        """
        engine = _engine(self.path, self._busy_seconds, foreign_keys=False)
        try:
            with told(self.path.parent), engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
                yield connection
                if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
                    raise failure("store_broken", self.path.parent, "rows point to rows that are not there")
        finally:
            engine.dispose()

    def close(self) -> None:
        self.engine.dispose()


def is_duplicate(error: IntegrityError) -> bool:
    """The row breaks a unique constraint (rather than a foreign key)."""
    name = getattr(error.orig, "sqlite_errorname", "")
    return name in ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY")


def _engine(path: Path, busy_seconds: float, foreign_keys: bool = True) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": busy_seconds})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # The driver's own BEGIN comes too late for a consistent read; `_begin` sends it instead.
        connection.isolation_level = None
        connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
        connection.execute("PRAGMA synchronous=FULL")
        # What is deleted is overwritten, so that nothing of it can be found in the file.
        connection.execute("PRAGMA secure_delete=ON")

    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))
