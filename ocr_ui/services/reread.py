"""Reads one box of an item anew and tells what of it goes where in the page.

What a person wrote is never overwritten: it stays, and what the engine read there is only offered.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import Point, Quad
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.reread import Reread, written_by_person
from ocr_ui.engines.base import Engine
from ocr_ui.errors import BadInput, WorkbenchError
from ocr_ui.images.crops import Cutout, cut_out
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import Annotator, Item
from ocr_ui.services.checked_content import checked
from ocr_ui.services.engines import Engines
from ocr_ui.services.ordering import line_order
from ocr_ui.services.pictures import PageStore
from ocr_ui.services.reading import Progress, ReadRequest, check_engine
from ocr_ui.services.retries import Retries
from ocr_ui.services.smaller import read_with_retry
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredReread
from ocr_ui.storage.store import Store

MARGIN = 0.3
"""Around the box, as a share of its shorter side: finders of text want ground around it."""
SMALLEST = 3.0
"""Pixels; a smaller box holds no text."""
READING = (Task.SPOTTING, Task.TEXT)
"""Tasks that read the lines of a box; an item of another task is read with one of OTHERWISE."""
OTHERWISE = ("full_text", "full_text_plain")


@dataclass(frozen=True, slots=True)
class Splice:
    """What changes in a page.

    Attributes:
        lines: new ones, in reading order, with their ids.
        replaces: ids of lines that they replace; the new ones stand where the first of these stood.
        after: where nothing is replaced, the id of the line that they stand behind, None for the beginning.
        kept: ids of lines in the box that a person wrote; they stay.
        offered: what was read where those stand.
    """

    lines: tuple[TextLine, ...]
    replaces: tuple[str, ...]
    after: str | None
    kept: tuple[str, ...]
    offered: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class RereadStep:
    """Attributes:
    state: waiting (for the engine), running, or one of `ocr_ui.domain.recognition.OUTCOMES` with the last step.
    text: what has been read so far.
    stored, splice: with the last step, where something was read.
    """

    state: str
    seconds: float
    text: str = ""
    stored: StoredReread | None = None
    splice: Splice | None = None
    error: WorkbenchError | None = None


class Rereader:
    def __init__(
        self,
        store: Store,
        pages: PageStore,
        engines: Engines,
        retries: Retries,
        library: PromptLibrary,
        annotator: Annotator,
        settings: Settings,
    ) -> None:
        self._store, self._pages, self._engines, self._retries = store, pages, engines, retries
        self._library, self._annotator, self._settings = library, annotator, settings

    @needs(Action.RECOGNIZE, audited="box.read", limited="reads")
    async def read(
        self,
        recognition_id: int,
        lines: list[dict[str, Any]],
        quad: list[list[float]],
        ids: Sequence[str] = (),
        engine: str = "",
        person: Person | None = None,
    ) -> AsyncIterator[RereadStep]:
        """Reads a box; the last step has what was stored and what changes in the page.

        Closing this generator ends the engine's work; nothing is stored then.

        Args:
            lines: of the page as the person sees it, as in `PageContent.to_dict`; they need not be saved.
            quad: the box, in pixels of the stored picture.
            ids: of the lines that stand in the box; what a person wrote among them stays.
            engine: by its name; empty for the one that read the item.

        Raises:
            NotFound: no such item.
            BadInput: `box_too_small`, `unknown_lines`, a content that cannot be; `task_not_possible`.
            EngineDead: it does not run.
        """
        begin = time.perf_counter()
        item = await self._annotator.open_item(recognition_id)
        content = await asyncio.to_thread(checked, {"lines": lines})
        box = _box(quad, item, content, ids)
        name = engine or self._retries.engine_of(item.recognition.recognition)
        while (chosen := await self._engines.ready_soon(name)) is None:
            yield RereadStep("waiting", time.perf_counter() - begin)
        template = self._template(item.recognition.recognition, chosen)
        page, pixels = await self._pages.load(item.page.id)
        cutout = await asyncio.to_thread(cut_out, pixels, box, MARGIN)
        request = ReadRequest(template=template)
        own = self._engines.settings_of(name, self._settings)
        async with aclosing(read_with_retry(cutout.pixels, page.sha256, chosen, request, own)) as steps:
            async for step in steps:
                seconds = time.perf_counter() - begin
                if step.recognition is None:
                    yield RereadStep(step.state, seconds, step.raw)
                else:
                    whole = replace(step.recognition, engine=replace(step.recognition.engine, name=name))
                    ended = self._end, item, content, box, ids, cutout, step, whole, seconds, person
                    yield await asyncio.to_thread(*ended)

    def _template(self, recognition: Recognition, engine: Engine) -> PromptTemplate:
        """The item's own where it reads lines, else the first of OTHERWISE that the engine can do."""
        if recognition.prompt.task in READING:
            return self._retries.template_of(recognition)
        others = [self._library.get(name) for name in OTHERWISE]
        able = [template for template in others if template.task in engine.capabilities.tasks]
        chosen = able[0] if able else others[0]
        check_engine(engine, chosen)
        return chosen

    def _end(
        self,
        item: Item,
        content: PageContent,
        box: Quad,
        ids: Sequence[str],
        cutout: Cutout,
        step: Progress,
        recognition: Recognition,
        seconds: float,
        person: Person | None,
    ) -> RereadStep:
        read = read_lines(recognition.content, cutout, box)
        if not read:
            return RereadStep(recognition.outcome, seconds, recognition.generation.text, error=step.error)
        readings = [item.recognition.recognition.content.lines, *(one.reread.lines for one in item.rereads)]
        kept = tuple(line.id for line in content.lines if line.id in ids and written_by_person(line, readings))
        splice = spliced(content.lines, read, [one for one in ids if one not in kept], kept, box, uuid.uuid4().hex[:8])
        value = Reread(
            quad=box,
            engine=recognition.engine,
            template=recognition.prompt.template,
            template_version=recognition.prompt.version,
            outcome=recognition.outcome,
            seconds=seconds,
            text=recognition.generation.text,
            lines=(*splice.lines, *splice.offered),
        )
        stored = self._store.rereads.add(item.recognition.id, value, person)
        return RereadStep(recognition.outcome, seconds, value.text, stored, splice, step.error)


def _box(quad: list[list[float]], item: Item, content: PageContent, ids: Sequence[str]) -> Quad:
    page = item.page.page
    asked = checked({"lines": [{"text": "", "quad": quad}]}, page.width, page.height).lines[0].quad
    known = {line.id for line in content.lines}
    if unknown := [one for one in ids if one not in known]:
        raise BadInput("unknown_lines", f"The page has no line {unknown[0]}.", "Reload the page.", id=unknown[0])
    if asked is None or min(asked.bounds.width, asked.bounds.height) < SMALLEST:
        raise BadInput("box_too_small", "The box is too small to hold text.", "Draw it around the text.")
    return asked


def read_lines(content: PageContent, cutout: Cutout, box: Quad) -> list[TextLine]:
    """What was read in the box itself, in reading order and in pixels of the page.

    Lines in the margin belong to the neighbours and go. Lines without places share the box evenly, from its top.
    """
    lines = [line for line in content.lines if line.text.strip()]
    if not lines:
        lines = [TextLine(text) for text in content.text.splitlines() if text.strip()]
    if not any(line.quad for line in lines):
        return [
            replace(line, quad=_slice(box, index / len(lines), (index + 1) / len(lines)))
            for index, line in enumerate(lines)
        ]
    inside = [line for line in lines if line.quad and cutout.inner.holds(line.quad.bounds.center)]
    return [replace(line, quad=cutout.to_page(line.quad).rounded(1)) for line in inside if line.quad]


def _slice(box: Quad, start: float, end: float) -> Quad:
    a, b, c, d = box.points

    def between(p: Point, q: Point, share: float) -> Point:
        return p[0] + (q[0] - p[0]) * share, p[1] + (q[1] - p[1]) * share

    left, right = (between(a, d, start), between(a, d, end)), (between(b, c, start), between(b, c, end))
    return Quad((left[0], right[0], right[1], left[1])).rounded(1)


def spliced(
    page: Sequence[TextLine],
    read: Sequence[TextLine],
    replaces: Sequence[str],
    kept: Sequence[str],
    box: Quad,
    mark: str,
) -> Splice:
    """Where what was read goes in a page.

    A line takes the id of one that it replaces, so that its history goes on; one line for one keeps the box too, which
    a person may have drawn. Further lines get ids of their own, which no other reading gives.

    Args:
        replaces: ids of the lines of the box that may be replaced; kept: of those that may not.
        mark: of this reading alone, for the ids.
    """
    held = [line for line in page if line.id in kept]
    offered = tuple(line for line in read if _taken(line, held, box))
    fresh = [line for line in read if line not in offered]
    free = [line for line in page if line.id in replaces]
    if not fresh:
        return Splice((), (), None, tuple(kept), _named(offered, held, mark))
    lines = _named(fresh, free, mark)
    if len(free) == len(lines) == 1:
        lines = (replace(lines[0], quad=free[0].quad or lines[0].quad),)
    after = None if free else _before(page, lines)
    return Splice(lines, tuple(line.id for line in free), after, tuple(kept), _named(offered, held, mark))


def _taken(line: TextLine, held: Sequence[TextLine], box: Quad) -> bool:
    """Whether a line that was read stands where a person's line stands."""
    center = line.quad.bounds.center if line.quad else box.bounds.center
    return any((other.quad or box).holds(center) for other in held)


def _named(read: Sequence[TextLine], places: Sequence[TextLine], mark: str) -> tuple[TextLine, ...]:
    names = [line.id for line in places] + [f"r{mark}-{index}" for index in range(len(places), len(read))]
    return tuple(replace(line, id=name) for line, name in zip(read, names, strict=False))


def _before(page: Sequence[TextLine], lines: Sequence[TextLine]) -> str | None:
    """The id of the line of the page that a reader comes from to the new lines."""
    order = line_order([*page, *lines])
    place = order.index(len(page))
    return page[order[place - 1]].id if place else None


def step_value(step: RereadStep) -> dict[str, Any]:
    """A step as JSON values."""
    value: dict[str, Any] = {"state": step.state, "seconds": step.seconds, "text": step.text}
    if step.splice is not None and step.stored is not None:
        splice = step.splice
        value["splice"] = {
            "lines": _lines(splice.lines),
            "replaces": list(splice.replaces),
            "after": splice.after,
            "kept": list(splice.kept),
            "offered": _lines(splice.offered),
        }
        value["reread"] = reread_value(step.stored)
    return value


def reread_value(stored: StoredReread) -> dict[str, Any]:
    """What the page must know of a reading: which lines an engine has written, and which engine."""
    value = stored.reread
    return {"id": stored.id, "engine": value.engine.title, "lines": _lines(value.lines)}


def _lines(lines: Sequence[TextLine]) -> list[dict[str, Any]]:
    return PageContent(lines=tuple(lines)).to_dict()["lines"]
