"""SQLite: the database is one file in the data folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, create_engine, event

from ocr_ui.storage.failures import failure
from ocr_ui.storage.turns import Turns

OWN_TIMES = 3
"""So many times `busy_seconds` a writer waits for those of its own process: they surely end."""


class Sqlite:
    """A file. Writers queue for the lock at their first statement, so that they never deadlock; those of one process
    queue before it, in the order in which they came: SQLite's own lock is nobody's turn, and under load one writer can
    miss it each time it looks.

    Args:
        path: of the file; its folder exists.
        busy_seconds: how long a writer waits for another process's before it fails with `store_locked`.
    """

    synchronous = "FULL"
    """What is saved is on the disk before it is acknowledged."""
    reading: Mapping[str, Any] = {}
    writing: Mapping[str, Any] = {"begin": "BEGIN IMMEDIATE"}

    def __init__(self, path: Path, busy_seconds: float = 10.0) -> None:
        self._path, self._busy_seconds = path, busy_seconds
        self.where = str(path.parent)
        self._turns = Turns()

    def engine(self, foreign_keys: bool = True) -> Engine:
        url = URL.create("sqlite", database=str(self._path))
        engine = create_engine(url, connect_args={"timeout": self._busy_seconds}, hide_parameters=True)

        @event.listens_for(engine, "connect")
        def prepare(connection: Any, _record: Any) -> None:
            # The driver's own BEGIN comes too late for a consistent read; `_begin` sends it instead.
            connection.isolation_level = None
            connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
            connection.execute(f"PRAGMA synchronous={self.synchronous}")
            # What is deleted is overwritten, so that nothing of it can be found in the file.
            connection.execute("PRAGMA secure_delete=ON")

        event.listen(engine, "begin", _begin)
        return engine

    def prepare(self, engine: Engine) -> None:
        """Readers never wait for a writer. The mode is kept in the file, and cannot change inside a transaction."""
        with engine.connect().execution_options(begin="SELECT 1") as connection:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")

    @contextmanager
    def alone(self, engine: Engine, name: str) -> Iterator[bool]:
        """By a file beside the database; the system gives it free when the process ends."""
        lock = FileLock(self._path.parent / f"{name}.lock", thread_local=False)
        with suppress(Timeout):
            lock.acquire(timeout=0)
        try:
            yield lock.is_locked
        finally:
            lock.release()

    def settle(self, engine: Engine) -> None:
        """Moves the log into the file."""
        with engine.connect().execution_options(begin="SELECT 1") as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The writer that this process lets to the database. Raises StoreFailed (`store_locked`)."""
        with ExitStack() as stack:
            try:
                stack.enter_context(self._turns.turn(OWN_TIMES * self._busy_seconds))
            except TimeoutError as error:
                raise failure("store_locked", self.where, "a writer of this process takes long") from error
            yield

    def lock(self, connection: Connection, seconds: float | None = None) -> None:
        """BEGIN IMMEDIATE has taken it."""

    def migrating(self) -> Engine:
        """SQLite alters a table by building a new one, which foreign keys would forbid meanwhile."""
        return self.engine(foreign_keys=False)

    def check(self, connection: Connection) -> None:
        """Raises StoreFailed where foreign keys do not hold after all."""
        if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
            raise failure("store_broken", self.where, "rows point to rows that are not there")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))
