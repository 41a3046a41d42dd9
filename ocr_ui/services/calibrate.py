"""Thresholds from corrected pages: how far the confidences of a template can be trusted, and since when no more."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache

from ocr_ui.domain.access import Action
from ocr_ui.domain.calibration import Calibration, Judged
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import ASKED_NOTHING, IMPORTED, EngineName, Recognition
from ocr_ui.domain.review import Verdict
from ocr_ui.errors import BadInput
from ocr_ui.scoring.calibration import calibrate, judge
from ocr_ui.services.access import needs, who
from ocr_ui.services.thresholds import Threshold, Thresholds
from ocr_ui.storage.items import Filters, WholeItem
from ocr_ui.storage.records import StoredCalibration
from ocr_ui.storage.store import Store

MISS_RATE = 0.05
TOLD_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Measured:
    """How far a measurement is.

    Attributes:
        done, total: pages that were read with the template.
        thresholds: with the last step alone.
    """

    done: int
    total: int
    thresholds: list[Threshold] | None = None


@dataclass
class _Course:
    done: int = 0
    total: int = 0
    given_up: bool = False


class Calibrator:
    def __init__(self, store: Store, thresholds: Thresholds) -> None:
        self._store, self._thresholds = store, thresholds

    async def measure(
        self, template: str, miss_rate: float = MISS_RATE, person: str = "", keep: bool = True
    ) -> list[Threshold]:
        """What `measuring` comes to. Raises as it does."""
        *_, last = [step async for step in self.measuring(template, miss_rate, person, keep)]
        return last.thresholds or []

    @needs(Action.REVIEW, audited="calibration.measure")
    async def measuring(
        self, template: str, miss_rate: float = MISS_RATE, person: str = "", keep: bool = True
    ) -> AsyncIterator[Measured]:
        """Works out a threshold for lines, cells and each kind of field, of every engine that has read.

        Pages count that somebody has corrected, or judged right; of an engine that takes prompts those that were read
        with the version of the template that the newest of them was read with.

        Args:
            keep: it is used from now on. Without it, only what would be kept is given, under the id 0.

        Yields:
            How far it is, at once and every TOLD_SECONDS; the last step has the thresholds. Closed before, it keeps
            nothing.

        Raises:
            BadInput: `bad_miss_rate`, `nothing_to_calibrate` (details: template).
        """
        if not 0 <= miss_rate < 1:
            raise BadInput(
                "bad_miss_rate",
                f"{miss_rate:g} is no share of mistakes that may be missed.",
                "Choose one from 0 to below 1, such as 0.05.",
                value=f"{miss_rate:g}",
            )
        course = _Course()
        work = asyncio.create_task(asyncio.to_thread(self._measure, template, miss_rate, who(person), keep, course))
        try:
            while not work.done():
                yield Measured(course.done, course.total)
                await asyncio.wait({work}, timeout=TOLD_SECONDS)
            yield Measured(course.total, course.total, await work)
        finally:
            course.given_up = True
            await asyncio.wait({work})

    @needs(Action.READ)
    async def list(self, template: str = "") -> list[Threshold]:
        """The newest of each part and engine, with what makes it stale."""
        return await asyncio.to_thread(self._list, template)

    def _measure(self, template: str, miss_rate: float, person: Person, keep: bool, course: _Course) -> list[Threshold]:
        found: dict[tuple[EngineName, str], dict[str, list[Judged]]] = {}
        newest: dict[EngineName, str] = {}
        read_with = Filters(templates=(template,), unmasked=True)
        course.total = self._store.items.count(read_with)
        for course.done, item in enumerate(self._store.items.each(read_with), 1):
            if course.given_up:
                return []
            reading = item.recognition
            engine = replace(reading.engine, version="")
            version = "" if engine.kind in ASKED_NOTHING else reading.prompt.version
            for part, judged in _judged(item):
                found.setdefault((engine, version), defaultdict(list))[part].append(judged)
                newest[engine] = version
        if not found:
            raise BadInput(
                "nothing_to_calibrate",
                f"No page of the template {template[:100]} was corrected or judged right that has confidences.",
                "Review some pages that an engine with confidences has read.",
                template=template[:100],
            )
        made = {
            (engine, version): [
                (part, calibrate(judged, miss_rate)) for part, judged in sorted(found[engine, version].items())
            ]
            for engine, version in newest.items()
        }
        if not keep:
            return self._compared(_unkept(template, made, self._thresholds))
        with self._store.transaction():
            for (engine, version), parts in made.items():
                settings = self._thresholds.settings_of(engine, version)
                self._store.calibrations.add(template, engine, settings, parts, person)
        return self._list(template)

    def _list(self, template: str) -> list[Threshold]:
        newest: dict[tuple[str, str, EngineName], StoredCalibration] = {}
        for one in self._store.calibrations.newest(template):
            newest.setdefault((one.template, one.part, one.engine), one)
        return self._compared(newest.values())

    def _compared(self, found: Iterable[StoredCalibration]) -> list[Threshold]:
        """With what reads with their templates now."""
        reader = cache(self._reader)
        return [self._thresholds.judged(one, reader(one.template)) for one in found]

    def _reader(self, template: str) -> Recognition | None:
        """The last reading with a template."""
        ids = self._store.items.ids(Filters(templates=(template,), unmasked=True), "newest", 1)
        return self._store.recognitions.get(ids[0]).recognition if ids else None


def _unkept(
    template: str, made: Mapping[tuple[EngineName, str], Iterable[tuple[str, Calibration]]], thresholds: Thresholds
) -> Iterator[StoredCalibration]:
    now = datetime.now(UTC)
    for (engine, version), parts in made.items():
        settings = thresholds.settings_of(engine, version)
        for part, figures in parts:
            yield StoredCalibration(0, now, template, part, engine, settings, figures)


def _judged(item: WholeItem) -> Sequence[tuple[str, Judged]]:
    if item.recognition.engine.kind == IMPORTED:
        return ()
    if item.correction is not None:
        return tuple(judge(item.recognition.content, item.correction.content))
    right = item.review.verdict is Verdict.RIGHT
    return tuple(judge(item.recognition.content, item.recognition.content)) if right else ()
