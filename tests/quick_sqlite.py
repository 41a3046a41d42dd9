"""SQLite for tests: what they save may be lost with the power, and a statement is compiled once for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine, create_engine

from ocr_ui.storage import sqlite

STATEMENTS = 5_000
IN_USE = sqlite.Sqlite.synchronous


@contextmanager
def quick() -> Iterator[None]:
    with patch.object(sqlite.Sqlite, "synchronous", "OFF"), patch.object(sqlite, "create_engine", _Sharing()):
        yield


@contextmanager
def as_in_use() -> Iterator[None]:
    """Every save is on the disk before it is acknowledged, as in the product."""
    with patch.object(sqlite.Sqlite, "synchronous", IN_USE):
        yield


class _Sharing:
    """Makes engines that share what they have compiled. SQLAlchemy keeps it by engine and dialect, and each test has a
    store of its own."""

    def __init__(self) -> None:
        self._first: Engine | None = None

    def __call__(self, *args: Any, **options: Any) -> Engine:
        made = create_engine(*args, query_cache_size=STATEMENTS, **options)
        if self._first is None:
            self._first = made
        made.dialect = made.pool._dialect = self._first.dialect
        made._compiled_cache = self._first._compiled_cache
        return made
