"""Drafts through REST: what was typed is on disk before anybody saves it, and only its owner is given it."""

from __future__ import annotations

from fastapi.testclient import TestClient

from ocr_ui.domain.exact_json import dumps
from ocr_ui.services.workbench import Workbench

HERE, THERE = "browser-here", "browser-there"


def keep(client: TestClient, item: int, draft: dict | None, browser: str = HERE, **more: object) -> None:
    body = dumps({"browser": browser, "draft": draft, **more}).encode()
    answer = client.post(f"/v1/items/{item}/draft", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["kept_at"] is None) == (draft is None)


def found(client: TestClient, item: int, browser: str = HERE, **more: object) -> dict | None:
    return client.get(f"/v1/items/{item}/draft", params={"browser": browser, **more}).json()["draft"]


def test_the_newest_draft_comes_back_as_it_was(client: TestClient, item: int) -> None:
    assert found(client, item) is None
    odd = {"note": "half a character \ud83d, a NUL \x00 and U+2028 \u2028", "content": {"lines": [{"text": "é"}]}}
    keep(client, item, {"note": "first"})
    keep(client, item, odd, base_version=3)
    assert found(client, item) == odd
    assert client.get(f"/v1/items/{item}/draft", params={"browser": HERE}).json()["base_version"] == 3
    keep(client, item, None)
    assert found(client, item) is None


def test_a_draft_follows_its_browser_or_its_name_and_nobody_else(client: TestClient, item: int) -> None:
    keep(client, item, {"note": "Ann's"}, person="Ann")
    keep(client, item, {"note": "nobody's"}, browser="browser-third")
    assert found(client, item, THERE) is None, "no name is nobody's name"
    assert found(client, item, THERE, person="Bo") is None
    assert found(client, item, THERE, person=" Ann ") == {"note": "Ann's"}
    assert found(client, item, second=True) is None, "a second review has drafts of its own"
    keep(client, item, {"note": "second"}, second=True)
    assert (found(client, item), found(client, item, second=True)) == ({"note": "Ann's"}, {"note": "second"})
    keep(client, item, None, THERE, person="Ann")
    assert found(client, item) is None
    assert found(client, item, "browser-third") == {"note": "nobody's"}


def test_a_draft_is_no_version(client: TestClient, workbench: Workbench, item: int) -> None:
    keep(client, item, {"note": "n"})
    stored = workbench.store.reviews.get(item)
    assert (stored.revision, stored.latest_version, stored.review.state) == (0, 0, "pending")


def test_a_draft_of_nothing_is_told(client: TestClient) -> None:
    answer = client.post("/v1/items/999999/draft", json={"browser": HERE, "draft": {}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_recognition")
    assert client.post("/v1/items/1/draft", json={"browser": "x", "draft": {}}).status_code == 422
