"""Reviews: one a recognition, with each change kept as history."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import ErrorKind, Review, State, Verdict, check_move
from ocr_ui.errors import Conflict
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.recognitions import unknown
from ocr_ui.storage.records import StoredReview
from ocr_ui.storage.tables import person as person_table
from ocr_ui.storage.tables import review, review_error, review_history


class Reviews:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, recognition_id: int) -> StoredReview:
        """Raises NotFound (`unknown_recognition`)."""
        with self._database.reading() as connection:
            return _get(connection, recognition_id)

    def set(
        self, recognition_id: int, value: Review, base_revision: int | None = None, client_key: str = ""
    ) -> StoredReview:
        """Replaces the review and keeps the change in the history. `value.person` is who makes the change.

        Args:
            base_revision: the revision that the person saw; None to go by the newest.
            client_key: as for `Corrections.add`; sent again, nothing changes.

        Raises:
            BadInput: `state_not_allowed`.
            Conflict: `reviewed_meanwhile`; details: item, base_revision, revision, person, saved_at, verdict, state.
            NotFound: `unknown_recognition`.
            StoreFailed: see `Database.writing`.
        """
        with self._database.writing() as connection:
            old = _get(connection, recognition_id)
            if client_key and self.saved_with(recognition_id, client_key):
                return old
            _check_revision(old, base_revision)
            check_move(old.review.state, value.state)
            person = Person(value.person)
            row = {**_values(value), "person_id": people.id_of(connection, person), "revision": old.revision + 1}
            now = datetime.now(UTC)
            connection.execute(
                update(review).where(review.c.recognition_id == recognition_id).values(**row, updated_at=now)
            )
            _set_errors(connection, recognition_id, value.error_kinds)
            kept = {**row, "recognition_id": recognition_id, "created_at": now, "client_key": client_key or None}
            connection.execute(insert(review_history).values(kept))
        saved = replace(value, person=people.clean(person), note=storable(value.note))
        return StoredReview(recognition_id, old.revision + 1, old.latest_version, now, saved)

    def tag(self, recognition_id: int, tag: str) -> None:
        """Adds a tag that no person has set; this is no change of the review. Raises NotFound."""
        with self._database.writing() as connection:
            tags = _get(connection, recognition_id).review.tags
            if tag not in tags:
                here = review.c.recognition_id == recognition_id
                connection.execute(update(review).where(here).values(tags=dumps([*tags, storable(tag)])))

    def history(self, recognition_id: int) -> list[StoredReview]:
        """All changes, oldest first; `latest_version` of each is the version it was made on."""
        query = _history(recognition_id).order_by(review_history.c.revision)
        with self._database.reading() as connection:
            return [_stored_change(row) for row in connection.execute(query)]

    def saved_with(self, recognition_id: int, client_key: str) -> StoredReview | None:
        """The change that was made with that key, None where there is none."""
        query = _history(recognition_id).where(review_history.c.client_key == client_key)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else _stored_change(row)


def value_of(row: Row) -> Review:
    """The review in a row with the columns of `review` and `reviewer`, the name."""
    return Review(
        verdict=Verdict(row.verdict) if row.verdict else None,
        state=State(row.state),
        error_kinds=tuple(ErrorKind(kind) for kind in json.loads(row.error_kinds)),
        note=row.note,
        person=row.reviewer or "",
        correction_version=row.correction_version,
        tags=tuple(json.loads(row.tags)),
    )


def _get(connection: Connection, recognition_id: int) -> StoredReview:
    query = (
        select(review, person_table.c.name.label("reviewer"))
        .outerjoin(person_table, person_table.c.id == review.c.person_id)
        .where(review.c.recognition_id == recognition_id)
    )
    row = connection.execute(query).first()
    if row is None:
        raise unknown(recognition_id)
    return StoredReview(recognition_id, row.revision, row.latest_version, row.updated_at, value_of(row))


def _check_revision(old: StoredReview, base_revision: int | None) -> None:
    if base_revision is None or base_revision == old.revision:
        return
    who, when = old.review.person or "somebody else", old.updated_at.isoformat(timespec="seconds")
    raise Conflict(
        "reviewed_meanwhile",
        f"{who} reviewed this page at {when} while you were working on it.",
        "Nothing is lost: look at that review and decide again.",
        item=old.recognition_id,
        base_revision=base_revision,
        revision=old.revision,
        person=old.review.person,
        saved_at=when,
        verdict=old.review.verdict.value if old.review.verdict else "",
        state=old.review.state.value,
    )


def _values(value: Review) -> dict[str, Any]:
    return {
        "verdict": value.verdict.value if value.verdict else None,
        "state": value.state.value,
        "error_kinds": dumps([kind.value for kind in value.error_kinds]),
        "tags": dumps(list(value.tags)),
        "note": storable(value.note),
        "correction_version": value.correction_version,
    }


def _set_errors(connection: Connection, recognition_id: int, kinds: tuple[ErrorKind, ...]) -> None:
    connection.execute(delete(review_error).where(review_error.c.recognition_id == recognition_id))
    rows = [{"recognition_id": recognition_id, "kind": kind.value} for kind in dict.fromkeys(kinds)]
    if rows:
        connection.execute(insert(review_error), rows)


def _history(recognition_id: int) -> Select:
    return (
        select(review_history, person_table.c.name.label("reviewer"))
        .outerjoin(person_table, person_table.c.id == review_history.c.person_id)
        .where(review_history.c.recognition_id == recognition_id)
    )


def _stored_change(row: Row) -> StoredReview:
    return StoredReview(row.recognition_id, row.revision, row.correction_version, row.created_at, value_of(row))
