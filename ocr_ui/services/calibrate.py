"""Thresholds from corrected pages: how far the confidences of a template can be trusted, and since when no more."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.calibration import Judged
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import IMPORTED, EngineName
from ocr_ui.domain.review import Verdict
from ocr_ui.errors import BadInput
from ocr_ui.scoring.calibration import calibrate, judge
from ocr_ui.services.access import needs, who
from ocr_ui.services.conditions import reading_settings
from ocr_ui.settings import Settings
from ocr_ui.storage.items import Filters, WholeItem
from ocr_ui.storage.records import StoredCalibration
from ocr_ui.storage.store import Store

MISS_RATE = 0.05


@dataclass(frozen=True, slots=True)
class Threshold:
    """A stored calibration, and whether it still counts.

    Attributes:
        stale: what is another now: engine, model, revision or settings; empty while it counts.
    """

    calibration: StoredCalibration
    stale: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        one = self.calibration
        return {
            "id": one.id,
            "made_at": one.created_at.isoformat(timespec="seconds"),
            "template": one.template,
            "part": one.part,
            "engine": one.engine.title,
            "model": one.engine.model,
            "revision": one.engine.revision,
            "threshold": one.figures.chosen.threshold,
            "stale": list(self.stale),
            "figures": one.figures.to_dict(),
        }


class Calibrator:
    def __init__(self, store: Store, settings: Settings) -> None:
        self._store, self._settings = store, settings

    @needs(Action.REVIEW, audited="calibration.measure")
    async def measure(self, template: str, miss_rate: float = MISS_RATE, person: str = "") -> list[Threshold]:
        """Works out and keeps a threshold for lines, cells and each kind of field, of every engine that has read.

        Pages count that somebody has corrected, or judged right.

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
        return await asyncio.to_thread(self._measure, template, miss_rate, who(person))

    async def list(self, template: str = "") -> list[Threshold]:
        """The newest of each part and engine, with what makes it stale."""
        return await asyncio.to_thread(self._list, template)

    async def threshold(self, template: str, part: str) -> float | None:
        """The confidence below which a part is to be looked at; None where none was measured that still counts."""
        for one in await self.list(template):
            if one.calibration.part == part and not one.stale:
                return one.calibration.figures.chosen.threshold
        return None

    def _measure(self, template: str, miss_rate: float, person: Person) -> list[Threshold]:
        found: dict[EngineName, dict[str, list[Judged]]] = {}
        for item in self._store.items.each(Filters(templates=(template,))):
            engine = replace(item.recognition.engine, version="")
            for part, judged in _judged(item):
                found.setdefault(engine, defaultdict(list))[part].append(judged)
        if not found:
            raise BadInput(
                "nothing_to_calibrate",
                f"No page of the template {template[:100]} was corrected or judged right that has confidences.",
                "Review some pages that an engine with confidences has read.",
                template=template[:100],
            )
        settings = reading_settings(self._settings)
        with self._store.transaction():
            for engine, parts in found.items():
                made = [(part, calibrate(judged, miss_rate)) for part, judged in sorted(parts.items())]
                self._store.calibrations.add(template, engine, settings, made, person)
        return self._list(template)

    def _list(self, template: str) -> list[Threshold]:
        newest: dict[tuple[str, str, EngineName], StoredCalibration] = {}
        for one in self._store.calibrations.list(template):
            newest.setdefault((one.template, one.part, one.engine), one)
        settings = reading_settings(self._settings)
        readers = {name: self._reader(name) for name in {one.template for one in newest.values()}}
        return [Threshold(one, stale(one, readers[one.template], settings)) for one in newest.values()]

    def _reader(self, template: str) -> EngineName | None:
        """The engine that last read with a template."""
        ids = self._store.items.ids(Filters(templates=(template,)), "newest", 1)
        return self._store.recognitions.get(ids[0]).recognition.engine if ids else None


def _judged(item: WholeItem) -> Sequence[tuple[str, Judged]]:
    if item.recognition.engine.kind == IMPORTED:
        return ()
    if item.correction is not None:
        return tuple(judge(item.recognition.content, item.correction.content))
    right = item.review.verdict is Verdict.RIGHT
    return tuple(judge(item.recognition.content, item.recognition.content)) if right else ()


def stale(one: StoredCalibration, engine: EngineName | None, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What has changed since a threshold was measured, so that it means nothing any more.

    Args:
        engine: the one that reads with the template now; None where none does.
        settings: that may change what is read, as they are now.
    """
    changed = [] if one.settings == dict(settings) else ["settings"]
    if engine is None:
        return tuple(changed)
    then = one.engine
    pairs = {
        "engine": ((then.kind, then.name), (engine.kind, engine.name)),
        "model": (then.model, engine.model),
        "revision": (then.revision, engine.revision),
    }
    return (*(name for name, (old, new) in pairs.items() if old != new), *changed)
