"""The whole server on a store of its own, with a scripted engine in place of the real ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from stored import add_item, content

from app import create_app
from ocr_ui.services.engines import Engines
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings

LIMIT = 300_000
"""Bytes of an upload, here."""


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        turn_pages=False,
        max_upload_bytes=LIMIT,
        max_pixels=1_000_000,
        allowed_hosts="testserver, other.example",
    )
    app = create_app(settings, Engines({"scripted": ScriptedEngine([])}))
    with TestClient(app, raise_server_exceptions=False) as running:
        yield running


@pytest.fixture
def client(server: TestClient) -> TestClient:
    server.cookies.clear()
    return server


@pytest.fixture
def workbench(server: TestClient) -> Workbench:
    return server.app.state.workbench  # type: ignore[attr-defined]


@pytest.fixture
def item(workbench: Workbench) -> int:
    """A new item that says two lines."""
    return add_item(workbench.store, content("Total 12.80", "Thank you"))
