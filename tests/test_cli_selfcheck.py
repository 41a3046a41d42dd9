"""The self-check against the running product with the real CPU engine, and against services that are broken."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedEngine, ScriptStep
from fastapi import FastAPI
from live import live, rest_app

from ocr_ui.__main__ import main
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.errors import EngineFailed
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

BAD = ["no picture", "empty file", "broken picture", "60000 x 60000 pixels", "unknown template"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def checked(capfd: pytest.CaptureFixture[str], *arguments: str, code: int) -> dict[str, Any]:
    assert main(("selfcheck", *arguments, "--json")) == code
    return json.loads(capfd.readouterr().out)


def verdicts(told: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["verdict"] for one in told["checks"]}


@pytest.mark.stress
def test_the_product_with_its_cpu_engine_does_nothing_wrong(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    settings = Settings(data_dir=tmp_path / "data", engine="rapidocr", turn_pages=False)
    with live(rest_app(settings, Engines.from_settings(settings))) as url:
        told = checked(capfd, url, code=0)
    pages = {"page": "right", "long receipt": "right", "bad scan": "right"}
    impossible = {"table": "not possible", "formula": "not possible"}
    assert verdicts(told) == pages | impossible | dict.fromkeys(BAD, "right")
    assert (told["engine"], told["right"], told["wrong"], told["not_possible"]) == ("rapidocr", 8, 0, 2)
    assert all(one["seconds"] > 0 for one in told["checks"] if one["verdict"] == "right")
    assert "rapidocr cannot do table" in {one["reason"] for one in told["checks"]}


def product(tmp_path: Path, steps: Sequence[ScriptStep], **options: Any) -> FastAPI:
    settings = Settings(data_dir=tmp_path / "data", turn_pages=False, **options)
    return rest_app(settings, Engines({"scripted": ScriptedEngine([Started(), *steps])}))


def test_an_engine_that_reads_something_else_is_found_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    says = "Something else altogether"
    with live(product(tmp_path, [TextDelta(says), Finished(Generation(says))])) as url:
        told = checked(capfd, url, code=3)
        assert main(("selfcheck", url)) == 3
    assert verdicts(told) == dict.fromkeys(["page", "long receipt", "table", "formula", "bad scan"], "wrong") | (
        dict.fromkeys(BAD, "right")
    )
    assert next(one["reason"] for one in told["checks"] if one["name"] == "page").startswith("CER 0.")
    lines = capfd.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[:10]] == [one["name"] for one in told["checks"]]
    assert lines[10] == "scripted: 5 right, 5 wrong, 0 not possible"


def test_an_engine_that_fails_is_wrong_in_its_own_words(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with live(product(tmp_path, [EngineFailed("engine_failed", "Out of paper.")])) as url:
        told = checked(capfd, url, code=3)
    assert told["checks"][0]["verdict"] == "wrong"
    assert told["checks"][0]["reason"].startswith("refused with 502 engine_failed: ")


@pytest.fixture
def credulous() -> Iterator[str]:
    """A service that has the product's routes and takes anything."""
    app = FastAPI()
    read = {"outcome": "complete", "lines": [], "fields": [], "tables": [], "text": ""}
    app.get("/v1/engines")(lambda: {"engines": [{"name": "any", "state": "ready"}]})
    app.get("/v1/templates")(lambda: {"templates": [{"name": "full_text", "engines": ["any"]}]})
    app.post("/v1/ocr")(lambda: read)
    with live(app) as url:
        yield url


def test_taking_what_must_be_refused_is_wrong(credulous: str, capfd: pytest.CaptureFixture[str]) -> None:
    told = checked(capfd, credulous, code=3)
    found = {one["name"]: one["reason"] for one in told["checks"]}
    assert {name: found[name][:5] for name in BAD} == dict.fromkeys(BAD, "taken")
    assert found["page"] == "CER 1.000, at most 0.2"


def test_where_no_such_service_is_there_is_nothing_to_check(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], credulous: str
) -> None:
    for url in ("http://127.0.0.1:9", f"{credulous}/elsewhere", "no-address"):
        assert main(("selfcheck", url)) == 1
        out, told = capfd.readouterr()
        assert (out, told.startswith(f"{url} is not a service that can be checked: ")) == ("", True)
    assert main(("selfcheck", credulous, "--engine", "other")) == 1
    assert "no engine 'other'; there are: any" in capfd.readouterr().err
    assert main(("selfcheck", credulous, "--examples", str(tmp_path))) == 2


def test_the_key_is_what_opens_a_service_with_logins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    assert main(("user", "add", "Ann")) == 0
    assert main(("key", "add", "Ann", "--name", "check")) == 0
    key = json.loads(capfd.readouterr().out.splitlines()[-1])["key"]
    with live(product(tmp_path, [EngineFailed("engine_failed", "Out of paper.")], auth="password")) as url:
        assert main(("selfcheck", url)) == 1
        assert "log in" in capfd.readouterr().err.lower()
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{key}\n"))
        told = checked(capfd, url, "--key", "-", code=3)
    assert verdicts(told)["no picture"] == "right"
