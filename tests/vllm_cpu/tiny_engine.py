"""Asking an engine that runs the tiny model."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from PIL import Image

from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Engine, EngineEvent, EngineRequest, Finished, Started, TextDelta
from ocr_ui.settings import Settings
from scripts.tiny_model.book import entries

BOOK = {entry.name: entry for entry in entries()}
RIGHT = [name for name, entry in BOOK.items() if entry.system and entry.picture_first]
"""Entries that are asked as the product asks; the others are what a wrong template would send."""
CARDS = [name for name in BOOK if name.startswith("number/")]
LONG = "identity_card.example/full_text"
"""An answer of hundreds of tokens, long enough to be stopped in the middle."""


def tiny_settings(model: Path, **changes: Any) -> Settings:
    small = {
        "model": str(model),
        "max_model_len": 2048,
        "max_num_seqs": 32,
        "max_num_batched_tokens": 2048,
        "max_new_tokens": 1024,
        "enforce_eager": True,
        "cpu_cache_gb": 1,
    }
    return Settings(_env_file=None, **{**small, **changes})


@lru_cache
def pixels(name: str) -> np.ndarray:
    return np.array(BOOK[name].image)


def request(name: str, **sampling: Any) -> EngineRequest:
    entry = BOOK[name]
    return EngineRequest(uuid4().hex, pixels(name), lambda: png_of(entry.image), Task.SPOTTING, entry.prompt, sampling)


def png_of(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@dataclass(frozen=True)
class Reading:
    events: list[EngineEvent]

    @property
    def generation(self) -> Generation:
        assert isinstance(self.events[-1], Finished)
        return self.events[-1].generation

    @property
    def text(self) -> str:
        return self.generation.text

    @property
    def deltas(self) -> list[TextDelta]:
        return [event for event in self.events if isinstance(event, TextDelta)]


async def read(engine: Engine, asked: EngineRequest | str) -> Reading:
    asked = request(asked) if isinstance(asked, str) else asked
    reading = Reading([event async for event in engine.generate(asked)])
    assert isinstance(reading.events[0], Started)
    assert "".join(delta.text for delta in reading.deltas) == reading.text
    return reading
