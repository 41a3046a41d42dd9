"""Claims: an item is one browser tab's for a time. Taking one is a single transaction, so that no two get the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Row, Select, delete, insert, or_, select

from ocr_ui.domain.person import Person
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.items import Filters, matching
from ocr_ui.storage.people import signed
from ocr_ui.storage.records import Claim
from ocr_ui.storage.tables import claim


class Claims:
    def __init__(self, database: Database) -> None:
        self._database = database

    def take_first(
        self,
        candidates: Sequence[int],
        filters: Filters | None,
        holder: str,
        person: Person,
        minutes: float,
        alive: Sequence[str] = (),
    ) -> Claim | None:
        """Claims the first candidate that nobody else has and, where filters are given, that they still choose.

        What another holder has for the same person is theirs as well, unless that holder is one of those `alive`: a
        tab that died does not hide a page from who worked on it. None where there is no such item.

        Raises:
            StoreFailed: see `Database.writing`.
        """
        with self._database.writing() as connection:
            now = datetime.now(UTC)
            taken = _others(connection, candidates, holder, now, people.known(connection, person), alive)
            wanted = matching(connection, candidates, filters)
            for recognition_id in candidates:
                if recognition_id in wanted and recognition_id not in taken:
                    until = now + timedelta(minutes=minutes)
                    _put(connection, recognition_id, holder, people.id_of(connection, person), until)
                    return Claim(recognition_id, holder, people.clean(person), until)
        return None

    def renew(self, items: Sequence[int], holder: str, person: Person, minutes: float) -> datetime:
        """Gives the holder's claims on these items their full time again, also where it was over and nobody else has
        the item now; what somebody took since stays theirs."""
        with self._database.writing() as connection:
            now = datetime.now(UTC)
            until = now + timedelta(minutes=minutes)
            for recognition_id in matching(connection, items, None) - _others(connection, items, holder, now):
                _put(connection, recognition_id, holder, people.id_of(connection, person), until)
        return until

    def release(self, holder: str, items: Iterable[int] | None = None) -> None:
        """Gives items back, all of the holder's where none are named."""
        mine = [claim.c.holder == holder]
        if items is not None:
            mine.append(claim.c.recognition_id.in_(list(items)))
        with self._database.writing() as connection:
            connection.execute(delete(claim).where(*mine))

    def of(self, items: Iterable[int]) -> dict[int, Claim]:
        """The claims on these items that hold now."""
        query = _query().where(claim.c.recognition_id.in_(list(items)), claim.c.until > datetime.now(UTC))
        with self._database.reading() as connection:
            return {row.recognition_id: _claim(row) for row in connection.execute(query)}


def _others(
    connection: Connection,
    items: Sequence[int],
    holder: str,
    now: datetime,
    person_id: int | None = None,
    alive: Sequence[str] = (),
) -> set[int]:
    """Those of these items that another holder has; not those of the same person's holders that are not `alive`."""
    held = [claim.c.recognition_id.in_(items), claim.c.holder != holder, claim.c.until > now]
    if person_id is not None:
        held.append(or_(claim.c.person_id.is_(None), claim.c.person_id != person_id, claim.c.holder.in_(alive)))
    return set(connection.scalars(select(claim.c.recognition_id).where(*held)))


def _put(connection: Connection, recognition_id: int, holder: str, person_id: int | None, until: datetime) -> None:
    row = {"recognition_id": recognition_id, "holder": holder, "person_id": person_id, "until": until}
    connection.execute(delete(claim).where(claim.c.recognition_id == recognition_id))
    connection.execute(insert(claim).values(row))


def _query() -> Select:
    return signed(claim)


def _claim(row: Row) -> Claim:
    return Claim(row.recognition_id, row.holder, row.person or "", row.until)
