"""Contests in the Prompts tab, and the log of runs. Its module asks the REST interface itself."""

from __future__ import annotations

import json

from ocr_ui.services.run_log import METRIC_ORDER
from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.plotly_script import PLOTLY_URL
from ocr_ui.ui.words import only


class ContestSection:
    id = "contest"

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._words, self._language = words, language

    def build(self) -> None:
        ModuleHTML(
            None,
            module="contest/contest.mjs",
            words=only(self._words, "contest.", "compare.", "script.", "engine.seconds", "engine.minutes"),
            elem_id="contest",
            frame_class="wb-contest",
            language=self._language,
            plotly=PLOTLY_URL,
            metrics=json.dumps(METRIC_ORDER),
        )

    def wire(self, tab: gr.Tab) -> None:
        """Nothing: the module sees by itself when it comes into view."""
