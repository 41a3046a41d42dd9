"""Boxes of items that were read anew."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from sqlalchemy import Row, Select, insert, select

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import EngineName
from ocr_ui.domain.reread import Reread
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.people import signed
from ocr_ui.storage.recognitions import unknown
from ocr_ui.storage.records import StoredReread
from ocr_ui.storage.tables import reread, review


class Rereads:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, recognition_id: int, value: Reread, person: Person | None = None) -> StoredReread:
        """Stores what came of reading a box; when this returns it is on disk.

        Raises:
            NotFound: `unknown_recognition`.
            StoreFailed: see `Database.writing`.
        """
        engine = value.engine
        with self._database.writing() as connection:
            known = select(review.c.recognition_id).where(review.c.recognition_id == recognition_id)
            if connection.scalar(known) is None:
                raise unknown(recognition_id)
            row = {
                "recognition_id": recognition_id,
                "person_id": people.id_of(connection, person),
                "created_at": datetime.now(UTC),
                "engine": engine.kind,
                "engine_version": storable(engine.version),
                "model": storable(engine.model),
                "revision": storable(engine.revision),
                "engine_name": storable(engine.name),
                "template": storable(value.template),
                "template_version": value.template_version,
                "outcome": value.outcome,
                "seconds": value.seconds,
                "quad": dumps([list(point) for point in value.quad.points]),
                "text": storable(value.text),
                "lines": dumps(PageContent(lines=value.lines).to_dict()["lines"]),
            }
            made = connection.execute(insert(reread).values(row)).inserted_primary_key[0]
            return _stored(connection.execute(_query().where(reread.c.id == made)).one())

    def of(self, recognition_id: int) -> list[StoredReread]:
        """All of an item, oldest first."""
        query = _query().where(reread.c.recognition_id == recognition_id).order_by(reread.c.id)
        with self._database.reading() as connection:
            return [_stored(row) for row in connection.execute(query)]


def _query() -> Select:
    return signed(reread)


def _stored(row: Row) -> StoredReread:
    value = Reread(
        quad=Quad.from_points(json.loads(row.quad)),
        engine=EngineName(row.engine, row.engine_version, row.model, row.revision, row.engine_name),
        template=row.template,
        template_version=row.template_version,
        outcome=row.outcome,
        seconds=row.seconds,
        text=row.text,
        lines=PageContent.from_dict({"lines": json.loads(row.lines)}).lines,
    )
    return StoredReread(row.id, row.recognition_id, row.person or "", row.created_at, value)
