"""Fetching the model: the hub's real client and the product's code against the hub's HTTP interface, served here."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live import until

from tests.engines.fake_hub import COMMIT, FakeHub
from tests.forked import Started, starter

ROOT = Path(__file__).resolve().parent.parent.parent
WEIGHTS = "model.safetensors"
FILES = {
    "config.json": json.dumps({"model_type": "hunyuan_vl", "vision_config": {}}).encode(),
    "empty.txt": b"",
    WEIGHTS: bytes(range(256)) * 8000,
    "dflash/model.safetensors": b"draft" * 10_000,
    "v1.0/model.safetensors": b"old" * 10_000,
    "v1.0/config.json": b"{}",
}
WANTED = sum(len(content) for path, content in FILES.items() if not path.startswith("v1.0/"))


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub(dict(FILES)) as hub:
        yield hub


class Machine:
    """A machine with an empty cache; `find` looks for the model there in a process of its own."""

    def __init__(self, folder: Path, hub: FakeHub) -> None:
        self.cache, self.hub = folder / "cache", hub
        self.out, self.err = folder / "out", folder / "err"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("HF_", "OCR_UI_"))},
            "HF_ENDPOINT": hub.url,
            "HF_HUB_CACHE": str(self.cache),
            "HF_HOME": str(folder / "home"),
            "OCR_UI_MODEL": hub.name,
            "OCR_UI_DATA_DIR": str(folder / "data"),
            "PYTHONPATH": str(ROOT),
        }

    def find(self, **changes: str) -> dict[str, Any]:
        self.hub.asked.clear()
        self.hub.sent.clear()
        process = self.start(**changes)
        code, console = process.wait(120), self.err.read_text()
        assert code == 0, console
        return json.loads(self.out.read_text()) | {"console": console}

    def start(self, **changes: str) -> Started:
        for told in (self.out, self.err):
            told.unlink(missing_ok=True)
        return starter("tests.engines.fetch_model").start({**self.environment, **changes}, self.out, self.err)

    def blob(self, path: str) -> Path:
        return self.cache / "models--some--model" / "blobs" / hashlib.sha256(FILES[path]).hexdigest()

    def unfinished(self) -> int:
        part = self.blob(WEIGHTS).with_name(self.blob(WEIGHTS).name + ".incomplete")
        return part.stat().st_size if part.exists() else 0


@pytest.fixture
def machine(tmp_path: Path, hub: FakeHub) -> Machine:
    return Machine(tmp_path, hub)


def assert_whole(found: dict[str, Any]) -> None:
    folder = Path(found["folder"])
    for path, content in FILES.items():
        if path.startswith("v1.0/"):
            assert not (folder / path).exists()
        else:
            assert (folder / path).read_bytes() == content


def test_all_of_it_comes_but_the_old_version(machine: Machine, hub: FakeHub) -> None:
    found = machine.find()
    assert found["commit"] == COMMIT
    assert_whole(found)
    assert not [path for path in hub.paths() if "v1.0" in path]
    assert sum(hub.sent.values()) == WANTED, "nothing twice"


def test_the_page_and_the_console_are_told_how_far_it_is(machine: Machine, hub: FakeHub) -> None:
    hub.slowness = 0.02
    found = machine.find()
    fetching = [(done, total) for phase, done, total in found["told"] if phase == "fetching"]
    assert fetching[0] == (0, WANTED)
    assert fetching[-1] == (WANTED, WANTED)
    assert any(0 < done < WANTED for done, _ in fetching)
    assert sorted(fetching) == fetching
    assert [phase for phase, *_ in found["told"]][-1] == "verifying"
    assert "some/model: 100%" in found["console"]


def test_after_that_nobody_is_asked(machine: Machine, hub: FakeHub) -> None:
    first = machine.find()
    again = machine.find()
    assert (again["folder"], again["commit"]) == (first["folder"], COMMIT)
    assert hub.asked == []


def test_the_commit_of_the_first_download_stays(machine: Machine, hub: FakeHub) -> None:
    machine.find()
    hub.commit = "f" * 40
    assert machine.find()["commit"] == COMMIT
    machine.blob(WEIGHTS).unlink()
    hub.commit = COMMIT
    assert machine.find()["commit"] == COMMIT
    assert hub.paths()[0].endswith(f"/revision/{COMMIT}"), "the commit is asked for, not the branch"
    assert set(hub.sent) == {WEIGHTS}


def test_a_person_may_name_a_commit(machine: Machine, hub: FakeHub) -> None:
    machine.find()
    hub.commit = "f" * 40
    assert machine.find(OCR_UI_MODEL_REVISION="f" * 40)["commit"] == "f" * 40
    assert hub.sent == {}, "the same contents are not fetched again"


def test_a_download_goes_on_after_the_program_was_killed(machine: Machine, hub: FakeHub) -> None:
    hub.slowness = 0.05
    process = machine.start()
    while machine.unfinished() < 300_000:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    had = machine.unfinished()
    hub.slowness = 0
    until(lambda: not hub.connected)
    found = machine.find()
    assert_whole(found)
    ranges = [one.range for one in hub.asked if one.path.endswith(WEIGHTS) and one.method == "GET" and one.range]
    assert set(ranges) == {f"bytes={had}-"}
    assert hub.sent[WEIGHTS] == len(FILES[WEIGHTS]) - had
    assert found["told"][0][1] >= had, "what was there counts"


def test_a_lost_connection_is_taken_up_again(machine: Machine, hub: FakeHub) -> None:
    hub.cut[WEIGHTS] = [200_000, 500_000]
    assert_whole(machine.find())
    asked = [one.range for one in hub.asked if one.path == f"/cdn/{WEIGHTS}" and one.method == "GET"]
    assert asked == [None, "bytes=200000-", "bytes=700000-"]
    assert hub.sent[WEIGHTS] == len(FILES[WEIGHTS])


def test_a_server_that_knows_no_parts_begins_anew(machine: Machine, hub: FakeHub) -> None:
    hub.cut[WEIGHTS], hub.knows_parts = [200_000], False
    found = machine.find()
    assert_whole(found)
    assert found["told"][-1][1] == WANTED


def test_a_wrong_checksum_is_refused_and_fetched_anew(machine: Machine, hub: FakeHub) -> None:
    hub.changed[WEIGHTS] = b"X" + FILES[WEIGHTS][1:]
    refused = machine.find()
    assert refused["code"] == "model_damaged"
    assert WEIGHTS in refused["said"]
    assert machine.unfinished() == 0
    hub.changed.clear()
    assert_whole(machine.find())
    assert hub.sent[WEIGHTS] == len(FILES[WEIGHTS])


def test_a_small_file_is_checked_too(machine: Machine, hub: FakeHub) -> None:
    hub.changed["config.json"] = FILES["config.json"].replace(b"hunyuan", b"hunyuam")
    assert machine.find()["details"]["file"] == "config.json"


def test_what_another_program_left_damaged_is_found(machine: Machine, hub: FakeHub) -> None:
    machine.blob(WEIGHTS).parent.mkdir(parents=True)
    machine.blob(WEIGHTS).write_bytes(b"X" * len(FILES[WEIGHTS]))
    assert machine.find()["code"] == "model_damaged"
    assert_whole(machine.find())


@pytest.mark.parametrize(
    ("refusal", "code", "says"),
    [
        ((401, "GatedRepo"), "model_gated", "HF_TOKEN"),
        ((403, "GatedRepo"), "model_gated", "HF_TOKEN"),
        ((404, "RepoNotFound"), "model_unknown", "OCR_UI_MODEL"),
        ((503, ""), "model_missing", "hf download some/model"),
    ],
)
def test_refusals_name_what_to_do(
    machine: Machine, hub: FakeHub, refusal: tuple[int, str], code: str, says: str
) -> None:
    hub.refuse = refusal
    refused = machine.find()
    assert refused["code"] == code
    assert says in refused["said"]


@pytest.mark.parametrize(("setting", "value"), [("OCR_UI_MODEL", "some/other"), ("OCR_UI_MODEL_REVISION", "gone")])
def test_a_wrong_name_or_revision(machine: Machine, setting: str, value: str) -> None:
    refused = machine.find(**{setting: value})
    assert refused["code"] == "model_unknown"
    assert value in refused["said"]
    assert setting in refused["said"]


def test_a_key_reaches_the_hub(machine: Machine, hub: FakeHub) -> None:
    machine.find(HF_TOKEN="hf_secret")
    assert {one.key for one in hub.asked if hub.name in one.path} == {"Bearer hf_secret"}
    assert {one.key for one in hub.asked if one.path.startswith("/cdn/")} == {None}, "the key is the hub's alone"


def test_no_network_says_what_to_run(machine: Machine) -> None:
    for nowhere in ({"HF_ENDPOINT": "http://127.0.0.1:9"}, {"HF_HUB_OFFLINE": "1"}):
        refused = machine.find(**nowhere)
        assert refused["code"] == "model_missing"
        assert "hf download some/model --revision main --exclude 'v1.0/*' --local-dir model" in refused["said"]


def test_the_command_that_is_named_does_it(machine: Machine, hub: FakeHub, tmp_path: Path) -> None:
    command = machine.find(HF_HUB_OFFLINE="1")["details"]["command"]
    hf = Path(sys.executable).with_name("hf")
    done = subprocess.run(
        command.replace("hf", str(hf), 1), shell=True, cwd=tmp_path, env=machine.environment, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert not [path for path in hub.paths() if "resolve" in path and "v1.0" in path]
    found = machine.find(OCR_UI_MODEL=str(tmp_path / "model"))
    assert found["commit"] == ""
    assert_whole(found)


def test_what_another_program_fetched_is_taken_without_network(machine: Machine, hub: FakeHub) -> None:
    command = "from huggingface_hub import snapshot_download as s; s('some/model', ignore_patterns='v1.0/*')"
    subprocess.run([sys.executable, "-c", command], env=machine.environment, check=True, capture_output=True)
    found = machine.find(HF_HUB_OFFLINE="1")
    assert found["commit"] == COMMIT
    assert_whole(found)
    assert hub.asked == []


def test_a_disk_without_room_is_told_before_anything_is_fetched(machine: Machine, hub: FakeHub) -> None:
    hub.claimed[WEIGHTS] = 10**18
    refused = machine.find()
    assert refused["code"] == "model_no_room"
    assert refused["details"]["needed"] == "1000000000.0"
    assert hub.sent == {}


def test_a_folder_that_cannot_be_written_is_named(machine: Machine, hub: FakeHub) -> None:
    refused = machine.find(HF_HUB_CACHE="/proc/nowhere")
    assert refused["code"] == "model_not_written"
    assert "/proc/nowhere" in refused["said"]
    assert "HF_HOME" in refused["said"]
