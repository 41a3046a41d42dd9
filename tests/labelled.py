"""Folders of labelled pages, an engine that answers each picture in its own way, and a process that holds contests
until it is killed: for tests of evaluations.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from fakes import ScriptedEngine
from stored import open_store

from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.engines.base import EngineRequest, Finished, Started, TextDelta
from ocr_ui.services.contest_runner import ContestRunner
from ocr_ui.services.contests import Contests
from ocr_ui.services.engines import Engines
from ocr_ui.services.evaluate import Ask, Evaluator
from ocr_ui.services.job_runner import LEASE_SECONDS
from ocr_ui.services.run_log import RunLog
from ocr_ui.services.templates import Templates
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


def write_page(folder: Path, number: int, **known: Any) -> None:
    """A picture of its own shade, and the JSON file that says what stands on it."""
    name = f"page{number:02}"
    pixels = np.full((60, 100, 3), 255, np.uint8)
    pixels[10:50, 10:90] = number
    assert cv2.imwrite(str(folder / f"{name}.png"), pixels)
    (folder / f"{name}.json").write_text(json.dumps({"name": name, "file": f"{name}.png", **known}), encoding="utf-8")


def number_of(request: EngineRequest) -> int:
    """Which of `write_page` the engine was given."""
    return int(request.pixels[30, 50, 0])


class AnsweringEngine(ScriptedEngine):
    """Answers each request by a function; an error that it gives is raised.

    After `hold` none is answered before there are so many at once; `wait` is waited for before each answer.
    """

    name = EngineName("openai", "1", "answering", "r1")

    def __init__(self, answer: Callable[[EngineRequest], str | Exception]) -> None:
        super().__init__(())
        self.answer = answer
        self.most_at_once = 0
        self.wait: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)
        self.hold(0)

    def hold(self, count: int) -> None:
        self._wait_for, self._enough = count, asyncio.Event()

    async def generate(self, request: EngineRequest) -> AsyncIterator[Any]:
        self.seen.append(request)
        self.running.add(request.id)
        self.most_at_once = max(self.most_at_once, len(self.running))
        try:
            yield Started()
            if len(self.running) >= self._wait_for:
                self._enough.set()
            await self._enough.wait()
            await self.wait()
            said = self.answer(request)
            if isinstance(said, Exception):
                raise said
            yield TextDelta(said, tokens=max(1, len(said) // 4))
            yield Finished(Generation(said, "stop", max(1, len(said) // 4)))
        finally:
            self.running.discard(request.id)


PAGES = 12
TEMPLATE = """---
name: {name}
title: {{en: "T", zh: "T"}}
task: {task}
variables: {variables}
---
{text}
"""
WORDS = ("Total", "12.50", "EUR", "Thank", "you", "Monday", "Room", "7", "Tea", "Milk")


def truth_text(number: int) -> str:
    drawn = random.Random(number)
    return "\n".join(" ".join(drawn.choices(WORDS, k=4)) for _ in range(5))


def truth_fields(number: int) -> dict[str, str]:
    return {"Total": f"{number}.50", "Date": f"{number} May", "Shop": f"Shop {number}"}


def write_set(folder: Path, pages: int = PAGES) -> Path:
    folder.mkdir(exist_ok=True)
    for number in range(pages):
        kind, language = ("receipt", "invoice")[number % 2], ("en", "de")[number % 3 == 0]
        tests = [{"type": "present", "text": truth_fields(number)["Shop"]}] if number < 3 else []
        known = {"text": truth_text(number), "fields": truth_fields(number), "kind": kind, "language": language}
        write_page(folder, number, **known, tags=["small"] if number < 4 else [], tests=tests)
    return folder


def text_answer(request: EngineRequest) -> str:
    """Every third page has a mistake; `two` in the prompt makes one more."""
    text = truth_text(number_of(request))
    if number_of(request) % 3 == 0:
        text = text.replace("o", "0", 2)
    return text.replace("e", "", 1) if "two" in request.prompt else text


def field_answer(request: EngineRequest) -> str:
    known = truth_fields(number_of(request))
    asked = [name for name in known if f"'{name}'" in request.prompt]
    return json.dumps({name: known[name] for name in asked})


def answer(request: EngineRequest) -> str:
    return field_answer(request) if "['" in request.prompt else text_answer(request)


class Bench:
    def __init__(self, tmp_path: Path, said: Callable[[EngineRequest], str | Exception] = answer) -> None:
        self.own = tmp_path / "prompts"
        self.own.mkdir(exist_ok=True)
        self.settings = Settings(data_dir=tmp_path / "data", turn_pages=False)
        self.engine = AnsweringEngine(said)
        self.store: Store = open_store(tmp_path / "data")
        self.templates = Templates(self.settings.prompts_dir, self.own, self.store)
        self.open()

    def open(self, lease: float = LEASE_SECONDS) -> None:
        """Services as a process that has just begun has them."""
        engines = Engines({"m": self.engine})
        shared = self.store, engines, self.templates, self.settings
        self.evaluator, self.contests = Evaluator(*shared), Contests(*shared)
        self.runs = RunLog(self.store, self.templates, self.settings)
        self.runner = ContestRunner(self.store, self.contests, self.evaluator, self.settings, lease)

    def template(self, name: str, text: str, task: str = "text", variables: str = "[]") -> None:
        written = TEMPLATE.format(name=name, text=text, task=task, variables=variables)
        (self.own / f"{name}.md").write_text(written, encoding="utf-8")

    def fields_template(self, names: str) -> None:
        variables = f'[{{name: names, label: {{en: "n", zh: "n"}}, many: true, default: "{names}"}}]'
        self.template("mine", "Give {{names}}", "fields", variables)

    async def run(self, *templates: str, data: Path, **ask) -> dict:
        async for step in self.evaluator.run(Ask(str(data), templates, ("m",), **ask)):
            last = step
        return last.result


async def _hold_until_killed(folder: Path) -> None:
    """Answers five pages, and is never done with the sixth."""
    bench = Bench(folder)
    bench.open(float(sys.argv[2]))
    answered = iter(range(5))
    wait = asyncio.Event()
    bench.engine.wait = lambda: asyncio.sleep(0) if next(answered, None) is not None else wait.wait()
    bench.runner.start()
    await wait.wait()


if __name__ == "__main__":
    asyncio.run(_hold_until_killed(Path(sys.argv[1])))
