"""Edits that a person has not saved yet, so that they outlast the browser. One an item, browser and kind of review."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, insert, or_, select

from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.person import Person
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.recognitions import unknown
from ocr_ui.storage.records import Draft
from ocr_ui.storage.tables import draft, review
from ocr_ui.storage.tables import person as person_table


class Drafts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        recognition_id: int,
        second: bool,
        browser: str,
        person: Person,
        base_version: int,
        body: Mapping[str, Any],
    ) -> datetime:
        """Keeps a draft in place of the browser's older one; when this returns it is on disk.

        Raises:
            NotFound: `unknown_recognition`.
            StoreFailed: see `Database.writing`.
        """
        now = datetime.now(UTC)
        with self._database.writing() as connection:
            known = select(review.c.recognition_id).where(review.c.recognition_id == recognition_id)
            if connection.scalar(known) is None:
                raise unknown(recognition_id)
            key = {"recognition_id": recognition_id, "browser": browser, "second": second}
            connection.execute(delete(draft).where(*(draft.c[name] == value for name, value in key.items())))
            values = {**key, "person_id": people.id_of(connection, person), "updated_at": now}
            connection.execute(insert(draft).values(**values, base_version=base_version, body=dumps(body)))
        return now

    def find(self, recognition_id: int, second: bool, browser: str, person: Person) -> Draft | None:
        """The newest one of this browser or of a person of this name."""
        query = select(draft).where(_of(recognition_id, second, browser, person)).order_by(draft.c.updated_at.desc())
        with self._database.reading() as connection:
            row = connection.execute(query.limit(1)).first()
        return row and Draft(row.base_version, json.loads(row.body), row.updated_at)

    def drop(self, recognition_id: int, second: bool, browser: str, person: Person) -> None:
        """Forgets what `find` could give."""
        with self._database.writing() as connection:
            connection.execute(delete(draft).where(_of(recognition_id, second, browser, person)))


def _of(recognition_id: int, second: bool, browser: str, person: Person) -> ColumnElement[bool]:
    item = and_(draft.c.recognition_id == recognition_id, draft.c.second == second)
    name = people.clean(person)
    named = select(person_table.c.id).where(person_table.c.name == name).scalar_subquery()
    return and_(
        item, or_(draft.c.browser == browser, draft.c.person_id == named) if name else draft.c.browser == browser
    )
