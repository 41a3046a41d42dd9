"""Passwords are kept as argon2 hashes that are costly to guess: tests of logins use cheap ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from argon2 import PasswordHasher
from stored import open_store

from ocr_ui.domain.access import Role
from ocr_ui.errors import NotLoggedIn
from ocr_ui.services.accounts import Accounts
from ocr_ui.services.rates import Rates
from ocr_ui.settings import Settings

COSTLY = "$argon2id$v=19$m=65536,t=3,p=4$"


def test_a_hash_takes_memory_and_rounds_and_an_older_one_is_made_anew(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with open_store(tmp_path) as store:
        accounts = Accounts(store, settings, Rates(store, settings))
        accounts.add("Ann", Role.VIEWER, "correct horse")
        assert store.accounts.find("Ann").password.startswith(COSTLY)
        store.accounts.change("Ann", password=PasswordHasher(1, 8, 1).hash("correct horse"))
        with pytest.raises(NotLoggedIn):
            accounts.log_in("Ann", "correct house", "here")
        assert store.accounts.find("Ann").password.startswith("$argon2id$v=19$m=8,")
        accounts.log_in("Ann", "correct horse", "here")
        assert store.accounts.find("Ann").password.startswith(COSTLY), "what is cheaper is made anew at a login"
