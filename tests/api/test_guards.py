from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest
from fakes import ScriptedEngine
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx import Response
from starlette.exceptions import HTTPException
from starlette.requests import Request

from app import create_app
from ocr_ui.api.errors import Unexpected, add_error_handlers
from ocr_ui.api.guards import Admitted, BodyLimit
from ocr_ui.errors import BadInput, EngineBusy, EngineFailed, WorkbenchError
from ocr_ui.services.admission import Admission
from ocr_ui.services.engines import Engines
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings

SHA = "0" * 64


def assert_guarded(answer: Response) -> None:
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'self'" in policy
    assert "http" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert "access-control-allow-origin" not in answer.headers
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/healthz",
        "/en/",
        "/zh/",
        "/nothing",
        f"/pictures/{SHA}",
        "/v1/items/x",
        "/v1/exports/xml",
        "/favicon.ico",
        "/",
        "/en/config",
        "/static-ui/page/page.mjs",
        "/en/gradio_api/file=/etc/passwd",
    ],
)
@pytest.mark.parametrize("origin", [None, "http://elsewhere.example"])
def test_every_answer_carries_the_headers(client: TestClient, path: str, origin: str | None) -> None:
    headers = {"origin": origin} if origin else {}
    assert_guarded(client.get(path, headers=headers, follow_redirects=False))


def test_a_failure_nobody_expected_is_told_without_its_inside(
    client: TestClient, workbench: Workbench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the secret inside")

    monkeypatch.setattr(workbench.store.pages, "by_sha256", fail)
    answer = client.post(f"/v1/pages/{SHA}/rotate", json={"turns": 1})
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in answer.text
    assert "the secret inside" in caplog.text
    assert_guarded(answer)
    chinese = client.post(f"/v1/pages/{SHA}/rotate", json={"turns": 1}, headers={"X-Workbench-Lang": "zh"})
    assert not chinese.json()["error"]["message"].isascii()


@pytest.mark.parametrize("path", ["/v1/nothing", "/pictures", "/en/nothing", "/static-ui/../app.py"])
def test_what_is_not_there(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_unknown_routes_and_methods_are_told_in_the_one_form(client: TestClient) -> None:
    answers = {
        "not_found": client.get("/v1/nothing"),
        "method_not_allowed": client.put("/v1/pictures"),
        "unsupported_media_type": client.post("/v1/ocr", content=b"x", headers={"content-type": "image/png"}),
    }
    told = {code: answer.json()["error"] for code, answer in answers.items()}
    assert [answer.status_code for answer in answers.values()] == [404, 405, 415]
    assert answers["method_not_allowed"].headers["allow"] == "POST"
    assert {code: error["code"] for code, error in told.items()} == {code: code for code in told}
    assert all(error["hint"] for error in told.values())


@pytest.mark.parametrize(
    "origin",
    [
        "http://elsewhere.example",
        "null",
        "http://testserver.elsewhere.example",
        "http://testserver:81",
        "http://[broken",
        "http://user@testserver",
        "testserver",
        "",
    ],
)
@pytest.mark.parametrize(
    "path", ["/v1/corrections", "/v1/pictures", "/en/gradio_api/queue/join", "/en/gradio_api/upload"]
)
def test_changes_that_another_site_asks_for_are_refused(client: TestClient, origin: str, path: str) -> None:
    answer = client.post(path, json={}, headers={"origin": origin})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin")
    assert_guarded(answer)


@pytest.mark.parametrize("origin", ["http://testserver", "https://testserver", "HTTP://TestServer", None])
def test_the_own_page_may_change_things(client: TestClient, origin: str | None) -> None:
    answer = client.post("/v1/corrections", json={}, headers={"origin": origin} if origin else {})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/en/gradio_api/process_recording"),
        ("POST", "/zh/gradio_api/PROCESS_RECORDING/"),
        ("POST", "/en/gradio_api/component_server"),
        ("POST", "/en/gradio_api/vibe-edit"),
        ("GET", "/en/gradio_api/deep_link?session_hash=abc"),
        ("GET", "/en/monitoring/summary"),
        ("GET", "/en/gradio_api/monitoring"),
    ],
)
def test_ways_of_gradio_that_the_page_does_not_use_are_closed(client: TestClient, method: str, path: str) -> None:
    files = {"video": ("a.mp4", b"\0" * 1_000)} if method == "POST" else None
    answer = client.request(method, path, files=files)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/gradio_api/upload", "/en/gradio_api/upload", "/zh/GRADIO_API/upload?upload_id=1"])
def test_files_come_in_by_the_products_own_routes_alone(client: TestClient, path: str) -> None:
    answer = client.post(path, files={"files": ("a.png", b"anything")})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "no_such_files")
    assert_guarded(answer)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:7860", "localhost.evil.example", "10.0.0.7", "[2001:db8::1]:80", "localhos"]
)
@pytest.mark.parametrize("path", ["/", "/en/", "/v1/items/1", "/healthz"])
def test_a_foreign_name_that_leads_here_is_refused(client: TestClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"host": host, "X-Workbench-Lang": "zh"}, follow_redirects=False)
    assert (answer.status_code, answer.json()["error"]["code"]) == (421, "foreign_host")
    assert host.partition(":")[0].strip("[") in answer.json()["error"]["message"]
    assert_guarded(answer)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:7860",
        "localhost.",
        "127.0.0.1:7860",
        "127.1.2.3",
        "[::1]:7860",
        "[::1]",
        "Other.Example",
    ],
)
def test_the_names_of_this_machine_and_those_in_the_settings_are_known(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"host": host}).status_code == 200


def test_a_server_that_others_reach_is_called_as_they_like(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path, host="0.0.0.0"), Engines({"scripted": ScriptedEngine([])}))
    with TestClient(app) as running:
        assert running.get("/healthz", headers={"host": "ocr.example"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "file=http://127.0.0.1:1/x",
        "file=https://127.0.0.1:1/x",
        "file%3Dhttp://127.0.0.1:1/x",
        "file=HTTP://127.0.0.1:1/x",
        "file/http://127.0.0.1:1/x",
        "proxy=http://127.0.0.1:1/x",
        "Proxy=http://127.0.0.1:1/x",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_server_fetches_no_addresses(client: TestClient, path: str, method: str) -> None:
    answer = client.request(method, f"/en/gradio_api/{path}", follow_redirects=False)
    assert answer.status_code == 403


@pytest.mark.parametrize("file", ["/etc/passwd", "app.py", "../app.py", "/proc/self/environ"])
def test_the_page_gives_out_no_files(client: TestClient, file: str) -> None:
    assert client.get(f"/en/gradio_api/file={file}").status_code in (403, 404)


@pytest.mark.parametrize(
    ("headers", "language"),
    [
        ({"accept-language": "zh-CN,zh;q=0.9,en;q=0.8"}, "zh"),
        ({"accept-language": "en-GB,zh;q=0.5"}, "en"),
        ({"accept-language": "fr, zh-TW;q=0.3"}, "zh"),
        ({"accept-language": "fr"}, "en"),
        ({"accept-language": ";;q=,,x"}, "en"),
        ({}, "en"),
        ({"accept-language": "zh", "cookie": "workbench_language=en"}, "en"),
        ({"cookie": "workbench_language=zh"}, "zh"),
        ({"cookie": "workbench_language=//elsewhere.example"}, "en"),
    ],
)
def test_the_front_page_leads_to_the_language_of_the_visitor(
    client: TestClient, headers: dict[str, str], language: str
) -> None:
    answer = client.get("/", headers={"accept-language": "", **headers}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, f"/{language}/")


@pytest.mark.parametrize(
    "query", ["item=3", "item=3&x=%2F%2Felsewhere.example", "%0d%0aSet-Cookie:a=b", "//elsewhere.example"]
)
def test_the_front_page_keeps_the_query_and_leads_nowhere_else(client: TestClient, query: str) -> None:
    answer = client.get(f"/?{query}", headers={"accept-language": "en"}, follow_redirects=False)
    assert answer.headers["location"] == f"/en/?{query}"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["//elsewhere.example/", "//elsewhere.example/%2e%2e", "/en//elsewhere.example"])
def test_paths_that_look_like_hosts_lead_nowhere(client: TestClient, path: str) -> None:
    answer = client.get(f"http://testserver{path}", follow_redirects=False)
    assert not answer.headers.get("location", "").startswith("//")
    assert "elsewhere.example" not in answer.headers.get("location", "").partition("?")[0].removeprefix(
        "http://testserver"
    )


async def test_a_body_over_the_limit_is_not_read_to_its_end() -> None:
    taken, sent = 0, []

    async def receive() -> dict:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": bytes(10), "more_body": True}

    async def send(message: dict) -> None:
        sent.append(message)

    async def reads_all(scope: dict, receive, send) -> None:
        while taken < 1000:
            await receive()

    guard = BodyLimit(reads_all, limit=100, told=100, localize_error=lambda error, language: error)
    await guard({"type": "http", "method": "POST", "path": "/v1/pictures", "headers": []}, receive, send)
    assert taken == 11
    assert sent[0]["status"] == 413


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/metrics", "/v1/templates", "/openapi.json", "/en/"])
def test_probes_may_ask_for_the_head_alone(client: TestClient, path: str) -> None:
    whole, head = (client.request(method, path, follow_redirects=False) for method in ("GET", "HEAD"))
    assert head.status_code == whole.status_code != 405
    told = "location" if path == "/" else "content-type"
    assert head.headers[told] == whole.headers[told]
    assert client.head("/v1/ocr").status_code == 405


async def test_a_body_that_stops_on_its_way_gives_its_place_back() -> None:
    async def application(scope: dict, receive: object, send: object) -> None:
        try:
            await Request(scope, receive).body()
        except Exception as error:  # as frameworks take whatever comes for a malformed body
            raise HTTPException(400) from error

    pieces = [{"type": "http.request", "body": b"the beginning", "more_body": True}]

    async def receive() -> dict[str, object]:
        return pieces.pop() if pieces else await asyncio.Future()

    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)

    def told(value: dict, _: str) -> dict:
        return value

    admission = Admission(1)
    guard = BodyLimit(Admitted(application, admission, told), 100, 100, told, silence=0.01)
    await guard({"type": "http", "method": "POST", "path": "/v1/ocr", "headers": []}, receive, send)
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]
    assert b"body_stopped" in sent[1]["body"]
    with admission.inside():
        pass


async def test_an_answer_may_take_as_long_as_it_likes_once_the_body_is_there() -> None:
    async def application(scope: dict, receive: object, send: object) -> None:
        await Request(scope, receive).body()
        await receive()

    messages = [{"type": "http.disconnect"}, {"type": "http.request", "body": b"all", "more_body": False}]

    async def receive() -> dict[str, object]:
        if len(messages) == 1:  # longer than the silence that a body may have
            await asyncio.sleep(0.05)
        return messages.pop()

    guard = BodyLimit(application, 100, 100, lambda value, _: value, silence=0.01)
    await guard({"type": "http", "method": "POST", "path": "/v1/ocr", "headers": []}, receive, None)
    assert messages == []


@pytest.mark.parametrize(
    ("error", "level"),
    [
        (EngineBusy("queue_full", "", ""), "WARNING"),
        (EngineFailed("x", "", ""), "ERROR"),
        (BadInput("x", "", ""), None),
    ],
)
def test_a_server_that_is_full_is_no_error_of_it(
    error: WorkbenchError, level: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    app = FastAPI()
    add_error_handlers(app, lambda value, _: value)

    @app.get("/")
    async def fail() -> None:
        raise error

    TestClient(app).get("/")
    told = [record.levelname for record in caplog.records if record.name == "ocr_ui.api.errors"]
    assert told == ([level] if level else [])


async def test_who_goes_away_while_sending_is_no_error_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    async def application(scope: dict, receive: object, send: object) -> None:
        await Request(scope, receive).body()

    async def gone() -> dict[str, str]:
        return {"type": "http.disconnect"}

    sent: list[object] = []
    caplog.set_level(logging.INFO)
    scope = {"type": "http", "method": "POST", "path": "/v1/ocr", "headers": [], "query_string": b""}
    await Unexpected(application, lambda value, _: value)(scope, gone, sent.append)
    assert sent == []
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert "went away" in caplog.text
