from __future__ import annotations

from fastapi.testclient import TestClient
from stored import ANN, content

from ocr_ui.services.workbench import Workbench


def test_freeze_list_export_and_delete(client: TestClient, workbench: Workbench, item: int) -> None:
    body = {"name": "first", "filters": {"items": [item]}, "licence": "cc0-1.0", "person": "Ann"}
    made = client.post("/v1/versions", json=body)
    assert (made.status_code, made.json()["items"]) == (201, 1)
    client.post("/v1/versions", json={**body, "name": "second"})
    workbench.store.corrections.add(item, 0, content("later"), ANN)
    frozen = client.get("/v1/exports/jsonl", params={"version": "first"})
    assert "Total 12.80" in frozen.text
    assert "later" not in frozen.text
    one = client.get("/v1/versions/first").json()
    assert (one["exports"], one["log"][0]["target"], one["log"][0]["format"]) == (1, "download", "jsonl")
    listed = client.get("/v1/versions").json()
    assert [version["name"] for version in listed["versions"]][:2] == ["second", "first"]
    assert client.delete("/v1/versions/second").status_code == 204
    assert client.delete("/v1/versions/first").json()["error"]["code"] == "version_exported"


def test_what_is_refused_is_told_in_the_language_of_the_page(client: TestClient, item: int) -> None:
    taken = {"name": "taken", "filters": {"items": [item]}}
    assert client.post("/v1/versions", json=taken).status_code == 201
    answers = [
        (409, "version_exists", client.post("/v1/versions", json=taken, headers={"X-Workbench-Lang": "zh"})),
        (400, "bad_version_name", client.post("/v1/versions", json={**taken, "name": "a b"})),
        (400, "nothing_to_freeze", client.post("/v1/versions", json={"name": "x", "filters": {"text": "nowhere"}})),
        (400, "unknown_filter", client.post("/v1/versions", json={"name": "x", "filters": {"colour": "red"}})),
        (404, "unknown_version", client.get("/v1/versions/nowhere")),
        (404, "unknown_version", client.get("/v1/exports/jsonl", params={"version": "nowhere"})),
        (404, "unknown_version", client.get("/v1/exports/verl", params={"version": "nowhere"})),
        (405, "method_not_allowed", client.patch("/v1/versions/taken", json={"name": "other"})),
    ]
    for status, code, answer in answers:
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert "换一个名称" in answers[0][2].json()["error"]["message"]
