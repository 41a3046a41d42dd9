"""The server while its database is away: a plain 503, and work goes on by itself when the database is back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fakes import ScriptedEngine
from fastapi import FastAPI
from live import live, rest_app, until
from stored import png

from ocr_ui.domain.access import Role
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

pytestmark = pytest.mark.postgresql_only
FILE = {"files": ("a.png", png(), "image/png")}
PASSWORD = "long enough"


FORM = {"name": "Ann", "password": PASSWORD}


@pytest.fixture
def app(database: str, tmp_path: Path) -> FastAPI:
    settings = Settings(data_dir=tmp_path, turn_pages=False, auth="password")
    engine = ScriptedEngine([Started(), Finished(Generation("Total 12.50"))])
    return rest_app(settings, Engines({"scripted": engine}))


@pytest.fixture
def client(app: FastAPI) -> Iterator[httpx.Client]:
    with live(app) as address, httpx.Client(base_url=address, timeout=60) as client:
        app.state.workbench.accounts.add("Ann", Role.ADMIN, PASSWORD)
        client.post("/login", data={"name": "Ann", "password": PASSWORD})
        yield client


def test_what_needs_the_database_is_refused_and_goes_on_when_it_is_back(client: httpx.Client, postgres_server) -> None:
    job = client.post("/v1/jobs", files=FILE).json()["job"]
    until(lambda: client.get(f"/v1/jobs/{job}").json()["state"] == "done", 30)
    postgres_server.stop()
    try:
        for answer in (
            client.get("/v1/recognitions"),
            client.post("/v1/jobs", files=FILE),
            client.post("/login", data={"name": "Ann", "password": PASSWORD}, headers={"Accept": "application/json"}),
            client.get("/readyz"),
        ):
            assert answer.status_code == 503, answer.url
            assert "tester" not in answer.text
        base, guessed = client.base_url, {"Cookie": "workbench_session=guessed"}
        for stranger in (
            httpx.get(f"{base}/v1/recognitions", headers=guessed, timeout=60),
            httpx.post(f"{base}/login", data=FORM, timeout=60),
        ):
            assert (stranger.status_code, stranger.json()["error"]["details"]) == (503, {})
            assert str(postgres_server.port) not in stranger.text
        refused = client.get("/v1/recognitions", headers={"X-Workbench-Lang": "zh"})
        assert refused.json()["error"]["code"] == "database_away"
        assert "无法连接数据库" in refused.text
        assert int(refused.headers["retry-after"]) > 0
        assert client.get("/healthz").status_code == 200
    finally:
        postgres_server.start()
    assert client.get("/readyz").status_code == 200
    assert len(client.get("/v1/recognitions").json()["recognitions"]) == 1
    again = client.post("/v1/jobs", files=FILE).json()["job"]
    until(lambda: client.get(f"/v1/jobs/{again}").json()["state"] == "done", 30)


def test_what_waits_in_the_background_says_so_once(
    app: FastAPI, client: httpx.Client, postgres_server, caplog: pytest.LogCaptureFixture
) -> None:
    jobs, asked = app.state.workbench.store.jobs, []
    take = jobs.take
    jobs.take = lambda *of: asked.append(of) or take(*of)
    postgres_server.stop()
    try:
        at_first = len(asked)
        until(lambda: len(asked) > at_first + 2, 30)
    finally:
        postgres_server.start()
    assert len([line for line in caplog.messages if line.startswith("batches")]) == 1
    caplog.set_level("INFO", "ocr_ui.services")
    until(lambda: "batches go on" in caplog.messages, 30)
