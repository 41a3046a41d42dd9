"""A server with logins, and people who use it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from argon2 import PasswordHasher
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from live import rest_app

from ocr_ui.api.login import COOKIE
from ocr_ui.domain.access import Action, Role
from ocr_ui.services import accounts
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

PASSWORD = "correct horse battery"
QUICK = (1, 8, 1)
"""Rounds, memory and threads of hashing a password, which takes its time on purpose."""
NAMES = {role: f"{role.value}-person" for role in Role}


class Team:
    """Accounts of all roles, each with a client that has logged in."""

    def __init__(self, app: Any, portal: Any) -> None:
        self.app, self.bench, self.portal = app, app.state.workbench, portal
        self._sessions: dict[str, str] = {}
        for role, name in NAMES.items():
            self.bench.accounts.add(name, role, PASSWORD)
        self.bench.accounts.add("other-annotator", Role.ANNOTATOR, PASSWORD)

    def client(self, **headers: str) -> TestClient:
        client = TestClient(self.app, raise_server_exceptions=False, headers=headers, follow_redirects=False)
        client.portal = self.portal  # one event loop for all, as in a real server
        return client

    def logged_in(self, name: str) -> TestClient:
        client = self.client()
        answer = client.post("/login", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
        return client

    def known(self, name: str) -> TestClient:
        """As `logged_in`, by the session of before."""
        if name not in self._sessions:
            self._sessions[name] = self.logged_in(name).cookies[COOKIE]
        client = self.client()
        client.cookies.set(COOKIE, self._sessions[name])
        return client

    def of(self, role: Role) -> TestClient:
        return self.known(NAMES[role])

    def with_key(self, name: str, *scopes: Action, days: int | None = None) -> TestClient:
        secret, _ = self.bench.accounts.add_key("test", scopes, days, name)
        return self.client(Authorization=f"Bearer {secret}")


@contextmanager
def team(folder: Path, engine: ScriptedEngine, **changes: Any) -> Iterator[Team]:
    plain = {"auth": "password", "turn_pages": False, "allowed_hosts": "testserver", "batch_at_once": 0}
    settings = Settings(**{**plain, "data_dir": folder / "data", **changes})
    with patch.object(accounts, "PasswordHasher", lambda: PasswordHasher(*QUICK)):
        app = rest_app(settings, Engines({"scripted": engine}))
    with TestClient(app) as running:
        yield Team(app, running.portal)
