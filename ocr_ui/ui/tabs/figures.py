"""The sections Confidence and Drift of the Prompts tab. Their modules ask the REST interface themselves."""

from __future__ import annotations

from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.plotly_script import PLOTLY_URL
from ocr_ui.ui.viewer_words import viewer_words
from ocr_ui.ui.words import only


class _FiguresSection:
    id: str

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._words, self._language = words, language

    def build(self) -> None:
        ModuleHTML(
            None,
            module=f"prompts/{self.id}.mjs",
            words=self._own_words(),
            elem_id=self.id,
            frame_class=f"wb-figures wb-{self.id}",
            language=self._language,
            plotly=PLOTLY_URL,
        )

    def _own_words(self) -> dict[str, str]:
        return only(self._words, f"{self.id}.")

    def wire(self, tab: gr.Tab) -> None:
        """Nothing: the module sees by itself when it comes into view."""


class ConfidenceSection(_FiguresSection):
    id = "confidence"

    def _own_words(self) -> dict[str, str]:
        return {
            **super()._own_words(),
            **only(viewer_words(self._language), "part_", "unused_", "field_kind_"),
        }


class DriftSection(_FiguresSection):
    id = "drift"

    def _own_words(self) -> dict[str, str]:
        return {**super()._own_words(), **only(self._words, "script.")}
