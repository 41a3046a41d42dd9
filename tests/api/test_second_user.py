"""A second person tries to read or change what is another's: by the page's address, REST and files. All is refused.

What a team shares and what it does not: docs/access.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from httpx import Response
from people import NAMES, PASSWORD, Team, team
from stored import png

from ocr_ui.api.login import ACCOUNT_COOKIE, COOKIE
from ocr_ui.domain.access import Role
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta

BROWSER, TAB = "browser-of-the-first", "tabofthefirst"
REFUSED = (400, 401, 403, 404, 409, 422)


@dataclass
class First:
    """What the first person, an annotator, has."""

    client: TestClient
    item: int
    unread: str
    key: str
    key_id: int
    session: str


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    engine = ScriptedEngine((Started(), TextDelta("Total 12.50"), Finished(Generation("Total 12.50"))))
    with team(tmp_path_factory.mktemp("second"), engine) as made:
        yield made


@pytest.fixture(scope="module")
def first(people: Team) -> First:
    client = people.of(Role.ANNOTATOR)
    item = client.post("/v1/ocr", files={"file": ("a.png", png(1))}).json()["id"]
    draft = {"browser": BROWSER, "draft": {"text": "unfinished words"}}
    assert client.post(f"/v1/items/{item}/draft", json=draft).status_code == 200
    unread = client.post("/v1/pictures", files={"file": ("private.png", png(77))}).json()["page"]["sha256"]
    made = client.post("/v1/keys", json={"name": "mine"}).json()
    claim = client.post(f"/v1/items/{item}/claim", json={"holder": "holder-of-the-first"})
    assert claim.status_code == 200
    people.bench.page_sessions.is_own(TAB, people.bench.accounts.of_session(client.cookies[COOKIE]).account)
    return First(client, item, unread, made["key"], made["id"], client.cookies[COOKIE])


Try = Callable[[TestClient, First], Response]
KEY = "k" * 12


def _get(path: str, **more: Any) -> Try:
    return lambda client, first: client.get(_of(path, first), **more)


def _send(method: str, path: str, body: Any = None, **more: Any) -> Try:
    return lambda client, first: client.request(method, _of(path, first), json=body, **more)


def _of(path: str, first: First) -> str:
    return path.format(item=first.item, unread=first.unread, key=first.key_id)


CORRECTION = {"recognition_id": 1, "content": {"text": "x"}, "base_version": 0, "client_key": KEY}
NEW = {"name": "me-too", "role": "admin", "password": PASSWORD}
ROOTS = ("/en", "/zh")

EVERYBODY: dict[str, Try] = {
    "the picture of a page that was not read": _get("/pictures/{unread}"),
    "its small copy": _get("/pictures/{unread}/thumbnail"),
    "a page of its file": _get("/v1/documents/{unread}/pages/1/thumbnail"),
    "its turned copy": _send("POST", "/v1/pages/{unread}/rotate", {"turns": 1}),
    "the picture, by another spelling": _get("/pictures//{unread}"),
    "the picture, encoded": _get("/pictures/%2e%2e/pictures/{unread}"),
    "the picture's file": _get("/static-ui/../../data/pictures/{unread}.png"),
    "the database": _get("/static-ui/%2e%2e/%2e%2e/data/workbench.db"),
    "the database, as documentation": _get("/static-docs/../../../workbench.db"),
    "a key's revocation": _send("DELETE", "/v1/keys/{key}"),
    "a key of nobody": _send("DELETE", "/v1/keys/999"),
    "another's password": _send("POST", "/v1/password", {"old": "guess guess", "new": "new password"}),
    "the accounts": _get("/v1/accounts"),
    "a new administrator": _send("POST", "/v1/accounts", NEW),
    "the first one's role": _send("PATCH", f"/v1/accounts/{NAMES[Role.ANNOTATOR]}", {"role": "viewer"}),
    "one's own role": _send("PATCH", "/v1/accounts/other-annotator", {"role": "admin"}),
    "the first one's new password": _send("PATCH", f"/v1/accounts/{NAMES[Role.ANNOTATOR]}", {"password": PASSWORD}),
    "locking the first one out": _send("PATCH", f"/v1/accounts/{NAMES[Role.ANNOTATOR]}", {"disabled": True}),
    "the audit log": _get("/v1/audit"),
    "a push out of the house": _send("POST", "/v1/pushes", {"format": "jsonl", "target": "out", "filters": {}}),
    "a frozen version": _send("POST", "/v1/versions", {"name": "mine", "filters": {}}),
    "accepting": _send("POST", "/v1/items/{item}/state", {"state": "accepted", "client_key": KEY}),
    "the guidelines": _send("POST", "/v1/guidelines", {"text": "x", "base_version": 0}),
    "a claim": _send("POST", "/v1/items/{item}/claim", {"holder": "holder-of-the-second"}),
    "a made-up key": _get("/v1/recognitions", headers={"Authorization": "Bearer ocrw_" + "A" * 43}),
    "a key beside a session": _get("/v1/accounts", headers={"Authorization": "Bearer x"}),
    "a proxy's word": _get("/v1/audit", headers={"X-Forwarded-User": NAMES[Role.ADMIN]}),
    "an administrator's word": _get("/v1/audit", headers={"X-Workbench-Role": "admin", "Remote-User": "root"}),
    **{f"{root}: the stream of a tab": _get(f"{root}/gradio_api/queue/data?session_hash={TAB}") for root in ROOTS},
    **{f"{root}: the life sign of a tab": _get(f"{root}/gradio_api/heartbeat/{TAB}") for root in ROOTS},
    **{f"{root}: a file of the server": _get(f"{root}/gradio_api/file=/etc/passwd") for root in ROOTS},
    **{f"{root}: a file, encoded": _get(f"{root}/gradio_api/file=%2fetc%2fpasswd") for root in ROOTS},
    **{f"{root}: a file over there": _get(f"{root}/gradio_api/file=http://127.0.0.1/") for root in ROOTS},
    **{f"{root}: a way in for files": _send("POST", f"{root}/gradio_api/upload") for root in ROOTS},
    **{f"{root}: a proxied address": _get(f"{root}/gradio_api/proxy=http://127.0.0.1/") for root in ROOTS},
}
"""What no second annotator may do."""

VIEWERS: dict[str, Try] = {
    "a correction": _send("POST", "/v1/corrections", CORRECTION),
    "a state": _send("POST", "/v1/items/{item}/state", {"state": "skipped", "client_key": KEY}),
    "a comment": _send("POST", "/v1/items/{item}/comments", {"text": "x", "client_key": KEY}),
    "a draft": _send("POST", "/v1/items/{item}/draft", {"browser": KEY, "draft": {}}),
    "a saved filter": _send("POST", "/v1/saved-filters", {"name": "x", "query": {}}),
    "removing a filter": _send("POST", "/v1/saved-filters/remove", {"name": "x"}),
    "a batch": lambda client, _: client.post("/v1/jobs", files={"files": ("a.png", png())}),
    "stopping a batch": _send("POST", "/v1/jobs/1/cancel"),
    "an upload": lambda client, _: client.post("/v1/pictures", files={"file": ("a.png", png())}),
    "a reading": lambda client, _: client.post("/v1/ocr", files={"file": ("a.png", png())}),
    "a turn": _send("POST", "/v1/pages/{unread}/rotate", {"turns": 1}),
    "sampling": _send("POST", "/v1/rollout-jobs", {"filters": {}}),
    "taking the next page": _send("POST", "/v1/queue/take", {"holder": KEY, "items": [1]}),
}
"""What a viewer may not do besides: all that changes something."""


def test_there_are_enough_tries() -> None:
    assert len(EVERYBODY) + len(VIEWERS) >= 40


@pytest.mark.parametrize("name", EVERYBODY)
def test_a_second_annotator_is_refused(people: Team, first: First, name: str) -> None:
    answer = EVERYBODY[name](people.known("other-annotator"), first)
    assert answer.status_code in REFUSED, f"{answer.status_code} {answer.text[:200]}"
    assert b"root:" not in answer.content
    assert b"SQLite" not in answer.content


@pytest.mark.parametrize("name", [*EVERYBODY, *VIEWERS])
def test_a_viewer_is_refused(people: Team, first: First, name: str) -> None:
    answer = {**EVERYBODY, **VIEWERS}[name](people.of(Role.VIEWER), first)
    assert answer.status_code in REFUSED, f"{answer.status_code} {answer.text[:200]}"


@pytest.mark.parametrize("name", [*EVERYBODY, *VIEWERS])
def test_nobody_at_all_is_refused(people: Team, first: First, name: str) -> None:
    answer = {**EVERYBODY, **VIEWERS}[name](people.client(), first)
    assert answer.status_code in REFUSED, f"{answer.status_code} {answer.text[:200]}"


def test_a_draft_is_found_by_neither_the_browser_s_text_nor_the_name(people: Team, first: First) -> None:
    other = people.known("other-annotator")
    for query in (f"browser={BROWSER}", f"browser={BROWSER}&person={NAMES[Role.ANNOTATOR]}"):
        found = other.get(f"/v1/items/{first.item}/draft?{query}").json()
        assert found["draft"] is None
        forgotten = {"browser": BROWSER, "person": NAMES[Role.ANNOTATOR], "draft": None}
        assert other.post(f"/v1/items/{first.item}/draft", json=forgotten).status_code == 200
    mine = first.client.get(f"/v1/items/{first.item}/draft?browser={BROWSER}").json()
    assert mine["draft"] == {"text": "unfinished words"}
    elsewhere = people.of(Role.ANNOTATOR).get(f"/v1/items/{first.item}/draft?browser=another-browser").json()
    assert elsewhere["draft"] == {"text": "unfinished words"}, "the same person from another browser"


def test_a_tab_that_another_account_has_loaded_does_nothing_in_the_name_of_this_one(people: Team, first: First) -> None:
    """Two people at one browser: its session is the second one's, and a tab of the first one is still open."""
    page = people.known(NAMES[Role.ANNOTATOR]).get("/en/", headers={"Accept": "text/html"})
    number = page.cookies[ACCOUNT_COOKIE]
    assert "httponly" not in page.headers["set-cookie"].lower(), "its scripts read it"
    body = {"browser": BROWSER, "draft": {"text": "typed by the first"}}
    for client, status in ((first.client, 200), (people.known("other-annotator"), 403)):
        told = {"X-Workbench-Account": number}
        assert client.post(f"/v1/items/{first.item}/draft", json=body, headers=told).status_code == status
    page = people.known("other-annotator").get("/en/", headers={"Accept": "text/html"})
    assert page.cookies[ACCOUNT_COOKIE] != number
    first.client.post(f"/v1/items/{first.item}/draft", json={**body, "draft": {"text": "unfinished words"}})


def test_claims_cannot_be_given_back_by_others(people: Team, first: First) -> None:
    other = people.known("other-annotator")
    other.post("/v1/queue/release", json={"holder": "holder-of-the-first"})
    assert other.get(f"/v1/items/{first.item}/claim").json()["person"] == NAMES[Role.ANNOTATOR]


def test_a_page_is_the_team_s_once_it_was_read(people: Team, first: First) -> None:
    other = people.known("other-annotator")
    sha256 = other.get(f"/v1/items/{first.item}").json()["item"]["page"]["sha256"]
    assert other.get(f"/pictures/{sha256}").status_code == 200
    assert other.get(f"/pictures/{sha256}/thumbnail").status_code == 200
    assert first.client.get(f"/pictures/{first.unread}").status_code == 200
    assert people.of(Role.ADMIN).get(f"/pictures/{first.unread}").status_code == 200
    assert other.post("/v1/pictures", files={"file": ("same.png", png(77))}).status_code == 200
    assert other.get(f"/pictures/{first.unread}").status_code == 200, "who has the picture may see it"


def test_all_of_it_left_the_first_one_s_things_alone(people: Team, first: First) -> None:
    me = first.client.get("/v1/me").json()
    assert (me["name"], me["role"]) == (NAMES[Role.ANNOTATOR], "annotator")
    key = people.client(Authorization=f"Bearer {first.key}")
    assert key.get("/v1/me").status_code == 200
    assert people.client().post("/login", data={"name": me["name"], "password": PASSWORD}).status_code == 303
    item = first.client.get(f"/v1/items/{first.item}").json()
    assert (item["version"], item["state"]) == (0, "pending")
    assert [one["name"] for one in first.client.get("/v1/keys").json()["keys"]] == ["mine"]
