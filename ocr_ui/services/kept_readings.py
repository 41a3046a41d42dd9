"""Reads labelled pages for evaluations, each once: a reading is kept under all that it depends on."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.pixels import PixelChoice
from ocr_ui.domain.prompt import PromptTemplate
from ocr_ui.domain.recognition import EngineName, Generation, PromptUsed, Recognition
from ocr_ui.engines.base import Engine
from ocr_ui.errors import EngineDead
from ocr_ui.images.door import Limits, open_picture, rotate_quarters
from ocr_ui.images.need import RULE
from ocr_ui.metrics import StageClock
from ocr_ui.services.conditions import reading_settings
from ocr_ui.services.engines import Engines
from ocr_ui.services.labelled_sets import LabelledPage
from ocr_ui.services.pictures import Upright
from ocr_ui.services.pixel_rules import need_of
from ocr_ui.services.reading import ReadRequest, prompt_used
from ocr_ui.services.second_look import read_to_the_end
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

_TURNED = re.compile(r"turned_(\d+)")


@dataclass(frozen=True, slots=True)
class KeptReading:
    """A page as it was read.

    Attributes:
        size: width and height of the upright picture, pixels.
        turns: quarter turns counter-clockwise that made it upright.
        seconds: from the question to the whole answer, without decoding; first_seconds: to its first token or line,
            None where there was none.
        at_once: pages that were read at the same time.
        cached: it was read earlier, and the times are of then.
    """

    key: str
    recognition: Recognition
    size: tuple[int, int]
    turns: int
    seconds: float
    first_seconds: float | None
    at_once: int
    cached: bool = False

    def to_dict(self) -> dict[str, Any]:
        one = self.recognition
        return {
            "page": one.page_sha256,
            "engine": asdict(one.engine),
            "prompt": asdict(one.prompt),
            "content": one.content.to_dict(),
            "generation": asdict(one.generation),
            "outcome": one.outcome,
            "transform": one.transform,
            "timings": one.timings,
            "method": one.method,
            "pixels": one.pixels.to_dict() if one.pixels else None,
            "size": list(self.size),
            "turns": self.turns,
            "seconds": self.seconds,
            "first_seconds": self.first_seconds,
            "at_once": self.at_once,
        }

    @classmethod
    def from_dict(cls, key: str, data: Mapping[str, Any]) -> KeptReading:
        """Reads what `to_dict` gives, as one that was kept."""
        recognition = Recognition(
            page_sha256=data["page"],
            engine=EngineName(**data["engine"]),
            prompt=PromptUsed(**data["prompt"]),
            content=PageContent.from_dict(data["content"]),
            generation=Generation(**data["generation"]),
            outcome=data["outcome"],
            transform=data["transform"],
            timings=data["timings"],
            method=data["method"],
            pixels=PixelChoice.from_dict(data["pixels"]) if data.get("pixels") else None,
        )
        width, height = data["size"]
        times = data["seconds"], data["first_seconds"], data["at_once"]
        return cls(key, recognition, (width, height), data["turns"], *times, cached=True)


class KeptReadings:
    """Readings of one process. A picture is looked at once for how it lies, whoever reads it."""

    def __init__(self, store: Store, engines: Engines, settings: Settings) -> None:
        self._store, self._engines, self._settings = store, engines, settings
        self._upright, self._limits = Upright(engines, settings), Limits.from_settings(settings)
        self._turns: dict[str, int] = {}

    async def read(
        self,
        page: LabelledPage,
        template: PromptTemplate,
        values: Mapping[str, str],
        engine: Engine,
        engine_name: str,
        at_once: int = 1,
        since: datetime | None = None,
        pixels: int | None = None,
    ) -> KeptReading:
        """A page as an engine reads it, or as it did.

        Args:
            engine: ready, under the name `engine_name`.
            at_once: how many pages are being read meanwhile; kept with the times.
            since: ask again what was kept before.
            pixels: most pixels that the engine gets; None as the settings say.

        Raises:
            BadInput, TooLarge: the picture or the question cannot be used.
            EngineDead: nothing can be read any more.
        """
        own = self._engines.settings_of(engine_name, self._settings)
        need = await asyncio.to_thread(need_of, engine.name, own, self._store)
        request = ReadRequest(template, dict(values), pixels=pixels, need=need if pixels is None else None)
        prompt, _ = prompt_used(request, engine, own)
        key = _key(page, prompt, replace(engine.name, name=engine_name), own, request)
        kept = await asyncio.to_thread(self._store.evaluations.reading, key, since)
        if kept is not None:
            return KeptReading.from_dict(key, kept)
        clock = StageClock()
        with clock.stage("decode_image"):
            picture, turns = await self._turned(page)
        last = await read_to_the_end(picture, page.sha256, engine, request, own)
        if isinstance(last.error, EngineDead):
            raise last.error
        recognition = replace(
            last.recognition,
            engine=replace(last.recognition.engine, name=engine_name),
            timings={**clock.seconds, **last.recognition.timings},
        )
        size = picture.shape[1], picture.shape[0]
        read = KeptReading(key, recognition, size, turns, last.seconds, last.first_line_seconds, at_once)
        if recognition.outcome in ("complete", "cut"):
            await asyncio.to_thread(self._store.evaluations.keep, key, read.to_dict())
        return read

    async def kept(self, key: str) -> KeptReading | None:
        """What was kept under a key; None where nothing was."""
        found = await asyncio.to_thread(self._store.evaluations.reading, key)
        return None if found is None else KeptReading.from_dict(key, found)

    async def pixels(self, page: LabelledPage) -> np.ndarray:
        """The upright picture, uint8 (height, width, 3)."""
        return (await self._turned(page))[0]

    async def _turned(self, page: LabelledPage) -> tuple[np.ndarray, int]:
        """The upright picture, uint8 (height, width, 3), and its quarter turns counter-clockwise."""
        pixels = await asyncio.to_thread(lambda: open_picture(page.picture(), self._limits).pixels)
        if page.upright:
            return pixels, 0
        if page.sha256 not in self._turns:
            turned, notices = await self._upright.turn(pixels)
            found = next((_TURNED.fullmatch(notice.code) for notice in notices), None)
            self._turns[page.sha256] = int(found[1]) // 90 if found else 0
            return turned, self._turns[page.sha256]
        turns = self._turns[page.sha256]
        return (await asyncio.to_thread(rotate_quarters, pixels, -turns) if turns else pixels), turns


def _key(page: LabelledPage, prompt: PromptUsed, engine: EngineName, settings: Settings, request: ReadRequest) -> str:
    parts = [page.sha256, page.upright, asdict(prompt), asdict(engine), reading_settings(settings)]
    if request.pixels is not None:
        parts.append(request.pixels)
    if request.need is not None:
        parts += [asdict(request.need), RULE]
    return hashlib.sha256(dumps(parts).encode()).hexdigest()
