"""PostgreSQL: the database is a server's, for teams and for several processes of the product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from ocr_ui.errors import BadInput

DRIVER = "postgresql+psycopg"
_NAMES = ("postgres", "postgresql", DRIVER)
WRITERS = 0x0C_0C_0C
"""Number of the lock that writers queue for; its scope is the one database."""
IDLE_SECONDS = 60.0
"""After which the server ends a transaction of a writer that says nothing more: its process stands still or is gone."""
_CONNECT_SECONDS = 5
_POOLED, _MORE = 5, 15
"""Connections that are kept, and that are made besides where many ask at once."""
_LOCK = text(
    "SELECT set_config('lock_timeout', :busy, true), set_config('idle_in_transaction_session_timeout', :idle, true), "
    "pg_advisory_xact_lock(:key)"
)
_TRY_ALONE = text("SELECT pg_try_advisory_lock(hashtextextended(:name, 0))")
_NOT_ALONE = text("SELECT pg_advisory_unlock(hashtextextended(:name, 0))")
_WATCHED = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 25_000}
"""A server that fell silent is noticed in half a minute, not in the two hours of the system."""


class Postgresql:
    """A database of a server.

    Readers see one moment (REPEATABLE READ). Writers queue for one lock before they look at anything, as SQLite's do:
    what one looks up before it saves is true until it has saved, whichever process it runs in.

    Args:
        address: `postgresql+psycopg://user:password@host:port/database`, also without `+psycopg`.
        busy_seconds: as of `Sqlite`.

    Raises:
        BadInput: `bad_database_url`.
    """

    reading: Mapping[str, Any] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    writing: Mapping[str, Any] = {"isolation_level": "READ COMMITTED"}

    def __init__(self, address: str, busy_seconds: float = 10.0) -> None:
        try:
            url = make_url(address)
        except (ArgumentError, ValueError):  # a port that is no number; what was taken for it may be a password
            raise _bad_address("it is no address") from None
        if url.drivername not in _NAMES:
            raise _bad_address(f"{url.drivername[:40]} is not known")
        if "@" in (url.host or ""):
            raise _bad_address("there is an @ in its user or password, which is written %40 there")
        self._url, self._busy_seconds = url.set(drivername=DRIVER), busy_seconds
        # Errors are shown to everybody: without user and password.
        self.where = f"postgresql://{url.host or ''}{f':{url.port}' if url.port else ''}/{url.database or ''}"

    def engine(self) -> Engine:
        return create_engine(
            self._url,
            pool_pre_ping=True,
            hide_parameters=True,
            pool_size=_POOLED,
            max_overflow=_MORE,
            pool_timeout=self._busy_seconds,
            connect_args={"connect_timeout": _CONNECT_SECONDS, "application_name": "ocr-workbench", **_WATCHED},
        )

    def prepare(self, engine: Engine) -> None:
        """There is nothing to prepare."""

    @contextmanager
    def alone(self, engine: Engine, name: str) -> Iterator[bool]:
        """By a lock of a connection; the server gives it free when the connection ends."""
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            is_alone = bool(connection.scalar(_TRY_ALONE, {"name": name}))
            try:
                yield is_alone
            finally:
                if is_alone:
                    with suppress(DBAPIError):  # the lock went with its connection
                        connection.execute(_NOT_ALONE, {"name": name})

    def settle(self, engine: Engine) -> None:
        """The server's log is its administrator's."""

    def turn(self) -> AbstractContextManager[None]:
        """The server's lock is given in the order in which it was asked for."""
        return nullcontext()

    def lock(self, connection: Connection, seconds: float | None = None) -> None:
        """Waits for the writers' lock until the transaction ends, so long in place of `busy_seconds`."""
        busy = self._busy_seconds if seconds is None else seconds
        # A time of 0 would wait for ever.
        times = {"busy": f"{max(1, round(busy * 1_000))}ms", "idle": f"{round(IDLE_SECONDS * 1_000)}ms"}
        connection.execute(_LOCK, {**times, "key": WRITERS})

    def migrating(self) -> Engine:
        return self.engine()

    def check(self, connection: Connection) -> None:
        """The server has checked all foreign keys itself."""


def _bad_address(reason: str) -> BadInput:
    return BadInput(
        "bad_database_url",
        f"The address of the database cannot be used: {reason}.",
        "Set OCR_UI_DATABASE_URL to postgresql+psycopg://user:password@host/database, or leave it empty for SQLite.",
        reason=reason,
    )
