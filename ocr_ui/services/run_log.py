"""The log of evaluations and measurements of speed: over time, any two against each other, page by page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import Field, PageContent, Table
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.truth import Truth
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.images.door import Limits, encode_png, open_picture, rotate_quarters
from ocr_ui.prompting import PromptLibrary
from ocr_ui.render.evaluation_report import report
from ocr_ui.scoring.metrics import FORMULAS, METRICS, written
from ocr_ui.scoring.text import Normalization
from ocr_ui.services import benchmark, evaluate
from ocr_ui.services.access import needs
from ocr_ui.services.compare import row_value, sections_of
from ocr_ui.services.evaluate import nothing_to_compare
from ocr_ui.services.evaluation_scores import (
    differences,
    group_differences,
    page_values,
    parts_of,
    turned,
)
from ocr_ui.services.kept_readings import KeptReading
from ocr_ui.services.labelled_sets import LabelledPage, LabelledSet, open_known_set
from ocr_ui.services.view import note_value
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredRun
from ocr_ui.storage.store import Store

METRIC_ORDER = tuple(metric.key for metric in METRICS)
"""Every measure, in the order in which they are shown."""
SETS_KEPT = 3
"""Sets of pages that are kept open: who looks at one page of a run looks at others."""
Tell = Callable[[dict[str, Any]], dict[str, Any]]
"""From an error as `services.view.error_value` gives it to the same in the words of whoever asks."""
_OF_COMPETITOR = (
    "key",
    "title",
    "template",
    "template_version",
    "task",
    "engine_name",
    "engine",
    "sampling",
    "scores",
    "seconds",
    "pages",
    "failed",
    "main",
)
_OF_BENCHMARK = ("template", "template_version", "engine_name", "engine", "cold_start", "loads", "slo", "against")


class RunLog:
    def __init__(self, store: Store, templates: PromptLibrary, settings: Settings) -> None:
        self._store, self._templates, self._settings = store, templates, settings
        self._limits = Limits.from_settings(settings)
        self._sets: dict[str, LabelledSet] = {}
        self._opening = threading.Lock()

    @needs(Action.READ)
    async def list(self, kind: str = "", data: str = "", limit: int = 100) -> list[dict[str, Any]]:
        """The log for curves over time, the newest first: of each run what it read, with what, and its figures.

        Args:
            kind: evaluate or benchmark, "" for both.
            data: checksum of a set of pages; "" for all sets.
        """
        runs = await asyncio.to_thread(self._store.evaluations.list, kind, data, limit)
        return [_listed(run) for run in runs]

    @needs(Action.READ)
    async def result(self, run: int, pages: bool = True, tell: Tell = dict) -> dict[str, Any]:
        """The whole result of a run, page by page where that is wanted. Raises NotFound (`unknown_run`)."""
        return await asyncio.to_thread(self._result, run, pages, tell)

    @needs(Action.READ, audited="run.report")
    async def report(self, run: int, language: str = "en", tell: Tell = dict) -> str:
        """The report as one HTML file. Raises NotFound (`unknown_run`), BadInput (`no_report`): of a benchmark."""
        return await asyncio.to_thread(self._report, run, language, tell)

    @needs(Action.READ)
    async def compare(self, first: tuple[int, str], second: tuple[int, str]) -> dict[str, Any]:
        """Two competitors of any two runs, each a run's number and a letter, over the pages that both runs have.

        Gives every measure that both have, the first of them by language, kind and tag and page by page.

        Raises:
            NotFound: `unknown_run`, `unknown_competitor`.
            BadInput: `nothing_to_compare`: they have no page in common.
        """
        return await asyncio.to_thread(self._compare, first, second)

    @needs(Action.READ)
    async def page(self, run: int, number: int, key: str, tell: Tell = dict, as_scored: bool = False) -> dict[str, Any]:
        """What a competitor read of a page beside what is known of it, with what differs and where on the picture.

        Args:
            number: of the page in its run, from 0.
            as_scored: what the scores count as equal is not told as different.

        Raises:
            NotFound: `unknown_run`, `unknown_competitor`, `page_gone`: the set has no such page any more.
        """
        return await asyncio.to_thread(self._page, run, number, key, tell, as_scored)

    @needs(Action.READ)
    async def picture(self, run: int, number: int, turns: int = 0) -> bytes:
        """The picture of a page as PNG. Args: turns: quarters counter-clockwise. Raises as `page`."""
        return await asyncio.to_thread(self._picture, run, number, turns)

    def _result(self, run: int, pages: bool, tell: Tell) -> dict[str, Any]:
        found = self._store.evaluations.get(run)
        told = {"kind": found.kind, "made_at": _moment(found.created_at), "person": found.person, **found.result}
        if "worst" in told:
            worst = ({**one, "pages": [_told(page, tell) for page in one["pages"]]} for one in told["worst"])
            told["worst"] = list(worst)
        if pages:
            told["pages"] = [
                {**page, "results": {key: _told(one, tell) for key, one in page["results"].items()}}
                for page in self._store.evaluations.pages(run)
            ]
        return told

    def _report(self, run: int, language: str, tell: Tell) -> str:
        result = self._result(run, pages=True, tell=tell)
        if result["kind"] != evaluate.KIND:
            raise BadInput("no_report", f"Run {run} is no evaluation.", "Take its JSON.", run=run)
        made = datetime.fromisoformat(result["made_at"]).astimezone()
        return report(result, made.strftime("%Y-%m-%d %H:%M %Z"), language)

    # Two against each other

    def _compare(self, first: tuple[int, str], second: tuple[int, str]) -> dict[str, Any]:
        sides = [self._side(*one) for one in (first, second)]
        names = [name for name in sides[0].pages if name in sides[1].pages]
        ours, theirs = ([parts_of(side.result_of(name)) for name in names] for side in sides)
        found = differences(ours, theirs, sides[0].task == sides[1].task)
        if not found:
            raise nothing_to_compare(f"{first[0]} {first[1]}, {second[0]} {second[1]}")
        main = found[0]["metric"]
        groups = [_groups(sides[1].pages[name]) for name in names]
        return {
            "first": {"run": first[0], "key": first[1], "title": sides[0].title},
            "second": {"run": second[0], "key": second[1], "title": sides[1].title},
            "metrics": found,
            "groups": group_differences(ours, theirs, groups, main),
            "pages": [
                {**row, "number": sides[1].pages[row["page"]]["number"]}
                for row in page_values(ours, theirs, names, main)
            ],
        }

    def _side(self, run: int, key: str) -> _Side:
        found = self._store.evaluations.get(run)
        told = _competitor(found, key)
        pages = {
            page["page"]: {**page, "number": number} for number, page in enumerate(self._store.evaluations.pages(run))
        }
        return _Side(key, told.get("title", key), told.get("task", ""), pages)

    # One page

    def _page(self, run: int, number: int, key: str, tell: Tell, as_scored: bool) -> dict[str, Any]:
        found = self._store.evaluations.get(run)
        told = _competitor(found, key)
        stored, page = self._known(found, number)
        result = stored["results"].get(key, {})
        kept = self._store.evaluations.reading(result["reading"]) if result.get("reading") else None
        reading = None if kept is None else KeptReading.from_dict(result["reading"], kept)
        task = Task(told["task"])
        truth = page.truth if reading is None else turned(page.truth, reading)
        read = PageContent() if reading is None else compared(reading.recognition.content, task)
        equal = FORMULAS if task is Task.FORMULA else Normalization(**found.config["normalization"])
        sections, distance = sections_of(label_content(truth, task), read, equal if as_scored else None)
        turns = reading.turns if reading else 0
        width, height = reading.size if reading else self._size(page)
        return {
            "run": run,
            "number": number,
            "key": key,
            "title": told["title"],
            "page": page.name,
            "picture": {
                "url": f"/v1/runs/{run}/pages/{number}/picture?turns={turns}",
                "width": width,
                "height": height,
                "name": page.name,
            },
            "result": _told(result, tell),
            "facts": [
                {"fact": fact, "holds": held}
                for fact, held in zip(stored["facts"], result.get("facts", ()), strict=False)
            ],
            "was_read": reading is not None,
            "as_scored": as_scored,
            "normalization": asdict(equal),
            "edit_distance": distance,
            "sections": [{"kind": s.kind, "rows": [row_value(row) for row in s.rows]} for s in sections],
        }

    def _picture(self, run: int, number: int, turns: int) -> bytes:
        _, page = self._known(self._store.evaluations.get(run), number)
        pixels = open_picture(page.picture(), self._limits).pixels
        return encode_png(rotate_quarters(pixels, -turns % 4) if turns % 4 else pixels)

    def _size(self, page: LabelledPage) -> tuple[int, int]:
        height, width = open_picture(page.picture(), self._limits).pixels.shape[:2]
        return width, height

    def _known(self, run: StoredRun, number: int) -> tuple[dict[str, Any], LabelledPage]:
        """A page of a run as it was stored, and as its set has it. Raises NotFound (`page_gone`)."""
        stored = next((page for n, page in enumerate(self._store.evaluations.pages(run.id)) if n == number), None)
        if stored is not None:
            for page in self._set(run).pages:
                if (page.name, page.sha256) == (stored["page"], stored["sha256"]):
                    return stored, page
        raise NotFound(
            "page_gone",
            f"Page {number + 1} of run {run.id} is not there any more.",
            "Its set of pages was changed or removed since then.",
            run=run.id,
            page=number + 1,
        )

    def _set(self, run: StoredRun) -> LabelledSet:
        """The set that a run read, kept open while it is the same. Whoever began the run was allowed to name it."""
        with self._opening:
            kept = self._sets.pop(run.data, None)
            if kept is None or kept.sha256 != run.data_sha256:
                kept = open_known_set(run.data, self._store, self._settings, self._templates.list())
            self._sets[run.data] = kept
            while len(self._sets) > SETS_KEPT:
                self._sets.pop(next(iter(self._sets)))
            return kept


@dataclass(frozen=True, slots=True)
class _Side:
    """A competitor of a run. Attributes: pages: by their names, each with its number."""

    key: str
    title: str
    task: str
    pages: Mapping[str, Mapping[str, Any]]

    def result_of(self, name: str) -> Mapping[str, Any]:
        return self.pages[name]["results"].get(self.key, {})


def label_content(truth: Truth, task: Task) -> PageContent:
    """What is known of a page, as far as an answer to this task is compared with it."""
    content = PageContent(text=truth.answer(task) or "")
    if task is Task.SPOTTING and truth.lines is not None:
        content = replace(content, lines=truth.lines)
    if task is Task.FIELDS:
        content = replace(content, fields=tuple(Field(one.name, one.value) for one in truth.fields or ()))
    if task in (Task.TABLE, Task.DOCUMENT):
        content = replace(content, tables=tuple(map(Table, truth.tables or ())))
    if task is Task.FORMULA and truth.formulas:
        content = replace(content, text="\n".join(truth.formulas))
    return content


def compared(read: PageContent, task: Task) -> PageContent:
    """Of a reading what an answer to this task is judged by: an engine may give more than it was asked for."""
    if task is Task.FIELDS:
        return PageContent(fields=read.fields)
    if task is Task.TABLE:
        return PageContent(tables=read.tables)
    if task is Task.DOCUMENT:
        return PageContent(text=written(read), tables=read.tables)
    return PageContent(lines=read.lines, text=read.text)


def _groups(page: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    return {
        "language": [page["language"]] if page.get("language") else [],
        "kind": [page["kind"]] if page.get("kind") else [],
        "tag": page.get("tags", ()),
    }


def _competitor(run: StoredRun, key: str) -> Mapping[str, Any]:
    for one in run.config.get("competitors", ()):
        if one["key"] == key:
            return one
    raise NotFound(
        "unknown_competitor",
        f"Run {run.id} has no competitor {key[:20]!r}.",
        "Choose one of its table.",
        run=run.id,
        key=key[:20],
    )


def _told(result: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """What a competitor made of a page, with why it failed; what is older is known by its English sentence alone."""
    error = result.get("error")
    known = note_value(error) if isinstance(error, str) else error
    return {**result, "error": known and tell(known)}


def _moment(when: datetime) -> str:
    return when.isoformat(timespec="seconds")


def _listed(run: StoredRun) -> dict[str, Any]:
    told = {
        "run": run.id,
        "kind": run.kind,
        "made_at": _moment(run.created_at),
        "person": run.person,
        "data": run.data,
        "data_sha256": run.data_sha256,
        "pages": run.result.get("data", {}).get("pages"),
    }
    if run.kind == benchmark.KIND:
        return {**told, **{name: run.result.get(name) for name in _OF_BENCHMARK}}
    return {
        **told,
        "normalization": run.config["normalization"],
        "competitors": [{name: one[name] for name in _OF_COMPETITOR} for one in run.result["competitors"]],
        "regressions": run.result["regressions"],
    }
