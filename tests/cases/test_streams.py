"""Engines and streams: the cases EN01 to EN07 and LP10, with what stands between an engine and a person."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import cv2
import httpx
import numpy as np
import openai
import pytest
from fakes import SOON, Pause, ScriptedEngine, ScriptStep
from stored import open_store

from ocr_ui.domain.page import Page
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.domain.review import Review
from ocr_ui.engines.base import EngineEvent, EngineRequest, EngineState, Finished, Started, TextDelta
from ocr_ui.engines.openai_server import OpenAiEngine, refusal
from ocr_ui.engines.vllm_embedded import died, refused
from ocr_ui.engines.vllm_start import prepare_process
from ocr_ui.errors import EngineFailed, of_note
from ocr_ui.exports.registry import format_named
from ocr_ui.exports.sample import Notes, Sample
from ocr_ui.images.door import Limits, encode_png, open_picture
from ocr_ui.images.transform import prepare
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.engines import Engines
from ocr_ui.services.pictures import PageStore, Upright
from ocr_ui.services.reading import Progress, ReadRequest
from ocr_ui.services.recognize import Recognizer
from ocr_ui.services.smaller import read_with_retry
from ocr_ui.settings import Settings
from ocr_ui.ui.messages import error_sentence
from tests.engines.scripted_server import chunk, serve, stream

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = ROOT / "tests" / "cases" / "upload" / "files"
SPOTTING = PromptTemplate("full_text", {"en": "Full text"}, Task.SPOTTING, "Read all.")
PAGE = np.full((300, 400, 3), 255, np.uint8)
cv2.putText(PAGE, "Total 12.50", (20, 60), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 0, 0), 2)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DONE = Finished(Generation(finish_reason="stop"))
SPOT = TextDelta("<ref>Total 12.50</ref><quad>(100,100),(500,200)</quad>", tokens=9)


async def last_of(steps: AsyncIterator[Progress]) -> Progress:
    last = [step async for step in steps][-1]
    assert last.recognition is not None
    return last


def read(engine, pixels: np.ndarray = PAGE, asked: ReadRequest | None = None) -> AsyncIterator[Progress]:
    return read_with_retry(pixels, "a" * 64, engine, asked or ReadRequest(SPOTTING), Settings(_env_file=None))


def codes(progress: Progress) -> list[str]:
    return [warning.code for warning in progress.content.warnings]


# LP10: a blank page yields paragraphs from elsewhere


def blank(name: str) -> np.ndarray:
    if name == "alpha_empty.png":
        return open_picture((FILES / name).read_bytes(), Limits()).pixels
    return np.full((120, 90, 3), int(name), np.uint8)


INVENTED = {
    "lines": (Task.SPOTTING, "<ref>Dear Sir</ref><quad>(1,2),(30,40)</quad>"),
    "document": (Task.DOCUMENT, "# Annual report\n\nThe year was good."),
    "table": (Task.TABLE, "<table><tr><td>a</td></tr></table>"),
    "fields": (Task.FIELDS, '{"total": "12.50"}'),
}


@pytest.mark.parametrize("picture", ["alpha_empty.png", "255", "0", "128"])
@pytest.mark.parametrize("kind", INVENTED)
async def test_lp10_text_on_a_blank_picture_is_told(kind: str, picture: str) -> None:
    task, answer = INVENTED[kind]
    engine = ScriptedEngine([Started(), TextDelta(answer), DONE])
    last = await last_of(read(engine, blank(picture), ReadRequest(PromptTemplate(kind, {}, task, "Read."))))
    assert codes(last).count("text_on_blank") == 1
    assert last.recognition.content.text, "the text is kept, a person decides"


@pytest.mark.parametrize(
    ("task", "answer"),
    [(Task.SPOTTING, ""), (Task.FIELDS, '{"total": null}'), (Task.TABLE, "<table><tr><td></td></tr></table>")],
)
async def test_lp10_nothing_on_a_blank_picture_is_no_invention(task: Task, answer: str) -> None:
    engine = ScriptedEngine([Started(), TextDelta(answer), DONE])
    last = await last_of(read(engine, blank("255"), ReadRequest(PromptTemplate("x", {}, task, "Read."))))
    assert "text_on_blank" not in codes(last)


async def test_lp10_faint_text_is_something_to_be_seen() -> None:
    faint = np.full((300, 400, 3), 255, np.uint8)
    cv2.putText(faint, "Total 12.50", (20, 60), cv2.FONT_HERSHEY_SIMPLEX, 1, (200, 200, 200), 2)
    assert "text_on_blank" not in codes(await last_of(read(ScriptedEngine([Started(), SPOT, DONE]), faint)))


# EN01: the client goes away


async def test_en01_a_reader_that_goes_away_frees_the_engine_at_once() -> None:
    engine = ScriptedEngine([Started(), SPOT, *[Pause(30), SPOT] * 100, DONE])
    steps = read(engine)
    while not (await anext(steps)).content.lines:
        pass
    assert len(engine.running) == 1
    await asyncio.wait_for(steps.aclose(), SOON)
    assert engine.running == set()
    await asyncio.wait_for(anext(read(engine)), SOON)


# EN02: one bad picture ends the engine


class FailsOnRed(ScriptedEngine):
    """Fails in the middle of requests whose picture is red, as an engine does on a broken feature count."""

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        async for event in super().generate(request):
            yield event
            if isinstance(event, TextDelta) and tuple(request.pixels[0, 0]) == (255, 0, 0):
                raise EngineFailed("engine_refused", "The feature count is wrong.", "")


async def test_en02_one_bad_request_fails_alone() -> None:
    engine = FailsOnRed([Started(), SPOT, Pause(0.2), SPOT, DONE])
    await engine.start()
    red = PAGE.copy()
    red[:] = (255, 0, 0)
    good, bad = await asyncio.gather(last_of(read(engine)), last_of(read(engine, red)))
    assert (good.state, bad.state) == ("complete", "failed")
    assert engine.health().state is EngineState.READY
    assert engine.running == set()
    assert (await last_of(read(engine))).state == "complete"


# EN03 and EN04: pictures larger than an engine can take

PIXELS_A_TOKEN = 32 * 32
"""HunyuanOCR: patches of 16 x 16 pixels, merged two by two."""


@pytest.mark.parametrize(("width", "height"), [(2550, 3300), (400, 12_000), (20_000, 5_000), (9_000, 60)])
def test_en03_the_budget_of_pixels_fits_the_budget_of_tokens(width: int, height: int) -> None:
    settings = Settings(_env_file=None)
    seen, _, notes = prepare(np.full((height, width, 3), 255, np.uint8), settings.engine_pixels)
    high, wide = seen.shape[:2]
    tokens = (-(-high // 32)) * (-(-wide // 32) + 1) + 2
    assert high * wide <= settings.engine_pixels
    assert tokens < settings.max_num_batched_tokens
    assert tokens < settings.max_model_len - 4096, "there is no room for an answer"
    assert ("scaled_down" in {note.code for note in notes}) == (width * height > settings.engine_pixels)


def test_en03_the_encoder_cache_is_told_as_the_size_of_the_picture() -> None:
    said = "image item with length 33280 exceeds the pre-allocated encoder cache size 16384"
    error = refused(ValueError(said), Settings(_env_file=None))
    assert error.code == "picture_over_budget"
    assert "picture" in error.message
    assert "OCR_UI_ENGINE_PIXELS" in error.hint


async def test_en04_no_engine_is_given_more_than_the_budget() -> None:
    letter = open_picture((FILES / "letter_300dpi.png").read_bytes(), Limits()).pixels
    engine = ScriptedEngine([Started(), SPOT, DONE])
    last = await last_of(read(engine, letter))
    (asked,) = engine.seen
    assert asked.pixels.shape[0] * asked.pixels.shape[1] <= Settings(_env_file=None).engine_pixels
    sent = cv2.imdecode(np.frombuffer(asked.encode(), np.uint8), cv2.IMREAD_COLOR)
    assert sent.shape == asked.pixels.shape, "what is sent over the wire is bounded too"
    assert last.content.lines[0].quad.bounds.right == pytest.approx(letter.shape[1] / 2, abs=1)
    assert "scaled_down" in codes(last)


class SmallMemory(ScriptedEngine):
    """Runs out of memory, as torch says it, on pictures of more than `most` pixels."""

    def __init__(self, most: int, error: Exception, script: list[ScriptStep]) -> None:
        super().__init__(script)
        self.most, self.error = most, error

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        async for event in super().generate(request):
            yield event
            if isinstance(event, TextDelta) and request.pixels.shape[0] * request.pixels.shape[1] > self.most:
                raise self.error


NO_MEMORY = RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 15.77 GiB")
NO_MEMORY_ELSEWHERE = refusal(
    openai.InternalServerError(
        NO_MEMORY.args[0], response=httpx.Response(500, request=httpx.Request("POST", "http://s/v1")), body=None
    ),
    "http://s/v1",
    "m",
)


@pytest.mark.parametrize("error", [NO_MEMORY, NO_MEMORY_ELSEWHERE, died(repr(NO_MEMORY))])
async def test_en04_out_of_memory_is_tried_once_more_at_a_smaller_size_and_said(error: Exception) -> None:
    height, width = PAGE.shape[:2]
    engine = SmallMemory(height * width // 2, error, [Started(), SPOT, DONE])
    steps = [step async for step in read(engine)]
    last = steps[-1]
    assert (last.state, last.error) == ("complete", None)
    whole, smaller = (request.pixels.shape for request in engine.seen)
    assert whole == PAGE.shape
    assert smaller[0] * smaller[1] <= height * width / 2
    assert codes(last).count("read_smaller") == 1
    assert f"{width} x {height}" in next(w.message for w in last.content.warnings if w.code == "read_smaller")
    assert last.recognition.content == last.content, "what happened is kept with the result"
    assert last.recognition.transform["steps"][0]["width"] == smaller[1]
    assert last.content.lines[0].quad.bounds.right == pytest.approx(width / 2, abs=1), "boxes of the stored picture"
    assert [line.text for line in last.content.lines] == ["Total 12.50"]
    assert all(step.error is None for step in steps), "no failure is shown before it is one"
    assert any(step.state == "running" and "read_smaller" in codes(step) for step in steps)


async def test_en04_out_of_memory_twice_is_told_once_and_what_came_is_kept() -> None:
    engine = SmallMemory(0, NO_MEMORY, [Started(), SPOT, DONE])
    last = await last_of(read(engine))
    assert (last.state, last.error.code) == ("failed", "out_of_memory_again")
    assert len(engine.seen) == 2, "one retry, not more"
    assert [line.text for line in last.content.lines] == ["Total 12.50"]
    assert codes(last).count("read_smaller") == 1
    kept = of_note(last.recognition.error)
    assert (str(kept), kept.code, kept.details) == (str(last.error), last.error.code, last.error.details)
    assert error_sentence(kept, "zh").startswith("引擎识别此页时内存不足")
    assert error_sentence(of_note(str(last.error)), "zh") == str(last.error), "of before, as it was stored"


@pytest.mark.parametrize("error", [EngineFailed("gone", "Gone."), RuntimeError("an illegal memory access")])
async def test_en04_other_failures_are_not_tried_again(error: Exception) -> None:
    engine = ScriptedEngine([Started(), SPOT, error])
    last = await last_of(read(engine))
    assert last.state == "failed"
    assert len(engine.seen) == 1


async def test_en04_a_stopped_page_is_not_tried_again() -> None:
    stop, go_on = asyncio.Event(), asyncio.Event()
    engine = SmallMemory(0, NO_MEMORY, [Started(), go_on, SPOT, DONE])
    steps = read_with_retry(PAGE, "a" * 64, engine, ReadRequest(SPOTTING), Settings(_env_file=None), stop)
    async for _ in steps:
        stop.set()
        go_on.set()
    assert len(engine.seen) == 1


# EN05: fork instead of spawn


def test_en05_workers_are_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    prepare_process(Settings(_env_file=None))
    assert os.environ["VLLM_WORKER_MULTIPROC_METHOD"] == "spawn"


def test_en05_nothing_touches_vllm_or_cuda_before_the_engine_starts() -> None:
    program = (
        "import sys, ocr_ui.ui.app, ocr_ui.engines.registry, ocr_ui.engines.vllm_embedded\n"
        "print(sorted({'vllm', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# EN06: the language of the prompt changes the result


async def test_en06_the_prompt_stands_with_its_result(tmp_path: Path) -> None:
    library = PromptLibrary(ROOT / "prompts")
    values = {"fields": "total"}
    sent = {}
    for name in ("fields", "fields_en"):
        engine = ScriptedEngine([Started(), TextDelta('{"total": "1"}'), DONE])
        last = await last_of(read(engine, asked=ReadRequest(library.get(name), values)))
        used = last.recognition.prompt
        assert engine.seen[0].prompt == used.text
        assert used.template == name
        sent[name] = used.text
        sample = Sample(
            1, 1, 1, "p", Page("a" * 64, 400, 300, "p"), "", last.recognition, "", NOON, None, None, Review(), None
        )
        row = json.loads("".join(format_named("jsonl").write([sample], Notes())))
        assert (row["template"]["name"], row["template"]["text"]) == (name, used.text)
    assert "total" in sent["fields"]
    assert sent["fields"] != sent["fields_en"]


# EN07: half a stream


async def test_en07_half_an_answer_is_kept_and_never_called_complete(tmp_path: Path) -> None:
    half = "<ref>Alpha</ref><quad>(100,100),(500,200)</quad><ref>Bet"
    async with serve(stream(chunk(half), done=False)) as server:
        settings = Settings(base_url=server.url, model="m", data_dir=tmp_path, turn_pages=False, _env_file=None)
        engine = OpenAiEngine(settings)
        try:
            with open_store(tmp_path) as store:
                engines = Engines({"openai": engine})
                pages = PageStore(store, settings, Upright(engines, settings))
                page_id = (await pages.receive(encode_png(PAGE), "page.png")).page_id
                recognizer = Recognizer(store, pages, engines, settings)
                steps = [step async for step in recognizer.read(page_id, ReadRequest(SPOTTING))]
                kept = store.recognitions.get(steps[-1].recognition_id).recognition
        finally:
            await engine.close()
    assert steps[-1].progress.state == kept.outcome == "failed"
    assert kept.generation.text == half
    assert [line.text for line in kept.content.lines] == ["Alpha", "Bet"]
    assert kept.error


@pytest.mark.parametrize(("reason", "outcome"), [("stop", "complete"), ("length", "cut"), ("aborted", "stopped")])
async def test_en07_each_result_says_how_it_ended(reason: str, outcome: str) -> None:
    script: list[ScriptStep] = [Started(), SPOT, Finished(Generation(finish_reason=reason))]
    last = await last_of(read(ScriptedEngine(script)))
    assert last.recognition.outcome == outcome
