from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy.dialects import postgresql, sqlite
from stored import ANN, add_item, content, open_store

from ocr_ui.errors import StoreFailed
from ocr_ui.settings import Settings
from ocr_ui.storage import migrate, search
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store
from ocr_ui.storage.tables import metadata

pytestmark = pytest.mark.both_databases


def test_models_and_migrations_agree(tmp_path: Path) -> None:
    with Store.open(Settings(data_dir=tmp_path)) as store, store._database.snapshot() as connection:
        options = {"compare_type": True, "include_name": lambda name, *_: not search.is_own(name)}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
        there = {name for name in sa.inspect(connection).get_table_names() if not search.is_own(name)}
        assert set(metadata.tables) == there - {"alembic_version"}


def test_the_schema_can_be_taken_down_and_up_again(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        with store._database.migrating() as connection:
            command.downgrade(migrate.config(connection), "base")
            assert sa.inspect(connection).get_table_names() == ["alembic_version"]
            migrate.upgrade(connection)
        assert add_item(store) == 1


def test_results_of_before_engines_had_names_stay(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        item = add_item(store, ("kept",))
        with store._database.migrating() as connection:
            command.downgrade(migrate.config(connection), "0001")
            migrate.upgrade(connection)
        engine = store.recognitions.get(item).recognition.engine
        assert (engine.kind, engine.name, engine.title) == ("rapidocr", "", "rapidocr")


def test_what_was_read_before_there_was_a_search_is_found(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        item, other = add_item(store, ("Invoice 4711",)), add_item(store, ("Nothing",), shade=1)
        store.corrections.add(other, 0, content("Invoice 4712"), ANN)
        with store._database.migrating() as connection:
            command.downgrade(migrate.config(connection), "0011")
            migrate.upgrade(connection)
        assert store.items.ids(Filters(text="invoice 471"), "oldest") == [item, other]


def test_what_was_read_with_doubled_blanks_is_found_with_one(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        item, other = add_item(store, ("Net  amount",)), add_item(store, ("Nothing",), shade=1)
        with store._database.migrating() as connection:
            command.downgrade(migrate.config(connection), "0021")
        store.corrections.add(other, 0, content("net", "amount"), ANN)
        if store._database.dialect == "sqlite":
            with store._database.writing() as connection:  # as it was written before
                connection.exec_driver_sql(
                    "UPDATE item_text SET corrected = 'net' || char(10) || 'amount' WHERE rowid = ?", (other,)
                )
            assert store.items.ids(Filters(text="net amount")) == []
        with store._database.migrating() as connection:
            migrate.upgrade(connection)
        assert store.items.ids(Filters(text="net amount"), "oldest") == [item, other]


def test_every_revision_has_one_successor() -> None:
    scripts = ScriptDirectory.from_config(migrate.config())
    assert len(scripts.get_heads()) == 1


@pytest.mark.parametrize("dialect", ["postgresql", "sqlite"])
def test_the_tables_can_be_written_for_both_databases(dialect: str) -> None:
    found = {"postgresql": postgresql, "sqlite": sqlite}[dialect].dialect()
    for table in metadata.sorted_tables:
        written = str(sa.schema.CreateTable(table).compile(dialect=found))
        assert "created_at TIMESTAMP WITHOUT TIME ZONE" in written or dialect == "sqlite" or "created_at" not in table.c


@pytest.mark.sqlite_only
def test_a_table_with_rows_that_others_point_to_can_be_rebuilt(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        item = add_item(store)
        store.corrections.add(item, 0, content("kept"), ANN)
        with store._database.migrating() as connection:
            operations = Operations(MigrationContext.configure(connection, opts={"render_as_batch": True}))
            with operations.batch_alter_table("recognition", recreate="always") as table:
                table.add_column(sa.Column("language", sa.String(20)))
        assert store.corrections.latest(item).correction.content == content("kept")


def test_a_failed_migration_leaves_the_schema_as_it_was(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        add_item(store)
        with pytest.raises(StoreFailed):
            _migrate_badly(store)
        with store._database.snapshot() as connection:
            assert "extra" not in {column["name"] for column in sa.inspect(connection).get_columns("page")}
            assert connection.exec_driver_sql("SELECT count(*) FROM document").scalar() == 1


def _migrate_badly(store: Store) -> None:
    with store._database.migrating() as connection:
        connection.exec_driver_sql("ALTER TABLE page ADD COLUMN extra TEXT")
        connection.exec_driver_sql("DELETE FROM document")  # leaves pages that point nowhere


@pytest.mark.sqlite_only
def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    with sqlite3.connect(tmp_path / "workbench.sqlite3") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StoreFailed) as failed:
        open_store(tmp_path)
    assert failed.value.code == "store_newer"
    assert failed.value.details["revision"] == "9999"


def test_opening_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Store.open(Settings(data_dir=tmp_path)).close()
    assert capfd.readouterr() == ("", "")
