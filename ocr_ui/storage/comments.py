"""What people tell each other: comments on lines and pages, and the guidelines of the project, each version kept."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, Row, Select, insert, select

from ocr_ui.domain.exact_json import storable
from ocr_ui.domain.person import Person
from ocr_ui.errors import BadInput, Conflict
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.people import signed
from ocr_ui.storage.recognitions import unknown
from ocr_ui.storage.records import Comment, Guidelines
from ocr_ui.storage.tables import comment, guideline, review


class Comments:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, recognition_id: int, line_id: str, text: str, person: Person, client_key: str = "") -> Comment:
        """Stores a comment; the same key sent again adds nothing.

        Raises:
            NotFound: `unknown_recognition`.
            BadInput: `client_key_reused`, the key came before with another comment.
        """
        with self._database.writing() as connection:
            known = select(review.c.recognition_id).where(review.c.recognition_id == recognition_id)
            if connection.scalar(known) is None:
                raise unknown(recognition_id)
            query = _comments(recognition_id)
            before = client_key and connection.execute(query.where(comment.c.client_key == client_key)).first()
            if before:
                if (before.line_id, before.text) != (line_id, storable(text)):
                    raise BadInput(
                        "client_key_reused", "The same key came before with another comment.", "Send a new one."
                    )
                return _comment(before)
            row = {
                "recognition_id": recognition_id,
                "person_id": people.id_of(connection, person),
                "created_at": datetime.now(UTC),
                "client_key": client_key or None,
                "line_id": line_id,
                "text": storable(text),
            }
            made = connection.execute(insert(comment).values(row)).inserted_primary_key[0]
            return _comment(connection.execute(query.where(comment.c.id == made)).one())

    def of(self, recognition_id: int) -> list[Comment]:
        """All of an item, oldest first."""
        with self._database.reading() as connection:
            return [_comment(row) for row in connection.execute(_comments(recognition_id).order_by(comment.c.id))]

    def guidelines(self, version: int | None = None) -> Guidelines:
        """A version of the guidelines, the newest where none is named; version 0 where there is none."""
        query = _guidelines().order_by(guideline.c.version.desc()).limit(1)
        if version is not None:
            query = query.where(guideline.c.version == version)
        with self._database.reading() as connection:
            return _guideline(connection.execute(query).first())

    def versions(self) -> list[Guidelines]:
        """All versions of the guidelines, newest first."""
        with self._database.reading() as connection:
            return [_guideline(row) for row in connection.execute(_guidelines().order_by(guideline.c.version.desc()))]

    def write_guidelines(self, base_version: int, text: str, person: Person) -> Guidelines:
        """Stores the version after `base_version`.

        Raises:
            Conflict: `guidelines_changed`, somebody has written a newer one; details: version, person.
        """
        with self._database.writing() as connection:
            newest = _newest(connection)
            if newest.version != base_version:
                raise Conflict(
                    "guidelines_changed",
                    f"{newest.person or 'Somebody'} changed the guidelines meanwhile.",
                    "Your text is still here: look at theirs, then save again.",
                    version=newest.version,
                    person=newest.person,
                )
            row = {"version": base_version + 1, "person_id": people.id_of(connection, person)}
            connection.execute(
                insert(guideline).values(**row, created_at=datetime.now(UTC), text=storable(text)),
            )
            return _newest(connection)


def _newest(connection: Connection) -> Guidelines:
    return _guideline(connection.execute(_guidelines().order_by(guideline.c.version.desc()).limit(1)).first())


def _comments(recognition_id: int) -> Select:
    return signed(comment).where(comment.c.recognition_id == recognition_id)


def _comment(row: Row) -> Comment:
    return Comment(row.id, row.recognition_id, row.line_id, row.person or "", row.text, row.created_at)


def _guidelines() -> Select:
    return signed(guideline)


def _guideline(row: Row | None) -> Guidelines:
    return Guidelines() if row is None else Guidelines(row.version, row.text, row.person or "", row.created_at)
