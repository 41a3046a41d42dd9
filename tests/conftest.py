"""For all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from postgres import Server

# The same tries at every run: what a new one finds by chance belongs to `make fuzz`, not to somebody's change.
# And none of them depends on how quick the machine is.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")


@pytest.fixture(scope="session", autouse=True)
def _quick_sqlite() -> Iterator[None]:
    from quick_sqlite import quick

    with quick():
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    import postgres

    postgres.require()
    with postgres.running() as server:
        yield server


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests marked `both_databases` run on PostgreSQL too; with OCR_UI_TESTS_ON=postgresql all run on it alone."""
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    alone = "postgresql_only" in marks or os.environ.get("OCR_UI_TESTS_ON") == "postgresql"
    if "sqlite_only" not in marks and (alone or "both_databases" in marks):
        kinds = ["postgresql"] if alone else ["sqlite", "postgresql"]
        metafunc.parametrize("database", kinds, indirect=True)


@pytest.fixture(scope="module", autouse=True)
def database_of_module(request: pytest.FixtureRequest) -> Iterator[None]:
    """With OCR_UI_TESTS_ON=postgresql: a new database for what several tests of a module share."""
    yield from _new_database(request)


@pytest.fixture(scope="module")
def another_database(request: pytest.FixtureRequest) -> Iterator[None]:
    """As `database_of_module`, for a module with two of what cannot share one."""
    yield from _new_database(request)


def _new_database(request: pytest.FixtureRequest) -> Iterator[None]:
    if os.environ.get("OCR_UI_TESTS_ON") != "postgresql":
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCR_UI_DATABASE_URL", request.getfixturevalue("postgres_server").fresh())
        yield


@pytest.fixture(autouse=True)
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The kind of database, an empty one, that all stores of the test are in: `sqlite`, each in its folder, or
    `postgresql`."""
    kind = getattr(request, "param", "sqlite")
    if kind == "postgresql":
        monkeypatch.setenv("OCR_UI_DATABASE_URL", request.getfixturevalue("postgres_server").migrated())
    return kind
