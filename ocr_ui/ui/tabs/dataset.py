"""The Dataset tab: what was read and corrected, filtered, opened again, charted, downloaded."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import gradio as gr
import plotly.graph_objects as go

from ocr_ui.domain.review import ErrorKind, State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.words import fill, only

ROWS = 50
SORTS = ("newest", "oldest", "most_changed")
CHARTS = ("day", "verdict", "error_kind", "template")
COLOURS = {"right": "#15803d", "wrong": "#b91c1c", "none": "#64748b"}
ACCENT = "#2563eb"


class DatasetTab:
    """Builds the tab and wires it; opening an item is wired by the page, which owns the viewer."""

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._workbench, self._words, self._language = workbench, words, language

    def build(self) -> None:
        words = self._words
        with gr.Row(elem_classes="wb-filters"):
            self.search = gr.Textbox(label=words["dataset.search"], elem_id="filter-search", scale=3)
            self.verdict = self._choice("verdict", [(words[f"verdict.{v}"], v) for v in (*Verdict, "none")])
            self.error_kind = self._choice("error_kind", [(words[f"kind.{k}"], k) for k in ErrorKind])
            self.sort = gr.Dropdown(
                [(words[f"dataset.sort.{s}"], s) for s in SORTS],
                value="newest",
                label=words["dataset.sort"],
                elem_id="filter-sort",
                min_width=150,
            )
            self.refresh = gr.Button(words["dataset.refresh"], elem_id="filter-refresh", scale=0, min_width=110)
        with gr.Accordion(words["dataset.more_filters"], open=False), gr.Row(elem_classes="wb-filters"):
            self.template = self._choice("template", [])
            self.engine = self._choice("engine", [])
            self.state = self._choice("state", [(words[f"state.{s}"], s) for s in State])
            self.reviewer = self._choice("reviewer", [])
            self.since = gr.Textbox(
                label=words["dataset.since"],
                placeholder=words["dataset.day.info"],
                elem_id="filter-since",
                min_width=140,
            )
            self.until = gr.Textbox(
                label=words["dataset.until"],
                placeholder=words["dataset.day.info"],
                elem_id="filter-until",
                min_width=140,
            )
        self.list = ModuleHTML(
            None,
            module="page/list.mjs",
            words=only(words, "list.", "verdict.", "state.", "kind."),
            elem_id="items",
            frame_class="wb-list",
            events=("select", "input"),
        )
        with gr.Accordion(words["dataset.charts"], open=True, elem_id="charts"), gr.Row(elem_classes="wb-charts"):
            self.charts = [gr.Plot(show_label=False, elem_id=f"chart-{name}", min_width=260) for name in CHARTS]

    def _choice(self, name: str, choices: list[tuple[str, str]]) -> gr.Dropdown:
        return gr.Dropdown(
            [(self._words["dataset.all"], ""), *choices],
            value="",
            label=self._words[f"dataset.{name}"],
            elem_id=f"filter-{name.replace('_', '-')}",
            min_width=150,
        )

    @property
    def filters(self) -> list[Any]:
        return [
            self.search,
            self.verdict,
            self.error_kind,
            self.sort,
            self.template,
            self.engine,
            self.state,
            self.reviewer,
            self.since,
            self.until,
        ]

    @property
    def shown(self) -> list[Any]:
        return [self.list, self.template, self.engine, self.reviewer, *self.charts]

    def wire(self, tab: gr.Tab) -> None:
        quiet = {"show_progress": "hidden", "queue": False}
        for part in self.filters:
            if isinstance(part, gr.Dropdown):
                part.input(self.show, self.filters, self.shown, **quiet)
            else:
                part.submit(self.show, self.filters, self.shown, **quiet)
                part.blur(self.show, self.filters, self.shown, **quiet)
        self.refresh.click(self.show, self.filters, self.shown, **quiet)
        tab.select(self.show, self.filters, self.shown, **quiet)
        self.list.input(self.turn_page, self.filters, self.list, **quiet)

    # Handlers

    async def show(self, *values: str) -> list[Any]:
        """The list from its top, the choices that the store knows, and the charts, all for these filters."""
        try:
            query = self._query(values)
        except BadInput as error:
            gr.Warning(fill(self._words["dataset.bad_day"], **error.details))
            return [gr.skip()] * len(self.shown)
        known = await self._workbench.dataset.known()
        summary = await self._workbench.dataset.summary(query)
        return [
            await self._rows(query, values[3], 0),
            *(self._known_choices(known[name], name) for name in ("templates", "engines", "reviewers")),
            *(self._chart(name, summary[name]) for name in CHARTS),
        ]

    async def turn_page(self, *values: str, event: gr.EventData) -> Any:
        return await self._rows(self._query(values), values[3], int(event.offset))
