"""Measured thresholds, and whether they still count for what an engine reads now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ocr_ui.domain.recognition import ASKED_NOTHING, EngineName, Recognition
from ocr_ui.services.conditions import reading_settings
from ocr_ui.services.engine_entries import engine_entries
from ocr_ui.services.pixel_rules import need_told
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredCalibration
from ocr_ui.storage.store import Store

LEAST_WRONG = 10
"""Mistakes that a share of them can be told of at all; of fewer a threshold is shown and not used."""
FEW, TEMPLATE = "few", "template"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A stored calibration, and whether it still counts.

    Attributes:
        stale: what is another now: engine, model, revision, template or settings; empty while nothing is.
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

    def settings_of(self, engine: EngineName, version: str) -> dict[str, Any]:
        """What may change what an engine reads, as it is now: settings, how high text must be where its pixels go by
        need, and the version of the template under TEMPLATE, unless the engine takes no prompt."""
        own = self._own.get(engine.name, self._settings)
        settings = {**reading_settings(own), **need_told(engine, own, self._store)}
        return settings if engine.kind in ASKED_NOTHING else {**settings, TEMPLATE: version}

    def judged(self, one: StoredCalibration, reader: Recognition | None) -> Threshold:
        """Args: reader: a reading with the template by the engine that reads now; None where none does."""
        if reader is None:
            return Threshold(one, _stale(one, one.engine, self.settings_of(one.engine, one.settings.get(TEMPLATE, ""))))
        return Threshold(one, _stale(one, reader.engine, self.settings_of(reader.engine, reader.prompt.version)))

    def of(self, reading: Recognition) -> list[Threshold]:
        """Of each part the newest that counts for a reading; else the one that is closest to it."""
        parts: dict[str, list[Threshold]] = {}
        for one in self._store.calibrations.newest(reading.prompt.template):
            parts.setdefault(one.part, []).append(self.judged(one, reading))
        return [min(found, key=lambda one: len(one.unused)) for _, found in sorted(parts.items())]

    def measured(self, reading: Recognition) -> dict[str, float]:
        """By part, the confidence below which it is to be looked at, where one was measured that counts."""
        counting = (one.calibration for one in self.of(reading) if not one.unused)
        return {one.part: one.figures.chosen.threshold for one in counting}


def _stale(one: StoredCalibration, engine: EngineName, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What has changed since a threshold was measured, so that it means nothing any more."""
    then = one.engine
    old, new = dict(one.settings), dict(settings)
    # An engine that takes no prompt has none: then it is another engine that is told of.
    versions = old.pop(TEMPLATE, None), new.pop(TEMPLATE, None)
    pairs = {
        "engine": ((then.kind, then.name), (engine.kind, engine.name)),
        "model": (then.model, engine.model),
        "revision": (then.revision, engine.revision),
        TEMPLATE: versions if None not in versions else (None, None),
        "settings": (old, new),
    }
    return tuple(name for name, (before, now) in pairs.items() if before != now)
