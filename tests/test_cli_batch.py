"""`python -m ocr_ui batch`, and many files over REST."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from batches import SAYS, archive, picture
from fakes import Pause, ScriptedEngine
from fastapi.testclient import TestClient
from live import live, rest_app, until

from ocr_ui.__main__ import main
from ocr_ui.client import Client, Refused
from ocr_ui.engines.base import Started
from ocr_ui.errors import EngineDead
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


class Console:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.chdir(folder)
        monkeypatch.setenv("OCR_UI_DATA_DIR", str(folder / "data"))
        monkeypatch.setenv("OCR_UI_TURN_PAGES", "false")
        self._capsys, self.engine = capsys, ScriptedEngine(SAYS)

    def __call__(self, *arguments: str, code: int = 0) -> Any:
        # The command is the real one; a scripted engine stands where the real ones would be loaded.
        with patch.object(Engines, "from_settings", lambda _: Engines({"scripted": self.engine})):
            assert main(["batch", *arguments]) == code
        out, self.err = self._capsys.readouterr()
        return json.loads(out) if out else None


@pytest.fixture
def console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Console:
    scans = tmp_path / "scans" / "deep"
    scans.mkdir(parents=True)
    (scans / "a.png").write_bytes(picture("1"))
    (scans / ".hidden").write_bytes(b"x")
    (tmp_path / "b.png").write_bytes(picture("2"))
    (tmp_path / "all.zip").write_bytes(archive({"c.png": picture("3"), "notes.txt": b"x"}))
    return Console(tmp_path, monkeypatch, capsys)


def test_files_folders_and_archives_are_read_and_written(console: Console, tmp_path: Path) -> None:
    told = console("scans", "b.png", "all.zip", "--out", "out", "--format", "jsonl", "--format", "csv", code=1)
    assert (told["done"], told["failed"], told["formats"]) == (3, 1, ["jsonl", "csv"])
    assert "all.zip/notes.txt: This is not a picture. (not_a_picture)\n" in console.err
    rows = [json.loads(line) for line in (tmp_path / "out" / "items.jsonl").read_text().splitlines()]
    assert sorted(row["document"] for row in rows) == ["all.zip/c.png", "b.png", "scans/deep/a.png"]
    assert (tmp_path / "out" / "items.csv").exists()
    # the same command once more reads nothing again
    again = console("scans", "b.png", "all.zip", "--out", "out", "--format", "jsonl", code=1)
    assert (again["job"], again["done"]) == (told["job"], 3)
    assert len(console.engine.seen) == 3
    with Store.open(Settings(data_dir=tmp_path / "data")) as store:
        assert store.items.count() == 3


@pytest.fixture(params=[signal.default_int_handler, signal.SIG_IGN], ids=["in-front", "in-the-background"])
def as_started(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a script starts in the background ignores SIGINT."""
    before = signal.signal(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("as_started")
def test_a_command_that_is_terminated_gives_its_pages_back(console: Console, tmp_path: Path) -> None:
    console.engine.script = (Started(), Pause(600))

    def end() -> None:
        until(lambda: console.engine.running, 300)
        os.kill(os.getpid(), signal.SIGTERM)

    killer = threading.Thread(target=end)
    killer.start()
    console("b.png", "--out", "out", code=143)
    killer.join()
    assert "Stopped." in console.err
    with Store.open(Settings()) as store:
        assert store.jobs.take("another", 60) is not None, "at once, and not when its claim is over"


def test_files_keep_short_names_and_none_is_lost_where_they_are_the_same(console: Console, tmp_path: Path) -> None:
    for number, folder in enumerate(("march/scans", "april/scans")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.png").write_bytes(picture(f"1{number}"))
    told = console(
        *("march/scans", "april/scans", str(tmp_path / "b.png"), str(tmp_path / "march/scans/a.png"), "--out", "out")
    )
    assert told["done"] == 4
    rows = [json.loads(line) for line in (tmp_path / "out" / "items.jsonl").read_text().splitlines()]
    assert sorted(row["document"] for row in rows) == ["a.png", "april/scans/a.png", "b.png", "scans/a.png"]


def test_a_batch_of_which_nothing_can_be_read_says_so(console: Console, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"x")
    told = console("notes.txt", "--out", "out", code=1)
    assert (told["done"], told["failed"], told["formats"]) == (0, 1, [])
    assert "notes.txt: This is not a picture." in console.err
    assert console.err.endswith("No page was read; nothing was written.\n")


def test_the_same_command_goes_on_where_it_was_interrupted(console: Console, tmp_path: Path) -> None:
    console.engine.script = [EngineDead("engine_dead", "The engine is gone.", "Start it.")]
    console("scans", "b.png", "--out", "out", code=1)
    assert "same command" in console.err
    console.engine.script = SAYS
    told = console("scans", "b.png", "--out", "out")
    assert (told["done"], told["failed"], told["job"]) == (2, 0, 1)
    assert list((tmp_path / "out" / "markdown").glob("*.md"))


def test_what_does_not_fit_is_refused(console: Console, tmp_path: Path) -> None:
    console("b.png", "--out", "out")
    console("b.png", "--out", "out", "--template", "document", code=2)
    assert "another batch" in console.err
    for wrong in (["nowhere.png"], ["b.png", "--format", "gif"], ["b.png", "--pages", "x"], ["data/none"]):
        console(*wrong, "--out", "other", code=2)
    (tmp_path / "out" / "batch.json").write_text("{")
    console("b.png", "--out", "out", code=2)
    assert "does not say" in console.err


def test_more_files_than_a_form_takes_join_one_batch(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", turn_pages=False, batch_at_once=0)
    app = rest_app(settings, Engines({"scripted": ScriptedEngine(SAYS)}))
    data = picture()
    with TestClient(app, base_url="http://localhost") as rest:
        answer = rest.post(
            "/v1/jobs",
            files=[("files", (f"{number}.png", data)) for number in range(1001)],
            headers={"X-Workbench-Lang": "zh"},
        )
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "too_many_in_form"
        assert "1000" in answer.json()["error"]["message"]
    files = [tmp_path / f"{number}.png" for number in range(450)]
    for file in files:
        file.write_bytes(data)
    with live(app) as url, Client(url) as client:
        told = client.batch(files, name="many", priority="low")
        assert (told["unopened"], told["state"], told["name"], told["priority"]) == (450, "waiting", "many", "low")
        assert client.job(told["job"])["unopened"] == 450
        with pytest.raises(Refused):
            client.batch(files[:1], template="none")
        with pytest.raises(Refused) as nothing:
            client.batch([])
        assert nothing.value.code == "no_files"
