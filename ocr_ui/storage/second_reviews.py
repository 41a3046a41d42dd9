"""Second reviews: kept as they were saved, and how disputes ended."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, case, func, insert, select, update

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import ErrorKind, Verdict
from ocr_ui.domain.second import Agreement, SecondReview
from ocr_ui.storage import people
from ocr_ui.storage.corrections import key_reused
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import AgreementRow, Resolution, StoredSecondReview
from ocr_ui.storage.tables import person as person_table
from ocr_ui.storage.tables import recognition, review, second_review

_second = person_table.alias("second_person")
_first = person_table.alias("first_person")
_resolver = person_table.alias("resolver")
_GROUPS = {
    "pair": (func.coalesce(_first.c.name, ""), func.coalesce(_second.c.name, "")),
    "template": (recognition.c.template,),
}


class SecondReviews:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, recognition_id: int, value: SecondReview, client_key: str = "") -> StoredSecondReview:
        """Stores a second review; it stands for the item until a newer one comes.

        Raises:
            BadInput: `client_key_reused`, the key came before with another page.
            StoreFailed: see `Database.writing`.
        """
        written = dumps(value.content.to_dict())
        with self._database.writing() as connection:
            before = client_key and connection.execute(_query(recognition_id, client_key=client_key)).first()
            if before:
                if before.content != written:
                    raise key_reused()
                return _stored(before)
            row = {
                **_values(value),
                "recognition_id": recognition_id,
                "person_id": people.id_of(connection, Person(value.person)),
                "first_person_id": people.id_of(connection, Person(value.first_person)),
                "created_at": datetime.now(UTC),
                "client_key": client_key or None,
                "content": written,
            }
            made = connection.execute(insert(second_review).values(row)).inserted_primary_key[0]
            connection.execute(update(review).where(review.c.recognition_id == recognition_id).values(second_id=made))
            return _stored(connection.execute(_query(recognition_id, id=made)).one())

    def newest(self, recognition_id: int) -> StoredSecondReview | None:
        """The one that stands for the item."""
        query = _query(recognition_id).join(review, review.c.second_id == second_review.c.id)
        return self._first(query)

    def by(self, recognition_id: int, person: Person) -> StoredSecondReview | None:
        """The newest of one person."""
        query = _query(recognition_id).where(_second.c.name == people.clean(person))
        return self._first(query.order_by(second_review.c.id.desc()).limit(1))

    def resolve(self, second_id: int, person: Person, version: int, choices: list[dict[str, Any]]) -> None:
        """Keeps that the dispute ended with this version of the correction, and what was chosen for each difference."""
        with self._database.writing() as connection:
            row = {
                "resolved_at": datetime.now(UTC),
                "resolver_id": people.id_of(connection, person),
                "resolved_version": version,
                "resolution": dumps(choices),
            }
            connection.execute(update(second_review).where(second_review.c.id == second_id).values(row))

    def agreement(self, group: str) -> list[AgreementRow]:
        """Of the reviews that stand, by `pair` of people or by `template`."""
        keys = _GROUPS[group]
        open_ = and_(second_review.c.disputed, second_review.c.resolved_version.is_(None))
        query = (
            select(
                *(key.label(f"key_{n}") for n, key in enumerate(keys)),
                func.count().label("items"),
                _sum(~second_review.c.disputed).label("same"),
                _sum(open_).label("disputes"),
                *(func.avg(second_review.c[name]).label(name) for name in ("cer", "box_f1", "fields")),
            )
            .join(review, review.c.second_id == second_review.c.id)
            .join(recognition, recognition.c.id == second_review.c.recognition_id)
            .outerjoin(_first, _first.c.id == second_review.c.first_person_id)
            .join(_second, _second.c.id == second_review.c.person_id)
            .group_by(*keys)
            .order_by(*keys)
        )
        with self._database.reading() as connection:
            return [_agreement(row, len(keys)) for row in connection.execute(query)]

    def _first(self, query: Select) -> StoredSecondReview | None:
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else _stored(row)


def _sum(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _agreement(row: Row, keys: int) -> AgreementRow:
    names = tuple(row[:keys])
    return AgreementRow(names, row.items, row.same, row.disputes, row.cer, row.box_f1, row.fields)


def _query(recognition_id: int, **columns: Any) -> Select:
    return (
        select(
            second_review,
            _second.c.name.label("person"),
            _first.c.name.label("first_person"),
            _resolver.c.name.label("resolver"),
        )
        .join(_second, _second.c.id == second_review.c.person_id)
        .outerjoin(_first, _first.c.id == second_review.c.first_person_id)
        .outerjoin(_resolver, _resolver.c.id == second_review.c.resolver_id)
        .where(second_review.c.recognition_id == recognition_id)
        .where(*(second_review.c[name] == value for name, value in columns.items()))
    )


def _values(value: SecondReview) -> dict[str, Any]:
    return {
        "first_version": value.first_version,
        "blind": value.blind,
        "verdict": value.verdict.value if value.verdict else None,
        "first_verdict": value.first_verdict.value if value.first_verdict else None,
        "disputed": value.disputed,
        "cer": value.agreement.cer,
        "box_f1": value.agreement.box_f1,
        "fields": value.agreement.fields,
        "differing": value.agreement.differing,
        "error_kinds": dumps([kind.value for kind in value.error_kinds]),
        "note": storable(value.note),
        "resolution": "",
    }


def _stored(row: Row) -> StoredSecondReview:
    value = SecondReview(
        content=PageContent.from_dict(json.loads(row.content)),
        person=row.person,
        blind=row.blind,
        first_version=row.first_version,
        first_person=row.first_person or "",
        first_verdict=Verdict(row.first_verdict) if row.first_verdict else None,
        agreement=Agreement(row.cer, row.box_f1, row.fields, row.differing),
        disputed=row.disputed,
        verdict=Verdict(row.verdict) if row.verdict else None,
        error_kinds=tuple(ErrorKind(kind) for kind in json.loads(row.error_kinds)),
        note=row.note,
    )
    ended = row.resolved_version is not None
    resolution = Resolution(row.resolver or "", row.resolved_at, row.resolved_version) if ended else None
    return StoredSecondReview(row.id, row.recognition_id, row.created_at, value, resolution)
