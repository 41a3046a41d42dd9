"""The connection to the database: transactions that last once committed, and readers that never wait for writers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from ocr_ui.storage.failures import told
from ocr_ui.storage.postgresql import Postgresql
from ocr_ui.storage.sqlite import Sqlite

MIGRATION_SECONDS = 60.0
"""So long a process waits while another one migrates."""


class Database:
    """One database of either kind, behaving the same: a writer is alone, a reader sees one moment."""

    def __init__(self, kind: Sqlite | Postgresql) -> None:
        self._kind, self.where = kind, kind.where
        self.engine = kind.engine()
        self._readers = self.engine.execution_options(**kind.reading)
        self._writers = self.engine.execution_options(**kind.writing)
        self._local = threading.local()

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self.engine.dialect.name

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: all of the block is on disk when it ends, or nothing of it.

        A block inside a block of the same thread joins the outer transaction.

        Raises:
            StoreFailed: disk full, read-only, locked, broken, away.
        """
        outer = getattr(self._local, "connection", None)
        if outer is not None:
            yield outer
            return
        with self._kind.turn(), told(self.where), self._writers.begin() as connection:
            self._kind.lock(connection)
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
        with told(self.where), self._readers.begin() as connection:
            yield connection

    def prepare(self) -> None:
        """What a database needs once, before its tables."""
        with told(self.where):
            self._kind.prepare(self.engine)

    @contextmanager
    def alone(self, name: str) -> Iterator[bool]:
        """See `Store.alone`."""
        with told(self.where), self._kind.alone(self.engine, name) as is_alone:
            yield is_alone

    def settle(self) -> None:
        """Empties the log of what was written, where the database keeps one that others could read."""
        with told(self.where):
            self._kind.settle(self.engine)

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """One transaction for changes of the schema, after which all foreign keys hold again."""
        engine = self._kind.migrating()
        try:
            with told(self.where), engine.execution_options(**self._kind.writing).begin() as connection:
                self._kind.lock(connection, MIGRATION_SECONDS)
                yield connection
                self._kind.check(connection)
        finally:
            engine.dispose()

    def close(self) -> None:
        self.engine.dispose()


def is_duplicate(error: IntegrityError) -> bool:
    """The row breaks a unique constraint (rather than a foreign key)."""
    name, state = getattr(error.orig, "sqlite_errorname", ""), getattr(error.orig, "sqlstate", "")
    return name in ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY") or state == "23505"
