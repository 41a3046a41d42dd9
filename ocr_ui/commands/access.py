"""Commands for administrators: accounts, keys, the audit log, old pictures."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ocr_ui.commands.output import print_json
from ocr_ui.domain.access import Action, Role
from ocr_ui.errors import BadInput
from ocr_ui.settings import MOST_DAYS, Settings


def add_access(commands: Any) -> None:
    _add_user(commands)
    _add_key(commands)
    audit = commands.add_parser("audit", help="who did what: the audit log as JSON Lines, oldest first")
    audit.set_defaults(run=_audit)
    retain = commands.add_parser(
        "retain", help="remove pictures that are older than OCR_UI_KEEP_PICTURES_DAYS; labels stay"
    )
    retain.add_argument("--days", type=int, metavar="N", help="in place of the setting")
    retain.set_defaults(run=_retain)


def _add_user(commands: Any) -> None:
    of_users = commands.add_parser("user", help="accounts of people").add_subparsers(required=True, metavar="WHAT")
    add = of_users.add_parser("add", help="a new account; the password is asked for, or read from standard input")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--role", choices=[role.value for role in Role], default=Role.ANNOTATOR.value)
    add.set_defaults(run=lambda a, s: _changed(s, lambda accounts: accounts.add(a.name, a.role, _password())))
    listed = of_users.add_parser("list", help="all accounts")
    listed.set_defaults(run=_list_users)
    for what, told in (("disable", "nobody logs in with it any more, and its keys open nothing"), ("enable", "again")):
        one = of_users.add_parser(what, help=told)
        one.add_argument("name", metavar="NAME")
        one.set_defaults(run=lambda a, s, what=what: _changed(s, lambda accounts: getattr(accounts, what)(a.name)))
    role = of_users.add_parser("role", help="what an account may do")
    role.add_argument("name", metavar="NAME")
    role.add_argument("role", choices=[one.value for one in Role])
    role.set_defaults(run=lambda a, s: _changed(s, lambda accounts: accounts.set_role(a.name, a.role)))
    password = of_users.add_parser("password", help="another password; all sessions of the account end")
    password.add_argument("name", metavar="NAME")
    password.set_defaults(run=lambda a, s: _changed(s, lambda accounts: accounts.set_password(a.name, _password())))


def _add_key(commands: Any) -> None:
    of_keys = commands.add_parser("key", help="API keys of programs").add_subparsers(required=True, metavar="WHAT")
    add = of_keys.add_parser("add", help="a new key, written to standard output this once")
    add.add_argument("account", metavar="ACCOUNT")
    add.add_argument("--name", required=True, metavar="TEXT", help="what it is for")
    scopes = [action.value for action in Action]
    add.add_argument("--scope", action="append", default=[], choices=scopes, help="all that its owner may, without any")
    add.add_argument("--days", type=int, metavar="N", help="until it is over; for ever without it")
    add.set_defaults(run=_make_key)
    listed = of_keys.add_parser("list", help="keys of an account, without their secrets")
    listed.add_argument("account", metavar="ACCOUNT")
    listed.set_defaults(run=_list_keys)
    revoke = of_keys.add_parser("revoke", help="the key opens nothing any more")
    revoke.add_argument("account", metavar="ACCOUNT")
    revoke.add_argument("key", type=int, metavar="NUMBER", help="as in the list")
    revoke.set_defaults(run=_revoke_key)


@contextmanager
def as_console(store: Any) -> Iterator[None]:
    """What is done in the block stands in the audit log, under the name of the system's user."""
    from ocr_ui.services.access import Acting, act_as

    def record(identity: Any, address: str, action: str, target: str) -> None:
        store.audit.add(getpass.getuser(), "console", address, action, target)

    with act_as(Acting(record=record)):
        yield


def note(store: Any, action: str, target: str) -> None:
    """A row of the audit log for what a command has done without a service that keeps one."""
    from ocr_ui.services.access import record

    with as_console(store):
        record(action, target)


@contextmanager
def _accounts(settings: Settings) -> Iterator[Any]:
    from ocr_ui.services.accounts import Accounts
    from ocr_ui.services.rates import Rates
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store, as_console(store):
        yield Accounts(store, settings, Rates(store, settings))


def _changed(settings: Settings, change: Any) -> int:
    from ocr_ui.services.account_view import account_value

    with _accounts(settings) as accounts:
        print_json(account_value(change(accounts)))
    return 0


def _list_users(_: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.account_view import account_value

    with _accounts(settings) as accounts:
        print_json({"accounts": [account_value(one) for one in accounts.list()]})
    return 0


def _make_key(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.account_view import key_value

    with _accounts(settings) as accounts:
        secret, kept = accounts.add_key(arguments.name, arguments.scope, arguments.days, arguments.account)
        print_json({"key": secret, **key_value(kept)})
    return 0


def _list_keys(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.account_view import key_value

    with _accounts(settings) as accounts:
        print_json({"keys": [key_value(one) for one in accounts.keys_of(arguments.account)]})
    return 0


def _revoke_key(arguments: argparse.Namespace, settings: Settings) -> int:
    with _accounts(settings) as accounts:
        accounts.revoke_key(arguments.key, arguments.account)
    return 0


def _audit(_: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.account_view import audit_value
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store:
        for row in store.audit.all():
            print_json(audit_value(row))
    return 0


def _retain(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.retention import Retention
    from ocr_ui.storage.store import Store

    days = settings.keep_pictures_days if arguments.days is None else arguments.days
    if not 1 <= days <= MOST_DAYS:
        says = f"Pictures are kept for 1 to {MOST_DAYS} days, or for ever."
        raise BadInput("bad_days_kept", says, "Name the days: --days N.", most=MOST_DAYS)
    with Store.open(settings) as store:
        print_json({"removed": Retention(store, days).sweep_now()})
    return 0


def _password() -> str:
    """Asked for twice where somebody sits there, else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first, second = getpass.getpass("Password: "), getpass.getpass("Once more: ")
    if first != second:
        raise BadInput("passwords_differ", "The two passwords differ.", "Try again.")
    return first
