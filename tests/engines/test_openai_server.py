"""The server engine against servers that misbehave. What a real vLLM server answers is tested in tests/vllm_cpu."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ocr_ui.domain.prompt import Task
from ocr_ui.engines.base import EngineEvent, EngineRequest, EngineState, Finished, Started, TextDelta
from ocr_ui.engines.openai_server import OpenAiEngine
from ocr_ui.errors import BadInput, EngineDead, EngineFailed, WorkbenchError
from ocr_ui.settings import Settings
from tests.engines.scripted_server import Answer, chunk, serve, stream
from tests.processes import free_port

HELLO = stream(chunk("Hel", logprob=-0.5), chunk("lo", logprob=-0.25), chunk("", finish="stop"))
HTML = Answer(kind="text/html", parts=["<html>Welcome</html>"])


def request(**sampling: Any) -> EngineRequest:
    return EngineRequest("r1", np.zeros((8, 8, 3), np.uint8), lambda: b"PNG", Task.QA, "What is it?", sampling)


@asynccontextmanager
async def engine_at(*urls: str, **settings: Any) -> AsyncIterator[OpenAiEngine]:
    engine = OpenAiEngine(Settings(base_url=",".join(urls), model="m", _env_file=None, **settings))
    try:
        yield engine
    finally:
        await engine.close()


async def read(engine: OpenAiEngine, asked: EngineRequest | None = None) -> list[EngineEvent]:
    return [event async for event in engine.generate(asked or request())]


async def test_an_answer_streams_with_its_probabilities() -> None:
    async with serve(HELLO) as server, engine_at(server.url) as engine:
        assert engine.health().state is EngineState.LOADING, "nobody has looked at the server yet"
        await engine.start()
        assert engine.health().state is EngineState.READY
        events = await read(engine)
    assert isinstance(events[0], Started)
    assert [e for e in events if isinstance(e, TextDelta)] == [
        TextDelta("Hel", 1, (-0.5,), ("Hel",)),
        TextDelta("lo", 1, (-0.25,), ("lo",)),
    ]
    assert isinstance(events[-1], Finished)
    assert (events[-1].generation.text, events[-1].generation.finish_reason) == ("Hello", "stop")


async def test_the_question_is_asked_as_the_official_scripts_ask() -> None:
    async with serve(HELLO) as server, engine_at(server.url) as engine:
        await read(engine, request(repetition_penalty=1.2, max_tokens=7))
    (asked,) = server.questions
    system, user = asked["messages"]
    assert system == {"role": "system", "content": ""}
    assert [part["type"] for part in user["content"]] == ["image_url", "text"]
    assert user["content"][0]["image_url"]["url"] == "data:image/png;base64,UE5H"
    assert (asked["temperature"], asked["top_p"], asked["top_k"]) == (0, 1, -1)
    assert (asked["repetition_penalty"], asked["max_tokens"]) == (1.2, 7)


@pytest.mark.parametrize(("template", "setting", "sent"), [(8192, 1024, 1024), (7, 1024, 7), (None, 1024, 1024)])
async def test_the_setting_limits_what_a_template_allows(template: int | None, setting: int, sent: int) -> None:
    sampling = {} if template is None else {"max_tokens": template}
    async with serve(HELLO) as server, engine_at(server.url, max_new_tokens=setting) as engine:
        await read(engine, request(**sampling))
    assert server.questions[0]["max_tokens"] == sent


async def test_a_schema_is_handed_on() -> None:
    schema = {"type": "object", "properties": {"total": {"type": "string"}}}
    async with serve(HELLO) as server, engine_at(server.url) as engine:
        await read(engine, request(json_schema=schema, logprobs=False))
    assert server.questions[0]["response_format"]["json_schema"]["schema"] == schema
    assert "logprobs" not in server.questions[0]


@pytest.mark.parametrize(
    ("status", "kind"), [(429, "application/json"), (503, "application/json"), (502, "text/html"), (503, "text/html")]
)
async def test_a_busy_server_is_asked_again(status: int, kind: str) -> None:
    busy = Answer(status=status, kind=kind, head={"retry-after": "0.01"}, parts=["{}"])
    async with serve(busy, busy, HELLO) as server, engine_at(server.url) as engine:
        events = await read(engine)
    assert events[-1].generation.text == "Hello"
    assert len(server.questions) == 3
    names = {
        line.split(": ")[1] for head in server.heads for line in head.split("\r\n") if "x-request-id" in line.lower()
    }
    assert len(names) == 3, "no two tries have the same id"
    assert all(name.startswith("r1-") for name in names)


async def test_a_server_that_stays_busy_is_given_up() -> None:
    busy = Answer(status=429, head={"retry-after": "0"}, parts=["{}"])
    async with serve(busy) as server, engine_at(server.url, server_retries=2) as engine:
        with pytest.raises(EngineFailed) as caught:
            await read(engine)
        assert engine.health().state is EngineState.DEGRADED
    assert caught.value.code == "server_busy"
    assert len(server.questions) == 3


async def test_servers_take_turns_and_a_failing_one_is_set_aside() -> None:
    async with serve(HELLO) as one, serve(HELLO) as other:
        nobody = f"http://127.0.0.1:{free_port()}/v1"
        async with engine_at(nobody, one.url, other.url) as engine:
            for _ in range(5):
                assert (await read(engine))[-1].generation.text == "Hello"
            assert engine.health().state is EngineState.DEGRADED
            assert nobody in engine.health().message
    assert len(one.questions) + len(other.questions) == 5
    assert min(len(one.questions), len(other.questions)) >= 2


async def test_under_load_failing_servers_are_left_alone_and_nothing_is_lost() -> None:
    """Three hundred pages, sixteen at once: one server works, one is busy now and then, one fails, one is not there."""
    busy = Answer(status=429, head={"retry-after": "0.05"}, parts=["{}"])
    failing = Answer(status=500, parts=['{"error": {"message": "it broke"}}'])
    async with serve(HELLO) as good, serve(*[HELLO, HELLO, busy] * 40, HELLO) as lazy, serve(failing) as bad:
        nobody = f"http://127.0.0.1:{free_port()}/v1"
        async with engine_at(nobody, good.url, lazy.url, bad.url) as engine:
            places = asyncio.Semaphore(16)

            async def one(number: int) -> str:
                async with places:
                    return (await read(engine, replace(request(), id=f"r{number}")))[-1].generation.text

            said = await asyncio.gather(*[one(number) for number in range(300)])
            told = engine.health()
    assert said == ["Hello"] * 300
    assert told.state is EngineState.DEGRADED
    assert {error.details["url"] for error in told.problems} >= {nobody, bad.url}
    assert len(bad.questions) <= 20  # sixteen that were under way together, and few tries after that
    assert min(len(good.questions), len(lazy.questions)) > 60


@pytest.mark.parametrize(
    ("answer", "error", "code"),
    [
        (HTML, EngineDead, "server_not_openai"),
        (Answer(status=404, kind="text/html", parts=["<html>"]), EngineDead, "server_not_openai"),
        (Answer(status=401, parts=['{"error": {"message": "no"}}']), EngineDead, "wrong_key"),
        (Answer(status=401, kind="text/html", parts=["<html>"]), EngineDead, "wrong_key"),
        (Answer(status=404, parts=['{"error": {"message": "no model x"}}']), EngineDead, "server_without_model"),
        (Answer(status=400, parts=['{"error": {"message": "too long"}}']), BadInput, "refused_by_engine"),
        (
            Answer(status=400, parts=['{"error": {"message": "Logprobs are not supported"}}']),
            BadInput,
            "server_without_logprobs",
        ),
    ],
)
async def test_a_refusal_is_said_clearly(answer: Answer, error: type[WorkbenchError], code: str) -> None:
    async with serve(answer) as server, engine_at(server.url) as engine:
        with pytest.raises(error) as caught:
            await read(engine)
    assert caught.value.code == code
    assert caught.value.details.get("model", "m") == "m"
    assert len(server.questions) == 1, "asking again cannot help"


@pytest.mark.parametrize(
    ("models", "code"),
    [
        (HTML, "server_not_openai"),
        (Answer(status=401, parts=["{}"]), "wrong_key"),
        (Answer(parts=['{"data": [{"id": "another"}]}']), "server_without_model"),
    ],
)
async def test_a_useless_server_is_noticed_at_the_start(models: Answer, code: str) -> None:
    async with serve(HELLO, models=models) as server, engine_at(server.url) as engine:
        with pytest.raises(EngineDead) as caught:
            await engine.start()
        assert caught.value.code == code
        assert engine.health().state is EngineState.DEAD


async def test_a_server_that_is_not_up_yet_is_no_failure_of_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ocr_ui.engines.openai_server.CHECK_SECONDS", 0.02)
    async with serve(HELLO) as server, engine_at(server.url) as engine:
        engine._servers[0].client.base_url = f"http://127.0.0.1:{free_port()}/v1"
        await engine.start()
        assert engine.health().state is EngineState.DEAD
        engine._servers[0].client.base_url = server.url
        for _ in range(6000):
            await asyncio.sleep(0.01)
            if engine.health().state is EngineState.READY:
                break
        assert engine.health().state is EngineState.READY


@pytest.mark.parametrize("answer", [stream(chunk("Hel"), done=False), stream(chunk("Hel"))])
async def test_half_an_answer_is_no_answer(answer: Answer) -> None:
    async with serve(answer) as server, engine_at(server.url) as engine:
        events = engine.generate(request())
        assert isinstance(await anext(events), Started)
        assert (await anext(events)).text == "Hel"
        with pytest.raises(EngineFailed) as caught:
            await anext(events)
    assert caught.value.code == "stream_broken"


@pytest.mark.parametrize("said", [{"code": 401}, {"code": "invalid_api_key"}, {"type": "authentication_error"}])
async def test_a_key_revoked_in_the_middle_breaks_the_answer_and_names_the_setting(said: dict) -> None:
    revoked = f"data: {json.dumps({'error': {'message': 'key revoked', **said}})}\n\n"
    async with serve(stream(chunk("Hel"), revoked)) as server, engine_at(server.url) as engine:
        with pytest.raises(EngineDead, match=r"key revoked.*OCR_UI_API_KEY") as caught:
            await read(engine)
        assert caught.value.code == "wrong_key"
        assert engine.health().state is EngineState.DEAD


@pytest.mark.parametrize("key", ["ключ-secret", "secret\nline"])
def test_a_key_that_no_header_can_carry_is_said_and_not_told(key: str) -> None:
    with pytest.raises(EngineDead, match="OCR_UI_API_KEY") as caught:
        OpenAiEngine(Settings(_env_file=None, api_key=key))
    assert caught.value.code == "key_not_ascii"
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("password", ["secret", "a@secret"])
async def test_a_password_in_an_address_is_used_and_not_told(password: str) -> None:
    address = f"http://me:{password}@127.0.0.1:{free_port()}/v1"
    async with engine_at(address) as engine:
        assert str(engine._servers[0].client.base_url).startswith(f"http://me:{password.replace('@', '%40')}@")
        await engine.start()
        told = engine.health().message
    assert "cannot be reached" in told
    assert "secret" not in told


async def test_spaces_around_a_key_are_none_of_it() -> None:
    async with serve(HELLO) as server, engine_at(server.url, api_key=" secret\n") as engine:
        assert engine._servers[0].client.api_key == "secret"
        await engine.start()
        assert engine.health().state is EngineState.READY


async def test_another_error_in_the_middle_is_a_broken_answer() -> None:
    failed = 'data: {"error": {"message": "worker lost", "code": 500}}\n\n'
    async with serve(stream(chunk("Hel"), failed)) as server, engine_at(server.url) as engine:
        with pytest.raises(EngineFailed, match=r"broke off: worker lost\. Read") as caught:
            await read(engine)
    assert caught.value.code == "stream_broken"


@pytest.mark.parametrize(
    "garbage",
    [
        "data: {no json\n\n",
        "data: []\n\n",
        'data: {"choices": 5}\n\n',
        'data: {"choices": [{"index": 0, "delta": {"content": 7}}]}\n\n',
        'data: {"choices": [{"index": 0, "delta": {"content": "a"}, "logprobs": {"content": [7]}}]}\n\n',
        'data: {"choices": [{"index": 0}]}\n\n',
    ],
)
async def test_garbage_within_an_answer_breaks_it(garbage: str) -> None:
    async with serve(stream(chunk("Hel"), garbage)) as server, engine_at(server.url) as engine:
        with pytest.raises(EngineFailed) as caught:
            await read(engine)
    assert caught.value.code == "stream_broken"


async def test_a_chunk_without_content_is_none() -> None:
    nothing = 'data: {"choices": [{"index": 0, "delta": null, "finish_reason": null}]}\n\n'
    async with serve(stream(chunk("Hel"), nothing, chunk("lo", finish="stop"))) as server, engine_at(server.url) as e:
        assert (await read(e))[-1].generation.text == "Hello"


@pytest.mark.parametrize("part", [chunk("on ", logprob=-0.1), chunk("on " * 200), chunk("on " * 90_000)])
async def test_a_server_that_knows_no_limit_is_stopped_at_it(part: str) -> None:
    endless = stream(*[part] * 5000, done=False, hangs=True)
    async with serve(endless) as server, engine_at(server.url, max_new_tokens=20) as engine:
        generation = (await read(engine))[-1].generation
        await asyncio.wait_for(server.gone.wait(), 60)
    assert generation.finish_reason == "length"
    assert 20 <= len(generation.text.split()) <= 20 * 128


async def test_abort_closes_the_stream_and_keeps_the_text() -> None:
    async with serve(stream(chunk("Hel"), done=False, hangs=True)) as server, engine_at(server.url) as engine:
        events = []
        async for event in engine.generate(request()):
            events.append(event)
            if isinstance(event, TextDelta):
                await engine.abort("r1")
        async with asyncio.timeout(60):
            await server.gone.wait()
    assert (events[-1].generation.text, events[-1].generation.finish_reason) == ("Hel", "aborted")


async def test_a_reader_that_goes_away_closes_the_stream() -> None:
    async with serve(stream(chunk("Hel"), done=False, hangs=True)) as server, engine_at(server.url) as engine:
        events = engine.generate(request())
        while not isinstance(await anext(events), TextDelta):
            pass
        await events.aclose()
        async with asyncio.timeout(60):
            await server.gone.wait()


@pytest.mark.parametrize("parts", [(), (chunk("Hel"),)])
async def test_silence_ends_the_answer_as_timed_out(parts: tuple[str, ...]) -> None:
    limits = {"first_token_timeout": 0.1, "silence_timeout": 0.1}
    async with serve(stream(*parts, done=False, hangs=True)) as server, engine_at(server.url, **limits) as engine:
        events = await read(engine)
    assert events[-1].generation.finish_reason == "timeout"


async def test_unknown_sampling_is_refused() -> None:
    async with engine_at("http://127.0.0.1:9/v1") as engine:
        with pytest.raises(BadInput) as caught:
            await read(engine, request(temprature=0.1))
    assert caught.value.code == "unknown_sampling"
