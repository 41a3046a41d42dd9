from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from ocr_ui.render.contest_words import CONTEST_WORDS
from ocr_ui.services.conditions import cards, conditions, reading_settings
from ocr_ui.services.engine_entries import SETTINGS_OF
from ocr_ui.services.run_changes import told_setup
from ocr_ui.settings import Settings


def test_conditions_are_plain_json_and_name_what_was_used() -> None:
    told = conditions(Settings(engine_pixels=123_456))
    assert json.loads(json.dumps(told)) == told
    assert told["settings"]["engine_pixels"] == 123_456
    assert "rapidocr" in told["packages"]
    assert told["cores"] >= 1
    assert len(told["load"]) == 3


def test_what_an_engine_has_otherwise_is_told_of_it() -> None:
    general = Settings(max_num_seqs=64, dtype="float16")
    told = conditions(general, {"a": general, "b": Settings(max_num_seqs=8, dtype="float16")})
    assert told["settings"]["max_num_seqs"] == 64
    assert told["engines"] == {"b": {"max_num_seqs": 8}}
    assert told_setup({"engine_name": "a"}, {}, told)["settings.max_num_seqs"] == "64"
    assert told_setup({"engine_name": "b"}, {}, told)["settings.max_num_seqs"] == "8"


def test_all_that_makes_an_engine_faster_or_slower_is_among_the_conditions() -> None:
    elsewhere = {"model", "model_revision"}  # told with the engine
    no_figure = {"allow_untested_vllm", "engine_restarts", "first_token_timeout", "silence_timeout", "cpu_cache_gb"}
    assert set(SETTINGS_OF["vllm"]) - elsewhere - no_figure <= conditions(Settings())["settings"].keys()


def test_how_a_cache_holds_its_numbers_counts_as_a_change_of_what_is_read() -> None:
    plain, fp8 = Settings(), Settings(kv_cache_dtype="fp8")
    assert conditions(fp8)["settings"]["kv_cache_dtype"] == "fp8"
    assert reading_settings(fp8) == {**reading_settings(plain), "kv_cache_dtype": "fp8"}


def test_every_condition_has_its_words() -> None:
    told = conditions(Settings())
    assert {f"contest.condition.{name}" for name in told} <= set(CONTEST_WORDS)
    card = {"name": "A", "driver": "1"}
    config = {"rules": "1", "at_once": 1, "normalization": {"case": True}}
    setup = told_setup({"template_version": "a", "engine": {"kind": "k"}}, config, {**told, "cards": [card]})
    assert {f"contest.changed.{name.split('.')[0]}" for name in setup} <= set(CONTEST_WORDS)


def test_without_a_driver_there_are_no_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    import pynvml

    def no_driver() -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    monkeypatch.setattr(pynvml, "nvmlInit", no_driver)
    assert cards() == []


def test_a_card_is_told_as_the_driver_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none here: the answers are those of the package's own documentation."""
    closed = []
    answers = SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: closed.append(True),
        nvmlDeviceGetCount=lambda: 1,
        nvmlDeviceGetHandleByIndex=lambda number: number,
        nvmlDeviceGetMemoryInfo=lambda handle: SimpleNamespace(total=150 * 2**30, used=2**30),
        nvmlDeviceGetUtilizationRates=lambda handle: SimpleNamespace(gpu=40),
        nvmlDeviceGetName=lambda handle: "NVIDIA H200",
        nvmlSystemGetDriverVersion=lambda: "570.1",
    )
    monkeypatch.setitem(sys.modules, "pynvml", answers)
    (card,) = cards()
    assert (card["name"], card["driver"], card["busy_percent"]) == ("NVIDIA H200", "570.1", 40)
    assert (card["memory_bytes"], card["memory_used_bytes"]) == (150 * 2**30, 2**30)
    assert closed == [True]
