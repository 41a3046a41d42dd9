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


def test_a_fields_value_is_found_among_the_lines_and_checked_against_its_kind(client: TestClient) -> None:
    lines = [{**at(0, "a"), "text": "Sum 12.50"}, {**at(40, "b"), "text": "VAT"}]
    fields = [{"name": "Sum", "value": "12.50", "kind": "amount"}, {"name": "Day", "value": "VAT?", "kind": "date"}]
    answer = client.post("/v1/field-links", json={"lines": lines, "fields": fields}).json()
    first, second = answer["fields"]
    assert (first["line"], first["fits"]) == ("a", True)
    assert first["quad"][0][0] > 100, "the part of the line that has the value"
    assert (second["line"], second["fits"]) == ("b", False)


def test_what_is_typed_is_rendered_and_its_mistakes_are_told_with_their_places(client: TestClient) -> None:
    text = "# Sum\n\n<script>x()</script> $x^2$ 𝑥 $\\frac{1}{2$"
    answer = client.post("/v1/source-previews", json={"text": text, "task": "document"}).json()
    assert "<h1" in answer["html"]
    assert "<msup>" in answer["html"]
    assert "<script" not in answer["html"]
    (problem,) = answer["problems"]
    assert (problem["code"], problem["line"]) == ("unclosed_brace", 3)
    assert problem["message"] == "This brace is not closed."
    assert problem["end"] - problem["start"] == 1
    assert client.post("/v1/source-previews", json={"text": "x^2", "task": "poem"}).status_code == 422
    assert client.post("/v1/source-previews", json={"text": "x\n_", "task": "text"}).json()["problems"] == []


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


def test_where_else_the_same_was_read_and_who_wrote_a_line(client: TestClient, workbench: Workbench) -> None:
    item = add_item(workbench.store, ["Qu1ck brown"])
    other = add_item(workbench.store, ["So Qu1ck"])
    found = client.post(f"/v1/items/{item}/lines/l0/elsewhere", json={"text": "Quick brown"}).json()
    assert (found["wrong"], found["right"]) == ("Qu1ck", "Quick")
    assert [(place["item"], place["fixed"]) for place in found["places"]] == [(other, "So Quick")]
    refused = client.post(f"/v1/items/{item}/lines/n1/elsewhere", json={"text": "x"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "unknown_line")
    [entry] = client.get(f"/v1/items/{item}/lines/l0/history").json()["history"]
    assert (entry["kind"], entry["text"], entry["person"]) == ("read", "Qu1ck brown", "Ann")
    assert client.get("/v1/items/999999/lines/l0/history").status_code == 404
