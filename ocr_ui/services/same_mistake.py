"""Where else the same was read wrong. Nothing is changed: each place is shown, and a person opens its item."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import TextLine
from ocr_ui.domain.reread import written_by_person
from ocr_ui.errors import NotFound
from ocr_ui.scoring.mistakes import Mistake, mistake, places
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import Annotator, Item
from ocr_ui.storage.store import Store

AMONG = 20_000
"""The newest items that are looked at: more would take longer than a person waits."""
MOST_ITEMS = 50
MOST_PLACES = 100


@dataclass(frozen=True, slots=True)
class Place:
    """A line of another item that reads the same; `fixed` is it with the mistake put right."""

    item: Item
    line: TextLine
    number: int
    fixed: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Attributes:
    mistake: None where the line says what was read, or nothing that could be found again.
    looked: how many items were looked at.
    """

    mistake: Mistake | None
    places: tuple[Place, ...] = ()
    looked: int = 0


class SameMistakes:
    def __init__(self, store: Store, annotator: Annotator) -> None:
        self._store, self._annotator = store, annotator

    @needs(Action.READ)
    async def find(self, recognition_id: int, line_id: str, text: str) -> Elsewhere:
        """Lines of other items that hold what was read wrong in a line, as words of their own, and that no person has
        written.

        Args:
            text: what the line says now; it need not be saved.

        Raises:
            NotFound: `unknown_recognition`, or `unknown_line`: the engine has read no such line.
        """
        return await asyncio.to_thread(self._find, recognition_id, line_id, text)

    def _find(self, recognition_id: int, line_id: str, text: str) -> Elsewhere:
        item = self._annotator.open_now(recognition_id)
        read = [line for line in item.recognition.recognition.content.lines if line.id == line_id]
        if not read:
            raise NotFound(
                "unknown_line",
                f"The engine has read no line {line_id[:80]}.",
                "Choose a line of the page.",
                id=line_id[:80],
            )
        found = mistake(read[0].text, text)
        if found is None:
            return Elsewhere(None)
        ids, looked = self._store.same_text.items(found.wrong, recognition_id, AMONG, MOST_ITEMS)
        shown = [place for one in ids for place in _places(self._annotator.open_now(one), found)]
        return Elsewhere(found, tuple(shown[:MOST_PLACES]), looked)


def _places(item: Item, found: Mistake) -> list[Place]:
    readings = [item.recognition.recognition.content.lines, *(one.reread.lines for one in item.rereads)]
    return [
        Place(item, line, number, _fixed(line.text, found))
        for number, line in enumerate(item.content.lines, 1)
        if list(places(line.text, found.wrong)) and not written_by_person(line, readings)
    ]


def _fixed(text: str, found: Mistake) -> str:
    for at in reversed(list(places(text, found.wrong))):
        text = text[:at] + found.right + text[at + len(found.wrong) :]
    return text


def elsewhere_value(found: Elsewhere) -> dict[str, Any]:
    """As JSON values."""
    said = found.mistake
    return {
        "wrong": said and said.wrong,
        "right": said and said.right,
        "looked": found.looked,
        "places": [
            {
                "item": place.item.recognition.id,
                "page": place.item.page.page.name,
                "url": f"/pictures/{place.item.page.page.sha256}",
                "width": place.item.page.page.width,
                "height": place.item.page.page.height,
                "line": place.line.id,
                "number": place.number,
                "text": place.line.text,
                "fixed": place.fixed,
                "quad": place.line.quad and [list(point) for point in place.line.quad.points],
            }
            for place in found.places
        ],
    }
