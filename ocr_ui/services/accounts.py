"""Accounts: passwords, sessions, keys, and who stands behind a request."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from ocr_ui.domain.access import MAY, Action, Identity, Role
from ocr_ui.errors import BadInput, Conflict, NotAllowed, NotLoggedIn, WorkbenchError
from ocr_ui.services.access import acting, needs, not_logged_in, record
from ocr_ui.services.rates import Rates
from ocr_ui.settings import Settings
from ocr_ui.storage.records import AuditRow, StoredAccount, StoredKey
from ocr_ui.storage.store import Store

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 1_000
KEY_PREFIX = "ocrw_"
LONGEST_KEY_NAME = 200
LONGEST_DAYS = 3_650


class Accounts:
    """All of it works in the calling thread: hashing a password takes tens of milliseconds of a processor."""

    def __init__(self, store: Store, settings: Settings, rates: Rates) -> None:
        self._store, self._rates = store, rates
        self._hours, self._new_role = settings.session_hours, Role(settings.proxy_role)
        self._hasher = PasswordHasher()
        self._nobodys = ""

    # Who asks

    def log_in(self, name: str, password: str, address: str) -> tuple[str, Identity]:
        """A new session's secret, and who it is.

        Raises:
            TooMany: `too_many_logins`, after a number of failures of this name from this address, or from it at all.
            NotLoggedIn: `wrong_password`, whatever of the two was wrong.
        """
        self._rates.check_login(name, address)
        found = self._store.accounts.find(name) if name.strip() else None
        known = found is not None and bool(found.password)
        right = self._matches(found.password if found and known else self._of_nobody(), password)
        if found is None or not known or found.disabled or not right:
            self._rates.count_failure(name, address)
            self._store.audit.add(name, "password", address, "login.refused")
            raise _wrong_password()
        if self._hasher.check_needs_rehash(found.password):
            self._store.accounts.change(found.name, password=self._hasher.hash(password))
        secret = secrets.token_urlsafe(32)
        self._store.accounts.begin(found.id, _sha256(secret), self._end())
        self._store.audit.add(found.name, "password", address, "login")
        return secret, _identity(found, "password")

    def log_out(self, secret: str) -> None:
        found = self._store.accounts.by_session(_sha256(secret))
        self._store.accounts.end(_sha256(secret))
        if found is not None:
            self._store.audit.add(found[0].name, "password", acting().address, "logout")

    def of_session(self, secret: str) -> Identity | None:
        """Whose session it is; it lasts as long again from half of its time on."""
        found = self._store.accounts.by_session(_sha256(secret))
        if found is None:
            return None
        if found[1] - datetime.now(UTC) < timedelta(hours=self._hours / 2):
            self._store.accounts.prolong(_sha256(secret), self._end())
        return _identity(found[0], "password")

    def of_key(self, key: str) -> Identity | None:
        """Whose key it is, with what its scopes leave of the role."""
        found = self._store.accounts.by_key(_sha256(key)) if key.startswith(KEY_PREFIX) else None
        return None if found is None else _identity(found[0], "key", found[1].scopes)

    def of_proxy(self, name: str) -> Identity | None:
        """Who a trusted proxy says it is; somebody new gets an account with the role of the settings.

        Raises:
            Conflict: `account_exists`, where several accounts are spelled alike and none like this.
        """
        found = self._store.accounts.find(name)
        if found is None:
            try:
                found = self._store.accounts.add(name, self._new_role, "")
                self._store.audit.add(name, "proxy", acting().address, "account.add", name, self._new_role.value)
            except Conflict:  # another request of the same person was quicker, or several spellings are there
                if (found := self._store.accounts.find(name)) is None:
                    raise
        return None if found.disabled else _identity(found, "proxy")

    # Accounts, by administrators

    @needs(Action.ADMIN, audited="account.add")
    def add(self, name: str, role: Role | str, password: str) -> StoredAccount:
        """Raises BadInput (`bad_password`, `bad_role`, `bad_account_name`), Conflict (`account_exists`)."""
        return self._store.accounts.add(name, _role(role), self._hashed(password))

    @needs(Action.ADMIN)
    def list(self) -> list[StoredAccount]:
        return self._store.accounts.list()

    @needs(Action.ADMIN)
    def one(self, name: str) -> StoredAccount:
        """Raises NotFound (`unknown_account`)."""
        return self._store.accounts.get(name)

    @needs(Action.ADMIN, audited="account.role")
    def set_role(self, name: str, role: Role | str) -> StoredAccount:
        self._not_oneself(name)
        return self._store.accounts.change(name, role=_role(role).value)

    @needs(Action.ADMIN, audited="account.password")
    def set_password(self, name: str, password: str) -> StoredAccount:
        """A new password; all sessions of the account end. NotAllowed (`not_by_key`): not with a key."""
        _not_by_key()
        return self._store.accounts.change(name, password=self._hashed(password))

    @needs(Action.ADMIN, audited="account.disable")
    def disable(self, name: str) -> StoredAccount:
        """Nobody logs in with this account any more, its sessions end and its keys open nothing."""
        self._not_oneself(name)
        return self._store.accounts.change(name, disabled=True)

    @needs(Action.ADMIN, audited="account.enable")
    def enable(self, name: str) -> StoredAccount:
        return self._store.accounts.change(name, disabled=False)

    @needs(Action.ADMIN)
    def audit(self, after: int = 0, limit: int = 1_000) -> list[AuditRow]:
        """Rows of the audit log, oldest first."""
        return self._store.audit.rows(after, limit)

    def is_empty(self) -> bool:
        """Is there nobody yet who could log in?"""
        return not self._store.accounts.list()

    # One's own

    def change_password(self, old: str, new: str) -> None:
        """Of whoever is logged in; all of their sessions end.

        Raises:
            NotLoggedIn: nobody is, or `wrong_password`. NotAllowed: by a key. BadInput: `bad_password`.
            TooMany: `too_many_logins`, as `log_in`.
        """
        mine = self._mine()
        self._rates.check_login(mine.name, acting().address)
        if not mine.password or not self._matches(mine.password, old):
            self._rates.count_failure(mine.name, acting().address)
            record("password.refused", mine.name)
            raise _wrong_password()
        self._store.accounts.change(mine.name, password=self._hashed(new))
        record("password.change", mine.name)

    def keys(self) -> list[StoredKey]:
        return self._store.accounts.keys(self._mine().id)

    def add_key(
        self, name: str, scopes: Sequence[Action | str] = (), days: int | None = None, account: str = ""
    ) -> tuple[str, StoredKey]:
        """A new key: its secret, which is told this once, and what is kept of it.

        Args:
            scopes: what it may do, of what the account may; nothing for all of that.
            days: until it is over; None for ever.
            account: whose, for administrators; empty for one's own.

        Raises:
            BadInput: `bad_scope`, `bad_key_name`, `bad_days`. NotAllowed: a key cannot make keys.
        """
        mine = self._of(account)
        wanted = tuple(dict.fromkeys(_scope(scope) for scope in scopes)) or tuple(sorted(MAY[mine.role]))
        if not name.strip() or len(name) > LONGEST_KEY_NAME:
            raise BadInput("bad_key_name", "A key needs a short name.", "Name it after where it is used.")
        if days is not None and not 1 <= days <= LONGEST_DAYS:
            raise BadInput(
                "bad_days", f"A key lasts 1 to {LONGEST_DAYS} days.", "Name such a number, or none.", most=LONGEST_DAYS
            )
        until = None if days is None else datetime.now(UTC) + timedelta(days=days)
        secret = KEY_PREFIX + secrets.token_urlsafe(32)
        made = self._store.accounts.add_key(mine.id, name.strip(), _sha256(secret), wanted, until)
        record("key.add", f"{mine.name}, key {made.id}")
        return secret, made

    def revoke_key(self, key_id: int, account: str = "") -> None:
        """Raises NotFound (`unknown_key`) for a key of somebody else as for none."""
        mine = self._of(account)
        self._store.accounts.revoke(mine.id, key_id)
        record("key.revoke", f"{mine.name}, key {key_id}")

    def keys_of(self, account: str) -> list[StoredKey]:
        return self._store.accounts.keys(self._of(account).id)

    # Small parts

    def _of(self, name: str) -> StoredAccount:
        if not name:
            return self._mine()
        _not_by_key()
        return self.one(name)

    def _mine(self) -> StoredAccount:
        identity = acting().identity
        if not identity.logged_in:
            raise not_logged_in()
        _not_by_key()
        return self._store.accounts.get(identity.name)

    def _not_oneself(self, name: str) -> None:
        """Whoever locks themselves out by mistake may be the last who could let them in again."""
        if self._store.accounts.get(name).id == acting().identity.account:
            raise Conflict("not_oneself", "Nobody takes their own rights away.", "Let another administrator do it.")

    def _of_nobody(self) -> str:
        """Compared with where there is no such account, so that the time of a refusal does not tell."""
        self._nobodys = self._nobodys or self._hasher.hash(secrets.token_urlsafe())
        return self._nobodys

    def _matches(self, hashed: str, password: str) -> bool:
        try:
            return len(password) <= LONGEST_PASSWORD and self._hasher.verify(hashed, password)
        except VerificationError:
            return False

    def _hashed(self, password: str) -> str:
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise BadInput(
                "bad_password",
                f"A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.",
                "Choose another one.",
                least=SHORTEST_PASSWORD,
                most=LONGEST_PASSWORD,
            )
        return self._hasher.hash(password)

    def _end(self) -> datetime:
        return datetime.now(UTC) + timedelta(hours=self._hours)


def _identity(account: StoredAccount, via: str, scopes: Sequence[Action] | None = None) -> Identity:
    may = MAY[account.role]
    return Identity(account.name, may if scopes is None else may & set(scopes), account.id, account.role, via)


def _not_by_key() -> None:
    if acting().identity.via == "key":
        raise NotAllowed("not_by_key", "This is not done with an API key.", "Log in with the browser.")


def _wrong_password() -> NotLoggedIn:
    return NotLoggedIn("wrong_password", "Name and password do not belong together.", "Try again.")


def _sha256(secret: str) -> str:
    """Secrets are 32 random bytes: a quick hash of one is as good as a slow one."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _role(value: Role | str) -> Role:
    return _chosen(Role, value, "bad_role")


def _scope(value: Action | str) -> Action:
    return _chosen(Action, value, "bad_scope")


def _chosen(choices: Any, value: Any, code: str) -> Any:
    try:
        return choices(value)
    except ValueError as error:
        raise _no_choice(code, value, ", ".join(choices)) from error


def _no_choice(code: str, value: Any, allowed: str) -> WorkbenchError:
    shown = str(value)[:80]
    if code == "bad_role":
        return BadInput("bad_role", f"{shown!r} is no role.", f"Roles: {allowed}.", value=shown, allowed=allowed)
    return BadInput("bad_scope", f"{shown!r} is no scope.", f"Scopes: {allowed}.", value=shown, allowed=allowed)
