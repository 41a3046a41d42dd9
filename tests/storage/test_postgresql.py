"""What PostgreSQL has and a file has not: it can be away, be wrongly named, or hold somebody who stands still."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from stored import ANN, add_item, content, open_store

from ocr_ui.errors import BadInput, StoreFailed
from ocr_ui.settings import Settings
from ocr_ui.storage import postgresql
from ocr_ui.storage.store import Store

pytestmark = pytest.mark.postgresql_only


@pytest.fixture
def store(database: str, tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def other(store: Store, postgres_server) -> Iterator[psycopg.Connection]:
    """A connection of somebody else's."""
    with psycopg.connect(postgres_server.url("migrated", "postgresql"), autocommit=True) as connection:
        yield connection


def code_of(failing) -> str:
    with pytest.raises(StoreFailed) as failed:
        failing()
    assert "tester" not in str(failed.value.details)
    return failed.value.code


def test_a_writer_that_waits_too_long_says_so_and_readers_do_not_wait(
    tmp_path: Path, other: psycopg.Connection
) -> None:
    with open_store(tmp_path, busy_seconds=0.05) as store:
        item = add_item(store)
        other.execute("SELECT pg_advisory_lock(%s)", [postgresql.WRITERS])
        assert code_of(lambda: store.corrections.add(item, 0, content("a"), ANN)) == "store_locked"
        assert store.corrections.latest(item) is None
        other.execute("SELECT pg_advisory_unlock_all()")
        assert store.corrections.add(item, 0, content("a"), ANN).correction.version == 1


def test_a_database_that_is_away_is_said_and_goes_on_when_it_is_back(store: Store, postgres_server) -> None:
    item = add_item(store)
    postgres_server.stop()
    try:
        assert code_of(store.items.count) == "database_away"
        assert code_of(lambda: store.corrections.add(item, 0, content("a"), ANN)) == "database_away"
        assert code_of(lambda: open_store(store.pictures.folder)) == "database_away"
    finally:
        postgres_server.start()
    assert store.corrections.add(item, 0, content("a"), ANN).correction.version == 1


def test_a_database_that_goes_in_the_middle_of_a_save_leaves_nothing(store: Store, other: psycopg.Connection) -> None:
    item = add_item(store)

    def save() -> None:
        with store.transaction():
            store.corrections.add(item, 0, content("a"), ANN)
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
            store.corrections.add(item, 1, content("b"), ANN)

    assert code_of(save) == "database_away"
    assert store.corrections.latest(item) is None


def test_a_process_that_stands_still_keeps_nobody_from_saving(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    item = add_item(store)
    inside, saved = threading.Event(), threading.Event()
    codes: list[str] = []

    def stand_still() -> None:
        with store.transaction():
            store.corrections.add(item, 0, content("never"), ANN)
            inside.set()
            saved.wait(30)

    thread = threading.Thread(target=lambda: codes.append(code_of(stand_still)))
    with monkeypatch.context() as its_own:  # this process may stand still for a moment too
        its_own.setattr(postgresql, "IDLE_SECONDS", 0.1)
        thread.start()
        inside.wait(30)
    assert store.corrections.add(item, 0, content("a"), ANN).correction.version == 1
    saved.set()
    thread.join()
    assert codes == ["database_away"]
    assert store.corrections.latest(item).correction.content == content("a")


def test_a_database_that_may_not_be_written_is_said(store: Store, other: psycopg.Connection) -> None:
    other.execute("ALTER ROLE tester SET default_transaction_read_only = on")
    try:
        store.close()  # the setting is one of new connections
        assert code_of(lambda: add_item(store)) == "database_read_only"
    finally:
        other.execute("SET default_transaction_read_only = off")
        other.execute("ALTER ROLE tester RESET default_transaction_read_only")


def test_the_audit_log_is_only_ever_added_to(store: Store, other: psycopg.Connection) -> None:
    store.audit.add("Ann", "password", "", "login")
    for change in ("UPDATE audit SET name = 'x'", "DELETE FROM audit", "TRUNCATE audit"):
        with pytest.raises(psycopg.errors.RaiseException, match="only ever added"):
            other.execute(change)
    assert [row.name for row in store.audit.rows()] == ["Ann"]


@pytest.mark.parametrize(
    "address",
    [
        "mysql://user:secret@host/db",
        "secret",
        "postgresql+nothing://u:secret@h/d",
        "postgresql://u:p@secret@h/d",
        "postgresql://h:secret/d",
    ],
)
def test_an_address_that_is_none_is_said_without_what_is_secret(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as failed:
        Store.open(Settings(data_dir=tmp_path, database_url=address))
    assert failed.value.code == "bad_database_url"
    assert "secret" not in f"{failed.value} {failed.value.details}"


@pytest.mark.parametrize("name", ["postgres", "postgresql", "postgresql+psycopg"])
def test_an_address_may_name_the_driver_or_not(name: str, postgres_server, tmp_path: Path) -> None:
    with Store.open(Settings(data_dir=tmp_path, database_url=postgres_server.url("migrated", name))) as store:
        assert add_item(store) == 1
    assert not list(tmp_path.glob("*.sqlite3*"))


def test_two_open_a_new_database_at_once_and_one_migrates(postgres_server, tmp_path: Path) -> None:
    address, gate = postgres_server.fresh(), threading.Barrier(2)

    def open_one(name: str) -> int:
        gate.wait()
        with Store.open(Settings(data_dir=tmp_path / name, database_url=address)) as opened:
            return opened.items.count()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(open_one, ("one", "other"))) == [0, 0]
