"""What drift is told from: a short row for each reading, and the settings that the program ran under since when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import and_, insert, select

from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.recognition import IMPORTED
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import StoredConfiguration
from ocr_ui.storage.tables import configuration, correction, page, reading_figure, recognition, review

_COLUMNS = {
    "at": recognition.c.created_at,
    "document": page.c.document_id,
    "template": recognition.c.template,
    "template_version": recognition.c.template_version,
    "engine": recognition.c.engine,
    "engine_name": recognition.c.engine_name,
    "engine_version": recognition.c.engine_version,
    "model": recognition.c.model,
    "revision": recognition.c.revision,
    "confidence": recognition.c.confidence,
    "width": page.c.width,
    "height": page.c.height,
    "script": reading_figure.c.script,
    "layout": reading_figure.c.layout,
    "verdict": review.c.verdict,
    "edit_distance": correction.c.edit_distance,
}
COLUMNS = tuple(_COLUMNS)


class Drift:
    def __init__(self, database: Database) -> None:
        self._database = database

    def readings(self, since: datetime, until: datetime, template: str = "") -> list[tuple[Any, ...]]:
        """Rows of COLUMNS of all readings by engines from `since` on and before `until`, oldest first.

        Script and layout are None where nobody has worked them out, `edit_distance` where nothing was corrected.
        """
        newest = and_(
            correction.c.recognition_id == review.c.recognition_id, correction.c.version == review.c.latest_version
        )
        query = (
            select(*_COLUMNS.values())
            .join(page, page.c.id == recognition.c.page_id)
            .join(review, review.c.recognition_id == recognition.c.id)
            .outerjoin(reading_figure, reading_figure.c.recognition_id == recognition.c.id)
            .outerjoin(correction, newest)
            .where(recognition.c.created_at >= since, recognition.c.created_at < until)
            .where(recognition.c.engine != IMPORTED, recognition.c.outcome != "failed")
            .order_by(recognition.c.created_at, recognition.c.id)
        )
        if template:
            query = query.where(recognition.c.template == template)
        with self._database.reading() as connection:
            return [tuple(row) for row in connection.execute(query)]

    def configurations(self) -> list[StoredConfiguration]:
        """Oldest first."""
        query = select(configuration).order_by(configuration.c.id)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [StoredConfiguration(row.created_at, row.program, json.loads(row.settings)) for row in rows]

    def configured(self, program: str, settings: Mapping[str, Any]) -> None:
        """Keeps what the program runs under from now on, unless that is as it was."""
        newest = select(configuration).order_by(configuration.c.id.desc()).limit(1)
        now = {"program": program, "settings": dumps(dict(settings))}
        with self._database.writing() as connection:
            last = connection.execute(newest).first()
            if last is None or {"program": last.program, "settings": last.settings} != now:
                connection.execute(insert(configuration), {"created_at": datetime.now(UTC), **now})
