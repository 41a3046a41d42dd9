"""One of several readings of a picture is the better one: kept, and what a trainer may make of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.domain.preference import Preference, why_no_pair
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.rollout import Choice
from ocr_ui.errors import BadInput
from ocr_ui.services.access import needs
from ocr_ui.services.rollouts import looked
from ocr_ui.storage import people
from ocr_ui.storage.store import Store

MOST = 8
"""Readings that one is better than, at once."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a preference is to a trainer of preferences. Attributes: why_no_pair: "" where both are a pair."""

    worse: int
    why_no_pair: str


class Preferences:
    def __init__(self, store: Store) -> None:
        self._store = store

    @needs(Action.ANNOTATE, audited="preference.keep")
    async def prefer(
        self,
        better: int,
        worse: Sequence[int],
        person: Person | None = None,
        seconds: float = 0.0,
        client_key: str = "",
    ) -> tuple[Kept, ...]:
        """Keeps that a reading is better than others of the same picture.

        Raises:
            NotFound: `unknown_recognition`.
            BadInput: `bad_preference`, `not_the_same_picture`.
            StoreFailed.
        """
        if not 0 < len(worse) <= MOST or len({better, *worse}) <= len(worse):
            raise BadInput(
                "bad_preference",
                f"One reading is better than 1 to {MOST} others, each named once.",
                "Choose among the readings that are shown.",
                most=MOST,
            )
        found = await asyncio.to_thread(self._readings, better, worse)
        name = people.clean(person)
        values = [Preference(better, one, Choice.LEFT, name, False, looked(seconds)) for one in worse]
        await asyncio.to_thread(self._store.preferences.add, values, client_key)
        return tuple(Kept(one, why_no_pair(found[better], found[one])) for one in worse)

    def _readings(self, better: int, worse: Sequence[int]) -> dict[int, Recognition]:
        found = {one: self._store.recognitions.get(one).recognition for one in (better, *worse)}
        for one in worse:
            if found[one].page_sha256 != found[better].page_sha256:
                raise other_pictures(better, one)
        return found


def other_pictures(left: int, right: int) -> BadInput:
    return BadInput(
        "not_the_same_picture",
        f"The items {left} and {right} are readings of different pictures.",
        "Compare two readings of one picture.",
        left=left,
        right=right,
    )
