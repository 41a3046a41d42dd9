"""The library of templates in the Prompts tab. Its module asks the REST interface itself."""

from __future__ import annotations

from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.words import only


class LibrarySection:
    id = "library"

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._words, self._language = words, language

    def build(self) -> None:
        ModuleHTML(
            None,
            module="prompts/library.mjs",
            words=only(self._words, "library.", "task."),
            elem_id="library",
            frame_class="wb-library",
            language=self._language,
        )

    def wire(self, tab: gr.Tab) -> None:
        """Nothing: the module sees by itself when it comes into view."""
