"""The small interface that every engine has. The rest of the product knows no engine by name."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ocr_ui.domain.content import ContentWarning, TextLine
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.errors import EngineDead, WorkbenchError


class EngineState(StrEnum):
    IDLE = "idle"
    """Not started yet: it is when it is needed."""
    LOADING = "loading"
    READY = "ready"
    DEGRADED = "degraded"
    DEAD = "dead"


class Phase(StrEnum):
    """What an engine does while it is not ready. The page has words for each."""

    WAITING = "waiting"
    FINDING = "finding"
    FETCHING = "fetching"
    VERIFYING = "verifying"
    MEMORY = "memory"
    LOADING = "loading"
    TIMING = "timing"
    CHECKING = "checking"
    WARMING = "warming"
    RESTARTING = "restarting"


@dataclass(frozen=True, slots=True)
class Share:
    """How far a long piece of work is.

    Attributes:
        done, total: bytes.
        per_second: bytes a second of late; 0 where it is not known yet.
    """

    done: int
    total: int
    per_second: float = 0.0


@dataclass(frozen=True, slots=True)
class MemoryShares:
    """Where an engine's memory goes on its card, in bytes, and how many pages fit at once.

    Attributes:
        weights: of the model without its vision part; vision, draft: of those parts.
        work: for activations and graphs, estimated.
        cache: what is left for the pages that are being read.
        card: of the whole card.
        pages: typical pages that the cache holds at once.
    """

    weights: int
    vision: int
    draft: int
    work: int
    cache: int
    card: int
    pages: int


@dataclass(frozen=True, slots=True)
class DraftReason:
    """Why an engine runs without a draft model, or will from its next start on: a code, its values, and in English."""

    code: str
    text: str
    values: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftedLoad:
    """What drafts give at one load.

    Attributes:
        pages: read at once, at most.
        tokens: that one step gives a page; None where nothing was read yet.
        saved: share of the time, negative where they cost time; None where it is not known.
    """

    pages: int
    tokens: float | None
    saved: float | None


@dataclass(frozen=True, slots=True)
class Drafting:
    """Speculative decoding: whether it is on, why not, and what it gives."""

    on: bool
    reason: DraftReason | None = None
    loads: tuple[DraftedLoad, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """How an engine is.

    Attributes:
        phase: what it is doing, while it is not ready.
        problems: what is wrong, each with what to do.
        share: how far the phase is, where that can be told.
        memory: where its memory goes, where that is known.
        drafts: speculative decoding, for engines that have it.
        since: when this phase began, in the seconds of `time.monotonic`.
    """

    state: EngineState
    phase: Phase | None = None
    problems: tuple[WorkbenchError, ...] = ()
    share: Share | None = None
    memory: MemoryShares | None = None
    drafts: Drafting | None = None
    since: float = field(default_factory=time.monotonic)

    @property
    def message(self) -> str:
        """The problems in English, each once; empty where all is well."""
        return " ".join(dict.fromkeys(str(problem) for problem in self.problems))


def closed() -> Health:
    """How an engine is after `Engine.close`."""
    return Health(
        EngineState.DEAD,
        problems=(EngineDead("engine_closed", "The engine was closed.", "Start the product again."),),
    )


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can do. Everything defaults to no.

    Attributes:
        tasks: the tasks that it answers.
        takes_prompt: it reads the prompt text; otherwise the template only picks the task.
        gives_boxes: its lines carry quads of their own (they are not parsed from text).
        gives_confidence: its lines or tokens carry a confidence.
        holds_form: it can hold an answer to a JSON schema (`json_schema` in a request's sampling).
        varies: its answers can be drawn at random, so that several to one question differ.
        answers_together: it is a `SamplingEngine`: several answers in one request.
    """

    tasks: frozenset[Task] = frozenset()
    takes_prompt: bool = False
    gives_boxes: bool = False
    gives_confidence: bool = False
    holds_form: bool = False
    varies: bool = False
    answers_together: bool = False


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """One picture to read.

    Attributes:
        id: unique; `Engine.abort` takes it.
        pixels: uint8 array of shape (height, width, 3), RGB, C-contiguous: the engine's copy of the stored picture.
        encode: gives the same pixels as PNG bytes, for engines that send them elsewhere.
        task: what is asked for.
        prompt: the exact text to send; engines without `takes_prompt` ignore it.
        sampling: overrides of the engine's defaults (temperature, top_p, repetition_penalty, max_tokens, ...).
    """

    id: str
    pixels: np.ndarray
    encode: Callable[[], bytes]
    task: Task
    prompt: str = ""
    sampling: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Started:
    """The engine has taken the request off its queue and works on it now."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of a model's answer.

    Attributes:
        text: the new characters.
        tokens: how many tokens they stand for.
        logprobs: one natural-log probability a token, where the engine gives them, aligned with `pieces`.
        pieces: the text of each token (a token of a split character has an empty piece).
    """

    text: str
    tokens: int = 1
    logprobs: tuple[float, ...] = ()
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinesDelta:
    """More lines of an engine that reads lines itself. Quads are in pixels of `EngineRequest.pixels`.

    Attributes:
        total: how many lines the engine expects in all, where it knows (after detection).
    """

    lines: tuple[TextLine, ...]
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every stream that ends without an error."""

    generation: Generation
    warnings: tuple[ContentWarning, ...] = ()


EngineEvent = Started | TextDelta | LinesDelta | Finished


@dataclass(frozen=True, slots=True)
class AskedApart:
    """The answers from this index on are asked one after another: the picture is read anew for each."""


SampleEvent = EngineEvent | AskedApart


class Engine(Protocol):
    """One small class an engine.

    `generate` is an async generator. It frees whatever it holds when it is closed (`aclose`, cancellation) at any
    point: within one second nothing of the request runs any more. Errors: EngineBusy (not ready, queue full),
    EngineFailed (this request), EngineDead.
    """

    name: EngineName
    capabilities: Capabilities

    async def start(self) -> None:
        """Loads what is needed; returns when `health` is ready. Called once, in the background."""
        ...

    def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]: ...

    async def abort(self, request_id: str) -> None:
        """Ends a running request: its stream ends with Finished(finish_reason="aborted"). Unknown ids are ignored."""
        ...

    def health(self) -> Health: ...

    async def close(self) -> None: ...


@runtime_checkable
class RemovableEngine(Protocol):
    """An engine that holds memory which another one may need: closing it gives the memory back."""

    def is_idle(self) -> bool:
        """Nothing is being read, and nothing waits for its turn."""
        ...


@dataclass(frozen=True, slots=True)
class EngineLoad:
    """What an engine has to do now, and what it did since the product was started; zeros where it does not know.

    Attributes:
        places: pages that it reads at once, at most.
        running, waiting: pages now.
        cache: share of the cache for pages that is taken, 0 to 1; None where there is none.
        preemptions: pages that were put back for a while because the cache was full.
        drafts, drafts_rejected: proposals of a draft model that were checked, and those of which nothing was right.
        draft_tokens, draft_tokens_accepted: the same in tokens.
        tokens, prompt_tokens: written, and taken in with pictures and prompts.
        queued_seconds, picture_seconds, answer_seconds: of pages that ended: waiting inside the engine, taking in
            picture and prompt until the first token, writing the rest.
    """

    places: int = 0
    running: int = 0
    waiting: int = 0
    cache: float | None = None
    preemptions: int = 0
    drafts: int = 0
    drafts_rejected: int = 0
    draft_tokens: int = 0
    draft_tokens_accepted: int = 0
    tokens: int = 0
    prompt_tokens: int = 0
    queued_seconds: float = 0.0
    picture_seconds: float = 0.0
    answer_seconds: float = 0.0


@runtime_checkable
class MeasuredEngine(Protocol):
    """An engine that tells of its inside."""

    def load(self) -> EngineLoad: ...


class SamplingEngine(Engine, Protocol):
    """An engine whose `Capabilities.answers_together` is set."""

    def samples(self, request: EngineRequest, n: int) -> AsyncIterator[tuple[int, SampleEvent]]:
        """Asks one question for n answers, in one request.

        Each answer's events are those of `generate`, with its index from 0 to n - 1; they come mixed. One `abort`, or
        closing this, ends all. A `seed` of the request is the first answer's, the next one's is one more, and so on.
        """
        ...
