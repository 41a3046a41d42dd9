"""How far confidences can be trusted, as it was measured; nothing is changed afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select

from ocr_ui.domain.calibration import Calibration
from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import EngineName
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import StoredCalibration
from ocr_ui.storage.tables import calibration

_SAME = ("template", "part", "engine", "engine_name", "model", "revision", "settings")


def engines(connection: Connection) -> set[tuple[str, str]]:
    """Kind and name of all that were measured with some template."""
    query = select(calibration.c.engine, calibration.c.engine_name).distinct()
    return {(kind, name) for kind, name in connection.execute(query)}


class Calibrations:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        template: str,
        engine: EngineName,
        settings: Mapping[str, Any],
        parts: Iterable[tuple[str, Calibration]],
        person: Person | None = None,
    ) -> None:
        """Keeps what was measured of a template's parts, all of one engine."""
        with self._database.writing() as connection:
            row = {
                "person_id": people.id_of(connection, person),
                "created_at": datetime.now(UTC),
                "template": storable(template),
                "engine": engine.kind,
                "engine_name": engine.name,
                "model": engine.model,
                "revision": engine.revision,
                "settings": dumps(dict(settings)),
            }
            rows = [{**row, "part": part, "figures": dumps(figures.to_dict())} for part, figures in parts]
            connection.execute(insert(calibration), rows)

    def list(self, template: str = "") -> list[StoredCalibration]:
        """The newest first, of one template or of all."""
        return self._read(select(calibration), template)

    def newest(self, template: str = "") -> list[StoredCalibration]:
        """As `list`, of each part, engine and settings the newest alone."""
        columns = [calibration.c[name] for name in _SAME]
        latest = select(func.max(calibration.c.id)).group_by(*columns)
        return self._read(select(calibration).where(calibration.c.id.in_(latest)), template)

    def _read(self, query: Select[Any], template: str) -> list[StoredCalibration]:
        query = query.order_by(calibration.c.id.desc())
        if template:
            query = query.where(calibration.c.template == template)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            StoredCalibration(
                id=row.id,
                created_at=row.created_at,
                template=row.template,
                part=row.part,
                engine=EngineName(row.engine, model=row.model, revision=row.revision, name=row.engine_name),
                settings=json.loads(row.settings),
                figures=Calibration.from_dict(json.loads(row.figures)),
            )
            for row in rows
        ]
