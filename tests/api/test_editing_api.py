"""What the page asks for while lines are edited, over REST."""

from __future__ import annotations

from fastapi.testclient import TestClient


def at(top: int, id: str) -> dict:
    return {"id": id, "text": id, "quad": [[0, top], [300, top], [300, top + 20], [0, top + 20]]}


def test_the_reading_order_is_told_by_ids(client: TestClient) -> None:
    answer = client.post("/v1/reading-order", json={"lines": [at(80, "c"), at(0, "a"), at(40, "b")]})
    assert answer.json() == {"order": ["a", "b", "c"]}


def test_lines_that_are_none_are_refused(client: TestClient) -> None:
    for lines, code in (([{"text": 1}], "bad_content"), ([at(0, "a"), at(9, "a")], "duplicate_line_id")):
        assert client.post("/v1/reading-order", json={"lines": lines}).json()["error"]["code"] == code
