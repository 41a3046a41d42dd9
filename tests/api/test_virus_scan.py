"""Every way in for files, with Debian's clamd and the EICAR test string: refused, told, audited, not stored."""

from __future__ import annotations

import base64
import re
import socket
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from batches import archive, picture
from clamav import EICAR, LIMIT, SIGNATURE, clamd
from fakes import ScriptedEngine
from httpx import Response
from people import NAMES, Team, team
from stored import ANN, open_store

from ocr_ui.domain.access import Role
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.errors import BadInput, Infected, ScannerAway, TooLarge
from ocr_ui.services.import_labels import import_labels
from ocr_ui.services.scan import Scanner
from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
ANSWER = (Started(), TextDelta("1"), Finished(Generation("1")))
INFECTED = picture("1") + EICAR
"""A picture that decodes, with the test string behind its end."""


@pytest.fixture(scope="module")
def scanners(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    with clamd(tmp_path_factory.mktemp("clamd")) as addresses:
        yield addresses


@pytest.fixture(scope="module")
def people(scanners: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("team"), ScriptedEngine(ANSWER), clamd=scanners[0]) as made:
        yield made


@pytest.fixture(scope="module")
def unguarded(another_database: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """The same where clamd is away."""
    folder = tmp_path_factory.mktemp("away")
    with team(folder, ScriptedEngine(ANSWER), clamd=str(folder / "nobody.socket")) as made:
        yield made


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def chat(data: bytes) -> dict[str, Any]:
    url = f"data:image/png;base64,{base64_of(data)}"
    return {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]}


WAYS: dict[str, Any] = {
    "the page": lambda client, data: client.post("/v1/pictures", files={"file": ("a.png", data)}),
    "REST": lambda client, data: client.post("/v1/ocr", files={"file": ("a.png", data)}),
    "REST in base64": lambda client, data: client.post("/v1/ocr", json={"image": base64_of(data)}),
    "OpenAI's form": lambda client, data: client.post("/v1/chat/completions", json=chat(data)),
    "a batch": lambda client, data: client.post("/v1/jobs", files=[("files", ("a.png", data))]),
    "an archive": lambda client, data: client.post(
        "/v1/jobs", files=[("files", ("a.zip", archive({"clean.png": picture("2"), "a.png": data})))]
    ),
}


def files_of(people: Team) -> set[Path]:
    folder = people.bench.settings.data_dir
    return {file for file in folder.rglob("*") if file.is_file() and ".db" not in file.name}


@pytest.mark.parametrize("way", WAYS)
def test_an_infected_file_comes_in_by_no_way(people: Team, way: str) -> None:
    client = people.of(Role.ANNOTATOR)
    before, rows = files_of(people), len(list(people.bench.store.audit.all()))
    answer = WAYS[way](client, INFECTED)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["details"]["signature"]) == (400, "infected", SIGNATURE)
    assert SIGNATURE in error["message"]
    client.headers["X-Workbench-Lang"] = "zh"
    assert re.search(f"发现 {SIGNATURE}.*未保存", WAYS[way](client, INFECTED).json()["error"]["message"])
    assert files_of(people) == before
    kept = [row for row in list(people.bench.store.audit.all())[rows:] if row.action == "upload.infected"]
    assert [(row.name, row.target.split()[0]) for row in kept] == [(NAMES[Role.ANNOTATOR], SIGNATURE)] * 2


@pytest.mark.parametrize("way", WAYS)
def test_a_clean_file_comes_in_and_without_clamd_none_does(people: Team, unguarded: Team, way: str) -> None:
    assert WAYS[way](people.of(Role.ANNOTATOR), picture("3")).status_code in (200, 202)
    before = files_of(unguarded)
    answer: Response = WAYS[way](unguarded.of(Role.ANNOTATOR), picture("3"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "scanner_away")
    assert "retry-after" in answer.headers
    assert files_of(unguarded) == before


def test_one_infected_file_of_several_is_a_failure_of_the_batch(people: Team) -> None:
    files = [("files", ("clean.png", picture("4"))), ("files", ("bad.png", INFECTED))]
    told = people.of(Role.ANNOTATOR).post("/v1/jobs", files=files).json()
    assert [(one["file"], one["error"]["code"]) for one in told["failures"]] == [("bad.png", "infected")]


async def test_what_clamd_does_not_see_in_an_archive_is_seen_when_it_is_unpacked(people: Team) -> None:
    """As it is with an archive over clamd's limits of unpacking."""
    bench = people.bench
    packed = archive({"clean.png": picture("5"), "bad.png": INFECTED})
    sha256, size = bench.store.uploads.put(BytesIO(packed), len(packed))
    job = bench.store.jobs.begin("unseen", {"pages": "", "rules": []}, 1, ANN)
    bench.store.jobs.add_file(job, "a.zip", sha256, size)
    task = None
    while task is None or task.job != job:  # files of other batches wait here too
        task = bench.store.jobs.take("me", 30)
        assert task is not None
    bench.runner.holder = "me"
    bench.runner._unpack(task)
    failed = bench.store.jobs.failures(job, 9)
    assert [(one.file, one.error["code"]) for one in failed] == [("a.zip/bad.png", "infected")]
    row = list(bench.store.audit.all())[-1]
    assert (row.name, row.action, row.target.split()[0]) == ("Ann", "upload.infected", SIGNATURE)
    assert bench.store.jobs.totals(job).unopened == 1


def test_labels_come_without_their_infected_pictures(scanners: tuple[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "labels"
    folder.mkdir()
    for name, data in (("bad.png", INFECTED), ("good.png", picture("6"))):
        (folder / name).write_bytes(data)
    rows = [f'{{"file_name": "{name}.png", "text": "1"}}' for name in ("bad", "good")]
    (folder / "metadata.jsonl").write_text("\n".join(rows))
    with open_store(tmp_path / "data") as store:
        settings = Settings(_env_file=None, data_dir=tmp_path / "data", clamd=scanners[1])
        report = import_labels("imagefolder", folder, store, settings, [])
        assert len(report.items) == 1
        assert SIGNATURE in report.left_out[0][1].message
        away = settings.model_copy(update={"clamd": "127.0.0.1:9"})
        with pytest.raises(ScannerAway):
            import_labels("imagefolder", folder, store, away, [])


@pytest.mark.parametrize("which", [0, 1])
def test_both_kinds_of_address_and_clamds_own_limit(scanners: tuple[str, str], which: int) -> None:
    scanner = Scanner(scanners[which])
    scanner.check(picture())
    scanner.check(b"")
    with pytest.raises(Infected):
        scanner.check(EICAR)
    with pytest.raises((TooLarge, ScannerAway)) as refused:  # it may close before its answer is read
        scanner.check(bytes(2 * LIMIT))
    assert refused.value.code in ("scan_too_large", "scanner_away")


def test_a_scanner_that_is_silent_or_talks_nonsense_lets_nothing_in() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ScannerAway):
            Scanner(address, seconds=0.1).check(picture())

        def nonsense() -> None:
            server.accept()  # the silent one's
            with server.accept()[0] as one:
                one.sendall(b"HTTP/1.1 400 Bad Request\0")

        talking = threading.Thread(target=nonsense)
        talking.start()
        with pytest.raises(ScannerAway):
            Scanner(address, seconds=5).check(picture())
        talking.join()


@pytest.mark.parametrize("address", ["clamd", "host:", "host:0", "host:x", "relative/path", ":3310"])
def test_an_address_that_is_none_is_refused_at_the_start(address: str) -> None:
    with pytest.raises(BadInput) as refused:
        Scanner(address)
    assert refused.value.code == "bad_clamd_address"


def test_no_other_part_takes_files_in() -> None:
    """Where files from outside are opened or kept: each stands here, with the scan or with the reason why not."""
    scanned = {"pictures", "chat", "jobs", "job_runner", "import_labels"}
    of_administrators = {
        "benchmark",
        "backups",
        "check_image",
        "examples",
        "kept_readings",
        "labelled_sets",
        "once",
        "run_log",
    }
    found = {
        path.stem
        for path in (ROOT / "ocr_ui" / "services").glob("*.py")
        if re.search(r"\bopen_picture\b|uploads\.put\(", path.read_text(encoding="utf-8"))
    }
    assert found == scanned | of_administrators
    for name in scanned:
        assert "Scanner(" in (ROOT / "ocr_ui" / "services" / f"{name}.py").read_text(encoding="utf-8")
