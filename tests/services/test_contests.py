"""Contests in the background: to their end whatever interrupts them, and nothing read twice."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from fakes import SOON
from labelled import PAGES, AnsweringEngine, Bench, answer, number_of, write_page, write_set

from ocr_ui.domain.access import Action, Identity, Role
from ocr_ui.domain.person import Person
from ocr_ui.engines.base import Capabilities
from ocr_ui.errors import BadInput, Conflict, EngineDead, NotFound, WorkbenchError
from ocr_ui.services.access import Acting, act_as
from ocr_ui.services.contest_runner import Course
from ocr_ui.services.contests import ContestProgress, contest_value
from ocr_ui.services.engines import Engines
from ocr_ui.services.evaluate import Ask

TESTS = Path(__file__).resolve().parent.parent
LEASE = 1.0


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    made.template("one", "Read it")
    made.template("two", "Read it two")
    yield made
    await made.runner.close()
    made.store.close()


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(write_set(tmp_path / "set"))


def pairs(*templates: str, engine: str = "m") -> tuple[tuple[str, str], ...]:
    return tuple((template, engine) for template in templates)


async def until(bench: Bench, contest: int, true: Callable[[ContestProgress], bool]) -> ContestProgress:
    for _ in range(3000):
        progress = await bench.contests.progress(contest)
        if true(progress):
            return progress
        await asyncio.sleep(0.01)
    raise AssertionError(contest_value(progress))


async def ended(bench: Bench, contest: int) -> ContestProgress:
    return await until(bench, contest, lambda progress: progress.state in ("done", "paused", "cancelled"))


async def begun(bench: Bench, ask: Ask) -> int:
    return (await bench.contests.create(ask, Person("Ann"))).stored.id


def hold_after(engine: AnsweringEngine, pages: int) -> asyncio.Event:
    """The engine answers so many pages, and more once the event is set."""
    more = asyncio.Event()
    answered = iter(range(pages))
    engine.wait = lambda: asyncio.sleep(0) if next(answered, None) is not None else more.wait()
    return more


@pytest.mark.both_databases
async def test_a_contest_comes_to_its_result_in_the_log(bench: Bench, data: str) -> None:
    waiting = await bench.contests.create(Ask(data, competitors=pairs("one", "two"), at_once=2), Person("Ann"))
    assert waiting.state == "waiting"
    more = hold_after(bench.engine, 5)
    bench.runner.start()
    running = await until(bench, waiting.stored.id, lambda progress: progress.stored.done == 5)
    assert (running.state, running.stored.total) == ("running", 2 * PAGES)
    assert running.stored.told.startswith("A: one · m: page")
    more.set()
    done = await ended(bench, waiting.stored.id)
    told = contest_value(done)
    assert (told["state"], told["done"], told["person"]) == ("done", 2 * PAGES, "Ann")
    assert [one["template"] for one in told["competitors"]] == ["one", "two"]
    logged = await bench.runs.result(told["run"])
    assert logged["person"] == "Ann"
    assert logged["at_once"] == 2
    direct = await bench.run("one", "two", data=Path(data))
    for one, other in zip(logged["competitors"], direct["competitors"], strict=True):
        assert one["scores"] == other["scores"]


@pytest.mark.both_databases
async def test_one_that_is_paused_ends_its_reading_and_goes_on_where_it_was(bench: Bench, data: str) -> None:
    number = await begun(bench, Ask(data, competitors=pairs("one")))
    more = hold_after(bench.engine, 5)
    bench.runner.start()
    await until(bench, number, lambda progress: progress.stored.done == 5 and bool(bench.engine.running))
    assert (await bench.contests.pause(number)).state == "paused"
    await idle(bench.engine)
    more.set()
    assert (await bench.contests.progress(number)).stored.reason is None
    assert (await bench.contests.resume(number)).state in ("waiting", "running")
    assert (await ended(bench, number)).state == "done"
    assert len(bench.engine.seen) == PAGES + 1, "only the page that was under way is asked again"


async def test_what_was_kept_says_nothing_of_how_fast_the_rest_is_read(bench: Bench, data: str) -> None:
    """Twelve kept pages within a moment, then some that take a second each."""
    await bench.run("one", data=Path(data))
    steps = [step async for step in bench.evaluator.run(Ask(data, competitors=pairs("one", "two")))]
    now, told = 100.0, []
    course = Course(lambda: now)
    for step in steps[:-1]:
        now += 1 if step.fresh else 0.001
        course.step(step)
        told.append(course.far.per_second)
    assert [step.fresh for step in steps[:-1]] == [False] * PAGES + [True] * PAGES
    assert told[:PAGES] == [None] * PAGES
    assert told[PAGES:] == pytest.approx([1] * PAGES)


async def idle(engine: AnsweringEngine) -> None:
    """Waits until nothing is asked of the engine any more."""
    async with asyncio.timeout(SOON):
        while engine.running:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_what_is_to_be_read_afresh_is_so_once(bench: Bench, data: str) -> None:
    await bench.run("one", data=Path(data))
    number = await begun(bench, Ask(data, competitors=pairs("one"), fresh=True))
    more = hold_after(bench.engine, 5)
    bench.runner.start()
    await until(bench, number, lambda progress: progress.stored.done == 5 and bool(bench.engine.running))
    await bench.contests.pause(number)
    await idle(bench.engine)
    more.set()
    await bench.contests.resume(number)
    assert (await ended(bench, number)).state == "done"
    assert len(bench.engine.seen) == 2 * PAGES + 1


async def test_one_that_is_given_up_stays_so(bench: Bench, data: str) -> None:
    number = await begun(bench, Ask(data, competitors=pairs("one")))
    hold_after(bench.engine, 2)
    bench.runner.start()
    await until(bench, number, lambda progress: progress.stored.done == 2)
    assert (await bench.contests.cancel(number)).state == "cancelled"
    await idle(bench.engine)
    with pytest.raises(Conflict) as refused:
        await bench.contests.resume(number)
    assert refused.value.code == "contest_ended"
    assert bench.store.evaluations.list() == []


async def test_an_engine_that_dies_pauses_it_with_the_reason(bench: Bench, data: str) -> None:
    gone = EngineDead("engine_gone", "It is gone.", "")
    bench.engine.answer = lambda request: gone if number_of(request) == 5 else answer(request)
    number = await begun(bench, Ask(data, competitors=pairs("one")))
    bench.runner.start()
    paused = await ended(bench, number)
    assert (paused.state, paused.stored.reason["code"]) == ("paused", "engine_gone")
    bench.engine.answer = answer
    await bench.contests.resume(number)
    assert (await ended(bench, number)).state == "done"


async def test_labels_that_fit_no_template_are_told_as_the_reason(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    write_page(tmp_path / "plain", 1, text="Total")
    number = await begun(bench, Ask(str(tmp_path / "plain"), competitors=pairs("one", "table")))
    bench.runner.start()
    assert (await ended(bench, number)).stored.reason["code"] == "nothing_to_compare"
    assert bench.engine.seen == [], "nothing is read for a contest that comes to nothing"


async def test_versions_are_those_of_when_it_was_begun(bench: Bench, data: str) -> None:
    bench.templates.save_new("mine", {"en": "Mine", "zh": "我的"}, "Read it", task="text")
    number = await begun(bench, Ask(data, competitors=pairs("mine")))
    bench.templates.save_version("mine", "Read it two")
    bench.runner.start()
    done = await ended(bench, number)
    logged = await bench.runs.result(done.stored.run)
    assert logged["competitors"][0]["prompt"] == "Read it"


def holding(folder: Path) -> subprocess.Popen:
    """A process that reads five pages of a contest, and holds on to it."""
    path = os.pathsep.join((str(TESTS.parent), str(TESTS)))
    command = [sys.executable, str(TESTS / "labelled.py"), str(folder), str(LEASE)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path})


@pytest.mark.stress
@pytest.mark.both_databases
async def test_signal_9_in_the_middle_loses_nothing_and_reads_nothing_twice(bench: Bench, data: str) -> None:
    number = await begun(bench, Ask(data, competitors=pairs("one")))
    victim = holding(bench.settings.data_dir.parent)
    try:
        await until(bench, number, lambda progress: progress.stored.done == 5)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        bench.runner.start()
        assert (await ended(bench, number)).state == "done"
    finally:
        victim.kill()
        victim.wait()
    assert len(bench.engine.seen) == PAGES - 5
    (run,) = bench.store.evaluations.list()
    assert run.result["competitors"][0]["pages"] == PAGES


@pytest.mark.both_databases
async def test_what_a_living_process_has_is_left_to_it(bench: Bench, data: str) -> None:
    number = await begun(bench, Ask(data, competitors=pairs("one")))
    stored = bench.store.contests
    assert stored.take("first", 60).id == number
    assert stored.take("second", 60) is None
    assert stored.renew("first", -1, number)
    assert stored.take("second", 60).id == number, "a claim that is over is anybody's"
    assert not stored.renew("first", 60, number)
    assert not stored.done("first", number, 1, PAGES)
    assert (await bench.contests.progress(number)).state == "running"


@pytest.mark.parametrize(
    ("change", "kind", "code"),
    [
        ({"data": "nowhere"}, NotFound, "unknown_test_set"),
        ({"data": "filter:none"}, NotFound, "unknown_test_set"),
        ({"competitors": pairs("nowhere")}, NotFound, "template_not_found"),
        ({"competitors": pairs("one@000000000000")}, NotFound, "template_version_not_found"),
        ({"competitors": pairs("one", engine="other")}, BadInput, "unknown_engine"),
        ({"competitors": (), "templates": ()}, BadInput, "no_competitors"),
        ({"competitors": pairs(*["one"] * 27)}, BadInput, "too_many_competitors"),
    ],
)
async def test_what_cannot_be_held_is_refused_at_once(
    bench: Bench, data: str, change: dict, kind: type[WorkbenchError], code: str
) -> None:
    with pytest.raises(kind) as refused:
        await bench.contests.create(Ask(**{"data": data, "competitors": pairs("one"), **change}))
    assert refused.value.code == code
    assert await bench.contests.list() == []


async def test_an_engine_that_cannot_do_the_task_is_refused(bench: Bench, data: str) -> None:
    text_only = Capabilities(tasks=frozenset({bench.templates.get("one").task}), takes_prompt=True)
    bench.engine.capabilities = text_only
    engines = Engines({"m": bench.engine})
    await engines.ready("m")
    bench.contests._engines = engines
    with pytest.raises(BadInput) as refused:
        await bench.contests.create(Ask(data, competitors=pairs("fields")))
    assert refused.value.code == "task_not_possible"


async def test_folders_are_named_by_admins_alone(bench: Bench, data: str) -> None:
    annotator = Identity("Ann", frozenset({Action.READ, Action.RECOGNIZE}), 1, Role.ANNOTATOR)
    with act_as(Acting(annotator)):
        told = []
        for named in (data, f"{data}-none"):
            for attempt in (bench.contests.create(Ask(named, competitors=pairs("one"))), bench.contests.look(named)):
                with pytest.raises(NotFound) as refused:
                    await attempt
                told.append(str(refused.value).replace(named, "FOLDER"))
        assert len(set(told)) == 1, "nobody else learns which folders there are"
        assert (await bench.contests.look("examples"))["pages"] > 10


async def test_what_a_set_holds_is_told_before_anything_is_read(bench: Bench, data: str) -> None:
    told = await bench.contests.look(data)
    assert (told["pages"], told["facts"], told["left_out"]) == (PAGES, 3, [])
    assert told["groups"]["kind"] == {"receipt": PAGES // 2, "invoice": PAGES // 2}
    assert told["groups"]["tag"] == {"small": 4}
    assert (told["templates"]["one"], told["templates"]["fields"]) == (PAGES, PAGES)
    assert (told["templates"]["table"], told["templates"]["formula"]) == (3, 3), "facts can be told of any answer"
