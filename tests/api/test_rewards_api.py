"""`/v1/rewards`: two texts, and an item's answer against a label."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from stored import content

from ocr_ui.domain.content import PageContent, TextLine

IE = {"task": "ie", "response": '{"a": "x"}', "reference": '{"a": "x", "b": "y"}'}


def test_two_texts(client: TestClient) -> None:
    value = client.post("/v1/rewards", json=IE).json()
    assert value["reward"] == 0.5
    assert value["reason"] == "1 of 2 fields are right. Not right: b."
    assert [reward["name"] for reward in value["rewards"]] == ["official", "clean"]
    assert value["label_problems"] == []


def test_in_chinese_with_what_is_wrong_and_what_mends_it(client: TestClient) -> None:
    body = {"task": "document", "response": "Total", "reference": "Total(1,2)"}
    value = client.post("/v1/rewards", json=body, headers={"X-Workbench-Lang": "zh"}).json()
    assert value["task"] == "parsing"
    assert value["reason"] == "文本相似度 50.0%。"
    (problem,) = value["label_problems"]
    assert problem["message"] == "(1,2) 这样的坐标只从回答中去掉，不从标签中去掉。"
    assert problem["mended"] == "Total"


def test_an_item(client: TestClient, item: int) -> None:
    kept = client.post(f"/v1/items/{item}/rewards", json={}).json()
    assert kept["task"] == "spotting"
    assert kept["reward"] == 1  # RapidOCR takes no prompt: its lines are scored as a model would have said them
    said = content("Total 12.80").to_dict()
    edited = client.post(f"/v1/items/{item}/rewards", json={"content": said}).json()
    assert edited["reference"].startswith("Total 12.80(")
    assert 0 < edited["reward"] < 1


def test_an_item_without_a_label_says_so_in_chinese(client: TestClient, item: int) -> None:
    said = PageContent((TextLine("Total", None, None, "l0"),), text="Total").to_dict()
    headers = {"X-Workbench-Lang": "zh"}
    value = client.post(f"/v1/items/{item}/rewards", json={"content": said}, headers=headers).json()
    assert (value["reward"], value["reason"]) == (None, "没有分值：第 1 行没有框。")
    [problem] = value["label_problems"]
    assert (problem["message"], problem["hint"]) == (
        "不参与训练：第 1 行没有框。",
        "请选中该行并按 G 加框，或删除该行。",
    )
    assert client.post(f"/v1/items/{item}/rewards", json={"part": "judge"}).json()["error"]["code"] == "unknown_part"
    assert client.post(f"/v1/items/{item}/rewards", json={"part": "file"}).json()["rewards"] == []


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/v1/rewards", {**IE, "task": "nothing"}, 400, "unknown_task"),
        ("/v1/rewards", {"task": "ie"}, 422, "malformed"),
        ("/v1/items/999999/rewards", {}, 404, "unknown_recognition"),
    ],
)
def test_what_is_refused(client: TestClient, path: str, body: dict, status: int, code: str) -> None:
    answer = client.post(path, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
