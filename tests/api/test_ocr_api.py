"""Reading over REST: the whole answer, the stream, refusals, and the end of work that nobody waits for."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from fakes import Pause, ScriptedEngine, ScriptStep
from fastapi.testclient import TestClient
from live import live, rest_app, until
from slanting import askew, page

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.engines.base import (
    Capabilities,
    EngineEvent,
    EngineRequest,
    Finished,
    LinesDelta,
    Started,
    TextDelta,
)
from ocr_ui.errors import EngineBusy, EngineFailed
from ocr_ui.images.door import encode_png
from ocr_ui.metrics import ENDED, REGISTRY, STAGES
from ocr_ui.services.engines import Engines
from ocr_ui.services.pictures import PageStore
from ocr_ui.settings import Settings

LINES_ONLY = Capabilities(tasks=frozenset({Task.SPOTTING, Task.TEXT}), gives_boxes=True)
DONE = Finished(Generation(finish_reason="stop"))


def line(text: str, top: int = 1) -> TextLine:
    return TextLine(text, Quad.from_points([(1, top), (20, top), (20, top + 8), (1, top + 8)]), 0.75)


def picture() -> bytes:
    pixels = np.full((100, 200, 3), 255, np.uint8)
    pixels[40:60, 20:100] = 0
    return encode_png(pixels)


TWO = (Started(), LinesDelta((line("one"),)), Pause(0.12), LinesDelta((line("two", 20),)), DONE)
LONG = (Started(), LinesDelta((line("one"),)), Pause(600), DONE)


class Starting(ScriptedEngine):
    """Never comes up."""

    async def start(self) -> None:
        await asyncio.sleep(3600)


@contextmanager
def served(folder: Path, engine: ScriptedEngine, **changes: Any) -> Iterator[TestClient]:
    plain = {"data_dir": folder / "data", "turn_pages": False, "allowed_hosts": "testserver", **changes}
    with TestClient(rest_app(Settings(**plain), Engines({"scripted": engine}))) as client:
        yield client


def lines_engine(*script: ScriptStep) -> ScriptedEngine:
    return ScriptedEngine(script, LINES_ONLY)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with served(tmp_path_factory.mktemp("ocr"), lines_engine(*TWO), max_upload_bytes=100_000) as client:
        yield client


def post(client: TestClient, **form: Any) -> httpx.Response:
    return client.post("/v1/ocr", files={"file": ("seite.png", picture())}, data=form)


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "hint", "details", "request"}
    assert error["request"] == answer.headers["x-request-id"]
    assert error["code"] == code
    return error


def events(text: str) -> list[tuple[str, Any]]:
    blocks = [block.split("\n") for block in text.split("\n\n") if block.startswith("event: ")]
    return [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in blocks]


def test_a_file_is_read_stored_and_given_again(client: TestClient) -> None:
    value = post(client, person="Rest Reader").json()
    assert [one["text"] for one in value["lines"]] == ["one", "two"]
    assert value["lines"][0]["quad"][0] == [1, 1]
    assert (value["text"], value["outcome"], value["template"]) == ("one\ntwo", "complete", "full_text")
    assert value["page"].items() >= {"width": 200, "height": 100, "name": "seite.png"}.items()
    assert set(value["timings"]) <= set(STAGES)
    assert value["timings"]["receive"] > 0
    again = client.get(f"/v1/recognitions/{value['id']}").json()
    assert again["person"] == "Rest Reader"
    assert {key: again[key] for key in value} == value
    listed = client.get("/v1/recognitions", params={"limit": 1}).json()["recognitions"]
    assert [row["id"] for row in listed] == [value["id"]]


def test_the_way_of_a_file_to_the_engine_is_timed_for_the_reading_and_for_monitor(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive = PageStore.receive

    async def slow(*given: Any) -> Any:
        await asyncio.sleep(0.2)
        return await receive(*given)

    monkeypatch.setattr(PageStore, "receive", slow)
    timings = post(client).json()["timings"]
    assert timings["decode_image"] > 0.19
    assert ENDED[-1].stages["decode_image"] > 0.19
    assert ENDED[-1].stages["receive"] > 0


def test_json_with_base64_says_the_same(client: TestClient) -> None:
    bare = base64.b64encode(picture()).decode()
    wanted = post(client).json()
    for image in (bare, f"data:image/png;base64,{bare}", bare[:40] + "\n" + bare[40:]):
        value = client.post("/v1/ocr", json={"image": image, "name": "seite.png"}).json()
        assert value["lines"] == wanted["lines"]
        assert value["page"]["sha256"] == wanted["page"]["sha256"]


@pytest.mark.parametrize(("language", "said"), [("en", "lies askew by 4.0 degrees"), ("zh", "页面倾斜 4.0 度")])
def test_a_page_can_be_cleaned_and_the_result_says_so_for_ever(client: TestClient, language: str, said: str) -> None:
    asked = {"image": base64.b64encode(encode_png(askew(page(8), 4))).decode(), "options": {"preprocess": "deskew"}}
    spoken = {"X-Workbench-Lang": language}
    value = client.post("/v1/ocr", json=asked, headers=spoken).json()
    again = client.get(f"/v1/recognitions/{value['id']}", headers=spoken).json()
    for one in (value, again):
        assert [warning["code"] for warning in one["warnings"]] == ["deskewed"]
        assert said in one["warnings"][0]["message"]


def test_a_stream_tells_text_and_lines_as_they_come_and_the_whole_at_the_end(client: TestClient) -> None:
    answer = post(client, stream="true")
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = events(answer.text)
    assert told[-1][0] == "done"
    value = told[-1][1]
    assert "".join(data["text"] for name, data in told if name == "text") == value["text"]
    assert [data for name, data in told if name == "line"] == value["lines"]
    assert [name for name, _ in told].index("line") < len(told) - 2, "the first line comes before the end"
    assert client.get(f"/v1/recognitions/{value['id']}").status_code == 200


@pytest.mark.parametrize("stream", ["false", "true"])
@pytest.mark.parametrize(
    ("form", "status", "code"),
    [
        ({"template": "nothing"}, 404, "template_not_found"),
        ({"engine": "nothing"}, 400, "unknown_engine"),
        ({"template": "translate"}, 400, "task_not_possible"),
        ({"variables": '{"fields": "a"}'}, 400, "unknown_variable"),
        ({"variables": "{"}, 422, "malformed"),
        ({"options": '{"temperature": 9}'}, 422, "malformed"),
        ({"options": '{"temprature": 1}'}, 422, "malformed"),
        ({"options": '{"page": 2}'}, 400, "no_such_page"),
        ({"options": '{"preprocess": "iron"}'}, 400, "unknown_preprocess"),
        ({"more": "x"}, 422, "malformed"),
    ],
)
def test_what_cannot_be_asked_is_told_before_anything_is_streamed(
    client: TestClient, form: dict[str, str], status: int, code: str, stream: str
) -> None:
    refused(post(client, stream=stream, **form), status, code)


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        ({"files": {"file": ("a.png", b"no picture")}}, 400, "not_a_picture"),
        ({"files": {"file": ("a.png", b"")}}, 400, "empty_file"),
        ({"files": {"other": ("a.png", b"x")}}, 422, "malformed"),
        ({"data": {"file": "text"}, "files": {"x": ("a", b"b")}}, 422, "malformed"),
        ({"json": {}}, 422, "malformed"),
        ({"json": []}, 422, "malformed"),
        ({"json": {"image": "%%%"}}, 400, "bad_base64"),
        ({"json": {"image": "http://169.254.169.254/x.png"}}, 400, "no_fetching"),
        ({"json": {"image": "file:///etc/passwd"}}, 400, "no_fetching"),
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 422, "malformed"),
        (
            {"content": b'{"image":' + b"1" * 5_000 + b"}", "headers": {"content-type": "application/json"}},
            422,
            "malformed",
        ),
        ({"files": {"file": ("a.png", b"x")}, "data": {"variables": "1" * 5_000}}, 422, "malformed"),
        ({"content": b"\xff\xfe", "headers": {"content-type": "application/json"}}, 422, "malformed"),
        ({"content": b"x", "headers": {"content-type": "image/png"}}, 415, "unsupported_media_type"),
        ({}, 415, "unsupported_media_type"),
        ({"files": {"file": ("a.png", bytes(300_000))}}, 413, "too_many_bytes"),
        ({"json": {"image": "A" * 400_000}}, 413, "too_many_bytes"),
    ],
)
def test_bodies_that_cannot_be_used(client: TestClient, request_: dict[str, Any], status: int, code: str) -> None:
    refused(client.post("/v1/ocr", **request_), status, code)


def test_errors_are_told_in_the_language_that_is_asked_for(client: TestClient) -> None:
    answer = client.post("/v1/ocr", json={"image": "%"}, headers={"X-Workbench-Lang": "zh"})
    assert not refused(answer, 400, "bad_base64")["message"].isascii()


def test_pages_of_the_list_follow_each_other(client: TestClient) -> None:
    for _ in range(3):
        post(client, person="Pager")
    seen, offset = [], 0
    while offset is not None:
        part = client.get("/v1/recognitions", params={"limit": 2, "offset": offset, "sort": "oldest"}).json()
        seen += [row["id"] for row in part["recognitions"]]
        offset = part["next"]
    assert seen == sorted(seen)
    assert len(seen) == len(set(seen)) == part["total"] >= 3
    refused(client.get("/v1/recognitions", params={"sort": "luck"}), 400, "unknown_sort")
    refused(client.get("/v1/recognitions", params={"limit": 0}), 422, "malformed")
    refused(client.get("/v1/recognitions", params={"state": "lost"}), 400, "bad_filter_value")
    refused(client.get("/v1/recognitions/999999"), 404, "unknown_recognition")


def test_a_text_is_searched_and_its_place_shown(client: TestClient) -> None:
    number = post(client).json()["id"]
    rows = client.get("/v1/recognitions", params={"text": "E\nTW"}).json()["recognitions"]
    assert number in [row["id"] for row in rows]
    place = {"before": "on", "match": "e tw", "after": "o", "where": "text", "cut": [False, False]}
    assert rows[0]["found"] == place
    assert client.get("/v1/recognitions", params={"text": 'e" OR "t'}).json()["total"] == 0
    assert client.get("/v1/recognitions", params={"limit": 1}).json()["recognitions"][0]["found"] is None


def test_templates_and_engines_are_listed(client: TestClient) -> None:
    found = {one["name"]: one for one in client.get("/v1/templates").json()["templates"]}
    assert found["full_text"]["engines"] == ["scripted"]
    assert found["translate"]["engines"] == []
    assert [one["name"] for one in found["fields"]["variables"]] == ["fields"]
    engine = {"name": "scripted", "kind": "scripted", "state": "ready", "takes_prompt": False}
    assert client.get("/v1/engines").json()["engines"] == [engine]


def test_an_engine_that_loads_is_said_to_be_busy(tmp_path: Path) -> None:
    with served(tmp_path, Starting(TWO, LINES_ONLY)) as client:
        for answer in (post(client), post(client, stream="true")):
            refused(answer, 503, "engine_loading")
            assert int(answer.headers["retry-after"]) > 0
        assert client.get("/v1/recognitions").json()["total"] == 0


@pytest.mark.parametrize("stream", ["false", "true"])
def test_an_engine_that_fails_names_the_item_that_keeps_what_was_read(tmp_path: Path, stream: str) -> None:
    failing = ScriptedEngine([Started(), TextDelta("first"), EngineFailed("engine_died", "It died.", "Again.")])
    with served(tmp_path, failing) as client:
        answer = post(client, stream=stream)
        if stream == "true":
            assert [name for name, _ in events(answer.text)][-1] == "error"
            error = events(answer.text)[-1][1]["error"]
        else:
            error = refused(answer, 502, "engine_died")
        assert client.get(f"/v1/recognitions/{error['details']['item']}").json()["text"] == "first"


@pytest.mark.parametrize("stream", ["false", "true"])
def test_an_engine_that_says_nothing_at_all_is_a_failure(tmp_path: Path, stream: str) -> None:
    silent = ScriptedEngine([Started(), Finished(Generation(finish_reason="timeout"))])
    with served(tmp_path, silent) as client:
        answer = post(client, stream=stream)
        if stream == "true":
            assert [(name, told["error"]["code"]) for name, told in events(answer.text)] == [("error", "nothing_came")]
        else:
            refused(answer, 504, "nothing_came")
        assert client.get("/v1/recognitions").json()["total"] == 0


def test_a_full_queue_is_told_with_when_to_come_back(tmp_path: Path) -> None:
    with served(tmp_path, lines_engine(EngineBusy("queue_full", "Full.", "Later.", waiting=1))) as client:
        answer = post(client)
        refused(answer, 503, "queue_full")
        assert "retry-after" in answer.headers


class Lasting(ScriptedEngine):
    """Its pauses are over at once on the clock of requests."""

    passed = 0.0

    async def _wait(self, request_id: str, seconds: float) -> None:
        self.passed = max(self.passed, seconds)
        await super()._wait(request_id, seconds)


def test_a_reading_that_takes_too_long_ends_and_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Lasting(LONG, LINES_ONLY)
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + engine.passed)
    monkeypatch.setattr("ocr_ui.services.ocr.time", clock)
    with served(tmp_path, engine, request_seconds=300) as client:
        assert refused(post(client), 504, "request_timeout")["details"]["seconds"] == 300
        assert not engine.running
        until(lambda: client.get("/v1/recognitions").json()["total"] == 1)
        assert client.get("/v1/recognitions").json()["recognitions"][0]["outcome"] == "stopped"


def test_a_client_that_goes_away_ends_the_work(tmp_path: Path) -> None:
    engine = lines_engine(*LONG)
    settings = Settings(data_dir=tmp_path / "data", turn_pages=False)
    with live(rest_app(settings, Engines({"scripted": engine}))) as url:
        body = {"image": base64.b64encode(picture()).decode(), "stream": True}
        with httpx.stream("POST", f"{url}/v1/ocr", json=body, timeout=60) as answer:
            told = answer.iter_lines()
            while next(told) != "event: text":
                pass
            assert engine.running
        until(lambda: not engine.running)
        until(lambda: httpx.get(f"{url}/v1/recognitions", timeout=60).json()["total"] == 1)
        whole = http.client.HTTPConnection(url.removeprefix("http://"))
        body["stream"] = False
        whole.request("POST", "/v1/ocr", json.dumps(body), {"content-type": "application/json"})
        until(lambda: bool(engine.running))
        whole.close()
        until(lambda: not engine.running)


def test_more_pictures_than_there_is_room_for_are_refused_at_once(tmp_path: Path) -> None:
    engine = lines_engine(*LONG)
    settings = Settings(data_dir=tmp_path / "data", turn_pages=False, max_requests=1)
    paths = ("/v1/ocr", "/v1/chat/completions", "/v1/pictures")

    def counted(path: str) -> float:
        labels = {"method": "POST", "route": path, "status": "503"}
        return REGISTRY.get_sample_value("ocr_ui_requests_total", labels) or 0

    with live(rest_app(settings, Engines({"scripted": engine}))) as url:
        body = {"image": base64.b64encode(picture()).decode(), "stream": True}
        with httpx.stream("POST", f"{url}/v1/ocr", json=body, timeout=60) as first:
            until(lambda: bool(engine.running))
            assert first.status_code == 200
            before = [counted(path) for path in paths]
            answers = [httpx.post(url + path, json=body, timeout=60) for path in paths[:2]]
            answers.append(httpx.post(f"{url}/v1/pictures", files={"file": ("a.png", picture())}, timeout=60))
            for answer in answers:
                refused(answer, 503, "too_many_requests")
                assert "retry-after" in answer.headers
            until(lambda: [counted(path) - one for path, one in zip(paths, before, strict=True)] == [1, 1, 1])
            listed = httpx.get(f"{url}/v1/recognitions", timeout=60)
            assert listed.status_code == 200, "what holds no picture is answered"
        until(lambda: not engine.running)
        assert httpx.post(f"{url}/v1/pictures", files={"file": ("a.png", picture())}, timeout=60).status_code == 200


def test_readings_and_their_stages_are_counted(client: TestClient) -> None:
    def counted(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(name, labels) or 0

    def now() -> list[float]:
        return [
            counted("ocr_ui_readings_total", engine="scripted", outcome="complete"),
            *(counted("ocr_ui_stage_seconds_count", stage=stage) for stage in ("receive", "tokens", "store")),
            counted("ocr_ui_requests_total", method="POST", route="/v1/ocr", status="200"),
            counted("ocr_ui_request_seconds_count", method="POST", route="/v1/ocr"),
        ]

    before = now()
    assert post(client).status_code == 200
    assert [after - one for after, one in zip(now(), before, strict=True)] == [1, 1, 1, 1, 1, 1]
    for path in ("/v1/made/up", "/v1/made/up/too"):
        client.get(path)
    assert client.request("MADEUP", "/v1/ocr").status_code == 405
    text = client.get("/metrics").text
    for stage in STAGES:
        assert f'ocr_ui_stage_seconds_count{{stage="{stage}"}}' in text
    assert 'ocr_ui_readings_at_work{state="running"} 0.0' in text
    assert "made" not in text
    assert "MADEUP" not in text


def test_the_description_needs_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    for address in ("/static-docs/swagger-ui-bundle.js", "/static-docs/swagger-ui.css"):
        assert address in page.text
        assert len(client.get(address).content) > 100_000
    assert "http" not in page.text.replace("http-equiv", "").replace("http://www.w3.org", "")
    document = client.get("/openapi.json").json()
    body = document["paths"]["/v1/ocr"]["post"]["requestBody"]["content"]
    assert set(body) == {"multipart/form-data", "application/json"}
    assert body["multipart/form-data"]["schema"]["required"] == ["file"]
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            assert {"4XX", "5XX"} <= set(route["responses"]), f"{method} {path}"


class Measured(ScriptedEngine):
    """Of a kind for which it is known how high text must be."""

    name = EngineName("rapidocr", "1", "script", "r1")


def written() -> bytes:
    sheet = np.full((400, 900, 3), 255, np.uint8)
    for row in range(4):
        cv2.putText(sheet, "THE QUICK BROWN FOX", (30, 80 * (row + 1)), cv2.FONT_HERSHEY_SIMPLEX, 2, (0, 0, 0), 4)
    return encode_png(sheet)


def chosen(choice: str) -> float:
    """Readings of this process so far, by what was chosen."""
    return REGISTRY.get_sample_value("ocr_ui_pixel_choices_total", {"engine": "scripted", "choice": choice}) or 0


def test_pixels_go_by_need_and_all_of_them_on_demand(tmp_path: Path) -> None:
    before = chosen("reduced")
    engine = Measured((Started(), LinesDelta((line("one"),)), DONE), LINES_ONLY)
    by_need = {"pixels": "need", "pixels_fewest": 10_000, "pixels_text_height": 14, "pixels_confidence": 0}
    with served(tmp_path, engine, **by_need) as client:
        small = client.post("/v1/ocr", files={"file": ("a.png", written())}).json()
        options = {"options": '{"full_resolution": true}'}
        whole = client.post("/v1/ocr", files={"file": ("a.png", written())}, data=options).json()
        stored = client.get(f"/v1/recognitions/{small['id']}").json()
    choice = small["pixels"]
    assert (choice["reason"], choice["full"], choice["target"]) == ("reduced", [900, 400], 14)
    assert choice["size"][0] < 450
    assert stored["pixels"] == choice
    assert "pixels" not in whole
    assert [list(asked.pixels.shape[1::-1]) for asked in engine.seen] == [choice["size"], [900, 400]]
    assert chosen("reduced") - before == 1


class Closer(Measured):
    """Reads another word where it has all pixels."""

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        said = "whole" if request.pixels.shape[1] == 900 else "small"
        self.script = (Started(), LinesDelta((line(said),)), DONE)
        async for event in super().generate(request):
            yield event


def test_a_stream_tells_that_an_unsure_page_is_read_anew(tmp_path: Path) -> None:
    by_need = {"pixels": "need", "pixels_fewest": 10_000, "pixels_text_height": 14, "pixels_confidence": 0.9}
    before = chosen("again"), chosen("reduced")
    with served(tmp_path, Closer((), LINES_ONLY), **by_need) as client:
        answer = client.post("/v1/ocr", files={"file": ("a.png", written())}, data={"stream": "true"})
    told = events(answer.text)
    names = [name for name, _ in told]
    assert "restart" in names
    assert names[-1] == "done"
    text = "".join(data["text"] for name, data in told[len(names) - names[::-1].index("restart") :] if name == "text")
    last = told[-1][1]
    assert (text, last["text"]) == ("small", "small")
    assert last["pixels"]["again"] == {"small": 0.75, "full": 0.75, "kept": False}
    assert [warning["code"] for warning in last["warnings"]] == ["read_in_full_vainly"]
    assert (chosen("again") - before[0], chosen("reduced") - before[1]) == (1, 0)
