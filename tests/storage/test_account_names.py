"""Names of accounts that people take for the same are the same, but for those that were made before."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import insert
from stored import open_store

from ocr_ui.domain.access import Role
from ocr_ui.domain.person import Person
from ocr_ui.errors import Conflict, NotLoggedIn, TooMany
from ocr_ui.services.accounts import Accounts
from ocr_ui.services.rates import Rates
from ocr_ui.settings import Settings
from ocr_ui.storage import people
from ocr_ui.storage.store import Store
from ocr_ui.storage.tables import account

PASSWORD = "correct horse battery"


@pytest.mark.parametrize("other", ["ann", "ANN", " Ａｎｎ ", "Ann"])
def test_another_spelling_of_a_name_is_the_same_account(tmp_path: Path, other: str) -> None:
    with open_store(tmp_path) as store:
        made = store.accounts.add("Ann", Role.VIEWER, "")
        store.accounts.add("Anne", Role.VIEWER, "")
        assert store.accounts.find(other) == made
        with pytest.raises(Conflict, match="There is an account Ann already") as caught:
            store.accounts.add(other, Role.VIEWER, "")
        assert (caught.value.code, caught.value.details["name"]) == ("account_exists", "Ann")
        assert [one.name for one in store.accounts.list()] == ["Ann", "Anne"]


def test_capitals_are_those_of_all_scripts(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        made = store.accounts.add("Жанна Straße", Role.VIEWER, "")
        assert store.accounts.find("жАННА STRASSE") == made
        assert store.accounts.find("Жанна") is None


def _as_before(store: Store, name: str) -> int:
    """An account as it could be made while capitals counted."""
    values = {"role": "viewer", "disabled": False, "password": "", "created_at": store.accounts.list()[0].created_at}
    with store._database.writing() as connection:
        person_id = people.id_of(connection, Person(name))
        return connection.execute(insert(account).values(person_id=person_id, **values)).inserted_primary_key[0]


def test_two_spellings_from_before_both_go_on_and_get_no_third(tmp_path: Path) -> None:
    settings = Settings(_env_file=None)
    with open_store(tmp_path) as store:
        first = store.accounts.add("Ann", Role.VIEWER, "").id
        second = _as_before(store, "ann")
        assert [store.accounts.find(name).id for name in ("Ann", "ann")] == [first, second]
        store.accounts.change("ann", role="reviewer")
        assert [store.accounts.get(name).role for name in ("Ann", "ann")] == ["viewer", "reviewer"]
        assert store.accounts.find("ANN") is None, "nobody knows which"
        accounts = Accounts(store, settings, Rates(store, settings))
        assert [accounts.of_proxy(name).account for name in ("Ann", "ann")] == [first, second]
        with pytest.raises(Conflict, match="account Ann"):
            accounts.of_proxy("ANN")
        assert accounts.of_proxy("Bea").account == accounts.of_proxy("BEA").account


def test_other_spellings_give_no_more_tries_at_a_password(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, login_tries=2)
    with open_store(tmp_path) as store:
        accounts = Accounts(store, settings, Rates(store, settings))
        store.accounts.add("Ann", Role.VIEWER, "")
        for name in ("ann", "Ａnn"):
            with pytest.raises(NotLoggedIn):
                accounts.log_in(name, PASSWORD, "here")
        with pytest.raises(TooMany):
            accounts.log_in("ANN", PASSWORD, "here")
