"""Items are deleted over REST."""

from __future__ import annotations

from fastapi.testclient import TestClient
from live import until
from stored import add_item

from ocr_ui.services.workbench import Workbench


def test_items_are_deleted(client: TestClient, workbench: Workbench) -> None:
    one, two, three = (add_item(workbench.store, [f"gone {shade}"], shade=900 + shade) for shade in range(3))
    answer = client.delete(f"/v1/items/{one}")
    assert (answer.status_code, answer.json()) == (200, {"items": 1, "pictures": 1, "versions": []})
    assert client.get(f"/v1/items/{one}").status_code == 404
    assert client.get("/v1/recognitions", params={"text": "gone 0"}).json()["total"] == 0
    assert client.post("/v1/items/delete", json={"items": [one, two]}).status_code == 404
    client.post("/v1/versions", json={"name": "kept", "filters": {"items": [three]}})
    refused = client.post("/v1/items/delete", json={"items": [two, three]}, headers={"X-Workbench-Lang": "zh"})
    assert refused.status_code == 409
    assert "冻结版本 kept" in refused.json()["error"]["message"]
    assert client.post("/v1/items/delete", json={"items": [two, three], "frozen": True}).json()["versions"] == ["kept"]
    assert client.get("/v1/versions/kept").json()["removed"] == 1
    assert client.post("/v1/items/delete", json={"items": []}).status_code == 422


def test_a_batch_that_failed_is_told_after_its_items_were_deleted(client: TestClient, workbench: Workbench) -> None:
    item = add_item(workbench.store, shade=950)
    client.delete(f"/pictures/{client.get(f'/v1/recognitions/{item}').json()['page']['sha256']}")
    job = client.post("/v1/jobs/again", json={"items": [item]}).json()["jobs"][0]["job"]
    until(lambda: client.get(f"/v1/jobs/{job}").json()["failed"] == 1)
    assert client.delete(f"/v1/items/{item}").status_code == 200
    for language, said in (("en", "was deleted"), ("zh", "已随条目")):
        told = client.get(f"/v1/jobs/{job}", headers={"X-Workbench-Lang": language})
        assert told.status_code == 200
        assert said in told.json()["failures"][0]["error"]["message"]
    assert client.post(f"/v1/jobs/{job}/retry").status_code == 200
