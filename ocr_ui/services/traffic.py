"""Gives a daily reading to one of the two arms of an experiment, and keeps which one it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from ocr_ui.domain.experiment import Arm
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import PromptTemplate
from ocr_ui.domain.recognition import Recognition
from ocr_ui.engines.base import EngineState
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.engines import Engines
from ocr_ui.services.reading import ReadRequest
from ocr_ui.storage.records import StoredExperiment
from ocr_ui.storage.store import Store

Keep = Callable[[Recognition, int, Person | None], int | None]
"""Stores a recognition of a page by somebody and gives its id; None where it is not to be stored."""


@dataclass(frozen=True, slots=True)
class Given:
    """What an arm asks in the place of what was asked.

    Attributes:
        template: that was asked for: what may be shown before somebody has judged.
        engine: by its name in the settings, "" for the default.
    """

    experiment: int
    arm: Arm
    template: str
    request: ReadRequest
    engine: str


class Traffic:
    def __init__(self, store: Store, templates: PromptLibrary, engines: Engines) -> None:
        self._store, self._templates, self._engines = store, templates, engines

    async def given(self, sha256: str, request: ReadRequest, engine: str) -> Given | None:
        """The arm that a reading of a picture goes to; None where it takes part in no experiment.

        A prompt that somebody has typed is read as it was typed. Where B cannot be read now (its engine is gone, its
        template too) the picture is read as it was asked for, and counts for nobody.
        """
        if request.prompt is not None:
            return None
        found = await asyncio.to_thread(self._store.experiments.running, request.template.name)
        if found is None or not self._takes_part(found, request.template, engine):
            return None
        arm, name = found.experiment.arm_of(sha256), engine
        asked: ReadRequest | None = request
        if arm is Arm.B:
            name = found.experiment.other_engine or engine
            asked = await asyncio.to_thread(self._asked, found, request, name)
            if asked is None:
                return None
        return Given(found.id, arm, request.template.name, asked, name)

    def _takes_part(self, found: StoredExperiment, template: PromptTemplate, engine: str) -> bool:
        value = found.experiment
        wanted = value.engine in ("", engine or self._engines.default)
        return wanted and template.version == value.version

    def _asked(self, found: StoredExperiment, request: ReadRequest, engine: str) -> ReadRequest | None:
        """What B asks; None where it cannot."""
        try:
            other = self._templates.get(*found.experiment.template_of(Arm.B))
            values = arm_values(other, request.template, request.values)
            other.render(values)
        except (NotFound, BadInput):
            return None
        return replace(request, template=other, values=values) if self._can_read(engine, other) else None

    def _can_read(self, engine: str, template: PromptTemplate) -> bool:
        name = engine or self._engines.default
        states = {info.name: info.health.state for info in self._engines.infos()}
        alive = states.get(name) not in (None, EngineState.DEAD)
        return alive and name in self._engines.can(template.task)

    def noting(self, given: Given, keep: Keep, asked_engine: str, shadow: bool = False) -> Keep:
        """Stores as `keep` does and, in the same transaction, which arm it was."""

        def kept(value: Recognition, page_id: int, person: Person | None) -> int | None:
            with self._store.transaction():
                stored = keep(value, page_id, person)
                if stored is not None:
                    self._store.experiments.note(given.experiment, stored, given.arm, asked_engine, shadow)
            return stored

        return kept


def arm_values(template: PromptTemplate, asked: PromptTemplate, values: dict[str, str]) -> dict[str, str]:
    """The values for an arm's template of those that were typed for the one that was asked for."""
    usual = {variable.name: variable.default for variable in asked.variables if variable.default}
    return template.fitting({**usual, **{name: value for name, value in values.items() if value}})
