"""The Dataset tab: what was read and corrected, filtered, opened again, charted, downloaded."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import plotly.graph_objects as go

from ocr_ui.domain.counted import fill
from ocr_ui.domain.review import ErrorKind, State, Verdict
from ocr_ui.domain.rollout import Mark
from ocr_ui.errors import BadInput
from ocr_ui.services.access import who
from ocr_ui.services.dataset import REVIEWS, SCRIPTS, Row, read_filters
from ocr_ui.services.queue import Claim
from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.tabs.read import engine_choices
from ocr_ui.ui.tabs.samples import SampleBatch
from ocr_ui.ui.viewer_words import viewer_words
from ocr_ui.ui.words import only

ROWS = 50
MOST_JOBS = 100
KNOWN = ("templates", "engines", "reviewers", "revisions", "tags", "readers")
"""Filters whose choices are what the store has, in the order of `DatasetTab.shown`."""
SORTS = ("newest", "oldest", "updated", "most_edited", "least_sure", "disagreement")
BELOW = (50, 80, 90, 95)
"""Percent of confidence that the list can be restricted to."""
CHARTS = ("day", "verdict", "error_kind", "template")
COLOURS = {"right": "#15803d", "wrong": "#b91c1c", "none": "#64748b"}
ACCENT = "#2563eb"
GREY, GRID = "#64748b", "rgba(100,116,139,.25)"
"""Readable on a light and on a dark ground."""
NAMES = (
    *("text", "verdict", "error_kind", "sort", "template", "engine", "state", "reviewer", "since", "until"),
    *("revision", "review", "confidence", "script", "tag", "mark", "job", "reader"),
)
"""What the values of `DatasetTab.filters` are called, in their order."""


class DatasetTab:
    """Builds the tab and wires it; opening an item is wired by the page, which owns the viewer."""

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._workbench, self._words, self._language = workbench, words, language
        self.batch = SampleBatch(workbench, words, language)

    def build(self) -> None:
        words = self._words
        shared = {**only(words, "verdict."), **only(viewer_words(self._language), "field_kind_")}
        self.review = ModuleHTML(
            None,
            module="review/review.mjs",
            words={**only(words, "review."), **{f"review.{key}": word for key, word in shared.items()}},
            elem_id="review",
            frame_class="wb-review",
            events=("select", "input"),
            language=self._language,
            viewer_words=json.dumps(viewer_words(self._language), ensure_ascii=False),
            idle_seconds=self._workbench.settings.idle_seconds,
        )
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
        with gr.Accordion(words["dataset.more_filters"], open=False) as self.more:
            self._build_more()
        self.list = ModuleHTML(
            None,
            module="page/list.mjs",
            words=only(words, "list.", "verdict.", "state.", "kind.", "reviews."),
            elem_id="items",
            frame_class="wb-list",
            events=("select", "input", "submit"),
            engines=json.dumps(engine_choices(self._workbench), ensure_ascii=False),
            language=self._language,
        )
        self.batch.build()
        with gr.Accordion(words["dataset.charts"], open=True, elem_id="charts"), gr.Row(elem_classes="wb-charts"):
            self.charts = [gr.Plot(show_label=False, elem_id=f"chart-{name}", min_width=260) for name in CHARTS]

    def _build_more(self) -> None:
        words = self._words
        with gr.Row(elem_classes="wb-filters"):
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
        with gr.Row(elem_classes="wb-filters"):
            self.reviews = self._choice("review", [(words[f"reviews.{name}"], name) for name in REVIEWS])
            self.confidence = self._choice(
                "confidence", [(fill(words["dataset.confidence.below"], share=n), str(n / 100)) for n in BELOW]
            )
            self.script = self._choice("script", [(words[f"script.{name}"], name) for name in SCRIPTS])
            self.tag = self._choice("tag", [])
            self.revision = self._choice("revision", [])
            self.mark = self._choice("mark", [(words[f"samples.mark.{mark}"], mark) for mark in Mark])
            self.job = self._choice("job", [])
            self.reader = self._choice("reader", [])

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
            self.revision,
            self.reviews,
            self.confidence,
            self.script,
            self.tag,
            self.mark,
            self.job,
            self.reader,
        ]

    @property
    def shown(self) -> list[Any]:
        known = self.template, self.engine, self.reviewer, self.revision, self.tag, self.reader, self.job
        return [self.list, *known, *self.charts]

    def wire(self, tab: gr.Tab) -> None:
        # In the queue: outside it, a message of the handler would never reach the page.
        quiet = {"show_progress": "hidden", "concurrency_limit": None, "trigger_mode": "always_last"}
        for part in self.filters:
            if isinstance(part, gr.Dropdown):
                part.input(self.show, self.filters, self.shown, **quiet)
            else:
                part.submit(self.show, self.filters, self.shown, **quiet)
                part.blur(self.show, self.filters, self.shown, **quiet)
        self.refresh.click(self.show, self.filters, self.shown, **quiet)
        tab.select(self.show, self.filters, self.shown, **quiet)
        self.batch.panel.submit(self.sample, self.filters, self.batch.panel, **quiet)
        self.list.input(self.turn_page, self.filters, self.list, **quiet)
        mine = self.list.submit(self.only_mine, None, self.reader, **quiet)
        mine.success(self.show, self.filters, self.shown, **quiet)
        self.review.input(self.show, self.filters, self.shown, **quiet)
        chosen = self.review.select(self.use_saved, None, self.filters, **quiet)
        chosen.success(self.show, self.filters, self.shown, **quiet)

    # Handlers

    async def show(self, *values: str) -> list[Any]:
        """The list from its top, the choices that the store knows, and the charts, all for these filters."""
        try:
            query = self._query(values)
        except BadInput as error:
            gr.Warning(fill(self._words["dataset.bad_day"], day=error.details.get("value", "")))
            return [gr.skip()] * len(self.shown)
        known = await self._workbench.dataset.choices()
        summary = await self._workbench.dataset.summary(query)
        return [
            await self._rows(query, self._sort(values), 0),
            *(self._known_choices(known[name]) for name in KNOWN),
            gr.update(choices=await self._job_choices()),
            *(self._chart(name, summary[name]) for name in CHARTS),
        ]

    async def turn_page(self, event: gr.EventData, *values: str) -> Any:
        return await self._rows(self._query(values), self._sort(values), int(event.offset))

    async def use_saved(self, event: gr.SelectData) -> list[Any]:
        """The filters and the order that were saved under a name."""
        found = next((kept for kept in await self._workbench.queue.saved() if kept.name == event.value), None)
        if found is None:
            return [gr.skip()] * len(NAMES)
        return [_single(found.query.get(name) or found.query.get(f"{name}s")) for name in NAMES]

    async def only_job(self, job: int) -> list[Any]:
        """The filters with which the list shows the pages of a batch and nothing else."""
        named = gr.update(choices=await self._job_choices(), value=str(job))
        return [named if name == "job" else SORTS[0] if name == "sort" else "" for name in NAMES]

    async def only_mine(self, event: gr.EventData) -> Any:
        """The filter with which the list shows what whoever is here had read; once more, without it."""
        name = who(str(event.person)).name if event.mine else ""
        if event.mine and not name:
            gr.Info(self._words["list.mine.nobody"])
            return gr.skip()
        return gr.update(choices=[(self._words["dataset.all"], ""), *([(name, name)] if name else [])], value=name)

    async def sample(self, event: gr.EventData, *values: str) -> dict[str, Any]:
        return await self.batch.start(event, self._query(values))

    # Small parts

    def _query(self, values: tuple[str, ...]) -> dict[str, str]:
        """The filters that are set, by the names that `read_filters` takes. Raises BadInput for a day that is none."""
        given = dict(zip(NAMES, (str(value or "").strip() for value in values), strict=True))
        query = {name: value for name, value in given.items() if value and name != "sort"}
        read_filters(query)
        return query

    def _sort(self, values: tuple[str, ...]) -> str:
        return values[NAMES.index("sort")] or SORTS[0]

    async def _rows(self, query: dict[str, str], sort: str, offset: int) -> dict[str, Any]:
        window = await self._workbench.dataset.list(query, sort, ROWS, offset)
        titles = self._titles()
        claims = await self._workbench.queue.claims([row.id for row in window.rows])
        return {
            "items": [self._row(row, titles, claims.get(row.id)) for row in window.rows],
            "total": window.total,
            "offset": offset,
            "limit": ROWS,
            "filtered": bool(query),
            "query": query,
            "sort": sort,
            "mine": bool(query.get("reader")),
        }

    @staticmethod
    def _row(row: Row, titles: dict[str, str | None], claim: Claim | None) -> dict[str, Any]:
        return {
            "id": row.id,
            "picture": row.sha256,
            "thumbnail": f"/pictures/{row.sha256}/thumbnail",
            "page_name": row.page,
            "page_number": row.page_number,
            "snippet": row.text,
            "found": row.found and asdict(row.found),
            "template": row.template,
            "template_title": titles.get(row.template),
            "engine": row.engine,
            "verdict": row.verdict,
            "state": row.state,
            "outcome": row.outcome,
            "error_kinds": list(row.error_kinds),
            "edit_distance": row.edit_distance,
            "reviewer": row.reviewer,
            "reviews": row.reviews,
            "claim": claim and {"person": claim.person, "until": claim.until.isoformat()},
            "updated_at": row.updated_at.isoformat(),
        }

    def _titles(self) -> dict[str, str | None]:
        return {t.name: t.title.get(self._language) for t in self._workbench.templates.list()}

    def _known_choices(self, values: tuple[str, ...]) -> Any:
        return gr.update(choices=[(self._words["dataset.all"], ""), *((value, value) for value in values)])

    async def _job_choices(self) -> list[tuple[str, str]]:
        jobs = [progress.job for progress in await self._workbench.jobs.list(MOST_JOBS)]
        named = [(fill(self._words["dataset.job.named"], name=job.name, n=job.id), str(job.id)) for job in jobs]
        return [(self._words["dataset.all"], ""), *named]

    def _chart(self, name: str, counts: dict[str, int]) -> go.Figure:
        """A bar a value; the words beside the bars say what the colours say."""
        words = self._words
        prefix = {"verdict": "verdict.", "error_kind": "kind."}.get(name, "")
        titles = self._titles() if name == "template" else {}
        labels = [words.get(prefix + key, key) if prefix else titles.get(key) or key for key in counts]
        colours = [COLOURS.get(key, ACCENT) for key in counts] if name == "verdict" else ACCENT
        bars = go.Bar(x=labels, y=list(counts.values()), marker_color=colours, text=list(counts.values()))
        figure = go.Figure(bars)
        figure.update_layout(
            title={"text": words[f"dataset.chart.{name}"], "font": {"size": 14}},
            height=240,
            margin={"l": 40, "r": 10, "t": 40, "b": 40},
            yaxis={"rangemode": "tozero", "tickformat": "d", "gridcolor": GRID, "dtick": _step(counts)},
            xaxis={"type": "category"},
            paper_bgcolor="rgba(0,0,0,0)",
            plot_bgcolor="rgba(0,0,0,0)",
            font={"color": GREY},
            bargap=0.35,
        )
        if not counts:
            middle = {"x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper"}
            figure.add_annotation(text=words["dataset.none"], showarrow=False, font={"size": 13}, **middle)
            figure.update_xaxes(visible=False)
            figure.update_yaxes(visible=False)
        return figure


def _single(value: Any) -> str:
    """The one value that a list of choices can show."""
    first = next(iter(value), "") if isinstance(value, list) else value
    return "" if first is None else str(first)


def _step(counts: dict[str, int]) -> int | None:
    """Whole steps where there are few items; plotly's own choice where there are many."""
    return 1 if max(counts.values(), default=0) <= 5 else None
