"""Own prompt templates with their versions, and how the readings of each version turned out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, Select, and_, bindparam, case, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import ASKED_NOTHING
from ocr_ui.domain.review import State
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.people import signed
from ocr_ui.storage.records import StoredTemplate, StoredWording, WordingUse
from ocr_ui.storage.tables import correction, label_reward, recognition, review, template, template_version


class Templates:
    """Names and versions are those of `ocr_ui.domain.prompt`; contents are template files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> list[StoredTemplate]:
        """All, with those that were deleted, by name."""
        with self._database.reading() as connection:
            return [_stored(row) for row in connection.execute(_templates().order_by(template.c.name))]

    def get(self, name: str) -> StoredTemplate | None:
        with self._database.reading() as connection:
            row = connection.execute(_templates().where(template.c.name == storable(name))).first()
        return row and _stored(row)

    def versions(self, name: str) -> list[StoredWording]:
        """The newest first."""
        query = _versions().where(template_version.c.name == storable(name)).order_by(template_version.c.number.desc())
        with self._database.reading() as connection:
            return [_wording(row) for row in connection.execute(query)]

    def version(self, name: str, version: str = "", number: int = 0) -> StoredWording | None:
        """By its digits or by its number."""
        which = template_version.c.version == version if version else template_version.c.number == number
        with self._database.reading() as connection:
            row = connection.execute(_versions().where(template_version.c.name == storable(name), which)).first()
        return row and _wording(row)

    def put(
        self,
        name: str,
        *,
        title: Mapping[str, str],
        description: Mapping[str, str],
        tags: Sequence[str],
        current: str | None = None,
        file_sha256: str | None = None,
    ) -> None:
        """What is said of a template, which is there from now on, deleted or new as it was.

        Args:
            current: the version in use, "" for that of the product; None leaves it.
            file_sha256: of its file as it is now; None leaves it.
        """
        values: dict[str, Any] = {
            "title": dumps(dict(title)),
            "description": dumps(dict(description)),
            "tags": dumps(list(tags)),
            "changed_at": datetime.now(UTC),
            "deleted_at": None,
        }
        values |= {} if current is None else {"current": current}
        values |= {} if file_sha256 is None else {"file_sha256": file_sha256}
        with self._database.writing() as connection:
            changing = update(template).where(template.c.name == name).values(values)
            if connection.execute(changing).rowcount:
                return
            try:
                with connection.begin_nested():
                    new = {"current": "", "file_sha256": "", **values, "name": name}
                    connection.execute(insert(template).values(new))
            except IntegrityError:
                # Another process added the same name in between.
                connection.execute(changing)

    def delete(self, name: str) -> None:
        """Its versions stay, so that readings can tell what they were asked with."""
        now = datetime.now(UTC)
        values = {"deleted_at": now, "changed_at": now, "file_sha256": ""}
        with self._database.writing() as connection:
            connection.execute(update(template).where(template.c.name == name).values(values))

    def keep(
        self,
        name: str,
        version: str,
        content: str,
        note: str = "",
        person: Person | None = None,
        *,
        from_file: bool = False,
        at: datetime | None = None,
    ) -> None:
        """Adds a version of a template that `put` has made. Of one that is known, what reaches no model becomes what is
        given now: the words on its variables."""
        known = select(template_version.c.number).where(
            template_version.c.name == name, template_version.c.version == version
        )
        last = select(func.coalesce(func.max(template_version.c.number), 0)).where(template_version.c.name == name)
        with self._database.writing() as connection:
            # Two who save at once come one after the other; SQLite does so by itself.
            connection.execute(select(template.c.name).where(template.c.name == name).with_for_update())
            number = connection.scalar(known)
            if number is not None:
                this = template_version.c.name == name, template_version.c.number == number
                connection.execute(update(template_version).where(*this).values(content=storable(content)))
                return
            row = {
                "name": name,
                "number": connection.execute(last).scalar_one() + 1,
                "version": version,
                "person_id": people.id_of(connection, person),
                "created_at": at or datetime.now(UTC),
                "from_file": from_file,
                "note": storable(note),
                "content": storable(content),
            }
            connection.execute(insert(template_version).values(row))

    # How the readings turned out

    def counts(self) -> dict[str, int]:
        """Readings of each template by engines that take its wording."""
        query = select(recognition.c.template, func.count()).where(_asked()).group_by(recognition.c.template)
        with self._database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def uses(self, name: str) -> dict[str, WordingUse]:
        """By version, over readings by engines that take its wording; see `WordingUse`."""
        accepted = review.c.state == State.ACCEPTED.value
        edited = case((func.coalesce(correction.c.edit_distance, 0) > 0, 1.0), else_=0.0)
        query = (
            select(
                recognition.c.template_version,
                func.count(),
                func.coalesce(func.sum(case((accepted, 1), else_=0)), 0),
                func.avg(case((accepted, func.coalesce(correction.c.cer, 0.0)))),
                func.avg(case((accepted, edited))),
                func.avg(case((accepted, label_reward.c.reward))),
                func.coalesce(func.sum(case((and_(accepted, _unscored()), 1), else_=0)), 0),
            )
            .select_from(_labelled())
            .where(recognition.c.template == storable(name), _asked())
            .group_by(recognition.c.template_version)
        )
        with self._database.reading() as connection:
            return {version: WordingUse(*figures) for version, *figures in connection.execute(query)}

    def unscored(self, name: str, limit: int) -> list[int]:
        """Accepted readings of a template whose reward is not known, or was of another label."""
        query = (
            select(recognition.c.id)
            .select_from(_labelled())
            .where(recognition.c.template == storable(name), _asked(), review.c.state == State.ACCEPTED.value)
            .where(_unscored())
            .order_by(recognition.c.id)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return list(connection.scalars(query))

    def score(self, rewards: Iterable[tuple[int, int, float | None]]) -> None:
        """Keeps rewards: of a recognition, against which correction (0 for none), how much."""
        rows = [{"recognition_id": one, "correction_version": to, "reward": value} for one, to, value in rewards]
        known = delete(label_reward).where(label_reward.c.recognition_id == bindparam("item"))
        with self._database.writing() as connection:
            if rows:
                connection.execute(known, [{"item": row["recognition_id"]} for row in rows])
                connection.execute(insert(label_reward), rows)


def _asked() -> Any:
    return recognition.c.engine.not_in(sorted(ASKED_NOTHING))


def _labelled() -> Any:
    newest = and_(correction.c.recognition_id == recognition.c.id, correction.c.version == review.c.latest_version)
    return (
        recognition.join(review, review.c.recognition_id == recognition.c.id)
        .outerjoin(correction, newest)
        .outerjoin(label_reward, label_reward.c.recognition_id == recognition.c.id)
    )


def _unscored() -> Any:
    return or_(label_reward.c.recognition_id.is_(None), label_reward.c.correction_version != review.c.latest_version)


def _templates() -> Select:
    in_use = and_(template_version.c.name == template.c.name, template_version.c.version == template.c.current)
    content = func.coalesce(template_version.c.content, "").label("content")
    number = func.coalesce(template_version.c.number, 0).label("number")
    return select(template, content, number).outerjoin(template_version, in_use)


def _versions() -> Select:
    return signed(template_version)


def _stored(row: Row) -> StoredTemplate:
    return StoredTemplate(
        name=row.name,
        current=row.current,
        number=row.number,
        content=row.content,
        title=json.loads(row.title),
        description=json.loads(row.description),
        tags=tuple(json.loads(row.tags)),
        file_sha256=row.file_sha256,
        changed_at=row.changed_at,
        deleted=row.deleted_at is not None,
    )


def _wording(row: Row) -> StoredWording:
    return StoredWording(
        version=row.version,
        number=row.number,
        content=row.content,
        note=row.note,
        person=row.person or "",
        created_at=row.created_at,
        from_file=row.from_file,
    )
