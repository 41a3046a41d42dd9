"""Stand-ins for tests: an engine that plays a recorded stream, with its delays and failures."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.engines.base import Capabilities, Engine, EngineEvent, EngineRequest, EngineState, Finished, Health
from ocr_ui.services.work_off import first_of


@dataclass(frozen=True)
class Pause:
    """Seconds of silence in a script."""

    seconds: float


SOON = 20.0
"""Seconds within which comes what nothing holds up, however busy the machine is; scripts that hang pause for longer."""
ScriptStep = EngineEvent | Pause | asyncio.Event | Exception


class ReadingOnce:
    """An engine that reads a picture when it is first asked, and says the same about it from then on."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._said: dict[bytes, list[EngineEvent]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        picture = sha256(request.pixels).digest()
        if picture in self._said:
            for event in self._said[picture]:
                yield event
            return
        said = []
        async with aclosing(self._engine.generate(request)) as events:
            async for event in events:
                said.append(event)
                yield event
        self._said[picture] = said


class ScriptedEngine:
    """Plays a script for every request: events are sent, pauses waited for, exceptions raised. An `asyncio.Event` in it
    holds the request until a test sets it.

    `running` holds the ids of requests in progress, `seen` every request, so that tests can watch aborts.
    """

    name = EngineName("scripted", "1", "script", "r1")

    def __init__(
        self,
        script: Sequence[ScriptStep],
        capabilities: Capabilities | None = None,
        answers: Sequence[Sequence[ScriptStep]] = (),
    ) -> None:
        self.script = script
        self.answers = answers or (script,)
        self.capabilities = capabilities or Capabilities(tasks=frozenset(Task), takes_prompt=True)
        self.running: set[str] = set()
        self.seen: list[EngineRequest] = []
        self._aborts: dict[str, asyncio.Event] = {}
        self._state = EngineState.LOADING

    async def start(self) -> None:
        self._state = EngineState.READY

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        async with aclosing(self._played(request, [self.script])) as events:
            async for _, event in events:
                yield event

    async def samples(self, request: EngineRequest, n: int) -> AsyncIterator[tuple[int, EngineEvent]]:
        """Plays the scripts of `answers` side by side, one step of each in turn; further answers begin anew."""
        scripts = [self.answers[index % len(self.answers)] for index in range(n)]
        async with aclosing(self._played(request, scripts)) as events:
            async for event in events:
                yield event

    async def _played(
        self, request: EngineRequest, scripts: Sequence[Sequence[ScriptStep]]
    ) -> AsyncIterator[tuple[int, EngineEvent]]:
        self.seen.append(request)
        self.running.add(request.id)
        left = dict(enumerate(map(iter, scripts)))
        due = dict.fromkeys(left, (0.0, 0))
        clock = asyncio.get_running_loop().time
        try:
            for turn in itertools.count(1):
                if not left:
                    return
                index = min(left, key=due.__getitem__)  # the longest silent, of those that do not pause
                await self._wait(request.id, max(0.0, due[index][0] - clock()))
                if self._aborts.setdefault(request.id, asyncio.Event()).is_set():
                    for other in left:
                        yield other, Finished(Generation(finish_reason="aborted"))
                    return
                step = next(left[index], None)
                due[index] = (clock() + step.seconds if isinstance(step, Pause) else 0.0, turn)
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, asyncio.Event):
                    await first_of(step.wait(), self._aborts[request.id].wait())
                    continue
                if step is None:
                    del left[index]
                elif not isinstance(step, Pause):
                    yield index, step
        finally:
            self.running.discard(request.id)

    async def _wait(self, request_id: str, seconds: float) -> None:
        if not seconds:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._aborts.setdefault(request_id, asyncio.Event()).wait(), seconds)

    async def abort(self, request_id: str) -> None:
        self._aborts.setdefault(request_id, asyncio.Event()).set()

    def health(self) -> Health:
        return Health(self._state)

    async def close(self) -> None:
        self._state = EngineState.DEAD
