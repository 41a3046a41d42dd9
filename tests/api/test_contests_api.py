"""Contests and the log of runs over HTTP."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from labelled import AnsweringEngine, answer, truth_text, write_set
from live import rest_app

from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

PAGES = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("contests")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    settings = Settings(_env_file=None, data_dir=folder / "data", turn_pages=False, allowed_hosts="testserver")
    with TestClient(rest_app(settings, Engines({"m": AnsweringEngine(answer)}))) as running:
        yield running


@pytest.fixture(scope="module")
def run(client: TestClient, folder: Path) -> int:
    """The number of a contest of two templates in the log."""
    competitors = [{"template": "full_text_plain", "engine": "m"}, {"template": "fields"}]
    asked = {"data": str(write_set(folder / "set", PAGES)), "competitors": competitors, "person": "Ann"}
    begun = client.post("/v1/contests", json=asked)
    assert begun.status_code == 202, begun.text
    for _ in range(3000):
        told = client.get(f"/v1/contests/{begun.json()['contest']}").json()
        if told["state"] == "done":
            assert (told["done"], told["total"], told["person"]) == (2 * PAGES, 2 * PAGES, "Ann")
            return told["run"]
        time.sleep(0.02)
    raise AssertionError(told)


def test_a_contest_and_its_result(client: TestClient, run: int) -> None:
    assert client.get("/v1/contests").json()["contests"][0]["run"] == run
    whole = client.get(f"/v1/runs/{run}").json()
    assert [one["title"] for one in whole["competitors"]] == ["A: full_text_plain · m", "B: fields · m"]
    assert len(whole["pages"]) == PAGES
    assert "pages" not in client.get(f"/v1/runs/{run}?pages=false").json()
    (logged,) = client.get("/v1/runs?kind=evaluate").json()["runs"]
    assert logged["data_sha256"] == whole["data"]["sha256"]
    report = client.get(f"/v1/runs/{run}/report")
    assert report.headers["content-disposition"] == f'attachment; filename="evaluation-{run}.html"'
    assert f"{whole['competitors'][0]['scores']['cer']['value']:.4f}" in report.text
    assert "<h2>Conditions</h2>" in report.text
    assert "<h2>运行条件</h2>" in client.get(f"/v1/runs/{run}/report?language=zh").text


def test_a_page_and_its_picture(client: TestClient, run: int) -> None:
    page = client.get(f"/v1/runs/{run}/pages/2?key=A").json()
    assert "".join(text for row in page["sections"][0]["rows"] for text, _ in row["left"]) == truth_text(2).replace(
        "\n", ""
    )
    picture = client.get(page["picture"]["url"])
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")


def test_two_competitors_are_compared(client: TestClient, run: int) -> None:
    found = client.get(f"/v1/runs/compare?first={run}.A&second={run}.B").json()
    assert (found["first"]["title"], found["second"]["key"]) == ("A: full_text_plain · m", "B")
    assert [one["metric"] for one in found["metrics"]] == ["facts"]


def test_what_a_set_holds(client: TestClient) -> None:
    told = client.get("/v1/labelled-set").json()
    assert told["pages"] >= 14
    assert told["templates"]["full_text"] >= 10


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/contests/99", 404, "unknown_contest"),
        ("/v1/runs/99", 404, "unknown_run"),
        ("/v1/runs/99/report", 404, "unknown_run"),
        ("/v1/runs/1/pages/99?key=A", 404, "page_gone"),
        ("/v1/runs/1/pages/1?key=Z", 404, "unknown_competitor"),
        ("/v1/runs/1/pages/1?key=<b>", 422, "malformed"),
        ("/v1/runs/compare?first=1.A&second=1", 422, "malformed"),
        ("/v1/labelled-set?data=nowhere", 404, "unknown_test_set"),
    ],
)
def test_what_is_not_there_is_told_in_both_languages(
    client: TestClient, run: int, path: str, status: int, code: str
) -> None:
    for language in ("en", "zh"):
        answer = client.get(path, headers={"X-Workbench-Lang": language})
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_contest_that_cannot_be_is_refused(client: TestClient) -> None:
    for change, code in (
        ({"normalize": "colour"}, "bad_normalization"),
        ({"data": "nowhere"}, "unknown_test_set"),
        ({"competitors": [{"template": "nowhere"}]}, "template_not_found"),
        ({"competitors": []}, "malformed"),
    ):
        body = {"competitors": [{"template": "full_text_plain"}], **change}
        refused = client.post("/v1/contests", json=body)
        assert refused.json()["error"]["code"] == code
