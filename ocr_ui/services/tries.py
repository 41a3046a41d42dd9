"""One picture read in up to four ways at once: other templates or versions of them, engines, or sampling."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import PageContent
from ocr_ui.domain.person import Person
from ocr_ui.errors import BadInput, NotFound, WorkbenchError
from ocr_ui.logs import run_name
from ocr_ui.prompting import PromptLibrary
from ocr_ui.scoring.answer_rows import AnswerRow, answer_rows
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import Annotator, Item
from ocr_ui.services.merged import merged
from ocr_ui.services.pacing import paced
from ocr_ui.services.preferences import other_pictures
from ocr_ui.services.reading import Progress, ReadRequest
from ocr_ui.services.recognize import Recognizer

MOST = 4
STEPS_A_SECOND = 8


@dataclass(frozen=True, slots=True)
class Way:
    """One way to read.

    Attributes:
        template: its name, with `@` and a version where it is not the one in use.
        engine: by name, "" for the default.
        prompt, sampling, pixels, preprocess, whole, structured: as of a `ReadRequest`.
        wording: a template's text that a person has typed for this run; its blanks are filled in. None for the
            template's own.
    """

    template: str
    variables: dict[str, str] = field(default_factory=dict)
    engine: str = ""
    prompt: str | None = None
    sampling: dict[str, Any] = field(default_factory=dict)
    structured: bool | None = None
    wording: str | None = None
    preprocess: str | None = None
    pixels: int | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """How far one of the ways is.

    Attributes:
        progress: None before its first step.
        item: its stored result.
        error: why it ended without one, or early.
    """

    progress: Progress | None = None
    item: int | None = None
    error: WorkbenchError | None = None
    ended: bool = False

    @property
    def state(self) -> str:
        """waiting (for its engine), running, or how it ended."""
        if self.ended and self.error is not None and self.item is None:
            return "failed"
        return self.progress.state if self.progress else "waiting"


@dataclass(frozen=True, slots=True)
class Shown:
    """Readings of one picture side by side.

    Attributes:
        base: index of the one that the others are compared with.
        rows: the base's line, and what each reading has there.
        wordings: of each reading the template's text, with its blanks, where another one was typed for it; else None.
    """

    items: tuple[Item, ...]
    base: int
    rows: tuple[AnswerRow, ...]
    wordings: tuple[str | None, ...]


class Tries:
    def __init__(self, recognizer: Recognizer, templates: PromptLibrary, annotator: Annotator) -> None:
        self._recognizer, self._templates, self._annotator = recognizer, templates, annotator

    @needs(Action.RECOGNIZE)
    async def run(
        self, page_id: int, ways: Sequence[Way], person: Person | None = None, owner: str = ""
    ) -> AsyncIterator[tuple[Lane, ...]]:
        """Reads a stored page in each of the ways at once; each result is an item as any other.

        A way that fails ends alone. Closing this ends all of them; what had been read by then is stored as stopped.

        Args:
            owner: `stop` takes it.

        Raises:
            BadInput: `bad_number_of_ways`.
        """
        if not 1 <= len(ways) <= MOST:
            raise BadInput(
                "bad_number_of_ways", f"A picture is read in 1 to {MOST} ways at once.", "Take some away.", most=MOST
            )
        name = person.name if person else ""
        sources = [self._lane(page_id, way, name, _lane_owner(owner, index)) for index, way in enumerate(ways)]
        lanes = [Lane() for _ in ways]
        async with aclosing(paced(merged(sources), STEPS_A_SECOND)) as batches:
            async for batch in batches:
                for index, lane in batch:
                    lanes[index] = lane
                yield tuple(lanes)

    async def _lane(self, page_id: int, way: Way, person: str, owner: str) -> AsyncGenerator[Lane, None]:
        lane, name = Lane(), run_name()
        try:
            with self._recognizer.listed(owner, name):
                asked = await asyncio.to_thread(self._request, way, name)
                reading = self._recognizer.read(page_id, asked, engine=way.engine, person=person, owner=owner)
                async with aclosing(reading) as steps:  # type: ignore[type-var]
                    async for step in steps:
                        lane = Lane(step.progress, step.recognition_id, step.progress.error)
                        yield lane
        except WorkbenchError as error:
            lane = replace(lane, error=error)
        yield replace(lane, ended=True)

    def _request(self, way: Way, name: str) -> ReadRequest:
        template = self._templates.get(way.template)
        worded = None if way.wording is None else replace(template, text=way.wording).render(way.variables)
        prompt = way.prompt if worded is None else worded
        copy = {"pixels": way.pixels, "preprocess": way.preprocess, "whole": way.whole}
        return ReadRequest(
            template, way.variables, prompt, name, sampling=way.sampling, structured=way.structured, **copy
        )

    async def stop(self, owner: str, lane: int | None = None) -> int:
        """Stops one of the ways, or all; gives how many readings that were."""
        chosen = range(MOST) if lane is None else (lane,)
        return sum([await self._recognizer.stop(_lane_owner(owner, index)) for index in chosen])

    @needs(Action.READ)
    async def show(self, ids: Sequence[int], base: int = 0) -> Shown:
        """Stored readings of one picture side by side, as they were read: corrections are left out.

        Args:
            base: index of the one that the others are compared with.

        Raises:
            NotFound: `unknown_recognition`. BadInput: `bad_number_of_ways`, `not_the_same_picture`.
        """
        if not 1 <= len(ids) <= MOST or not 0 <= base < len(ids):
            raise BadInput("bad_number_of_ways", f"1 to {MOST} readings stand side by side.", "Name fewer.", most=MOST)
        items = [await self._annotator.open_item(one) for one in ids]
        for item in items:
            if item.page.page.sha256 != items[0].page.page.sha256:
                raise other_pictures(items[0].recognition.id, item.recognition.id)
        contents = [item.recognition.recognition.content for item in items]
        rows = await asyncio.to_thread(_rows, contents, base)
        return Shown(tuple(items), base, rows, await asyncio.to_thread(lambda: tuple(map(self._wording, items))))

    def _wording(self, item: Item) -> str | None:
        """What was typed for a reading in place of its template's text; None too where nobody may know yet."""
        used = item.recognition.recognition.prompt
        if item.arm_hidden:
            return None
        try:
            template = self._templates.get(used.template, used.version)
            return (
                None
                if template.render(used.variables) == used.text
                else template.with_blanks(used.text, used.variables)
            )
        except (NotFound, BadInput):  # the template is gone, or asks for other things by now
            return None


def _rows(contents: Sequence[PageContent], base: int) -> tuple[AnswerRow, ...]:
    return answer_rows(contents[base], contents)


def _lane_owner(owner: str, index: int) -> str:
    return f"{owner}/{index}"
