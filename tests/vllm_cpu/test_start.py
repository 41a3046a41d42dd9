"""Starts that must not succeed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ocr_ui.engines import vllm_start
from ocr_ui.engines.base import EngineState
from ocr_ui.engines.vllm_embedded import VllmEngine
from ocr_ui.errors import EngineDead
from tests.vllm_cpu.tiny_engine import request, tiny_settings

pytestmark = pytest.mark.vllm


async def test_an_engine_that_mixes_up_pictures_does_not_start(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vllm_start, "EXTENSION", "tests.vllm_cpu.uncorrected.Extension")
    engine = VllmEngine(tiny_settings(tiny_model))
    with pytest.raises(EngineDead) as caught:
        await engine.start()
    assert caught.value.code == "pictures_mixed_up"
    assert engine.health().state is EngineState.DEAD
    with pytest.raises(EngineDead):
        await anext(engine.generate(request("poster")))
    assert engine.running() == 0


async def test_a_tokenizer_without_picture_tokens_is_named(tiny_model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    config = json.loads((folder / "tokenizer_config.json").read_text())
    for key in ("image_token", "image_start_token", "image_end_token", "extra_special_tokens"):
        config.pop(key, None)
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(EngineDead) as caught:
        await VllmEngine(tiny_settings(folder)).start()
    assert caught.value.code == "model_revision_too_old"
