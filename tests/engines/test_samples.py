"""Several answers to one question: in one request, or one after another where an engine or a server cannot."""

from __future__ import annotations

import math
from contextlib import aclosing
from typing import Any

import numpy as np
import pytest

from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import AskedApart, Capabilities, EngineRequest, Finished, SampleEvent, Started, TextDelta
from ocr_ui.engines.openai_server import OpenAiEngine
from ocr_ui.engines.rapidocr import RapidOcrEngine
from ocr_ui.engines.samples import samples
from ocr_ui.errors import BadInput, EngineFailed
from ocr_ui.settings import Settings
from tests.engines.scripted_server import Answer, chunk, serve, stream
from tests.fakes import Pause, ScriptedEngine

ONE_EACH = Capabilities(tasks=frozenset(Task), takes_prompt=True, varies=True)
TOGETHER = Capabilities(tasks=frozenset(Task), takes_prompt=True, varies=True, answers_together=True)

NO_N = Answer(status=400, parts=['{"error": {"message": "Only one completion choice is allowed", "code": 400}}'])
ALONE = stream(chunk("a"), chunk("lone", finish="stop"))


def request(**sampling: Any) -> EngineRequest:
    asked = {"temperature": 0.8, **sampling}
    return EngineRequest("r1", np.zeros((8, 8, 3), np.uint8), lambda: b"PNG", Task.QA, "What is it?", asked)


def engine_at(url: str, **settings: Any) -> OpenAiEngine:
    return OpenAiEngine(Settings(base_url=url, model="m", _env_file=None, **settings))


async def collected(engine: Any, n: int, asked: EngineRequest | None = None) -> list[tuple[int, SampleEvent]]:
    return [event async for event in samples(engine, asked or request(), n)]


def texts(events: list[tuple[int, SampleEvent]]) -> list[tuple[str, str]]:
    """Text and end of each answer; its parts must make the whole."""
    ends = {index: event.generation for index, event in events if isinstance(event, Finished)}
    for index, generation in ends.items():
        parts = [event.text for at, event in events if at == index and isinstance(event, TextDelta)]
        assert "".join(parts) == generation.text
    return [(ends[index].text, ends[index].finish_reason) for index in sorted(ends)]


def script(text: str) -> list[Any]:
    return [Started(), *map(TextDelta, text), Finished(Generation(text, "stop", len(text)))]


async def test_an_engine_that_can_is_asked_once() -> None:
    engine = ScriptedEngine(script("one"), TOGETHER, [script("first"), script("second")])
    events = await collected(engine, 3)
    assert texts(events) == [("first", "stop"), ("second", "stop"), ("first", "stop")]
    assert len(engine.seen) == 1
    assert [index for index, _ in events[:6]] == [0, 1, 2, 0, 1, 2], "the answers come side by side"


async def test_an_engine_that_cannot_is_asked_one_by_one_and_that_is_said() -> None:
    engine = ScriptedEngine(script("one"), ONE_EACH)
    events = await collected(engine, 3, request(seed=7))
    assert events[0] == (0, AskedApart())
    assert texts(events) == [("one", "stop")] * 3
    assert [asked.sampling["seed"] for asked in engine.seen] == [7, 8, 9], "with one seed all answers would be the same"


async def test_stopping_the_first_of_several_starts_no_other() -> None:
    engine = ScriptedEngine([Started(), TextDelta("a"), Pause(5), TextDelta("b")], ONE_EACH)
    events = []
    async for index, event in samples(engine, request(), 3):
        events.append((index, event))
        if isinstance(event, TextDelta):
            await engine.abort("r1")
    ends = [event.generation.finish_reason for _, event in events if isinstance(event, Finished)]
    assert ends == ["aborted"] * 3
    assert len(engine.seen) == 1
    assert not engine.running


@pytest.mark.parametrize(
    ("n", "sampling", "code"),
    [
        (0, {}, "bad_sample_count"),
        (65, {}, "bad_sample_count"),
        (2, {"temperature": 0}, "greedy_samples"),
        (2, {"temperature": "hot"}, "greedy_samples"),
        *((1, {"temperature": value}, "sampling_out_of_range") for value in (-1, 2.5, math.inf, math.nan)),
        *((1, {"top_p": value}, "sampling_out_of_range") for value in (0, -1, 1.01, math.nan)),
    ],
)
async def test_what_cannot_be_sampled_is_refused_before_anything_is_asked(
    n: int, sampling: dict[str, Any], code: str
) -> None:
    engine = ScriptedEngine(script("one"), TOGETHER)
    with pytest.raises(BadInput) as caught:
        await collected(engine, n, request(**sampling))
    assert caught.value.code == code
    assert not engine.seen


async def test_the_engine_without_a_model_says_that_its_answer_never_varies() -> None:
    engine = RapidOcrEngine(Settings(_env_file=None))
    with pytest.raises(BadInput) as caught:
        await collected(engine, 8)
    assert caught.value.code == "engine_never_varies"


async def test_a_server_is_asked_once_and_the_answers_are_told_apart() -> None:
    both = stream(
        chunk("", index=0),
        chunk("B", index=1, logprob=-0.5),
        chunk("A", index=0, logprob=-0.25),
        chunk("b", index=1, finish="length", logprob=-1.5),
        chunk("a", index=0, finish="stop", logprob=-0.75),
    )
    async with serve(both) as server, aclosing_engine(server.url) as engine:
        events = await collected(engine, 2)
    assert texts(events) == [("Aa", "stop"), ("Bb", "length")]
    assert [question["n"] for question in server.questions] == [2]
    assert [e.logprobs for i, e in events if i == 1 and isinstance(e, TextDelta)] == [(-0.5,), (-1.5,)]
    assert not any(isinstance(event, AskedApart) for _, event in events)
    first_end = next(place for place, (_, event) in enumerate(events) if isinstance(event, Finished))
    assert events[first_end][0] == 1, "an answer that has ended is told before the others have"
    assert isinstance(events[first_end + 1][1], TextDelta)


def aclosing_engine(url: str, **settings: Any) -> Any:
    class Closed:
        async def __aenter__(self) -> OpenAiEngine:
            self.engine = engine_at(url, **settings)
            return self.engine

        async def __aexit__(self, *_: object) -> None:
            await self.engine.close()

    return Closed()


async def test_a_server_that_refuses_several_is_asked_one_by_one_from_then_on() -> None:
    async with serve(NO_N, ALONE) as server, aclosing_engine(server.url) as engine:
        events = await collected(engine, 2, request(seed=3))
        await collected(engine, 2)
    assert events[0] == (0, AskedApart())
    assert texts(events) == [("alone", "stop")] * 2
    assert [question.get("n", 1) for question in server.questions] == [2, 1, 1, 1, 1]
    assert [question.get("seed") for question in server.questions[:3]] == [3, 3, 4]


async def test_a_server_that_gives_one_answer_all_the_same_is_asked_for_the_others() -> None:
    async with serve(ALONE) as server, aclosing_engine(server.url) as engine:
        events = await collected(engine, 3)
        await collected(engine, 2)
    assert texts(events) == [("alone", "stop")] * 3
    assert [index for index, event in events if isinstance(event, AskedApart)] == [1]
    assert [question.get("n", 1) for question in server.questions] == [3, 1, 1, 1, 1]


async def test_a_request_that_is_refused_either_way_does_not_count_against_the_server() -> None:
    both = stream(chunk("A", index=0, finish="stop"), chunk("B", index=1, finish="stop"))
    async with serve(NO_N, NO_N, both) as server, aclosing_engine(server.url) as engine:
        with pytest.raises(BadInput):
            await collected(engine, 2)
        assert texts(await collected(engine, 2)) == [("A", "stop"), ("B", "stop")]
    assert [question.get("n", 1) for question in server.questions] == [2, 1, 2]


async def test_an_answer_that_breaks_off_beside_a_whole_one_is_a_failure() -> None:
    broken = stream(chunk("A", index=0, finish="stop"), chunk("B", index=1), done=True)
    async with serve(broken) as server, aclosing_engine(server.url) as engine:
        with pytest.raises(EngineFailed) as caught:
            await collected(engine, 2)
    assert caught.value.code == "stream_broken"


async def test_aborting_ends_all_answers_and_keeps_what_came() -> None:
    endless = stream(chunk("A", index=0), chunk("B", index=1, finish="stop"), done=False, hangs=True)
    async with serve(endless) as server, aclosing_engine(server.url) as engine:
        events = []
        async for index, event in samples(engine, request(), 3):
            events.append((index, event))
            if isinstance(event, Finished):
                await engine.abort("r1")
        await server.gone.wait()
    assert texts(events) == [("A", "aborted"), ("B", "stop"), ("", "aborted")]


async def test_a_server_without_a_limit_is_cut_answer_by_answer() -> None:
    long = [chunk("x", index=0, logprob=-1.0) for _ in range(5)]
    both = stream(*long, chunk("B", index=1), *long, chunk("b", index=1, finish="stop"), done=False, hangs=True)
    async with serve(both) as server, aclosing_engine(server.url, max_new_tokens=3) as engine:
        events = await collected(engine, 2)
        await server.gone.wait()
    assert texts(events) == [("xxxx", "length"), ("Bb", "stop")]


async def test_closing_the_answers_frees_the_server() -> None:
    endless = stream(chunk("A", index=0), done=False, hangs=True)
    async with serve(endless) as server, aclosing_engine(server.url) as engine:
        async with aclosing(samples(engine, request(), 2)) as events:
            async for _, event in events:
                if isinstance(event, TextDelta):
                    break
        await server.gone.wait()
        assert not engine._runs
