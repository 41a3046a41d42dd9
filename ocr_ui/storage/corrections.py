"""Corrections: each save is a new version, made on the version that the person saw."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, Select, insert, select, update
from sqlalchemy.exc import IntegrityError

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import Correction
from ocr_ui.errors import BadInput, Conflict
from ocr_ui.storage import people, search
from ocr_ui.storage.database import Database, is_duplicate
from ocr_ui.storage.people import signed
from ocr_ui.storage.recognitions import searched_text, unknown
from ocr_ui.storage.records import StoredCorrection
from ocr_ui.storage.tables import correction, recognition, review


class Corrections:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        recognition_id: int,
        base_version: int,
        content: PageContent,
        person: Person | None,
        client_key: str = "",
        edit_distance: int = 0,
        cer: float = 0.0,
    ) -> StoredCorrection:
        """Stores a new version; when this returns it is on disk.

        Args:
            base_version: the newest version that the person saw; 0 where it was the model's own output.
            client_key: chosen by the client for this one save; sent again, the answer is the same and nothing is added.

        Raises:
            Conflict: `edited_meanwhile`, a newer version than `base_version` is there; it stays as it is. Details:
                item, base_version, version, person and saved_at of the newest version.
            BadInput: `client_key_reused`, the key came before with other content.
            NotFound: `unknown_recognition`.
            StoreFailed: see `Database.writing`.
        """
        written = dumps(content.to_dict())
        with self._database.writing() as connection:
            before = self._sent_before(connection, recognition_id, client_key, written)
            if before:
                return before
            _check_base(connection, recognition_id, base_version)
            row = {
                "recognition_id": recognition_id,
                "version": base_version + 1,
                "person_id": people.id_of(connection, person),
                "created_at": datetime.now(UTC),
                "client_key": client_key or None,
                "edit_distance": edit_distance,
                "cer": cer,
                "text": searched_text(content),
                "content": written,
            }
            _insert(connection, row)
            connection.execute(
                update(review)
                .where(review.c.recognition_id == recognition_id)
                .values(latest_version=row["version"], updated_at=row["created_at"])
            )
            search.correct(connection, recognition_id, row["text"])
        value = Correction(content, row["version"], people.clean(person), edit_distance, cer)
        return StoredCorrection(recognition_id, row["created_at"], value)

    def check_base(self, recognition_id: int, base_version: int) -> None:
        """Raises Conflict where `base_version` is not the newest, NotFound where there is no such recognition."""
        with self._database.reading() as connection:
            _check_base(connection, recognition_id, base_version)

    def latest(self, recognition_id: int) -> StoredCorrection | None:
        """The newest version, None where there is none."""
        return self._first(_query(recognition_id).order_by(correction.c.version.desc()).limit(1))

    def get(self, recognition_id: int, version: int) -> StoredCorrection | None:
        return self._first(_query(recognition_id).where(correction.c.version == version))

    def versions(self, recognition_id: int) -> list[StoredCorrection]:
        """All versions, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(_query(recognition_id).order_by(correction.c.version))
            return [stored(row) for row in rows]

    def _first(self, query: Select) -> StoredCorrection | None:
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else stored(row)

    def _sent_before(
        self, connection: Connection, recognition_id: int, client_key: str, written: str
    ) -> StoredCorrection | None:
        if not client_key:
            return None
        row = connection.execute(_query(recognition_id).where(correction.c.client_key == client_key)).first()
        if row is None:
            return None
        if row.content != written:
            raise key_reused()
        return stored(row)


def key_reused() -> BadInput:
    return BadInput("client_key_reused", "The same key came before with another page.", "Use a new key for each save.")


def _check_base(connection: Connection, recognition_id: int, base_version: int) -> None:
    newest = connection.scalar(select(review.c.latest_version).where(review.c.recognition_id == recognition_id))
    if newest is None:
        raise unknown(recognition_id)
    if newest == base_version:
        return
    row = connection.execute(_query(recognition_id).where(correction.c.version == newest)).first()
    raise _conflict(recognition_id, base_version, stored(row) if row else None)


def _conflict(recognition_id: int, base_version: int, newest: StoredCorrection | None) -> Conflict:
    who = (newest.correction.person if newest else "") or "Somebody else"
    when = newest.saved_at.isoformat(timespec="seconds") if newest else ""
    return Conflict(
        "edited_meanwhile",
        f"{who} saved this page at {when} while you were working on it.",
        "Nothing is lost: compare the two versions, take over what you need and save again.",
        item=recognition_id,
        base_version=base_version,
        version=newest.correction.version if newest else 0,
        person=newest.correction.person if newest else "",
        saved_at=when,
    )


def _insert(connection: Connection, row: dict[str, object]) -> None:
    try:
        connection.execute(insert(correction).values(row))
    except IntegrityError as error:
        # Only where writers do not queue for one lock: somebody took the version between the check and here.
        if not is_duplicate(error):
            raise
        raise _conflict(int(str(row["recognition_id"])), int(str(row["version"])) - 1, None) from error


def _query(recognition_id: int) -> Select:
    return (
        signed(correction)
        .join(recognition, recognition.c.id == correction.c.recognition_id)
        .where(correction.c.recognition_id == recognition_id)
    )


def stored(row: Row) -> StoredCorrection:
    content = PageContent.from_dict(json.loads(row.content))
    value = Correction(content, row.version, row.person or "", row.edit_distance, row.cer)
    return StoredCorrection(row.recognition_id, row.created_at, value)
