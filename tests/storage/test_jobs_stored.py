"""Batches in the store: each page is one process's, whatever happens to it."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from stored import ANN, add_item, open_store, png

from ocr_ui.domain.job import JobState
from ocr_ui.domain.page import Page
from ocr_ui.errors import Conflict, NotFound, TooLarge
from ocr_ui.storage.records import PageTask
from ocr_ui.storage.store import Store

pytestmark = pytest.mark.both_databases

ASKED = {"template": "full_text", "rules": []}
WRONG = {"code": "damaged", "message": "x", "hint": "", "details": {}}


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        yield opened


def new_job(store: Store, pages: int = 3, name: str = "a.pdf", engine: str = "") -> int:
    """A batch of one file whose pages are counted."""
    job = store.jobs.begin(name, ASKED | {"engine": engine}, 0, ANN)
    store.jobs.add_file(job, name, "f" * 64, 10)
    opening = store.jobs.take("opener", 60)
    assert store.jobs.counted("opener", opening, range(1, pages + 1))
    return job


def finish(store: Store, task: PageTask, holder: str = "me") -> bool:
    return store.jobs.done(holder, task, add_item(store, shade=task.id), 0.5)


def test_pages_come_in_order_each_to_one_holder(store: Store) -> None:
    job = new_job(store)
    taken = [store.jobs.take(holder, 60) for holder in ("me", "you", "me", "you")]
    assert [(one.job, one.number, one.name) for one in taken[:3]] == [(job, n, "a.pdf") for n in (1, 2, 3)]
    assert taken[3] is None
    assert not finish(store, taken[0], "you"), "what another holds nobody else can end"
    assert all(finish(store, one, holder) for one, holder in zip(taken, ("me", "you", "me"), strict=False))
    totals = store.jobs.totals(job)
    assert (totals.done, totals.total, totals.seconds) == (3, 3, 1.5)
    assert store.jobs.get(job).state == JobState.DONE


def test_pages_of_an_engine_that_is_full_are_passed_over(store: Store) -> None:
    new_job(store, 1)
    named = new_job(store, 2, engine="card")
    first = store.jobs.take("me", 60, {""})
    assert (first.job, first.engine) == (named, "card")
    assert store.jobs.take("me", 60, {"", "card"}) is None
    assert store.jobs.take("me", 60, {"card"}).engine == ""


def test_many_processes_never_get_the_same_page(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        new_job(store, 60)
    got: list[list[int]] = [[], [], []]

    def worker(place: int) -> None:
        with open_store(tmp_path, busy_seconds=60) as own:
            while (task := own.jobs.take(f"worker{place}", 60)) is not None:
                got[place].append(task.id)

    threads = [threading.Thread(target=worker, args=(place,)) for place in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = [task for one in got for task in one]
    assert len(everything) == len(set(everything)) == 60


def test_what_a_dead_process_had_goes_to_the_next_one_and_its_late_result_is_refused(store: Store) -> None:
    new_job(store, 1)
    dead = store.jobs.take("dead", -1)
    heir = store.jobs.take("heir", 60)
    assert heir.id == dead.id
    assert store.jobs.renew("dead", 60, [dead.id]) == set()
    assert not finish(store, dead, "dead")
    assert store.jobs.renew("heir", 60, [heir.id]) == {heir.id}
    assert finish(store, heir, "heir")


def test_a_result_and_its_page_are_saved_together_or_not_at_all(store: Store) -> None:
    new_job(store, 1)
    lost = store.jobs.take("lost", -1)
    store.jobs.take("heir", 60)
    before = store.items.count()

    def save() -> None:
        with store.transaction():
            if not finish(store, lost, "lost"):
                raise Conflict("job_task_lost", "x")

    with pytest.raises(Conflict):
        save()
    assert store.items.count() == before


def test_priority_then_age_decides(store: Store) -> None:
    jobs = [store.jobs.begin(name, ASKED, priority) for name, priority in (("a", 0), ("b", -1), ("c", 1))]
    for job in jobs:
        store.jobs.add_file(job, "x", "f" * 64, 10)
    first, low, high = jobs
    assert [store.jobs.take("me", 60).job for _ in range(3)] == [high, first, low]


def test_files_are_looked_into_before_pages_are_read(store: Store) -> None:
    job = new_job(store, 2)
    store.jobs.add_file(job, "b.pdf", "e" * 64, 10)
    assert store.jobs.totals(job).unopened == 1
    task = store.jobs.take("me", 60)
    assert (task.number, task.name) == (0, "b.pdf")
    files = [("b/1.png", "1" * 64, 5), ("b/2.png", "2" * 64, 5)]
    assert store.jobs.unpacked("me", task, files, [("b/3.zip", WRONG)])
    totals = store.jobs.totals(job)
    assert (totals.unopened, totals.failed, totals.waiting) == (2, 1, 2)
    assert [store.jobs.take("me", 60).name for _ in range(3)] == ["b/1.png", "b/2.png", "a.pdf"]


def test_pause_resume_cancel(store: Store) -> None:
    job = new_job(store)
    task = store.jobs.take("me", 60)
    assert store.jobs.pause(job, WRONG)
    assert store.jobs.get(job).reason == WRONG
    assert store.jobs.take("me", 60) is None
    assert finish(store, task), "a page that had been begun is finished"
    assert store.jobs.resume(job)
    assert store.jobs.get(job).reason is None
    running = store.jobs.take("me", 60)
    assert store.jobs.cancel(job)
    assert store.jobs.renew("me", 60, [running.id]) == set()
    assert not finish(store, running)
    totals = store.jobs.totals(job)
    assert (totals.done, totals.cancelled, totals.running) == (1, 2, 0)
    assert not store.jobs.cancel(job)
    with pytest.raises(Conflict):
        store.jobs.add_file(job, "b", "b" * 64, 1)
    with pytest.raises(NotFound):
        store.jobs.pause(99)


def test_what_failed_is_told_and_tried_again(store: Store) -> None:
    job = new_job(store, 2)
    store.jobs.refuse_file(job, "notes.txt", WRONG)
    first, second = store.jobs.take("me", 60), store.jobs.take("me", 60)
    assert store.jobs.failed("me", first, WRONG)
    assert finish(store, second)
    assert store.jobs.get(job).state == JobState.DONE
    told = [(one.file, one.number, one.error["code"], one.again) for one in store.jobs.failures(job)]
    assert told == [("a.pdf", 1, "damaged", True), ("notes.txt", 0, "damaged", False)]
    assert store.jobs.totals(job).retryable == 1
    assert store.jobs.unannounced() == [job]
    assert store.jobs.unannounced() == [], "each end is told once"
    assert store.jobs.retry(job) == 1
    assert finish(store, store.jobs.take("me", 60))
    totals = store.jobs.totals(job)
    assert (totals.done, totals.failed) == (2, 1)
    assert store.jobs.unannounced() == [job]


def test_a_picture_of_a_page_is_stored_once_in_the_document_of_its_file(store: Store) -> None:
    new_job(store, 2)
    first, second = store.jobs.take("me", 60), store.jobs.take("me", 60)
    pages = [Page(store.pictures.put(png(number)), 4, 3, "a.pdf", number) for number in (1, 2)]
    ids = [store.jobs.keep_page(first, pages[0]), store.jobs.keep_page(second, pages[1])]
    assert store.jobs.keep_page(first, pages[0]) == ids[0]
    document = store.pages.get(ids[0]).document_id
    assert [page.id for page in store.pages.of_document(document)] == ids


def test_files_stay_until_their_pages_are_read(store: Store) -> None:
    sha256, size = store.uploads.put(io.BytesIO(b"abc"), 3)
    assert size == 3
    assert store.uploads.path(sha256).read_bytes() == b"abc"
    job = store.jobs.begin("a", ASKED)
    store.jobs.add_file(job, "a", sha256, size)
    assert store.jobs.needed_files() == {sha256}
    assert store.uploads.sweep(store.jobs.needed_files(), older_than=-1) == 0
    assert store.jobs.counted("me", store.jobs.take("me", 60), [1])
    finish(store, store.jobs.take("me", 60))
    assert store.uploads.sweep(store.jobs.needed_files()) == 0, "it may just have come in for another batch"
    assert store.uploads.sweep(store.jobs.needed_files(), older_than=-1) == 1
    with pytest.raises(NotFound):
        store.uploads.path(sha256)
    with pytest.raises(TooLarge):
        store.uploads.put(io.BytesIO(b"abcd"), 3)
    assert list(store.uploads.folder.iterdir()) == []
