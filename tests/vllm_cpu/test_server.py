"""The server engine against vLLM's real OpenAI server, which runs the tiny model on the CPU build."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from ocr_ui.engines.base import EngineState, Finished, TextDelta
from ocr_ui.engines.openai_server import OpenAiEngine
from ocr_ui.engines.samples import samples
from ocr_ui.errors import BadInput, EngineDead, EngineFailed
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings
from scripts.tiny_model.book import Example
from tests.processes import free_port
from tests.vllm_cpu.tiny_engine import BOOK, CARDS, LONG, RIGHT, read, request

pytestmark = [pytest.mark.vllm, pytest.mark.asyncio(loop_scope="module")]

ROOT = Path(__file__).resolve().parent.parent.parent
KEY = "secret"
START_SECONDS = 600


@pytest.fixture(scope="module")
def server(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, subprocess.Popen]]:
    """The start line that the README gives, in a process group of its own."""
    port = free_port()
    log = tmp_path_factory.mktemp("server") / "log"
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(tiny_model)]
    command += ["--served-model-name", "tiny", "--host", "127.0.0.1", "--port", str(port), "--api-key", KEY]
    command += ["--dtype", "bfloat16", "--max-model-len", "2048", "--max-num-seqs", "32", "--enforce-eager"]
    command += ["--no-enable-prefix-caching", "--mm-processor-cache-gb", "0"]
    command += ["--structured-outputs-config", '{"backend": "xgrammar", "disable_any_whitespace": true}']
    command += ["--worker-extension-cls", "ocr_ui.engines.worker_extension.Extension"]
    named = {"PYTHONPATH": str(ROOT), "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    with log.open("w") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **named}, stdout=out, stderr=out, start_new_session=True
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", process, log)
        yield f"http://127.0.0.1:{port}", process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)


def wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    for _ in range(START_SECONDS * 2):
        assert process.poll() is None, log.read_text()[-3000:]
        try:
            if httpx.get(url, timeout=30).status_code == 200:
                return
        except httpx.TransportError:
            pass
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"the server is not up after {START_SECONDS} s: {log.read_text()[-3000:]}")


def settings(*urls: str, **changes: object) -> Settings:
    plain = {"base_url": ",".join(urls), "model": "tiny", "api_key": KEY, "max_new_tokens": 1024}
    return Settings(_env_file=None, **{**plain, **changes})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(server: tuple[str, subprocess.Popen]) -> AsyncIterator[OpenAiEngine]:
    engine = OpenAiEngine(settings(f"{server[0]}/v1"))
    await engine.start()
    assert engine.health().state is EngineState.READY
    yield engine
    await engine.close()


@pytest.mark.parametrize("name", [name for name in RIGHT if name not in CARDS])
async def test_every_page_is_read_exactly(engine: OpenAiEngine, name: str) -> None:
    reading = await read(engine, name)
    assert reading.text == BOOK[name].answer
    assert reading.generation.finish_reason == "stop"


async def test_each_token_comes_with_its_probability(engine: OpenAiEngine) -> None:
    reading = await read(engine, "news/translate")
    assert "".join(piece for delta in reading.deltas for piece in delta.pieces) == reading.text
    logprobs = [value for delta in reading.deltas for value in delta.logprobs]
    assert len(logprobs) == reading.generation.tokens - 1, "all but the mark that ends the answer"
    assert -0.7 < min(logprobs) <= max(logprobs) <= 0


async def test_a_limit_cuts_the_answer(engine: OpenAiEngine) -> None:
    reading = await read(engine, request(LONG, max_tokens=5))
    assert (reading.generation.finish_reason, reading.generation.tokens) == ("length", 5)


async def test_a_schema_holds_the_answer(engine: OpenAiEngine) -> None:
    schema = {"type": "object", "properties": {"a": {"enum": ["b"]}}, "required": ["a"], "additionalProperties": False}
    reading = await read(engine, request("invoice/fields", json_schema=schema))
    assert re.sub(r"\s", "", reading.text) == '{"a":"b"}'


async def test_pages_read_at_once_keep_their_answers(engine: OpenAiEngine) -> None:
    readings = await asyncio.gather(*[read(engine, name) for name in CARDS])
    assert [reading.text for reading in readings] == [BOOK[name].answer for name in CARDS]


async def test_answers_to_a_picture_come_in_one_request(
    engine: OpenAiEngine, server: tuple[str, subprocess.Popen], monkeypatch: pytest.MonkeyPatch
) -> None:
    create, asked = engine._servers[0].client.chat.completions.create, []

    async def watched(**question: object) -> object:
        asked.append(question["n"])
        return await create(**question)

    monkeypatch.setattr(engine._servers[0].client.chat.completions, "create", watched)

    async def answers(name: str) -> list[str]:
        events = [event async for event in samples(engine, request(name, temperature=1.0), 4)]
        ends = {index: event.generation.text for index, event in events if isinstance(event, Finished)}
        return [ends[index] for index in range(4)]

    for name, drawn in zip(CARDS[:2], await asyncio.gather(*map(answers, CARDS[:2])), strict=True):
        assert drawn.count(BOOK[name].answer) >= 3, "known by heart: only now and then does an unlikely token come"
    assert asked == [4, 4]
    await asyncio.wait_for(nothing_runs(server[0]), 10)


async def test_aborts_end_the_work_on_the_server(engine: OpenAiEngine, server: tuple[str, subprocess.Popen]) -> None:
    async def stopped(by_abort: bool) -> None:
        asked = request(LONG)
        async with aclosing(engine.generate(asked)) as events:
            while not isinstance(await anext(events), TextDelta):
                pass
            if by_abort:
                await engine.abort(asked.id)
                last = [event async for event in events][-1]
                assert last.generation.finish_reason == "aborted"

    await asyncio.gather(*[stopped(i % 2 == 0) for i in range(20)])
    await asyncio.wait_for(nothing_runs(server[0]), 10)


async def nothing_runs(url: str) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        while True:
            text = (await client.get(f"{url}/metrics")).text
            running = re.findall(r"^vllm:num_requests_(?:running|waiting)\{.*\} ([\d.]+)", text, re.M)
            assert running, "vLLM no longer counts its requests under this name"
            if not any(float(count) for count in running):
                return
            # An idle engine tells its count with the next request's.
            await client.post(
                f"{url}/v1/completions",
                json={"model": "tiny", "prompt": "a", "max_tokens": 1},
                headers={"Authorization": f"Bearer {KEY}"},
            )


async def test_an_address_without_a_server_is_set_aside(server: tuple[str, subprocess.Popen]) -> None:
    engine = OpenAiEngine(settings(f"http://127.0.0.1:{free_port()}/v1", f"{server[0]}/v1"))
    await engine.start()
    assert [(await read(engine, "poster")).text for _ in range(3)] == [BOOK["poster"].answer] * 3
    assert engine.health().state is EngineState.DEGRADED
    await engine.close()


@pytest.mark.parametrize(
    ("path", "changes", "code"),
    [
        ("/v1", {"api_key": "wrong"}, "wrong_key"),
        ("/v1", {"model": "another"}, "server_without_model"),
        ("/docs", {}, "server_without_model"),
    ],
)
async def test_a_wrong_setting_is_named(
    server: tuple[str, subprocess.Popen], path: str, changes: dict[str, str], code: str
) -> None:
    engine = OpenAiEngine(settings(server[0] + path, **changes))
    with pytest.raises(EngineDead) as caught:
        await engine.start()
    assert caught.value.code == code
    await engine.close()


async def test_a_bad_request_fails_alone(engine: OpenAiEngine) -> None:
    with pytest.raises(BadInput) as caught:
        await read(engine, replace(request("poster"), prompt="word " * 3000))
    assert caught.value.code == "picture_over_server"
    assert "OCR_UI_ENGINE_PIXELS" in caught.value.hint
    assert (await read(engine, "poster")).text == BOOK["poster"].answer


async def test_two_engines_of_the_file_read_one_page_and_are_compared(
    server: tuple[str, subprocess.Popen], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_TINY", KEY)
    (tmp_path / "engines.toml").write_text(
        f"""
[[engines]]
name = "tiny"
kind = "openai"
base_url = "{server[0]}/v1"
model = "tiny"
api_key_env = "KEY_OF_TINY"
max_new_tokens = 1024

[[engines]]
name = "cpu"
kind = "rapidocr"
"""
    )
    folders = {"data_dir": tmp_path / "data", "engines_file": tmp_path / "engines.toml"}
    workbench = Workbench.open(Settings(_env_file=None, engine="cpu", turn_pages=False, **folders))
    try:
        data = await workbench.examples.bytes("identity_card")
        page = (await workbench.pictures.receive(data, "card.png")).page_id
        items = []
        for name in ("", "tiny"):
            asked = ReadRequest(workbench.templates.get("full_text"))
            async with aclosing(workbench.recognizer.read(page, asked, engine=name)) as steps:
                last = [step async for step in steps][-1]
            assert last.recognition_id is not None, last.progress.error
            items.append(last.recognition_id)
        found = await workbench.comparer.compare(*items)
    finally:
        await workbench.close()
    sides = [side.recognition.recognition.engine for side in (found.left, found.right)]
    assert [(side.name, side.kind) for side in sides] == [("cpu", "rapidocr"), ("tiny", "openai")]
    rows = found.sections[0].rows
    right = ["".join(text for text, _ in row.right) for row in rows if row.right is not None]
    assert right == [line["text"] for line in Example("identity_card").said["lines"]]
    assert {"same", "text"} & {row.state for row in rows}  # the CPU engine found the same lines, or nearly


async def test_a_killed_server_breaks_the_answer(engine: OpenAiEngine, server: tuple[str, subprocess.Popen]) -> None:
    """The last test of this file: the server is gone after it."""
    events = engine.generate(request(LONG))
    while not isinstance(await anext(events), TextDelta):
        pass
    os.killpg(server[1].pid, signal.SIGKILL)
    server[1].wait(60)
    with pytest.raises(EngineFailed) as caught:
        await asyncio.wait_for(rest(events), 60)
    assert caught.value.code == "stream_broken"
    with pytest.raises(EngineFailed) as caught:
        await read(engine, "poster")
    assert caught.value.code == "server_unreachable"


async def rest(events: AsyncIterator) -> list:
    return [event async for event in events]
