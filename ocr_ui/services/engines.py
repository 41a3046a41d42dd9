"""The engines of this process: which there are, which one is the default, and how each of them is."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ocr_ui.domain.prompt import Task
from ocr_ui.engines.base import Engine, EngineState, Health
from ocr_ui.engines.registry import KINDS, create_engine
from ocr_ui.errors import BadInput, EngineBusy, EngineDead, WorkbenchError
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)


def default_kind(settings: Settings) -> str:
    """The engine that `auto` means here: vllm where vLLM and an NVIDIA GPU are there, else rapidocr."""
    if settings.engine != "auto":
        return settings.engine
    return "vllm" if "vllm" in KINDS and find_spec("vllm") is not None and has_gpu() else "rapidocr"


def has_gpu() -> bool:
    """Is an NVIDIA device there? Looks at the driver's files: importing torch for it would take seconds."""
    return any(Path("/dev").glob("nvidia[0-9]*")) or Path("/proc/driver/nvidia/version").exists()


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine for the page: its name in the settings, how it is and what it can do."""

    name: str
    health: Health
    tasks: frozenset[Task]
    takes_prompt: bool


def _again(error: WorkbenchError) -> WorkbenchError:
    """The same error to be raised once more: one object raised again and again would hold on to every caller's frame,
    pictures and all."""
    return type(error)(error.code, error.message, error.hint, **error.details)


class Engines:
    """Engines by name, started in the background; the first is the default.

    A name that cannot be built (its package is missing) stays in the list as dead, with the reason.
    """

    def __init__(self, engines: dict[str, Engine], broken: dict[str, WorkbenchError] | None = None) -> None:
        self._engines = engines
        self._broken = broken or {}
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._failed: dict[str, WorkbenchError] = {}

    @classmethod
    def from_settings(cls, settings: Settings) -> Engines:
        """The chosen engine, and rapidocr beside it."""
        engines: dict[str, Engine] = {}
        broken: dict[str, WorkbenchError] = {}
        for kind in dict.fromkeys((default_kind(settings), "rapidocr")):
            try:
                engines[kind] = create_engine(kind, settings)
            except BadInput:
                raise
            except WorkbenchError as error:
                broken[kind] = error
        return cls(engines, broken)

    @property
    def default(self) -> str:
        return next(iter(self._engines), next(iter(self._broken), ""))

    def start(self) -> None:
        """Starts every engine in the background and logs those that fail; needs a running event loop."""
        for error in self._broken.values():
            log.error("%s", error)
        for name in self._engines:
            self._start_one(name).add_done_callback(lambda _, name=name: self._log_failure(name))

    def _log_failure(self, name: str) -> None:
        if name in self._failed:
            log.error("engine %s: %s", name, self._failed[name])

    def _start_one(self, name: str) -> asyncio.Task[None]:
        if name not in self._starting:
            self._starting[name] = asyncio.create_task(self._load(name))
        return self._starting[name]

    async def _load(self, name: str) -> None:
        try:
            await self._engines[name].start()
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
            raise BadInput(
                "unknown_engine",
                f"There is no engine {name!r}.",
                f"Use one of: {', '.join(self._engines)}.",
                engine=name,
            )
        try:
            await asyncio.wait_for(asyncio.shield(self._start_one(name)), wait)
        except TimeoutError:
            raise EngineBusy(
                "engine_loading", f"The engine {name} is still loading.", "Try again in a moment.", engine=name
            ) from None
        if name in self._failed:
            raise _again(self._failed[name])
        return self._engines[name]

    def infos(self) -> list[EngineInfo]:
        built = [
            EngineInfo(name, self._health(name), engine.capabilities.tasks, engine.capabilities.takes_prompt)
            for name, engine in self._engines.items()
        ]
        dead = [
            EngineInfo(name, Health(EngineState.DEAD, message=str(error)), frozenset(), False)
            for name, error in self._broken.items()
        ]
        return built + dead

    def _health(self, name: str) -> Health:
        if name in self._failed:
            return Health(EngineState.DEAD, message=str(self._failed[name]))
        return self._engines[name].health()

    def can(self, task: Task) -> list[str]:
        """Names of the engines that do a task."""
        return [name for name, engine in self._engines.items() if task in engine.capabilities.tasks]

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
