"""Log lines: their forms, their file, and that nothing that was read, no picture and no secret gets into one."""

from __future__ import annotations

import base64
import gc
import json
import logging
import logging.config
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from batches import pdf
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from live import rest_app, until
from stored import png

from ocr_ui import logs
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.errors import EngineFailed
from ocr_ui.logs import JsonLines, KeptFile, TextLines, as_request, request_name, run_name, vllm_config
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings
from ocr_ui.storage.store import DATABASE
from ocr_ui.ui.unexpected import expected

READ = "Zebrafink-4711"
SECRET = "geheim-0815"
HOOKS = ((threading, "excepthook"), (sys, "unraisablehook"), (warnings, "showwarning"))
ANSWER = (Started(), TextDelta(f"Total {READ}"), Finished(Generation(f"Total {READ}")))


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for place, name in HOOKS:
        monkeypatch.setattr(place, name, getattr(place, name))
    root = logging.getLogger()
    before, level, raises = root.handlers[:], root.level, logging.raiseExceptions
    yield
    for handler in root.handlers:
        if handler not in before:
            handler.close()
    root.handlers[:] = before
    root.setLevel(level)
    logging.raiseExceptions = raises


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Takes all log lines as JSON."""
    made = tmp_path / "logs" / "product.log"
    logs.set_up("json", [SECRET], made)
    return made


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def record(message: str, *args: object, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("ocr_ui.x", logging.ERROR, "x.py", 1, message, args, info)


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_a_line_has_its_request_and_its_fields() -> None:
    one = record("page %d", 7)
    one.fields = {"engine": "vllm"}
    with as_request("r-1"):
        value = json.loads(JsonLines().format(one))
        text = TextLines().format(one)
    assert value.pop("time").endswith("+00:00")
    expected_value = {"level": "error", "logger": "ocr_ui.x", "message": "page 7", "request": "r-1", "engine": "vllm"}
    assert value == expected_value
    assert text.endswith("ERROR ocr_ui.x: page 7 engine=vllm [r-1]")
    assert "request" not in json.loads(JsonLines().format(one))


@pytest.mark.parametrize("form", [TextLines, JsonLines])
def test_exceptions_name_their_places_and_not_what_they_say(form: type[logs.Lines]) -> None:
    error = raised(ValueError(f"cannot parse {READ}"))
    error.__cause__ = raised(KeyError(READ))
    written = form().format(record("failed", error=error))
    assert READ not in written
    assert 0 < written.index("ValueError") < written.index("KeyError")
    assert "test_logs.py:" in written
    assert "in form" not in written
    assert "No space left" in form().format(record("failed", error=raised(OSError(28, "No space left"))))


def test_what_an_engine_says_of_a_page_is_left_out_and_what_its_start_says_is_not() -> None:
    error = EngineFailed("engine_failed", f"The engine failed: {READ}.", "Try again.", reason=READ)
    with as_request("r-1"):
        assert READ not in JsonLines().format(record("%s", error))
        assert READ not in JsonLines().format(record("%s", ValueError(READ)))
        assert "engine_failed: The engine failed" in JsonLines().format(record("%s", error))
    assert READ in JsonLines().format(record("%s", error))


def test_forgotten_tasks_are_told_without_what_they_held() -> None:
    one = logging.LogRecord(
        "asyncio", logging.ERROR, "", 1, f"Task exception was never retrieved\nfuture: {READ}", (), None
    )
    assert READ not in JsonLines().format(one)


def test_what_python_would_write_itself_is_written_without_its_words(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    class Unclosable:
        def __del__(self) -> None:
            raise ValueError(READ)

    def fail() -> None:
        raise ValueError(READ)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    Unclosable()
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"expected a text, got {READ}", UserWarning, stacklevel=1)
    told = lines(file)
    assert [one["message"].partition(" at ")[0] for one in told] == [
        "a thread ended with an error",
        "an error that nobody could be told",
        "UserWarning (its words are left out)",
    ]
    assert [one["error"][0]["type"] for one in told[:2]] == ["ValueError"] * 2
    assert READ not in file.read_text() + "".join(capfd.readouterr())


@pytest.mark.parametrize(
    "said",
    [
        f"key {SECRET}!",
        f"postgresql://ocr:{SECRET}-else@db/ocr",
        f"Authorization: Bearer {SECRET}",
        "key ocrw_geheim-0815-abc",
    ],
)
def test_secrets_are_masked(said: str) -> None:
    for form in (TextLines, JsonLines):
        assert "geheim" not in form([SECRET]).format(record(said))


def test_only_well_formed_ids_of_clients_are_taken() -> None:
    assert request_name("abc-1.2_3") == "abc-1.2_3"
    for bad in ("", "a b", "x" * 65, "-a", "a\nb", "é", "a/b"):
        assert request_name(bad) not in (bad, "")
    with as_request("abc"):
        assert run_name().startswith("abc.")
        assert run_name() != run_name()
    assert "." not in run_name()


def test_a_file_is_put_aside_by_size_and_by_day_and_goes_by_age(tmp_path: Path) -> None:
    file = tmp_path / "p.log"
    handler = KeptFile(file, most_bytes=50, files=2, days=30)
    for number in range(5):
        handler.emit(record("x" * 40 + str(number)))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["p.log", "p.log.1", "p.log.2", "p.log.lock"]
    handler.close()
    long_ago = time.time() - 31 * 86_400
    os.utime(tmp_path / "p.log.2", (long_ago, long_ago))
    before = time.time() - 2 * 86_400  # a day of 25 hours is one day
    os.utime(file, (before, before))
    handler = KeptFile(file, most_bytes=10_000, files=2, days=30)
    assert not (tmp_path / "p.log.2").exists()
    handler.emit(record("today"))
    handler.close()
    assert "today" in file.read_text()
    assert "today" not in (tmp_path / "p.log.1").read_text()
    assert (tmp_path / "p.log.2").exists()


OUT_OF_DESCRIPTORS = "socket.accept() out of system resource\nsocket: <TransportSocket fd=%d>"


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_line_that_comes_again_and_again_is_written_once_and_counted(
    form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, asyncios, begin = tmp_path / "p.log", logging.getLogger("asyncio"), time.time()
    logs.set_up(form, [], file)
    error = raised(OSError(24, "Too many open files"))
    for number in range(2_000):
        one = record(OUT_OF_DESCRIPTORS % number, error=error)
        one.name, one.created = "asyncio", begin + number / 3_000
        asyncios.handle(one)
    with as_request("r-1"):
        asyncios.error(OUT_OF_DESCRIPTORS % 1)
    logging.getLogger().handlers[0].close()
    console = capfd.readouterr().err
    assert console == file.read_text()
    assert [line.count("r-1") for line in console.splitlines() if "out of system resource" in line] == [0, 1, 0]
    assert re.findall(r"repeated\W+(\d+)", console) == ["1999"]
    assert console.count("Too many open files") == 1, "where it came from stands with the first"


def test_lines_that_differ_at_all_are_all_written(file: Path) -> None:
    for number in range(300):
        log = logging.getLogger(f"ocr_ui.{number % 3}")
        log.log(logging.INFO if number % 2 else logging.ERROR, "page %d", number // 6)
    with as_request("r-1"):
        for number in range(3):
            logging.info("request", extra={"fields": {"route": f"/{number}"}})
        for error in (KeyError(), ValueError()):
            logging.error("failed", exc_info=raised(error))
    told = lines(file)
    assert len(told) == 300 + 3 + 2
    assert not [one for one in told if "repeated" in one]


def test_how_often_it_came_is_told_by_the_next_line_with_its_request(tmp_path: Path) -> None:
    inner = KeptFile(tmp_path / "p.log")
    inner.setFormatter(JsonLines())
    counting, begin = logs.Counting([inner]), time.time()

    def write(message: str, seconds: float) -> None:
        one = record(message)
        one.created = begin + seconds
        one.fields = {"engine": "vllm"}
        counting.handle(one)

    with as_request("r-1"):
        for seconds in (0, 0.5, 0.9):
            write("busy", seconds)
    write("other", 0.95)
    with as_request("r-2"):
        write("other", 1.2)
    with as_request("r-1"):
        write("busy", 1.3)
    counting.close()
    told = [
        (one["message"], one.get("request"), one.get("repeated"), one["engine"]) for one in lines(tmp_path / "p.log")
    ]
    assert told == [
        ("busy", "r-1", None, "vllm"),
        ("other", None, None, "vllm"),
        ("busy", "r-1", 2, "vllm"),
        ("other", "r-2", None, "vllm"),
        ("busy", "r-1", None, "vllm"),
    ]


WRITER = """
import logging, pathlib, sys
from ocr_ui.logs import KeptFile
handler = KeptFile(pathlib.Path(sys.argv[1]), most_bytes=300_000, files=1_000)
logging.basicConfig(level=logging.INFO, handlers=[handler], format="%(message)s")
print("ready", flush=True)
sys.stdin.readline()
for number in range(200):
    logging.info("%s.%d %s end", sys.argv[2], number, "x" * 12_000)
"""


def test_several_processes_share_a_file_without_losing_or_mixing_a_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path / "p.log")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    writers = [subprocess.Popen([*command, name], **pipes) for name in "abc"]
    assert [one.stdout.readline() for one in writers] == ["ready\n"] * 3
    for one in writers:
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in writers:
        one.communicate()
        assert one.returncode == 0
    kept = [one for one in tmp_path.iterdir() if one.suffix != ".lock"]
    written = [line.split(" ") for one in kept for line in one.read_text().splitlines()]
    assert len(kept) > 10
    assert sorted(name for name, *_ in written) == sorted(f"{w}.{n}" for w in "abc" for n in range(200))
    assert all(len(middle) == 12_000 and end == "end" for _, middle, end in written)


def test_no_file_is_kept_beside_the_newest_where_none_is_to_be(tmp_path: Path) -> None:
    handler = KeptFile(tmp_path / "p.log", most_bytes=50, files=0)
    for number in range(3):
        handler.emit(record("x" * 40 + str(number)))
    handler.close()
    assert (tmp_path / "p.log").read_text() == "x" * 40 + "2\n"


def test_vllms_processes_write_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    vllm = logging.getLogger("vllm")
    try:
        logging.config.dictConfig(vllm_config())
        vllm.info("Loading %s", "weights")
        assert json.loads(capsys.readouterr().err)["message"] == "Loading weights"
    finally:
        vllm.handlers.clear()
        vllm.propagate = True


def served(tmp_path: Path, script: tuple) -> tuple[TestClient, ScriptedEngine]:
    engine = ScriptedEngine(script)
    settings = Settings(data_dir=tmp_path / "data", turn_pages=False, allowed_hosts="testserver", api_key=SECRET)
    app = rest_app(settings, Engines({"scripted": engine}))
    return TestClient(app, raise_server_exceptions=False), engine


def test_one_id_goes_from_the_request_to_the_engine_and_back(tmp_path: Path, file: Path) -> None:
    client, engine = served(tmp_path, ANSWER)
    with client:
        answer = client.post("/v1/ocr", files={"file": ("a.png", png())}, headers={"X-Request-ID": "desk-7"})
        assert answer.headers["x-request-id"] == "desk-7"
        assert engine.seen[0].id.startswith("desk-7.")
        refused = client.post("/v1/ocr", files={"file": ("a.png", b"x")}, headers={"X-Request-ID": "no good"})
        name = refused.json()["error"]["request"]
        assert name == refused.headers["x-request-id"] != "no good"
        assert client.get("/healthz").headers["x-request-id"]
    told = lines(file)
    (reading,) = (one for one in told if one["message"] == "reading")
    assert (reading["request"], reading["outcome"], reading["engine"]) == ("desk-7", "complete", "scripted")
    requests = [one for one in told if one["message"] == "request"]
    assert [(one["request"], one["route"], one["status"]) for one in requests] == [
        ("desk-7", "/v1/ocr", 200),
        (name, "/v1/ocr", 400),
    ]


def test_nothing_that_was_read_gets_into_the_log(
    tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through readings, corrections, searches, refusals, batches, faults of engine, store and page."""
    client, engine = served(tmp_path, ANSWER)
    picture = png()
    with client:
        bench = client.app.state.workbench
        read = client.post("/v1/ocr", files={"file": ("a.png", picture)}).json()
        assert READ in read["text"]
        change = {
            "recognition_id": read["id"],
            "content": {"text": f"new {READ}"},
            "base_version": 0,
            "verdict": "wrong",
        }
        saved = client.post("/v1/corrections", json={**change, "note": READ, "client_key": "k" * 12})
        assert saved.status_code == 200
        long = client.post("/v1/corrections", json={**change, "note": READ * 1_000, "client_key": "l" * 12})
        assert long.status_code == 400
        client.get("/v1/recognitions", params={"text": READ})
        client.post("/v1/ocr", json={"image": base64.b64encode(picture).decode(), "template": READ})
        client.get(f"/v1/exports/{READ}")
        client.get(f"/made/up/{READ}")
        engine.script = (Started(), TextDelta(READ), ValueError(f"cannot go on after {READ}"))
        failed = client.post("/v1/ocr", files={"file": ("a.png", picture)})
        assert failed.status_code == 502
        job = client.post("/v1/jobs", files=[("files", ("a.pdf", pdf(1)))]).json()["job"]
        until(lambda: client.get(f"/v1/jobs/{job}").json()["state"] == "done")
        assert READ in client.get(f"/v1/jobs/{job}").text, "the person is told"
        with as_request("of-a-tab"):
            assert "of-a-tab" in expected(ValueError(READ)).hint
        engine.script = ANSWER
        with sqlite3.connect(bench.settings.data_dir / DATABASE) as database:
            database.execute("DROP TABLE reading_figure")
        database.close()
        client.post("/v1/ocr", files={"file": ("a.png", picture)})
        bench.annotator.save_correction = None
        broken = client.post("/v1/corrections", json={**change, "client_key": "m" * 12})
        assert broken.status_code == 500
        assert broken.headers["x-request-id"] in broken.json()["error"]["hint"]
    whole = file.read_text(encoding="utf-8") + "".join(capsys.readouterr())
    faults = [one for one in lines(file) if "error" in one]
    assert {"ValueError", "TypeError"} <= {fault["type"] for one in faults for fault in one["error"]}
    assert any(one.get("request", "").startswith("job-") for one in faults)
    for planted in (READ, SECRET, base64.b64encode(picture).decode()[:40]):
        assert planted not in whole
