from __future__ import annotations

import json
import secrets
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from stored import add_item, content

from ocr_ui.services.workbench import Workbench

RIGHT = content("Total 12.50", "Thank you").to_dict()
JSON = {"content-type": "application/json"}


def body(item: int, **more: Any) -> dict[str, Any]:
    return {
        "recognition_id": item,
        "base_version": 0,
        "content": RIGHT,
        "client_key": secrets.token_hex(8),
        **more,
    }


def save(client: TestClient, item: int, **more: Any) -> Response:
    return client.post("/v1/corrections", json=body(item, **more))


def code_of(answer: Response) -> str:
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "hint", "details", "request"}
    return error["code"]


def test_a_saved_correction_is_there_when_the_item_is_opened(client: TestClient, item: int) -> None:
    answer = save(client, item, verdict="wrong", note="smudged", person=" Ann ", error_kinds=["look_alike"])
    assert answer.status_code == 200
    saved = answer.json()
    assert saved.pop("saved_at").startswith("20")
    assert saved == {
        "version": 1,
        "revision": 1,
        "verdict": "wrong",
        "state": "submitted",
        "edit_distance": 1,
        "cer": pytest.approx(1 / 21),
        "error_kinds": ["look_alike"],
    }
    opened = client.get(f"/v1/items/{item}").json()
    assert [line["text"] for line in opened["lines"]] == ["Total 12.50", "Thank you"]
    assert [line["text"] for line in opened["model_lines"]] == ["Total 12.80", "Thank you"]
    assert (opened["version"], opened["revision"], opened["note"]) == (1, 1, "smudged")


def test_the_second_of_two_who_save_is_told_and_loses_nothing(
    client: TestClient, item: int, workbench: Workbench
) -> None:
    assert save(client, item, person="Ann").status_code == 200
    answer = save(client, item, content=content("Total 12.90").to_dict(), person="Bo")
    assert (answer.status_code, code_of(answer)) == (409, "edited_meanwhile")
    assert answer.json()["error"]["details"]["person"] == "Ann"
    assert len(workbench.store.corrections.versions(item)) == 1


def test_a_conflict_is_told_in_chinese(client: TestClient, item: int) -> None:
    save(client, item, person="Ann")
    answer = client.post("/v1/corrections", json=body(item, content={"lines": []}), headers={"X-Workbench-Lang": "zh"})
    assert answer.status_code == 409
    assert "Ann" in answer.json()["error"]["message"]
    assert not answer.json()["error"]["message"].isascii()


def test_the_same_save_sent_twice_counts_once(client: TestClient, item: int, workbench: Workbench) -> None:
    sent = body(item, verdict="wrong")
    first, again = client.post("/v1/corrections", json=sent), client.post("/v1/corrections", json=sent)
    assert first.json() == again.json()
    assert len(workbench.store.corrections.versions(item)) == 1
    other = client.post("/v1/corrections", json={**sent, "content": content("Other").to_dict()})
    assert code_of(other) == "client_key_reused"


def test_an_unknown_item(client: TestClient) -> None:
    for number in (0, -1, 999_999):
        for answer in (
            save(client, number),
            client.get(f"/v1/items/{number}"),
            client.post("/v1/differences", json={"recognition_id": number, "content": {}}),
        ):
            assert (answer.status_code, code_of(answer)) == (404, "unknown_recognition")


def test_numbers_that_no_database_holds(client: TestClient, item: int) -> None:
    for answer in (
        save(client, 10**30),
        save(client, item, base_version=10**30),
        save(client, item, base_revision=10**30),
        save(client, item, base_revision=-(10**30)),
        client.get(f"/v1/items/{10**30}"),
    ):
        assert 400 <= answer.status_code < 500, answer.text
        assert code_of(answer)


@pytest.mark.parametrize(
    "more",
    [
        {"content": []},
        {"content": {"lines": {}}},
        {"content": {"lines": [1]}},
        {"content": {"lines": [{}]}},
        {"content": {"lines": [{"text": 5}]}},
        {"content": {"lines": [{"text": "a", "quad": [1, 2]}]}},
        {"content": {"lines": [{"text": "a", "quad": [[0, 0], [1, 0], [1, 1], ["x", 1]]}]}},
        {"content": {"lines": [{"text": "a", "quad": [[0, 0], [1, 0], [1, 1], [10**400, 1]]}]}},
        {"content": {"lines": [{"text": "a", "confidence": 2}]}},
        {"content": {"lines": [{"text": "a", "confidence": "0.5"}]}},
        {"content": {"lines": [{"text": "a", "id": "x"}, {"text": "b", "id": "x"}]}},
        {"content": {"lines": [{"text": "a", "id": "\ud800"}, {"text": "b", "id": "\ud800"}]}},
        {"content": {"fields": [{"name": "a", "value": []}]}},
        {"content": {"tables": [{"html": "", "grid": [[{}]]}]}},
        {"content": {"warnings": [{"code": 1, "message": None}]}},
        {"verdict": "maybe"},
        {"verdict": "\ud800"},
        {"error_kinds": ["none"]},
        {"error_kinds": "look_alike"},
        {"note": "x" * 20_000},
        {"note": 1},
        {"person": "x" * 201},
        {"client_key": "short"},
        {"client_key": "x" * 65},
        {"client_key": "line\nbreak"},
        {"base_version": -1},
        {"base_version": 1.5},
        {"base_version": None},
        {"recognition_id": "one"},
    ],
)
def test_malformed_saves_are_refused_and_keep_nothing(
    client: TestClient, item: int, workbench: Workbench, more: dict[str, Any]
) -> None:
    answer = client.post("/v1/corrections", content=json.dumps(body(item, **more)).encode(), headers=JSON)
    assert 400 <= answer.status_code < 500, answer.text
    assert code_of(answer)
    assert workbench.store.corrections.versions(item) == []


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 5000, "[" * 500 + "]" * 500])
@pytest.mark.parametrize("place", ["recognition_id", "quad", "confidence", "base_revision"])
def test_numbers_that_are_none(client: TestClient, item: int, place: str, number: str) -> None:
    parts = {"recognition_id": str(item), "quad": "0", "confidence": "0.5", "base_revision": "0", place: number}
    line = f'{{"text":"a","quad":[[{parts["quad"]},0],[1,0],[1,1],[0,1]],"confidence":{parts["confidence"]}}}'
    sent = (
        f'{{"recognition_id":{parts["recognition_id"]},"base_version":0,"client_key":"{secrets.token_hex(8)}",'
        f'"base_revision":{parts["base_revision"]},"content":{{"lines":[{line}]}}}}'
    )
    for address in ("/v1/corrections", "/v1/differences"):
        if address == "/v1/differences" and place == "base_revision":
            continue
        answer = client.post(address, content=sent.encode(), headers=JSON)
        assert 400 <= answer.status_code < 500, answer.text
        assert code_of(answer)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"\x00",
        b"[" * 50_000,
        b'{"content":' * 20_000,
        b'{"content":' + b'{"a":' * 900 + b"1" + b"}" * 901,
    ],
    ids=["nothing", "open", "null", "text", "not utf-8", "nul", "deep list", "deep", "deep and closed"],
)
@pytest.mark.parametrize("kind", ["application/json", "text/plain", ""])
def test_bodies_that_are_no_json(client: TestClient, sent: bytes, kind: str) -> None:
    answer = client.post("/v1/corrections", content=sent, headers={"content-type": kind})
    assert 400 <= answer.status_code < 500
    assert code_of(answer) == "malformed"


def test_differences(client: TestClient, item: int) -> None:
    answer = client.post("/v1/differences", json={"recognition_id": item, "content": RIGHT})
    assert answer.json() == {
        "edit_distance": 1,
        "changed": True,
        "cer": pytest.approx(1 / 21),
        "error_kinds": ["wrong_character"],
    }
    same = content("Total 12.80", "Thank you").to_dict()
    assert not client.post("/v1/differences", json={"recognition_id": item, "content": same}).json()["changed"]


def test_boxes_are_moved_into_the_picture(client: TestClient, item: int) -> None:
    line = {"text": "a", "quad": [[-5, -5], [5000, -5], [5000, 5000], [-5, 5000]]}
    save(client, item, content={"lines": [line]})
    opened = client.get(f"/v1/items/{item}").json()
    assert opened["lines"][0]["quad"] == [[0, 0], [1000, 0], [1000, 800], [0, 800]]


def test_half_a_character_is_kept_and_shown(client: TestClient, workbench: Workbench) -> None:
    item = add_item(workbench.store, content("ends on \ud83d", "line\u2028end"))
    opened = client.get(f"/v1/items/{item}")
    assert opened.status_code == 200
    assert [line["text"] for line in opened.json()["lines"]] == ["ends on \ud83d", "line\u2028end"]
    assert client.get("/v1/exports/jsonl", params={"item": item}).status_code == 200


@pytest.mark.parametrize("number", ["x", "1.5", "1%00", "%31%30e"])
def test_items_without_a_number(client: TestClient, number: str) -> None:
    answer = client.get(f"/v1/items/{number}")
    assert (answer.status_code, code_of(answer)) == (422, "malformed")
