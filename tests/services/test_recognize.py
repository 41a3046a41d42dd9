from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from fakes import SOON, Pause, ScriptedEngine, ScriptStep
from stored import open_store

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import (
    Capabilities,
    EngineEvent,
    EngineRequest,
    EngineState,
    Finished,
    Health,
    LinesDelta,
    Started,
    TextDelta,
)
from ocr_ui.engines.memory_failures import out_of_memory
from ocr_ui.errors import BadInput, EngineBusy, EngineDead, EngineFailed, NotFound, StoreFailed, of_note
from ocr_ui.images.door import encode_png
from ocr_ui.metrics import REGISTRY, STAGES
from ocr_ui.services.dataset import Dataset
from ocr_ui.services.engine_entries import EngineEntry
from ocr_ui.services.engines import Engines
from ocr_ui.services.pictures import PageStore, Upright
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.recognize import Reading, Recognizer
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

FULL_TEXT = PromptTemplate("full_text", {"en": "Full text"}, Task.SPOTTING, "Read all.")
LINE = TextLine("one", Quad.from_points([(1, 1), (20, 1), (20, 9), (1, 9)]), 0.75)
DONE = Finished(Generation(finish_reason="stop"))
QUICK = (Started(), LinesDelta((LINE,)), DONE)
LONG = (Started(), LinesDelta((LINE,)), Pause(30), LinesDelta((LINE,)), DONE)


class Bench:
    """A store with one page, and a recognizer over one engine."""

    def __init__(self, store: Store, settings: Settings, engine: ScriptedEngine) -> None:
        self.engine, self.engines = engine, Engines({"scripted": engine})
        self.pages = PageStore(store, settings, Upright(self.engines, settings))
        self.recognizer = Recognizer(store, self.pages, self.engines, settings)
        self.store = store
        self.page_id = 0

    async def all(self, owner: str = "", page_id: int | None = None, **more: str) -> list[Reading]:
        asked = ReadRequest(FULL_TEXT)
        page_id = self.page_id if page_id is None else page_id
        return [step async for step in self.recognizer.read(page_id, asked, owner=owner, **more)]

    async def until_running(self, number: int = 1) -> None:
        async with asyncio.timeout(SOON):
            while len(self.engine.running) != number:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        yield opened


async def bench(store: Store, *script: ScriptStep, engine: ScriptedEngine | None = None) -> Bench:
    lines_only = Capabilities(tasks=frozenset({Task.SPOTTING, Task.TEXT}), gives_boxes=True)
    made = Bench(store, Settings(turn_pages=False), engine or ScriptedEngine(script, lines_only))
    made.engine.capabilities = lines_only
    picture = np.full((100, 200, 3), 255, np.uint8)
    picture[40:60, 20:100] = 0
    made.page_id = (await made.pages.receive(encode_png(picture), "page.png")).page_id
    return made


async def test_the_configured_name_is_kept_and_its_settings_are_used(store: Store) -> None:
    here = await bench(store, *QUICK)
    entries = {
        name: EngineEntry(name, "rapidocr", Settings(engine_pixels=pixels))
        for name, pixels in (("fine", 10_000_000), ("coarse", 5_000))
    }
    coarse = ScriptedEngine(QUICK, here.engine.capabilities)
    engines = Engines({"fine": here.engine, "coarse": coarse}, entries=entries)
    here.recognizer = Recognizer(store, here.pages, engines, Settings())
    items = [(await here.all(engine=name))[-1].recognition_id for name in ("", "coarse")]
    read_by = [store.recognitions.get(item).recognition.engine for item in items]
    assert [engine.name for engine in read_by] == ["fine", "coarse"]
    assert [engine.kind for engine in read_by] == ["scripted", "scripted"]
    assert read_by[1].title == "coarse (scripted)"
    assert here.engine.seen[0].pixels.size == 3 * 20_000
    assert coarse.seen[0].pixels.size <= 3 * 5_000
    await engines.close()


async def test_what_is_stored_is_what_was_shown(store: Store) -> None:
    here = await bench(store, *QUICK)
    last = (await here.all(person="Ann"))[-1]
    stored = store.recognitions.get(last.recognition_id)
    assert stored.recognition == last.progress.recognition
    assert stored.recognition.content == last.progress.content
    assert (stored.page_id, stored.person, stored.recognition.page_sha256) == (here.page_id, "Ann", last.page.sha256)
    assert set(stored.recognition.timings) <= set(STAGES)
    assert "decode_image" in stored.recognition.timings


async def test_a_reading_stands_in_the_dataset(store: Store) -> None:
    here = await bench(store, *QUICK)
    first, second = (await here.all())[-1], (await here.all())[-1]
    rows = (await Dataset(store).list()).rows
    assert [row.id for row in rows] == [second.recognition_id, first.recognition_id]
    assert {row.sha256 for row in rows} == {first.page.sha256}
    assert store.figures.missing() == []


class NoMemoryAtFirst(ScriptedEngine):
    """Writes something before its memory ends, and all of it the second time."""

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        end = DONE if self.seen else out_of_memory("full")
        self.script = [Started(), TextDelta("one", tokens=7), end]
        async for event in super().generate(request):
            yield event


async def test_tokens_of_a_try_that_was_replaced_are_in_the_metrics(store: Store) -> None:
    def counted() -> float:
        return REGISTRY.get_sample_value("ocr_ui_tokens_total", {"engine": "scripted"}) or 0

    here = await bench(store, engine=NoMemoryAtFirst(()))
    here.engine.capabilities = Capabilities(tasks=frozenset(Task), takes_prompt=True)
    before = counted()
    last = (await here.all())[-1]
    assert last.progress.recognition.generation.tokens == 7
    assert counted() - before == 14


async def test_two_readers_and_one_stops(store: Store) -> None:
    here = await bench(store, *LONG)
    ann, bo = asyncio.create_task(here.all("ann")), asyncio.create_task(here.all("bo"))
    await here.until_running(2)
    assert await here.recognizer.stop("ann") == 1
    last = (await ann)[-1]
    assert last.progress.state == "stopped"
    assert len(here.engine.running) == 1
    assert not bo.done()
    assert await here.recognizer.stop("bo") == 1
    await bo
    assert store.recognitions.get(last.recognition_id).recognition.outcome == "stopped"


async def test_stop_without_a_reading_stops_nothing(store: Store) -> None:
    here = await bench(store, *QUICK)
    await here.all("ann")
    assert await here.recognizer.stop("ann") == 0
    assert await here.recognizer.stop("nobody") == 0


async def test_closing_a_reading_frees_the_engine_and_keeps_what_was_read(store: Store) -> None:
    """As a tab does that is closed or loaded again."""
    here = await bench(store, *LONG)
    steps = here.recognizer.read(here.page_id, ReadRequest(FULL_TEXT), owner="ann", person="Ann")
    while not (await anext(steps)).progress.content.lines:
        pass
    await asyncio.wait_for(steps.aclose(), SOON)
    assert not here.engine.running
    kept = store.recognitions.get(await here.recognizer.latest(here.page_id))
    assert (kept.person, kept.recognition.outcome) == ("Ann", "stopped")
    assert [line.text for line in kept.recognition.content.lines] == ["one"]
    assert [warning.code for warning in kept.recognition.content.warnings] == ["stopped"]
    assert await Dataset(store).count() == 1


async def test_a_cancelled_reading_keeps_what_was_read_until_the_store_is_closed(store: Store) -> None:
    here = await bench(store, *LONG)
    read = asyncio.Event()

    async def follow() -> None:
        async for step in here.recognizer.read(here.page_id, ReadRequest(FULL_TEXT)):
            if step.progress.content.lines:
                read.set()

    task = asyncio.create_task(follow())
    await read.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await here.recognizer.close()
    assert store.recognitions.latest(here.page_id).recognition.outcome == "stopped"


async def test_closing_before_anything_was_read_keeps_nothing(store: Store) -> None:
    here = await bench(store, Started(), Pause(30), LinesDelta((LINE,)), DONE)
    steps = here.recognizer.read(here.page_id, ReadRequest(FULL_TEXT))
    await anext(steps)
    await steps.aclose()
    assert await here.recognizer.latest(here.page_id) is None
    assert await Dataset(store).count() == 0


async def test_closing_after_the_end_keeps_one_result(store: Store) -> None:
    here = await bench(store, *QUICK)
    steps = here.recognizer.read(here.page_id, ReadRequest(FULL_TEXT))
    while (last := await anext(steps)).recognition_id is None:
        pass
    await steps.aclose()
    assert await here.recognizer.latest(here.page_id) == last.recognition_id
    assert await Dataset(store).count() == 1


async def test_a_page_that_is_read_elsewhere_is_opened_without_a_long_wait(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ocr_ui.services.recognize.CLOSING_SECONDS", 0.1)
    here = await bench(store, *LONG)
    task = asyncio.create_task(here.all("ann"))
    await here.until_running()
    assert await asyncio.wait_for(here.recognizer.latest(here.page_id), SOON) is None
    await here.recognizer.stop("ann")
    await task
    assert await here.recognizer.stop("ann") == 0


async def test_an_unknown_page(store: Store) -> None:
    here = await bench(store, *QUICK)
    with pytest.raises(NotFound):
        await here.all(page_id=99)
    assert await here.recognizer.stop("") == 0


async def test_an_unknown_engine_and_a_task_it_cannot_do(store: Store) -> None:
    here = await bench(store, *QUICK)
    with pytest.raises(BadInput, match="no engine 'other'"):
        await here.all(engine="other")
    here.engine.capabilities = Capabilities()
    with pytest.raises(BadInput, match="cannot do"):
        await here.all()
    assert await Dataset(store).count() == 0


@pytest.mark.parametrize("error", [EngineFailed("gone", "Gone.", ""), EngineBusy("queue_full", "Full.", "")])
async def test_a_failure_before_anything_was_read_is_told_and_not_stored(store: Store, error: Exception) -> None:
    here = await bench(store, Started(), error)
    last = (await here.all())[-1]
    assert (last.recognition_id, last.progress.state, last.progress.error) == (None, "failed", error)
    assert await Dataset(store).count() == 0


async def test_a_failure_on_the_way_is_stored_with_what_came(store: Store) -> None:
    here = await bench(store, Started(), LinesDelta((LINE,)), EngineFailed("gone", "Gone.", "Try again."))
    last = (await here.all())[-1]
    stored = store.recognitions.get(last.recognition_id).recognition
    assert (stored.outcome, str(of_note(stored.error)), stored.content.lines[0].text) == (
        "failed",
        "Gone. Try again.",
        "one",
    )


async def test_a_store_that_fails_takes_nothing_from_the_screen(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    here = await bench(store, *QUICK)

    def full(*_: object) -> int:
        raise StoreFailed("disk_full", "The disk is full; nothing was saved.", "Free some space.")

    monkeypatch.setattr(store.recognitions, "add", full)
    last = (await here.all())[-1]
    assert [line.text for line in last.progress.content.lines] == ["one"]
    assert (last.progress.state, last.progress.error.code, last.recognition_id) == ("failed", "disk_full", None)


class Loading(ScriptedEngine):
    """Loads until it is let go."""

    def __init__(self) -> None:
        super().__init__(QUICK)
        self.loaded = asyncio.Event()

    async def start(self) -> None:
        await self.loaded.wait()


async def test_it_waits_for_an_engine_that_loads(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ocr_ui.services.engines.LOADING_BEAT", 0.01)
    engine = Loading()
    here = await bench(store, engine=engine)
    steps = []
    async for step in here.recognizer.read(here.page_id, ReadRequest(FULL_TEXT)):
        steps.append(step.progress.state)
        engine.loaded.set()
    assert (steps[0], steps[-1]) == ("waiting", "complete")


async def test_stop_is_heard_while_the_engine_loads(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ocr_ui.services.engines.LOADING_BEAT", 0.01)
    here = await bench(store, engine=Loading())
    task = asyncio.create_task(here.all("ann"))
    while not here.recognizer.is_reading("ann"):  # noqa: ASYNC110
        await asyncio.sleep(0)
    assert await here.recognizer.stop("ann") == 1
    last = (await asyncio.wait_for(task, SOON))[-1]
    assert (last.progress.state, last.recognition_id) == ("stopped", None)
    assert not here.engine.seen
    await here.engines.close()


class Dead(ScriptedEngine):
    async def start(self) -> None:
        raise EngineDead("no_weights", "There are no weights.", "Download them.")

    def health(self) -> Health:
        return Health(EngineState.DEAD)


async def test_a_dead_engine_says_so_and_holds_on_to_no_picture(store: Store) -> None:
    here = await bench(store, engine=Dead([]))
    caught = []
    for _ in range(2):
        with pytest.raises(EngineDead, match="no weights") as error:
            await here.all()
        caught.append(error.value)
    assert caught[0] is not caught[1]
