"""How high text must be for an engine, as it was measured; nothing is changed afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import EngineName
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import StoredPixelCalibration
from ocr_ui.storage.tables import pixel_calibration


def engines(connection: Connection, rule: int) -> set[tuple[str, str]]:
    """Kind and model of all that were measured with the rule of this revision."""
    query = select(pixel_calibration.c.engine, pixel_calibration.c.model).where(pixel_calibration.c.rule == rule)
    return {(kind, model) for kind, model in connection.execute(query)}


class PixelCalibrations:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, engine: EngineName, target: float | None, rule: int, figures: Mapping[str, Any], person: Person | None
    ) -> int:
        """Keeps what was measured of an engine.

        Args:
            target: height in pixels that text must keep; None where nothing smaller than all pixels is good enough.
            rule: revision of the rule and the estimate that it was measured with.
            figures: all of it, plain JSON values.
        """
        with self._database.writing() as connection:
            row = {
                "person_id": people.id_of(connection, person),
                "created_at": datetime.now(UTC),
                "engine": engine.kind,
                "model": storable(engine.model),
                "revision": storable(engine.revision),
                "target": target,
                "rule": rule,
                "figures": dumps(dict(figures)),
            }
            return connection.execute(insert(pixel_calibration).values(row)).inserted_primary_key[0]

    def newest(self, engine: EngineName, rule: int) -> StoredPixelCalibration | None:
        """The last one of an engine of this kind with this model and revision; None where there is none."""
        same = {"engine": engine.kind, "model": engine.model, "revision": engine.revision, "rule": rule}
        query = select(pixel_calibration).filter_by(**same).order_by(pixel_calibration.c.id.desc()).limit(1)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            return None
        return StoredPixelCalibration(row.id, row.created_at, row.target, json.loads(row.figures))
