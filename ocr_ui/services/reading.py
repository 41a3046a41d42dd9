"""Reads one picture with one engine and tells how far it is. Knows no store: the command line uses it as it is."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Container, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np

from ocr_ui.domain.content import ContentWarning, PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.pixels import REDUCED, Need, PixelChoice
from ocr_ui.domain.prompt import PromptTemplate, Task, answer_schema
from ocr_ui.domain.recognition import Generation, PromptUsed, Recognition
from ocr_ui.engines.asking import sampling_for
from ocr_ui.engines.base import Engine, EngineEvent, EngineRequest, Finished, LinesDelta, Started, TextDelta
from ocr_ui.engines.memory_failures import is_memory_failure, out_of_memory
from ocr_ui.errors import BadInput, EngineFailed, WorkbenchError, noted
from ocr_ui.images.cleaning import clean, steps_of
from ocr_ui.images.door import encode_png, is_blank
from ocr_ui.images.need import pixels_needed
from ocr_ui.images.transform import PictureTransform, full_size, prepare
from ocr_ui.logs import run_name
from ocr_ui.metrics import StageClock
from ocr_ui.parsing.confidence import ConfidencesAsTheyCome, same_lines, with_confidences
from ocr_ui.parsing.dispatch import IncrementalParser
from ocr_ui.parsing.label_value import find_fields
from ocr_ui.parsing.probabilities import Probabilities
from ocr_ui.parsing.repeats import RepeatGuard
from ocr_ui.services.admission import nothing_came
from ocr_ui.services.pacing import paced
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

STEPS_A_SECOND = 20
UNFOLLOWED_A_SECOND = 2

OUTCOME_OF = {
    "stop": "complete",
    "aborted": "stopped",
    "length": "cut",
    "repeated": "cut",
    "timeout": "cut",
    "error": "failed",
}
"""From `Generation.finish_reason` to `Recognition.outcome`; reasons that a server invents mean cut."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What to read and how.

    Attributes:
        template: the template chosen.
        values: its variables as typed.
        prompt: the text to send where a person has edited it for this run; None for the template's own.
        run_id: unique; `abort` takes it.
        sampling: settings of this run over the template's own.
        pixels: most pixels that the engine gets, for this run; None for the setting.
        preprocess: how the page is cleaned before, as `images.cleaning.clean` takes it; None for the setting.
        need: as few of them as the page needs; None for all. Not heeded where `pixels` are given.
        whole: all pixels, whatever the settings say.
        structured: hold the answer to the names asked for; None as the template says.
        notices: what is said with the result: why it is read so.
        followed: somebody looks at it while it is read. Who waits for the end alone says no, and gets few steps: making
            them is most of what a reading costs beside the engine.
    """

    template: PromptTemplate
    values: dict[str, str] = field(default_factory=dict)
    prompt: str | None = None
    run_id: str = field(default_factory=run_name)
    sampling: dict[str, Any] = field(default_factory=dict)
    pixels: int | None = None
    preprocess: str | None = None
    need: Need | None = None
    whole: bool = False
    structured: bool | None = None
    notices: tuple[ContentWarning, ...] = ()
    followed: bool = True

    def __post_init__(self) -> None:
        """Raises BadInput (`unknown_preprocess`)."""
        if self.preprocess is not None:
            steps_of(self.preprocess)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reading is.

    Attributes:
        content: what has been read, in pixels of the stored picture.
        raw: the model's answer so far, exactly as it came.
        state: waiting (for the engine), running, or one of `domain.recognition.OUTCOMES`.
        seconds: since Read was pressed.
        first_line_seconds: when the first line or token was there; None before.
        total_lines: how many lines the engine expects; None where it does not know.
        tokens: tokens so far; None where the engine does not count in tokens.
        recognition: the whole result, with the last progress only.
        error: why it failed.
        replaced: tokens of other readings of the page, in whose place this one stands.
    """

    content: PageContent
    raw: str
    state: str
    seconds: float
    first_line_seconds: float | None = None
    total_lines: int | None = None
    tokens: int | None = None
    recognition: Recognition | None = None
    error: WorkbenchError | None = None
    replaced: int = 0

    @property
    def own_tokens(self) -> int | None:
        """Of this reading alone, as the engine has counted them where it has ended."""
        return self.recognition.generation.tokens if self.recognition else self.tokens

    @property
    def all_tokens(self) -> int | None:
        """With those of the readings in whose place it stands."""
        own = self.own_tokens
        return own if not self.replaced else (own or 0) + self.replaced


def in_place_of(step: Progress, other: Progress) -> Progress:
    """`step` with the tokens of a reading that it replaces."""
    return replace(step, replaced=step.replaced + (other.all_tokens or 0))


Abandoned = Callable[[Callable[[], Progress]], None]
"""Is told how to get the last progress of a reading whose listener went away."""


async def read_picture(
    pixels: np.ndarray,
    page_sha256: str,
    engine: Engine,
    request: ReadRequest,
    settings: Settings,
    stop: asyncio.Event | None = None,
    abandoned: Abandoned | None = None,
) -> AsyncIterator[Progress]:
    """Reads a stored picture.

    Args:
        pixels: uint8 (height, width, 3), RGB, the stored picture.
        stop: ends the reading once it is set, at whatever point: `Engine.abort` alone misses what the engine has not
            been given yet.
        abandoned: called where this generator is closed before its end, with a function that gives the last progress
            then: what had been read, as stopped. The engine is free already; the function takes its time.

    Yields:
        Progress, at most 20 times a second (2 where it is not followed) and at least every 0.5 s; the last one carries
        the recognition.
        An engine's failure is told in the last progress, with what had been read before it.

    Raises:
        BadInput: a variable is missing, there is no such sampling, or the engine cannot do the template's task.
    """
    check_engine(engine, request.template)
    prompt, refused = prompt_used(request, engine, settings)
    run = ReadingRun(pixels, page_sha256, engine, request, prompt)
    with run.clock.stage("prepare"):
        copy, transform, notices, choice = await asyncio.to_thread(engine_copy, pixels, request, settings)
    run.prepared(transform, (*request.notices, *refused, *notices), choice)
    engine_request = asked_of_engine(request, prompt, copy)
    stop = stop or asyncio.Event()
    try:
        async with aclosing(_progress(run, engine, engine_request, stop)) as steps:
            async for progress in steps:
                yield progress
        last = await asyncio.to_thread(run.finish)
    except (GeneratorExit, asyncio.CancelledError):
        if abandoned is not None:
            abandoned(run.finish_abandoned)
        raise
    yield last


def most_pixels(request: ReadRequest, settings: Settings) -> int:
    """Pixels that the engine's copy may have."""
    return min(request.pixels or settings.engine_pixels, settings.engine_pixels)


def engine_copy(
    pixels: np.ndarray, request: ReadRequest, settings: Settings
) -> tuple[np.ndarray, PictureTransform, tuple[ContentWarning, ...], PixelChoice | None]:
    """What an engine is given of a stored picture: cleaned where that is wanted and needed, then scaled to what it may
    have or, where its pixels go by need, to what it needs; and that choice. A copy that is small by it is told by it
    and by no warning."""
    wanted = settings.preprocess if request.preprocess is None else request.preprocess
    seen, cleaning, told = clean(pixels, wanted)
    most, choice = most_pixels(request, settings), None
    if request.need is not None and request.pixels is None:
        needed, choice = pixels_needed(seen, full_size(seen, most), request.need)
        most = needed if choice.reason == REDUCED else most
    copy, transform, notices = prepare(seen, most)
    if choice is not None and choice.reason == REDUCED:
        notices = tuple(notice for notice in notices if notice.code != "scaled_down")
        choice = replace(choice, size=transform.scaled[1])
    return copy, cleaning.followed_by(transform), (*told, *notices), choice


def asked_of_engine(request: ReadRequest, prompt: PromptUsed, copy: np.ndarray) -> EngineRequest:
    """What the engine is asked about its copy of a picture."""
    return EngineRequest(
        id=request.run_id,
        pixels=copy,
        encode=lambda: encode_png(copy),
        task=request.template.task,
        prompt=prompt.text,
        sampling=dict(prompt.sampling),
    )


async def _progress(
    run: ReadingRun, engine: Engine, request: EngineRequest, stop: asyncio.Event
) -> AsyncIterator[Progress]:
    """Takes the engine's events into `run`; a failure is kept there."""
    try:
        hz = STEPS_A_SECOND if run.request.followed else UNFOLLOWED_A_SECOND
        events = _events(engine, request, stop, run.note)
        async with aclosing(paced(events, hz, waiting=run.waiting)) as batches:
            async for batch in batches:
                run.take_all(batch)
                if (run.looping or stop.is_set()) and not run.abort_sent:
                    run.abort_sent = True
                    await engine.abort(request.id)
                yield run.progress()
    except WorkbenchError as error:
        run.fail(error)
    except Exception as error:
        log.exception("engine %s failed", engine.name.kind)
        run.fail(unexpected(error, engine))


def unexpected(error: Exception, engine: Engine) -> WorkbenchError:
    reason = f"{type(error).__name__}: {error}"
    if is_memory_failure(reason):
        return out_of_memory(reason)
    return EngineFailed(
        "engine_failed",
        f"The engine failed: {reason}",
        "Try again; if it happens again, try another engine or a smaller picture.",
        engine=engine.name.kind,
        reason=reason,
    )


async def _events(
    engine: Engine, request: EngineRequest, stop: asyncio.Event, note: Callable[[EngineEvent], None]
) -> AsyncIterator[EngineEvent]:
    """The engine's events; none of them where the reading was stopped before the engine was asked.

    Args:
        note: is given each as it comes.
    """
    if stop.is_set():
        yield Finished(Generation(finish_reason="aborted"))
        return
    async with aclosing(engine.generate(request)) as events:  # type: ignore[type-var]
        async for event in events:
            note(event)
            yield event


def joined(events: Iterable[EngineEvent]) -> Iterator[EngineEvent]:
    """The same events, those of an answer's text that follow each other as one: reading the text again for each token
    costs more than reading it once. Text with probabilities and text without stay apart, as each token's place is
    counted from the pieces before it."""
    for _, group in groupby(events, lambda event: isinstance(event, TextDelta) and (TextDelta, bool(event.logprobs))):
        some = list(group)
        if len(some) == 1 or not isinstance(some[0], TextDelta):
            yield from some
        else:
            yield TextDelta(
                text="".join(one.text for one in some),
                tokens=sum(one.tokens for one in some),
                logprobs=tuple(value for one in some for value in one.logprobs),
                pieces=tuple(piece for one in some for piece in one.pieces),
            )


def check_engine(engine: Engine, template: PromptTemplate) -> None:
    """Raises BadInput where the engine cannot do the template's task."""
    check_task(engine.name.kind, engine.capabilities.tasks, template)


def check_task(engine: str, tasks: Container[Task], template: PromptTemplate) -> None:
    """As `check_engine`, of an engine by what it is called and can do."""
    if template.task not in tasks:
        raise BadInput(
            "task_not_possible",
            f"The engine {engine} cannot do the template {template.name}.",
            "Choose an engine that can (vllm, openai or llama), or the template full_text.",
            engine=engine,
            template=template.name,
            task=template.task.value,
        )


def prompt_used(
    request: ReadRequest, engine: Engine, settings: Settings
) -> tuple[PromptUsed, tuple[ContentWarning, ...]]:
    """What the run records of its prompt and sampling, and what of it this engine cannot do.

    The sampling is whole and within the settings' limits, so that the result still tells what was sent when the
    settings are others; an engine that takes no prompt is sent none.
    """
    template = request.template
    if request.prompt is not None and not request.prompt.strip():
        raise BadInput("empty_prompt", "The prompt is empty.", "Type one, or restore the template's own text.")
    sampling = {**template.sampling, **request.sampling}
    wanted = template.structured if request.structured is None else request.structured
    names = template.names(request.values) if wanted else ()
    if names and engine.capabilities.holds_form:
        sampling["json_schema"] = answer_schema(names)
    used = PromptUsed(
        template=template.name,
        version=template.version,
        task=template.task.value,
        text=template.render(request.values) if request.prompt is None else request.prompt,
        variables={
            variable.name: request.values.get(variable.name) or variable.default or ""
            for variable in template.variables
        },
        sampling=sampling_for(sampling, settings) if engine.capabilities.takes_prompt else {},
    )
    unused = _is_own(request) and not engine.capabilities.takes_prompt
    refused = [_prompt_unused(engine)] if unused else []
    if names and not engine.capabilities.holds_form:
        refused.append(_no_form(engine))
    return used, tuple(refused)


def _is_own(request: ReadRequest) -> bool:
    """Is the prompt another one than the template's?"""
    if request.prompt is None:
        return False
    try:
        return request.prompt != request.template.render(request.values)
    except BadInput:  # a value is missing that the typed prompt does without
        return True


def _prompt_unused(engine: Engine) -> ContentWarning:
    said = f"The engine {engine.name.kind} reads without a prompt: the wording that was typed was not used."
    return ContentWarning("prompt_unused", said)


def _no_form(engine: Engine) -> ContentWarning:
    said = f"The engine {engine.name.kind} cannot hold an answer to the field names; it answered freely."
    return ContentWarning("no_form", said)


def _with_place(content: PageContent) -> PageContent:
    """A loop's warning names the line where it was cut: the last one, of which one turn is kept."""
    last = len(content.lines) - 1
    if last < 0 or any(w.code == "repeated" and w.line is not None for w in content.warnings):
        return content
    placed = (replace(w, line=last) if w.code == "repeated" else w for w in content.warnings)
    return replace(content, warnings=tuple(placed))


class Numbered:
    """`PageContent.with_ids` of a content that grows: a line that was there before is not made anew."""

    def __init__(self) -> None:
        self._given: tuple[TextLine, ...] = ()
        self._told: tuple[TextLine, ...] = ()

    def of(self, content: PageContent) -> PageContent:
        """Args: content: what was given before with more lines, or another one."""
        # A line's own id may be one that was given before: then nothing is kept.
        own = any(line.id for line in content.lines)
        same = 0 if own else same_lines(self._given, content.lines)
        told = replace(content, lines=self._told[:same] + content.lines[same:]).with_ids()
        self._given, self._told = content.lines, told.lines
        return told


class ReadingRun:
    """The state of one reading: events go in, Progress comes out."""

    def __init__(
        self, pixels: np.ndarray, page_sha256: str, engine: Engine, request: ReadRequest, prompt: PromptUsed
    ) -> None:
        self.clock = StageClock()
        self.engine, self.request, self.prompt, self.page_sha256 = engine, request, prompt, page_sha256
        self.pixels = pixels
        self.size = (pixels.shape[1], pixels.shape[0])
        self.begin = time.perf_counter()
        self.asked = self.begin
        self.started: float | None = None
        self.first: float | None = None
        self.looping = False
        self.abort_sent = False
        self.error: WorkbenchError | None = None
        self.generation: Generation | None = None
        self.total: int | None = None
        self.tokens = 0
        self.waiting: list[EngineEvent] = []
        """Events that have come and were not taken yet."""
        self._pieces: list[str] = []
        self._lines: list[TextLine] = []
        self._notices: tuple[ContentWarning, ...] = ()
        self._closing: tuple[ContentWarning, ...] = ()
        self._parsed = PageContent()
        self._guard = RepeatGuard()
        self._probabilities = Probabilities()
        self._confidences = ConfidencesAsTheyCome(self._probabilities)
        self._transform: PictureTransform | None = None
        self._place: Callable[[Quad], Quad] | None = None
        self._choice: PixelChoice | None = None
        self._numbered = Numbered()
        self._names = request.template.names(request.values)
        self._parser = IncrementalParser(request.template.task, self.size, self._names)

    def prepared(
        self, transform: PictureTransform, notices: tuple[ContentWarning, ...], choice: PixelChoice | None = None
    ) -> None:
        self._transform, self._notices, self._choice = transform, notices, choice
        if not transform.keeps_shares:
            # A model's coordinates are shares of what it was given: they are taken there, then led back.
            self._parser = IncrementalParser(self.request.template.task, transform.engine_size, self._names)
            self._place = cache(lambda quad: transform.to_stored(quad).rounded())
        self.asked = time.perf_counter()

    def note(self, event: EngineEvent) -> None:
        """When it came; `take` may have it later."""
        if isinstance(event, Started):
            self.started = time.perf_counter()
        elif self.first is None and (isinstance(event, TextDelta) or (isinstance(event, LinesDelta) and event.lines)):
            self.first = time.perf_counter()

    def take_all(self, events: Iterable[EngineEvent]) -> None:
        for event in joined(events):
            self.take(event)

    def take(self, event: EngineEvent) -> None:
        if isinstance(event, TextDelta):
            self._take_text(event)
        elif isinstance(event, LinesDelta):
            self._take_lines(event)
        elif isinstance(event, Finished):
            self.generation, self._closing = event.generation, event.warnings

    def _take_text(self, event: TextDelta) -> None:
        self._pieces.append(event.text)
        self._probabilities.feed(event.text, event.pieces, event.logprobs)
        self.tokens += event.tokens
        with self.clock.stage("parse"):
            self._parsed = self._parser.feed(event.text)
        self.looping = self.looping or self._guard.feed(event.text) is not None

    def _take_lines(self, event: LinesDelta) -> None:
        self.total = event.total if event.total is not None else self.total
        self._lines += [self._to_stored(line) for line in event.lines]

    def _to_stored(self, line: TextLine) -> TextLine:
        if line.quad is None or self._transform is None:
            return line
        return replace(line, quad=self._transform.to_stored(line.quad).rounded())

    def _in_stored(self, content: PageContent) -> PageContent:
        """What a model said of the copy that it was given, in pixels of the stored picture."""
        return content if self._place is None else content.placed(self._place)

    def fail(self, error: WorkbenchError) -> None:
        self.error = error

    @property
    def raw(self) -> str:
        if self.engine.capabilities.takes_prompt:
            self._pieces = ["".join(self._pieces)]
            return self._pieces[0]
        return "\n".join(line.text for line in self._lines)

    def content(self) -> PageContent:
        if self.engine.capabilities.takes_prompt:
            return self._numbered.of(self._in_stored(self._confidences.of(self._parsed, self.raw)))
        return self._numbered.of(PageContent(lines=tuple(self._lines), text=self.raw))

    def progress(self) -> Progress:
        state = "waiting" if self.started is None and self.first is None else "running"
        return self._progress(state, self.content().with_warnings(*self.request.notices))

    def _progress(self, state: str, content: PageContent, recognition: Recognition | None = None) -> Progress:
        return Progress(
            content=content,
            raw=self.raw,
            state=state,
            seconds=time.perf_counter() - self.begin,
            first_line_seconds=None if self.first is None else self.first - self.begin,
            total_lines=self.total,
            tokens=self.tokens if self.engine.capabilities.takes_prompt else None,
            recognition=recognition,
            error=self.error,
        )

    def finish(self) -> Progress:
        """The last progress, with the whole recognition."""
        if self.error is None and self._reason() == "timeout" and not self.raw.strip():
            self.fail(nothing_came(self.engine.name.kind, time.perf_counter() - self.asked))
        self._count_stages()
        generation = self._generation()
        with self.clock.stage("parse"):
            content = self._final_content(generation)
        outcome = OUTCOME_OF.get(generation.finish_reason, "cut")
        recognition = Recognition(
            page_sha256=self.page_sha256,
            engine=self.engine.name,
            prompt=self.prompt,
            content=content,
            generation=generation,
            outcome=outcome,
            transform=self._transform.to_dict() if self._transform else {},
            timings=dict(self.clock.seconds),
            method=self._method(),
            error=noted(self.error),
            pixels=self._choice,
        )
        return self._progress(outcome, content, recognition)

    def finish_abandoned(self) -> Progress:
        """As `finish`, of a reading that nobody follows any more."""
        self.take_all(self.waiting)
        if self.generation is None and self.error is None:
            self.generation = Generation(finish_reason="aborted")
        return self.finish()

    def _count_stages(self) -> None:
        now = time.perf_counter()
        started = self.started or self.first or now
        first = self.first or now
        self.clock.add("queue", max(0.0, started - self.asked))
        self.clock.add("first_token", max(0.0, first - started))
        # The answer was parsed while it came: each moment counts for one stage, so that all of them make up the time.
        self.clock.add("tokens", max(0.0, now - first - self.clock.seconds.get("parse", 0.0)))

    def _generation(self) -> Generation:
        seconds = time.perf_counter() - self.begin
        if self.error is not None:
            return Generation(self.raw, "error", self._token_count(), seconds)
        return Generation(self.raw, self._reason(), self._token_count(), seconds)

    def _reason(self) -> str:
        if self.looping:
            return "repeated"
        return self.generation.finish_reason if self.generation else "stop"

    def _token_count(self) -> int | None:
        if not self.engine.capabilities.takes_prompt:
            return None
        # A server may send several tokens at once: its own count is the exact one.
        counted = self.generation.tokens if self.generation else None
        return self.tokens if counted is None else counted

    def _rules_find_fields(self) -> bool:
        return self.request.template.task == Task.FIELDS and not self.engine.capabilities.takes_prompt

    def _method(self) -> str:
        return "fields_by_rules" if self._rules_find_fields() else ""

    def _final_content(self, generation: Generation) -> PageContent:
        takes_prompt = self.engine.capabilities.takes_prompt
        content = self._in_stored(self._parser.finish()).with_ids() if takes_prompt else self.content()
        content = with_confidences(content, self.raw, self._probabilities)
        if generation.finish_reason != "stop" and not generation.text.strip():
            # Nobody looked to the end: that nothing came does not mean that there is nothing.
            content = replace(content, warnings=tuple(w for w in content.warnings if w.code != "empty"))
        if self._rules_find_fields():
            content = replace(content, fields=find_fields(content.lines, self._names))
        known = {(warning.code, warning.line) for warning in content.warnings}
        told = {(w.code, w.line): w for w in reversed((*self._notices, *self._closing))}
        added = [w for key, w in reversed(told.items()) if key not in known]
        codes = {code for code, _ in (*known, *told)}
        whole = content.with_warnings(*added, *self._outcome_warning(generation, codes), *self._invented(content))
        return _with_place(whole) if generation.finish_reason == "repeated" else whole

    def _invented(self, content: PageContent) -> list[ContentWarning]:
        """Models are known to write whole paragraphs where they are given a blank page."""
        says = any(line.text.strip() for line in content.lines) or any(field.value for field in content.fields)
        if not content.fields and all(warning.code != "empty" for warning in content.warnings):
            says = says or bool(content.text.strip())
        if not says or not is_blank(self.pixels):
            return []
        return [ContentWarning("text_on_blank", "Nothing can be seen on this picture; the text may be invented.")]

    def _outcome_warning(self, generation: Generation, known: set[str]) -> list[ContentWarning]:
        told = {
            "aborted": ContentWarning("stopped", "Reading was stopped; this is what had been read."),
            "length": ContentWarning("truncated", "The answer ended at its length limit."),
            "timeout": ContentWarning("timeout", "The engine fell silent; this is what had been read."),
            "repeated": ContentWarning("repeated", "The model repeated itself and was stopped."),
        }.get(generation.finish_reason)
        return [told] if told and told.code not in known else []
