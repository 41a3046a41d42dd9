"""Brings a database to the schema of this version of the product."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from ocr_ui.errors import StoreFailed

FOLDER = Path(__file__).resolve().parent / "migrations"


def config(connection: Connection | None = None) -> Config:
    """Alembic's configuration, made here so that no ini file has to travel along."""
    made = Config()
    made.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    made.set_main_option("path_separator", "os")
    made.attributes["connection"] = connection
    return made


@dataclass(frozen=True, slots=True)
class Schema:
    """Attributes: current: of a database, None of an empty one. newest: of this version. is_newer: it is not known."""

    current: str | None
    newest: str | None
    is_newer: bool


def schema(connection: Connection) -> Schema:
    head, known = _revisions()
    current = MigrationContext.configure(connection).get_current_revision()
    return Schema(current, head, current is not None and current not in known)


def upgrade(connection: Connection) -> None:
    """Runs the migrations that are missing, inside the connection's transaction.

    Raises:
        StoreFailed: `store_newer`, the database was made by a newer version.
    """
    now = schema(connection)
    if now.current == now.newest:
        return
    if now.current is not None:
        check_known(now.current)
    command.upgrade(config(connection), "head")


def check_known(revision: str) -> None:
    """Raises StoreFailed (`store_newer`) for a revision that this version of the product does not know."""
    if revision not in _revisions()[1]:
        raise StoreFailed(
            "store_newer",
            f"The database has schema {revision}, which this version does not know.",
            "Start the newer version that made it.",
            revision=revision,
        )


@cache
def _revisions() -> tuple[str | None, frozenset[str]]:
    """The newest revision of the schema, and all."""
    scripts = ScriptDirectory.from_config(config())
    return scripts.get_current_head(), frozenset(script.revision for script in scripts.walk_revisions())
