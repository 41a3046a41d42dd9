"""Names of people, each stored once."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, Select, Table, insert, select
from sqlalchemy.exc import IntegrityError

from ocr_ui.domain.exact_json import storable
from ocr_ui.domain.person import Person
from ocr_ui.storage.tables import person as table

LONGEST_NAME = 200


def id_of(connection: Connection, person: Person | None) -> int | None:
    """The id of a name, made where it is new; None for nobody or a blank name. Names are cut at LONGEST_NAME."""
    found = known(connection, person)
    name = clean(person)
    return _add(connection, name) if name and found is None else found


def known(connection: Connection, person: Person | None) -> int | None:
    """The id of a name that is there; None for a new one, for nobody or a blank name."""
    name = clean(person)
    return connection.scalar(select(table.c.id).where(table.c.name == name)) if name else None


def clean(person: Person | None) -> str:
    return " ".join(storable(person.name).split())[:LONGEST_NAME] if person else ""


def folded(name: str) -> str:
    """A name without what people take for the same: capitals, full and half width."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", clean(Person(name))).casefold())


def signed(of: Table, *more: ColumnElement) -> Select:
    """All columns of a table and the name of the person that each row points to, as `person`; NULL where it is
    nobody's. `more` are further columns."""
    return select(of, table.c.name.label("person"), *more).outerjoin(table, table.c.id == of.c.person_id)


def _add(connection: Connection, name: str) -> int:
    try:
        with connection.begin_nested():
            made = connection.execute(insert(table).values(name=name, created_at=datetime.now(UTC)))
            return made.inserted_primary_key[0]
    except IntegrityError:
        # Another process added the same name in between.
        return connection.execute(select(table.c.id).where(table.c.name == name)).scalar_one()
