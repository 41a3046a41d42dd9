"""Rollouts over HTTP: streamed, shown, judged, chosen; batches in the background."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from live import rest_app
from sampled import CUT, MISREAD, RIGHT, WRONG, add_read, engine, label

from ocr_ui.services.engines import Engines
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings

KEY = "12345678"


@pytest.fixture(scope="module")
def sampler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(
        _env_file=None, data_dir=tmp_path_factory.mktemp("data"), turn_pages=False, allowed_hosts="testserver"
    )
    app = rest_app(settings, Engines({"scripted": engine(RIGHT, MISREAD, CUT, WRONG)}))
    with TestClient(app, raise_server_exceptions=False) as running:
        yield running


def bench(client: TestClient) -> Workbench:
    return client.app.state.workbench  # type: ignore[attr-defined]


def new_item(client: TestClient, shade: int = 0) -> int:
    item = add_read(bench(client).store, shade=shade)
    label(bench(client).store, item)
    return item


def steps(client: TestClient, item: int, language: str = "en", **asked: object) -> list[dict]:
    headers = {"X-Workbench-Lang": language}
    answer = client.post(f"/v1/items/{item}/rollouts", json={"n": 4, "person": "Ann", **asked}, headers=headers)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def test_answers_stream_and_are_shown_with_what_they_are_worth(sampler: TestClient) -> None:
    item = new_item(sampler)
    told = steps(sampler, item)
    assert [one["state"] for one in told][-2:] == ["running", "ended"]
    assert [one["text"] for one in told[-1]["answers"]] == [RIGHT, MISREAD, CUT, WRONG]
    shown = sampler.get(f"/v1/rollouts/{told[-1]['rollout']}").json()
    assert (shown["item"], shown["version"], shown["asked"], shown["together"]) == (item, 1, 4, True)
    assert shown["mark"] == "informative"
    assert shown["answers"][0]["reward"] == shown["spread"]["most"] == 1.0
    assert shown["answers"][0]["rewards"][0]["rule_version"]
    assert shown["engine"]["revision"] == "r1"
    total = next(row for row in shown["rows"] if row["label"] == "Total 12.50")
    assert total["texts"][0] == [["Total 12.50", False]]
    assert [text for text, differs in total["texts"][1] if differs] == ["8"]
    assert total["differs"]
    (listed,) = sampler.get(f"/v1/items/{item}/rollouts").json()["rollouts"]
    assert (listed["id"], listed["person"], listed["mark"]) == (shown["id"], "Ann", "informative")


def test_the_best_answer_becomes_the_label(sampler: TestClient) -> None:
    item = new_item(sampler)
    rollout = steps(sampler, item)[-1]["rollout"]
    body = {"answer": 2, "base_version": 1, "person": "Ann", "client_key": KEY}
    saved = sampler.post(f"/v1/rollouts/{rollout}/best", json=body).json()
    assert (saved["version"], saved["verdict"]) == (2, "wrong")
    ranking = {"answers": [0, 1], "client_key": KEY + "2"}
    assert sampler.post(f"/v1/rollouts/{rollout}/ranking", json=ranking).status_code == 200
    told = sampler.get(f"/v1/rollouts/{rollout}/judgements").json()["judgements"]
    assert [(one["kind"], one["answers"]) for one in told] == [("best", [2]), ("rank", [0, 1])]
    late = sampler.post(f"/v1/rollouts/{rollout}/best", json={**body, "client_key": KEY + "3"})
    assert late.status_code == 409


def test_a_blind_pair_tells_nothing_before_it_is_judged(sampler: TestClient) -> None:
    rollout = steps(sampler, new_item(sampler))[-1]["rollout"]
    pair = sampler.post(f"/v1/rollouts/{rollout}/pair", json={"person": "Ann"}).json()["pair"]
    assert set(pair) == {"token", "judged", "total", "left", "right"}
    assert all(isinstance(text, str) for text in (*pair["left"], *pair["right"]))
    answer = sampler.post(f"/v1/rollout-pairs/{pair['token']}", json={"choice": "right", "person": "Ann"}).json()
    assert {"number", "reward"} == set(answer["left"])
    assert sampler.post("/v1/rollout-pairs/none", json={"choice": "tie"}).status_code == 404
    assert sampler.post(f"/v1/rollout-pairs/{pair['token']}", json={"choice": "up"}).status_code == 422


def test_what_fails_is_said_in_the_language_of_the_page(sampler: TestClient) -> None:
    item = new_item(sampler)
    (failed,) = steps(sampler, item, "zh", temperature=0)
    assert (failed["state"], failed["error"]["code"]) == ("failed", "greedy_samples")
    assert "温度" in failed["error"]["message"]
    assert sampler.get("/v1/rollouts/9999").status_code == 404
    assert sampler.get("/v1/rollout-jobs/9999").status_code == 404


def test_a_batch_runs_in_the_background(sampler: TestClient, tmp_path: Path) -> None:
    items = [new_item(sampler, shade) for shade in range(20, 23)]
    body = {"n": 2, "filters": {"item": items}}
    started = sampler.post("/v1/rollout-jobs", json=body)
    assert started.status_code == 202, started.text
    job = started.json()["job"]
    for _ in range(1200):
        told = sampler.get(f"/v1/rollout-jobs/{job}").json()
        if not told["running"]:
            break
        time.sleep(0.05)
    assert (told["done"], told["failed"], told["waiting"], told["error"]) == (3, 0, 0, None)
    assert told["marks"] == {"informative": 3}
    assert sampler.get("/v1/rollout-jobs/newest").json()["job"] == job
    assert all(len(sampler.get(f"/v1/items/{item}/rollouts").json()["rollouts"]) == 1 for item in items)
    refused = sampler.post("/v1/rollout-jobs", json={"filters": {"revision": ["none"]}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "nothing_to_sample")
