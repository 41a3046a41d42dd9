"""What the log of evaluations quotes of items that are removed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, or_, select, update

from ocr_ui.domain.exact_json import dumps
from ocr_ui.storage.tables import contest, evaluation_page, evaluation_reading, evaluation_run

GONE = "…"
"""In the place of a name that is not to be known any more."""
_NAMED_ITEM = re.compile(r" #(\d+)(?: \(\d+\))?$")
"""How an evaluation names a page of the dataset."""
_TOLD_APART = 50
"""Of more items than these all results are looked at."""
_QUOTES = {"differences": [], "facts": [], "tags": [], "language": "", "error": "", "sha256": ""}


def forget_readings(connection: Connection, pictures: list[str]) -> None:
    """Readings that are kept for evaluations."""
    for sha256 in pictures:
        connection.execute(delete(evaluation_reading).where(evaluation_reading.c.reading.contains(dumps(sha256))))


def forget_results(connection: Connection, items: Sequence[int]) -> None:
    """What evaluations quote of these items; the figures stay."""
    gone = frozenset(items)
    for table, key in ((evaluation_run, ("id",)), (evaluation_page, ("run_id", "number"))):
        query = select(*(table.c[name] for name in key), table.c.result)
        if len(gone) <= _TOLD_APART:
            query = query.where(or_(*(table.c.result.contains(f" #{item}", autoescape=True) for item in gone)))
        for row in connection.execute(query).all():
            told = json.loads(row.result) if row.result else None
            kept = _without(told, gone)
            if kept != told:
                here = [table.c[name] == row._mapping[name] for name in key]
                connection.execute(update(table).where(*here).values(result=dumps(kept)))
    for row in connection.execute(select(contest.c.id, contest.c.told).where(contest.c.told != "")).all():
        if _number({"page": row.told}) in gone:
            connection.execute(update(contest).where(contest.c.id == row.id).values(told=""))


def _without(value: Any, gone: frozenset[int]) -> Any:
    """A result without the texts of these items."""
    if isinstance(value, list):
        return [_without(one, gone) for one in value if not _is_fact(one, gone)]
    if not isinstance(value, dict):
        return value
    kept = {name: _without(one, gone) for name, one in value.items()}
    number = _number(value)
    if number not in gone:
        return kept
    if "results" in kept:
        kept["results"] = {name: one | {"error": ""} for name, one in kept["results"].items()}
    return kept | {name: empty for name, empty in _QUOTES.items() if name in kept} | {"page": f"{GONE} #{number}"}


def _is_fact(value: Any, gone: frozenset[int]) -> bool:
    return isinstance(value, dict) and "fact" in value and _number(value) in gone


def _number(value: dict[str, Any]) -> int | None:
    """Of the item that a part of a result speaks of."""
    named = _NAMED_ITEM.search(value["page"]) if isinstance(value.get("page"), str) else None
    return int(named[1]) if named else None
