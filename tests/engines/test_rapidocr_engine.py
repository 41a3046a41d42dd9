"""The CPU engine: its queue and its ends with stand-in models, then the real models on drawn pages."""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from ocr_ui.domain.prompt import Task
from ocr_ui.engines import rapid_models, rapidocr
from ocr_ui.engines.base import EngineEvent, EngineRequest, EngineState, Finished, LinesDelta, Started
from ocr_ui.engines.rapid_models import RapidModels, Reading, StopSign
from ocr_ui.engines.rapidocr import RapidOcrEngine
from ocr_ui.errors import EngineBusy, EngineDead, EngineFailed
from ocr_ui.settings import Settings


def request(pixels: np.ndarray, name: str = "r1") -> EngineRequest:
    return EngineRequest(name, pixels, bytes, Task.SPOTTING)


def drawn(width: int, height: int, *texts: tuple[int, int, str], size: int = 28) -> np.ndarray:
    """A white page with texts at left, top, in the font that Pillow brings."""
    image = Image.new("RGB", (width, height), "white")
    font = ImageFont.load_default(size)
    for left, top, text in texts:
        ImageDraw.Draw(image).text((left, top), text, "black", font)
    return np.asarray(image)


async def events_of(stream: AsyncIterator[EngineEvent]) -> list[EngineEvent]:
    async with asyncio.timeout(60):  # a slot that is never freed shows as a failure, not as a test that hangs
        return [event async for event in stream]


def texts_of(events: list[EngineEvent]) -> list[str]:
    return [line.text for event in events if isinstance(event, LinesDelta) for line in event.lines]


class FakeModels:
    """Ten lines below each other; each reading waits until `go` is set."""

    version, model, revision = "1", "fake", "r"

    def __init__(self) -> None:
        self.go = threading.Event()
        self.go.set()
        self.reading = threading.Event()
        self.error: Exception | None = None

    def find(self, picture: np.ndarray, stop: StopSign) -> np.ndarray:
        stop.check()
        tops = [40 * n for n in range(10)]
        return np.float32([[(0, t), (300, t), (300, t + 30), (0, t + 30)] for t in tops])

    def upside_down(self, crops: list[np.ndarray]) -> list[bool]:
        return [False for _ in crops]

    def read(self, crops: list[np.ndarray]) -> list[Reading]:
        self.reading.set()
        self.go.wait(60)
        if self.error:
            raise self.error
        return [Reading("text", 0.99, (0.2, 0.4, 0.6, 0.8)) for _ in crops]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> FakeModels:
    fake = FakeModels()
    monkeypatch.setattr(RapidModels, "load", classmethod(lambda cls: fake))
    return fake


@pytest.fixture
async def engine(models: FakeModels) -> AsyncIterator[RapidOcrEngine]:
    made = RapidOcrEngine(Settings(max_waiting=1))
    await made.start()
    yield made
    models.go.set()
    await made.close()


PAGE = np.full((400, 300, 3), 255, np.uint8)


async def test_lines_come_in_groups_the_first_alone(engine: RapidOcrEngine) -> None:
    events = await events_of(engine.generate(request(PAGE)))
    deltas = [event for event in events if isinstance(event, LinesDelta)]
    assert isinstance(events[0], Started)
    assert [len(delta.lines) for delta in deltas] == [1, 2, 4, 3]
    assert {delta.total for delta in deltas} == {10}
    assert isinstance(events[-1], Finished)
    assert events[-1].generation.finish_reason == "stop"
    assert events[-1].generation.tokens is None


async def test_lines_are_read_beside_each_other_and_told_in_order(
    models: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rapidocr, "cores", lambda: 2)
    both, number = threading.Barrier(2), iter(range(100))

    def read(crops: list[np.ndarray]) -> list[Reading]:
        mine = next(number)
        both.wait(60)  # broken where one thread reads alone
        return [Reading(f"line {mine // 2}", 0.99, (0.2, 0.4, 0.6, 0.8)) for _ in crops]

    monkeypatch.setattr(models, "read", read)
    engine = RapidOcrEngine(Settings())
    await engine.start()
    texts = texts_of(await events_of(engine.generate(request(PAGE))))
    assert texts == [f"line {n // 2}" for n in range(10)]
    await engine.close()


async def test_a_stopped_reading_reads_no_further_lines(engine: RapidOcrEngine, models: FakeModels) -> None:
    models.go.clear()
    reading = asyncio.create_task(events_of(engine.generate(request(PAGE))))
    await asyncio.to_thread(models.reading.wait, 60)
    await engine.abort("r1")
    calls: list[int] = []
    inner = models.read
    models.read = lambda crops: calls.append(len(crops)) or inner(crops)
    models.go.set()
    assert isinstance((await reading)[-1], Finished)
    assert texts_of(await events_of(engine.generate(request(PAGE, "r2")))) == ["text"] * 10
    assert len(calls) <= 10 + rapidocr.lines_at_once()


async def test_lines_of_a_long_page_come_before_the_rest_of_it_is_looked_at(
    engine: RapidOcrEngine, models: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    find = models.find
    monkeypatch.setattr(models, "find", lambda picture, stop: looked.append(len(picture)) or find(picture, stop))
    long = np.random.default_rng(1).integers(0, 255, (6000, 400, 3), np.uint8)
    totals: list[int | None] = []
    async for event in engine.generate(request(long)):
        if isinstance(event, LinesDelta):
            assert totals or len(looked) == 1
            totals.append(event.total)
    assert len(looked) > 2
    assert totals[0] is None
    assert totals[-1] is not None


async def test_before_start_it_is_busy(models: FakeModels) -> None:
    engine = RapidOcrEngine(Settings())
    assert engine.health().state is EngineState.LOADING
    with pytest.raises(EngineBusy, match="loading"):
        await anext(engine.generate(request(PAGE)))
    await engine.close()


async def test_abort_ends_the_stream_and_frees_the_slot(engine: RapidOcrEngine, models: FakeModels) -> None:
    stream = engine.generate(request(PAGE))
    await anext(stream)
    first = await anext(stream)
    assert isinstance(first, LinesDelta)
    await engine.abort("r1")
    last = await anext(stream)
    assert isinstance(last, Finished)
    assert last.generation.finish_reason == "aborted"
    assert len(texts_of(await events_of(engine.generate(request(PAGE, "r2"))))) == 10


async def test_abort_of_an_unknown_request_is_ignored(engine: RapidOcrEngine) -> None:
    await engine.abort("nobody")


async def test_a_closed_stream_frees_the_slot(engine: RapidOcrEngine) -> None:
    stream = engine.generate(request(PAGE))
    await anext(stream)
    await stream.aclose()
    assert len(texts_of(await events_of(engine.generate(request(PAGE, "r2"))))) == 10


async def test_a_cancelled_reading_stops_and_frees_the_slot(engine: RapidOcrEngine, models: FakeModels) -> None:
    models.go.clear()
    task = asyncio.create_task(events_of(engine.generate(request(PAGE))))
    await asyncio.to_thread(models.reading.wait, 60)
    task.cancel()
    models.go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(texts_of(await events_of(engine.generate(request(PAGE, "r2"))))) == 10


async def test_a_reading_that_is_cancelled_twice_leaves_no_error_behind(
    engine: RapidOcrEngine, models: FakeModels
) -> None:
    told: list[dict] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    models.error = RuntimeError("ended in the middle")
    models.go.clear()
    task = asyncio.create_task(events_of(engine.generate(request(PAGE))))
    await asyncio.to_thread(models.reading.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    models.go.set()
    await engine.close()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gc.collect()
    assert told == []


async def test_one_reads_one_waits_the_next_is_refused(engine: RapidOcrEngine, models: FakeModels) -> None:
    models.go.clear()
    reading = asyncio.create_task(events_of(engine.generate(request(PAGE, "r1"))))
    await asyncio.to_thread(models.reading.wait, 60)
    waiting = asyncio.create_task(events_of(engine.generate(request(PAGE, "r2"))))
    await asyncio.sleep(0)
    with pytest.raises(EngineBusy) as refused:
        await anext(engine.generate(request(PAGE, "r3")))
    assert refused.value.code == "queue_full"
    assert (engine.load().running, engine.load().waiting) == (1, 1)
    assert not waiting.done()
    models.go.set()
    assert len(texts_of(await reading)) == len(texts_of(await waiting)) == 10


async def test_abort_while_waiting_gives_the_place_away(engine: RapidOcrEngine, models: FakeModels) -> None:
    models.go.clear()
    reading = asyncio.create_task(events_of(engine.generate(request(PAGE, "r1"))))
    await asyncio.to_thread(models.reading.wait, 60)
    waiting = asyncio.create_task(events_of(engine.generate(request(PAGE, "r2"))))
    await asyncio.sleep(0)
    await engine.abort("r2")
    (only,) = await waiting
    assert isinstance(only, Finished)
    assert only.generation.finish_reason == "aborted"
    third = asyncio.create_task(events_of(engine.generate(request(PAGE, "r3"))))
    models.go.set()
    assert len(texts_of(await reading)) == len(texts_of(await third)) == 10


async def test_a_failing_model_fails_this_request_alone(engine: RapidOcrEngine, models: FakeModels) -> None:
    models.error = ValueError("bad tensor")
    with pytest.raises(EngineFailed, match="bad tensor"):
        await events_of(engine.generate(request(PAGE)))
    models.error = None
    assert len(texts_of(await events_of(engine.generate(request(PAGE, "r2"))))) == 10


async def test_close_ends_readings(models: FakeModels) -> None:
    engine = RapidOcrEngine(Settings())
    await engine.start()
    stream = engine.generate(request(PAGE))
    await anext(stream)
    await engine.close()
    assert engine.health().state is EngineState.DEAD
    with pytest.raises(EngineDead):
        await anext(engine.generate(request(PAGE, "r2")))


async def test_a_missing_model_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rapid_models.FILES, "Rec", "no_such_model.onnx")
    engine = RapidOcrEngine(Settings())
    with pytest.raises(EngineDead, match=r"no_such_model\.onnx") as dead:
        await engine.start()
    assert dead.value.code == "model_file_missing"
    assert engine.health().state is EngineState.DEAD
    await engine.close()


def test_a_missing_package_is_reported_when_the_engine_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rapid_models, "find_spec", lambda name: None)
    with pytest.raises(EngineDead, match="pip install"):
        RapidOcrEngine(Settings())


@pytest.fixture(scope="module")
def real() -> Iterator[RapidModels]:
    """The real models, loaded without any network."""

    def refuse(*_: object) -> None:
        raise AssertionError("the engine tried to reach the network")

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", refuse)
    yield RapidModels.load()
    patch.undo()


@pytest.fixture
async def real_engine(real: RapidModels, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RapidOcrEngine]:
    monkeypatch.setattr(RapidModels, "load", classmethod(lambda cls: real))
    made = RapidOcrEngine(Settings())
    await made.start()
    yield made
    await made.close()


async def test_a_page_is_read_with_boxes_where_the_text_stands(real_engine: RapidOcrEngine) -> None:
    page = drawn(700, 300, (40, 30, "Lamp oil for the lighthouse"), (40, 130, "Total 12.50"), (460, 130, "Page 7"))
    events = await events_of(real_engine.generate(request(page)))
    assert texts_of(events) == ["Lamp oil for the lighthouse", "Total 12.50", "Page 7"]
    lines = [line for event in events if isinstance(event, LinesDelta) for line in event.lines]
    dark = np.argwhere(page[..., 0] < 128)
    for line, (left, top) in zip(lines, [(40, 30), (40, 130), (460, 130)], strict=True):
        box = line.quad.bounds
        inside = dark[(dark[:, 0] >= top - 5) & (dark[:, 0] < top + 60)]
        inside = inside[(inside[:, 1] >= box.left) & (inside[:, 1] <= box.right)]
        assert abs(box.left - left) < 12
        assert box.top <= inside[:, 0].min() + 3
        assert box.bottom >= inside[:, 0].max() - 3
        assert line.confidence > 0.8
    assert real_engine.name.model.startswith("PP-OCRv6")
    assert len(real_engine.name.revision) == 12


async def test_colours_arrive_as_rgb(real_engine: RapidOcrEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []
    find = RapidModels.find

    def watch(models: RapidModels, picture: np.ndarray, stop: StopSign) -> np.ndarray:
        seen.append(picture)
        return find(models, picture, stop)

    monkeypatch.setattr(RapidModels, "find", watch)
    red = np.zeros((64, 64, 3), np.uint8)
    red[..., 0] = 255
    await events_of(real_engine.generate(request(red)))
    assert seen[0][32, 32].tolist() == [0, 0, 255]


@pytest.mark.parametrize("shape", [(600, 400, 3), (1, 1, 3), (3, 900, 3), (2000, 2, 3)])
async def test_a_blank_picture_is_empty_and_no_error(real_engine: RapidOcrEngine, shape: tuple[int, ...]) -> None:
    events = await events_of(real_engine.generate(request(np.full(shape, 255, np.uint8))))
    assert texts_of(events) == []
    assert isinstance(events[-1], Finished)
    assert [warning.code for warning in events[-1].warnings] == ["empty"]


async def test_a_receipt_ten_times_as_long_as_wide(real_engine: RapidOcrEngine) -> None:
    wanted = [f"Item number {n} costs {n}.50" for n in range(100, 130)]
    page = drawn(400, 4000, *[(20, 20 + 130 * n, text) for n, text in enumerate(wanted)], size=26)
    assert texts_of(await events_of(real_engine.generate(request(page)))) == wanted


async def test_a_strip_of_one_line(real_engine: RapidOcrEngine) -> None:
    words = " ".join(f"word{n}" for n in range(100, 160))
    page = drawn(8000, 60, (20, 10, words), size=30)
    read = "".join(texts_of(await events_of(real_engine.generate(request(page)))))
    assert read.replace(" ", "") == words.replace(" ", "")


FOREIGN = Path(__file__).with_name("arabic_words.png")


async def test_a_script_that_the_models_do_not_know_is_said_to_be_so(real_engine: RapidOcrEngine) -> None:
    pixels = np.asarray(Image.open(FOREIGN).convert("RGB"))
    events = await events_of(real_engine.generate(request(pixels)))
    assert texts_of(events) == []
    assert [warning.code for warning in events[-1].warnings] == ["unreadable_script"]
