"""Edits on their way: what a person has not saved yet is on disk all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.services.access import needs, own
from ocr_ui.storage.records import Draft
from ocr_ui.storage.store import Store


@dataclass(frozen=True, slots=True)
class DraftPlace:
    """Whose draft, and of what.

    Attributes:
        browser: a text that the browser made up for itself: names are typed, and may be missing.
        second: of a second review, which stands beside the first.
    """

    recognition_id: int
    browser: str
    person: Person
    second: bool = False


class Drafts:
    def __init__(self, store: Store) -> None:
        self._store = store

    @needs(Action.ANNOTATE)
    async def keep(self, place: DraftPlace, base_version: int, body: Mapping[str, Any]) -> datetime:
        """Keeps a draft in place of this browser's older one; it is on disk when this returns.

        Args:
            base_version: the version that the edits were made on.
            body: as the page made it; it comes back as it is.

        Raises:
            NotFound: `unknown_recognition`.
            StoreFailed: disk full, read-only, locked, broken.
        """
        arguments = place.recognition_id, place.second, own(place.browser), place.person, base_version, body
        return await asyncio.to_thread(self._store.drafts.put, *arguments)

    @needs(Action.READ)
    async def find(self, place: DraftPlace) -> Draft | None:
        """The newest draft of this browser, or of somebody of this name from another one."""
        arguments = place.recognition_id, place.second, own(place.browser), place.person
        return await asyncio.to_thread(self._store.drafts.find, *arguments)

    @needs(Action.ANNOTATE)
    async def drop(self, place: DraftPlace) -> None:
        """Forgets the drafts that `find` chooses from."""
        arguments = place.recognition_id, place.second, own(place.browser), place.person
        await asyncio.to_thread(self._store.drafts.drop, *arguments)
