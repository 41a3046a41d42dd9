from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ocr_ui.errors import BadInput, WorkbenchError
from ocr_ui.images import door
from ocr_ui.images.child import fault
from ocr_ui.images.door import Limits, encode_png, open_pages, open_picture
from ocr_ui.images.worker import Pool, Worker
from tests.images import pdf_files
from tests.processes import gone

ROOT = Path(__file__).resolve().parent.parent.parent
LIMITS = Limits()
PNG = encode_png(np.full((20, 30, 3), 255, np.uint8))


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    pool = Pool()
    monkeypatch.setattr(door, "_pool", pool)
    yield pool
    pool.close()


def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str) -> list[Worker]:
    """Makes the door use processes that say they are ready and then do `answer`; gives the list of those started."""
    program = (
        "import os, signal, socket, sys, time\n"
        "from ocr_ui.images import wire\n"
        "sock = socket.socket(fileno=int(sys.argv[1]))\n"
        "wire.send(sock, {'ready': 1})\n"
        f"wire.receive(sock)\n{answer}\n"
    )
    (tmp_path / "odd_child.py").write_text(program)
    monkeypatch.syspath_prepend(str(tmp_path))
    workers: list[Worker] = []

    def start() -> Worker:
        workers.append(Worker("odd_child"))
        return workers[-1]

    monkeypatch.setattr(door, "_pool", Pool(start=start))
    return workers


def test_a_decoder_that_hangs_is_ended_and_the_next_picture_is_read(pool: Pool) -> None:
    open_picture(PNG, LIMITS)
    stuck = pool._idle[0].pid
    os.kill(stuck, signal.SIGSTOP)
    with pytest.raises(BadInput) as caught:
        open_picture(PNG, Limits(decode_seconds=0.2))
    assert (caught.value.code, caught.value.details) == ("decode_timeout", {"seconds": 0.2})
    assert gone(stuck)
    assert open_picture(PNG, LIMITS).width == 30


def test_a_file_that_crashes_its_decoder_twice_costs_one_message(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    workers = started(monkeypatch, tmp_path, "os.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(BadInput) as caught:
        open_picture(PNG, LIMITS)
    assert caught.value.code == "decoder_crashed"
    assert len(workers) == 2
    assert all(gone(worker.pid) for worker in workers)


def test_a_good_file_is_not_blamed_for_a_worker_that_others_killed(pool: Pool) -> None:
    open_picture(PNG, LIMITS)
    os.kill(pool._idle[0].pid, signal.SIGKILL)
    assert open_picture(PNG, LIMITS).width == 30


def test_a_fault_of_the_product_is_an_error_and_ends_the_worker(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    workers = started(monkeypatch, tmp_path, "wire.send(sock, {'fault': 'Traceback: a name is wrong'}); time.sleep(60)")
    with pytest.raises(WorkbenchError) as caught:
        open_picture(PNG, LIMITS)
    assert (caught.value.code, caught.value.status) == ("decoder_fault", 500)
    assert "a name is wrong" in caplog.text
    assert gone(workers[0].pid)


def test_a_fault_is_told_without_what_stands_in_the_file() -> None:
    in_the_file = "Zebrafink-4711"
    try:
        int(in_the_file)
    except ValueError as error:
        told = fault(error)
    assert told.endswith("ValueError")
    assert "test_worker.py" in told
    assert in_the_file not in told


def test_a_worker_that_cannot_start_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_pool", Pool(start=lambda: Worker("no_such_module")))
    with pytest.raises(WorkbenchError) as caught:
        open_picture(PNG, LIMITS)
    assert caught.value.code == "decoder_unavailable"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process")
def test_the_memory_of_a_decoder_is_bounded() -> None:
    program = (
        "import numpy as np\n"
        "from ocr_ui.images import child\n"
        "from ocr_ui.images.limits import Limits\n"
        "child._bound(Limits(max_pixels=1_000_000), child._virtual_bytes())\n"
        "np.zeros(100_000_000, np.uint8)\n"
        "try:\n    np.zeros(1_000_000_000, np.uint8)\n"
        "except MemoryError:\n    print('bounded')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "bounded\n", done.stderr


def test_one_worker_serves_picture_after_picture(pool: Pool) -> None:
    open_picture(PNG, LIMITS)
    first = pool._idle[0].pid
    for _ in range(3):
        open_picture(PNG, LIMITS)
    assert [worker.pid for worker in pool._idle] == [first]


def test_two_documents_that_are_read_in_turns_do_not_mix(pool: Pool) -> None:
    wide = open_pages(pdf_files.pages([(72, 36)] * 3), LIMITS)
    high = open_pages(pdf_files.pages([(36, 72)] * 3), LIMITS)
    assert [(a.width, b.width) for a, b in zip(wide, high, strict=True)] == [(200, 100)] * 3


def test_many_threads_get_their_own_pictures(pool: Pool) -> None:
    def width_of(side: int) -> int:
        return open_picture(encode_png(np.zeros((5, side, 3), np.uint8)), LIMITS).width

    sides = list(range(1, 41))
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(width_of, sides)) == sides


def test_pixels_can_be_written_and_outlive_the_worker(pool: Pool) -> None:
    picture = open_picture(PNG, LIMITS)
    pool.close()
    picture.pixels[3, 4] = (1, 2, 3)
    assert picture.pixels[3, 4].tolist() == [1, 2, 3]
    assert picture.pixels[0, 0].tolist() == [255, 255, 255]


def test_closing_ends_the_processes_and_a_later_picture_starts_new_ones(pool: Pool) -> None:
    open_picture(PNG, LIMITS)
    pid = pool._idle[0].pid
    door.close()
    assert gone(pid)
    assert open_picture(PNG, LIMITS).width == 30
    door.close()


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(0)"])
def test_no_decoder_is_left_when_the_product_ends(end: str) -> None:
    program = (
        "import os, signal, sys\n"
        "from ocr_ui.images import door\n"
        "door.warm_up()\n"
        "worker = door._pool._idle[0]\n"
        "worker._wait_until_ready()\n"
        "print(worker.pid, flush=True)\n"
        f"{end}\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert gone(int(done.stdout)), done.stderr


def test_a_decoder_that_spins_in_c_ends_when_the_product_is_killed(tmp_path: Path) -> None:
    """It never looks at its socket again, and no thread or Python signal handler of it would run."""
    (tmp_path / "spinning_child.py").write_text(
        "import socket, sys\n"
        "from ocr_ui.images import child, wire\n"
        "child._die_with_the_product()\n"
        "wire.send(socket.socket(fileno=int(sys.argv[1])), {'ready': 1})\n"
        "sum(range(10**14))\n"
    )
    program = (
        "import os, signal, sys\n"
        f"sys.path.append({str(tmp_path)!r})\n"
        "from ocr_ui.images.worker import Worker\n"
        "worker = Worker('spinning_child')\n"
        "worker._wait_until_ready()\n"
        "print(worker.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert gone(int(done.stdout)), done.stderr
