"""Logins, keys, roles, limits and the audit log, over REST."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from httpx import Response
from people import NAMES, PASSWORD, Team, team
from stored import png

from ocr_ui.api.login import COOKIE, PUBLIC, Forwarded, local
from ocr_ui.domain.access import MAY, Action, Role
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.storage.store import DATABASE

SHA = "0" * 64
ANSWER = (Started(), TextDelta("Total 12.50"), Finished(Generation("Total 12.50")))
KEY = "k" * 12


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("team"), ScriptedEngine(ANSWER)) as made:
        yield made


def refused(answer: Response, status: int, code: str) -> None:
    assert answer.status_code == status, f"{answer.request.method} {answer.request.url}: {answer.status_code}"
    assert answer.json()["error"]["code"] == code


def read_page(client: TestClient, shade: int = 0) -> dict[str, Any]:
    answer = client.post("/v1/ocr", files={"file": ("a.png", png(shade))}, data={"person": "Mallory"})
    assert answer.status_code == 200, answer.text
    return answer.json()


CHANGES: dict[tuple[str, str], tuple[Action, dict[str, Any]]] = {
    ("post", "/v1/ocr"): (Action.RECOGNIZE, {"files": {"file": ("a.png", png())}}),
    ("post", "/v1/chat/completions"): (
        Action.RECOGNIZE,
        {
            "json": {
                "messages": [
                    {
                        "role": "user",
                        "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}],
                    }
                ]
            }
        },
    ),
    ("post", "/v1/pictures"): (Action.RECOGNIZE, {"files": {"file": ("a.png", png())}}),
    ("post", "/v1/documents/{sha256}/pages/{number}"): (Action.RECOGNIZE, {"json": {"page": 1}}),
    ("post", "/v1/pages/{sha256}/rotate"): (Action.RECOGNIZE, {"json": {"turns": 1}}),
    ("post", "/v1/corrections"): (
        Action.ANNOTATE,
        {"json": {"recognition_id": 1, "content": {}, "base_version": 0, "client_key": KEY, "person": "Mallory"}},
    ),
    ("post", "/v1/differences"): (Action.READ, {"json": {"recognition_id": 1, "content": {}}}),
    ("post", "/v1/items/{recognition_id}/draft"): (
        Action.ANNOTATE,
        {"json": {"browser": KEY, "person": "Mallory", "draft": {"a": 1}}},
    ),
    ("post", "/v1/queue/take"): (Action.ANNOTATE, {"json": {"holder": KEY, "person": "Mallory", "items": [1]}}),
    ("post", "/v1/queue/work"): (Action.ANNOTATE, {"json": {"holder": KEY, "person": "Mallory", "items": [1]}}),
    ("post", "/v1/queue/release"): (Action.ANNOTATE, {"json": {"holder": KEY}}),
    ("post", "/v1/items/{recognition_id}/claim"): (Action.ANNOTATE, {"json": {"holder": KEY, "person": "Mallory"}}),
    ("post", "/v1/items/{recognition_id}/state"): (
        Action.ANNOTATE,
        {"json": {"state": "skipped", "person": "Mallory", "client_key": KEY}},
    ),
    ("post", "/v1/saved-filters"): (Action.ANNOTATE, {"json": {"name": "mine", "query": {}, "person": "Mallory"}}),
    ("post", "/v1/saved-filters/remove"): (Action.ANNOTATE, {"json": {"name": "mine"}}),
    ("post", "/v1/items/{recognition_id}/comments"): (
        Action.ANNOTATE,
        {"json": {"text": "hello", "person": "Mallory", "client_key": KEY}},
    ),
    ("post", "/v1/guidelines"): (Action.REVIEW, {"json": {"text": "x", "base_version": 0, "person": "Mallory"}}),
    ("post", "/v1/templates"): (Action.REVIEW, {"json": {"name": "mine", "title": {"en": "Mine"}, "text": "Read it."}}),
    ("post", "/v1/templates/{name}/versions"): (Action.REVIEW, {"json": {"text": "Read it."}}),
    ("post", "/v1/templates/{name}/about"): (Action.REVIEW, {"json": {"tags": ["a"]}}),
    ("post", "/v1/templates/{name}/restore"): (Action.REVIEW, {"json": {"version": "1"}}),
    ("post", "/v1/templates/import"): (Action.REVIEW, {"files": {"files": ("mine.md", b"x")}}),
    ("delete", "/v1/templates/{name}"): (Action.ADMIN, {}),
    ("post", "/v1/calibrations"): (Action.REVIEW, {"json": {"template": "nobody_reads_with_it"}}),
    ("post", "/v1/rollout-jobs"): (Action.RECOGNIZE, {"json": {"person": "Mallory", "filters": {"items": ["999"]}}}),
    ("post", "/v1/preferences"): (Action.ANNOTATE, {"json": {"better": 1, "worse": [2], "client_key": KEY}}),
    ("post", "/v1/experiments/{experiment_id}/pair"): (Action.ANNOTATE, {"json": {"person": "Mallory"}}),
    ("post", "/v1/experiment-pairs/{token}"): (Action.ANNOTATE, {"json": {"choice": "tie"}}),
    ("post", "/v1/experiments"): (Action.ADMIN, {"json": {"template": "full_text", "other_engine": "b"}}),
    ("patch", "/v1/experiments/{experiment_id}"): (Action.ADMIN, {"json": {"share": 0.5}}),
    ("post", "/v1/experiments/{experiment_id}/roll-back"): (Action.ADMIN, {"json": {}}),
    ("post", "/v1/contests"): (Action.RECOGNIZE, {"json": {"competitors": [{"template": "nowhere"}]}}),
    ("delete", "/pictures/{sha256}"): (Action.ADMIN, {}),
    ("patch", "/v1/accounts/{name}"): (Action.ADMIN, {"json": {"role": "viewer"}}),
    ("post", "/v1/accounts/{name}/keys"): (Action.ADMIN, {"json": {"name": "theirs"}}),
    ("delete", "/v1/accounts/{name}/keys/{key_id}"): (Action.ADMIN, {}),
    ("post", "/v1/accounts"): (Action.ADMIN, {"json": {"name": "new", "role": "viewer", "password": PASSWORD}}),
    ("delete", "/v1/items/{recognition_id}"): (Action.ADMIN, {}),
    ("post", "/v1/items/delete"): (Action.ADMIN, {"json": {"items": [999_999]}}),
}
"""What routes need, with a request that is well formed."""

ELSEWHERE = frozenset(
    {
        "delete /v1/keys/{key_id}",
        "delete /v1/versions/{name}",
        "post /v1/contests/{contest}/cancel",
        "post /v1/contests/{contest}/pause",
        "post /v1/contests/{contest}/resume",
        "post /v1/examples/{name}",
        "post /v1/field-links",
        "post /v1/items/{recognition_id}/lines/{line_id}/elsewhere",
        "post /v1/items/{recognition_id}/rereads",
        "post /v1/items/{recognition_id}/resolution",
        "post /v1/items/{recognition_id}/rewards",
        "post /v1/items/{recognition_id}/rollouts",
        "post /v1/jobs",
        "post /v1/jobs/again",
        "post /v1/jobs/{job}/cancel",
        "post /v1/jobs/{job}/files",
        "post /v1/jobs/{job}/pause",
        "post /v1/jobs/{job}/resume",
        "post /v1/jobs/{job}/retry",
        "post /v1/keys",
        "post /v1/password",
        "post /v1/pushes",
        "post /v1/reading-order",
        "post /v1/rewards",
        "post /v1/rollout-jobs/{job}/resume",
        "post /v1/rollout-jobs/{job}/stop",
        "post /v1/rollout-pairs/{token}",
        "post /v1/rollouts/stop",
        "post /v1/rollouts/{rollout_id}/best",
        "post /v1/rollouts/{rollout_id}/pair",
        "post /v1/rollouts/{rollout_id}/ranking",
        "post /v1/second-reviews",
        "post /v1/source-previews",
        "post /v1/tries",
        "post /v1/tries/stop",
        "post /v1/versions",
    }
)
"""Routes that change something by the methods of GUARDED alone, change one's own alone, or only work something out."""

GUARDED: dict[str, tuple[str, ...]] = {
    "annotator": (
        "save_correction",
        "set_state",
        "open_item",
        "differences",
        "versions",
        "history",
    ),
    "pictures": (
        "page_beside",
        "page_thumbnail",
        "receive",
        "rotate",
        "file",
        "thumbnail",
        "again",
    ),
    "recognizer": (
        "read",
        "latest",
    ),
    "rereader": ("read",),
    "rollouts": (
        "sample",
        "of_item",
        "show",
        "judgements",
        "choose",
        "rank",
    ),
    "batches": (
        "start",
        "resume",
        "stop",
        "progress",
        "newest",
    ),
    "pairs": (
        "next",
        "judge",
    ),
    "queue": (
        "items",
        "take",
        "take_one",
        "work",
        "release",
        "claims",
        "pace",
        "seconds",
        "saved",
        "save",
        "remove",
    ),
    "talk": (
        "comments",
        "comment",
        "guidelines",
        "versions",
        "write",
    ),
    "second": (
        "begin",
        "save",
        "agreement",
        "dispute",
        "resolve",
    ),
    "eraser": (
        "erase",
        "erase_now",
    ),
    "drafts": (
        "keep",
        "find",
        "drop",
    ),
    "mistakes": ("find",),
    "dataset": (
        "list",
        "count",
        "ids",
        "summary",
        "choices",
    ),
    "versions": (
        "freeze",
        "list",
        "get",
        "delete",
        "exports",
    ),
    "exporter": (
        "stream",
        "packed",
        "example",
        "check",
    ),
    "pushes": (
        "start",
        "get",
    ),
    "drift": ("look",),
    "comparer": (
        "compare",
        "readings",
    ),
    "histories": ("of",),
    "jobs": (
        "create",
        "add",
        "again",
        "asked",
        "files",
        "has_frames",
        "list",
        "progress",
        "pause",
        "resume",
        "cancel",
        "retry",
    ),
    "contests": (
        "create",
        "list",
        "progress",
        "pause",
        "resume",
        "cancel",
        "look",
    ),
    "runs": (
        "list",
        "result",
        "report",
        "compare",
        "page",
        "picture",
    ),
    "rewarding": (
        "score",
        "of_item",
    ),
    "tries": ("run", "show"),
    "preferences": ("prefer",),
    "experiments": ("start", "set_share", "roll_back", "list", "get", "arm_of"),
    "arm_pairs": ("next", "judge"),
    "calibrator": ("measuring", "list"),
    "chat": ("ask",),
    "ocr": ("stored",),
    "accounts": (
        "add",
        "list",
        "one",
        "set_role",
        "set_password",
        "disable",
        "enable",
        "audit",
    ),
    "templates": (
        "save_new",
        "save_version",
        "describe",
        "restore",
        "take",
        "delete",
    ),
    "template_files": (
        "take",
        "pack",
    ),
    "template_scores": (
        "counts",
        "uses",
    ),
}
"""Methods of services that a request reaches."""


def test_services_ask_who_it_is(people: Team) -> None:
    for service, methods in GUARDED.items():
        for method in methods:
            guarded = getattr(type(getattr(people.bench, service)), method)
            assert hasattr(guarded, "__wrapped__"), f"{service}.{method} lets everybody in"


def test_nobody_gets_anywhere_without_a_login(people: Team) -> None:
    anonymous = people.client()
    paths = people.app.openapi()["paths"]
    tried = 0
    for path, methods in paths.items():
        for method in methods:
            answer = anonymous.request(method, re.sub(r"\{\w+\}", "1", path))
            if path in PUBLIC:
                assert answer.status_code != 401
                continue
            tried += 1
            refused(answer, 401, "not_logged_in")
            assert answer.headers["www-authenticate"] == "Bearer"
    assert tried > 60
    for path in ("/docs", "/openapi.json", "/static-docs/swagger-ui.css", f"/pictures/{SHA}", "/metrics", "/en/config"):
        assert anonymous.get(path).status_code == 401, path


def test_a_browser_is_sent_to_the_login_and_from_there_to_where_it_wanted(people: Team) -> None:
    client = people.client()
    answer = client.get("/en/?item=7", headers={"accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2Fen%2F%3Fitem%3D7")
    page = client.get(answer.headers["location"])
    assert page.status_code == 200
    assert 'autocomplete="current-password"' in page.text
    assert "密码" in client.get("/login?language=zh").text
    form = {"name": NAMES[Role.VIEWER], "password": PASSWORD, "next": "/en/?item=7"}
    assert client.post("/login", data=form).headers["location"] == "/en/?item=7"


@pytest.mark.parametrize(
    "address", ["https://evil.example", "//evil.example", "/\\evil.example", "evil", "", "/a\\b", "/\n/x", "\t//x"]
)
def test_a_login_sends_nobody_elsewhere(address: str) -> None:
    assert local(address) == "/"


def test_the_cookie_is_kept_from_scripts_and_other_sites(people: Team) -> None:
    form = {"name": NAMES[Role.VIEWER], "password": PASSWORD}
    cookie = people.client().post("/login", data=form).headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    secure = TestClient(people.app, base_url="https://testserver", follow_redirects=False)
    secure.portal = people.portal
    assert "Secure" in secure.post("/login", data=form).headers["set-cookie"]
    other = people.client().post("/login", data=form, headers={"origin": "https://evil.example"})
    refused(other, 403, "foreign_origin")


def test_a_session_ends_when_its_person_leaves_or_is_disabled_or_gets_another_password(people: Team) -> None:
    accounts = people.bench.accounts
    accounts.add("leaver", Role.VIEWER, PASSWORD)
    client = people.logged_in("leaver")
    assert client.get("/v1/me").json()["name"] == "leaver"
    secret = client.cookies[COOKIE]
    assert client.post("/logout").headers["location"] == "/login"
    refused(people.client(Cookie=f"{COOKIE}={secret}").get("/v1/me"), 401, "not_logged_in")
    for change in (lambda: accounts.disable("leaver"), lambda: accounts.set_password("leaver", PASSWORD)):
        accounts.enable("leaver")
        client = people.logged_in("leaver")
        key = people.with_key("leaver")
        assert key.get("/v1/me").status_code == client.get("/v1/me").status_code == 200
        change()
        refused(client.get("/v1/me"), 401, "not_logged_in")
    accounts.disable("leaver")
    refused(key.get("/v1/me"), 401, "not_logged_in")
    assert people.client().post("/login", data={"name": "leaver", "password": PASSWORD}).status_code == 401


def test_a_session_ends_by_itself(tmp_path: Path) -> None:
    with team(tmp_path, ScriptedEngine(ANSWER), session_hours=1e-9) as brief:
        secret, identity = brief.bench.accounts.log_in(NAMES[Role.ADMIN], PASSWORD, "here")
        assert identity.name == NAMES[Role.ADMIN]
        refused(brief.client(Cookie=f"{COOKIE}={secret}").get("/v1/me"), 401, "not_logged_in")


def test_wrong_passwords_have_to_wait_whoever_they_name(people: Team) -> None:
    people.bench.accounts.add("tried", Role.VIEWER, PASSWORD)
    client = people.client()
    answers = [client.post("/login", data={"name": "tried", "password": f"wrong {n}"}) for n in range(5)]
    unknown = [client.post("/login", data={"name": "nobody here", "password": f"wrong {n}"}) for n in range(5)]
    assert {answer.status_code for answer in answers + unknown} == {401}
    strip = re.compile(r'value="[^"]*"')
    assert strip.sub("", answers[0].text) == strip.sub("", unknown[0].text), "nothing tells who has an account"
    locked = client.post("/login", data={"name": "Tried", "password": PASSWORD})
    assert locked.status_code == 429
    assert 0 < int(locked.headers["retry-after"]) <= 900
    assert client.post("/login", data={"name": NAMES[Role.VIEWER], "password": PASSWORD}).status_code == 303


@pytest.mark.parametrize("role", Role)
def test_each_role_may_do_what_the_table_says(people: Team, role: Role) -> None:
    admin = people.of(Role.ADMIN)
    item = read_page(admin)
    sha256 = item["page"]["sha256"]
    client = people.of(role)
    assert set(client.get("/v1/me").json()["actions"]) == {action.value for action in MAY[role]}
    for (method, path), (action, request) in CHANGES.items():
        named = {"recognition_id": item["id"], "sha256": sha256, "name": "tried-role"}
        filled = path.format(number=1, experiment_id=1, key_id=999, token="none", **named)
        answer = client.request(method, filled, **request)
        if action in MAY[role]:
            assert answer.status_code not in (401, 403, 500), f"{role} {method} {path}: {answer.text}"
        else:
            refused(answer, 403, "not_allowed")


@pytest.mark.parametrize("action", Action)
def test_a_key_s_scope_is_enough_for_what_it_is_the_scope_of(people: Team, action: Action) -> None:
    """A change that is refused at its end, when its answer is looked up, has been made all the same."""
    item = read_page(people.of(Role.ADMIN))
    client = people.with_key(NAMES[Role.ADMIN], action)
    for (method, path), (needed, request) in CHANGES.items():
        if needed == action:
            named = {"recognition_id": item["id"], "sha256": item["page"]["sha256"], "name": "tried-scope"}
            filled = path.format(number=1, experiment_id=1, key_id=999, token="none", **named)
            answer = client.request(method, filled, **request)
            code = answer.json().get("error", {}).get("code") if answer.status_code == 403 else ""
            assert code in ("", "not_by_key"), f"{action} {method} {path}: {answer.text}"
    if action == Action.RECOGNIZE:
        begun = client.post("/v1/jobs", files={"files": ("a.png", png(9))})
        assert begun.status_code == 202, begun.text
        refused(client.get(f"/v1/jobs/{begun.json()['job']}"), 403, "not_allowed")


def test_every_route_that_changes_something_was_thought_of(people: Team) -> None:
    for path, methods in people.app.openapi()["paths"].items():
        for method in set(methods) - {"get"}:
            known = (method, path) in CHANGES or f"{method} {path}" in ELSEWHERE
            assert known, f"{method} {path}: add it to CHANGES, or its service's method to GUARDED"


def test_only_a_reviewer_accepts(people: Team) -> None:
    item = read_page(people.of(Role.ANNOTATOR), 1)["id"]
    annotator, reviewer = people.of(Role.ANNOTATOR), people.of(Role.REVIEWER)
    body = {"recognition_id": item, "content": {"text": "Total 12.50"}, "base_version": 0, "verdict": "right"}
    assert annotator.post("/v1/corrections", json={**body, "client_key": "a" * 12}).status_code == 200
    accept = {"state": "accepted", "client_key": "b" * 12}
    refused(annotator.post(f"/v1/items/{item}/state", json=accept), 403, "not_allowed")
    refused(annotator.post("/v1/corrections", json={**body, **accept}), 403, "not_allowed")
    assert reviewer.post(f"/v1/items/{item}/state", json=accept).json()["state"] == "accepted"


@pytest.mark.sqlite_only
def test_the_name_of_the_login_stands_wherever_one_was_typed(people: Team) -> None:
    """Every route of CHANGES was asked in the name of Mallory by now, and read_page too."""
    read_page(people.of(Role.ANNOTATOR), 2)
    for role in (Role.ANNOTATOR, Role.REVIEWER):
        test_each_role_may_do_what_the_table_says(people, role)
    with sqlite3.connect(people.bench.settings.data_dir / DATABASE) as database:
        names = {name for (name,) in database.execute("SELECT name FROM person")}
    assert NAMES[Role.ANNOTATOR] in names
    assert "Mallory" not in names


def test_keys_do_what_their_scopes_leave_of_the_role(people: Team) -> None:
    reader = people.with_key(NAMES[Role.ANNOTATOR], Action.READ)
    assert reader.get("/v1/recognitions").status_code == 200
    refused(reader.post("/v1/ocr", files={"file": ("a.png", png())}), 403, "not_allowed")
    writer = people.with_key(NAMES[Role.ANNOTATOR], Action.RECOGNIZE, Action.ADMIN)
    assert writer.get("/v1/me").status_code == 403, "without the scope read"
    assert read_page(writer, 3)["text"] == "Total 12.50"
    refused(writer.post("/v1/accounts", json=CHANGES["post", "/v1/accounts"][1]["json"]), 403, "not_allowed")
    whole = people.with_key(NAMES[Role.ANNOTATOR])
    assert set(whole.get("/v1/me").json()["actions"]) == {action.value for action in MAY[Role.ANNOTATOR]}
    for wrong in ("Bearer ocrw_none", "Bearer ", "Bearer x", "Basic YTpi", "bearer ocrw_" + "a" * 43):
        refused(people.client(Authorization=wrong).get("/v1/me"), 401, "not_logged_in")


@pytest.mark.sqlite_only
def test_a_key_is_shown_once_kept_hashed_and_can_be_taken_back(people: Team) -> None:
    client = people.of(Role.ANNOTATOR)
    made = client.post("/v1/keys", json={"name": "scanner", "scopes": ["recognize"], "days": 3}).json()
    key = people.client(Authorization=f"Bearer {made['key']}")
    assert read_page(key, 4)["text"] == "Total 12.50"
    listed = client.get("/v1/keys").json()["keys"]
    assert listed[0]["name"] == "scanner"
    assert listed[0]["used_at"]
    assert made["key"] not in client.get("/v1/keys").text
    data = people.bench.settings.data_dir
    kept = b"".join(file.read_bytes() for file in data.glob(f"{DATABASE}*"))
    assert made["key"].encode() not in kept
    assert made["key"].removeprefix("ocrw_").encode() not in kept
    assert PASSWORD.encode() not in kept
    assert client.cookies[COOKIE].encode() not in kept
    refused(key.post("/v1/keys", json={"name": "more"}), 403, "not_by_key")
    assert client.delete(f"/v1/keys/{made['id']}").status_code == 204
    refused(key.post("/v1/ocr", files={"file": ("a.png", png())}), 401, "not_logged_in")
    refused(client.post("/v1/keys", json={"name": "x", "scopes": ["everything"]}), 422, "malformed")
    with sqlite3.connect(data / DATABASE) as database:
        old = people.with_key(NAMES[Role.ANNOTATOR], days=1)
        database.execute("UPDATE api_key SET until = '2020-01-01 00:00:00' WHERE id = (SELECT max(id) FROM api_key)")
    refused(old.get("/v1/me"), 401, "not_logged_in")


def test_a_person_changes_their_password(people: Team) -> None:
    people.bench.accounts.add("changer", Role.VIEWER, PASSWORD)
    client = people.logged_in("changer")
    refused(client.post("/v1/password", json={"old": "wrong wrong", "new": "new password 1"}), 401, "wrong_password")
    refused(client.post("/v1/password", json={"old": PASSWORD, "new": "short"}), 400, "bad_password")
    assert client.post("/v1/password", json={"old": PASSWORD, "new": "new password 1"}).status_code == 204
    assert client.get("/v1/me").status_code == 401
    form = {"name": "changer", "password": "new password 1"}
    assert people.client().post("/login", data=form).status_code == 303


def test_who_sits_at_another_s_session_cannot_try_out_their_password(tmp_path: Path) -> None:
    with team(tmp_path, ScriptedEngine(ANSWER), login_tries=2) as limited:
        client = limited.of(Role.ANNOTATOR)
        for guess in range(2):
            refused(client.post("/v1/password", json={"old": f"guess {guess}", "new": PASSWORD}), 401, "wrong_password")
        answer = client.post("/v1/password", json={"old": PASSWORD, "new": PASSWORD})
        refused(answer, 429, "too_many_logins")
        assert 0 < int(answer.headers["retry-after"]) <= 900
        assert [row.action for row in limited.bench.store.audit.all()][-2:] == ["password.refused"] * 2


def test_no_account_has_a_name_that_addresses_lose_on_their_way(people: Team) -> None:
    admin = people.of(Role.ADMIN)
    for name in (".", "..", "a/../b", " "):
        body = {"name": name, "role": "viewer", "password": PASSWORD}
        refused(admin.post("/v1/accounts", json=body), 400, "bad_account_name")


def test_uploads_and_readings_are_limited_by_account(tmp_path: Path) -> None:
    with team(tmp_path, ScriptedEngine(ANSWER), uploads_per_minute=3, reads_per_minute=2) as limited:
        client = limited.of(Role.ANNOTATOR)
        for shade in range(2):
            read_page(client, shade)
        answer = client.post("/v1/ocr", files={"file": ("a.png", png())})
        refused(answer, 429, "too_often")
        assert 0 < int(answer.headers["retry-after"]) <= 60
        refused(client.post("/v1/pictures", files={"file": ("a.png", png())}), 429, "too_often")
        assert limited.of(Role.REVIEWER).post("/v1/pictures", files={"file": ("a.png", png())}).status_code == 200


@pytest.mark.sqlite_only
def test_the_log_says_who_did_what_and_cannot_be_changed(people: Team) -> None:
    annotator = people.of(Role.ANNOTATOR)
    item = read_page(annotator, 5)["id"]
    annotator.post(f"/v1/items/{item}/comments", json={"text": "secret words", "client_key": "c" * 12})
    change = {"recognition_id": item, "content": {"text": "secret words"}, "base_version": 0, "client_key": "d" * 12}
    assert annotator.post("/v1/corrections", json=change).status_code == 200
    job = annotator.post("/v1/jobs", files={"files": ("a.png", png(8))}).json()["job"]
    assert annotator.post("/v1/jobs/again", json={"items": [item]}).status_code == 202
    assert annotator.get(f"/v1/jobs/{job}/results").status_code == 200
    refused(annotator.get("/v1/audit"), 403, "not_allowed")
    rows = [row for row in people.of(Role.ADMIN).get("/v1/audit?limit=10000").text.splitlines() if row]
    mine = [row for row in rows if NAMES[Role.ANNOTATOR] in row]
    for action in ("login", "picture.receive", "page.read", "comment.add"):
        assert any(f'"action":"{action}"' in row for row in mine), action
    for action in ("comment.add", "correction.save"):
        assert any(f'"action":"{action}","target":"{item}"' in row for row in mine), action
    for action in ("job.create", "job.results"):
        assert any(f'"action":"{action}","target":"{job}"' in row for row in mine), action
    assert any(f'"action":"job.again","target":"{item}"' in row for row in mine)
    assert '"action":"login.refused"' in "".join(rows)
    assert "secret words" not in "".join(rows)
    with sqlite3.connect(people.bench.settings.data_dir / DATABASE) as database:
        replaced = "INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE id = 1"
        for change in ("UPDATE audit SET name = 'x'", "DELETE FROM audit", replaced):
            with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
                database.execute(change)


def test_administrators_keep_the_accounts(people: Team) -> None:
    admin = people.of(Role.ADMIN)
    body = {"name": "fresh", "role": "viewer", "password": PASSWORD}
    assert admin.post("/v1/accounts", json=body).json()["role"] == "viewer"
    refused(admin.post("/v1/accounts", json=body), 409, "account_exists")
    refused(admin.post("/v1/accounts", json={**body, "name": "f2", "password": "x"}), 400, "bad_password")
    fresh = people.logged_in("fresh")
    assert admin.patch("/v1/accounts/fresh", json={"role": "annotator"}).json()["role"] == "annotator"
    assert "annotate" in fresh.get("/v1/me").json()["actions"], "at once"
    assert admin.patch("/v1/accounts/fresh", json={"disabled": True}).json()["disabled"] is True
    assert fresh.get("/v1/me").status_code == 401
    refused(admin.patch("/v1/accounts/none", json={"disabled": True}), 404, "unknown_account")
    listed = admin.get("/v1/accounts").json()
    assert listed["roles"]["viewer"] == ["read"]
    assert "argon2" not in admin.get("/v1/accounts").text
    mine = f"/v1/accounts/{NAMES[Role.ADMIN]}"
    for change in ({"role": "viewer"}, {"disabled": True}):
        refused(admin.patch(mine, json=change), 409, "not_oneself")
    assert "admin" in admin.get("/v1/me").json()["actions"]


def test_a_name_with_a_slash_is_kept_like_any_other(people: Team) -> None:
    admin, name = people.of(Role.ADMIN), "house/Ann <b>"
    address = "/v1/accounts/house%2FAnn%20%3Cb%3E"
    assert admin.post("/v1/accounts", json={"name": name, "role": "viewer", "password": PASSWORD}).status_code == 201
    assert admin.patch(address, json={"role": "annotator"}).json()["role"] == "annotator"
    made = admin.post(f"{address}/keys", json={"name": "theirs"}).json()
    assert admin.delete(f"{address}/keys/{made['id']}").status_code == 204


def test_administrators_keep_the_keys_of_others_and_no_key_does(people: Team) -> None:
    admin, theirs = people.of(Role.ADMIN), f"/v1/accounts/{NAMES[Role.ANNOTATOR]}/keys"
    made = admin.post(theirs, json={"name": "scanner", "scopes": ["read"]}).json()
    client = people.client(Authorization=f"Bearer {made['key']}")
    told = client.get("/v1/me").json()
    assert (told["name"], told["actions"]) == (NAMES[Role.ANNOTATOR], ["read"])
    assert made["id"] in [one["id"] for one in admin.get(theirs).json()["keys"]]
    assert made["key"] not in admin.get(theirs).text
    key = people.with_key(NAMES[Role.ADMIN])
    for answer in (
        key.get(theirs),
        key.post(theirs, json={"name": "more"}),
        key.delete(f"{theirs}/{made['id']}"),
        key.patch(theirs.removesuffix("/keys"), json={"password": PASSWORD}),
    ):
        refused(answer, 403, "not_by_key")
    for role in (Role.VIEWER, Role.ANNOTATOR, Role.REVIEWER):
        refused(people.of(role).get(theirs), 403, "not_allowed")
    other = f"/v1/accounts/{NAMES[Role.VIEWER]}/keys"
    refused(admin.delete(f"{other}/{made['id']}"), 404, "unknown_key")
    assert admin.delete(f"{theirs}/{made['id']}").status_code == 204
    refused(client.get("/v1/me"), 401, "not_logged_in")


@pytest.fixture(scope="module")
def behind(another_database: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    changes = {"auth": "proxy", "proxy_header": "X-User", "trusted_proxies": "10.1.0.0/16", "proxy_role": "viewer"}
    with team(tmp_path_factory.mktemp("proxy"), ScriptedEngine(ANSWER), **changes) as made:
        yield made


def ask(behind: Team, peer: str, *more: tuple[str, str], **headers: str) -> Response:
    client = TestClient(behind.app, client=(peer, 1234))
    client.portal = behind.portal
    return client.get("/v1/me", headers=[*headers.items(), *more])


def test_its_word_counts_and_nobody_elses(behind: Team) -> None:
    said = ask(behind, "10.1.2.3", **{"X-User": "Pia"}).json()
    assert (said["name"], said["role"], said["via"]) == ("Pia", "viewer", "proxy")
    for peer in ("10.2.0.1", "127.0.0.1", "testclient", "::1"):
        refused(ask(behind, peer, **{"X-User": "Pia"}), 401, "not_logged_in")
        forged = {"X-User": "Pia", "X-Forwarded-For": "10.1.2.3", "Forwarded": "for=10.1.2.3"}
        refused(ask(behind, peer, **forged), 401, "not_logged_in")
    refused(ask(behind, "10.1.2.3"), 401, "not_logged_in")
    both = ("X-User", "Pia"), ("X-User", "Somebody")
    refused(ask(behind, "10.1.2.3", *both), 401, "not_logged_in")


async def test_of_several_forwarded_headers_the_one_counts_that_the_proxy_has_added() -> None:
    seen = []

    async def inside(scope: dict, receive: object, send: object) -> None:
        seen.append((scope["client"][0], scope["scheme"]))

    forged = [(b"x-forwarded-for", b"192.0.2.66"), (b"x-forwarded-proto", b"http")]
    added = [(b"x-forwarded-for", b"192.0.2.5, 198.51.100.7"), (b"x-forwarded-proto", b"https")]
    for headers in ([*forged, *added], [(b"x-forwarded-for", b"192.0.2.66, 198.51.100.7"), added[1]]):
        scope = {"type": "http", "client": ("10.1.2.3", 1), "scheme": "http", "headers": headers}
        await Forwarded(inside, "10.1.0.0/16")(scope, None, None)
    assert seen == [("198.51.100.7", "https")] * 2


def test_accounts_have_the_role_that_was_given_them(behind: Team) -> None:
    behind.bench.accounts.set_role("Pia", Role.REVIEWER)
    assert ask(behind, "10.1.2.3", **{"X-User": "Pia"}).json()["role"] == "reviewer"
    behind.bench.accounts.disable("Pia")
    refused(ask(behind, "10.1.2.3", **{"X-User": "Pia"}), 401, "not_logged_in")


def test_keys_work_from_everywhere(behind: Team) -> None:
    secret, _ = behind.bench.accounts.add_key("k", (), None, NAMES[Role.ADMIN])
    assert ask(behind, "192.0.2.1", Authorization=f"Bearer {secret}").json()["role"] == "admin"


def test_a_picture_goes_on_request_and_what_was_read_of_it_stays(people: Team) -> None:
    admin = people.of(Role.ADMIN)
    item = read_page(admin, 99)
    address = f"/pictures/{item['page']['sha256']}"
    assert admin.get(f"{address}/thumbnail").status_code == 200
    assert admin.delete(address).status_code == 204
    refused(admin.get(address), 404, "missing_picture")
    refused(admin.delete(address), 404, "missing_picture")
    assert admin.get(f"{address}/thumbnail").status_code == 404
    assert admin.get(f"/v1/recognitions/{item['id']}").json()["text"] == "Total 12.50"
    assert '"action":"picture.forget"' in admin.get("/v1/audit?limit=10000").text


def test_without_logins_all_is_as_it_was(client: TestClient) -> None:
    said = client.get("/v1/me").json()
    assert (said["auth"], said["name"], said["actions"]) == ("none", "", sorted(Action))
    refused(client.get("/v1/keys"), 401, "not_logged_in")
    assert client.get("/v1/accounts").status_code == 200
