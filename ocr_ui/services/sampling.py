"""Asks one engine for several answers about one picture and tells how far each is. Knows no store."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

import numpy as np

from ocr_ui.domain.recognition import Generation, PromptUsed
from ocr_ui.domain.rollout import Answer, Logprobs, Rollout
from ocr_ui.engines.base import AskedApart, Engine, EngineRequest, Finished, SampleEvent, TextDelta
from ocr_ui.engines.samples import check_samples, samples
from ocr_ui.errors import WorkbenchError, noted
from ocr_ui.exports.examples import picture_tokens, prompt_tokens
from ocr_ui.images.transform import PictureTransform
from ocr_ui.services.pacing import paced
from ocr_ui.services.reading import (
    Progress,
    ReadingRun,
    ReadRequest,
    asked_of_engine,
    check_engine,
    engine_copy,
    joined,
    prompt_used,
    unexpected,
)
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How far the answers are.

    Attributes:
        answers: of each, in order.
        seconds: since they were asked for.
        together: they were asked in one request; else one after another.
        rollout: all of them, with the last step only.
        error: why it ended early.
    """

    answers: tuple[Progress, ...]
    seconds: float
    together: bool
    rollout: Rollout | None = None
    error: WorkbenchError | None = None


async def sample_picture(
    pixels: np.ndarray,
    page_sha256: str,
    engine: Engine,
    request: ReadRequest,
    n: int,
    settings: Settings,
    stop: asyncio.Event | None = None,
    abandoned: Callable[[Callable[[], Sampling]], None] | None = None,
) -> AsyncIterator[Sampling]:
    """n answers about a stored picture.

    Args, pace and the way in which failures are told are those of `ocr_ui.services.reading.read_picture`. An answer
    that repeats itself goes on to its limit while another one does not: all end as one.

    Raises:
        BadInput: as `read_picture`, and those of `ocr_ui.engines.samples.check_samples`.
    """
    check_engine(engine, request.template)
    prompt, refused = prompt_used(request, engine, settings)
    check_samples(engine, prompt.sampling, n)
    copy, transform, notices, _ = await asyncio.to_thread(engine_copy, pixels, request, settings)
    group = _Group(pixels, page_sha256, engine, request, prompt, n)
    group.prepared(transform, (*request.notices, *refused, *notices))
    asked = asked_of_engine(request, prompt, copy)
    stop = stop or asyncio.Event()
    try:
        async with aclosing(_steps(group, engine, asked, stop)) as steps:
            async for step in steps:
                yield step
        last = await asyncio.to_thread(group.finish)
    except (GeneratorExit, asyncio.CancelledError):
        if abandoned is not None:
            abandoned(group.finish)
        raise
    yield last


async def _steps(group: _Group, engine: Engine, asked: EngineRequest, stop: asyncio.Event) -> AsyncIterator[Sampling]:
    aborted = False
    try:
        async with aclosing(paced(_events(engine, asked, group, stop))) as batches:
            async for events in batches:
                for index, some in _by_answer(events).items():
                    for event in joined(some):
                        group.take(index, event)
                if (group.all_loop or stop.is_set()) and not aborted:
                    aborted = True
                    await engine.abort(asked.id)
                yield group.progress()
    except WorkbenchError as error:
        group.error = error
    except Exception as error:
        log.exception("engine %s failed", engine.name.kind)
        group.error = unexpected(error, engine)


async def _events(
    engine: Engine, asked: EngineRequest, group: _Group, stop: asyncio.Event
) -> AsyncIterator[tuple[int, SampleEvent]]:
    """The engine's events; none of them where all was stopped before the engine was asked."""
    if stop.is_set():
        return
    async with aclosing(samples(engine, asked, group.n)) as events:
        async for index, event in events:
            group.note(index, event)
            yield index, event


def _by_answer(events: Iterable[tuple[int, SampleEvent]]) -> dict[int, list[SampleEvent]]:
    """Events of several answers that came mixed, each answer's in their order."""
    found: dict[int, list[SampleEvent]] = {}
    for index, event in events:
        found.setdefault(index, []).append(event)
    return found


class _Group:
    """The answers on their way: events go in, `Sampling` comes out."""

    def __init__(
        self, pixels: np.ndarray, sha256: str, engine: Engine, request: ReadRequest, prompt: PromptUsed, n: int
    ) -> None:
        self.n, self.together = n, True
        self.error: WorkbenchError | None = None
        self._begin = time.perf_counter()
        self._sha256, self._engine, self._prompt = sha256, engine, prompt
        self._runs = [ReadingRun(pixels, sha256, engine, request, prompt) for _ in range(n)]
        self._logprobs: list[list[float]] = [[] for _ in range(n)]
        self._ended: list[Progress | None] = [None] * n
        self._transform: PictureTransform | None = None

    def prepared(self, transform: PictureTransform, notices: tuple) -> None:
        self._transform = transform
        for run in self._runs:
            run.prepared(transform, notices)

    def note(self, index: int, event: SampleEvent) -> None:
        """When it came; `take` may have it later."""
        if not isinstance(event, AskedApart):
            self._runs[index].note(event)

    def take(self, index: int, event: SampleEvent) -> None:
        if isinstance(event, AskedApart):
            self.together = False
            return
        self._runs[index].take(event)
        if isinstance(event, TextDelta):
            self._logprobs[index] += event.logprobs
        if isinstance(event, Finished):
            self._ended[index] = self._runs[index].finish()

    @property
    def all_loop(self) -> bool:
        """Every answer that still comes repeats itself."""
        going = [run for run, ended in zip(self._runs, self._ended, strict=True) if ended is None]
        return bool(going) and all(run.looping for run in going)

    def progress(self) -> Sampling:
        answers = (ended or run.progress() for run, ended in zip(self._runs, self._ended, strict=True))
        return Sampling(tuple(answers), time.perf_counter() - self._begin, self.together, error=self.error)

    def finish(self) -> Sampling:
        """The last step: what did not end by itself ends now, as stopped or failed."""
        for index, run in enumerate(self._runs):
            if self._ended[index] is None:
                if self.error is not None:
                    run.fail(self.error)
                elif run.generation is None:
                    run.generation = Generation(finish_reason="aborted")
                self._ended[index] = run.finish()
        ended = [one for one in self._ended if one is not None]
        return replace(self.progress(), rollout=self._rollout(ended))

    def _rollout(self, ended: Sequence[Progress]) -> Rollout:
        width, height = self._transform.engine_size if self._transform else (0, 0)
        answers = (_answer(number, one, self._logprobs[number]) for number, one in enumerate(ended))
        picture = picture_tokens(width, height)
        return Rollout(
            page_sha256=self._sha256,
            engine=self._engine.name,
            prompt=self._prompt,
            answers=tuple(answers),
            asked=self.n,
            transform=self._transform.to_dict() if self._transform else {},
            together=self.together,
            seconds=time.perf_counter() - self._begin,
            picture_tokens=picture,
            prompt_tokens=prompt_tokens(self._prompt.text, width, height) - picture,
            error=noted(self.error),
        )


def _answer(number: int, ended: Progress, logprobs: Sequence[float]) -> Answer:
    read = ended.recognition
    assert read is not None  # noqa: S101 - `ReadingRun.finish` gives one
    known = Logprobs(len(logprobs), sum(logprobs) / len(logprobs), min(logprobs)) if logprobs else None
    return Answer(number, read.generation, read.outcome, read.content, known)
