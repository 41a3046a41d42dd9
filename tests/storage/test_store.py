from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from live import until
from quick_sqlite import as_in_use
from sqlalchemy import event
from stored import ANN, BO, add_item, content, open_store, png, recognition

from ocr_ui.domain.content import ContentWarning, Field, PageContent, Table, TextLine, TextRegion
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import ErrorKind, Review, State, Verdict
from ocr_ui.errors import BadInput, Conflict, NotFound, StoreFailed
from ocr_ui.storage import sqlite
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store

pytestmark = pytest.mark.both_databases

ODD = "a\ud800b\x00c\u2028d\u202ee\x1b[0m\ufffe👨‍👩‍👧 café <script> \\f 'x' \"y\" %_"


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "data") as opened:
        yield opened


def test_a_recognition_comes_back_as_it_was_whatever_it_says(store: Store) -> None:
    sha256 = store.pictures.put(png())
    page_id = store.pages.add_document(ODD, [Page(sha256, 4, 3, ODD)], ANN).page_ids[0]
    said = PageContent(
        lines=(TextLine(ODD, None, 0.25, "l0"),),
        regions=(TextRegion("title", None, ODD),),
        fields=(Field(ODD, ODD, alternatives=(ODD,)), Field("absent", None)),
        tables=(Table(ODD, ((ODD, ""),)),),
        text=ODD,
        warnings=(ContentWarning("repaired", ODD, 0),),
    )
    value = recognition(sha256, said)
    recognition_id = store.recognitions.add(value, page_id, BO)
    found = store.recognitions.get(recognition_id)
    assert found.recognition == value
    assert (found.page_id, found.person) == (page_id, "薄")
    assert found.created_at.utcoffset() is not None
    assert store.recognitions.latest(page_id) == found


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        item = add_item(store)
        store.corrections.add(item, 0, content(ODD), ANN)
    with open_store(tmp_path) as again:
        assert again.corrections.latest(item).correction.content == content(ODD)
        assert again.pictures.read(again.recognitions.get(item).recognition.page_sha256) == png()


@pytest.mark.sqlite_only
def test_a_commit_is_synced_and_readers_do_not_wait(tmp_path: Path) -> None:
    with as_in_use(), open_store(tmp_path) as store, store._database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_pages_of_a_document_in_order(store: Store) -> None:
    first, second = store.pictures.put(png(1)), store.pictures.put(png(2))
    added = store.pages.add_document("scan.pdf", [Page(first, 4, 3, "p1", 1), Page(second, 4, 3, "p2", 7)])
    pages = store.pages.of_document(added.id)
    assert [page.id for page in pages] == list(added.page_ids)
    assert [(page.page.sha256, page.page.number, page.document) for page in pages] == [
        (first, 1, "scan.pdf"),
        (second, 7, "scan.pdf"),
    ]
    assert store.pages.by_sha256(second).id == added.page_ids[1]


def test_what_is_not_there_is_said(store: Store) -> None:
    for call in (store.recognitions.get, store.reviews.get, store.pages.get):
        with pytest.raises(NotFound):
            call(99)
    with pytest.raises(NotFound) as failed:
        store.corrections.add(99, 0, content("a"), ANN)
    assert failed.value.code == "unknown_recognition"
    with pytest.raises(BadInput, match="at least one page"):
        store.pages.add_document("empty", [])


def test_ids_and_names_from_outside_do_no_harm(store: Store) -> None:
    with pytest.raises(BadInput) as failed:
        store.recognitions.get(1 << 70)
    assert failed.value.code == "number_too_large"
    with pytest.raises(NotFound):
        store.pages.by_sha256("\ud800")
    assert store.items.list(Filters(templates=("\ud800\x00",), reviewers=("\udfff",), text="\ud800")) == []


def test_a_recognition_belongs_to_its_picture(store: Store) -> None:
    item = add_item(store)
    page_id = store.recognitions.get(item).page_id
    with pytest.raises(BadInput) as failed:
        store.recognitions.add(recognition("0" * 64, content("a")), page_id)
    assert failed.value.code == "other_picture"
    with pytest.raises(NotFound):
        store.recognitions.add(recognition("0" * 64, content("a")), 99)


def test_versions_count_up_and_the_model_stays(store: Store) -> None:
    item = add_item(store, ["model"])
    store.corrections.add(item, 0, content("one"), ANN, edit_distance=3, cer=1.0)
    store.corrections.add(item, 1, content("two"), BO)
    kept = [(one.correction.version, one.correction.person) for one in store.corrections.versions(item)]
    assert kept == [(1, "Ann"), (2, "薄")]
    assert store.corrections.get(item, 1).correction.edit_distance == 3
    assert store.recognitions.get(item).recognition.content == content("model")


def test_pe01_two_reviewers_one_page_the_second_is_told_and_nothing_is_lost(store: Store) -> None:
    item = add_item(store)
    first = store.corrections.add(item, 0, content("Ann's"), ANN)
    with pytest.raises(Conflict) as failed:
        store.corrections.add(item, 0, content("Bo's"), BO)
    details = failed.value.details
    assert failed.value.code == "edited_meanwhile"
    assert (details["person"], details["version"], details["base_version"]) == ("Ann", 1, 0)
    assert details["saved_at"] == first.saved_at.isoformat(timespec="seconds")
    assert [one.correction.content for one in store.corrections.versions(item)] == [content("Ann's")]
    store.corrections.add(item, 1, content("Bo's"), BO)
    assert len(store.corrections.versions(item)) == 2


def test_a_base_from_the_future_is_a_conflict_too(store: Store) -> None:
    item = add_item(store)
    with pytest.raises(Conflict) as failed:
        store.corrections.add(item, 5, content("a"), ANN)
    assert failed.value.details["version"] == 0


def test_a_save_sent_twice_is_applied_once(store: Store) -> None:
    item = add_item(store)
    first = store.corrections.add(item, 0, content("a"), ANN, "key-1")
    store.corrections.add(item, 1, content("b"), BO, "key-2")
    assert store.corrections.add(item, 0, content("a"), ANN, "key-1") == first
    assert len(store.corrections.versions(item)) == 2
    with pytest.raises(BadInput) as failed:
        store.corrections.add(item, 2, content("c"), ANN, "key-1")
    assert failed.value.code == "client_key_reused"


def test_the_same_key_on_another_item_is_another_save(store: Store) -> None:
    one, other = add_item(store), add_item(store)
    store.corrections.add(one, 0, content("a"), ANN, "key")
    assert store.corrections.add(other, 0, content("b"), ANN, "key").correction.version == 1


def test_many_savers_at_once_each_version_once(store: Store) -> None:
    item = add_item(store)
    gate = threading.Barrier(8)

    def save(number: int) -> str:
        gate.wait()
        try:
            store.corrections.add(item, 0, content(str(number)), ANN)
        except Conflict:
            return "told"
        return "saved"

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(save, range(8)))
    assert sorted(results) == ["saved"] + ["told"] * 7
    assert len(store.corrections.versions(item)) == 1


def test_reviews_move_as_allowed_and_keep_their_history(store: Store) -> None:
    item = add_item(store)
    assert store.reviews.get(item).review == Review()
    wrong = Review(Verdict.WRONG, State.SUBMITTED, (ErrorKind.OTHER, ErrorKind.BOX_OFF), ODD, "Ann", 0, ("tax",))
    store.reviews.set(item, wrong)
    store.reviews.set(item, Review(Verdict.WRONG, State.ACCEPTED, person="薄"))
    history = store.reviews.history(item)
    assert [(one.revision, one.review.state, one.review.person) for one in history] == [
        (1, State.SUBMITTED, "Ann"),
        (2, State.ACCEPTED, "薄"),
    ]
    assert history[0].review.error_kinds == (ErrorKind.OTHER, ErrorKind.BOX_OFF)
    assert history[0].review.tags == ("tax",)
    with pytest.raises(BadInput) as failed:
        store.reviews.set(item, Review(state=State.SKIPPED))
    assert failed.value.code == "state_not_allowed"
    assert store.reviews.get(item).review.state is State.ACCEPTED


def test_a_review_on_an_older_one_is_a_conflict_where_asked_for(store: Store) -> None:
    item = add_item(store)
    store.reviews.set(item, Review(Verdict.RIGHT, State.SUBMITTED, person="Ann"), base_revision=0)
    with pytest.raises(Conflict) as failed:
        store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, person="薄"), base_revision=0)
    assert failed.value.details["person"] == "Ann"
    assert failed.value.details["verdict"] == "right"
    assert store.reviews.get(item).review.verdict is Verdict.RIGHT


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    item = add_item(store)

    def save_and_fail() -> None:
        with store.transaction():
            store.corrections.add(item, 0, content("lost"), ANN)
            store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED))
            assert store.corrections.latest(item).correction.version == 1
            raise RuntimeError

    with pytest.raises(RuntimeError):
        save_and_fail()
    assert store.corrections.latest(item) is None
    assert store.reviews.get(item).revision == 0


def test_names_are_kept_once_and_blank_names_are_nobody(store: Store) -> None:
    item = add_item(store, person=Person("  Ann \n B.  "))
    assert store.recognitions.get(item).person == "Ann B."
    assert store.recognitions.get(add_item(store, person=Person("Ann B."))).person == "Ann B."
    assert store.recognitions.get(add_item(store, person=Person("  "))).person == ""
    with store._database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM person").scalar() == 1


@pytest.mark.sqlite_only
def test_a_locked_database_is_said_and_nothing_is_saved(tmp_path: Path) -> None:
    with open_store(tmp_path, busy_seconds=0.05) as store:
        item = add_item(store)
        other = sqlite3.connect(tmp_path / "workbench.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreFailed) as failed:
            store.corrections.add(item, 0, content("a"), ANN)
        assert store.corrections.latest(item) is None  # and a reader need not wait
        other.rollback()
        other.close()
        assert failed.value.code == "store_locked"
        assert store.corrections.add(item, 0, content("a"), ANN).correction.version == 1


@pytest.mark.sqlite_only
def test_writers_of_one_process_take_turns_as_they_came_and_wait_longer_than_for_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "OWN_TIMES", 1_000_000)
    with open_store(tmp_path, busy_seconds=0.001) as store, ThreadPoolExecutor(6) as pool:
        turns, order = store._database._kind._turns, []

        def save(number: int) -> None:
            with store.transaction():
                order.append(number)
                add_item(store)

        with store.transaction():
            saved = []
            for number in range(6):
                saved.append(pool.submit(save, number))
                until(lambda told=number: turns.waiting == told + 1)
        for one in saved:
            one.result()
        assert order == list(range(6))
        assert turns.waiting == 0


@pytest.mark.sqlite_only
def test_a_writer_that_takes_too_long_is_told_to_others_and_the_next_one_goes_on(tmp_path: Path) -> None:
    with open_store(tmp_path, busy_seconds=0.01) as store, ThreadPoolExecutor(1) as pool:
        with store.transaction():
            late = pool.submit(add_item, store)
            assert late.exception().code == "store_locked"
        assert pool.submit(add_item, store).result()


@pytest.mark.sqlite_only
def test_a_full_disk_is_said_and_nothing_is_half_saved(store: Store) -> None:
    item = add_item(store)
    with store._database.writing() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    store.close()  # the limit below belongs to a connection

    def limited(connection, _record) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(store._database.engine, "connect", limited)
    with pytest.raises(StoreFailed) as failed:
        store.corrections.add(item, 0, content("x" * 1_000_000), ANN)
    assert failed.value.code == "disk_full"
    assert store.corrections.latest(item) is None
    assert store.reviews.get(item).latest_version == 0


@pytest.mark.sqlite_only
def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    (tmp_path / "workbench.sqlite3").write_bytes(b"not a database, but long enough to be taken for one" * 100)
    with pytest.raises(StoreFailed) as failed:
        open_store(tmp_path)
    assert failed.value.code == "store_broken"
    assert str(tmp_path) in str(failed.value.details["folder"])


def test_a_data_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed) as failed:
        open_store(tmp_path / "file")
    assert failed.value.code == "store_unreachable"


def test_a_data_folder_without_permission_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with open_store(folder):
        pass
    for path in (folder, *folder.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    with pytest.raises(StoreFailed) as failed:
        _open_without_rights(folder)
    assert failed.value.code == "store_read_only"


def _open_without_rights(folder: Path) -> None:
    """Root may write everywhere, so that the folder's rights are tried as the kernel tells them to others."""
    real = os.open

    def refusing(path, flags, *rest, **more):
        if flags & (os.O_WRONLY | os.O_RDWR) and str(path).startswith(str(folder)):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return real(path, flags, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refusing)
        open_store(folder)


@pytest.mark.sqlite_only
def test_two_processes_open_a_new_folder_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from ocr_ui.settings import Settings; "
        "from ocr_ui.storage.store import Store; Store.open(Settings(data_dir=Path(sys.argv[1]))).close()"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "new")], stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [run.communicate()[1] for run in runs] == ["", ""]
    with open_store(tmp_path / "new") as store:
        assert add_item(store) == 1
