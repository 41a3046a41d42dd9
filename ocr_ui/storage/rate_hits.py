"""What was done in the last minutes and is counted against a limit, for all processes on one database together."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, insert, select

from ocr_ui.storage.database import Database
from ocr_ui.storage.tables import rate_hit


class RateHits:
    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, key: str, most: int, seconds: int) -> bool:
        """Counts one more of `key` for so many seconds; False, counting none, where there are `most` already."""
        with self._database.writing() as connection:
            now = datetime.now(UTC)
            connection.execute(delete(rate_hit).where(rate_hit.c.until <= now))
            if (connection.scalar(select(func.count()).where(_mine(key))) or 0) >= most:
                return False
            row = {"key": _name(key), "at": now, "until": now + timedelta(seconds=seconds)}
            connection.execute(insert(rate_hit).values(row))
        return True

    def window(self, key: str) -> tuple[float, int]:
        """When the oldest that counts came, in seconds since 1970, and how many count."""
        now = datetime.now(UTC)
        query = select(func.min(rate_hit.c.at), func.count()).where(_mine(key), rate_hit.c.until > now)
        with self._database.reading() as connection:
            first, count = connection.execute(query).one()
        return (first or now).timestamp(), count


def _mine(key: str) -> ColumnElement[bool]:
    return rate_hit.c.key == _name(key)


def _name(key: str) -> str:
    """Keys hold names and addresses, which are nobody's business here."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
