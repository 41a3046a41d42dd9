"""The engines of this process: which there are, which one is the default, and how each of them is."""

from __future__ import annotations

import asyncio
import logging
import time
from contextvars import Context
from dataclasses import dataclass

from ocr_ui.domain.prompt import Task
from ocr_ui.engines.base import Engine, EngineLoad, EngineState, Health, MeasuredEngine, RemovableEngine
from ocr_ui.engines.registry import create_engine, unknown_kind
from ocr_ui.errors import BadInput, EngineBusy, EngineDead, WorkbenchError
from ocr_ui.services.engine_entries import READER, EngineEntry, engine_entries
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

LOADING_BEAT = 0.5
"""Seconds between two steps that say that the engine is still loading."""
RETRY_SECONDS = 10.0
"""An engine that failed to start is tried again when it is asked for, but no sooner than this after the failure."""

NO_ROOM = frozenset({"gpu_memory_taken", "engine_out_of_memory"})
"""Failures of a start that another engine's memory may help."""

GIVEN_SECONDS = 10.0
"""An engine that was given out so lately may be about to read a page."""

ROOM_TRIES, ROOM_WAIT = 5, 1.0
"""Starts in room that was made, and seconds between them: a card is not told at once that memory was given back."""


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine for the page: its name and kind in the settings, how it is and what it can do."""

    name: str
    kind: str
    health: Health
    tasks: frozenset[Task]
    takes_prompt: bool
    holds_form: bool = False


def _again(error: WorkbenchError) -> WorkbenchError:
    """The same error to be raised once more: one object raised again and again would hold on to every caller's frame,
    pictures and all."""
    return type(error)(error.code, error.message, error.hint, **error.details)


def _in_the_way(name: str, other: str) -> EngineDead:
    return EngineDead(
        "engine_in_the_way",
        f"There is no memory for the engine {name} while {other} reads pages.",
        f"Choose {name} again when those are read.",
        engine=name,
        other=other,
    )


class Engines:
    """Engines by name; the first is the default.

    A name that cannot be built (its package is missing) stays in the list as dead, with the reason.

    Args:
        entries: what is configured of each, by name; none for engines made by hand.
    """

    def __init__(
        self,
        engines: dict[str, Engine],
        broken: dict[str, WorkbenchError] | None = None,
        entries: dict[str, EngineEntry] | None = None,
    ) -> None:
        self._engines = engines
        self._broken = broken or {}
        self._entries = entries or {}
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._failed: dict[str, WorkbenchError] = {}
        self._failed_at: dict[str, float] = {}
        self._given_at: dict[str, float] = {}
        self._put_away: dict[str, WorkbenchError] = {}

    @classmethod
    def from_settings(cls, settings: Settings) -> Engines:
        """The engines that are configured. Raises BadInput, see `engine_entries`."""
        entries = {entry.name: entry for entry in engine_entries(settings)}
        engines: dict[str, Engine] = {}
        broken: dict[str, WorkbenchError] = {}
        for name, entry in entries.items():
            try:
                engines[name] = create_engine(entry.kind, entry.settings)
            except BadInput:
                raise
            except WorkbenchError as error:
                broken[name] = error
        return cls(engines, broken, entries)

    @property
    def default(self) -> str:
        return next(iter(self._engines), next(iter(self._broken), ""))

    def kind_of(self, name: str) -> str:
        return self._entries[name].kind if name in self._entries else name

    def called(self, wanted: str) -> str:
        """The engine of this name, else the first of this kind; `wanted` itself where there is neither."""
        known = [*self._engines, *self._broken]
        if wanted in known:
            return wanted
        return next((name for name in known if self.kind_of(name) == wanted), wanted)

    def settings_of(self, name: str, otherwise: Settings) -> Settings:
        """The settings that an engine of this name (empty for the default) was given."""
        entry = self._entries.get(name or self.default)
        return entry.settings if entry else otherwise

    def start(self) -> None:
        """Starts the default and the CPU engine in the background and logs what fails; needs a running event loop.

        The others wait until they are asked for: several that load a model would not fit into memory together.
        """
        for name, error in self._broken.items():
            log.error("engine %s: %s", name, error)
        at_once = {self.default, self.called(READER)} if self._entries else self._engines
        for name in self._engines:
            if name in at_once:
                self.wake(name)

    def wake(self, name: str) -> None:
        """Starts an engine that somebody has chosen; does nothing for one that runs or does not exist."""
        if name in self._engines and self._may_start(name):
            # Not as part of the request that chose it: what a start fails of is told whole.
            self._start_one(name).add_done_callback(lambda _: self._log_failure(name), context=Context())

    def _log_failure(self, name: str) -> None:
        if name in self._failed:
            log.error("engine %s: %s", name, self._failed[name])

    def _may_start(self, name: str) -> bool:
        """Not started yet, or failed a while ago: what was missing then may be there now."""
        if name not in self._starting:
            return True
        return name in self._failed and time.monotonic() - self._failed_at[name] > RETRY_SECONDS

    def _start_one(self, name: str) -> asyncio.Task[None]:
        if self._may_start(name):
            self._failed.pop(name, None)
            self._put_away.pop(name, None)
            self._starting[name] = asyncio.create_task(self._load(name), context=Context())
        return self._starting[name]

    async def _load(self, name: str) -> None:
        try:
            await self._start_with_room(name)
        except WorkbenchError as error:
            self._failed[name] = error
        except Exception as error:
            log.exception("engine %s did not start", name)
            self._failed[name] = EngineDead(
                "engine_not_started",
                f"The engine {name} did not start: {error}",
                "The log has the whole error.",
                engine=name,
                reason=str(error),
            )
        self._failed_at[name] = time.monotonic()

    async def _start_with_room(self, name: str) -> None:
        """Starts an engine; where memory is missing, engines that hold some and read nothing are put away for it."""
        made_room = 0
        while True:
            try:
                return await self._engines[name].start()
            except EngineDead as error:
                if error.code not in NO_ROOM:
                    raise
                holders = [other for other in self._engines if other != name and self._holds_memory(other)]
                idle = next((other for other in holders if self._is_idle(other)), None)
                if idle is not None:
                    await self._make_room(idle, name)
                    made_room = ROOM_TRIES
                elif made_room > 1:
                    made_room -= 1
                    await asyncio.sleep(ROOM_WAIT)
                elif holders:
                    raise _in_the_way(name, holders[0]) from error
                else:
                    raise

    def _holds_memory(self, name: str) -> bool:
        task, engine = self._starting.get(name), self._engines[name]
        return task is not None and name not in self._failed and isinstance(engine, RemovableEngine)

    def _is_idle(self, name: str) -> bool:
        engine = self._engines[name]
        lately = time.monotonic() - self._given_at.get(name, -GIVEN_SECONDS) < GIVEN_SECONDS
        return self._starting[name].done() and not lately and name in self._entries and engine.is_idle()

    async def _make_room(self, name: str, wanted: str) -> None:
        """Puts an engine away; it is started again when somebody chooses it."""
        notice = EngineBusy(
            "engine_put_away",
            f"The engine {name} was put away to make room for {wanted}.",
            "It starts again when it is chosen.",
            engine=name,
            other=wanted,
        )
        log.info("%s", notice)
        old, entry = self._engines[name], self._entries[name]
        self._engines[name] = create_engine(entry.kind, entry.settings)
        del self._starting[name]
        self._put_away[name] = notice
        await old.close()

    async def ready(self, name: str = "", wait: float | None = None) -> Engine:
        """The engine of a name, started.

        Args:
            name: as in `infos`; empty for the default.
            wait: seconds to wait for an engine that is loading; None waits to the end.

        Raises:
            BadInput: unknown name. EngineDead: it could not be started. EngineBusy: still loading after `wait`.
        """
        name = name or self.default
        if name in self._broken:
            raise _again(self._broken[name])
        if name not in self._engines:
            raise unknown_kind(name, self._engines)
        try:
            await asyncio.wait_for(asyncio.shield(self._start_one(name)), wait)
        except TimeoutError:
            raise EngineBusy(
                "engine_loading", f"The engine {name} is still loading.", "Try again in a moment.", engine=name
            ) from None
        if name in self._failed:
            raise _again(self._failed[name])
        self._given_at[name] = time.monotonic()
        return self._engines[name]

    async def ready_soon(self, name: str = "") -> Engine | None:
        """As `ready`; None where the engine is still loading after `LOADING_BEAT`."""
        try:
            return await self.ready(name, LOADING_BEAT)
        except EngineBusy:
            return None

    def infos(self) -> list[EngineInfo]:
        built = [
            EngineInfo(name, self.kind_of(name), self._health(name), can.tasks, can.takes_prompt, can.holds_form)
            for name, can in ((name, engine.capabilities) for name, engine in self._engines.items())
        ]
        dead = [
            EngineInfo(name, self.kind_of(name), Health(EngineState.DEAD, problems=(error,)), frozenset(), False)
            for name, error in self._broken.items()
        ]
        return built + dead

    def _health(self, name: str) -> Health:
        if name in self._failed:
            memory = self._engines[name].health().memory
            return Health(EngineState.DEAD, problems=(self._failed[name],), memory=memory)
        if name in self._entries and name not in self._starting:
            put_away = self._put_away.get(name)
            return Health(EngineState.IDLE, problems=(put_away,) if put_away else ())
        return self._engines[name].health()

    def loads(self) -> dict[str, EngineLoad]:
        """What the engines that tell it have to do, by name."""
        told = ((name, engine) for name, engine in self._engines.items() if isinstance(engine, MeasuredEngine))
        return {name: engine.load() for name, engine in told}

    def places(self, name: str = "") -> int:
        """Pages that an engine of this name (empty for the default) reads at once; 0 where it does not tell."""
        engine = self._engines.get(name or self.default)
        return engine.load().places if isinstance(engine, MeasuredEngine) else 0

    def can(self, task: Task) -> list[str]:
        """Names of the engines that do a task."""
        return [name for name, engine in self._engines.items() if task in engine.capabilities.tasks]

    def varying(self) -> list[str]:
        """Names of the engines whose answers to one question can differ, the default first where it is one."""
        able = [name for name, engine in self._engines.items() if engine.capabilities.varies]
        return sorted(able, key=lambda name: name != self.default)

    async def abort(self, run_id: str) -> None:
        """Ends a run in whichever engine has it."""
        for engine in self._engines.values():
            await engine.abort(run_id)

    async def close(self) -> None:
        for task in self._starting.values():
            task.cancel()
        await asyncio.gather(*self._starting.values(), return_exceptions=True)
        for engine in self._engines.values():
            await engine.close()
