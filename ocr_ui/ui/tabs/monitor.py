"""The Monitor tab: how the product does now, and what limits the speed. Its module asks the REST interface itself."""

from __future__ import annotations

from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.plotly_script import PLOTLY_URL
from ocr_ui.ui.words import only


class MonitorTab:
    def __init__(self, words: dict[str, str], language: str) -> None:
        self._words, self._language = words, language

    def build(self) -> None:
        ModuleHTML(
            module="monitor/monitor.mjs",
            words=only(self._words, "monitor."),
            elem_id="monitor",
            frame_class="wb-monitor",
            language=self._language,
            plotly=PLOTLY_URL,
        )
