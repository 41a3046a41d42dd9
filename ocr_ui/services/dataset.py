"""The list of what was read: rows, counts and the figures of its charts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.review import ErrorKind, State, Verdict
from ocr_ui.domain.rollout import Mark
from ocr_ui.errors import BadInput
from ocr_ui.scoring.scripts import SCRIPTS
from ocr_ui.services.access import needs
from ocr_ui.services.figures import prepare
from ocr_ui.storage.items import NO_VERDICT, REVIEWS, SORTS, Filters, ItemRow
from ocr_ui.storage.store import Store

MOST_ROWS = 1_000
MOST_VALUES = 500
"""Alternatives of one filter; items may be as many as there are."""
SORT_NAMES = tuple(SORTS)
Row = ItemRow
_CHARTS = ("day", "verdict", "error_kind", "template", "state")
_LISTS = (
    "templates",
    "engines",
    "models",
    "revisions",
    "verdicts",
    "states",
    "error_kinds",
    "tags",
    "reviewers",
    "items",
    "reviews",
    "scripts",
    "not_reviewers",
    "marks",
    "jobs",
    "readers",
)
_SHARES = ("confidence", "agreement")
SINGLE = ("since", "until", "text", "version", *_SHARES)
"""Filters that have one value; the others are lists of alternatives."""
FILTERS = ", ".join((*_LISTS, *SINGLE))
_ALLOWED = {
    "verdicts": (*(verdict.value for verdict in Verdict), NO_VERDICT),
    "states": tuple(state.value for state in State),
    "error_kinds": tuple(kind.value for kind in ErrorKind),
    "reviews": REVIEWS,
    "scripts": SCRIPTS,
    "marks": tuple(mark.value for mark in Mark),
}


@dataclass(frozen=True, slots=True)
class Window:
    """Some rows of the list, and how many there are in all."""

    rows: tuple[ItemRow, ...]
    total: int
    offset: int


class Dataset:
    """Reads the list. Filters are a `Filters` or a mapping as `read_filters` takes it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @needs(Action.READ)
    async def list(
        self,
        filters: Filters | Mapping[str, Any] | None = None,
        sort: str = "newest",
        limit: int = 50,
        offset: int = 0,
    ) -> Window:
        """Rows from `offset` on, at most `limit` and MOST_ROWS, in an order of SORT_NAMES.

        Raises:
            BadInput: `unknown_sort`, `unknown_filter`, `bad_filter_value`, `bad_date`.
        """
        wanted = as_filters(filters)
        return await asyncio.to_thread(self._window, wanted, sort, min(limit, MOST_ROWS), max(0, offset))

    @needs(Action.READ)
    async def count(self, filters: Filters | Mapping[str, Any] | None = None) -> int:
        return await asyncio.to_thread(self._store.items.count, as_filters(filters))

    @needs(Action.READ)
    async def ids(self, filters: Filters | Mapping[str, Any] | None, sort: str, limit: int) -> list[int]:
        """The items of `list`, at most `limit`, as numbers alone. Raises as `list`."""
        return await asyncio.to_thread(self._ids, as_filters(filters), sort, limit)

    @needs(Action.READ)
    async def summary(self, filters: Filters | Mapping[str, Any] | None = None) -> dict[str, dict[str, int]]:
        """Numbers of items by day (of the recognition, UTC, none left out in between), verdict (or `none`), error kind,
        template and state, for charts."""
        return await asyncio.to_thread(self._summary, as_filters(filters))

    @needs(Action.READ)
    async def choices(self) -> dict[str, tuple[str, ...]]:
        """The values that each filter can be set to: those in the store, and all verdicts, states and error kinds."""
        return await asyncio.to_thread(self._choices)

    def _ids(self, filters: Filters, sort: str, limit: int) -> list[int]:
        prepare(self._store, filters, sort)
        return self._store.items.ids(filters, sort, limit)

    def _window(self, filters: Filters, sort: str, limit: int, offset: int) -> Window:
        prepare(self._store, filters, sort)
        with self._store.one_moment():
            rows = self._store.items.list(filters, sort, limit, offset)
            return Window(tuple(rows), self._store.items.count(filters), offset)

    def _summary(self, filters: Filters) -> dict[str, dict[str, int]]:
        with self._store.one_moment():
            counts = {group: self._store.items.count_by(group, filters) for group in _CHARTS}
        return {**counts, "day": _without_gaps(counts["day"])}

    def _choices(self) -> dict[str, tuple[str, ...]]:
        groups = {
            "templates": "template",
            "engines": "engine",
            "models": "model",
            "revisions": "revision",
            "reviewers": "reviewer",
        }
        found = {
            name: tuple(value for value in self._store.items.count_by(group) if value) for name, group in groups.items()
        }
        listed = {"tags": tuple(self._store.items.tags()), "readers": tuple(self._store.items.readers())}
        return found | listed | _ALLOWED


def as_filters(filters: Filters | Mapping[str, Any] | None) -> Filters:
    return filters if isinstance(filters, Filters) else read_filters(filters or {})


def set_filters(filters: Filters) -> dict[str, Any]:
    """The filters that restrict, as plain values that `read_filters` takes."""
    parts = asdict(filters)
    values = {name: parts[name] for name in (*_LISTS, *SINGLE) if parts[name] not in (None, "", ())}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


def shown_filters(values: Mapping[str, Any], nameless: bool) -> dict[str, Any]:
    """Values of `set_filters` as a report shows them. Args: nameless: only that people were chosen, not whom."""
    named = {name for name in values if "reviewers" in name or name == "readers"} if nameless else set()
    return {name: "(names left out)" if name in named else value for name, value in values.items()}


def read_filters(values: Mapping[str, Any]) -> Filters:
    """Filters from plain values, as widgets and addresses give them.

    Args:
        values: lists under templates, engines, models, revisions, verdicts, states, error_kinds, tags, reviewers,
            items, reviews, scripts, not_reviewers, marks, jobs, readers (a single text is a list of one; the singular
            name works too); confidence and agreement as numbers from 0 to 1; since and until as dates or moments (ISO
            8601 text, date, datetime or seconds since 1970; `until` as a date includes that day; without a zone they
            are UTC); text; version, the name of a frozen one.
            Empty ones do not restrict.

    Raises:
        BadInput: `unknown_filter` (details: name), `bad_filter_value` (details: name, value, allowed), `bad_date`
            (details: name, value).
    """
    parts: dict[str, Any] = {}
    for given, value in ((str(name), value) for name, value in values.items()):
        name = given if given in (*_LISTS, *SINGLE) else f"{given}s"
        if name not in (*_LISTS, *SINGLE):
            raise BadInput(
                "unknown_filter",
                f"There is no filter {given[:80]!r}.",
                f"Use one of: {FILTERS}.",
                name=given[:80],
                allowed=FILTERS,
            )
        parts[name] = _read_part(name, value)
    return Filters(**parts)


def _read_part(name: str, value: Any) -> Any:
    if name in ("text", "version"):
        return str(value or "").strip()
    if name in ("since", "until"):
        return _moment(name, value)
    if name in _SHARES:
        return _share(name, value)
    if not isinstance(value, str | int | list | tuple | None):
        raise _bad_value(name, value, "a list")
    listed = [value] if isinstance(value, str | int) else list(value or ())
    if len(listed) > MOST_VALUES and name != "items":
        raise _bad_value(name, f"{listed[0]}, ...", f"at most {MOST_VALUES} values")
    return tuple(_one(name, one) for one in listed if one not in ("", None))


def _one(name: str, value: Any) -> Any:
    allowed = _ALLOWED.get(name, ())
    if allowed and str(value) not in allowed:
        raise _bad_value(name, value, ", ".join(allowed))
    if name in ("items", "jobs"):
        return _number(name, value)
    return {"states": State, "error_kinds": ErrorKind}.get(name, str)(str(value))


def _number(name: str, value: Any) -> int:
    try:
        return int(value)
    except (ValueError, TypeError) as error:
        raise _bad_value(name, value, f"numbers of {name}") from error


def _share(name: str, value: Any) -> float | None:
    if value in ("", None):
        return None
    try:
        share = float(value)
    except (TypeError, ValueError) as error:
        raise _bad_value(name, value, "0 to 1") from error
    if not 0 <= share <= 1:
        raise _bad_value(name, value, "0 to 1")
    return share


def _bad_value(name: str, value: Any, allowed: str) -> BadInput:
    shown = str(value)[:80]
    return BadInput(
        "bad_filter_value",
        f"{shown!r} is not a value for {name}.",
        f"Allowed: {allowed}.",
        name=name,
        value=shown,
        allowed=allowed,
    )


def _moment(name: str, value: Any) -> datetime | None:
    if value in ("", None):
        return None
    try:
        return _parsed(value, end=name == "until").astimezone(UTC)
    except (ValueError, TypeError, OverflowError, OSError, AttributeError) as error:
        shown = str(value)[:80]
        raise BadInput(
            "bad_date", f"{shown!r} is not a date.", "Write it as 2026-01-31.", name=name, value=shown
        ) from error


def _parsed(value: Any, end: bool) -> datetime:
    """A moment; of a whole day its beginning, or the beginning of the next day where its `end` is wanted."""
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    if isinstance(value, str):
        text = value.strip()
        value = date.fromisoformat(text) if len(text) <= len("2026-01-31") else datetime.fromisoformat(text)
    if not isinstance(value, datetime):
        start = datetime(value.year, value.month, value.day, tzinfo=UTC)
        return start + timedelta(days=1) if end else start
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _without_gaps(days: dict[str, int]) -> dict[str, int]:
    if not days:
        return {}
    first, last = date.fromisoformat(min(days)), date.fromisoformat(max(days))
    span = ((first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1))
    return {day: days.get(day, 0) for day in span}
