from __future__ import annotations

import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from ocr_ui.services.workbench import Workbench

SECRET = "hf_SeCrEtSeCrEt"


def ended(client: TestClient, push: dict, **headers: str) -> dict:
    for _ in range(600):
        found = client.get(f"/v1/pushes/{push['id']}", headers=headers).json()
        if found["state"] != "running":
            return found
        time.sleep(0.1)
    raise AssertionError("the push does not end")


@pytest.fixture
def folder(workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(workbench.pushes, "_folder", tmp_path)
    return tmp_path


def test_a_push_into_a_folder(client: TestClient, item: int, folder: Path) -> None:
    body = {"format": "jsonl", "target": "bills", "filters": {"item": item}, "licence": "cc0-1.0"}
    begun = client.post("/v1/pushes", json=body)
    assert (begun.status_code, begun.json()["state"]) == (202, "running")
    found = ended(client, begun.json())
    assert (found["state"], found["address"], found["items"]) == ("done", str(folder / "bills"), 1)
    assert 'license: "cc0-1.0"' in (folder / "bills" / "README.md").read_text("utf-8")
    assert client.get("/v1/versions").json()["exports"][0]["target"] == str(folder / "bills")


def test_what_went_wrong_is_told_in_the_language_of_the_page(client: TestClient, item: int, folder: Path) -> None:
    body = {"format": "trl-dpo", "target": "bills", "filters": {"item": item}}
    found = ended(client, client.post("/v1/pushes", json=body).json(), **{"X-Workbench-Lang": "zh"})
    assert (found["state"], found["error"]["code"]) == ("failed", "nothing_fits")
    assert "未写入任何内容" in found["error"]["message"]
    assert list(folder.iterdir()) == []


def test_what_is_refused_at_once(client: TestClient) -> None:
    for body, code in (
        ({"format": "jsonl", "target": "/etc"}, "bad_push_target"),
        ({"format": "jsonl", "target": "hub:x"}, "bad_push_target"),
        ({"format": "jsonl", "target": "hub:a/b", "token": f"{SECRET} {SECRET}"}, "bad_hub_token"),
        ({"format": "jsonl", "target": "x", "options": {"split": "half"}}, "bad_split"),
        ({"format": "jsonl", "target": "x", "options": {"max_prompt_length": "many"}}, "bad_filter_value"),
        ({"format": "jsonl", "target": "x", "token": [SECRET]}, "malformed"),
    ):
        answer = client.post("/v1/pushes", json=body)
        assert answer.json()["error"]["code"] == code
        assert SECRET not in answer.text
    assert client.get("/v1/pushes/999").json()["error"]["code"] == "unknown_push"
