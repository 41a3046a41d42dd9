"""Deletes items for good: what was read, corrected and said of them, and their pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ocr_ui.domain.access import Action
from ocr_ui.errors import TooLarge
from ocr_ui.services.access import needs, record
from ocr_ui.storage.store import Store

MOST_ITEMS = 1_000
"""At once."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """Attributes:
    items, pictures: their numbers; a picture stays that another page or reading needs.
    versions: names of the frozen versions that lack items now.
    """

    items: int
    pictures: int
    versions: tuple[str, ...]


class Eraser:
    def __init__(self, store: Store) -> None:
        self._store = store

    @needs(Action.ADMIN)
    async def erase(self, items: Sequence[int], even_frozen: bool = False) -> Deleted:
        """Deletes items, at most MOST_ITEMS; all of them or none.

        Args:
            even_frozen: those of frozen versions too.

        Raises:
            TooLarge: `too_many_items`. NotFound: `unknown_recognition`. Conflict: `item_frozen`. StoreFailed.
        """
        return await asyncio.to_thread(self.erase_now, items, even_frozen)

    @needs(Action.ADMIN)
    def erase_now(self, items: Sequence[int], even_frozen: bool = False) -> Deleted:
        """As `erase`, for callers without an event loop."""
        if len(items) > MOST_ITEMS:
            told = f"At most {MOST_ITEMS} items are deleted at once."
            raise TooLarge("too_many_items", told, "Delete them in parts.", items=len(items), limit=MOST_ITEMS)
        gone = self._store.erasing.erase(items, even_frozen)
        pictures = sum(
            self._store.pictures.remove(sha256) for sha256 in gone.pictures if self._store.erasing.unused(sha256)
        )
        for sha256 in gone.uploads:
            self._store.uploads.remove(sha256)
        self._store.settle()
        for item in dict.fromkeys(items):
            record("item.delete", str(item))
        return Deleted(gone.items, pictures, gone.versions)
