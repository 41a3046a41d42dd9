"""Several ways to read a picture, preferences and experiments over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from live import rest_app
from sampled import MISREAD, RIGHT, VARIED, page_picture, script

from ocr_ui.api.tries import WayBody
from ocr_ui.engines.base import Started
from ocr_ui.errors import EngineFailed
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

KEY = "12345678"
BROKEN = [Started(), EngineFailed("engine_failed", "It broke.", reason="it broke")]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("data")
    settings = Settings(_env_file=None, data_dir=folder, turn_pages=False, allowed_hosts="testserver")
    engines = {"right": script(RIGHT), "misread": script(MISREAD), "broken": BROKEN}
    app = rest_app(settings, Engines({name: ScriptedEngine(said, VARIED) for name, said in engines.items()}))
    with TestClient(app, raise_server_exceptions=False) as running:
        yield running


def page_of(client: TestClient, shade: int) -> int:
    answer = client.post("/v1/pictures", files={"file": ("a.png", page_picture(shade))})
    return answer.json()["page"]["id"]


def tried(client: TestClient, page: int, *engines: str, language: str = "en") -> dict[str, Any]:
    ways = [{"template": "full_text", "engine": name} for name in engines]
    headers = {"X-Workbench-Lang": language}
    answer = client.post("/v1/tries", json={"page": page, "ways": ways, "person": "Ann"}, headers=headers)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()][-1]


def test_ways_stream_and_stand_side_by_side_with_boxes(client: TestClient) -> None:
    last = tried(client, page_of(client, 1), "right", "misread", "broken", language="zh")
    assert last["ended"]
    assert [lane["state"] for lane in last["lanes"]] == ["complete", "complete", "failed"]
    assert [len(lane["quads"]) for lane in last["lanes"]] == [2, 2, 0]
    assert "引擎" in last["lanes"][2]["error"]["message"], "in the language of the page"
    items = [lane["item"] for lane in last["lanes"][:2]]
    shown = client.get("/v1/tries", params={"item": items, "base": 0}).json()
    total = next(row for row in shown["rows"] if row["differs"])
    assert total["texts"] == [[["Total 12.50", False]], [["Total 12.", False], ["8", True], ["0", False]]]
    assert all(len(quad) == 4 for quad in total["quads"])
    assert [one["engine_name"] for one in shown["readings"]] == ["right", "misread"]
    assert shown["no_pair"] == [["", ""], ["", ""]]
    assert shown["picture"]["width"] == 1000


def test_the_better_one_is_kept_and_said_to_be_a_pair_or_none(client: TestClient) -> None:
    items = [lane["item"] for lane in tried(client, page_of(client, 2), "right", "misread")["lanes"]]
    body = {"better": items[0], "worse": items[1:], "person": "Ann", "seconds": 3, "client_key": KEY}
    assert client.post("/v1/preferences", json=body).json() == {"kept": [{"worse": items[1], "no_pair": ""}]}
    refused = client.post("/v1/preferences", json={**body, "worse": [items[0]]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_preference")


def test_what_is_too_much_or_nothing_is_refused_before_it_runs(client: TestClient) -> None:
    page = page_of(client, 3)
    for ways in ([], [{"template": "full_text"}] * 5, [{"template": "full_text", "options": {"temperature": 9}}]):
        assert client.post("/v1/tries", json={"page": page, "ways": ways}).status_code == 422
    assert client.post("/v1/tries/stop", json={"owner": "nobody-here"}).json() == {"stopped": 0}
    assert client.get("/v1/tries", params={"item": [999]}).status_code == 404


def test_every_option_of_a_reading_counts_for_a_way() -> None:
    given = {"prompt": "a", "temperature": 0.5, "confidence": False, "structured": True, "preprocess": "auto"}
    way = WayBody(template="full_text", options={**given, "pixels": 20_000, "full_resolution": True}).way
    assert way.sampling == {"temperature": 0.5, "logprobs": False}
    assert (way.prompt, way.structured, way.preprocess, way.pixels, way.whole) == ("a", True, "auto", 20_000, True)


def test_an_experiment_from_its_start_to_the_way_back(client: TestClient) -> None:
    asked = {"template": "full_text", "other_engine": "misread", "share": 1, "name": "smaller", "person": "Ann"}
    made = client.post("/v1/experiments", json=asked)
    assert made.status_code == 201, made.text
    number = made.json()["id"]
    read = client.post("/v1/ocr", files={"file": ("a.png", page_picture(4))}).json()
    assert read["experiment"] == {"id": number, "arm": "B"}
    assert "Total 12.80" in read["text"]
    shown = client.get(f"/v1/items/{read['id']}").json()
    assert shown["item"]["experiment"] == {"id": number, "arm": None}
    beside = client.get("/v1/tries", params={"item": read["id"]}).json()["readings"][0]
    assert (beside["engine"], beside["engine_name"], beside["model"]) == ("A/B", "", "")
    judged = {"recognition_id": read["id"], "base_version": 0, "verdict": "right", "client_key": KEY}
    judged["content"] = {name: shown[name] for name in ("lines", "text")}
    saved = client.post("/v1/corrections", json=judged).json()
    assert saved["experiment"] == {"id": number, "arm": "B"}
    told = client.get(f"/v1/items/{read['id']}").json()["item"]
    assert saved["asked"] == {name: told[name] for name in saved["asked"]}, "the page need not open it again"
    assert saved["asked"]["engine"] != "A/B"
    pair = client.post(f"/v1/experiments/{number}/pair", json={"person": "Ann"}).json()["pair"]
    told = client.post(f"/v1/experiment-pairs/{pair['token']}", json={"choice": "tie", "person": "Ann"}).json()
    assert {told["left"], told["right"]} == {"A", "B"}
    assert client.patch(f"/v1/experiments/{number}", json={"share": 0.25}).json()["share"] == 0.25
    ended = client.post(f"/v1/experiments/{number}/roll-back", json={"person": "Bo"}).json()
    assert (ended["running"], ended["ended_by"], ended["result"]["blind"]["tie"]) == (False, "Bo", 1)
    again = client.post("/v1/ocr", files={"file": ("a.png", page_picture(4))}).json()
    assert "experiment" not in again
    assert "Total 12.50" in again["text"]
    assert [one["id"] for one in client.get("/v1/experiments").json()["experiments"]] == [number]
