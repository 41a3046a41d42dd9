"""Starting, watching and stopping a llama-server, shown with a program that stands for it: no weights are needed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ocr_ui.domain.prompt import Task
from ocr_ui.engines import llama_server
from ocr_ui.engines.base import EngineRequest, EngineState
from ocr_ui.engines.llama_server import LlamaEngine
from ocr_ui.errors import EngineBusy, EngineDead
from ocr_ui.settings import Settings

FAKE = Path(__file__).parent / "fake_llama_server.py"
ASKED = EngineRequest("r1", np.zeros((8, 8, 3), np.uint8), lambda: b"PNG", Task.QA, "What?")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    script = tmp_path / "llama-server"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_server, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(llama_server, "LOOK_SECONDS", 0.02)


def settings(program: Path, content: bytes = b"GGUF....", **changes: Any) -> Settings:
    for name in ("model.gguf", "mmproj.gguf"):
        (program.parent / name).write_bytes(content)
    named = {
        "llama_server": str(program),
        "llama_model": program.parent / "model.gguf",
        "llama_mmproj": program.parent / "mmproj.gguf",
    }
    return Settings(_env_file=None, **{**named, **changes})


@pytest.fixture
async def engine(program: Path) -> AsyncIterator[LlamaEngine]:
    engine = LlamaEngine(settings(program))
    yield engine
    await engine.close()


async def text_of(engine: LlamaEngine) -> str:
    return [event async for event in engine.generate(ASKED)][-1].generation.text


async def test_it_starts_reads_and_stops(engine: LlamaEngine) -> None:
    assert engine.health().state is EngineState.LOADING
    with pytest.raises(EngineBusy):
        await text_of(engine)
    await engine.start()
    assert engine.health().state is EngineState.READY
    assert await text_of(engine) == "penalty 1.08 of model.gguf"
    process = engine._process
    await engine.close()
    assert process.returncode is not None
    assert engine.health().state is EngineState.DEAD
    with pytest.raises(EngineDead):
        await text_of(engine)


async def test_a_crashed_process_is_started_again(engine: LlamaEngine) -> None:
    await engine.start()
    first = engine._process
    os.kill(first.pid, signal.SIGKILL)
    await until(engine, lambda: engine._process not in (None, first) and engine.health().state is EngineState.READY)
    assert await text_of(engine) == "penalty 1.08 of model.gguf"


async def test_a_restart_takes_another_port_where_its_own_was_taken(
    engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await engine.start()
    first, port, stop = engine._process, engine._port, engine._stop
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

        async def stop_and_lose_the_port() -> None:
            monkeypatch.setattr(engine, "_stop", stop)
            await stop()
            other.bind(("127.0.0.1", port))
            other.listen()

        monkeypatch.setattr(engine, "_stop", stop_and_lose_the_port)
        os.kill(first.pid, signal.SIGKILL)
        await until(engine, lambda: engine._process not in (None, first) and engine.health().state is EngineState.READY)
        assert engine._port != port
        assert await text_of(engine) == "penalty 1.08 of model.gguf"


async def test_a_process_that_keeps_crashing_is_given_up(engine: LlamaEngine) -> None:
    await engine.start()
    engine._model.write_bytes(b"GGUF broken")
    os.kill(engine._process.pid, signal.SIGKILL)
    await until(engine, lambda: engine.health().state is EngineState.DEAD)
    with pytest.raises(EngineDead) as caught:
        await text_of(engine)
    assert "failed" in caught.value.hint


async def until(engine: LlamaEngine, reached: Any) -> None:
    async with asyncio.timeout(30):
        while not reached():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_process_that_ends_at_once_says_why(program: Path) -> None:
    engine = LlamaEngine(settings(program, b"GGUF broken"))
    with pytest.raises(EngineDead, match="tensor data is not within the file bounds") as caught:
        await engine.start()
    assert caught.value.code == "llama_ended"
    assert engine.health().state is EngineState.DEAD


async def test_a_port_in_use_is_said(program: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        engine = LlamaEngine(settings(program, llama_port=taken.getsockname()[1]))
        with pytest.raises(EngineDead, match="OCR_UI_LLAMA_PORT") as caught:
            await engine.start()
    assert caught.value.code == "llama_port_in_use"


@pytest.mark.parametrize(
    ("content", "changes", "code"),
    [
        (b"PK\x03\x04", {}, "llama_not_gguf"),
        (b"", {}, "llama_not_gguf"),
        (b"GGUF", {"llama_model": None}, "llama_file_missing"),
        (b"GGUF", {"llama_mmproj": Path("/nowhere.gguf")}, "llama_file_missing"),
        (b"GGUF", {"llama_server": "no-such-program"}, "llama_server_missing"),
    ],
)
def test_what_is_missing_is_said_at_once(program: Path, content: bytes, changes: dict[str, Any], code: str) -> None:
    with pytest.raises(EngineDead) as caught:
        LlamaEngine(settings(program, content, **changes))
    assert caught.value.code == code
