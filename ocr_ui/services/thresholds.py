"""Measured thresholds, and whether they still count for what an engine reads now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ocr_ui.domain.recognition import EngineName
from ocr_ui.services.conditions import reading_settings
from ocr_ui.services.engine_entries import engine_entries
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredCalibration
from ocr_ui.storage.store import Store

LEAST_WRONG = 10
"""Mistakes that a share of them can be told of at all; of fewer a threshold is shown and not used."""
FEW = "few"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A stored calibration, and whether it still counts.

    Attributes:
        stale: what is another now: engine, model, revision or settings; empty while nothing is.
    """

    calibration: StoredCalibration
    stale: tuple[str, ...]

    @property
    def unused(self) -> tuple[str, ...]:
        """Why it is not used: what makes it stale, and FEW where it stands on too few mistakes."""
        return self.stale if self.calibration.figures.wrong >= LEAST_WRONG else (*self.stale, FEW)

    def brief(self) -> dict[str, Any]:
        """What is said of it beside what it is used for; plain JSON values."""
        one = self.calibration
        return {
            "part": one.part,
            "threshold": one.figures.chosen.threshold,
            "count": one.figures.count,
            "wrong": one.figures.wrong,
            "miss_rate": one.figures.miss_rate,
            "unused": list(self.unused),
        }

    def to_dict(self) -> dict[str, Any]:
        one = self.calibration
        return {
            **self.brief(),
            "id": one.id,
            "made_at": one.created_at.isoformat(timespec="seconds"),
            "template": one.template,
            "engine": one.engine.title,
            "model": one.engine.model,
            "revision": one.engine.revision,
            "stale": list(self.stale),
            "figures": one.figures.to_dict(),
        }


class Thresholds:
    """All methods block on the store."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store, self._settings = store, settings
        self._own = {entry.name: entry.settings for entry in engine_entries(settings)}

    def settings_of(self, engine: EngineName) -> dict[str, Any]:
        """The settings, as they are now, that may change what an engine reads."""
        return reading_settings(self._own.get(engine.name, self._settings))

    def judged(self, one: StoredCalibration, reader: EngineName | None) -> Threshold:
        """Args: reader: the engine that reads now; None where none does."""
        return Threshold(one, _stale(one, reader, self.settings_of(reader or one.engine)))

    def of(self, template: str, engine: EngineName) -> list[Threshold]:
        """Of each part the newest that counts for pages that this engine reads; else the one that is closest to it."""
        parts: dict[str, list[Threshold]] = {}
        for one in self._store.calibrations.newest(template):
            parts.setdefault(one.part, []).append(self.judged(one, engine))
        return [min(found, key=lambda one: len(one.unused)) for _, found in sorted(parts.items())]

    def measured(self, template: str, engine: EngineName) -> dict[str, float]:
        """By part, the confidence below which it is to be looked at, where one was measured that counts."""
        return measured(self.of(template, engine))


def measured(thresholds: Iterable[Threshold]) -> dict[str, float]:
    counting = (one.calibration for one in thresholds if not one.unused)
    return {one.part: one.figures.chosen.threshold for one in counting}


def _stale(one: StoredCalibration, engine: EngineName | None, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What has changed since a threshold was measured, so that it means nothing any more."""
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
