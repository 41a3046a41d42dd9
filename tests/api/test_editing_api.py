"""What the page asks for while lines are edited, over REST."""

from __future__ import annotations

import json

from fastapi.testclient import TestClient
from stored import add_item

from ocr_ui.services.workbench import Workbench


def at(top: int, id: str) -> dict:
    return {"id": id, "text": id, "quad": [[0, top], [300, top], [300, top + 20], [0, top + 20]]}


def test_the_reading_order_is_told_by_ids(client: TestClient) -> None:
    answer = client.post("/v1/reading-order", json={"lines": [at(80, "c"), at(0, "a"), at(40, "b")]})
    assert answer.json() == {"order": ["a", "b", "c"]}


def test_lines_that_are_none_are_refused(client: TestClient) -> None:
    for lines, code in (([{"text": 1}], "bad_content"), ([at(0, "a"), at(9, "a")], "duplicate_line_id")):
        assert client.post("/v1/reading-order", json={"lines": lines}).json()["error"]["code"] == code


def test_a_reading_of_a_box_is_told_line_by_line_and_its_errors_in_the_language(
    client: TestClient, workbench: Workbench
) -> None:
    item = add_item(workbench.store)
    body = {"lines": [at(0, "a")], "quad": [[0, 0], [1, 0], [1, 1], [0, 1]], "ids": ["a"]}
    answer = client.post(f"/v1/items/{item}/rereads", json=body, headers={"X-Workbench-Lang": "zh"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    last = json.loads(answer.text.splitlines()[-1])
    assert (last["state"], last["error"]["code"]) == ("failed", "box_too_small")
    assert "框" in last["error"]["message"]
    gone = client.post("/v1/items/999999/rereads", json=body)
    assert json.loads(gone.text)["error"]["code"] == "unknown_recognition"
