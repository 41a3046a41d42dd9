"""How fast pages are read: from a cold start, stage by stage, alone and several at once, by the kind of page.

A page goes the whole way of the product: its file decoded and turned upright, prepared, read, parsed and stored (in a
store of its own that is thrown away). No figure stands without its conditions.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ocr_ui.domain.access import Action
from ocr_ui.domain.layout import LAYOUTS, layout_by
from ocr_ui.domain.page import Page
from ocr_ui.domain.pixels import Need
from ocr_ui.domain.prompt import PromptTemplate
from ocr_ui.domain.recognition import EngineName
from ocr_ui.engines.base import Engine
from ocr_ui.errors import BadInput, EngineDead
from ocr_ui.images.door import Limits, encode_png, open_picture
from ocr_ui.metrics import STAGES, StageClock
from ocr_ui.prompting import PromptLibrary
from ocr_ui.scoring.contest import difference
from ocr_ui.scoring.metrics import Part
from ocr_ui.services.access import needs, who
from ocr_ui.services.conditions import cards, conditions
from ocr_ui.services.engines import Engines
from ocr_ui.services.evaluate import nothing_to_compare, values_for
from ocr_ui.services.evaluation_scores import percentiles
from ocr_ui.services.labelled_sets import EXAMPLES, LabelledPage, LabelledSet, open_set
from ocr_ui.services.pictures import Upright
from ocr_ui.services.pixel_rules import need_of
from ocr_ui.services.reading import ReadRequest, check_engine
from ocr_ui.services.retries import pixels_of
from ocr_ui.services.run_changes import changes, told_setup
from ocr_ui.services.second_look import read_to_the_end
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

KIND = "benchmark"
MOST_AT_ONCE = 256
SLOWER_BY = 0.1
"""Share by which a page must take longer than before to be called slower."""
CARD_BEAT = 0.5
"""Seconds between two looks at the cards."""

_BOUND = re.compile(r"p(50|95|99)\s*=\s*([\d.]+)\s*(ms|s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bound:
    """A latency that is to be kept, such as 99 of 100 pages within 0.5 s."""

    percentile: str
    seconds: float

    @property
    def text(self) -> str:
        return f"{self.percentile}={self.seconds * 1000:g}ms"


@dataclass(frozen=True, slots=True)
class Ask:
    """A measurement.

    Attributes:
        engine: its name, "" for the default.
        loads: pages that are read at once, one measurement for each.
        rounds: how often each page is read at each load.
        bound: find the highest load that keeps it.
        layouts: of pages by their names, over what their lines and blocks say.
        most: pages of the set that are read, the first ones; None for all.
    """

    data: str = EXAMPLES
    template: str = "full_text"
    engine: str = ""
    loads: tuple[int, ...] = (1, 4)
    rounds: int = 1
    bound: Bound | None = None
    layouts: Mapping[str, str] = field(default_factory=dict)
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Timed:
    """A page that was read once.

    Attributes:
        seconds: the whole way, decoding and storing included.
        pixels: of the copy that the engine had.
    """

    page: str
    layout: str
    seconds: float
    first_seconds: float | None
    stages: Mapping[str, float]
    pixels: int
    tokens: int | None
    outcome: str


def read_bound(written: str) -> Bound:
    """A bound from `p99=500ms` or `p95=2s`.

    Raises:
        BadInput: `bad_slo` (details: value).
    """
    found = _BOUND.fullmatch(written.strip())
    seconds = 0.0
    if found:
        with suppress(ValueError):
            seconds = float(found[2]) / (1000 if found[3].lower() == "ms" else 1)
    if not found or seconds <= 0:
        raise BadInput(
            "bad_slo",
            f"{written[:40]!r} is no bound of a latency.",
            "Write p50, p95 or p99 with a time: p99=500ms.",
            value=written[:40],
        )
    return Bound(f"p{found[1]}", seconds)


def layout_of(page: LabelledPage, lines: int, overrides: Mapping[str, str]) -> str:
    """simple, dense or complex, by what is known of a page or, where that says nothing, by the lines that were read."""
    known = len(page.truth.lines) if page.truth.lines is not None else lines
    given = overrides.get(page.name) or page.layout
    return given or layout_by(known, page.regions, len(page.truth.tables or ()))


class Benchmark:
    def __init__(self, store: Store, engines: Engines, templates: PromptLibrary, settings: Settings) -> None:
        self._store, self._engines, self._templates, self._settings = store, engines, templates, settings
        self._limits, self._upright = Limits.from_settings(settings), Upright(engines, settings)

    @needs(Action.RECOGNIZE, audited="benchmark.run", limited="reads")
    async def run(
        self, ask: Ask, started: float | None = None, person: str = ""
    ) -> AsyncIterator[str | dict[str, Any]]:
        """Says what it is doing, and in the end gives the result, which is kept in the log of evaluations.

        Args:
            started: when the process began, in the seconds of `time.perf_counter`; None where that is not known.

        Raises:
            BadInput: those of `open_set`, `bad_layout`, `task_not_possible`, `nothing_to_compare`.
            NotFound, EngineDead, StoreFailed.
        """
        _check(ask)
        pages = await asyncio.to_thread(open_set, ask.data, self._store, self._settings, self._templates.list())
        template = await asyncio.to_thread(self._templates.get, ask.template)
        asked = self._asked(template, pages, ask)
        name = self._engines.called(ask.engine) if ask.engine else self._engines.default
        yield f"starting {name}"
        begin = time.perf_counter()
        engine = await self._engines.ready(name)
        ready = time.perf_counter()
        check_engine(engine, template)
        config = {**asdict(ask), "engine": asdict(engine.name), "template_version": template.version}
        checksum = await asyncio.to_thread(lambda: pages.sha256)
        run = await asyncio.to_thread(self._store.evaluations.begin, KIND, pages.name, checksum, config, who(person))
        with tempfile.TemporaryDirectory(prefix="ocr-benchmark-") as folder:
            scratch = await asyncio.to_thread(Store.open, self._settings.with_store_in(Path(folder)))
            try:
                way = _Way(self, engine, name, template, scratch, ask)
                first = await way.read(*asked[0])
                cold = {
                    "engine_seconds": ready - begin,
                    "process_seconds": None if started is None else ready - started,
                    "first_page_seconds": first.seconds,
                }
                result = {
                    "run": run,
                    "data": {"name": pages.name, "sha256": checksum, "pages": len(asked)},
                    "template": template.name,
                    "template_version": template.version,
                    "engine_name": name,
                    "engine": asdict(engine.name),
                    "cold_start": cold,
                    "loads": [],
                }
                for load in ask.loads:
                    yield f"{load} at once"
                    result["loads"].append(await way.measure(asked * ask.rounds, load, kept=True))
                if ask.bound:
                    result["slo"] = {"bound": ask.bound.text, "kinds": {}}
                    yield f"highest load with {ask.bound.text}"
                    async for kind, found in way.under(ask.bound, asked):
                        if "tried" in found:
                            result["slo"]["kinds"][kind] = found
                        else:
                            yield _told_try(kind, found)
            finally:
                await asyncio.to_thread(scratch.close)
        own = self._engines.settings_of(name, self._settings)
        result["conditions"] = await asyncio.to_thread(conditions, own)
        result["against"] = await asyncio.to_thread(self._against, result, config, way.pages)
        await asyncio.to_thread(self._store.evaluations.end, run, result, way.pages)
        yield result

    def _against(
        self, result: Mapping[str, Any], config: Mapping[str, Any], pages: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any] | None:
        """How the last measurement of the same pages, template and engine compares; None where there is none."""
        for run in self._store.evaluations.list(KIND, result["data"]["sha256"], before=result["run"]):
            if all(run.result[name] == result[name] for name in ("template", "engine_name")):
                earlier = told_setup(run.result, run.config, run.result["conditions"])
                return {
                    "run": run.id,
                    "made_at": run.created_at.isoformat(timespec="seconds"),
                    "changes": changes(earlier, told_setup(result, config, result["conditions"])),
                    "loads": speed_differences(list(self._store.evaluations.pages(run.id)), pages),
                }
        return None

    def _asked(
        self, template: PromptTemplate, pages: LabelledSet, ask: Ask
    ) -> list[tuple[LabelledPage, dict[str, str]]]:
        """The pages that the template can be asked about, with its values."""
        some = ((page, values_for(template, page)) for page in pages.pages[: ask.most])
        found = [(page, values) for page, values in some if values is not None]
        if not found:
            raise nothing_to_compare(template.name)
        return found

    async def decode(self, page: LabelledPage) -> np.ndarray:
        """The upright picture, uint8 (height, width, 3)."""
        pixels = await asyncio.to_thread(lambda: open_picture(page.picture(), self._limits).pixels)
        return pixels if page.upright else (await self._upright.turn(pixels))[0]

    def settings_of(self, engine: str) -> Settings:
        return self._engines.settings_of(engine, self._settings)

    def need_of(self, engine: EngineName, settings: Settings) -> Need | None:
        """Blocks on the store."""
        return need_of(engine, settings, self._store)


class _Way:
    """Reads pages the whole way, and times them."""

    def __init__(
        self, bench: Benchmark, engine: Engine, name: str, template: PromptTemplate, scratch: Store, ask: Ask
    ) -> None:
        self._bench, self._engine, self._template, self._scratch = bench, engine, template, scratch
        self._settings, self._layouts = bench.settings_of(name), ask.layouts
        self.pages: list[dict[str, Any]] = []
        """Of each page that was timed its layout, and its seconds at each load."""

    async def read(self, page: LabelledPage, values: Mapping[str, str]) -> Timed:
        clock, begin = StageClock(), time.perf_counter()
        with clock.stage("decode_image"):
            pixels = await self._bench.decode(page)
        need = await asyncio.to_thread(self._bench.need_of, self._engine.name, self._settings)
        request, asked = ReadRequest(self._template, dict(values), need=need), time.perf_counter()
        last = await read_to_the_end(pixels, page.sha256, self._engine, request, self._settings)
        if isinstance(last.error, EngineDead):
            raise last.error
        with clock.stage("store"):
            await asyncio.to_thread(self._keep, page, pixels, last.recognition)
        stages = {**clock.seconds, **last.recognition.timings}
        first = last.first_line_seconds
        return Timed(
            page=page.name,
            layout=layout_of(page, len(last.recognition.content.lines), self._layouts),
            seconds=time.perf_counter() - begin,
            first_seconds=None if first is None else asked - begin + first,
            stages=stages,
            pixels=pixels_of(last.recognition) or 0,
            tokens=last.recognition.generation.tokens,
            outcome=last.recognition.outcome,
        )

    def _keep(self, page: LabelledPage, pixels: np.ndarray, recognition: Any) -> None:
        sha256 = self._scratch.pictures.put(encode_png(pixels))
        stored = Page(sha256, pixels.shape[1], pixels.shape[0], page.name)
        page_id = self._scratch.pages.add_document(page.name, [stored], None).page_ids[0]
        self._scratch.recognitions.add(replace(recognition, page_sha256=sha256), page_id, None)

    async def measure(
        self, asked: Sequence[tuple[LabelledPage, dict[str, str]]], load: int, kept: bool = False
    ) -> dict[str, Any]:
        """Reads all, so many at once, the next one as soon as one is done. Args: kept: note each page's seconds."""
        waiting, done = list(reversed(asked)), []

        async def worker() -> None:
            while waiting:
                done.append(await self.read(*waiting.pop()))

        watch, begin = CardWatch(), time.perf_counter()
        async with watch:
            workers = [asyncio.create_task(worker()) for _ in range(min(load, len(asked)))]
            try:
                await asyncio.gather(*workers)
            finally:
                for one in workers:
                    one.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
        seconds = time.perf_counter() - begin
        if kept:
            self._note(done, load)
        by_layout = {kind: [one for one in done if one.layout == kind] for kind in LAYOUTS}
        kinds = {kind: figures(some) for kind, some in by_layout.items() if some}
        told = {"at_once": load, "seconds": seconds, "pages_per_second": len(done) / seconds, "all": figures(done)}
        return {**told, "kinds": kinds, "cards": watch.told()}

    def _note(self, done: Sequence[Timed], load: int) -> None:
        rows = {row["page"]: row for row in self.pages}
        for one in done:
            if one.page not in rows:
                rows[one.page] = {"page": one.page, "layout": one.layout, "seconds": {}}
                self.pages.append(rows[one.page])
            if one.outcome != "failed":
                rows[one.page]["seconds"].setdefault(str(load), []).append(one.seconds)

    async def under(
        self, bound: Bound, asked: Sequence[tuple[LabelledPage, dict[str, str]]]
    ) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """For every kind of page each load as it is tried, and in the end what `highest_load` gives last."""
        kinds: dict[str, list[tuple[LabelledPage, dict[str, str]]]] = {}
        for page, values in asked:
            timed = await self.read(page, values)
            kinds.setdefault(timed.layout, []).append((page, values))
        for kind in LAYOUTS:
            some = kinds.get(kind)
            if some:
                async for found in highest_load(lambda load, some=some: self._tried(some, load, bound), bound.seconds):
                    yield kind, found

    async def _tried(
        self, asked: Sequence[tuple[LabelledPage, dict[str, str]]], load: int, bound: Bound
    ) -> dict[str, Any]:
        """One load: at least three pages for each place, so that all places are taken most of the time."""
        turns = -(-3 * load // len(asked))
        found = await self.measure(list(asked) * turns, load)
        seconds = found["all"]["seconds"]
        latency = seconds[bound.percentile] if seconds and not found["all"]["failed"] else float("inf")
        return {
            "at_once": load,
            "latency": latency if latency != float("inf") else None,
            "pages": found["all"]["pages"],
            "failed": found["all"]["failed"],
            "pages_per_second": found["pages_per_second"],
        }


async def highest_load(
    try_load: Callable[[int], Awaitable[dict[str, Any]]], bound: float
) -> AsyncIterator[dict[str, Any]]:
    """The highest number at once that keeps a latency: doubled while it does, then halved in between.

    Args:
        try_load: measures a load; its `latency` is None where pages failed.

    Yields:
        Each measurement, and in the end best: that of the load, None where one page at a time is too slow already, with
        tried: all of them.
    """
    tried: dict[int, dict[str, Any]] = {}
    good, bad, load = 0, MOST_AT_ONCE + 1, 1
    while good < load < bad:
        found = tried[load] = await try_load(load)
        yield found
        if found["latency"] is not None and found["latency"] <= bound:
            good = load
        else:
            bad = load
        load = good * 2 if bad > MOST_AT_ONCE else (good + bad) // 2
    yield {"best": tried.get(good), "tried": [tried[load] for load in sorted(tried)]}


def speed_differences(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Seconds a page of two measurements, for every load and all pages that both have.

    `slower` says that it is so beyond chance and by more than SLOWER_BY: a machine is never twice the same.
    """
    earlier = {row["page"]: row["seconds"] for row in before}
    later = {row["page"]: row["seconds"] for row in now}
    found = []
    for load in dict.fromkeys(load for seconds in later.values() for load in seconds):
        sides = [
            [_seconds_part(side[name].get(load)) for name in later if name in earlier] for side in (earlier, later)
        ]
        told = difference(*sides, "seconds", lower=True)
        if told is not None:
            slower = told.verdict == "worse" and told.second > told.first * (1 + SLOWER_BY)
            found.append({"at_once": int(load), **told.to_dict(), "slower": slower})
    return found


def _seconds_part(seconds: Sequence[float] | None) -> dict[str, Part]:
    return {"seconds": (sum(seconds), len(seconds))} if seconds else {}


def _told_try(kind: str, tried: Mapping[str, Any]) -> str:
    latency = "some failed" if tried["latency"] is None else f"{tried['latency']:.3f} s"
    return f"{kind}, {tried['at_once']} at once: {latency}"


def figures(timed: Sequence[Timed]) -> dict[str, Any]:
    """What some pages come to: latencies, and the median and 95th percentile of every stage."""
    read = [one for one in timed if one.outcome != "failed"]
    tokens = [one.tokens for one in read if one.tokens is not None]
    stages = {stage: percentiles(one.stages.get(stage) for one in read) for stage in STAGES}
    return {
        "pages": len(timed),
        "failed": len(timed) - len(read),
        "seconds": percentiles(one.seconds for one in read),
        "first_seconds": percentiles(one.first_seconds for one in read),
        "stages": {stage: found for stage, found in stages.items() if found},
        "megapixels": _mean(one.pixels / 1e6 for one in read),
        "tokens": _mean(tokens),
    }


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return sum(known) / len(known) if known else None


def _check(ask: Ask) -> None:
    wrong = next((kind for kind in ask.layouts.values() if kind not in LAYOUTS), None)
    if wrong is not None:
        raise BadInput(
            "bad_layout",
            f"There is no kind of page {wrong[:40]!r}.",
            f"Use one of: {', '.join(LAYOUTS)}.",
            value=wrong[:40],
            allowed=", ".join(LAYOUTS),
        )


class CardWatch:
    """Looks at the cards while something runs."""

    def __init__(self) -> None:
        self._seen: list[list[dict[str, Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> CardWatch:
        if await asyncio.to_thread(cards):
            self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            self._seen.append(await asyncio.to_thread(cards))
            await asyncio.sleep(CARD_BEAT)

    def told(self) -> list[dict[str, Any]]:
        """Of each card how busy it was on average, and the most memory that was taken."""
        return [
            {
                "name": looks[0]["name"],
                "busy_percent": _mean(look["busy_percent"] for look in looks),
                "memory_used_bytes": max(look["memory_used_bytes"] for look in looks),
            }
            for looks in zip(*self._seen, strict=False)
        ]
