from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from ocr_ui.services.conditions import cards, conditions
from ocr_ui.settings import Settings


def test_conditions_are_plain_json_and_name_what_was_used() -> None:
    told = conditions(Settings(engine_pixels=123_456))
    assert json.loads(json.dumps(told)) == told
    assert told["settings"]["engine_pixels"] == 123_456
    assert "rapidocr" in told["packages"]
    assert told["cores"] >= 1
    assert len(told["load"]) == 3


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
