"""`python -m ocr_ui doctor` beside a running service, and without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes import ScriptedEngine
from live import live, rest_app

from ocr_ui.__main__ import main
from ocr_ui.errors import EngineDead
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {"DATA_DIR": str(tmp_path / "data"), "ENGINE": "rapidocr", "PORT": "1"}.items():
        monkeypatch.setenv(f"OCR_UI_{name}", value)


def service(folder: Path, broken: dict | None = None, **more: str):
    settings = Settings(data_dir=folder / "service", turn_pages=False, batch_at_once=0, **more)
    return live(rest_app(settings, Engines({} if broken else {"scripted": ScriptedEngine([])}, broken)))


def test_it_says_what_limits_a_running_service(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with service(tmp_path) as url:
        assert main(["doctor", url]) == 0
        said = capsys.readouterr().out
        assert said.startswith("Nothing is being read. Read a page or start a batch")
        assert "engine scripted: 0 waiting, 0 being read" in said
        assert f"fine     service: {url} is ready." in said
        assert main(["doctor", url.removeprefix("http://"), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
    assert told["service"]["monitor"]["verdict"]["code"] == "nothing"
    assert "machine" not in told, "that of another machine cannot be known"
    assert main(["doctor", url]) == 1
    assert "is not a service" in capsys.readouterr().err


def test_a_service_that_is_not_ready_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dead = {"vllm": EngineDead("engine_not_installed", "vLLM is not installed here.", "pip")}
    with service(tmp_path, dead) as url:
        assert main(["doctor", url]) == 3
    assert "broken   engine vllm as it runs: vLLM is not installed here." in capsys.readouterr().out


def test_a_key_is_asked_for_where_there_are_logins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with service(tmp_path, auth="password") as url:
        assert main(["doctor", url]) == 0
    assert "Give a reviewer's key with --key." in capsys.readouterr().out


def test_without_a_service_the_machine_is_looked_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCR_UI_JUDGE_KEY", "geheim")
    monkeypatch.setenv("OCR_UI_PORT", "0")
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("No service answers")
    for words in (
        "program ",
        "packages: ",
        "weights: none here",
        "setting: OCR_UI_JUDGE_KEY=***",
        "fine     data folder",
    ):
        assert words in said
    assert "geheim" not in said
    (tmp_path / "data").write_text("no folder")
    assert main(["doctor", "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert {"machine", "python", "weights", "settings", "checks"} <= set(told)
    assert told["service"] is None
