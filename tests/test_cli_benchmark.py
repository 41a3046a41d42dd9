from __future__ import annotations

import json
from pathlib import Path

import pytest
from labelled import AnsweringEngine, write_page

from ocr_ui.__main__ import main
from ocr_ui.services.engines import Engines


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    folder = tmp_path / "set"
    folder.mkdir()
    for number in range(2):
        write_page(folder, number, text="a b")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OCR_UI_TURN_PAGES", "false")
    monkeypatch.setattr(
        Engines, "from_settings", staticmethod(lambda settings: Engines({"m": AnsweringEngine(lambda _: "a b")}))
    )
    return str(folder)


def test_no_figure_without_its_conditions(data: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked = ("benchmark", "--data", data, "--template", "full_text_plain", "--engine", "m", "--load", "2")
    assert main((*asked, "--slo", "p99=0.001ms", "--layout", "page00=complex", "--json", "out.json")) == 0
    out = capfd.readouterr().out
    result = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert f"{result['loads'][0]['pages_per_second']:.3f} pages/s" in out
    assert "process to engine" in out
    assert result["cold_start"]["process_seconds"] > result["cold_start"]["engine_seconds"]
    for name in ("processor", "load", "packages", "settings", "cards"):
        assert f"  {name}: {json.dumps(result['conditions'][name], ensure_ascii=False)}" in out
    assert "highest load with p99=0.001ms" in out
    assert "complex" in out
    assert "none: one page at a time takes" in out


@pytest.mark.parametrize("arguments", [("--slo", "fast"), ("--layout", "page00=odd"), ("--template", "fields")])
def test_what_cannot_be_measured_is_refused(data: str, arguments: tuple[str, ...], capfd) -> None:
    assert main(("benchmark", "--data", data, "--engine", "m", *arguments)) == 2
    assert capfd.readouterr().out == ""
