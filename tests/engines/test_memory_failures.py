"""What counts as running out of memory, in the words of those who say it."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import openai
import pytest

from ocr_ui.engines.memory_failures import OUT_OF_MEMORY, is_memory_failure
from ocr_ui.engines.openai_server import broken, refusal, what_is_wrong
from ocr_ui.engines.vllm_embedded import died
from ocr_ui.engines.vllm_start import FailureNote

REQUEST = httpx.Request("POST", "http://server/v1/chat/completions")
CUDA = "OutOfMemoryError('CUDA out of memory. Tried to allocate 1.20 GiB. GPU 0 has a total capacity of 15.77 GiB')"


@pytest.mark.parametrize(
    "reason",
    [
        CUDA,
        "RuntimeError('CUDA error: out of memory')",
        "RuntimeError('HIP out of memory.')",
        'RuntimeError("[enforce fail at alloc_cpu.cpp:118] . DefaultCPUAllocator: can\'t allocate memory")',
        "MemoryError()",
        "std::bad_alloc",
    ],
)
def test_it_is_told_by_its_words(reason: str) -> None:
    assert is_memory_failure(reason)
    assert died(reason).code == OUT_OF_MEMORY
    assert died(reason).details["reason"] == reason


@pytest.mark.parametrize("reason", ["", "AssertionError()", "the prompt is longer than the model's memory of 2048"])
def test_other_failures_are_not_taken_for_it(reason: str) -> None:
    assert not is_memory_failure(reason)
    assert died(reason).code == "engine_died"


@pytest.mark.parametrize("status", [500, 503])
def test_a_servers_answer_is_told_by_its_text(status: int) -> None:
    response = httpx.Response(status, request=REQUEST)
    told = refusal(openai.APIStatusError(CUDA, response=response, body=None), "http://server/v1", "m")
    assert told.code == OUT_OF_MEMORY
    other = refusal(
        openai.APIStatusError("EngineCore encountered an issue.", response=response, body=None), "http://s", "m"
    )
    assert other.code in {"server_error", "server_busy"}


def test_a_refusal_that_speaks_of_memory_is_no_failure_of_the_engine() -> None:
    response = httpx.Response(400, request=REQUEST)
    assert (
        refusal(openai.APIStatusError(CUDA, response=response, body=None), "http://s", "m").code == "refused_by_engine"
    )


def test_an_error_within_a_stream_is_told_by_its_text() -> None:
    assert broken("http://s", CUDA).code == OUT_OF_MEMORY
    assert what_is_wrong(openai.APIError(CUDA, request=REQUEST, body=None), "http://s", "m").code == OUT_OF_MEMORY
    assert broken("http://s", "peer closed connection").code == "stream_broken"


def test_a_note_belongs_to_one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FailureNote.VARIABLE, "")
    note = FailureNote()
    assert note.read() == ""
    note.begin()
    Path(os.environ[FailureNote.VARIABLE]).write_text(CUDA, encoding="utf-8")
    assert note.read() == CUDA
    note.begin()
    assert note.read() == "", "what an engine before this one failed with"
    note.drop()
    assert note.read() == ""
    assert not Path(os.environ[FailureNote.VARIABLE]).exists()
