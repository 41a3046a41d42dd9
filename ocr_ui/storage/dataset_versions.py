"""Frozen versions of the dataset, and the log of what was exported."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Row, Select, Subquery, and_, delete, func, insert, literal, select
from sqlalchemy.exc import IntegrityError

from ocr_ui.domain.counted import counted
from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import State
from ocr_ui.errors import Conflict, NotFound
from ocr_ui.storage import people
from ocr_ui.storage.database import Database, is_duplicate
from ocr_ui.storage.people import signed
from ocr_ui.storage.records import LoggedExport, StoredVersion
from ocr_ui.storage.tables import dataset_item, dataset_version, export_log, review_history, second_review

_ROWS_AT_ONCE = 1_000


class DatasetVersions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        name: str,
        marks: Iterable[tuple[int, int, int]],
        sha256: str,
        filters: Mapping[str, Any],
        licence: str = "",
        program: str = "",
        person: Person | None = None,
    ) -> StoredVersion:
        """Stores a version, which stays as it is.

        Args:
            marks: of each item its id, the version of its correction and the revision of its review, 0 for none.

        Raises:
            Conflict: `version_exists`.
            StoreFailed: see `Database.writing`.
        """
        row = {
            "name": storable(name),
            "created_at": datetime.now(UTC),
            "sha256": sha256,
            "items": 0,
            "filters": dumps(dict(filters)),
            "licence": storable(licence),
            "program": program,
        }
        with self._database.writing() as connection:
            row["person_id"] = people.id_of(connection, person)
            version_id = _insert(connection, row)
            count = _add_items(connection, version_id, marks)
            connection.execute(dataset_version.update().where(dataset_version.c.id == version_id).values(items=count))
            return _found(connection, name)

    def check_free(self, name: str) -> None:
        """Raises Conflict (`version_exists`)."""
        with self._database.reading() as connection:
            if connection.scalar(select(dataset_version.c.id).where(dataset_version.c.name == storable(name))):
                raise _taken(name)

    def get(self, name: str) -> StoredVersion:
        """Raises NotFound (`unknown_version`; details: name)."""
        with self._database.reading() as connection:
            return _found(connection, name)

    def list(self) -> list[StoredVersion]:
        """All versions, the newest first."""
        query = _versions().order_by(dataset_version.c.id.desc())
        with self._database.reading() as connection:
            return [_stored(row) for row in connection.execute(query)]

    def delete(self, name: str) -> None:
        """Removes a version; its items stay.

        Raises:
            NotFound: `unknown_version`.
            Conflict: `version_exported` (details: name, exports): somebody has data of that name.
        """
        with self._database.writing() as connection:
            version = _found(connection, name)
            if version.exports:
                raise Conflict(
                    "version_exported",
                    f"The version {name} was exported {counted(version.exports, 'time')} and stays, so that it can be "
                    "told what that data was.",
                    "Freeze the data under another name.",
                    name=name,
                    exports=version.exports,
                )
            connection.execute(delete(dataset_item).where(dataset_item.c.version_id == version.id))
            connection.execute(delete(dataset_version).where(dataset_version.c.id == version.id))

    def log(self, format: str, target: str, items: int, sha256: str, version: str, details: Mapping[str, Any]) -> None:
        """Notes an export. Args: version: name of a frozen version, "" where it was none."""
        with self._database.writing() as connection:
            row = {
                "version_id": _found(connection, version).id if version else None,
                "created_at": datetime.now(UTC),
                "format": format,
                "target": storable(target),
                "items": items,
                "sha256": sha256,
                "details": dumps(dict(details)),
            }
            connection.execute(insert(export_log).values(row))

    def exports(self, version: str = "", limit: int = 50) -> list[LoggedExport]:
        """The newest exports first, of one version or of all. Raises NotFound (`unknown_version`)."""
        query = (
            select(export_log, dataset_version.c.name.label("version"))
            .outerjoin(dataset_version, dataset_version.c.id == export_log.c.version_id)
            .order_by(export_log.c.id.desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            if version:
                query = query.where(export_log.c.version_id == _found(connection, version).id)
            return [_logged(row) for row in connection.execute(query)]


def frozen_reviews(connection: Connection, name: str) -> Subquery:
    """Rows as those of the table `review`, one an item of the version, as they were. Raises NotFound."""
    version = _found(connection, name)
    change = and_(
        review_history.c.recognition_id == dataset_item.c.recognition_id,
        review_history.c.revision == dataset_item.c.review_revision,
    )
    untouched = {"correction_version": 0, "state": State.PENDING.value, "error_kinds": "[]", "tags": "[]", "note": ""}
    second = select(func.max(second_review.c.id)).where(
        second_review.c.recognition_id == dataset_item.c.recognition_id,
        second_review.c.created_at <= version.created_at,
    )
    return (
        select(
            dataset_item.c.recognition_id,
            func.coalesce(second.scalar_subquery(), 0).label("second_id"),
            review_history.c.person_id,
            func.coalesce(
                review_history.c.created_at, literal(version.created_at, review_history.c.created_at.type)
            ).label("updated_at"),
            dataset_item.c.review_revision.label("revision"),
            dataset_item.c.correction_version.label("latest_version"),
            review_history.c.verdict,
            *(func.coalesce(review_history.c[name], value).label(name) for name, value in untouched.items()),
        )
        .outerjoin_from(dataset_item, review_history, change)
        .where(dataset_item.c.version_id == version.id)
        .subquery("frozen")
    )


def _insert(connection: Connection, row: dict[str, Any]) -> int:
    try:
        return connection.execute(insert(dataset_version).values(row)).inserted_primary_key[0]
    except IntegrityError as error:
        if not is_duplicate(error):
            raise
        raise _taken(row["name"]) from error


def _taken(name: str) -> Conflict:
    return Conflict(
        "version_exists",
        f"There is a version named {name} already; a version is never changed.",
        "Choose another name.",
        name=name,
    )


def _add_items(connection: Connection, version_id: int, marks: Iterable[tuple[int, int, int]]) -> int:
    count, waiting = 0, iter(marks)
    while some := list(islice(waiting, _ROWS_AT_ONCE)):
        rows = [
            {"version_id": version_id, "recognition_id": item, "correction_version": version, "review_revision": review}
            for item, version, review in some
        ]
        connection.execute(insert(dataset_item), rows)
        count += len(rows)
    return count


def _versions() -> Select:
    exports = (
        select(func.count()).where(export_log.c.version_id == dataset_version.c.id).scalar_subquery().label("exports")
    )
    return signed(dataset_version, exports)


def _found(connection: Connection, name: str) -> StoredVersion:
    row = connection.execute(_versions().where(dataset_version.c.name == storable(name))).first()
    if row is None:
        raise NotFound(
            "unknown_version",
            f"There is no version {name[:100]!r}.",
            "The Dataset tab lists those there are.",
            name=name[:100],
        )
    return _stored(row)


def _stored(row: Row) -> StoredVersion:
    return StoredVersion(
        id=row.id,
        name=row.name,
        created_at=row.created_at,
        person=row.person or "",
        items=row.items,
        sha256=row.sha256,
        licence=row.licence,
        program=row.program,
        filters=json.loads(row.filters),
        exports=row.exports,
        removed=row.removed,
    )


def _logged(row: Row) -> LoggedExport:
    details = json.loads(row.details)
    return LoggedExport(row.created_at, row.version or "", row.format, row.target, row.items, row.sha256, details)
