"""The parts of the Prompts tab that compare: one picture in several ways, and two ways in daily use. Their modules ask
the REST interface themselves."""

from __future__ import annotations

import json

from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.words import only


class TrySection:
    id = "try"

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._workbench, self._words, self._language = workbench, words, language

    def build(self) -> None:
        ModuleHTML(
            None,
            module="tries/tries.mjs",
            words=only(self._words, "tries.", "compare."),
            elem_id="tries",
            frame_class="wb-try wb-compare",
            language=self._language,
            examples=json.dumps(self._examples(), ensure_ascii=False),
        )

    def _examples(self) -> list[dict[str, object]]:
        return [
            {
                "name": one.name,
                "title": one.title[self._language],
                "template": one.template,
                "variables": one.variables,
            }
            for one in self._workbench.examples.list()
        ]

    def wire(self, tab: gr.Tab) -> None:
        """Nothing: the module sees by itself when it comes into view."""


class ExperimentSection:
    id = "experiments"

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._words, self._language = words, language

    def build(self) -> None:
        ModuleHTML(
            None,
            module="experiments/experiments.mjs",
            words=only(self._words, "experiments.", "samples."),
            elem_id="experiments",
            frame_class="wb-exp wb-compare",
            language=self._language,
        )

    def wire(self, tab: gr.Tab) -> None:
        """Nothing: the module sees by itself when it comes into view."""
