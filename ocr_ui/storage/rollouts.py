"""Rollouts: answers are written once; what they are worth is written again with each label; judgements are added."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.exact_json import dumps, storable
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import EngineName, Generation, PromptUsed
from ocr_ui.domain.rollout import Answer, Choice, Judgement, Kind, LabelUsed, Logprobs, Mark, Rollout, Worth
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.storage import people
from ocr_ui.storage.corrections import key_reused
from ocr_ui.storage.database import Database
from ocr_ui.storage.people import signed
from ocr_ui.storage.recognitions import unknown
from ocr_ui.storage.records import RolloutRow, StoredJudgement, StoredRollout
from ocr_ui.storage.tables import page, recognition, rollout, rollout_answer, rollout_judgement


class Rollouts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, recognition_id: int, value: Rollout, person: Person | None = None) -> int:
        """Stores the answers to the question of an item, and gives the id.

        Raises:
            NotFound: `unknown_recognition`.
            BadInput: `other_picture`, the answers belong to another picture than the item.
            StoreFailed: see `Database.writing`.
        """
        with self._database.writing() as connection:
            of_item = select(page.c.sha256).join(recognition).where(recognition.c.id == recognition_id)
            sha256 = connection.scalar(of_item)
            if sha256 is None:
                raise unknown(recognition_id)
            if sha256 != value.page_sha256:
                raise BadInput(
                    "other_picture",
                    "The answers belong to another picture than the item.",
                    "Ask for them anew.",
                    item=recognition_id,
                )
            row = {**_values(value), **_scores(value), "recognition_id": recognition_id}
            row |= {"person_id": people.id_of(connection, person), "created_at": datetime.now(UTC)}
            rollout_id = connection.execute(insert(rollout).values(row)).inserted_primary_key[0]
            rows = [{"rollout_id": rollout_id, **_answer_values(answer)} for answer in value.answers]
            if rows:
                connection.execute(insert(rollout_answer), rows)
        return rollout_id

    def get(self, rollout_id: int) -> StoredRollout:
        """Raises NotFound (`unknown_rollout`)."""
        with self._database.reading() as connection:
            row = connection.execute(_query().where(rollout.c.id == rollout_id)).first()
            if row is None:
                raise _unknown(rollout_id)
            return _stored(connection, row)

    def of_item(self, recognition_id: int, limit: int = 20) -> list[RolloutRow]:
        """The newest rollouts of an item, newest first, without their answers."""
        query = _query().where(rollout.c.recognition_id == recognition_id).order_by(rollout.c.id.desc()).limit(limit)
        with self._database.reading() as connection:
            return [
                RolloutRow(
                    row.id, row.created_at, row.person or "", _engine(row), row.asked, Mark(row.mark), row.reward_mean
                )
                for row in connection.execute(query)
            ]

    def whole_of_item(
        self, recognition_id: int, revisions: Sequence[str] = (), until: datetime | None = None
    ) -> list[tuple[Rollout, list[Judgement]]]:
        """All rollouts of an item with what people said of them, oldest first.

        Args:
            revisions: of the models; empty for any.
            until: only what was there at that moment.
        """
        query = _query().where(rollout.c.recognition_id == recognition_id).order_by(rollout.c.id)
        if revisions:
            query = query.where(rollout.c.revision.in_([storable(revision) for revision in revisions]))
        if until is not None:
            query = query.where(rollout.c.created_at <= until)
        with self._database.reading() as connection:
            found = [_stored(connection, row) for row in connection.execute(query).all()]
            return [
                (
                    one.rollout,
                    [
                        told.judgement
                        for told in _judgements(connection, one.id)
                        if until is None or told.created_at <= until
                    ],
                )
                for one in found
            ]

    def any(self) -> bool:
        """Is there one at all?"""
        with self._database.reading() as connection:
            return connection.scalar(select(func.min(rollout.c.id))) is not None

    def score(self, rollout_id: int, value: Rollout) -> None:
        """Replaces rewards, edit distances, label and mark by those of `value`; the answers themselves stay.

        Raises:
            NotFound: `unknown_rollout`. StoreFailed: see `Database.writing`.
        """
        with self._database.writing() as connection:
            changed = connection.execute(update(rollout).where(rollout.c.id == rollout_id).values(_scores(value)))
            if not changed.rowcount:
                raise _unknown(rollout_id)
            for answer in value.answers:
                place = (rollout_answer.c.rollout_id == rollout_id, rollout_answer.c.number == answer.number)
                connection.execute(update(rollout_answer).where(*place).values(_worth_values(answer)))

    def judge(self, rollout_id: int, value: Judgement, client_key: str = "") -> StoredJudgement:
        """Adds what somebody says; when this returns it is on disk.

        Args:
            client_key: new for each judgement; sent again, the answer is the same and nothing is added.

        Raises:
            NotFound: `unknown_rollout`.
            BadInput: `client_key_reused`, the key came before with another judgement.
            StoreFailed: see `Database.writing`.
        """
        with self._database.writing() as connection:
            if connection.scalar(select(rollout.c.id).where(rollout.c.id == rollout_id)) is None:
                raise _unknown(rollout_id)
            before = _sent_before(connection, rollout_id, client_key)
            if before:
                if (before.judgement.kind, before.judgement.order) != (value.kind, value.order):
                    raise key_reused()
                return before
            winner, loser = next(iter(value.pairs()), (None, None)) if value.kind is Kind.PAIR else (None, None)
            row = {
                "rollout_id": rollout_id,
                "person_id": people.id_of(connection, Person(value.person)),
                "created_at": datetime.now(UTC),
                "client_key": client_key or None,
                "kind": value.kind.value,
                "choice": value.choice.value if value.choice else None,
                "winner": value.order[0] if value.kind is Kind.BEST else winner,
                "loser": loser,
                "blind": int(value.blind),
                "seconds": value.seconds,
                "numbers": dumps(list(value.order)),
            }
            made = connection.execute(insert(rollout_judgement).values(row)).inserted_primary_key[0]
        return StoredJudgement(made, rollout_id, row["created_at"], value)

    def judgements(self, rollout_id: int) -> list[StoredJudgement]:
        """All of a rollout, oldest first."""
        with self._database.reading() as connection:
            return _judgements(connection, rollout_id)


def _unknown(rollout_id: object) -> NotFound:
    return NotFound(
        "unknown_rollout", f"There are no answers {rollout_id}.", "Sample the item again.", rollout=rollout_id
    )


def _values(value: Rollout) -> dict[str, Any]:
    engine, prompt = value.engine, value.prompt
    return {
        "sha256": value.page_sha256,
        "engine": engine.kind,
        "engine_version": storable(engine.version),
        "model": storable(engine.model),
        "revision": storable(engine.revision),
        "engine_name": storable(engine.name),
        "template": storable(prompt.template),
        "template_version": prompt.version,
        "task": str(prompt.task),
        "prompt": dumps({"text": prompt.text, "variables": prompt.variables, "sampling": prompt.sampling}),
        "asked": value.asked,
        "together": int(value.together),
        "seconds": value.seconds,
        "picture_tokens": value.picture_tokens,
        "prompt_tokens": value.prompt_tokens,
        "transform": dumps(value.transform),
        "error": storable(value.error),
    }


def _scores(value: Rollout) -> dict[str, Any]:
    label, spread = value.label, value.spread
    return {
        "label_version": label.version if label else None,
        "label_judged": int(label.judged) if label else None,
        "label_tokens": label.tokens if label else None,
        "mark": value.mark.value,
        "reward_mean": spread.mean,
        "reward_std": spread.std,
    }


def _answer_values(answer: Answer) -> dict[str, Any]:
    said, probable = answer.generation, answer.logprobs
    return {
        "number": answer.number,
        "outcome": answer.outcome,
        "logprob_tokens": probable.tokens if probable else None,
        "logprob_mean": probable.mean if probable else None,
        "logprob_least": probable.least if probable else None,
        "generation": dumps(asdict(said)),
        "content": dumps(answer.content.to_dict()),
        **_worth_values(answer),
    }


def _worth_values(answer: Answer) -> dict[str, Any]:
    return {
        "reward": answer.reward,
        "edit_distance": answer.edit_distance,
        "worths": dumps([asdict(worth) for worth in answer.worths]),
    }


def _query() -> Select:
    return signed(rollout)


def _engine(row: Row) -> EngineName:
    return EngineName(row.engine, row.engine_version, row.model, row.revision, row.engine_name)


def _stored(connection: Connection, row: Row) -> StoredRollout:
    query = select(rollout_answer).where(rollout_answer.c.rollout_id == row.id).order_by(rollout_answer.c.number)
    label = None
    if row.label_version is not None:
        label = LabelUsed(row.label_version, bool(row.label_judged), row.label_tokens)
    value = Rollout(
        page_sha256=row.sha256,
        engine=_engine(row),
        prompt=PromptUsed(row.template, row.template_version, row.task, **json.loads(row.prompt)),
        answers=tuple(_answer(answer) for answer in connection.execute(query)),
        asked=row.asked,
        transform=json.loads(row.transform),
        together=bool(row.together),
        seconds=row.seconds,
        picture_tokens=row.picture_tokens,
        prompt_tokens=row.prompt_tokens,
        label=label,
        error=row.error,
    )
    return StoredRollout(row.id, row.recognition_id, row.person or "", row.created_at, value)


def _answer(row: Row) -> Answer:
    probable = None
    if row.logprob_tokens is not None:
        probable = Logprobs(row.logprob_tokens, row.logprob_mean, row.logprob_least)
    return Answer(
        number=row.number,
        generation=Generation(**json.loads(row.generation)),
        outcome=row.outcome,
        content=PageContent.from_dict(json.loads(row.content)),
        logprobs=probable,
        worths=tuple(Worth(**worth) for worth in json.loads(row.worths)),
        edit_distance=row.edit_distance,
    )


def _judgement_query(rollout_id: int) -> Select:
    return (
        signed(rollout_judgement).where(rollout_judgement.c.rollout_id == rollout_id).order_by(rollout_judgement.c.id)
    )


def _judgements(connection: Connection, rollout_id: int) -> list[StoredJudgement]:
    return [_told(row) for row in connection.execute(_judgement_query(rollout_id))]


def _sent_before(connection: Connection, rollout_id: int, client_key: str) -> StoredJudgement | None:
    if not client_key:
        return None
    row = connection.execute(_judgement_query(rollout_id).where(rollout_judgement.c.client_key == client_key)).first()
    return None if row is None else _told(row)


def _told(row: Row) -> StoredJudgement:
    value = Judgement(
        kind=Kind(row.kind),
        order=tuple(json.loads(row.numbers)),
        choice=Choice(row.choice) if row.choice else None,
        person=row.person or "",
        blind=bool(row.blind),
        seconds=row.seconds,
    )
    return StoredJudgement(row.id, row.rollout_id, row.created_at, value)
