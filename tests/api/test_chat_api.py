"""OpenAI's own client against our chat completions."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import httpx
import numpy as np
import openai
import pytest
from fakes import Pause, ScriptedEngine
from live import live, rest_app, until

from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.images.door import encode_png
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

PICTURE = "data:image/png;base64," + base64.b64encode(encode_png(np.full((50, 60, 3), 255, np.uint8))).decode()
ANSWER = (
    Started(),
    TextDelta("总计", 1, (-0.1,), ("总计",)),
    Pause(0.1),
    TextDelta(" 12.50", 2, (-0.2, -0.3), (" 12", ".50")),
    Finished(Generation("总计 12.50", "stop", 3, 0.1)),
)


class Server:
    def __init__(self, url: str, engine: ScriptedEngine) -> None:
        self.url, self.engine = url, engine
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)

    def ask(self, text: str = "Read.", image: str = PICTURE, **more):
        picture = {"type": "image_url", "image_url": {"url": image}}
        messages = [
            {"role": "system", "content": ""},
            {"role": "user", "content": [picture, {"type": "text", "text": text}]},
        ]
        return self.client.chat.completions.create(**{"model": "scripted", "messages": messages, **more})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("chat") / "data")
    engine = ScriptedEngine(ANSWER)
    engine.capabilities = type(engine.capabilities)(
        tasks=engine.capabilities.tasks, takes_prompt=True, varies=True, answers_together=True
    )
    with live(rest_app(settings, Engines({"scripted": engine}))) as url:
        yield Server(url, engine)


def test_the_answer_as_a_whole(server: Server) -> None:
    answer = server.ask("Only the total.", temperature=0.5, max_tokens=77, extra_body={"repetition_penalty": 1.1})
    choice = answer.choices[0]
    assert (choice.message.content, choice.message.role, choice.finish_reason) == ("总计 12.50", "assistant", "stop")
    assert answer.usage.completion_tokens == 3
    asked = server.engine.seen[-1]
    assert asked.prompt == "Only the total."
    assert asked.pixels.shape == (50, 60, 3)
    assert asked.sampling == {"temperature": 0.5, "max_tokens": 77, "repetition_penalty": 1.1, "logprobs": False}
    assert httpx.get(f"{server.url}/v1/recognitions", timeout=60).json()["total"] == 0, "nothing is stored"


def test_the_answer_as_it_comes(server: Server) -> None:
    chunks = list(server.ask(stream=True, stream_options={"include_usage": True}))
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(texts) == "总计 12.50"
    assert len([text for text in texts if text]) == 2
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert chunks[-1].usage.completion_tokens == 3


def test_probabilities_of_tokens(server: Server) -> None:
    told = server.ask(logprobs=True).choices[0].logprobs.content
    assert [(one.token, one.logprob) for one in told] == [("总计", -0.1), (" 12", -0.2), (".50", -0.3)]
    streamed = [
        one.token
        for chunk in server.ask(logprobs=True, stream=True)
        if chunk.choices[0].logprobs
        for one in chunk.choices[0].logprobs.content
    ]
    assert streamed == ["总计", " 12", ".50"]


def test_several_answers(server: Server) -> None:
    answer = server.ask(n=3, temperature=0.8)
    assert [(one.index, one.message.content) for one in answer.choices] == [(n, "总计 12.50") for n in range(3)]
    assert answer.usage.completion_tokens == 9


def test_null_is_what_was_not_asked_for(server: Server) -> None:
    answer = server.ask(n=None, stream=None, temperature=None, extra_body={"model": None})
    assert answer.choices[0].message.content == "总计 12.50"


def test_models_are_the_engines(server: Server) -> None:
    assert [model.id for model in server.client.models.list()] == ["scripted"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("more", "error", "code"),
    [
        ({"model": "gpt-4o"}, openai.NotFoundError, "unknown_model"),
        ({"image": "https://example.com/a.png"}, openai.BadRequestError, "no_fetching"),
        ({"image": "data:image/png;base64,AAAA"}, openai.BadRequestError, "not_a_picture"),
        ({"stop": ["x"]}, openai.BadRequestError, "chat_not_possible"),
        ({"messages": [{"role": "user", "content": "text alone"}]}, openai.BadRequestError, "chat_not_possible"),
        ({"messages": []}, openai.UnprocessableEntityError, "malformed"),
        ({"n": 2, "temperature": 0}, openai.BadRequestError, "greedy_samples"),
    ],
)
def test_refusals_reach_the_client_as_its_own_errors(server: Server, more, error, code: str, stream: bool) -> None:
    with pytest.raises(error) as refused:
        server.ask(**more, stream=stream)
    assert refused.value.code == code


def test_an_engine_that_says_nothing_at_all_is_a_failure(server: Server) -> None:
    script, server.engine.answers = server.engine.answers, ((Started(), Finished(Generation("", "timeout", 0, 30.0))),)
    try:
        with pytest.raises(openai.APIStatusError) as failed:
            server.ask(n=2, temperature=0.7)
    finally:
        server.engine.answers = script
    assert (failed.value.status_code, failed.value.code) == (504, "nothing_came")


def test_a_client_that_goes_away_frees_the_engine(server: Server) -> None:
    script, server.engine.script = server.engine.script, (Started(), TextDelta("a"), Pause(600), *ANSWER[1:])
    try:
        stream = server.ask(stream=True)
        next(iter(stream))
        until(lambda: bool(server.engine.running))
        stream.close()
        until(lambda: not server.engine.running)
        with pytest.raises(openai.APITimeoutError):
            server.ask(timeout=0.8)
        until(lambda: not server.engine.running)
    finally:
        server.engine.script = script
