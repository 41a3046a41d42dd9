"""Readings with as few pixels as a page needs: what the engine gets, what is kept, and the second look."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from fakes import ScriptedEngine, ScriptStep
from stored import add_item, open_store

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.pixels import REDUCED, UNCALIBRATED, Need, SecondLook
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.engines.base import Capabilities, EngineEvent, EngineRequest, Finished, LinesDelta, Started, TextDelta
from ocr_ui.engines.memory_failures import out_of_memory
from ocr_ui.errors import EngineFailed
from ocr_ui.images.need import RULE
from ocr_ui.images.transform import PictureTransform
from ocr_ui.services.conditions import reading_settings
from ocr_ui.services.pixel_rules import MEASURED, need_of
from ocr_ui.services.reading import Progress, ReadRequest
from ocr_ui.services.retries import request_for, retries
from ocr_ui.services.second_look import read_by_need
from ocr_ui.settings import Settings

TEMPLATE = PromptTemplate("full_text", {"en": "Full text"}, Task.SPOTTING, "Read all.")
LINES = Capabilities(tasks=frozenset(Task), gives_boxes=True)
DONE = Finished(Generation())
SETTINGS = Settings(_env_file=None, pixels="need")
NEED = Need(20.0, 1_000, 0.8)


def written() -> np.ndarray:
    """Capitals 40 pixels high."""
    sheet = np.full((800, 1200, 3), 255, np.uint8)
    for number in range(8):
        place = 40, (number + 1) * 90
        cv2.putText(sheet, "THE QUICK BROWN FOX JUMPS", place, cv2.FONT_HERSHEY_SIMPLEX, 40 / 21, (0, 0, 0), 4)
    return sheet


PAGE = written()
AREA = PAGE.shape[0] * PAGE.shape[1]


def said(text: str, sure: float) -> list[ScriptStep]:
    quad = Quad.from_points([(10, 10), (50, 10), (50, 30), (10, 30)])
    return [Started(), LinesDelta((TextLine(text, quad, sure),)), DONE]


class TwoEyes(ScriptedEngine):
    """Plays one script for a copy with fewer pixels and another one for the whole page."""

    def __init__(self, small: list[ScriptStep], whole: list[ScriptStep]) -> None:
        super().__init__(small, LINES)
        self.small, self.whole = small, whole

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        self.script = self.whole if request.pixels.size == 3 * AREA else self.small
        async for event in super().generate(request):
            yield event


async def read(engine: ScriptedEngine, request: ReadRequest | None = None, **more: object) -> list[Progress]:
    asked = request or ReadRequest(TEMPLATE, need=NEED)
    return [step async for step in read_by_need(PAGE, "a" * 64, engine, asked, SETTINGS, **more)]


def codes(step: Progress) -> list[str]:
    return [warning.code for warning in step.content.warnings]


async def test_the_engine_gets_a_small_copy_and_boxes_land_on_the_stored_picture() -> None:
    engine = TwoEyes(said("small", 0.95), said("whole", 0.99))
    last = (await read(engine))[-1]
    (asked,) = engine.seen
    height, width = asked.pixels.shape[:2]
    assert 0.2 < width * height / AREA < 0.35
    choice = last.recognition.pixels
    assert (choice.reason, choice.size, choice.full) == (REDUCED, (width, height), (1200, 800))
    box = last.content.lines[0].quad
    assert box.points[2] == pytest.approx((50 * 1200 / width, 30 * 800 / height), abs=1)
    assert PictureTransform.from_dict(last.recognition.transform).engine_size == (width, height)
    assert codes(last) == [], "a choice is no warning"


@pytest.mark.parametrize("need", [Need(60.0, 1_000), Need(None, 1_000), Need(20.0, AREA)])
async def test_a_page_that_needs_its_pixels_is_copied_as_without_the_rule(need: Need) -> None:
    limited = SETTINGS.model_copy(update={"engine_pixels": 700_001})
    engine = TwoEyes(said("a", 0.9), [])
    for asked in (ReadRequest(TEMPLATE), ReadRequest(TEMPLATE, need=need)):
        last = [step async for step in read_by_need(PAGE, "a" * 64, engine, asked, limited)][-1]
    plain, by_need = engine.seen
    assert np.array_equal(plain.pixels, by_need.pixels)
    assert codes(last) == ["scaled_down"]
    assert last.recognition.pixels.size == by_need.pixels.shape[1::-1]


@pytest.mark.parametrize("asked", [ReadRequest(TEMPLATE), ReadRequest(TEMPLATE, need=NEED, pixels=AREA)])
async def test_without_a_need_or_with_pixels_that_were_asked_for_nothing_is_chosen(asked: ReadRequest) -> None:
    engine = TwoEyes([], said("whole", 0.2))
    last = (await read(engine, asked))[-1]
    assert [one.pixels.size for one in engine.seen] == [3 * AREA]
    assert last.recognition.pixels is None


async def test_an_unsure_page_is_read_again_with_all_pixels_and_the_surer_reading_kept() -> None:
    engine = TwoEyes(said("smail", 0.6), said("small", 0.9))
    steps = await read(engine)
    last = steps[-1]
    assert [one.pixels.size == 3 * AREA for one in engine.seen] == [False, True]
    assert (last.raw, last.state, codes(last)) == ("small", "complete", ["read_in_full"])
    look = last.recognition.pixels.again
    assert (look.small, look.full, look.kept) == (0.6, 0.9, True)
    assert not last.recognition.pixels.reduced
    assert "60%" in last.content.warnings[0].message
    assert any("reading_in_full" in codes(step) for step in steps[:-1]), "the page tells what goes on"
    assert all(step.recognition is None for step in steps[:-1]), "one result"


async def test_the_first_reading_stays_where_all_pixels_make_it_no_surer() -> None:
    last = (await read(TwoEyes(said("small", 0.7), said("worse", 0.6))))[-1]
    assert (last.raw, codes(last)) == ("small", ["read_in_full_vainly"])
    assert last.recognition.pixels.reduced
    assert last.recognition.generation.text == "small"


async def test_the_time_of_both_readings_counts() -> None:
    last = (await read(TwoEyes(said("smail", 0.6), said("small", 0.9))))[-1]
    both = last.recognition
    assert both.generation.seconds == pytest.approx(last.seconds)
    assert both.timings["prepare"] > both.pixels.seconds > 0
    assert both.timings["prepare"] < last.seconds


@pytest.mark.parametrize(
    "end", [EngineFailed("engine_failed", "No.", ""), Finished(Generation(finish_reason="aborted"))]
)
async def test_a_second_reading_that_fails_or_is_stopped_leaves_the_first(end: ScriptStep) -> None:
    last = (await read(TwoEyes(said("small", 0.7), [Started(), end])))[-1]
    assert (last.raw, last.state, last.error) == ("small", "complete", None)
    assert (last.recognition.outcome, codes(last)) == ("complete", ["read_in_full_broken_off"])
    assert "70% sure; reading it with all pixels did not come to its end" in last.content.warnings[0].message
    look = last.recognition.pixels.again
    assert (look.small, look.full, look.kept) == (0.7, None, False)


class NoMemoryForAll(TwoEyes):
    """Reads a copy with half the pixels by a script of its own."""

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        self.small = said("half", self.sure) if len(self.seen) == 2 else self.small
        async for event in super().generate(request):
            yield event


@pytest.mark.parametrize(("sure", "text", "told"), [(0.9, "half", []), (0.5, "small", ["read_in_full_broken_off"])])
async def test_a_second_reading_without_memory_for_all_pixels_is_not_said_to_have_them(
    sure: float, text: str, told: list[str]
) -> None:
    engine = NoMemoryForAll(said("small", 0.7), [Started(), out_of_memory("full")])
    engine.sure = sure
    last = (await read(engine))[-1]
    kept = text == "half"
    assert (last.raw, codes(last)) == (text, [*(["read_smaller", "scaled_down"] if kept else []), *told])
    width, height = last.recognition.pixels.size
    assert last.recognition.pixels.reduced
    assert PictureTransform.from_dict(last.recognition.transform).engine_size == (width, height)


async def test_a_page_on_which_nothing_was_read_small_is_read_again() -> None:
    last = (await read(TwoEyes([Started(), DONE], said("small", 0.9))))[-1]
    assert (last.raw, codes(last)) == ("small", ["read_in_full"])


@pytest.mark.parametrize(("sure", "need"), [(0.81, NEED), (0.1, Need(20.0, 1_000, 0.0))])
async def test_a_sure_page_is_read_once_as_is_any_where_that_is_turned_off(sure: float, need: Need) -> None:
    engine = TwoEyes(said("small", sure), [])
    await read(engine, ReadRequest(TEMPLATE, need=need))
    assert len(engine.seen) == 1


async def test_a_page_that_is_left_while_it_is_read_again_keeps_its_first_reading() -> None:
    kept: list = []
    engine = TwoEyes(said("small", 0.5), [*said("other", 0.9)[:-1], asyncio.Event()])
    steps = read_by_need(PAGE, "a" * 64, engine, ReadRequest(TEMPLATE, need=NEED), SETTINGS, None, kept.append)
    async for step in steps:
        if "reading_in_full" in codes(step):
            break
    await steps.aclose()
    (finish,) = kept
    last = finish()
    assert (last.recognition.generation.text, last.state) == ("small", "complete")
    assert codes(last) == ["read_in_full_broken_off"]
    assert last.recognition.pixels.again == SecondLook(0.5, None, False)
    assert not engine.running


async def test_stop_after_the_first_reading_ends_it_there() -> None:
    stop, engine = asyncio.Event(), TwoEyes(said("small", 0.5), said("other", 0.9))
    steps = []
    async for step in read_by_need(PAGE, "a" * 64, engine, ReadRequest(TEMPLATE, need=NEED), SETTINGS, stop):
        stop.set()
        steps.append(step)
    assert steps[-1].recognition is not None
    assert len(engine.seen) == 1


class Writer(TwoEyes):
    """A model that takes prompts; all that it writes counts in tokens."""

    def __init__(self, small: list[ScriptStep], whole: list[ScriptStep]) -> None:
        super().__init__(small, whole)
        self.capabilities = Capabilities(tasks=frozenset(Task), takes_prompt=True)


NOTHING = [Started(), TextDelta(" ", tokens=30), DONE]
SOMETHING = [Started(), TextDelta("word", tokens=5), DONE]
BROKE_OFF = [Started(), TextDelta("wo", tokens=7), out_of_memory("full")]


@pytest.mark.parametrize(
    ("small", "whole", "own", "all_tokens"),
    [
        (NOTHING, SOMETHING, 5, 35),
        (SOMETHING, [Started(), TextDelta("no", tokens=2), EngineFailed("engine_failed", "No.", "")], 5, 5),
        (NOTHING, [Started(), TextDelta("no", tokens=2), EngineFailed("engine_failed", "No.", "")], 30, 32),
        (NOTHING, BROKE_OFF, 30, 67),
    ],
)
async def test_tokens_of_readings_that_were_replaced_count(
    small: list[ScriptStep], whole: list[ScriptStep], own: int, all_tokens: int
) -> None:
    last = (await read(Writer(small, whole)))[-1]
    assert (last.recognition.generation.tokens, last.all_tokens) == (own, all_tokens)


async def test_tokens_of_a_second_reading_that_is_left_count_too() -> None:
    kept: list = []
    engine = Writer(NOTHING, [Started(), TextDelta("word", tokens=5), asyncio.Event()])
    steps = read_by_need(PAGE, "a" * 64, engine, ReadRequest(TEMPLATE, need=NEED), SETTINGS, None, kept.append)
    async for step in steps:
        if step.raw == "word":
            break
    await steps.aclose()
    (finish,) = kept
    assert finish().all_tokens == 35


async def test_tokens_of_a_reading_without_memory_count_where_the_one_after_it_is_left() -> None:
    kept: list = []
    engine = Writer([Started(), TextDelta("half", tokens=5), asyncio.Event()], BROKE_OFF)
    steps = read_by_need(PAGE, "a" * 64, engine, ReadRequest(TEMPLATE), SETTINGS, None, kept.append)
    async for step in steps:
        if step.raw == "half":
            break
    await steps.aclose()
    (finish,) = kept
    last = finish()
    assert (last.recognition.generation.text, last.all_tokens) == ("half", 12)


# At full resolution, on demand


async def test_what_was_read_small_can_be_read_at_full_resolution() -> None:
    last = (await read(TwoEyes(said("small", 0.95), [])))[-1]
    assert [retry.kind for retry in retries(last.recognition, SETTINGS)] == ["full"]
    asked = request_for(last.recognition, "full", TEMPLATE, SETTINGS)
    assert (asked.whole, asked.pixels) == (True, None)


async def test_what_was_read_whole_offers_nothing() -> None:
    last = (await read(TwoEyes(said("a", 0.5), said("b", 0.9))))[-1]
    assert retries(last.recognition, SETTINGS) == ()


# Which engine needs what


def test_all_pixels_are_the_default_and_nothing_is_looked_up(tmp_path: Path) -> None:
    assert need_of(EngineName("rapidocr"), Settings(_env_file=None), None) is None


def test_a_model_is_given_fewer_pixels_only_where_it_was_measured(tmp_path: Path) -> None:
    ours = EngineName("vllm", model="tencent/HunyuanOCR", revision="r1")
    with open_store(tmp_path) as store:
        assert need_of(ours, SETTINGS, store).target is None
        own = SETTINGS.model_copy(update={"pixels_text_height": 14.0})
        assert need_of(ours, own, store).target is None, "a number of one's own is no measurement"
        store.pixel_calibrations.add(ours, 17.0, RULE, {"pages": 3}, None)
        assert need_of(ours, SETTINGS, store).target == 17.0
        assert need_of(ours, own, store).target == 14.0
        other = EngineName("vllm", model="tencent/HunyuanOCR", revision="r2")
        assert need_of(other, SETTINGS, store).target is None
        store.pixel_calibrations.add(ours, 16.0, RULE - 1, {}, None)
        assert need_of(ours, SETTINGS, store).target == 17.0, "measured by another rule"
        store.pixel_calibrations.add(ours, None, RULE, {}, None)
        assert need_of(ours, SETTINGS, store) is None, "it needs all of them"


def test_the_log_says_once_how_to_measure(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        need_of(EngineName("llama", model="m", revision="never seen"), SETTINGS, None)
    (said,) = (record.getMessage() for record in caplog.records if "never seen" in record.getMessage())
    assert "calibrate pixels --data DIR --engine llama" in said


def test_the_cpu_engine_is_measured() -> None:
    need = need_of(EngineName("rapidocr"), SETTINGS, None)
    assert need == Need(MEASURED["rapidocr"], SETTINGS.pixels_fewest, SETTINGS.pixels_confidence)


async def test_an_engine_that_was_not_measured_reads_with_all_pixels_and_the_result_says_so() -> None:
    engine = TwoEyes([], said("whole", 0.2))
    last = (await read(engine, ReadRequest(TEMPLATE, need=Need(None, 1_000, 0.8))))[-1]
    assert last.recognition.pixels.reason == UNCALIBRATED
    assert [one.pixels.size for one in engine.seen] == [3 * AREA]


def test_settings_of_the_rule_are_told_with_a_reading_only_where_they_matter() -> None:
    usual = reading_settings(Settings(_env_file=None, pixels_fewest=2_000))
    assert not [name for name in usual if name.startswith("pixels")], "what was kept before stays as it is"
    assert reading_settings(SETTINGS)["pixels_fewest"] == SETTINGS.pixels_fewest
    unsure = SETTINGS.model_copy(update={"token_logprobs": False})
    assert reading_settings(unsure) != reading_settings(SETTINGS), "no page is read a second time"


def test_a_stored_reading_keeps_its_choice(tmp_path: Path) -> None:
    last = asyncio.run(read(TwoEyes(said("smail", 0.6), said("small", 0.9))))[-1]
    with open_store(tmp_path) as store:
        item = add_item(store, PageContent())
        plain = store.recognitions.get(item)
        assert plain.recognition.pixels is None
        page = store.pages.get(plain.page_id).page
        again = store.recognitions.add(replace(last.recognition, page_sha256=page.sha256), plain.page_id)
        assert store.recognitions.get(again).recognition.pixels == last.recognition.pixels
