"""Who is acting now, and the guard before everything that changes something.

The identity stands in a context variable, which follows a request through its tasks and threads. It is set where
requests come in: in REST's middleware, and where the page calls its handlers. What the product does by itself (batches
in the background, the command line) acts as everybody.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from ocr_ui.domain.access import EVERYBODY, Action, Identity
from ocr_ui.domain.person import Person
from ocr_ui.errors import NotAllowed, NotLoggedIn

Record = Callable[[Identity, str, str, str], None]
"""Keeps that somebody did something: identity, address, action, target."""
Limit = Callable[[str, str], None]
"""Takes one of what somebody (by a key) may have of a kind in a time. Raises TooMany."""
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Acting:
    """Attributes: address: that the request came from. record, limit: None where nothing is kept or limited."""

    identity: Identity = EVERYBODY
    address: str = ""
    record: Record | None = None
    limit: Limit | None = None


_BY_ITSELF = Acting()
_acting: ContextVar[Acting] = ContextVar("acting", default=_BY_ITSELF)
_inside: ContextVar[bool] = ContextVar("inside", default=False)
"""In the work of a method that whoever acts may call."""


def acting() -> Acting:
    return _acting.get()


@contextmanager
def act_as(who: Acting) -> Iterator[None]:
    before = _acting.set(who)
    try:
        yield
    finally:
        _acting.reset(before)


def who(typed: str = "") -> Person:
    """The person who acts: the one that is logged in, whatever name was typed; else the one whose name was."""
    identity = acting().identity
    return Person(identity.name if identity.logged_in else typed.strip())


def own(text: str) -> str:
    """A text that a browser made up for itself, told apart from the same text of another account; at most 64 signs."""
    account = acting().identity.account
    return text if account is None or not text else hashlib.sha256(f"{account}:{text}".encode()).hexdigest()


def require(action: Action) -> None:
    """Raises NotLoggedIn, or NotAllowed (details: action, role)."""
    identity = acting().identity
    if identity.may(action):
        return
    if not identity.logged_in:
        raise not_logged_in()
    role = identity.role.value if identity.role else ""
    what = f"{identity.name} ({role})" if identity.via != "key" else f"This key of {identity.name}"
    raise NotAllowed(
        "not_allowed",
        f"{what} may not do this: it needs the right {action.value!r}.",
        "Ask an administrator of the product.",
        action=action.value,
        role=role,
    )


def not_logged_in() -> NotLoggedIn:
    return NotLoggedIn("not_logged_in", "Nobody is logged in.", "Log in, or send an API key.")


def take(kind: str) -> None:
    """Counts one of a kind that is limited. Raises TooMany."""
    now = acting()
    if now.limit is not None:
        now.limit(kind, str(now.identity.account))


def record(action: str, target: str) -> None:
    """Keeps that whoever acts did something, where that is kept."""
    now = acting()
    if now.record is not None:
        now.record(now.identity, now.address, action, target)


@contextmanager
def _work() -> Iterator[None]:
    before = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(before)


def _named(target: Any) -> str:
    """Numbers and names, and nothing else that a method is given: neither texts nor pictures."""
    several = target if isinstance(target, list | tuple) else [target]
    return ", ".join(str(one) for one in several if isinstance(one, int | str))[:200]


Target = Callable[[Any, Any], Any]
"""Of a method's first argument and of what it has given, what the audit log names."""


def needs(action: Action, audited: str = "", limited: str = "", target: Target | None = None) -> Callable[[F], F]:
    """Guards a method of a service.

    Args:
        action: that whoever acts must be allowed.
        audited: its name in the audit log; empty for what is not kept (reading, signs of life, drafts).
        limited: kind of the limit on how often.
        target: what the log names with it, where that is not the method's first argument: a number, a name, or a list
            of such.
    """

    def guard(method: F) -> F:
        def allowed() -> None:
            # What a change looks up for its answer is part of it: refused then, it would have been made all the same.
            if action is not Action.READ or not _inside.get():
                require(action)

        def checked() -> None:
            allowed()
            if limited:
                take(limited)

        async def soon_checked() -> None:
            allowed()
            if limited:
                await asyncio.to_thread(take, limited)

        first_name = (list(inspect.signature(method).parameters)[1:] or [""])[0]

        def kept(arguments: tuple[Any, ...], named: Mapping[str, Any], done: Any = None) -> None:
            if audited:
                first = arguments[0] if arguments else named.get(first_name)
                record(audited, _named(target(first, done) if target else first))

        if inspect.isasyncgenfunction(method):

            @functools.wraps(method)
            async def stream(self: Any, *arguments: Any, **named: Any) -> Any:
                await soon_checked()
                await asyncio.to_thread(kept, arguments, named)
                async with aclosing(method(self, *arguments, **named)) as steps:
                    async for step in steps:
                        yield step

            return stream  # type: ignore[return-value]
        if inspect.iscoroutinefunction(method):

            @functools.wraps(method)
            async def call(self: Any, *arguments: Any, **named: Any) -> Any:
                await soon_checked()
                with _work():
                    done = await method(self, *arguments, **named)
                await asyncio.to_thread(kept, arguments, named, done)
                return done

            return call  # type: ignore[return-value]

        @functools.wraps(method)
        def plain(self: Any, *arguments: Any, **named: Any) -> Any:
            checked()
            with _work():
                done = method(self, *arguments, **named)
            kept(arguments, named, done)
            return done

        return plain  # type: ignore[return-value]

    return guard
