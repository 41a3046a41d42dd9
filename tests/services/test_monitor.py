from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest
from batches import handed, pdf, running, whole
from fakes import ScriptedEngine

from ocr_ui.engines.base import EngineLoad
from ocr_ui.metrics import AtWork, Ended, error_told, reading_ended
from ocr_ui.services import monitor as module
from ocr_ui.services.bottleneck import Runs
from ocr_ui.services.engines import Engines
from ocr_ui.services.monitor import KEPT, Monitor, Sample, engine_of, grown, readings_value, seen_of


class Telling(ScriptedEngine):
    now = EngineLoad(places=8, running=3, waiting=1)

    def load(self) -> EngineLoad:
        return self.now


def card(busy: int, memory: int = 10) -> dict:
    return {"name": "H", "busy_percent": busy, "memory_used_bytes": memory, "memory_bytes": 100, "driver": "1"}


def sample(at: float, load: EngineLoad, at_work: tuple[int, int], busy: int, worked: float = 0) -> Sample:
    return Sample(at, *at_work, {"one": load}, [card(busy)], (worked, at * 2))


def test_what_was_seen_is_of_the_moments_with_work() -> None:
    first = EngineLoad(8, 0, 0, tokens=9, picture_seconds=1, answer_seconds=1)
    second = replace(first, running=6, waiting=2, preemptions=1, drafts=10, drafts_rejected=2, answer_seconds=4)
    third = replace(second, running=4, waiting=0, preemptions=3, drafts=20, drafts_rejected=3, picture_seconds=3)
    samples = [
        sample(0, first, (0, 0), 0),
        sample(1, second, (2, 8), 80),
        sample(2, replace(third, answer_seconds=7), (0, 4), 60, 1.5),
    ]
    ended = [
        Ended(1, "one", "complete", 4.0, 10, {"decode_image": 1.0, "prepare": 1.0, "tokens": 2.0}),
        Ended(1, "other", "complete", 9.0, 10, {"prepare": 9.0}),
    ]
    seen = seen_of("one", Runs.CARD, samples, ended)
    assert (seen.at_work, seen.running, seen.waiting, seen.places) == (7, 5, 1, 8)
    assert seen.busy == pytest.approx(0.7)
    assert (seen.preemptions, seen.drafts, seen.drafts_rejected) == (3, 20, 3)
    assert seen.picture == pytest.approx(2 / 8)
    assert seen.preparing == pytest.approx(0.5)
    assert seen.processors == pytest.approx(0.75)


def test_counts_that_begin_anew_count_from_nothing() -> None:
    loads = [EngineLoad(tokens=tokens) for tokens in (5, 9, 2, 4)]
    assert grown(loads, lambda load: load.tokens) == 4 + 2 + 2
    assert grown([], lambda load: load.tokens) == 0


def test_the_engine_with_most_to_do_is_the_one_that_is_judged() -> None:
    two = Sample(0, 0, 1, {"one": EngineLoad(8, 1, 0), "two": EngineLoad(8, 2, 2)}, [], None)
    assert engine_of([two], []) == "two"
    assert engine_of([two], [Ended(0, "one", "complete", 1, None, {})] * 9) == "one"
    assert engine_of([], []) == ""


def test_lines_over_readings_stand_in_half_minutes_that_end_now() -> None:
    now = 10_000.0
    ended = [Ended(now - 1, "e", "complete", seconds, 60, {}) for seconds in (1.0, 3.0)]
    ended.append(Ended(now - 31, "e", "failed", 7.0, None, {}))
    before = time.time()
    told = readings_value([*ended, Ended(now - 5_000, "e", "complete", 1, 1, {})], [now - 31, now - 9_000], now)
    assert told["pages"][-3:] == [0, 1, 2]
    assert sum(told["pages"]) == 3
    assert told["p50"][-3:] == [None, 7.0, 2.0]
    assert told["tokens"][-1] == pytest.approx(4)
    assert told["errors"][-2:] == [1, 0]
    assert len(set(map(len, told.values()))) == 1
    assert before - 0.1 <= told["at"][-1] + 15 <= time.time() + 0.1


def engines() -> Engines:
    return Engines({"one": Telling([]), "quiet": ScriptedEngine([])})


async def test_a_look_tells_of_now_of_errors_and_of_what_limits() -> None:
    reading_ended("one", "complete", {"tokens": 99.0}, 1)  # of another one in this process
    error_told("page", "before")
    watch = Monitor(engines(), beat=60)
    reading_ended("one", "complete", {"prepare": 1.0, "tokens": 1.0}, 120)
    error_told("reading", "engine_died")
    error_told("rest", "engine_died")
    error_told("reading", "engine_died")
    work = AtWork()
    work.be("running")
    try:
        told = await watch.told()
    finally:
        work.end()
        await watch.close()
    assert (told["engine"], told["runs"]) == ("one", "processors")
    assert (told["now"]["running"], told["now"]["places"], told["now"]["pages_per_minute"]) == (1, 8, 1)
    assert told["now"]["tokens_per_second"] == 2
    assert told["now"]["seconds"]["p99"] == 2
    assert told["now"]["stages"]["prepare"] == 1.0
    assert told["errors"] == [
        {"where": "reading", "code": "engine_died", "count": 2},
        {"where": "rest", "code": "engine_died", "count": 1},
    ]
    assert told["verdict"]["code"] == "pages_wait"
    assert [one["code"] for one in told["findings"]] == ["processors_busy", "pages_wait"]
    assert told["samples"]["running"] == [1]


async def test_samples_are_taken_while_there_is_work_and_then_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, work = Monitor(engines(), beat=0.005), AtWork()
    work.be("running")
    watch.awake()
    first = watch._task
    watch.awake()
    assert watch._task is first, "one task takes them"
    while len(watch._samples) < 3:  # noqa: ASYNC110 - of another task
        await asyncio.sleep(0.005)
    assert not first.done()
    work.end()
    await first
    taken = len(watch._samples)
    assert taken >= 4
    assert (watch._samples[2].at_work, watch._samples[-1].at_work) == (1, 0), "the end is seen too"
    monkeypatch.setattr(module, "LOOKED_SECONDS", 0.05)
    await watch.told()
    await watch._task
    assert len(watch._samples) > taken, "while somebody looks"
    assert watch._samples.maxlen == KEPT


async def test_reading_wakes_it(tmp_path: Path) -> None:
    async with running(tmp_path) as workbench:
        assert workbench.monitor._task is None
        await whole(workbench, [handed("a.pdf", pdf(1))])
        assert workbench.monitor._task is not None
        assert sum((await workbench.monitor.told())["readings"]["pages"]) == 1
