"""What breaks around the product while it works: killed, without its database, without disk, without its engine.

Each test prints its figures (`pytest -rP`); docs/reliability.md has those of one run.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import postgres
import pytest
from batches import pdf
from live import until
from processes import free_port
from stored import png

from ocr_ui.client import Client, Refused
from tests.stress.serving import ROOT, serving

pytestmark = pytest.mark.stress
PAGES = int(os.environ.get("OCR_UI_FAULT_PAGES", "500"))
LONG = 600.0
AWAY_SECONDS = float(os.environ.get("OCR_UI_AWAY_SECONDS", "60"))
NUMBERS = count(1)


def told(name: str, **figures: Any) -> None:
    print(json.dumps({"fault": name, **{key: round(value, 2) for key, value in figures.items()}}))


def progress(url: str, job: int) -> dict[str, Any]:
    return httpx.get(f"{url}/v1/jobs/{job}", timeout=60).raise_for_status().json()


def begin(url: str, data: bytes, name: str = "many.pdf") -> int:
    answer = httpx.post(f"{url}/v1/jobs", files=[("files", (name, data))], timeout=60).raise_for_status()
    return answer.json()["job"]


def read(url: str, shade: int | None = None) -> httpx.Response:
    data = png(next(NUMBERS) if shade is None else shade)
    return httpx.post(f"{url}/v1/ocr", files={"file": ("a.png", data)}, timeout=60)


def test_signal_9_in_the_middle_of_a_batch_of_500(tmp_path: Path) -> None:
    """Nothing that was done is lost, nothing is read twice, and what was being read is read after its claim is over."""
    with serving(tmp_path / "data") as (url, process):
        job = begin(url, pdf(PAGES))
        until(lambda: progress(url, job)["done"] >= PAGES // 4, LONG)
        process.send_signal(signal.SIGKILL)
        process.wait()
    killed = time.monotonic()
    with serving(tmp_path / "data") as (url, _):
        ready = time.monotonic() - killed
        before = progress(url, job)["done"]
        until(lambda: progress(url, job)["done"] > before, LONG)
        on_again = time.monotonic() - killed
        until(lambda: progress(url, job)["state"] == "done", LONG)
        seconds = time.monotonic() - killed
        ended = progress(url, job)
        with Client(url) as client:
            rows = list(client.recognitions())
    assert (ended["done"], ended["failed"]) == (PAGES, 0)
    assert before >= PAGES // 4
    assert sorted(row["page"]["number"] for row in rows) == list(range(1, PAGES + 1))
    told("signal 9", done_before=before, ready_after_s=ready, next_page_after_s=on_again, all_after_s=seconds)


def test_the_database_is_away_for_a_minute(tmp_path: Path) -> None:
    """Who asks is told so; the batch and everybody else go on by themselves."""
    postgres.require()
    with postgres.running() as database:
        address = {"OCR_UI_DATABASE_URL": database.fresh()}
        with serving(tmp_path / "data", **address) as (url, process):
            job = begin(url, pdf(PAGES // 5))
            until(lambda: progress(url, job)["done"] >= 5, LONG)
            acknowledged = [read(url).json()["id"]]
            database.stop()
            answers: Counter[int] = Counter()
            end = time.monotonic() + AWAY_SECONDS
            while time.monotonic() < end:
                answers[read(url).status_code] += 1
                answers[httpx.get(f"{url}/v1/recognitions", timeout=60).status_code] += 1
                assert httpx.get(f"{url}/healthz", timeout=60).status_code == 200
            database.start()
            back = time.monotonic()
            until(lambda: read(url).status_code == 200, 60)
            answered = time.monotonic() - back
            until(lambda: progress(url, job)["state"] == "done", LONG)
            seconds = time.monotonic() - back
            ended = progress(url, job)
            with Client(url) as client:
                kept = {row["id"] for row in client.recognitions()}
            assert process.poll() is None
    assert set(answers) == {503}
    assert (ended["done"], ended["failed"]) == (PAGES // 5, 0)
    assert set(acknowledged) <= kept
    told("database away", away_s=AWAY_SECONDS, refused=answers[503], answered_after_s=answered, batch_after_s=seconds)


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    folder.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder]
    if os.geteuid() or subprocess.run(made, capture_output=True).returncode:
        pytest.skip("only root may mount a tmpfs, and not everywhere")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_the_disk_is_full(tmp_path: Path) -> None:
    """What does not fit is refused and nothing of it stays; what was acknowledged is whole; room brings it back."""
    data = tmp_path / "data"
    with small_disk(data, 16):
        ballast = data / "ballast"
        ballast.write_bytes(bytes(8_000_000))
        with serving(data) as (url, process):
            answers: Counter[str] = Counter()
            acknowledged = []
            while answers["disk_full"] < 10:
                answer = httpx.post(f"{url}/v1/ocr", files={"file": ("a.png", noise())}, timeout=60)
                if answer.status_code == 200:
                    acknowledged.append(answer.json()["id"])
                else:
                    assert answer.status_code == 503, answer.text
                    answers[answer.json()["error"]["code"]] += 1
            assert httpx.get(f"{url}/healthz", timeout=60).status_code == 200
            ballast.unlink()
            room = time.monotonic()
            until(lambda: read(url).status_code == 200, 60)
            seconds = time.monotonic() - room
            with Client(url) as client:
                rows = {row["id"]: row for row in client.recognitions()}
            for item in acknowledged:
                sha256 = rows[item]["page"]["sha256"]
                shown = httpx.get(f"{url}/pictures/{sha256}", timeout=60)
                assert hashlib.sha256(shown.content).hexdigest() == sha256
            assert process.poll() is None
    assert set(answers) == {"disk_full"}
    told("disk full", kept=len(acknowledged), refused=answers["disk_full"], answered_after_s=seconds)


def noise() -> bytes:
    """A picture that does not get smaller by packing: some 200 kB."""
    import numpy as np

    from ocr_ui.images.door import encode_png

    return encode_png(np.random.default_rng(next(NUMBERS)).integers(0, 256, (256, 256, 3), dtype=np.uint8))


@contextmanager
def answering(port: int) -> Iterator[subprocess.Popen]:
    paths = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    command = [sys.executable, str(ROOT / "tests" / "stress" / "answering.py"), str(port)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths})
    try:
        until(lambda: process.poll() is not None or reached(port), 30)
        yield process
    finally:
        process.kill()
        process.wait()


def reached(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/v1/models").status_code == 200
    except httpx.TransportError:
        return False


def whole(answer: httpx.Response) -> bool:
    return answer.status_code == 200 and answer.json()["outcome"] == "complete"


def interrupted(url: str, happen: Callable[[], None]) -> tuple[int, float]:
    """The item of a stream in which something happens after its first text, and the seconds from then to its end."""
    happened, item = 0.0, 0
    try:
        with Client(url, tries=1) as client:
            for event, data in client.stream(png(next(NUMBERS))):
                if event == "text" and not happened:
                    happen()
                    happened = time.monotonic()
                elif event == "done":
                    item = data["id"]
    except Refused as error:
        item = error.details["item"]
    return item, time.monotonic() - happened


def engine_that_is(tmp_path: Path, sent: signal.Signals, outcome: str) -> None:
    """A page is being read when it happens: what had come is kept, no other page counts as read, and later
    ones are read."""
    port = free_port()
    environment = {"OCR_UI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OCR_UI_SILENCE_TIMEOUT": "3"}
    environment |= {"OCR_UI_FIRST_TOKEN_TIMEOUT": "3", "OCR_UI_MODEL": "m", "OCR_UI_SERVER_RETRIES": "0"}
    with answering(port) as engine, serving(tmp_path / "data", "openai", **environment) as (url, _):
        assert read(url).status_code == 200
        kept, ended = interrupted(url, lambda: engine.send_signal(sent))
        assert httpx.get(f"{url}/healthz", timeout=60).status_code == 200
        meanwhile = read(url)
        assert meanwhile.status_code != 200 or meanwhile.json()["outcome"] == outcome, meanwhile.text
        with nullcontext() if sent is signal.SIGSTOP else answering(port):
            back = time.monotonic()
            if sent is signal.SIGSTOP:
                engine.send_signal(signal.SIGCONT)
            until(lambda: whole(read(url)), 60)
            again = time.monotonic() - back
        item = httpx.get(f"{url}/v1/recognitions/{kept}", timeout=60).json()
        assert item["outcome"] == outcome
        assert item["text"].startswith("line 0")
    told(f"engine: {sent.name}", ended_after_s=ended, read_again_after_s=again)


def test_the_engine_is_killed(tmp_path: Path) -> None:
    engine_that_is(tmp_path, signal.SIGKILL, "failed")


def test_the_engine_is_silent(tmp_path: Path) -> None:
    engine_that_is(tmp_path, signal.SIGSTOP, "cut")
