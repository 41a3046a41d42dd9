"""The Prompts tab: its sections are those of `SECTIONS`, each in a tab of its own."""

from __future__ import annotations

from typing import Protocol

from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.tabs.contest import ContestSection
from ocr_ui.ui.tabs.figures import ConfidenceSection, DriftSection
from ocr_ui.ui.tabs.library import LibrarySection
from ocr_ui.ui.tabs.tries import ExperimentSection, TrySection


class Section(Protocol):
    """A part of the Prompts tab, made as `Section(workbench, words, language)`.

    Attributes:
        id: of its tab; `prompts.ID` is the word on the tab.
    """

    id: str

    def build(self) -> None: ...

    def wire(self, tab: gr.Tab) -> None:
        """Args: tab: the section's own, for what is to happen when it is opened."""


SECTIONS: tuple[type[Section], ...] = (
    LibrarySection,
    TrySection,
    ContestSection,
    ExperimentSection,
    ConfidenceSection,
    DriftSection,
)
"""In the order in which they stand."""


class PromptsTab:
    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._words = words
        self._sections = [made(workbench, words, language) for made in SECTIONS]

    def build(self) -> None:
        with gr.Tabs(elem_id="prompt-tabs"):
            self._tabs = [self._build(section) for section in self._sections]

    def wire(self) -> None:
        for section, tab in zip(self._sections, self._tabs, strict=True):
            section.wire(tab)

    def _build(self, section: Section) -> gr.Tab:
        with gr.Tab(self._words[f"prompts.{section.id}"], id=section.id, elem_id=f"prompts-{section.id}") as tab:
            section.build()
        return tab
