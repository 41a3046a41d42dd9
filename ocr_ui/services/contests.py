"""Evaluations in the background: begun, paused, gone on with, given up. `contest_runner` does the reading."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.job import JobState
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import PromptTemplate
from ocr_ui.engines.registry import unknown_kind
from ocr_ui.prompting import PromptLibrary
from ocr_ui.scoring.text import Normalization
from ocr_ui.services.access import needs
from ocr_ui.services.engines import Engines
from ocr_ui.services.evaluate import Ask, check_competitors, values_for
from ocr_ui.services.evaluation_scores import can_be_scored
from ocr_ui.services.labelled_sets import LabelledSet, check_set, open_set
from ocr_ui.services.reading import check_task
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredContest
from ocr_ui.storage.store import Store

MOST_LISTED = 100
MOST_AT_ONCE = 64
LEFT_OUT_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ContestProgress:
    """A contest and how far it is."""

    stored: StoredContest

    @property
    def state(self) -> str:
        """waiting, running, paused, done or cancelled."""
        if self.stored.state is not JobState.OPEN:
            return self.stored.state.value
        return "running" if self.stored.held else "waiting"

    @property
    def seconds_left(self) -> float | None:
        """None where nothing runs, or nobody can tell yet."""
        if self.state != "running" or not self.stored.per_second or not self.stored.total:
            return None
        return (self.stored.total - self.stored.done) / self.stored.per_second


class Contests:
    """Contests of a store. They are read by `ocr_ui.services.contest_runner`, in this process or another one."""

    def __init__(self, store: Store, engines: Engines, templates: PromptLibrary, settings: Settings) -> None:
        self._store, self._engines, self._templates, self._settings = store, engines, templates, settings
        self._listeners: list[asyncio.Event] = []

    def listen(self) -> asyncio.Event:
        """An event that is set whenever a contest was begun or changed by this process."""
        event = asyncio.Event()
        self._listeners.append(event)
        return event

    @needs(Action.RECOGNIZE, audited="contest.create", limited="reads", target=lambda _, done: done.stored.id)
    async def create(self, ask: Ask, person: Person | None = None) -> ContestProgress:
        """Stores a contest, which begins as soon as a process is free. Versions of templates are those of now.

        Raises:
            BadInput: `too_many_competitors`, `no_competitors`, an unknown engine, `task_not_possible`.
            NotFound: an unknown template, `unknown_test_set`. StoreFailed.
        """
        asked = await asyncio.to_thread(self._asked, ask)
        number = await asyncio.to_thread(self._store.contests.begin, asked, person)
        self._tell()
        return await self.progress(number)

    @needs(Action.READ)
    async def list(self, limit: int = 20) -> list[ContestProgress]:
        """The newest first."""
        found = await asyncio.to_thread(self._store.contests.list, min(limit, MOST_LISTED))
        return [ContestProgress(one) for one in found]

    @needs(Action.READ)
    async def progress(self, number: int) -> ContestProgress:
        """Raises NotFound (`unknown_contest`)."""
        return ContestProgress(await asyncio.to_thread(self._store.contests.get, number))

    @needs(Action.RECOGNIZE, audited="contest.pause")
    async def pause(self, number: int) -> ContestProgress:
        """Ends the reading; what was read is kept. Raises NotFound."""
        return await self._changed(self._store.contests.pause, number)

    @needs(Action.RECOGNIZE, audited="contest.resume")
    async def resume(self, number: int) -> ContestProgress:
        """Goes on with one that is paused. Raises NotFound, Conflict (`contest_ended`)."""
        return await self._changed(self._store.contests.resume, number)

    @needs(Action.RECOGNIZE, audited="contest.cancel")
    async def cancel(self, number: int) -> ContestProgress:
        """Gives up what is not done; what was read is kept for other contests. Raises NotFound."""
        return await self._changed(self._store.contests.cancel, number)

    @needs(Action.READ)
    async def look(self, data: str) -> dict[str, Any]:
        """What a set holds, before anything is read: pages, groups, and which templates fit how many of them.

        Raises as `labelled_sets.open_set`.
        """
        return await asyncio.to_thread(self._look, data)

    async def _changed(self, change: Callable[[int], object], number: int) -> ContestProgress:
        await asyncio.to_thread(change, number)
        self._tell()
        return await self.progress(number)

    def _tell(self) -> None:
        for event in self._listeners:
            event.set()

    def _asked(self, ask: Ask) -> dict[str, Any]:
        """What is stored of the question, once it is known that it can be asked."""
        wanted = check_competitors(ask)
        check_set(ask.data, self._store)
        return {
            "data": ask.data,
            "competitors": [self._competitor(*one) for one in wanted],
            "normalization": asdict(ask.normalization),
            "at_once": max(1, min(ask.at_once, MOST_AT_ONCE)),
            "fresh": ask.fresh,
        }

    def _competitor(self, template: str, engine: str) -> dict[str, str]:
        name, _, version = template.partition("@")
        found = self._templates.get(name, version or None)
        called = self._engines.called(engine) if engine else self._engines.default
        tasks = {info.name: info.tasks for info in self._engines.infos()}
        if called not in tasks:
            raise unknown_kind(called, tasks)
        check_task(called, tasks[called], found)
        return {"template": name, "version": found.version, "engine": called}

    def _look(self, data: str) -> dict[str, Any]:
        templates = self._templates.list()
        pages = open_set(data, self._store, self._settings, templates)
        groups = {
            "language": Counter(page.language for page in pages.pages if page.language),
            "kind": Counter(page.kind for page in pages.pages if page.kind),
            "tag": Counter(tag for page in pages.pages for tag in page.tags),
        }
        return {
            "data": data,
            "pages": len(pages.pages),
            "facts": sum(len(page.truth.facts) for page in pages.pages),
            "left_out": [{"page": name, "reason": why} for name, why in pages.left_out[:LEFT_OUT_SHOWN]],
            "left_out_count": len(pages.left_out),
            "groups": {name: dict(count.most_common()) for name, count in groups.items()},
            "templates": _fitting(pages, templates),
        }


def _fitting(pages: LabelledSet, templates: Sequence[PromptTemplate]) -> dict[str, int]:
    """Of how many pages is something known that an answer to each template can be compared with?"""
    tasks = {template.task for template in templates}
    scorable = {task: [can_be_scored(page.truth, task) for page in pages.pages] for task in tasks}
    return {
        template.name: sum(
            fits and values_for(template, page) is not None
            for fits, page in zip(scorable[template.task], pages.pages, strict=True)
        )
        for template in templates
    }


def ask_of(asked: dict[str, Any], begun: datetime) -> Ask:
    """The question as it was stored. Args: begun: when; what is to be read afresh is so since then."""
    return Ask(
        data=asked["data"],
        competitors=tuple((f"{one['template']}@{one['version']}", one["engine"]) for one in asked["competitors"]),
        normalization=Normalization(**asked["normalization"]),
        at_once=asked["at_once"],
        since=begun if asked["fresh"] else None,
    )


def contest_value(progress: ContestProgress) -> dict[str, Any]:
    """Plain JSON values; `reason` is an error in the one form."""
    one = progress.stored
    return {
        "contest": one.id,
        "state": progress.state,
        "person": one.person,
        "created_at": one.created_at.isoformat(),
        "ended_at": one.ended_at.isoformat() if one.ended_at else None,
        **one.asked,
        "reason": one.reason,
        "done": one.done,
        "total": one.total,
        "page": one.told,
        "pages_per_second": one.per_second if progress.state == "running" else None,
        "seconds_left": progress.seconds_left,
        "run": one.run,
    }
