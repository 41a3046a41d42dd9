"""The embedded engine on vLLM's CPU build with a model that knows its pages by heart."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import pytest_asyncio
from fakes import SOON

from ocr_ui.domain.prompt import Task, answer_schema
from ocr_ui.engines import vllm_embedded, vllm_questions
from ocr_ui.engines.asking import messages
from ocr_ui.engines.base import AskedApart, EngineRequest, EngineState, Finished, Health, TextDelta
from ocr_ui.engines.runs import Places
from ocr_ui.engines.samples import samples
from ocr_ui.engines.vllm_embedded import VllmEngine
from ocr_ui.errors import BadInput, EngineBusy, EngineFailed
from ocr_ui.parsing.dispatch import parse
from scripts.tiny_model.book import NO_SYSTEM, TEXT_FIRST, Example, upright
from scripts.tiny_model.network import IMAGE
from tests.vllm_cpu.tiny_engine import BOOK, CARDS, LONG, RIGHT, pixels, read, request, tiny_settings

pytestmark = [pytest.mark.vllm, pytest.mark.asyncio(loop_scope="module")]

STARTED: dict[str, Any] = {}
AT_ONCE = 5.0
"""Seconds: sooner than what is ended here would end by itself, and longer than a busy machine stands still."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(tiny_model: Path) -> AsyncIterator[VllmEngine]:
    engine = VllmEngine(tiny_settings(tiny_model))
    phases: list[str] = []

    async def look() -> None:
        while True:
            phases.append(engine.health().phase)
            await asyncio.sleep(0.02)

    looking = asyncio.create_task(look())
    await asyncio.sleep(0)
    try:
        await anext(engine.generate(request(LONG)))
    except EngineBusy as error:
        STARTED["refused"] = error.code
    await engine.start()
    looking.cancel()
    STARTED["phases"] = list(dict.fromkeys(phases))
    STARTED["looks while loading"] = phases.count("loading")
    yield engine
    await engine.close()
    assert engine.health().state is EngineState.DEAD


async def test_the_page_can_answer_while_the_engine_starts(engine: VllmEngine) -> None:
    assert STARTED["refused"] == "engine_loading"
    assert STARTED["phases"][0] == "waiting"
    assert STARTED["phases"][-2:] == ["checking", "warming"]
    assert STARTED["looks while loading"] > 50, "the event loop stood still"
    assert engine.health().state is EngineState.READY


async def test_what_runs_is_said(engine: VllmEngine) -> None:
    assert {"vllm", "model_class", "model_runner", "attention_backend", "drafts", "memory"} <= set(engine.description)
    assert engine.description["picture_check"] == "passed"


@pytest.mark.parametrize("name", RIGHT)
async def test_every_page_is_read_exactly(engine: VllmEngine, name: str) -> None:
    reading = await read(engine, name)
    assert reading.text == BOOK[name].answer
    assert reading.generation.finish_reason == "stop"


@pytest.mark.parametrize("name", ["identity_card"])
async def test_boxes_are_where_the_lines_are(engine: VllmEngine, name: str) -> None:
    example = Example(name)
    width, height = example.said["size"]
    content = parse(Task.SPOTTING, (await read(engine, f"{name}.example/full_text")).text, (width, height))
    assert [line.text for line in content.lines] == [line["text"] for line in example.said["lines"]]
    for line, said in zip(content.lines, example.said["lines"], strict=True):
        box = line.quad.bounds
        wanted = upright(said["quad"])
        assert (box.left, box.top, box.right, box.bottom) == pytest.approx(wanted, abs=max(width, height) / 1000)


async def test_fields_are_the_examples_fields(engine: VllmEngine) -> None:
    example = Example("invoice")
    content = parse(Task.FIELDS, (await read(engine, "invoice.example/fields")).text, tuple(example.said["size"]))
    assert {field.name: field.value for field in content.fields} == example.said["fields"]


@pytest.mark.parametrize(
    ("broken", "answer"),
    [
        (lambda prompt, picture: messages(prompt, picture)[1:], NO_SYSTEM),
        (lambda prompt, picture: swapped_parts(messages(prompt, picture)), TEXT_FIRST),
    ],
)
async def test_a_wrong_question_shows(
    engine: VllmEngine, monkeypatch: pytest.MonkeyPatch, broken: Callable[..., Any], answer: str
) -> None:
    monkeypatch.setattr(vllm_questions, "messages", broken)
    assert (await read(engine, "invoice")).text == answer


def swapped_parts(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [asked[0], {"role": "user", "content": asked[1]["content"][::-1]}]


async def test_exchanged_channels_show(engine: VllmEngine) -> None:
    asked = request("card")
    reading = await read(engine, replace(asked, pixels=np.ascontiguousarray(asked.pixels[..., ::-1])))
    assert reading.text == BOOK["card/swapped"].answer


async def test_a_picture_that_cannot_be_written_to_is_read(engine: VllmEngine) -> None:
    asked = request("poster")
    frozen = asked.pixels.copy()
    frozen.flags.writeable = False
    assert (await read(engine, replace(asked, pixels=frozen))).text == BOOK["poster"].answer


async def test_sampling_reaches_the_engine(engine: VllmEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = spy(engine, monkeypatch)
    await read(engine, "poster")
    await read(engine, request("poster", repetition_penalty=1.25, max_tokens=99, temperature=0.5, top_p=0.9, top_k=5))
    official, own = seen
    assert (official.temperature, official.top_p, official.repetition_penalty) == (0, 1, 1.08)
    assert official.top_k <= 0
    assert (official.max_tokens, official.logprobs) == (1024, 0)
    assert (own.temperature, own.top_p, own.top_k) == (0.5, 0.9, 5)
    assert (own.repetition_penalty, own.max_tokens) == (1.25, 99)


def spy(engine: VllmEngine, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    seen: list[Any] = []
    generate = engine._llm.generate

    def watched(prompt: Any, params: Any, *rest: Any, **named: Any) -> Any:
        seen.append(params)
        return generate(prompt, params, *rest, **named)

    monkeypatch.setattr(engine._llm, "generate", watched)
    return seen


async def test_the_question_reaches_vllm_as_the_template_wrote_it(
    engine: VllmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate, seen = engine._llm.generate, []

    def watched(prepared: Any, *rest: Any) -> Any:
        seen.append(prepared)
        return generate(prepared, *rest)

    monkeypatch.setattr(engine._llm, "generate", watched)
    await read(engine, "poster")
    tokenizer = engine._llm.renderer.get_tokenizer()
    question = tokenizer.apply_chat_template(BOOK["poster"].messages, tokenize=False)
    (prepared,) = seen
    (place,) = prepared["mm_placeholders"]["image"]
    ids = prepared["prompt_token_ids"]
    without_picture = ids[: place.offset] + ids[place.offset + place.length :]
    mark = tokenizer.convert_tokens_to_ids(IMAGE)
    assert place.length > 1
    assert set(ids[place.offset : place.offset + place.length]) == {mark}
    asked = tokenizer.encode(question, add_special_tokens=False)
    assert without_picture == [token for token in asked if token != mark], "the tokenizer must add no mark of its own"


async def test_pictures_are_sent_as_bytes(engine: VllmEngine) -> None:
    assert engine.description["pictures"] == "sent as bytes"
    prepared = await engine._questions.prepare("OCR", pixels("poster"))
    (element,) = prepared["mm_kwargs"]["image"]
    assert element["pixel_values"].data.dtype.itemsize == 1
    assert element["pixel_values"].data.numel() <= pixels("poster").size


async def test_a_limit_cuts_the_answer(engine: VllmEngine) -> None:
    reading = await read(engine, request(LONG, max_tokens=5))
    assert (reading.generation.finish_reason, reading.generation.tokens) == ("length", 5)
    assert BOOK[LONG].answer.startswith(reading.text)


async def test_each_token_comes_with_its_probability(engine: VllmEngine) -> None:
    reading = await read(engine, "news/translate")
    assert "".join(piece for delta in reading.deltas for piece in delta.pieces) == reading.text
    logprobs = [value for delta in reading.deltas for value in delta.logprobs]
    assert len(logprobs) == reading.generation.tokens - 1, "all but the mark that ends the answer"
    assert max(logprobs) <= 0
    assert min(logprobs) > -0.7, "known by heart"


async def test_probabilities_can_be_left_out(engine: VllmEngine) -> None:
    reading = await read(engine, request("poster", logprobs=False))
    assert reading.text == BOOK["poster"].answer
    assert not any(delta.logprobs or delta.pieces for delta in reading.deltas)


async def test_a_schema_holds_the_answer(engine: VllmEngine) -> None:
    schema = {
        "type": "object",
        "properties": {"only": {"enum": ["this"]}},
        "required": ["only"],
        "additionalProperties": False,
    }
    reading = await read(engine, request("invoice/fields", json_schema=schema))
    assert json.loads(reading.text) == {"only": "this"}


async def test_pages_read_at_once_keep_their_answers(engine: VllmEngine) -> None:
    assert len(CARDS) == 32
    readings = await asyncio.gather(*[read(engine, name) for name in CARDS])
    assert [reading.text for reading in readings] == [BOOK[name].answer for name in CARDS]


async def test_vllm_tells_of_its_queue_its_cache_and_its_times(engine: VllmEngine) -> None:
    before = engine.load()
    assert (before.places, before.running, before.waiting) == (32, 0, 0)
    async with aclosing(engine.generate(request(LONG))) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                break
        during = engine.load()
    await asyncio.wait_for(nothing_runs(engine), AT_ONCE)
    assert (during.running, during.waiting) == (1, 0)
    assert 0 < during.cache < 1
    reading = await read(engine, "poster")
    after = engine.load()
    assert (after.running, after.waiting, after.cache) == (0, 0, 0)
    assert after.tokens - during.tokens >= reading.generation.tokens
    assert after.prompt_tokens > during.prompt_tokens
    assert after.picture_seconds > before.picture_seconds
    assert after.answer_seconds > before.answer_seconds
    assert (after.drafts, after.preemptions) == (0, 0)


async def test_a_hundred_aborts_leave_nothing_running(engine: VllmEngine) -> None:
    ways = [by_abort, by_closing, by_cancelling]
    for round_ in range(10):
        ended = [ways[(round_ + i) % 3](engine, after=i % 4) for i in range(10)]
        await asyncio.gather(*ended)
        await asyncio.wait_for(nothing_runs(engine), AT_ONCE)
    assert await engine._llm.reset_prefix_cache(), "pages still hold memory in vLLM's own process"
    assert not engine._runs
    assert (await read(engine, "poster")).text == BOOK["poster"].answer


async def nothing_runs(engine: VllmEngine) -> None:
    while engine.running():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def by_abort(engine: VllmEngine, after: int) -> None:
    asked = request(LONG)
    deltas, last = 0, None
    async for event in engine.generate(asked):
        deltas += isinstance(event, TextDelta)
        if deltas == after:
            await engine.abort(asked.id)
        last = event
    assert last.generation.finish_reason == "aborted"
    assert BOOK[LONG].answer.startswith(last.generation.text)


async def by_closing(engine: VllmEngine, after: int) -> None:
    async with aclosing(engine.generate(request(LONG))) as events:
        for _ in range(after + 1):
            await anext(events)


async def by_cancelling(engine: VllmEngine, after: int) -> None:
    reached = asyncio.Event()

    async def reader() -> None:
        count = 0
        async for _ in engine.generate(request(LONG)):
            if count == after:
                reached.set()
            count += 1

    task = asyncio.create_task(reader())
    await reached.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_answers_to_several_pictures_come_in_one_request_each(
    engine: VllmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = spy(engine, monkeypatch)
    names = CARDS[:3]
    drawn = await asyncio.gather(*[answers_to(engine, request(name, temperature=1.0), 8) for name in names])
    assert [params.n for params in seen] == [8] * 3
    for name, ends in zip(names, drawn, strict=True):
        right = [end.generation.text == BOOK[name].answer for end in ends]
        assert sum(right) >= 6, "known by heart: only now and then does an unlikely token come"
        assert {end.generation.finish_reason for end in ends} == {"stop"}
    await asyncio.wait_for(nothing_runs(engine), AT_ONCE)


async def test_answers_drawn_hot_differ_and_a_seed_brings_them_again(engine: VllmEngine) -> None:
    asked = {"temperature": 2.0, "max_tokens": 60, "seed": 5}
    drawn = [await answers_to(engine, request(LONG, **asked), 4) for _ in range(2)]
    first, second = ([end.generation.text for end in ends] for ends in drawn)
    assert len(set(first)) > 1
    assert first == second


@pytest.mark.parametrize("way", ["abort", "close"])
async def test_all_answers_to_a_question_end_as_one(engine: VllmEngine, way: str) -> None:
    asked = request(LONG, temperature=1.0)
    texts, ends, most = ["", "", "", ""], [], 0
    async with aclosing(samples(engine, asked, 4)) as events:
        async for index, event in events:
            most = max(most, engine.running())
            if isinstance(event, TextDelta):
                texts[index] += event.text
            if isinstance(event, Finished):
                ends.append((index, event.generation))
            if all(texts):
                if way == "close":
                    break
                await engine.abort(asked.id)
    assert most == 4
    if way == "abort":
        assert [generation.finish_reason for _, generation in sorted(ends)] == ["aborted"] * 4
        assert [generation.text for _, generation in sorted(ends)] == texts
    await asyncio.wait_for(nothing_runs(engine), AT_ONCE)
    assert await engine._llm.reset_prefix_cache(), "answers still hold memory in vLLM's own process"
    assert not engine._runs
    assert (await read(engine, "poster")).text == BOOK["poster"].answer


async def answers_to(engine: VllmEngine, asked: EngineRequest, n: int) -> list[Finished]:
    """The end of each answer, in order; its parts must make the whole."""
    texts, ends = [""] * n, {}
    async for index, event in samples(engine, asked, n):
        assert not isinstance(event, AskedApart)
        if isinstance(event, TextDelta):
            texts[index] += event.text
        if isinstance(event, Finished):
            ends[index] = event
    assert [ends[index].generation.text for index in range(n)] == texts
    return [ends[index] for index in range(n)]


async def test_a_page_that_waits_for_its_turn_can_be_aborted(
    engine: VllmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_places", Places(1))
    asked = request(LONG)
    async with aclosing(engine.generate(request(LONG))) as first:
        await anext(first)
        waiting = asyncio.create_task(anext(engine.generate(asked)))
        while asked.id not in engine._runs:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await engine.abort(asked.id)
        event = await asyncio.wait_for(waiting, SOON)
    assert event.generation.finish_reason == "aborted"
    assert (await read(engine, "poster")).text == BOOK["poster"].answer, "the place was given back"


@pytest.mark.parametrize("limits", [{"first_token_timeout": 0.001}, {"silence_timeout": 0.0001}])
async def test_silence_ends_a_page_but_not_the_engine(
    engine: VllmEngine, monkeypatch: pytest.MonkeyPatch, limits: dict[str, float]
) -> None:
    monkeypatch.setattr(vllm_embedded, "WATCH_SECONDS", 0.01)
    await asyncio.sleep(0.5)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_settings", engine._settings.model_copy(update=limits))
        reading = await read(engine, LONG)
    assert reading.generation.finish_reason == "timeout"
    assert BOOK[LONG].answer.startswith(reading.text)
    assert (await read(engine, "poster")).text == BOOK["poster"].answer
    await asyncio.wait_for(nothing_runs(engine), AT_ONCE)
    assert engine.health().state is EngineState.READY


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"prompt": "Read <｜hy_User｜> this"}, "special_token_in_prompt"),
        ({"prompt": "word " * 3000}, "picture_over_budget"),
        ({"pixels": np.full((4, 1200, 3), 255, np.uint8)}, "picture_too_narrow"),
        ({"sampling": {"temperature": -1}}, "bad_sampling"),
        ({"sampling": {"temprature": 1}}, "unknown_sampling"),
    ],
)
async def test_a_bad_request_fails_alone(engine: VllmEngine, changes: dict[str, Any], code: str) -> None:
    good = asyncio.create_task(read(engine, LONG))
    with pytest.raises(BadInput) as caught:
        await read(engine, replace(request("poster"), **changes))
    assert caught.value.code == code
    assert (await good).text == BOOK[LONG].answer


async def test_a_killed_worker_is_noticed_and_the_engine_made_anew(
    engine: VllmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vllm_embedded, "WARM_TOKENS", 0)  # the start's example is refused
    monkeypatch.setattr(engine, "_places", Places(1))
    looks: list[Health] = []
    events = engine.generate(request(LONG))
    while not isinstance(await anext(events), TextDelta):
        pass
    queued = asyncio.create_task(read(engine, "receipt"))
    while len(engine._runs) < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    the_worker().kill()
    with pytest.raises(EngineFailed) as caught:
        await asyncio.wait_for(rest(events), 60)
    assert caught.value.code == "engine_died"
    assert engine.health().state in {EngineState.READY, EngineState.LOADING}
    while not queued.done():
        looks.append(engine.health())
        await asyncio.sleep(0.001)
    assert (await queued).text == BOOK["receipt"].answer, "what waited for its turn is kept"
    (unread,) = [look for look in looks if look.state is EngineState.DEGRADED][-1].problems
    assert (unread.code, unread.details["example"]) == ("example_not_read", "film_still.jpg")
    assert "max_tokens" in unread.message
    assert engine.health().state is EngineState.READY
    assert (await read(engine, LONG)).text == BOOK[LONG].answer


async def rest(events: AsyncIterator[Any]) -> list[Any]:
    return [event async for event in events]


def the_worker() -> psutil.Process:
    """The process that runs the model: the one that vLLM's engine process started last."""
    children = psutil.Process().children(recursive=True)
    return next(p for p in children if "Worker" in p.name() or any("Worker" in part for part in p.cmdline()))


async def test_an_answer_is_held_to_the_names_asked_for(engine: VllmEngine) -> None:
    """The tiny model knows this page's answer by heart, in other names: only the form can bring these about."""
    names = ("Merchant", '总计 "2"')
    asked = replace(request("invoice/fields", json_schema=answer_schema(names), max_tokens=200), task=Task.FIELDS)
    reading = await read(engine, asked)
    assert list(json.loads(reading.text)) == list(names)
    assert reading.generation.finish_reason == "stop"
    assert all(value is None or isinstance(value, str) for value in json.loads(reading.text).values())
    free = await read(engine, "invoice/fields")
    assert list(json.loads(free.text)) != list(names)
