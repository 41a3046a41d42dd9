"""`python -m ocr_ui doctor` beside a running service, and without one."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fakes import ScriptedEngine
from live import live, rest_app

from ocr_ui.__main__ import main
from ocr_ui.errors import EngineDead
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

NOBODY = 65_534


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


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with what only its owner may read, in one that everybody may."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.chdir(folder)
        made = Path(folder) / "closed"
        for name in ("data", "logs", "pictures"):
            (made / name).mkdir(parents=True)
        yield made
        made.chmod(0o700)


@contextmanager
def without_rights() -> Iterator[None]:
    """Root may read everything."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def told_without_rights(capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[str, str, str]]:
    main(["doctor"])  # whatever is imported is, with rights
    capsys.readouterr()
    with without_rights():
        assert main(["doctor", "--json"]) == 3
    return {
        one["name"]: (one["verdict"], one["says"], one["hint"]) for one in json.loads(capsys.readouterr().out)["checks"]
    }


def test_whoever_may_read_nothing_is_told_what_and_all_else_is_looked_at(
    closed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {"DATA_DIR": "data", "LOG_FILE": "logs/p.log", "PICTURES_URL": "pictures", "ENGINES_FILE": "engines.toml"}
    for name, place in places.items():
        monkeypatch.setenv(f"OCR_UI_{name}", f"{'file://' if 'URL' in name else ''}{closed / place}")
    (closed / "engines.toml").write_text("")
    monkeypatch.setenv("OCR_UI_PORT", "0")
    Store.open(Settings()).close()
    closed.chmod(0)
    told = told_without_rights(capsys)
    for name, place in {
        "data folder": "data",
        "disk": "data",
        "database": "data/workbench.sqlite3",
        "pictures": "pictures",
        "log file": "logs/p.log",
        "engines file missing": "engines.toml",
    }.items():
        verdict, says, hint = told[name]
        assert (verdict, says.partition(" cannot be ")[0]) == ("broken", str(closed / place))
        assert "Permission denied" in says
        assert hint
    assert [told[name][0] for name in ("port", "login")] == ["fine"] * 2


def test_a_database_that_may_not_be_read_is_named(
    closed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(closed))
    Store.open(Settings()).close()
    (closed / "workbench.sqlite3").chmod(0)
    closed.chmod(0o755)
    verdict, says, _ = told_without_rights(capsys)["database"]
    assert (verdict, says) == ("broken", f"{closed}/workbench.sqlite3 cannot be read: Permission denied.")


def test_settings_that_may_not_be_read_are_told(
    closed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (closed / ".env").write_text("OCR_UI_PORT=1")
    (closed / ".env").chmod(0)
    closed.chmod(0o755)
    monkeypatch.chdir(closed)
    with without_rights():
        assert main(["doctor"]) == 2
    assert capsys.readouterr().err.startswith("The settings in .env cannot be read: Permission denied. Save it")
