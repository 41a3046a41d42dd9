"""The CPU engine: RapidOCR's models, one page at a time, lines shown as they are read."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

from ocr_ui.domain.counted import counted
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.engines.base import (
    Capabilities,
    EngineEvent,
    EngineLoad,
    EngineRequest,
    EngineState,
    Finished,
    Health,
    LinesDelta,
    Phase,
    Started,
    closed,
)
from ocr_ui.engines.rapid_models import RapidModels, Stopped, StopSign, cores, require_package
from ocr_ui.engines.rapid_page import RapidPage
from ocr_ui.errors import EngineBusy, EngineDead, EngineFailed, WorkbenchError
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)


MOST_LINES_AT_ONCE = 8
"""Each holds its activations, some ten MB."""


def lines_at_once() -> int:
    """One a core: a core each is quicker than all cores on one line, most of whose steps are too small to share."""
    return min(cores(), MOST_LINES_AT_ONCE)


class Job:
    """One request: its stop sign, and its place in the queue (False: stopped while waiting)."""

    def __init__(self) -> None:
        self.stop = StopSign()
        self.turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def end(self) -> None:
        self.stop.set()
        if not self.turn.done():
            self.turn.set_result(False)


class Slot:
    """One worker and the queue before it, first come first served."""

    def __init__(self, max_waiting: int) -> None:
        self._max_waiting = max_waiting
        self._waiting: deque[Job] = deque()
        self._working: Job | None = None

    def join(self, job: Job) -> None:
        """Raises EngineBusy where as many wait as may."""
        if self._working is None:
            self._call(job)
        elif len(self._waiting) >= self._max_waiting:
            raise EngineBusy(
                "queue_full",
                f"{counted(self._max_waiting, 'reading waits', 'readings wait')} already.",
                "Try again in a moment.",
                waiting=self._max_waiting,
            )
        else:
            self._waiting.append(job)

    def leave(self, job: Job) -> None:
        if job is self._working:
            self._working = None
            while self._waiting and self._working is None:
                self._call(self._waiting.popleft())
        elif job in self._waiting:
            self._waiting.remove(job)

    def load(self) -> EngineLoad:
        return EngineLoad(places=1, running=int(self._working is not None), waiting=len(self._waiting))

    def _call(self, job: Job) -> None:
        if not job.turn.done():
            self._working = job
            job.turn.set_result(True)


class RapidOcrEngine:
    """RapidOCR behind the engine interface. It reads text; fields are found in its lines by rules elsewhere."""

    capabilities = Capabilities(
        tasks=frozenset({Task.TEXT, Task.SPOTTING, Task.FIELDS}), gives_boxes=True, gives_confidence=True
    )

    def __init__(self, settings: Settings) -> None:
        """Raises EngineDead where a package is missing."""
        require_package()
        self.name = EngineName("rapidocr")
        self._models: RapidModels | None = None
        self._health = Health(EngineState.LOADING, Phase.WAITING)
        self._slot = Slot(settings.max_waiting)
        self._jobs: dict[str, Job] = {}
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rapidocr")
        self._readers = ThreadPoolExecutor(max_workers=lines_at_once(), thread_name_prefix="rapidocr-lines")

    async def start(self) -> None:
        """Loads the models from the installed package.

        Raises:
            EngineDead: they are not there or cannot be loaded.
        """
        self._health = Health(EngineState.LOADING, Phase.LOADING)
        try:
            models = await asyncio.get_running_loop().run_in_executor(self._worker, RapidModels.load)
        except WorkbenchError as error:
            self._health = Health(EngineState.DEAD, problems=(error,))
            raise
        except Exception as error:
            dead = EngineDead(
                "engine_load_failed",
                f"RapidOCR's models cannot be loaded: {error}.",
                "Install it again, or look into the log.",
                reason=str(error),
            )
            self._health = Health(EngineState.DEAD, problems=(dead,))
            raise dead from error
        self._models = models
        self.name = EngineName("rapidocr", models.version, models.model, models.revision)
        self._health = Health(EngineState.READY)

    @property
    def models(self) -> RapidModels:
        """The loaded models, for what else needs to find and read lines (the orientation of pages).

        Raises:
            EngineBusy, EngineDead: they are not loaded.
        """
        if self._models is not None and self._health.state is EngineState.READY:
            return self._models
        if self._health.state is EngineState.DEAD:
            raise EngineDead("engine_dead", "The CPU engine does not run.", self._health.message or "Try again later.")
        raise EngineBusy("engine_loading", "The CPU engine is still loading.", "Try again in a moment.")

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        """Started, then LinesDelta, then Finished. See `Engine`.

        Warnings: `empty`, `unreadable_script`, `unreadable_lines`.
        """
        asked = time.perf_counter()
        models, job = self.models, Job()
        self._slot.join(job)
        self._jobs[request.id] = job
        reason, page = "aborted", None
        try:
            if await job.turn:
                yield Started()
                page = RapidPage(models, request.pixels, job.stop, self._readers)
                deltas = page.deltas()
                while (delta := await self._step(job, deltas)) is not None:
                    yield delta
                reason = "stop"
        except Stopped:
            log.debug("stopped %s", request.id)
        finally:
            job.end()
            self._jobs.pop(request.id, None)
            self._slot.leave(job)
        seconds = time.perf_counter() - asked
        warnings = page.warnings if page and reason == "stop" else ()
        yield Finished(Generation(finish_reason=reason, seconds=seconds), warnings)

    async def _step(self, job: Job, deltas: Iterator[LinesDelta]) -> LinesDelta | None:
        """The next lines, None at the end. A cancelled step stops the model and waits until it has stopped.

        Raises:
            Stopped: `abort` was called.
            EngineFailed: the models failed on this picture.
        """
        step = asyncio.get_running_loop().run_in_executor(self._worker, lambda: next(deltas, None))
        # Looked at, so that asyncio does not report it as forgotten: who waits here may be cancelled more than once.
        step.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            return await asyncio.shield(step)
        except asyncio.CancelledError:
            job.stop.set()
            await asyncio.wait([step])
            raise
        except (Stopped, WorkbenchError):
            raise
        except Exception as error:
            raise EngineFailed(
                "reading_failed",
                f"RapidOCR failed on this picture: {error}.",
                "Try it again, or in a smaller copy.",
                engine="rapidocr",
                reason=str(error),
            ) from error

    async def abort(self, request_id: str) -> None:
        if job := self._jobs.get(request_id):
            job.end()

    def health(self) -> Health:
        return self._health

    def load(self) -> EngineLoad:
        return self._slot.load()

    async def close(self) -> None:
        """Ends what runs and what waits."""
        self._health = closed()
        for job in list(self._jobs.values()):
            job.end()
        for threads in (self._worker, self._readers):
            await asyncio.to_thread(threads.shutdown, wait=True)
