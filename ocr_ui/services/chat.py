"""A picture and a prompt, straight to an engine: for clients of OpenAI's chat completions. Nothing is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.prompt import Task
from ocr_ui.engines.base import EngineRequest, Finished, LinesDelta, SampleEvent, TextDelta
from ocr_ui.engines.samples import samples
from ocr_ui.errors import NotFound
from ocr_ui.images.door import Limits, encode_png, open_picture
from ocr_ui.images.transform import prepare
from ocr_ui.logs import run_name
from ocr_ui.services.access import needs
from ocr_ui.services.admission import nothing_came, too_late
from ocr_ui.services.engines import LOADING_BEAT, Engines
from ocr_ui.services.pacing import paced
from ocr_ui.services.scan import Scanner
from ocr_ui.settings import Settings

MODEL_ENGINES = ("vllm", "openai", "llama")


@dataclass(frozen=True, slots=True)
class Question:
    """Attributes: model: of an engine, its name or kind; empty for the default. n: answers."""

    picture: bytes
    prompt: str
    model: str = ""
    sampling: dict[str, Any] = field(default_factory=dict)
    n: int = 1


@dataclass(frozen=True, slots=True)
class Piece:
    """More of an answer.

    Attributes:
        index: of the answer.
        text, pieces, logprobs: as in `TextDelta`.
        finish: why it ended, with the last piece alone: stop or length.
        tokens: of the whole answer, with the last piece; None where the engine does not count them.
    """

    index: int
    text: str = ""
    pieces: tuple[str, ...] = ()
    logprobs: tuple[float, ...] = ()
    finish: str = ""
    tokens: int | None = None


class Chat:
    def __init__(self, engines: Engines, settings: Settings) -> None:
        self._engines, self._settings = engines, settings
        self._limits, self._scanner = Limits.from_settings(settings), Scanner(settings.clamd)

    def models(self) -> list[str]:
        """Names that `Question.model` takes, the default's first."""
        return [info.name for info in self._engines.infos()]

    def engine_of(self, model: str) -> str:
        """The engine that a model's name means. Raises NotFound (`unknown_model`)."""
        if not model:
            return ""
        infos = self._engines.infos()
        for info in infos:
            loads = self._engines.settings_of(info.name, self._settings).model
            if model in (info.name, info.kind) or (model == loads and info.kind in MODEL_ENGINES):
                return info.name
        known = ", ".join(self.models())
        raise NotFound(
            "unknown_model", f"There is no model {model[:80]!r}.", f"Use: {known}.", model=model[:80], known=known
        )

    @needs(Action.RECOGNIZE, audited="chat.ask", limited="reads", target=lambda question, _: question.model)
    async def ask(self, question: Question) -> AsyncIterator[Piece | None]:
        """The answers as they come, None as a sign of life in silence. Closing this ends the engine's work.

        Raises:
            BadInput, NotFound: the picture, the model, the sampling. EngineBusy: loading, or too many wait.
            TooLate: `request_timeout`, `nothing_came`. EngineFailed, EngineDead. Infected, ScannerAway.
        """
        end = asyncio.get_running_loop().time() + self._settings.request_seconds
        name = self.engine_of(question.model)
        engine = await self._engines.ready(name, LOADING_BEAT)
        own = self._engines.settings_of(name, self._settings)
        await asyncio.to_thread(self._scanner.check, question.picture)
        picture = await asyncio.to_thread(open_picture, question.picture, self._limits)
        pixels, _, _ = await asyncio.to_thread(prepare, picture.pixels, own.engine_pixels)
        request = EngineRequest(
            id=run_name(),
            pixels=pixels,
            encode=lambda: encode_png(pixels),
            task=Task.SPOTTING,
            prompt=question.prompt,
            sampling=question.sampling if engine.capabilities.takes_prompt else {},
        )
        pieces = _alone(engine.generate(request)) if question.n == 1 else samples(engine, request, question.n)
        begun: set[int] = set()
        async with aclosing(paced(pieces)) as batches:
            async for events in batches:
                if asyncio.get_running_loop().time() > end:
                    raise too_late(self._settings.request_seconds)
                if not events:
                    yield None
                for index, event in events:
                    if isinstance(event, Finished) and event.generation.finish_reason == "timeout" and not begun:
                        raise nothing_came(name, event.generation.seconds)
                    piece = _piece(index, event, index in begun)
                    if piece is not None:
                        begun.add(index)
                        yield piece


async def _alone(events: Any) -> AsyncIterator[tuple[int, SampleEvent]]:
    async with aclosing(events) as found:
        async for event in found:
            yield 0, event


def _piece(index: int, event: SampleEvent, begun: bool) -> Piece | None:
    match event:
        case TextDelta():
            return Piece(index, event.text, event.pieces, event.logprobs)
        case LinesDelta() if event.lines:
            text = "\n".join(line.text for line in event.lines)
            return Piece(index, f"\n{text}" if begun else text)
        case Finished():
            finish = "stop" if event.generation.finish_reason == "stop" else "length"
            return Piece(index, finish=finish, tokens=event.generation.tokens)
    return None
