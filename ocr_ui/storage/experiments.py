"""Experiments in daily use, and which reading was whose arm."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, Select, and_, insert, select, update

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.experiment import Arm, Experiment
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import State, Verdict
from ocr_ui.errors import Conflict, NotFound
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import ArmReading, ArmVerdict, StoredExperiment
from ocr_ui.storage.tables import correction, experiment, experiment_reading, page, recognition, review
from ocr_ui.storage.tables import person as person_table

_STARTER, _ENDER = person_table.alias("starter"), person_table.alias("ender")


class Experiments:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, value: Experiment, person: Person | None = None) -> int:
        """Starts an experiment and gives its id.

        Raises:
            Conflict: `experiment_running`, there is one with this template. StoreFailed: see `Database.writing`.
        """
        with self._database.writing() as connection:
            running = (experiment.c.template == value.template, experiment.c.ended_at.is_(None))
            if (other := connection.scalar(select(experiment.c.id).where(*running))) is not None:
                raise Conflict(
                    "experiment_running",
                    f"There is an experiment with the template {value.template} already.",
                    "End it before you start another one.",
                    template=value.template,
                    experiment=other,
                )
            row = {
                "person_id": people.id_of(connection, person),
                "created_at": datetime.now(UTC),
                "share": value.share,
                "salt": value.salt,
                "name": value.name,
                "template": value.template,
                "template_version": value.version,
                "engine": value.engine,
                "other_template": value.other_template,
                "other_version": value.other_version,
                "other_engine": value.other_engine,
            }
            return connection.execute(insert(experiment).values(row)).inserted_primary_key[0]

    def get(self, experiment_id: int) -> StoredExperiment:
        """Raises NotFound (`unknown_experiment`)."""
        with self._database.reading() as connection:
            row = connection.execute(_query().where(experiment.c.id == experiment_id)).first()
        if row is None:
            raise _unknown(experiment_id)
        return _stored(row)

    def list(self, limit: int = 50) -> list[StoredExperiment]:
        """The newest first."""
        with self._database.reading() as connection:
            return [_stored(row) for row in connection.execute(_query().order_by(experiment.c.id.desc()).limit(limit))]

    def running(self, template: str) -> StoredExperiment | None:
        """The one that readings with a template take part in."""
        wanted = (experiment.c.template == template, experiment.c.ended_at.is_(None))
        with self._database.reading() as connection:
            row = connection.execute(_query().where(*wanted)).first()
        return None if row is None else _stored(row)

    def set_share(self, experiment_id: int, share: float) -> None:
        """Raises NotFound (`unknown_experiment`), Conflict (`experiment_ended`), StoreFailed."""
        self._change(experiment_id, {"share": share})

    def end(self, experiment_id: int, person: Person | None = None) -> None:
        """All pictures go to A from now on. Raises as `set_share`."""
        with self._database.writing() as connection:
            ended_by = people.id_of(connection, person)
            self._change(experiment_id, {"ended_at": datetime.now(UTC), "ended_by_id": ended_by})

    def _change(self, experiment_id: int, values: dict[str, Any]) -> None:
        with self._database.writing() as connection:
            running = (experiment.c.id == experiment_id, experiment.c.ended_at.is_(None))
            if connection.execute(update(experiment).where(*running).values(values)).rowcount:
                return
            if connection.scalar(select(experiment.c.id).where(experiment.c.id == experiment_id)) is None:
                raise _unknown(experiment_id)
            raise Conflict(
                "experiment_ended", f"The experiment {experiment_id} has ended.", "Start another one.", id=experiment_id
            )

    def note(
        self, experiment_id: int, recognition_id: int, arm: Arm, asked_engine: str = "", shadow: bool = False
    ) -> None:
        """Keeps whose arm a reading was. Raises StoreFailed."""
        row = {
            "recognition_id": recognition_id,
            "experiment_id": experiment_id,
            "arm": arm.value,
            "shadow": shadow,
            "asked_engine": asked_engine,
        }
        with self._database.writing() as connection:
            connection.execute(insert(experiment_reading).values(row))

    def readings(self, experiment_id: int) -> list[ArmReading]:
        """All of an experiment, oldest first."""
        query = _readings().where(experiment_reading.c.experiment_id == experiment_id).order_by(recognition.c.id)
        with self._database.reading() as connection:
            return [_reading(row) for row in connection.execute(query)]

    def of_readings(self, ids: Collection[int]) -> dict[int, ArmReading]:
        """Those of these readings that were of an experiment, by their ids."""
        query = _readings().where(experiment_reading.c.recognition_id.in_(ids))
        with self._database.reading() as connection:
            return {row.id: _reading(row) for row in connection.execute(query)}

    def hidden(self, ids: Collection[int]) -> dict[int, str]:
        """Of these readings those that nobody has judged yet, with the template that was asked for."""
        query = (
            _readings()
            .join(review, review.c.recognition_id == recognition.c.id)
            .where(experiment_reading.c.recognition_id.in_(ids), review.c.verdict.is_(None))
        )
        with self._database.reading() as connection:
            return {row.id: row.template for row in connection.execute(query)}

    def verdicts(self, experiment_id: int) -> list[ArmVerdict]:
        """The readings that somebody has judged or corrected, oldest first; those for blind comparisons are not asked
        about: nobody was given them."""
        query = (
            select(
                recognition.c.id,
                experiment_reading.c.arm,
                page.c.sha256,
                review.c.verdict,
                review.c.state,
                correction.c.edit_distance,
                correction.c.cer,
                recognition.c.content,
            )
            .join(recognition, recognition.c.id == experiment_reading.c.recognition_id)
            .join(page, page.c.id == recognition.c.page_id)
            .join(review, review.c.recognition_id == recognition.c.id)
            .outerjoin(
                correction,
                and_(correction.c.recognition_id == recognition.c.id, correction.c.version == review.c.latest_version),
            )
            .where(experiment_reading.c.experiment_id == experiment_id, experiment_reading.c.shadow.is_(False))
            .where(review.c.verdict.is_not(None))
            .order_by(recognition.c.id)
        )
        with self._database.reading() as connection:
            return [
                ArmVerdict(
                    id=row.id,
                    arm=Arm(row.arm),
                    sha256=row.sha256,
                    wrong=row.verdict == Verdict.WRONG.value,
                    accepted=row.state == State.ACCEPTED.value,
                    distance=0 if row.verdict == Verdict.RIGHT.value else row.edit_distance,
                    cer=row.cer or 0.0,
                    content=PageContent.from_dict(json.loads(row.content)),
                )
                for row in connection.execute(query)
            ]


def _unknown(experiment_id: object) -> NotFound:
    return NotFound(
        "unknown_experiment", f"There is no experiment {experiment_id}.", "Load the page again.", id=experiment_id
    )


def _query() -> Select:
    return (
        select(experiment, _STARTER.c.name.label("person"), _ENDER.c.name.label("ended_by"))
        .outerjoin(_STARTER, _STARTER.c.id == experiment.c.person_id)
        .outerjoin(_ENDER, _ENDER.c.id == experiment.c.ended_by_id)
    )


def _stored(row: Row) -> StoredExperiment:
    value = Experiment(
        name=row.name,
        template=row.template,
        version=row.template_version,
        engine=row.engine,
        other_template=row.other_template,
        other_version=row.other_version,
        other_engine=row.other_engine,
        share=row.share,
        salt=row.salt,
    )
    return StoredExperiment(row.id, row.created_at, row.person or "", row.ended_at, row.ended_by or "", value)


def _readings() -> Select:
    columns = (recognition.c.id, recognition.c.page_id, recognition.c.outcome, page.c.sha256)
    return (
        select(experiment_reading, experiment.c.template, *columns)
        .join(experiment, experiment.c.id == experiment_reading.c.experiment_id)
        .join(recognition, recognition.c.id == experiment_reading.c.recognition_id)
        .join(page, page.c.id == recognition.c.page_id)
    )


def _reading(row: Row) -> ArmReading:
    return ArmReading(
        id=row.id,
        experiment=row.experiment_id,
        arm=Arm(row.arm),
        shadow=row.shadow,
        asked_engine=row.asked_engine,
        asked_template=row.template,
        page_id=row.page_id,
        sha256=row.sha256,
        outcome=row.outcome,
    )
