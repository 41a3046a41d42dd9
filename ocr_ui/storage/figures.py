"""Figures worked out of readings when they are first asked for: the writing, how far engines disagree, the kind of the
page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, delete, insert, select

from ocr_ui.domain.layout import layout_by
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import ReadingFigure, ReadText
from ocr_ui.storage.tables import reading_figure, recognition

_AT_ONCE = 500


class Figures:
    def __init__(self, database: Database) -> None:
        self._database = database

    def missing(self) -> list[int]:
        """Pages with a reading whose figures nobody has worked out, in order."""
        query = (
            select(recognition.c.page_id)
            .outerjoin(reading_figure, reading_figure.c.recognition_id == recognition.c.id)
            .where(reading_figure.c.recognition_id.is_(None))
            .distinct()
            .order_by(recognition.c.page_id)
        )
        with self._database.reading() as connection:
            return list(connection.scalars(query))

    def texts(self, page_ids: list[int]) -> list[ReadText]:
        """All readings of these pages, oldest first."""
        names = ("id", "page_id", "engine", "engine_name", "model", "task", "text", "content")
        columns = [recognition.c[name] for name in names]
        found: list[ReadText] = []
        with self._database.reading() as connection:
            for start in range(0, len(page_ids), _AT_ONCE):
                some = recognition.c.page_id.in_(page_ids[start : start + _AT_ONCE])
                rows = connection.execute(select(*columns).where(some).order_by(recognition.c.id))
                found += [_read(row) for row in rows]
        return found

    def put(self, figures: Iterable[ReadingFigure]) -> None:
        rows = [_row(figure) for figure in figures]
        with self._database.writing() as connection:
            for start in range(0, len(rows), _AT_ONCE):
                some = rows[start : start + _AT_ONCE]
                ids = [row["recognition_id"] for row in some]
                connection.execute(delete(reading_figure).where(reading_figure.c.recognition_id.in_(ids)))
                connection.execute(insert(reading_figure), some)


def _read(row: Row[Any]) -> ReadText:
    content = json.loads(row.content)
    lines = max(len(content["lines"]), row.text.count("\n") + 1)
    layout = layout_by(lines, len(content["regions"]), len(content["tables"]))
    return ReadText(row.id, row.page_id, (row.engine, row.engine_name, row.model), row.task, row.text, layout)


def _row(figure: ReadingFigure) -> dict[str, Any]:
    row = asdict(figure)
    return {"recognition_id": row.pop("id"), **row}
