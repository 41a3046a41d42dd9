"""Speculative decoding watched on the real engine.

DFlash itself needs a GPU. vLLM's look-up of earlier words stands in for the draft model: it goes through the same
checking of proposals and is counted by the same statistics.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ocr_ui.engines import vllm_check, vllm_drafts, vllm_embedded, vllm_start
from ocr_ui.engines.base import Phase
from ocr_ui.engines.vllm_embedded import VllmEngine
from ocr_ui.errors import EngineDead
from ocr_ui.settings import ROOT
from tests.vllm_cpu.tiny_engine import BOOK, LONG, read, tiny_settings

pytestmark = pytest.mark.vllm


@pytest.fixture
def with_draft_folder(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny model beside a draft folder that holds nothing usable, on a machine that could run it."""
    model = tmp_path / "model"
    (model / "dflash").mkdir(parents=True)
    (model / "dflash" / "config.json").write_text("{}")
    for file in tiny_model.iterdir():
        (model / file.name).symlink_to(file)
    monkeypatch.setattr(vllm_start, "cuda_of_torch", lambda: "13.0")
    return model


async def test_a_draft_model_that_does_not_load_is_done_without(
    with_draft_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only `auto` goes on without; who asked for drafts is told why there are none."""
    made: list[Path | None] = []

    def fails(folder: Path, draft: Path | None, *rest: Any) -> Any:
        made.append(draft)
        raise EngineDead("engine_did_not_start", f"vLLM did not start: draft {draft and draft.name}.")

    monkeypatch.setattr(vllm_embedded, "make_llm", fails)
    drafts = with_draft_folder / "dflash"
    for dflash, tried in (("auto", [drafts, None]), ("on", [drafts])):
        settings = tiny_settings(with_draft_folder, data_dir=tmp_path / "data", dflash=dflash)
        engine = VllmEngine(settings)
        known = vllm_drafts.Drafts(with_draft_folder, settings, engine.name)
        known._measured.without = {1: 0.01}
        known._record.write(known._measured)
        with pytest.raises(EngineDead):
            await engine.start()
        assert made == tried
        made.clear()


@pytest.mark.stress
async def test_what_drafts_save_is_timed_and_remembered(
    with_draft_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = vllm_start.engine_arguments

    def with_look_up(folder: Path, draft: Path | None, settings: Any) -> dict[str, Any]:
        asked = arguments(folder, None, settings)
        look_up = {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 2, "prompt_lookup_min": 1}
        return asked | ({"speculative_config": look_up} if draft else {})

    monkeypatch.setattr(vllm_start, "engine_arguments", with_look_up)
    monkeypatch.setattr(vllm_embedded, "EXAMPLE_TOKENS", 64)
    monkeypatch.setattr(vllm_check, "PROMPT", BOOK[LONG].prompt)
    examples = tmp_path / "examples"
    examples.mkdir()
    shutil.copy(ROOT / "examples" / "identity_card.webp", examples)
    settings = tiny_settings(with_draft_folder, data_dir=tmp_path / "data", examples_dir=examples, max_num_seqs=1)
    phases: list[Phase] = []
    monkeypatch.setattr(VllmEngine, "_phase", lambda self, phase, share=None: phases.append(phase))
    engine = VllmEngine(settings)
    await engine.start()
    try:
        timed = [Phase.TIMING, Phase.LOADING, Phase.TIMING]
        assert [phase for phase in phases if phase in timed][:3] == timed
        (kept,) = json.loads((tmp_path / "data" / vllm_drafts.FILE).read_text()).values()
        assert kept["without"].keys() & kept["drafted"].keys(), "no load was timed both ways"
        assert kept["pays"] is any(kept["drafted"][load] < kept["without"][load] for load in kept["without"])
        assert (await read(engine, LONG)).text == BOOK[LONG].answer
    finally:
        await engine.close()
    assert vllm_drafts.Drafts(with_draft_folder, settings, engine.name).unmeasured is False
    if kept["pays"]:
        pace = engine._drafts.watch.paces[1]
        assert pace.drafts > 0
        assert 0 < pace.accepted <= 4 * pace.drafts
        assert pace.tokens == pace.steps + pace.accepted
        told = engine.load()
        assert 0 <= told.drafts_rejected < told.drafts
        assert told.drafts - told.drafts_rejected <= told.draft_tokens_accepted <= told.draft_tokens
        assert "tokens a step" in engine.description["drafts"]
    else:
        assert engine.description["drafts"].startswith("off: they do not pay here")
