from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, add_item, content, open_store

from ocr_ui.__main__ import main


def test_thresholds_of_a_template(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd) -> None:
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path))
    with open_store(tmp_path) as store:
        page = content("right", "wrong")
        lines = tuple(replace(line, confidence=sure) for line, sure in zip(page.lines, (0.9, 0.6), strict=True))
        item = add_item(store, replace(page, lines=lines))
        store.corrections.add(item, 0, content("right", "mended"), ANN)
    assert main(("calibrate", "--template", "full_text", "--miss-rate", "0")) == 0
    measured = json.loads(capfd.readouterr().out)["thresholds"]
    assert [(one["part"], one["threshold"], one["revision"], one["stale"]) for one in measured] == [
        ("line", 0.9, "r1", [])
    ]
    monkeypatch.setenv("OCR_UI_ENGINE_PIXELS", "500000")
    assert main(("calibrate", "--template", "full_text", "--list")) == 0
    assert json.loads(capfd.readouterr().out)["thresholds"][0]["stale"] == ["settings"]
    assert main(("calibrate", "--template", "nobody")) == 2
    assert "corrected or judged right" in capfd.readouterr().err
