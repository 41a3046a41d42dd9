"""Accounts, their keys and sessions. Secrets come here hashed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from ocr_ui.domain.access import Action, Role
from ocr_ui.domain.person import Person
from ocr_ui.errors import BadInput, Conflict, NotFound
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.records import StoredAccount, StoredKey
from ocr_ui.storage.tables import account, api_key, login
from ocr_ui.storage.tables import person as person_table

USED_SECONDS = 60
"""A key's last use is written down no more often than this."""


class Accounts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, role: Role, password: str) -> StoredAccount:
        """Args: password: its hash, empty for none.

        Raises:
            BadInput: `bad_account_name`. Conflict: `account_exists`, also for another spelling of one that is there.
        """
        clean = people.clean(Person(name))
        if not clean or {".", ".."} & set(clean.split("/")):  # addresses with such parts are shortened on their way
            raise BadInput("bad_account_name", "An account needs a name, and . or .. is none.", "Choose another one.")
        with self._database.writing() as connection:
            if (there := _spelled(connection, clean)) or (there := _alike(connection, clean)):
                raise _exists(there[0].name)
            person_id = people.id_of(connection, Person(name))
            values = {"role": role.value, "disabled": False, "created_at": datetime.now(UTC), "password": password}
            connection.execute(insert(account).values(person_id=person_id, **values))
            return _account(connection.execute(_accounts().where(account.c.person_id == person_id)).one())

    def find(self, name: str) -> StoredAccount | None:
        """The account of this very name; where there is none, the one whose name is the same but for capitals and
        width. None where there are several of these, of the time when each spelling could have its own account."""
        with self._database.reading() as connection:
            clean = people.clean(Person(name))
            found = _spelled(connection, clean) or _alike(connection, clean)
        return _account(found[0]) if len(found) == 1 else None

    def get(self, name: str) -> StoredAccount:
        """Raises NotFound (`unknown_account`)."""
        found = self.find(name)
        if found is None:
            raise NotFound(
                "unknown_account", f"There is no account {name[:80]!r}.", "See the list of accounts.", name=name[:80]
            )
        return found

    def list(self) -> list[StoredAccount]:
        with self._database.reading() as connection:
            return [_account(row) for row in connection.execute(_accounts().order_by(person_table.c.name))]

    def change(self, name: str, **values: Any) -> StoredAccount:
        """Sets role, disabled or password. Whoever is disabled, or has a new password, is logged out everywhere.

        Raises:
            NotFound: `unknown_account`.
        """
        found = self.get(name)
        with self._database.writing() as connection:
            connection.execute(update(account).where(account.c.id == found.id).values(**values))
            if values.get("disabled") or "password" in values:
                connection.execute(delete(login).where(login.c.account_id == found.id))
        return self.get(name)

    # Sessions

    def begin(self, account_id: int, sha256: str, until: datetime) -> None:
        now = datetime.now(UTC)
        with self._database.writing() as connection:
            connection.execute(delete(login).where(login.c.until < now))
            connection.execute(insert(login).values(sha256=sha256, account_id=account_id, created_at=now, until=until))

    def by_session(self, sha256: str) -> tuple[StoredAccount, datetime] | None:
        """Whose session it is, and until when; None for one that is over, or of somebody who may not log in."""
        query = _accounts().add_columns(login.c.until).join(login, login.c.account_id == account.c.id)
        with self._database.reading() as connection:
            row = connection.execute(
                query.where(login.c.sha256 == sha256, login.c.until > datetime.now(UTC), account.c.disabled.is_(False))
            ).first()
        return None if row is None else (_account(row), row.until)

    def prolong(self, sha256: str, until: datetime) -> None:
        with self._database.writing() as connection:
            connection.execute(update(login).where(login.c.sha256 == sha256).values(until=until))

    def end(self, sha256: str) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(login).where(login.c.sha256 == sha256))

    # Keys

    def add_key(
        self, account_id: int, name: str, sha256: str, scopes: Sequence[Action], until: datetime | None
    ) -> StoredKey:
        now = datetime.now(UTC)
        values = {"account_id": account_id, "sha256": sha256, "created_at": now, "until": until, "name": name}
        with self._database.writing() as connection:
            written = json.dumps([scope.value for scope in scopes])
            made = connection.execute(insert(api_key).values(**values, scopes=written)).inserted_primary_key[0]
            return _key(connection.execute(select(api_key).where(api_key.c.id == made)).one())

    def keys(self, account_id: int) -> list[StoredKey]:
        query = select(api_key).where(api_key.c.account_id == account_id).order_by(api_key.c.id.desc())
        with self._database.reading() as connection:
            return [_key(row) for row in connection.execute(query)]

    def by_key(self, sha256: str) -> tuple[StoredAccount, StoredKey] | None:
        """Whose key it is; None for one that is revoked or over, or of somebody who may not log in."""
        now = datetime.now(UTC)
        with self._database.reading() as connection:
            row = connection.execute(select(api_key).where(api_key.c.sha256 == sha256)).first()
            if row is None or row.revoked_at is not None or (row.until is not None and row.until < now):
                return None
            owner = connection.execute(_accounts().where(account.c.id == row.account_id)).one()
        if owner.disabled:
            return None
        if row.used_at is None or now - row.used_at > timedelta(seconds=USED_SECONDS):
            with self._database.writing() as connection:
                connection.execute(update(api_key).where(api_key.c.id == row.id).values(used_at=now))
        return _account(owner), _key(row)

    def revoke(self, account_id: int, key_id: int) -> None:
        """Raises NotFound (`unknown_key`): this account has no such key."""
        mine = (api_key.c.id == key_id) & (api_key.c.account_id == account_id)
        with self._database.writing() as connection:
            if connection.scalar(select(api_key.c.id).where(mine)) is None:
                raise NotFound("unknown_key", f"There is no key {key_id}.", "See the list of keys.", key=key_id)
            connection.execute(
                update(api_key).where(mine, api_key.c.revoked_at.is_(None)).values(revoked_at=datetime.now(UTC))
            )


def _accounts() -> Select:
    return select(account, person_table.c.name).join(person_table, account.c.person_id == person_table.c.id)


def _spelled(connection: Connection, name: str) -> Sequence[Row]:
    return connection.execute(_accounts().where(person_table.c.name == name)).all()


def _alike(connection: Connection, name: str) -> Sequence[Row]:
    """Compared here: what is a capital, the two databases see differently."""
    wanted = people.folded(name)
    rows = connection.execute(_accounts().order_by(account.c.id))
    return [row for row in rows if people.folded(row.name) == wanted]


def _exists(name: str) -> Conflict:
    hint = "Capitals make no other name. Choose another one."
    return Conflict("account_exists", f"There is an account {name} already.", hint, name=name)


def _account(row: Row) -> StoredAccount:
    return StoredAccount(row.id, row.name, Role(row.role), row.disabled, row.created_at, row.password)


def _key(row: Row) -> StoredKey:
    scopes = tuple(Action(scope) for scope in json.loads(row.scopes))
    return StoredKey(row.id, row.name, scopes, row.created_at, row.used_at, row.until, row.revoked_at)
