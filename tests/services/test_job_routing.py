"""Pages of a batch that were read with little confidence."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from batches import handed, pdf, running, until
from fakes import ScriptedEngine, ScriptStep

from ocr_ui.domain.calibration import Judged
from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Capabilities, Finished, LinesDelta, Started
from ocr_ui.errors import BadInput, EngineDead, EngineFailed
from ocr_ui.scoring.calibration import calibrate
from ocr_ui.services.jobs import JobAsk
from ocr_ui.services.thresholds import LEAST_WRONG, Thresholds
from ocr_ui.services.workbench import Workbench

LINES = Capabilities(tasks=frozenset({Task.SPOTTING}), takes_prompt=False)
AGAIN = {"below": 0.8, "then": "again", "engine": "strong"}
REVIEW = {"below": 0.8, "then": "review"}


def reading(text: str, confidence: float) -> list[ScriptStep]:
    line = TextLine(text, Quad.from_points([(1, 1), (50, 1), (50, 9), (1, 9)]), confidence)
    return [Started(), LinesDelta((line,)), Finished(Generation(finish_reason="stop"))]


def engine(script: Sequence[ScriptStep]) -> ScriptedEngine:
    return ScriptedEngine(script, LINES)


def both(folder: Path, fast: ScriptedEngine, strong: ScriptedEngine) -> AbstractAsyncContextManager[Workbench]:
    return running(folder, engines={"fast": fast, "strong": strong}, batch_at_once=1)


async def routed(workbench: Workbench, *rules: dict, state: str = "done") -> dict:
    """Route, texts of the items of the batch, and what is tagged."""
    ask = JobAsk(engine="fast", rules=rules)
    job = (await workbench.jobs.create(ask, [handed("two.pdf", pdf(2))])).job.id
    ended = await until(workbench, job, state)
    items = list(workbench.store.items.each())
    shown = await workbench.dataset.list({"jobs": [job]})
    unsure = await workbench.dataset.list({"jobs": [job], "tags": ["unsure"]})
    return {
        "routes": {one.route: one.pages for one in ended.routes},
        "stored": len(items),
        "shown": sorted({row.text for row in shown.rows}),
        "unsure": unsure.total,
        "progress": ended,
    }


async def test_pages_that_are_sure_go_straight_on_and_others_to_review(tmp_path: Path) -> None:
    async with both(tmp_path, engine(reading("ok", 0.9)), engine([])) as workbench:
        found = await routed(workbench, REVIEW)
        assert (found["routes"], found["unsure"]) == ({"straight": 2}, 0)
        strict = await routed(workbench, {**REVIEW, "below": 0.95, "kind": "line"})
        assert (strict["routes"], strict["unsure"]) == ({"review": 2}, 2)


async def test_the_better_of_two_readings_is_kept_and_the_cost_is_told(tmp_path: Path) -> None:
    fast, strong = engine(reading("fast", 0.5)), engine(reading("strong", 0.95))
    async with both(tmp_path, fast, strong) as workbench:
        found = await routed(workbench, AGAIN, REVIEW)
        assert found["routes"] == {"again": 2}
        assert (found["shown"], found["stored"], found["unsure"]) == (["strong"], 4, 0)
        (route,) = found["progress"].routes
        assert route.seconds > 0
        assert route.second_seconds > 0
        assert (len(fast.seen), len(strong.seen)) == (2, 2)


async def test_a_second_reading_that_is_no_better_leaves_the_first_and_goes_to_review(tmp_path: Path) -> None:
    async with both(tmp_path, engine(reading("fast", 0.5)), engine(reading("strong", 0.3))) as workbench:
        found = await routed(workbench, AGAIN, REVIEW)
        assert (found["routes"], found["shown"], found["unsure"]) == ({"again_review": 2}, ["fast"], 2)


async def test_both_readings_are_kept_beside_each_other_where_that_was_asked_for(tmp_path: Path) -> None:
    async with both(tmp_path, engine(reading("fast", 0.5)), engine(reading("strong", 0.9))) as workbench:
        found = await routed(workbench, {**AGAIN, "keep": "both"})
        assert (found["routes"], found["shown"]) == ({"both": 2}, ["fast", "strong"])


async def test_a_second_reading_that_fails_costs_no_page(tmp_path: Path) -> None:
    broken = engine([Started(), EngineFailed("broken", "It broke.", "")])
    async with both(tmp_path, engine(reading("fast", 0.5)), broken) as workbench:
        found = await routed(workbench, AGAIN)
        assert (found["routes"], found["shown"], found["unsure"]) == ({"again_failed": 2}, ["fast"], 2)


async def test_where_the_second_engine_is_gone_the_batch_waits_and_no_page_is_read_twice_by_the_first(
    tmp_path: Path,
) -> None:
    fast, strong = engine(reading("fast", 0.5)), engine([Started(), EngineDead("given_up", "Gone.", "")])
    async with both(tmp_path, fast, strong) as workbench:
        found = await routed(workbench, AGAIN, state="paused")
        job = found["progress"].job.id
        strong.script = reading("strong", 0.9)
        await workbench.jobs.resume(job)
        ended = await until(workbench, job)
        assert (ended.totals.done, len(fast.seen)) == (2, 2)
        assert {one.route: one.pages for one in ended.routes} == {"again": 2}


async def test_a_rule_that_cannot_be_followed_is_refused_at_once(tmp_path: Path) -> None:
    async with both(tmp_path, engine([]), engine([])) as workbench:
        for rule in ({**AGAIN, "engine": "nobody"}, {**AGAIN, "below": 7}):
            with pytest.raises(BadInput):
                await routed(workbench, rule)
        assert await workbench.jobs.list() == []


async def test_pages_go_by_the_measured_threshold_until_it_is_stale(tmp_path: Path) -> None:
    fast = engine(reading("ok", 0.9))
    async with both(tmp_path, fast, engine([])) as workbench:
        assert (await routed(workbench, REVIEW))["routes"] == {"straight": 2}
        (first, *_) = workbench.store.items.each()
        judged = [Judged(0.9, False)] * LEAST_WRONG + [Judged(0.95, True)] * 50
        keep = workbench.store.calibrations.add
        read = first.recognition
        settings = Thresholds(workbench.store, workbench.settings).settings_of(read.engine, read.prompt.version)
        keep("full_text", read.engine, settings, [("line", calibrate(judged, 0.05))])
        assert (await routed(workbench, REVIEW))["routes"] == {"review": 2}
        assert (await routed(workbench, {**REVIEW, "measured": False}))["routes"] == {"straight": 2}
        fast.name = replace(fast.name, revision="another")
        assert (await routed(workbench, REVIEW))["routes"] == {"straight": 2}
