"""Folders of labelled pages, and an engine that answers each picture in its own way, for tests of evaluations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from fakes import ScriptedEngine

from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.engines.base import EngineRequest, Finished, Started, TextDelta


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

    After `hold` none is answered before there are so many at once.
    """

    name = EngineName("openai", "1", "answering", "r1")

    def __init__(self, answer: Callable[[EngineRequest], str | Exception]) -> None:
        super().__init__(())
        self.answer = answer
        self.most_at_once = 0
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
            said = self.answer(request)
            if isinstance(said, Exception):
                raise said
            yield TextDelta(said, tokens=max(1, len(said) // 4))
            yield Finished(Generation(said, "stop", max(1, len(said) // 4)))
        finally:
            self.running.discard(request.id)
