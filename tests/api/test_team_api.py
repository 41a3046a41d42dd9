"""Several people through REST: claims, second reviews, disputes, comments, guidelines, saved filters."""

from __future__ import annotations

from fastapi.testclient import TestClient
from stored import content

from ocr_ui.domain.content import PageContent

A, B = "tab-of-ann-1", "tab-of-bo-01"


def plain(page: PageContent) -> dict:
    return {**page.to_dict(), "warnings": []}


def save(client: TestClient, item: int, page: PageContent, **more: object) -> dict:
    body = {"recognition_id": item, "base_version": 0, "content": plain(page), "client_key": f"first-{item:04}"}
    answer = client.post("/v1/corrections", json={**body, "verdict": "wrong", "person": "Ann", **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_item_is_one_tabs_until_it_is_given_back(client: TestClient, item: int) -> None:
    query = {"items": str(item), "states": ["pending"]}
    line = client.get("/v1/queue", params={**query, "sort": "oldest", "person": "Ann of the tabs"}).json()
    assert (line["items"], line["total"], line["done"]) == ([item], 1, 0)
    taken = client.post("/v1/queue/take", json={"items": [item], "query": {"states": ["pending"]}, "holder": A})
    assert taken.json()["item"] == item
    other = client.post("/v1/queue/take", json={"items": [item], "holder": B})
    assert other.json() == {"item": None, "until": None}
    refused = client.post(f"/v1/items/{item}/claim", json={"holder": B, "person": "Bo"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "claimed")
    claim = client.get(f"/v1/items/{item}/claim").json()
    assert claim == {"person": "", "until": taken.json()["until"]}, "who asked gave no name"
    work = {"items": [item], "holder": A, "person": "Ann of the tabs", "at": item, "seconds": 7.5}
    renewed = client.post("/v1/queue/work", json=work).json()
    assert (renewed["until"] > taken.json()["until"], renewed["lost"]) == (True, [])
    late = client.post("/v1/queue/work", json={"items": [item], "holder": B, "person": "Bo"}).json()
    assert [(one["item"], one["person"]) for one in late["lost"]] == [(item, "Ann of the tabs")]
    assert client.get(f"/v1/items/{item}/time").json() == {"seconds": {"Ann of the tabs": 7.5}}
    assert client.post("/v1/queue/release", json={"holder": A}).status_code == 200
    assert client.post(f"/v1/items/{item}/claim", json={"holder": B}).json()["item"] == item


def test_what_is_asked_for_wrongly_is_told(client: TestClient, item: int) -> None:
    for path, query, code in (
        ("/v1/queue", {"mood": "good"}, "unknown_filter"),
        ("/v1/queue", {"sort": "mood"}, "unknown_sort"),
        ("/v1/pace", {"since_today": "soon"}, "bad_date"),
    ):
        assert client.get(path, params=query).json()["error"]["code"] == code
    short = client.post("/v1/queue/take", json={"items": [item], "holder": "x"})
    assert short.status_code == 422


def test_states_and_pace(client: TestClient, item: int) -> None:
    body = {"state": "skipped", "person": "Skipper", "client_key": f"skip-{item:04}"}
    moved = client.post(f"/v1/items/{item}/state", json=body).json()
    assert (moved["state"], moved["revision"]) == ("skipped", 1)
    assert client.post(f"/v1/items/{item}/state", json=body).json()["revision"] == 1
    pace = client.get("/v1/pace", params={"person": "Skipper"}).json()
    assert pace == {"done": 1, "seconds": 0, "per_hour": None}
    saved = save(client, item, content("Total 12.80", "Thank you"), verdict="right", person="Ann")
    assert saved["state"] == "submitted"
    accepted = save(
        client, item, content("Total 12.80", "Thank you"), verdict="right", state="accepted", client_key="again-0001"
    )
    assert accepted["state"] == "accepted"


def test_two_people_differ_and_a_third_merges(client: TestClient, item: int) -> None:
    path = f"/v1/items/{item}/second"
    early = client.get(path, params={"person": "Bo"})
    assert early.json()["error"]["code"] == "not_reviewed"
    save(client, item, content("Total 12.50", "Thank you"), note="smudged")
    blind = client.get(path, params={"person": "Bo"}).json()
    assert (blind["note"], blind["verdict"], blind["version"], blind["second"]) == (
        "",
        None,
        0,
        {"blind": True, "first": None},
    )
    assert [line["text"] for line in blind["lines"]] == ["Total 12.80", "Thank you"]
    seen = client.get(path, params={"person": "Bo", "blind": "false"}).json()
    assert seen["second"]["first"] == {"person": "Ann", "verdict": "wrong", "note": "smudged"}

    body = {
        "recognition_id": item,
        "content": plain(content("Total 12.5O", "Thank you!")),
        "person": "Bo",
        "blind": True,
        "client_key": f"second-{item:04}",
    }
    second = client.post("/v1/second-reviews", json=body).json()
    assert set(second) == {"id", "verdict", "error_kinds", "note", "saved_at"}, "blind, nothing is told of the first"
    found = client.get("/v1/queue", params={"items": str(item), "review": "disputed"}).json()
    assert found["items"] == [item]
    pairs = {tuple(row["names"]): row for row in client.get("/v1/agreement").json()["pairs"]}
    assert (pairs["Ann", "Bo"]["items"], pairs["Ann", "Bo"]["disputes"]) == (1, 1)

    dispute = client.get(f"/v1/items/{item}/dispute").json()
    assert [part["state"] for part in dispute["parts"]] == ["text", "text"]
    assert (dispute["first"]["person"], dispute["second"]["person"]) == ("Ann", "Bo")
    choices = [{"part": 0, "take": "first"}, {"part": 1, "take": "own", "text": "Thanks"}]
    resolution = {
        "second_id": dispute["second"]["id"],
        "base_version": dispute["version"],
        "choices": choices,
        "person": "Eve",
        "client_key": f"merge-{item:04}",
    }
    merged = client.post(f"/v1/items/{item}/resolution", json=resolution).json()
    assert merged["version"] == 2
    left = client.get(f"/v1/items/{item}").json()
    assert [line["text"] for line in left["lines"]] == ["Total 12.50", "Thanks"]
    assert client.get("/v1/queue", params={"items": str(item), "review": "disputed"}).json()["items"] == []
    rows = client.get("/v1/exports/jsonl", params={"items": str(item), "review": "resolved"}).text.splitlines()
    assert len(rows) == 1
    assert client.get("/v1/exports/jsonl", params={"items": str(item), "agreement": "0.99"}).text == ""


def test_comments_and_guidelines(client: TestClient, item: int) -> None:
    body = {"text": "Is this a 7?", "line_id": "l0", "person": "Ann", "client_key": f"talk-{item:04}"}
    client.post(f"/v1/items/{item}/comments", json=body)
    (kept,) = client.get(f"/v1/items/{item}/comments").json()["comments"]
    assert (kept["text"], kept["line_id"], kept["person"]) == ("Is this a 7?", "l0", "Ann")
    assert client.get("/v1/guidelines").json()["version"] == 0
    written = client.post("/v1/guidelines", json={"text": "**Dates** as printed", "base_version": 0}).json()
    assert (written["version"], "<strong>Dates</strong>" in written["html"]) == (1, True)
    late = client.post("/v1/guidelines", json={"text": "x", "base_version": 0}, headers={"X-Workbench-Lang": "zh"})
    assert (late.status_code, "指南" in late.json()["error"]["message"]) == (409, True)
    assert [row["version"] for row in client.get("/v1/guidelines/versions").json()["versions"]] == [1]


def test_saved_filters(client: TestClient) -> None:
    body = {"name": "unsure", "query": {"states": ["pending"], "sort": "least_sure"}, "person": "Ann"}
    client.post("/v1/saved-filters", json=body)
    (kept,) = client.get("/v1/saved-filters").json()["filters"]
    assert (kept["name"], kept["query"]["sort"]) == ("unsure", "least_sure")
    client.post("/v1/saved-filters/remove", json={"name": "unsure"})
    assert client.get("/v1/saved-filters").json() == {"filters": []}
