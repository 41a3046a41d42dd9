"""A backup is the whole store of one moment, and any empty store of either kind becomes the same by it."""

from __future__ import annotations

import gzip
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from stored import ANN, BO, add_item, content, open_store, png

from ocr_ui.domain.access import Role
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.errors import BadInput, Conflict, StoreFailed
from ocr_ui.services.backups import CHECKSUMS, MANIFEST, PICTURES, TABLES, back_up, restore
from ocr_ui.services.dataset_versions import DatasetVersions
from ocr_ui.settings import Settings
from ocr_ui.storage import migrate, table_files
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store

QUICK = {("0002", "postgresql"), ("0011", "sqlite")}
"""Of all schemas and kinds those that are tried at once; the others with the long tests."""
SCHEMAS = [
    pytest.param(script.revision, kind, marks=[pytest.mark.stress] * ((script.revision, kind) not in QUICK))
    for script in ScriptDirectory.from_config(migrate.config()).walk_revisions()
    for kind in ("sqlite", "postgresql")
]
Target = Callable[[str], Settings]


@pytest.fixture
def settings(database: str, tmp_path: Path) -> Settings:
    """Of the store that is backed up."""
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    """Settings of an empty store of a kind."""

    def made(kind: str) -> Settings:
        address = request.getfixturevalue("postgres_server").fresh() if kind == "postgresql" else ""
        return Settings(data_dir=tmp_path / f"restored-{kind}", database_url=address)

    return made


def filled(settings: Settings) -> Store:
    store = open_store(settings.data_dir)
    item = add_item(store, ("Gesamtbetrag 12,50", "合计 12.50"), shade=1)
    add_item(store, ("another",), shade=2, person=BO)
    store.corrections.add(item, 0, content("Gesamtbetrag 12,80"), ANN, "key", 1, 0.1)
    store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, person="Ann", tags=("税",)))
    for row in store.items.list():
        store.pictures.put_thumbnail(row.sha256, b"small")
        store.pictures.put_grey(row.sha256, b"grey")
    DatasetVersions(store).freeze_now("july", {}, "CC0", "Ann")
    store.accounts.add("Ann", Role.ADMIN, "hash")
    store.audit.add("Ann", "console", "", "account.add")
    job = store.jobs.begin("scan.pdf", {"template": "full_text"}, person=ANN)
    sha256, size = store.uploads.put(io.BytesIO(b"a file of a batch"), 100)
    store.jobs.add_file(job, "scan.pdf", sha256, size)
    (settings.data_dir / "prompts").mkdir()
    (settings.data_dir / "prompts" / "own.md").write_text("own")
    return store


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_store_of_either_kind_becomes_what_the_backup_was(
    settings: Settings, target: Target, kind: str, tmp_path: Path
) -> None:
    with filled(settings) as store:
        made = back_up(store, settings, tmp_path / "backup")
    assert (made.pictures, made.uploads, made.missing) == (2, 1, ())
    assert made.tables["recognition"] == made.tables["dataset_item"] == 2
    elsewhere = target(kind)
    assert restore(elsewhere, tmp_path / "backup") == made
    with Store.open(elsewhere) as again:
        back_up(again, elsewhere, tmp_path / "second")
        assert (tmp_path / "second" / CHECKSUMS).read_text() == (tmp_path / "backup" / CHECKSUMS).read_text()
        assert [row.id for row in again.items.list(Filters(text="betrag 12,8"))] == [1]
        assert [row.id for row in again.items.list(Filters(text="计"))] == [1]
        assert again.pictures.read(again.items.list()[0].sha256) == png(2)
        assert again.uploads.path(again.jobs.take("me", 60).sha256).read_bytes() == b"a file of a batch"
        assert add_item(again) == 3, "numbers go on behind those that there were"
    assert (elsewhere.data_dir / "prompts" / "own.md").read_text() == "own"


@pytest.mark.both_databases
def test_a_backup_is_of_one_moment_while_others_save(settings: Settings, target: Target, tmp_path: Path) -> None:
    stop = threading.Event()
    with open_store(settings.data_dir) as store:
        add_item(store)

        def save() -> None:
            while not stop.is_set():
                item = add_item(store, shade=store.items.count())
                store.corrections.add(item, 0, content("x" * 1_000), ANN)

        thread = threading.Thread(target=save)
        thread.start()
        try:
            made = back_up(store, settings, tmp_path / "backup")
        finally:
            stop.set()
            thread.join()
    elsewhere = target("sqlite")
    restore(elsewhere, tmp_path / "backup")
    with Store.open(elsewhere) as again:
        items = list(again.items.each())
        assert len(items) == made.tables["recognition"]
        assert made.missing == ()
        for item in items:
            assert again.pictures.has(item.page.sha256)


@pytest.fixture
def backup(settings: Settings, tmp_path: Path) -> Path:
    with filled(settings) as store:
        back_up(store, settings, tmp_path / "backup")
    return tmp_path / "backup"


def refused(error: type[Exception], settings: Settings, backup: Path) -> str:
    with pytest.raises(error) as failed:
        restore(settings, backup)
    return failed.value.code


def test_what_is_there_is_not_overwritten_unless_forced(backup: Path, target: Target, tmp_path: Path) -> None:
    elsewhere = target("sqlite")
    with Store.open(elsewhere) as store:
        add_item(store, ("mine",), shade=77)
        gone = store.items.list()[0].sha256
    assert refused(Conflict, elsewhere, backup) == "store_not_empty"
    with Store.open(elsewhere) as store:
        assert store.items.list()[0].text == "mine"
        with pytest.raises(BadInput) as failed:
            back_up(store, elsewhere, backup)
        assert failed.value.code == "backup_not_empty"
    restore(elsewhere, backup, force=True)
    with Store.open(elsewhere) as store:
        assert [row.text for row in store.items.list()] == ["another", "Gesamtbetrag 12,80"]
        assert not store.pictures.has(gone)


def test_a_damaged_backup_restores_nothing(backup: Path, target: Target) -> None:
    elsewhere = target("sqlite")
    picture = next((backup / PICTURES).rglob("*.png"))
    whole = picture.read_bytes()
    picture.write_bytes(whole + b"x")
    assert refused(BadInput, elsewhere, backup) == "backup_broken"
    picture.unlink()
    assert refused(BadInput, elsewhere, backup) == "backup_broken"
    picture.write_bytes(whole)
    (backup / TABLES / "more.jsonl.gz").write_bytes(b"")
    assert refused(BadInput, elsewhere, backup) == "backup_broken"
    (backup / TABLES / "more.jsonl.gz").unlink()
    (backup / CHECKSUMS).write_text((backup / CHECKSUMS).read_text() + "\n")
    assert refused(BadInput, elsewhere, backup) == "backup_broken"
    assert not elsewhere.data_dir.exists()


def test_a_backup_that_was_not_finished_or_is_too_new_is_refused(backup: Path, target: Target) -> None:
    elsewhere = target("sqlite")
    manifest = json.loads((backup / MANIFEST).read_text())
    (backup / MANIFEST).write_text(json.dumps(manifest | {"revision": "9999"}))
    assert refused(StoreFailed, elsewhere, backup) == "store_newer"
    (backup / MANIFEST).write_text(json.dumps(manifest | {"format": 2}))
    assert refused(BadInput, elsewhere, backup) == "backup_broken"
    (backup / MANIFEST).unlink()
    assert refused(BadInput, elsewhere, backup) == "no_backup"
    with Store.open(elsewhere) as store:
        assert store.items.count() == 0


def test_a_picture_that_was_removed_is_told_and_does_no_harm(
    settings: Settings, target: Target, tmp_path: Path
) -> None:
    with filled(settings) as store:
        gone = store.items.list()[0].sha256
        store.pictures.remove(gone)
        made = back_up(store, settings, tmp_path / "backup")
    assert (made.missing, made.pictures) == ((gone,), 1)
    restore(target("sqlite"), tmp_path / "backup")


@pytest.mark.parametrize(("revision", "kind"), SCHEMAS)
def test_rows_of_every_schema_come_forward(settings: Settings, target: Target, revision: str, kind: str) -> None:
    tables = settings.data_dir / "old"
    with filled(settings) as store:
        tables.mkdir()
        with store._database.migrating() as connection:
            command.downgrade(migrate.config(connection), revision)
            counts = table_files.write_tables(connection, tables)
    elsewhere = target(kind)
    assert Store.refill(elsewhere, tables, revision) == counts
    with Store.open(elsewhere) as again:
        assert [row.text for row in again.items.list()] == ["another", "Gesamtbetrag 12,80"]
        assert [row.id for row in again.items.list(Filters(text="betrag 12,8"))] == [1]
        assert again.corrections.latest(1).correction.content == content("Gesamtbetrag 12,80")


def test_files_are_plain_rows(backup: Path) -> None:
    with gzip.open(backup / TABLES / "person.jsonl.gz", "rt") as lines:
        names, *rows = (json.loads(line) for line in lines)
    assert [row[names.index("name")] for row in rows] == ["Ann", "薄"]
