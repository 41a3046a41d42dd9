"""A page that the real engine has no memory for: its engine ends, is made anew, and reads the page smaller."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.engines import vllm_start
from ocr_ui.engines.base import EngineState
from ocr_ui.engines.vllm_embedded import VllmEngine
from ocr_ui.services.reading import Progress, ReadRequest
from ocr_ui.services.smaller import read_with_retry
from tests.vllm_cpu.tiny_engine import BOOK, tiny_settings

pytestmark = pytest.mark.vllm

WHOLE_PAGE = PromptTemplate("full_text", {"en": "Full text"}, Task.SPOTTING, BOOK["poster"].prompt)


async def test_a_page_without_memory_for_it_is_read_smaller(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_start, "EXTENSION", "tests.vllm_cpu.small_memory.Extension")
    settings = tiny_settings(tiny_model, max_new_tokens=64)
    engine = VllmEngine(settings)
    await engine.start()
    page = np.array(BOOK["poster"].image.resize((192, 256), Image.Resampling.BICUBIC))
    try:
        steps: list[Progress] = [
            step async for step in read_with_retry(page, "a" * 64, engine, ReadRequest(WHOLE_PAGE), settings)
        ]
        last = steps[-1]
        assert last.error is None
        assert last.recognition.outcome != "failed"
        assert last.recognition.generation.tokens > 0
        (step,) = last.recognition.transform["steps"]
        assert step["width"] * step["height"] <= 192 * 256 / 2
        assert "read_smaller" in [warning.code for warning in last.recognition.content.warnings]
        assert engine.health().state is EngineState.READY
    finally:
        await engine.close()
