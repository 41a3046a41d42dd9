"""Recognitions: written once, never changed."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.domain.pixels import PixelChoice
from ocr_ui.domain.recognition import EngineName, Generation, PromptUsed, Recognition
from ocr_ui.domain.review import State
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.storage import people, search
from ocr_ui.storage.database import Database
from ocr_ui.storage.numbers import unused_number
from ocr_ui.storage.records import ReadingRow, StoredRecognition
from ocr_ui.storage.tables import page, recognition, review
from ocr_ui.storage.tables import person as person_table

_ENGINE = ("engine", "engine_version", "model", "revision", "engine_name")


class Recognitions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, value: Recognition, page_id: int, person: Person | None = None) -> int:
        """Stores a recognition of a stored page, pending review, and gives its id.

        Raises:
            NotFound: `unknown_page`.
            BadInput: `other_picture`, the recognition belongs to another picture than the page.
            StoreFailed: see `Database.writing`.
        """
        with self._database.writing() as connection:
            sha256 = connection.scalar(select(page.c.sha256).where(page.c.id == page_id))
            _check_picture(value, page_id, sha256)
            now = datetime.now(UTC)
            row = {**_values(value), "page_id": page_id, "created_at": now}
            row["person_id"] = people.id_of(connection, person)
            row |= unused_number(connection, recognition)
            recognition_id = connection.execute(insert(recognition).values(row)).inserted_primary_key[0]
            connection.execute(insert(review).values(_untouched(recognition_id, now)))
            search.add(connection, recognition_id, row["text"])
        return recognition_id

    def get(self, recognition_id: int) -> StoredRecognition:
        """Raises NotFound (`unknown_recognition`)."""
        found = self._first(_query().where(recognition.c.id == recognition_id))
        if found is None:
            raise unknown(recognition_id)
        return found

    def latest(self, page_id: int) -> StoredRecognition | None:
        """The newest recognition of a page, None where there is none."""
        return self._first(_query().where(recognition.c.page_id == page_id).order_by(recognition.c.id.desc()).limit(1))

    def of_same_page(self, recognition_id: int, limit: int = 20) -> list[ReadingRow]:
        """The newest readings of a recognition's page, newest first. Raises NotFound (`unknown_recognition`)."""
        of_page = select(recognition.c.page_id).where(recognition.c.id == recognition_id).scalar_subquery()
        columns = [recognition.c[name] for name in ("id", "created_at", *_ENGINE, "template", "outcome", "transform")]
        query = select(*columns).where(recognition.c.page_id == of_page).order_by(recognition.c.id.desc()).limit(limit)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        if not rows:
            raise unknown(recognition_id)
        return [
            ReadingRow(row.id, row.created_at, _engine(row), row.template, row.outcome, json.loads(row.transform))
            for row in rows
        ]

    def of_picture(self, sha256: str, engine: str) -> list[StoredRecognition]:
        """What an engine (its kind) said of a picture, on whichever page it stands, the oldest first."""
        query = _query().where(page.c.sha256 == sha256, recognition.c.engine == engine).order_by(recognition.c.id)
        with self._database.reading() as connection:
            return [stored(row) for row in connection.execute(query)]

    def _first(self, query: Select) -> StoredRecognition | None:
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else stored(row)


def recognitions_of(connection: Connection, ids: Collection[int]) -> dict[int, Recognition]:
    """Those that there are of these ids."""
    rows = connection.execute(_query().where(recognition.c.id.in_(ids)))
    return {row.id: value_of(row) for row in rows}


def unknown(recognition_id: object) -> NotFound:
    return NotFound(
        "unknown_recognition",
        f"There is no item {recognition_id}.",
        "It may have been deleted; open the Dataset tab for the items there are.",
        item=recognition_id,
    )


def searched_text(content: PageContent) -> str:
    """What a search looks through: the lines, else the text, else the values of the fields and tables."""
    text = "\n".join(line.text for line in content.lines) or content.text
    if not text:
        values = [f"{field.name}: {field.value}" for field in content.fields if field.value is not None]
        cells = [" ".join(row) for table in content.tables for row in table.grid]
        text = "\n".join([*values, *cells])
    return storable(text)


def _check_picture(value: Recognition, page_id: int, sha256: str | None) -> None:
    if sha256 is None:
        raise NotFound("unknown_page", "There is no such page.", "It may have been deleted.", page=page_id)
    if sha256 != value.page_sha256:
        raise BadInput(
            "other_picture",
            "The recognition belongs to another picture than the page.",
            "Read the page itself.",
            page=page_id,
        )


def _values(value: Recognition) -> dict[str, Any]:
    engine, prompt, generation = value.engine, value.prompt, value.generation
    return {
        "engine": engine.kind,
        "engine_version": storable(engine.version),
        "model": storable(engine.model),
        "revision": storable(engine.revision),
        "engine_name": storable(engine.name),
        "template": storable(prompt.template),
        "template_version": prompt.version,
        "task": str(prompt.task),
        "prompt": dumps({"text": prompt.text, "variables": prompt.variables, "sampling": prompt.sampling}),
        "generation": dumps(
            {
                "text": generation.text,
                "finish_reason": generation.finish_reason,
                "tokens": generation.tokens,
                "seconds": generation.seconds,
            }
        ),
        "outcome": value.outcome,
        "method": value.method,
        "error": storable(value.error),
        "confidence": value.content.least_confidence,
        "timings": dumps(value.timings),
        "transform": dumps(value.transform),
        "pixels": None if value.pixels is None else dumps(value.pixels.to_dict()),
        "text": searched_text(value.content),
        "content": dumps(value.content.to_dict()),
    }


def _untouched(recognition_id: int, now: datetime) -> dict[str, Any]:
    return {
        "recognition_id": recognition_id,
        "updated_at": now,
        "revision": 0,
        "latest_version": 0,
        "correction_version": 0,
        "state": State.PENDING.value,
        "error_kinds": "[]",
        "tags": "[]",
        "note": "",
    }


def _query() -> Select:
    return (
        select(recognition, page.c.sha256, person_table.c.name.label("person"))
        .join(page, page.c.id == recognition.c.page_id)
        .outerjoin(person_table, person_table.c.id == recognition.c.person_id)
    )


def stored(row: Row) -> StoredRecognition:
    """From a row that has the columns of `recognition`, `sha256` of the page and `person`, the name."""
    return StoredRecognition(row.id, row.page_id, row.person or "", row.created_at, value_of(row))


def _engine(row: Row) -> EngineName:
    return EngineName(*(getattr(row, name) for name in _ENGINE))


def value_of(row: Row) -> Recognition:
    """The recognition in a row with the columns of `recognition` and `sha256` of the page."""
    prompt = json.loads(row.prompt)
    return Recognition(
        page_sha256=row.sha256,
        engine=_engine(row),
        prompt=PromptUsed(row.template, row.template_version, row.task, **prompt),
        content=PageContent.from_dict(json.loads(row.content)),
        generation=Generation(**json.loads(row.generation)),
        outcome=row.outcome,
        transform=json.loads(row.transform),
        timings=json.loads(row.timings),
        method=row.method,
        error=row.error,
        pixels=None if row.pixels is None else PixelChoice.from_dict(json.loads(row.pixels)),
    )
