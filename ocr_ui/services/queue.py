"""Working through a list: which item is next and whose it is, the pace, and lists kept under a name."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.errors import BadInput, Conflict
from ocr_ui.services.access import needs
from ocr_ui.services.dataset import Dataset, read_filters
from ocr_ui.settings import Settings
from ocr_ui.storage.records import Claim, Pace, SavedFilter
from ocr_ui.storage.store import Store

LONGEST_QUEUE = 10_000
MOST_CANDIDATES = 200
LONGEST_NAME = 200
MOST_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Line:
    """The items to work through, in order: at most LONGEST_QUEUE of `total`."""

    items: tuple[int, ...]
    total: int
    pace: Pace


class Queue:
    def __init__(self, store: Store, dataset: Dataset, settings: Settings) -> None:
        self._store, self._dataset = store, dataset
        self._minutes = settings.claim_minutes

    @needs(Action.READ)
    async def items(self, filters: Mapping[str, Any], sort: str, person: Person, since: datetime) -> Line:
        """Args: since: from when on items count for the pace. Raises as `Dataset.list`."""
        ids = await self._dataset.ids(filters, sort, LONGEST_QUEUE)
        total = len(ids) if len(ids) < LONGEST_QUEUE else await self._dataset.count(filters)
        return Line(tuple(ids), total, await self.pace(person, since))

    @needs(Action.ANNOTATE)
    async def take(
        self,
        candidates: Sequence[int],
        filters: Mapping[str, Any] | None,
        holder: str,
        person: Person,
        alive: Sequence[str] = (),
    ) -> Claim | None:
        """Claims the first of at most MOST_CANDIDATES items that is free and that the filters still choose.

        Two that ask at the same moment, in whatever process, never get the same. What the same person has elsewhere is
        free for them, unless the holder there is one of those `alive`. None where all are taken or done.

        Raises:
            BadInput: `bad_holder`, and those of `read_filters`.
        """
        wanted = None if filters is None else read_filters(filters)
        arguments = tuple(candidates[:MOST_CANDIDATES]), wanted, _holder(holder), person, self._minutes, tuple(alive)
        return await asyncio.to_thread(self._store.claims.take_first, *arguments)

    @needs(Action.ANNOTATE)
    async def take_one(self, recognition_id: int, holder: str, person: Person) -> Claim:
        """Claims this item.

        Raises:
            Conflict: `claimed`, another has it; details: person, until.
            NotFound: `unknown_recognition`.
        """
        taken = await self.take([recognition_id], None, holder, person)
        if taken is not None:
            return taken
        await asyncio.to_thread(self._store.reviews.get, recognition_id)
        other = (await self.claims([recognition_id])).get(recognition_id)
        raise Conflict(
            "claimed",
            f"{(other and other.person) or 'Somebody else'} works on this page.",
            "Take the next one; it is free again when it was finished or its time is over.",
            person=other.person if other else "",
            until=other.until.isoformat() if other else "",
        )

    @needs(Action.ANNOTATE)
    async def work(
        self, items: Sequence[int], holder: str, person: Person, at: int | None = None, seconds: float = 0.0
    ) -> tuple[datetime, dict[int, Claim]]:
        """Renews the holder's claims on these items, and keeps how long it has worked on item `at` so far, in seconds.

        Gives the moment until which the claims hold, and whose each item is now.

        Raises BadInput (`bad_holder`), NotFound (`unknown_recognition`).
        """
        _holder(holder)
        until = await asyncio.to_thread(self._work, tuple(items), holder, person, at, min(seconds, MOST_SECONDS))
        return until, await self.claims(items)

    @needs(Action.ANNOTATE)
    async def release(self, holder: str, items: Sequence[int] | None = None) -> None:
        await asyncio.to_thread(self._store.claims.release, _holder(holder), items)

    @needs(Action.READ)
    async def claims(self, items: Sequence[int]) -> dict[int, Claim]:
        """Who has which of these items now."""
        return await asyncio.to_thread(self._store.claims.of, items)

    @needs(Action.READ)
    async def pace(self, person: Person, since: datetime) -> Pace:
        return await asyncio.to_thread(self._store.queues.pace, person, since)

    @needs(Action.READ)
    async def seconds(self, recognition_id: int) -> dict[str, float]:
        """Seconds of work on an item, without idle time, by person."""
        return await asyncio.to_thread(self._store.queues.seconds, recognition_id)

    @needs(Action.READ)
    async def saved(self) -> list[SavedFilter]:
        return await asyncio.to_thread(self._store.queues.filters)

    @needs(Action.ANNOTATE, audited="filter.save")
    async def save(self, name: str, query: Mapping[str, Any], person: Person) -> None:
        """Keeps filters and order under a name, for everybody; an older one of that name is replaced.

        Raises:
            BadInput: `bad_filter_name`, and those of `read_filters`.
        """
        clean = " ".join(name.split())
        if not clean or len(clean) > LONGEST_NAME or not clean.isprintable():
            raise BadInput("bad_filter_name", "A saved filter needs a name.", f"At most {LONGEST_NAME} characters.")
        read_filters({key: value for key, value in query.items() if key != "sort"})
        await asyncio.to_thread(self._store.queues.save_filter, clean, query, person)

    @needs(Action.ANNOTATE, audited="filter.remove")
    async def remove(self, name: str) -> None:
        await asyncio.to_thread(self._store.queues.remove_filter, name)

    def _work(self, items: tuple[int, ...], holder: str, person: Person, at: int | None, seconds: float) -> datetime:
        with self._store.transaction():
            if at is not None and seconds > 0:
                self._store.reviews.get(at)
                self._store.queues.work(at, holder, person, seconds)
            return self._store.claims.renew(items, holder, person, self._minutes)


def _holder(holder: str) -> str:
    if not 8 <= len(holder) <= 64 or not holder.isprintable():
        raise BadInput("bad_holder", "A holder has 8 to 64 printable characters.", "Send such a one.")
    return holder
