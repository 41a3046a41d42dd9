"""What an engine needs of a page: how high text must be for it, from the settings or as it was measured.

A model that takes prompts is given fewer pixels only once that was measured for its very model and revision: how well
another engine reads small text is no proof of what this one can read.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from ocr_ui.domain.pixels import Need
from ocr_ui.domain.recognition import EngineName
from ocr_ui.images.need import RULE
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredPixelCalibration
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

NEED = "need"
MEASURED = {"rapidocr": 12.0}
"""Height that text keeps by kind of engine, where the product itself has measured it (docs/benchmarks.md)."""


def need_of(engine: EngineName, settings: Settings, store: Store | None) -> Need | None:
    """None where an engine gets all pixels: the settings say so, or it was measured to need them. Blocks on the store.

    Args:
        settings: the engine's own.
        store: None where there is none, so that nothing was measured.
    """
    if settings.pixels != NEED:
        return None
    measured = calibration_of(engine, store)
    if measured is not None and measured.target is None:
        return None
    target = MEASURED.get(engine.kind) if measured is None else measured.target
    if target is None:
        _tell_once(engine)
    else:
        target = settings.pixels_text_height or target
    return Need(target, settings.pixels_fewest, settings.pixels_confidence)


def need_told(engine: EngineName, settings: Settings, store: Store | None) -> dict[str, Any]:
    """The height that text keeps for an engine now, beside its settings, where pixels go by need: what was measured is
    no setting, and changes what is read as one does. Blocks on the store."""
    if settings.pixels != NEED:
        return {}
    need = need_of(engine, settings, store)
    return {"pixels_target": "all pixels" if need is None else need.target or "not measured"}


def need_found(engine: EngineName, settings: Settings) -> Need | None:
    """As `need_of`, for a command that needs no store otherwise: none is made where there is none."""
    if settings.pixels != NEED or not Store.is_at(settings):
        return need_of(engine, settings, None)
    with Store.open(settings) as store:
        return need_of(engine, settings, store)


def calibration_of(engine: EngineName, store: Store | None) -> StoredPixelCalibration | None:
    """The one that counts for an engine now. Blocks on the store."""
    return None if store is None else store.pixel_calibrations.newest(engine, RULE)


@cache
def _tell_once(engine: EngineName) -> None:
    told = f"{engine.title} with {engine.model or 'its model'} {engine.revision}".strip()
    command = f"python -m ocr_ui calibrate pixels --data DIR --engine {engine.name or engine.kind}"
    log.warning("%s reads with all pixels: how small text may get was never measured for it: %s", told, command)
