"""Batches of documents: files in, pages read in the background, whatever interrupts it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
import zipfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar

import pytest
from batches import SAYS, archive, bench, handed, pdf, picture, running, several, slow, until, whole
from fakes import ScriptedEngine
from processes import first_line
from sqlalchemy import select, update
from stand_ins import answering

from ocr_ui.domain.job import JobState, PageRanges
from ocr_ui.engines.base import EngineLoad
from ocr_ui.errors import BadInput, Conflict, EngineDead, EngineFailed, NotFound, TooLarge
from ocr_ui.services import archives, job_runner
from ocr_ui.services.jobs import JobAsk, JobProgress
from ocr_ui.services.workbench import Workbench
from ocr_ui.storage.records import JobTotals, StoredJob
from ocr_ui.storage.tables import job_task
from tests.forked import Started, starter

LEASE = 9.0
"""Seconds; a process that stands still for two thirds of it keeps what it has."""
SOON = 60.0
"""Seconds within which a batch has ended all that it does, on a busy machine; what it reads would take ten minutes."""


def read_pages(workbench: Workbench) -> list[tuple[str, int]]:
    """Document and number of each page that was read, once for each reading."""
    return [(item.document, item.page.number) for item in workbench.store.items.each()]


@pytest.mark.parametrize(
    ("written", "pages", "found"),
    [
        ("", 3, [1, 2, 3]),
        ("1-3,7", 9, [1, 2, 3, 7]),
        (" 2 - 3 ，5-", 6, [2, 3, 5, 6]),
        ("7,1-2,2", 7, [1, 2, 7]),
        ("4-9", 5, [4, 5]),
        ("9", 5, []),
    ],
)
def test_page_ranges(written: str, pages: int, found: list[int]) -> None:
    assert PageRanges.parse(written).of(pages) == found
    assert PageRanges.parse(str(PageRanges.parse(written))).of(pages) == found


@pytest.mark.parametrize("written", ["0", "3-1", "a", "1--2", "1,,2", "-3", "1.5"])
def test_what_is_no_page_range_is_refused(written: str) -> None:
    with pytest.raises(BadInput) as caught:
        PageRanges.parse(written)
    assert (caught.value.code, caught.value.details["value"]) == ("bad_page_range", written)


async def test_pictures_documents_and_archives_become_pages_each_read_once(tmp_path: Path) -> None:
    packed = archive({"in/a.png": picture("a"), "in/b.pdf": pdf(2), "__MACOSX/._a": b"x", "in/.DS_Store": b"x"})
    files = [
        handed("one.png", picture()),
        handed("folder/three.pdf", pdf(3)),
        handed("fax.tif", several("TIFF", 2)),
        handed("moving.gif", several("GIF", 2)),
        handed("all.zip", packed),
    ]
    async with running(tmp_path) as workbench:
        ended = await whole(workbench, files, JobAsk(priority="high"))
        assert (ended.totals.done, ended.totals.failed, ended.totals.total) == (11, 0, 11)
        assert ended.job.name == "one.png + 4"
        assert Counter(name for name, _ in read_pages(workbench)) == {
            "one.png": 1,
            "folder/three.pdf": 3,
            "fax.tif": 2,
            "moving.gif": 2,
            "all.zip/in/a.png": 1,
            "all.zip/in/b.pdf": 2,
        }
        item = next(item for item in workbench.store.items.each() if item.document == "fax.tif")
        assert item.recognition.content.lines[0].text == "Total 12.50"
        assert len(workbench.store.pages.of_document(item.document_id)) == 2


async def test_only_the_pages_that_were_asked_for_are_drawn(tmp_path: Path) -> None:
    async with running(tmp_path) as workbench:
        files = [handed("nine.pdf", pdf(9)), handed("one.png", picture())]
        ended = await whole(workbench, files, JobAsk(pages="2-3,7"))
        assert sorted(read_pages(workbench)) == [("nine.pdf", 2), ("nine.pdf", 3), ("nine.pdf", 7)]
        (failure,) = ended.failures
        assert (failure.file, failure.error["code"], failure.error["details"]) == (
            "one.png",
            "pages_not_there",
            {"pages": 1},
        )


async def test_a_file_that_is_none_fails_by_itself_and_says_why(tmp_path: Path) -> None:
    async with running(tmp_path) as workbench:
        files = [handed("good.png", picture()), handed("notes.txt", b"hello"), handed("none.png", b"")]
        ended = await whole(workbench, files)
        assert (ended.totals.done, ended.totals.failed) == (1, 2)
        assert {one.file: one.error["code"] for one in ended.failures} == {
            "notes.txt": "not_a_picture",
            "none.png": "empty_file",
        }
        assert ended.totals.retryable == 0, "it would fail each time"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (archive({"../../out.png": picture()}), "zip_bad_name"),
        (archive({"/etc/out.png": picture()}), "zip_bad_name"),
        (archive({"C:\\out.png": picture()}), "zip_bad_name"),
        (archive({f"{n}.png": b"x" for n in range(30)}), "zip_too_many"),
        (archive({"zeros.bmp": bytes(12_000_000)}), "zip_ratio"),
        (archive({"big.bmp": os.urandom(1_000_000), "more.bmp": bytes(20_000_000)}), "zip_too_large"),
        (archive({"__MACOSX/x": b"x"}), "zip_empty"),
        (archive({"a.png": picture()})[:-30], "zip_damaged"),
    ],
)
async def test_an_archive_that_is_a_danger_is_refused_with_one_sentence(tmp_path: Path, data: bytes, code: str) -> None:
    workbench = bench(tmp_path, batch_files=20, batch_bytes=15_000_000)
    with pytest.raises(BadInput) as caught:
        await workbench.jobs.create(JobAsk(), [handed("a.zip", data)])
    assert caught.value.code == code
    assert await workbench.jobs.list() == [], "nothing of it is begun"
    await workbench.close()


async def test_a_locked_archive_is_refused(tmp_path: Path) -> None:
    data = bytearray(archive({"a.png": picture()}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    workbench = bench(tmp_path)
    with pytest.raises(BadInput) as caught:
        await workbench.jobs.create(JobAsk(), [handed("a.zip", bytes(data))])
    assert caught.value.code == "zip_encrypted"
    await workbench.close()


async def test_archives_within_archives_and_damaged_files_of_one_fail_by_themselves(tmp_path: Path) -> None:
    data = bytearray(archive({"a.png": picture(), "in.zip": archive({"x": b"y"}), "b.png": picture("b")}, 0))
    data[data.rindex(picture("b")) + 40] ^= 255
    async with running(tmp_path) as workbench:
        ended = await whole(workbench, [handed("o.zip", bytes(data))])
        assert {one.file: one.error["code"] for one in ended.failures} == {
            "o.zip/in.zip": "zip_nested",
            "o.zip/b.png": "zip_file_damaged",
        }
        assert read_pages(workbench) == [("o.zip/a.png", 1)]


def test_an_archive_that_lies_about_its_sizes_gives_no_more_than_it_said(tmp_path: Path) -> None:
    data = bytearray(archive({"a.bmp": bytes(5_000_000)}))
    place = data.index(b"PK\x01\x02") + 24
    data[place : place + 4] = (100).to_bytes(4, "little")
    file = tmp_path / "a.zip"
    file.write_bytes(bytes(data))
    (entry,) = archives.look_through(file, 10, 1000)
    given = bytearray()
    with archives.unpacking(file) as opened, pytest.raises(BadInput):
        _read_all(opened, entry, given)
    assert len(given) <= 100


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_file_is_told_however_it_is_packed(tmp_path: Path, packing: int) -> None:
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w", packing) as made:
        made.writestr("a.bmp", picture() * 2)
    data = bytearray(file.read_bytes())
    data[100:300] = bytes(200)
    file.write_bytes(bytes(data))
    (entry,) = archives.look_through(file, 10, 1_000_000)
    with archives.unpacking(file) as opened, pytest.raises(BadInput) as told:
        _read_all(opened, entry, bytearray())
    assert told.value.code == "zip_file_damaged"


def _read_all(opened: zipfile.ZipFile, entry: archives.Entry, given: bytearray) -> None:
    with archives.reading(opened, entry) as unpacked:
        while piece := unpacked.read(50):
            given += piece


async def test_chinese_names_of_archives_are_read_as_they_were_written(tmp_path: Path) -> None:
    data = archive({"abcd.png": picture()}).replace(b"abcd.png", "发票".encode("gbk") + b".png")
    async with running(tmp_path) as workbench:
        await whole(workbench, [handed("z.zip", data)])
        assert read_pages(workbench) == [("z.zip/发票.png", 1)]


async def test_more_files_than_a_batch_takes_are_refused(tmp_path: Path) -> None:
    workbench = bench(tmp_path, batch_files=2)
    with pytest.raises(TooLarge) as caught:
        await workbench.jobs.create(JobAsk(), [handed(f"{n}.png", picture()) for n in range(3)])
    assert caught.value.code == "too_many_files"
    await workbench.close()


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (JobAsk(template="nothing"), "template_not_found"),
        (JobAsk(engine="nothing"), "unknown_engine"),
        (JobAsk(priority="urgent"), "bad_priority"),
        (JobAsk(pages="x"), "bad_page_range"),
        (JobAsk(template="fields"), "missing_variable"),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_anything_is_stored(
    tmp_path: Path, ask: JobAsk, code: str
) -> None:
    workbench = bench(tmp_path)
    with pytest.raises((BadInput, NotFound)) as caught:
        await workbench.jobs.create(ask, [handed("a.png", picture())])
    assert caught.value.code == code
    assert await workbench.jobs.list() == []
    await workbench.close()


async def test_pause_lets_the_pages_end_that_were_begun_and_resume_reads_the_rest(tmp_path: Path) -> None:
    go_on = asyncio.Event()
    engine = ScriptedEngine([SAYS[0], go_on, *SAYS[1:]])
    async with running(tmp_path, engine, batch_at_once=2) as workbench:
        job = (await workbench.jobs.create(JobAsk(), [handed("six.pdf", pdf(6))])).job.id
        await until(workbench, job, "running", running=2)
        await workbench.jobs.pause(job)
        go_on.set()
        paused = await until(workbench, job, "paused", done=2)
        assert (paused.totals.running, paused.totals.waiting) == (0, 4)
        await workbench.jobs.resume(job)
        assert (await until(workbench, job)).totals.done == 6
        assert sorted(read_pages(workbench)) == [("six.pdf", number) for number in range(1, 7)]


class ManyPlaces(ScriptedEngine):
    """One that tells how many pages it reads at once."""

    most = 0

    def load(self) -> EngineLoad:
        self.most = max(self.most, len(self.running))
        return EngineLoad(places=8)


async def test_batches_take_half_of_the_places_of_each_engine(tmp_path: Path) -> None:
    go_on = asyncio.Event()
    card, small = ManyPlaces([SAYS[0], go_on, *SAYS[1:]]), ScriptedEngine([SAYS[0], go_on, *SAYS[1:]])
    async with running(tmp_path, engines={"card": card, "small": small}) as workbench:
        first = (await workbench.jobs.create(JobAsk(), [handed("nine.pdf", pdf(9))])).job.id
        second = (await workbench.jobs.create(JobAsk(engine="card"), [handed("two.pdf", pdf(2))])).job.id
        third = (await workbench.jobs.create(JobAsk(engine="small"), [handed("five.pdf", pdf(5))])).job.id
        await until(workbench, first, "running", running=4)
        await until(workbench, third, "running", running=2)
        assert (await workbench.jobs.progress(second)).totals.running == 0, "the same engine by its name"
        go_on.set()
        for job, pages in ((first, 9), (second, 2), (third, 5)):
            assert (await until(workbench, job)).totals.done == pages
    assert card.most <= 4


async def test_cancel_ends_what_the_engine_is_doing_and_keeps_what_is_done(tmp_path: Path) -> None:
    engine = ScriptedEngine(slow(600))
    async with asyncio.timeout(SOON), running(tmp_path, engine) as workbench:
        job = (await workbench.jobs.create(JobAsk(), [handed("six.pdf", pdf(6))])).job.id
        await until(workbench, job, "running", running=2)
        cancelled = await workbench.jobs.cancel(job)
        assert (cancelled.state, cancelled.totals.cancelled) == ("cancelled", 6)
        while engine.running:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        with pytest.raises(Conflict):
            await workbench.jobs.retry(job)


async def test_what_failed_is_read_again_and_nothing_else(tmp_path: Path) -> None:
    engine = ScriptedEngine([SAYS[0], EngineFailed("broken", "It broke.", "")])
    async with running(tmp_path, engine, batch_at_once=1) as workbench:
        ended = await whole(workbench, [handed("two.pdf", pdf(2))])
        assert [one.error["code"] for one in ended.failures] == ["broken", "broken"]
        engine.script = SAYS
        job = ended.job.id
        await workbench.jobs.retry(job)
        again = await until(workbench, job)
        assert (again.totals.done, again.totals.failed) == (2, 0)
        assert len(engine.seen) == 4


async def test_an_engine_that_is_dead_pauses_the_batch_with_its_reason(tmp_path: Path) -> None:
    engine = ScriptedEngine([SAYS[0], EngineDead("given_up", "It is gone.", "")])
    async with running(tmp_path, engine, batch_at_once=1) as workbench:
        job = (await workbench.jobs.create(JobAsk(), [handed("two.pdf", pdf(2))])).job.id
        paused = await until(workbench, job, "paused")
        assert paused.job.reason["code"] == "given_up"
        assert (paused.totals.failed, paused.totals.total) == (0, 2), "no page is to blame"


async def test_a_batch_that_is_filled_bit_by_bit_waits_to_be_begun(tmp_path: Path) -> None:
    async with running(tmp_path) as workbench:
        job = (await workbench.jobs.create(JobAsk(), start=False)).job.id
        for number in range(3):
            await workbench.jobs.add(job, [handed(f"{number}.png", picture(str(number)))])
        await asyncio.sleep(0.1)
        held = await workbench.jobs.progress(job)
        assert (held.state, held.totals.unopened, held.job.name) == ("paused", 3, "0.png")
        await workbench.jobs.resume(job)
        assert (await until(workbench, job)).totals.done == 3


async def test_closing_gives_pages_back_to_the_next_process(tmp_path: Path) -> None:
    async with asyncio.timeout(SOON), running(tmp_path, ScriptedEngine(slow(600)), batch_at_once=2) as workbench:
        job = (await workbench.jobs.create(JobAsk(), [handed("four.pdf", pdf(4))])).job.id
        await until(workbench, job, "running", running=2)
    async with running(tmp_path) as workbench:
        assert (await until(workbench, job)).totals.done == 4
        assert sorted(read_pages(workbench)) == [("four.pdf", number) for number in range(1, 5)]


def reader(folder: Path, name: str, seconds: float, lease: float = LEASE) -> Started:
    out, err = folder / f"{name}.out", folder / f"{name}.err"
    process = starter("batches").start(dict(os.environ), out, err, str(folder), str(seconds), str(lease))
    assert first_line(process, out, err) == "reading\n"
    return process


def claims(workbench: Workbench) -> list[datetime]:
    """Until when pages are somebody's."""
    with workbench.store._database.reading() as connection:
        return list(connection.scalars(select(job_task.c.until).where(job_task.c.state == "running")))


def end_claims(workbench: Workbench) -> None:
    """As if the time of all of them had passed."""
    with workbench.store._database.writing() as connection:
        here = job_task.c.state == "running"
        connection.execute(update(job_task).where(here).values(until=datetime.now(UTC) - timedelta(seconds=1)))


async def test_signal_9_in_the_middle_loses_nothing_and_reads_nothing_twice(tmp_path: Path) -> None:
    """Two processes on one store; one that would never finish its three pages is killed."""
    watching = bench(tmp_path)
    victim = reader(tmp_path, "victim", 600)
    job = (await watching.jobs.create(JobAsk(), [handed("twelve.pdf", pdf(12))])).job.id
    await until(watching, job, "running", running=3)
    steady = reader(tmp_path, "steady", 0)
    try:
        await until(watching, job, "running", done=9)
        first = claims(watching)
        async with asyncio.timeout(SOON):
            while min(claims(watching)) <= max(first):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        alive = await watching.jobs.progress(job)
        assert (alive.totals.done, alive.totals.running) == (9, 3), "what a living process has is left to it"
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        end_claims(watching)
        ended = await until(watching, job)
    finally:
        for process in (victim, steady):
            process.kill()
            process.wait()
    assert (ended.totals.done, ended.totals.failed) == (12, 0)
    assert sorted(read_pages(watching)) == [("twelve.pdf", number) for number in range(1, 13)]
    await watching.close()


class Told(BaseHTTPRequestHandler):
    """Keeps what is posted."""

    bodies: ClassVar[list[dict]] = []

    def do_POST(self) -> None:
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


async def test_the_address_in_the_settings_is_told_of_the_end_where_that_was_asked_for(tmp_path: Path) -> None:
    Told.bodies.clear()
    with answering(Told) as port:
        async with running(tmp_path, batch_webhook=f"http://127.0.0.1:{port}/") as workbench:
            await whole(workbench, [handed("a.png", picture())])
            job = (await whole(workbench, [handed("b.png", picture("b"))], JobAsk(webhook=True))).job.id
            async with asyncio.timeout(SOON):
                while not Told.bodies:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
    (told,) = Told.bodies
    assert (told["job"], told["name"], told["state"], told["done"], told["failed"]) == (job, "b.png", "done", 1, 0)


def test_an_address_that_answers_nonsense_is_no_fault_of_the_product(caplog: pytest.LogCaptureFixture) -> None:
    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(10_000)
            connection.sendall(b"SSH-2.0-OpenSSH\r\n")

    now = datetime.now(UTC)
    job = StoredJob(7, "b", "", now, now, JobState.DONE, 0, None, {})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer, daemon=True).start()
        job_runner._post(
            f"http://127.0.0.1:{listener.getsockname()[1]}/",
            JobProgress(job, JobTotals(0, 0, 1, 0, 0, 0, 0, 1.0, None)),
        )
    assert "the end of batch 7 could not be told" in caplog.text


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "http://", "http://host/a b", "http://host:port/", "http://[::1/", "host/path"]
)
def test_an_address_that_is_none_is_refused_at_the_start(tmp_path: Path, address: str) -> None:
    with pytest.raises(BadInput) as caught:
        bench(tmp_path, batch_webhook=address)
    assert caught.value.code == "bad_webhook_url"


async def test_pages_of_a_document_are_drawn_when_it_is_their_turn(tmp_path: Path) -> None:
    engine = ScriptedEngine(slow(600))
    async with asyncio.timeout(SOON), running(tmp_path, engine, batch_at_once=2) as workbench:
        job = (await workbench.jobs.create(JobAsk(), [handed("hundred.pdf", pdf(100))])).job.id
        await until(workbench, job, "running", running=2)
        while len(engine.running) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        assert (await workbench.jobs.progress(job)).totals.total == 100
        assert len(list(workbench.store.pictures.folder.rglob("*.png"))) <= 2
