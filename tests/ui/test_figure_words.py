"""The words of the sections Confidence and Drift hold together with the modules and values that ask for them."""

from __future__ import annotations

import re

from ocr_ui.domain.layout import LAYOUTS
from ocr_ui.services.drift import GROUPS, MEASURES
from ocr_ui.ui.figure_words import FIGURE_WORDS
from ocr_ui.ui.viewer import STATIC

NAMES = ("confidence.mjs", "measured.mjs", "drift.mjs", "drifts.mjs")
SOURCES = "\n".join((STATIC / "prompts" / name).read_text(encoding="utf-8") for name in NAMES)


def test_every_word_that_is_asked_for_is_there_and_none_is_left_over() -> None:
    written = set(re.findall(r'"((?:confidence|drift)\.[\w.]+)"', SOURCES))
    families = tuple(re.findall(r"`((?:confidence|drift)\.[\w.]*)\$\{", SOURCES))
    assert written <= set(FIGURE_WORDS)
    known = {key for key in FIGURE_WORDS if not key.startswith("prompts.")}
    assert {key for key in known - written if not key.startswith(families)} == set()


def test_every_column_measure_group_and_change_has_its_words() -> None:
    (columns,) = re.findall(r"COLUMNS = \[(.*?)\]", SOURCES)
    wanted = {f"confidence.column.{name}" for name in re.findall(r"\w+", columns)}
    wanted |= {f"drift.layout.{kind}" for kind in LAYOUTS} | {f"drift.measure.{name}" for name in MEASURES}
    wanted |= {f"drift.{family}.{group}" for family in ("group", "in", "first") for group in GROUPS}
    changes = ("template", "settings", "engine", "model", "revision", "version", "program")
    assert wanted | {f"drift.mark.{what}" for what in changes} <= set(FIGURE_WORDS)
