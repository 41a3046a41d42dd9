"""Contests: templates times engines over labelled pages, scored, compared and kept in a log.

A reading is kept under all that it depends on (`kept_readings`), so that a contest that was interrupted goes on where
it stopped, and one that adds a template reads for that template alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.engines.base import Engine
from ocr_ui.errors import BadInput, EngineDead, WorkbenchError
from ocr_ui.prompting import PromptLibrary
from ocr_ui.scoring.contest import DRAWS, SEED, SURE
from ocr_ui.scoring.metrics import METRIC, METRICS
from ocr_ui.scoring.text import LENIENT, Normalization
from ocr_ui.scoring.versions import own_rules
from ocr_ui.services.access import needs, who
from ocr_ui.services.conditions import conditions, reading_settings
from ocr_ui.services.engines import Engines
from ocr_ui.services.evaluation_scores import (
    PageScore,
    best_of,
    can_be_scored,
    differences,
    group_differences,
    page_differences,
    parts_of,
    score_failure,
    score_reading,
    shown_difference,
    summary,
)
from ocr_ui.services.kept_readings import KeptReadings
from ocr_ui.services.labelled_sets import LabelledPage, LabelledSet, open_set
from ocr_ui.services.pixel_rules import need_told
from ocr_ui.services.reading import check_engine
from ocr_ui.services.run_changes import changes, told_setup
from ocr_ui.services.view import note_value
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredRun
from ocr_ui.storage.store import Store

KIND = "evaluate"
AT_ONCE = 1
WORST = 20
"""Pages whose differences are kept in a result, for each competitor."""
MOST_COMPETITORS = 26


@dataclass(frozen=True, slots=True)
class Ask:
    """A contest.

    Attributes:
        data: as `labelled_sets.open_set` takes it.
        templates: names, with `@` and a version where it is not the one in use.
        engines: names, "" for the default.
        normalization: what is made equal before texts are compared.
        competitors: pairs of template and engine, in the place of every template with every engine.
        at_once: pages that are read at the same time.
        fresh: read again what was kept; `since`: only what was kept before.
    """

    data: str
    templates: tuple[str, ...] = ("full_text",)
    engines: tuple[str, ...] = ("",)
    normalization: Normalization = LENIENT
    competitors: tuple[tuple[str, str], ...] = ()
    at_once: int = AT_ONCE
    fresh: bool = False
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """How far a contest is.

    Attributes:
        competitor: its letter and title.
        fresh: the page was read now; one that was kept, or is none for this competitor, takes no time.
        result: of the whole, with the last step alone.
    """

    competitor: str
    done: int
    total: int
    page: str = ""
    fresh: bool = False
    result: dict[str, Any] | None = None


@dataclass
class _Competitor:
    key: str
    template: PromptTemplate
    engine_name: str
    engine: Engine
    scores: list[PageScore | None] = field(default_factory=list)
    wall: float = 0.0

    @property
    def title(self) -> str:
        return f"{self.key}: {self.template.name} · {self.engine_name}"

    def told(self) -> dict[str, Any]:
        """What tells it from others, in the log too."""
        return {
            "key": self.key,
            "title": self.title,
            "template": self.template.name,
            "template_version": self.template.version,
            "task": self.template.task.value,
            "prompt": self.template.text,
            "sampling": dict(self.template.sampling),
            "engine_name": self.engine_name,
            "engine": asdict(self.engine.name),
        }


class Evaluator:
    def __init__(self, store: Store, engines: Engines, templates: PromptLibrary, settings: Settings) -> None:
        self._store, self._engines, self._templates, self._settings = store, engines, templates, settings
        self._readings = KeptReadings(store, engines, settings)

    @needs(Action.RECOGNIZE, audited="evaluation.run", limited="reads", target=lambda ask, _: ask.data)
    async def run(self, ask: Ask, person: str = "") -> AsyncIterator[Step]:
        """Reads, scores and logs; the last step carries the result (docs/evaluation.md lists its parts).

        Raises:
            BadInput: those of `open_set`, `unknown_template` and such, `task_not_possible`, `too_many_competitors`,
                `nothing_to_compare` (details: competitor).
            NotFound, EngineDead, StoreFailed.
        """
        if ask.fresh:
            ask = replace(ask, since=datetime.now(UTC))
        templates = await asyncio.to_thread(self._templates.list)
        pages = await asyncio.to_thread(open_set, ask.data, self._store, self._settings, templates)
        competitors = await self._competitors(ask)
        for competitor in competitors:
            await asyncio.to_thread(_check_scorable, competitor, pages)
        config = await asyncio.to_thread(self._config, ask, pages, competitors)
        begin = self._store.evaluations.begin
        run = await asyncio.to_thread(
            begin, KIND, pages.name, await asyncio.to_thread(lambda: pages.sha256), config, who(person)
        )
        total = len(pages.pages) * len(competitors)
        done = 0
        for competitor in competitors:
            # Another competitor's engine may have taken its place in the memory meanwhile.
            competitor.engine = await self._engines.ready(competitor.engine_name)
            async with aclosing(self._read_all(competitor, pages, ask)) as ends:
                async for name, fresh in ends:
                    done += 1
                    yield Step(competitor.title, done, total, name, fresh)
        result = await self._result(run, ask, pages, competitors, config)
        yield Step("", total, total, result=result)

    async def _competitors(self, ask: Ask) -> list[_Competitor]:
        found = []
        for number, (written, asked) in enumerate(check_competitors(ask)):
            template = await asyncio.to_thread(self._templates.get, written)
            engine_name = self._engines.called(asked) if asked else self._engines.default
            engine = await self._engines.ready(engine_name)
            check_engine(engine, template)
            found.append(_Competitor(chr(ord("A") + number), template, engine_name, engine))
        return found

    def _config(self, ask: Ask, pages: LabelledSet, competitors: Sequence[_Competitor]) -> dict[str, Any]:
        """All that a result depends on but the machine: the same again is the same run, or goes on with it."""
        return {
            "data": ask.data,
            "pages": len(pages.pages),
            "competitors": [one.told() for one in competitors],
            "normalization": asdict(ask.normalization),
            "settings": {one.engine_name: self._settings_told(one) for one in competitors},
            "at_once": ask.at_once,
            "bootstrap": {"draws": DRAWS, "seed": SEED, "share": SURE},
            "rules": own_rules(),
        }

    def _settings_told(self, competitor: _Competitor) -> dict[str, Any]:
        own = self._engines.settings_of(competitor.engine_name, self._settings)
        return {**reading_settings(own), **need_told(competitor.engine.name, own, self._store)}

    def _settings_of(self, competitors: Sequence[_Competitor]) -> dict[str, Settings]:
        names = dict.fromkeys(one.engine_name for one in competitors)
        return {name: self._engines.settings_of(name, self._settings) for name in names}

    async def _read_all(self, competitor: _Competitor, pages: LabelledSet, ask: Ask) -> AsyncIterator[tuple[str, bool]]:
        """Reads and scores every page, giving the name of each when it is done, and whether it was read now."""
        competitor.scores = [None] * len(pages.pages)
        slots, start = asyncio.Semaphore(max(1, ask.at_once)), time.perf_counter()
        ended: asyncio.Queue[tuple[str, bool] | BaseException] = asyncio.Queue()

        async def one(number: int, page: LabelledPage) -> None:
            try:
                async with slots:
                    score = competitor.scores[number] = await self._score(competitor, page, ask)
                ended.put_nowait((page.name, score is not None and not score.cached))
            except BaseException as error:
                ended.put_nowait(error)
                raise

        tasks = [asyncio.create_task(one(number, page)) for number, page in enumerate(pages.pages)]
        try:
            for _ in tasks:
                got = await ended.get()
                if isinstance(got, BaseException):
                    raise got
                yield got
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        competitor.wall = time.perf_counter() - start

    async def _score(self, competitor: _Competitor, page: LabelledPage, ask: Ask) -> PageScore | None:
        """None where the page is none for this competitor: nothing is known that its answer could be compared with."""
        template = competitor.template
        values = values_for(template, page)
        if values is None or not can_be_scored(page.truth, template.task):
            return None
        try:
            reading = await self._readings.read(
                page, template, values, competitor.engine, competitor.engine_name, ask.at_once, ask.since
            )
        except EngineDead:
            raise
        except WorkbenchError as error:
            return await asyncio.to_thread(score_failure, page.truth, template.task, ask.normalization, error)
        return await asyncio.to_thread(score_reading, page.truth, reading, ask.normalization)

    async def _result(
        self,
        run: int,
        ask: Ask,
        pages: LabelledSet,
        competitors: Sequence[_Competitor],
        config: dict[str, Any],
    ) -> dict[str, Any]:
        groups = [_groups(page) for page in pages.pages]
        told_pages = [_page_value(page, number, competitors) for number, page in enumerate(pages.pages)]
        result = {
            "run": run,
            "data": {
                "name": pages.name,
                "sha256": pages.sha256,
                "pages": len(pages.pages),
                "left_out": [{"page": name, "reason": reason} for name, reason in pages.left_out],
            },
            "normalization": config["normalization"],
            "bootstrap": config["bootstrap"],
            "conditions": await asyncio.to_thread(conditions, self._settings, self._settings_of(competitors)),
            "at_once": ask.at_once,
            "metrics": [asdict(metric) for metric in METRICS],
            "competitors": [],
            "differences": [],
        }
        for one in competitors:
            told = await asyncio.to_thread(summary, one.scores, groups, one.wall)
            result["competitors"].append({**one.told(), **told, "main": main_metric(told["scores"])})
        for other in competitors[1:]:
            sides = _parts(competitors[0]), _parts(other)
            same_task = competitors[0].template.task is other.template.task
            found = await asyncio.to_thread(differences, *sides, same_task)
            told = {"first": competitors[0].key, "second": other.key, "metrics": found, "groups": {}, "pages": []}
            if found:
                main = found[0]["metric"]
                told["groups"] = await asyncio.to_thread(group_differences, *sides, groups, main)
                names = [page.name for page in pages.pages]
                told["pages"] = page_differences(*sides, names, main)[:WORST]
            result["differences"].append(told)
        same_task = len({one.template.task for one in competitors}) == 1
        result["best"] = await asyncio.to_thread(best_of, {one.key: _parts(one) for one in competitors}, same_task)
        result["regressions"] = await asyncio.to_thread(self._regressions, run, result, config, told_pages)
        result["worst"] = [
            {"key": one.key, "pages": await self._worst(one, pages, main_metric(told["scores"]), ask.normalization)}
            for one, told in zip(competitors, result["competitors"], strict=True)
        ]
        await asyncio.to_thread(self._store.evaluations.end, run, result, told_pages)
        return {**result, "pages": told_pages}

    async def _worst(
        self, competitor: _Competitor, pages: LabelledSet, metric: str, normalization: Normalization
    ) -> list[dict[str, Any]]:
        """The worst pages first, each with where it differs; pages that are right are none of them."""
        lower = metric in METRIC and METRIC[metric].lower
        scored = [
            (number, told["scores"][metric])
            for number, score in enumerate(competitor.scores)
            if score is not None and metric in (told := score.to_dict())["scores"]
        ]
        wrong = [(number, one) for number, one in scored if one != (0 if lower else 1)]
        wrong.sort(key=lambda pair: (-pair[1] if lower else pair[1], pair[0]))
        rows = []
        for number, one in wrong[:WORST]:
            page, score = pages.pages[number], competitor.scores[number]
            kept = await self._readings.kept(score.key) if score and score.key else None
            rows.append(
                {
                    "page": page.name,
                    "number": number,
                    "metric": metric,
                    "score": one,
                    "error": note_value(score.error) if score else None,
                    "differences": [] if kept is None else shown_difference(page.truth, kept, normalization),
                }
            )
        return rows

    def _regressions(
        self, run: int, result: Mapping[str, Any], config: Mapping[str, Any], pages: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Where a competitor is worse than the same template and engine were, the last time on this set of pages."""
        earlier = self._store.evaluations.list(KIND, result["data"]["sha256"], before=run)
        same = [one for one in earlier if one.config["normalization"] == config["normalization"]]
        found = []
        for competitor in result["competitors"]:
            last = next(((one, key) for one in same if (key := _counterpart(one, competitor))), None)
            if last is not None:
                before = [page["results"].get(last[1], {}) for page in self._store.evaluations.pages(last[0].id)]
                now = [page["results"].get(competitor["key"], {}) for page in pages]
                setup = told_setup(competitor, config, result["conditions"])
                found.append(_against(last[0], last[1], competitor, setup, before, now, pages))
        return found


def check_competitors(ask: Ask) -> tuple[tuple[str, str], ...]:
    """The pairs of template and engine. Raises BadInput: `no_competitors`, `too_many_competitors`."""
    wanted = ask.competitors or tuple((template, engine) for engine in ask.engines for template in ask.templates)
    if not wanted:
        raise BadInput("no_competitors", "There is nobody to compete.", "Choose a template and an engine.")
    if len(wanted) > MOST_COMPETITORS:
        raise BadInput(
            "too_many_competitors",
            f"{len(wanted)} competitors are more than {MOST_COMPETITORS}.",
            "Leave out some templates or engines.",
            count=len(wanted),
            limit=MOST_COMPETITORS,
        )
    return wanted


def values_for(template: PromptTemplate, page: LabelledPage) -> dict[str, str] | None:
    """What the template's variables are for a page; None where one has no value that fits.

    Names of fields that a template has of its own are asked for as they stand there: they are what it is judged by.
    """
    values: dict[str, str] = {}
    for variable in template.variables:
        own_names = template.task is Task.FIELDS and variable.many and variable.default
        given = page.variables.get(variable.name) if page.task in (None, template.task) else None
        if given and not own_names:
            values[variable.name] = given
        elif variable.default is None:
            names = [one.name for one in page.truth.fields or ()]
            if not (template.task is Task.FIELDS and variable.many and names):
                return None
            values[variable.name] = "\n".join(names)
    return values


def main_metric(scores: Mapping[str, Any]) -> str:
    """The first measure that there is, in the order of METRICS; "" of none."""
    return next((metric.key for metric in METRICS if metric.key in scores), "")


def _check_scorable(competitor: _Competitor, pages: LabelledSet) -> None:
    task = competitor.template.task
    if not any(
        values_for(competitor.template, page) is not None and can_be_scored(page.truth, task) for page in pages.pages
    ):
        raise nothing_to_compare(competitor.title)


def nothing_to_compare(competitor: str) -> BadInput:
    return BadInput(
        "nothing_to_compare",
        f"There is no page that says what {competitor} should have read.",
        "Choose a template for what the labels say, or pages with other labels.",
        competitor=competitor,
    )


def _groups(page: LabelledPage) -> dict[str, Sequence[str]]:
    return {
        "language": [page.language] if page.language else [],
        "kind": [page.kind] if page.kind else [],
        "tag": page.tags,
    }


def _parts(competitor: _Competitor) -> list[Mapping[str, Any]]:
    return [{} if score is None else score.parts for score in competitor.scores]


def _page_value(page: LabelledPage, number: int, competitors: Sequence[_Competitor]) -> dict[str, Any]:
    results = {one.key: score.to_dict() for one in competitors if (score := one.scores[number]) is not None}
    return {
        "page": page.name,
        "sha256": page.sha256,
        "language": page.language,
        "kind": page.kind,
        "tags": list(page.tags),
        "facts": [fact.to_dict() for fact in page.truth.facts],
        "results": results,
    }


def _counterpart(run: StoredRun, competitor: Mapping[str, Any]) -> str:
    """The letter that a template and engine had in another run; "" where they were not in it."""
    for one in run.config["competitors"]:
        if all(one[name] == competitor[name] for name in ("template", "engine_name")):
            return one["key"]
    return ""


def _against(
    run: StoredRun,
    key: str,
    competitor: Mapping[str, Any],
    setup: Mapping[str, str],
    before: Sequence[Mapping[str, Any]],
    now: Sequence[Mapping[str, Any]],
    pages: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    found = differences([parts_of(one) for one in before], [parts_of(one) for one in now])
    told = next(one for one in run.config["competitors"] if one["key"] == key)
    facts = [
        {"page": page["page"], "fact": fact}
        for page, old, new in zip(pages, before, now, strict=True)
        for fact, held, holds in zip(page["facts"], old.get("facts", ()), new.get("facts", ()), strict=False)
        if held and not holds
    ]
    return {
        "key": competitor["key"],
        "run": run.id,
        "made_at": run.created_at.isoformat(timespec="seconds"),
        "changes": changes(told_setup(told, run.config, run.result.get("conditions", {})), setup),
        "worse": [one for one in found if _is_worse(one)],
        "better": [one for one in found if one["verdict"] == "better"],
        "facts_lost": facts,
    }


def _is_worse(difference: Mapping[str, Any]) -> bool:
    """Of a few pages too, where every one that differs is worse: these very pages were better before."""
    only_worse = difference["worse"] > 0 and difference["better"] == 0
    return difference["verdict"] == "worse" or (difference["verdict"] == "few" and only_worse)
