"""One picture in, what stands on it out: what the page does in several steps, as one request of a program."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import ContentWarning, PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import Recognition
from ocr_ui.metrics import StageClock
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.access import needs
from ocr_ui.services.admission import too_late
from ocr_ui.services.engines import LOADING_BEAT, Engines
from ocr_ui.services.once import recognition_value
from ocr_ui.services.pictures import PageStore
from ocr_ui.services.reading import ReadRequest, check_engine
from ocr_ui.services.recognize import Reading, Recognizer
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """What a program asks for.

    Attributes:
        data: the file.
        name: of the file, for people.
        variables: of the template.
        engine: by name or kind, empty for the default.
        page: of a document, from 1.
        prompt, sampling, pixels, preprocess, structured, whole: as in `ReadRequest`.
        person: who asks; may be empty.
        receive_seconds: that the file took to arrive.
        followed: as in `ReadRequest`.
    """

    data: bytes
    name: str = ""
    template: str = "full_text"
    variables: dict[str, str] = field(default_factory=dict)
    engine: str = ""
    page: int = 1
    prompt: str | None = None
    sampling: dict[str, Any] = field(default_factory=dict)
    pixels: int | None = None
    preprocess: str | None = None
    structured: bool | None = None
    person: str = ""
    receive_seconds: float = 0.0
    whole: bool = False
    followed: bool = True


@dataclass(frozen=True, slots=True)
class OcrStep:
    """One step.

    Attributes:
        text: characters that the answer has grown by.
        lines: lines that are finished now, as in the result; confidences may still change until the end.
        again: the reading began anew (with a smaller picture, or a larger one): what came before counts for nothing.
        value: the result, with the last step alone.
    """

    text: str = ""
    lines: tuple[dict[str, Any], ...] = ()
    again: bool = False
    value: dict[str, Any] | None = None


class Ocr:
    def __init__(
        self,
        store: Store,
        pages: PageStore,
        recognizer: Recognizer,
        engines: Engines,
        templates: PromptLibrary,
        settings: Settings,
    ) -> None:
        self._store, self._pages, self._recognizer, self._engines = store, pages, recognizer, engines
        self._templates, self._seconds = templates, settings.request_seconds

    async def read(self, asked: Asked) -> AsyncIterator[OcrStep]:
        """Stores the picture, reads it, stores the result. Closing this ends the engine's work; what had been read by
        then is stored as stopped.

        Raises:
            BadInput, NotFound: the picture, template, variables or engine; nothing is stored then.
            EngineBusy: the engine is loading, or as many wait as may.
            TooLate: `request_timeout`; `nothing_came` of a silent engine.
            EngineFailed, EngineDead: with the item that keeps what had been read, in `details["item"]`.
        """
        end = time.monotonic() + self._seconds
        template = await asyncio.to_thread(self._templates.get, asked.template)
        template.render(asked.variables)
        request = ReadRequest(
            template,
            asked.variables,
            asked.prompt,
            sampling=asked.sampling,
            pixels=asked.pixels,
            preprocess=asked.preprocess,
            whole=asked.whole,
            structured=asked.structured,
            followed=asked.followed,
        )
        engine = self._engines.called(asked.engine) if asked.engine else ""
        check_engine(await self._engines.ready(engine, LOADING_BEAT), template)
        clock = StageClock()
        clock.add("receive", asked.receive_seconds)
        with clock.stage("decode_image"):
            received = await self._pages.receive(asked.data, asked.name, asked.person, asked.page)
        reading = self._recognizer.read(
            received.page_id,
            request,
            engine=engine,
            person=asked.person,
            owner=uuid.uuid4().hex,
            daily=True,
            before=clock.seconds,
        )
        grown = _Grown()
        async with aclosing(reading) as steps:  # type: ignore[type-var]
            async for step in steps:
                if step.progress.recognition is not None:
                    yield self._done(step, grown, received.page_id, received.warnings)
                elif time.monotonic() > end:
                    raise too_late(self._seconds)
                else:
                    yield grown.step(step)

    @needs(Action.READ)
    async def stored(self, recognition_id: int) -> dict[str, Any]:
        """A result as `read` gave it. Raises NotFound (`unknown_recognition`)."""
        return await asyncio.to_thread(self._stored, recognition_id)

    def _stored(self, recognition_id: int) -> dict[str, Any]:
        found = self._store.recognitions.get(recognition_id)
        page = self._store.pages.get(found.page_id)
        told: dict[str, Any] = {"created_at": found.created_at.isoformat(), "person": found.person}
        if (arm := self._store.experiments.of_readings([recognition_id]).get(recognition_id)) is not None:
            told["experiment"] = {"id": arm.experiment, "arm": arm.arm.value}
        return {**ocr_value(page.page, page.id, found.recognition, found.id), **told}

    @staticmethod
    def _done(step: Reading, grown: _Grown, page_id: int, notices: tuple[ContentWarning, ...]) -> OcrStep:
        recognition = step.progress.recognition
        assert recognition is not None  # noqa: S101 - the caller has looked
        error = step.progress.error
        if error is not None:
            raise type(error)(error.code, error.message, error.hint, **{**error.details, "item": step.recognition_id})
        value = ocr_value(step.page, page_id, recognition, step.recognition_id, notices)
        if step.given is not None and step.recognition_id is not None:
            value["experiment"] = {"id": step.given.experiment, "arm": step.given.arm.value}
        last = grown.step(step, whole=True)
        return OcrStep(last.text, last.lines, last.again, value)


class _Grown:
    """Remembers what was told of a growing answer."""

    def __init__(self) -> None:
        self._text, self._lines = "", 0

    def step(self, reading: Reading, whole: bool = False) -> OcrStep:
        """`whole`: the last line is finished too."""
        raw, lines = reading.progress.raw, reading.progress.content.lines
        again = not raw.startswith(self._text)
        begun, told = (0, 0) if again else (len(self._text), self._lines)
        until = max(told, len(lines) - (0 if whole else 1))
        fresh = tuple(_line(line) for line in PageContent(lines=lines[told:until]).to_dict()["lines"])
        self._text, self._lines = raw, until
        return OcrStep(raw[begun:], fresh, again)


def _line(value: dict[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in ("text", "quad", "confidence")}


def ocr_value(
    page: Page,
    page_id: int,
    recognition: Recognition,
    recognition_id: int | None,
    notices: tuple[ContentWarning, ...] = (),
) -> dict[str, Any]:
    """The object of `recognize --json` with its ids, how it ended, and the seconds of each stage."""
    generation = recognition.generation
    shown = {"width": page.width, "height": page.height, "sha256": page.sha256, "id": page_id, "name": page.name}
    template = recognition.prompt.template
    return {
        "id": recognition_id,
        **recognition_value(shown, recognition.engine.kind, template, recognition.content, notices, recognition.pixels),
        "outcome": recognition.outcome,
        "finish_reason": generation.finish_reason,
        "tokens": generation.tokens,
        "seconds": round(generation.seconds, 6),
        "timings": {stage: round(seconds, 6) for stage, seconds in recognition.timings.items()},
    }
