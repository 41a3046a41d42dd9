"""The same model on a server elsewhere: vLLM, SGLang, a router, llama-server; all that speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
import base64
import itertools
import logging
import re
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx
import openai
from openai.types.chat import ChatCompletionChunk

from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName
from ocr_ui.engines.asking import check_picture, messages, over_budget, sampling_for
from ocr_ui.engines.base import (
    AskedApart,
    Capabilities,
    EngineEvent,
    EngineRequest,
    EngineState,
    Health,
    Phase,
    SampleEvent,
    Started,
    TextDelta,
    closed,
)
from ocr_ui.engines.memory_failures import OUT_OF_MEMORY, is_memory_failure, out_of_memory
from ocr_ui.engines.openai_stream import Part, parameters, understood
from ocr_ui.engines.runs import Ended, Run, Said
from ocr_ui.errors import BadInput, EngineDead, EngineFailed, WorkbenchError
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

CONNECT_SECONDS = 10.0
CHECK_SECONDS = 5.0
"""How often a server that was set aside is looked at again."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds that a busy server is left alone where it names none, doubled each time, and the most."""
BUSY = frozenset({408, 429, 502, 503, 504})
KEY_REFUSED = frozenset(
    {"401", "403", "invalid_api_key", "unauthorized", "authenticationerror", "authentication_error"}
)
"""Codes and types of an error within an answer that mean the key."""
LONGEST_TOKEN = 128
"""Characters that one token stands for at most."""

Stream = openai.AsyncStream[ChatCompletionChunk]


@dataclass(slots=True)
class Server:
    """One address: when it may be asked again, how often in a row it failed, and what was wrong last.

    Attributes:
        url: as it is shown, without a name and password in it.
        known: it was asked something, so that it is known to work or not.
    """

    url: str
    client: openai.AsyncOpenAI
    not_before: float = 0.0
    failures: int = 0
    error: WorkbenchError | None = None
    known: bool = False

    def works(self) -> None:
        self.known = True
        self.failures, self.not_before, self.error = 0, 0.0, None

    def set_aside(self, error: WorkbenchError, seconds: float | None = None) -> None:
        wait = seconds if seconds is not None else FIRST_WAIT * 2**self.failures
        self.failures += 1
        self.not_before = time.monotonic() + min(wait, LONGEST_WAIT)
        self.error, self.known = error, True


class OpenAiEngine:
    """Asks servers in turn; one that fails is set aside and looked at again every few seconds.

    Args:
        kind, version: for the engine's name.
        urls: addresses instead of those of the settings.
        renamed: names of sampling settings that this kind of server calls otherwise.
        always: what this kind of server is sent besides.

    Raises:
        BadInput: no address. EngineDead: a key that cannot be sent.
    """

    capabilities = Capabilities(
        tasks=frozenset(Task),
        takes_prompt=True,
        gives_confidence=True,
        holds_form=True,
        varies=True,
        answers_together=True,
    )

    def __init__(
        self,
        settings: Settings,
        kind: str = "openai",
        version: str = "",
        urls: tuple[str, ...] = (),
        renamed: dict[str, str] | None = None,
        always: dict[str, Any] | None = None,
    ) -> None:
        self._settings = settings
        self._renamed, self._always = renamed or {}, always or {}
        self.name = EngineName(kind, version, settings.model)
        addresses = urls or tuple(url.strip() for url in settings.base_url.split(",") if url.strip())
        if not addresses:
            hint = "Set OCR_UI_BASE_URL, or base_url in the engines file."
            raise BadInput("no_base_url", "No address of a server is set.", hint)
        self._servers = [Server(without_password(url), self._client(url)) for url in addresses]
        self._turn = itertools.count()
        self._takes_n = True
        self._runs: dict[str, Run] = {}
        self._watcher: asyncio.Task[None] | None = None
        self._closed = False

    def _client(self, url: str) -> openai.AsyncOpenAI:
        timeout = httpx.Timeout(None, connect=CONNECT_SECONDS)
        key = checked_key(self._settings.api_key.get_secret_value()) or "none"
        return openai.AsyncOpenAI(base_url=url, api_key=key, timeout=timeout, max_retries=0)

    async def start(self) -> None:
        """Looks at every server. A server that is not up yet is no failure: it is looked at again and again.

        Raises:
            EngineDead: no server can be used, and waiting will not change that (key, address, model).
        """
        await asyncio.gather(*[self._look_at(server) for server in self._servers])
        errors = [server.error for server in self._servers]
        if all(isinstance(error, EngineDead) for error in errors):
            raise errors[0]
        self._watcher = asyncio.create_task(self._watch())

    def health(self) -> Health:
        if self._closed:
            return closed()
        if not any(server.known for server in self._servers):
            return Health(EngineState.LOADING, Phase.WAITING)
        errors = tuple(server.error for server in self._servers if server.error)
        down = [error for error in errors if error.code != "server_busy"]
        if len(down) == len(self._servers):
            return Health(EngineState.DEAD, problems=errors)
        return Health(EngineState.DEGRADED if errors else EngineState.READY, problems=errors)

    async def generate(self, request: EngineRequest) -> AsyncGenerator[EngineEvent, None]:
        """See `Engine.generate`; raises as `samples`."""
        async with aclosing(self.samples(request, 1)) as events:
            async for _, event in events:
                yield event

    async def samples(self, request: EngineRequest, n: int) -> AsyncGenerator[tuple[int, SampleEvent], None]:
        """See `SamplingEngine.samples`.

        A server that refuses to give several answers to one request, or gives one all the same, is asked for the
        others one after another, and so from then on.

        Raises:
            BadInput: the server refuses the request.
            EngineFailed: every try failed, or the answer broke off; it can be repeated.
            EngineDead: no server can be used.
        """
        run = self._runs[request.id] = Run(request.id)
        answers = [Said() for _ in range(n)]
        try:
            png = await run.unless_ended(asyncio.to_thread(request.encode))
            async with aclosing(self._asked(request, run, png, answers)) as events:
                async for event in events:
                    yield event
        except Ended:
            pass
        finally:
            self._runs.pop(request.id, None)
        for index, said in enumerate(answers):
            if not said.told:
                yield index, said.end(said.finish or run.reason, run.seconds)

    async def abort(self, request_id: str) -> None:
        if run := self._runs.get(request_id):
            run.end("aborted")

    async def close(self) -> None:
        self._closed = True
        if self._watcher:
            self._watcher.cancel()
            with suppress(asyncio.CancelledError):
                await self._watcher
        for server in self._servers:
            await server.client.close()

    # Asking

    async def _asked(
        self, request: EngineRequest, run: Run, png: bytes, answers: list[Said]
    ) -> AsyncGenerator[tuple[int, SampleEvent], None]:
        """All answers: in one request where the servers take that, else the missing ones one after another."""
        missing = list(range(len(answers)))
        apart = refused = False
        while missing:
            asked = missing if self._takes_n and not refused else missing[:1]
            if len(asked) < len(missing) and not apart:
                apart = True
                yield asked[0], AskedApart()
            try:
                async with aclosing(self._heard(request, run, png, asked, answers)) as events:
                    async for event in events:
                        yield event
            except BadInput as error:
                if len(asked) == 1 or error.code != "refused_by_engine":
                    raise
                log.info("%s Asking for one answer at a time.", error)
                refused = True
                continue
            missing = [index for index in missing if not answers[index].told]
            self._takes_n = self._takes_n and not refused and not missing

    async def _heard(
        self, request: EngineRequest, run: Run, png: bytes, asked: list[int], answers: list[Said]
    ) -> AsyncGenerator[tuple[int, EngineEvent], None]:
        """What one request brings of the answers of these indices. Those that a server leaves out stay as they are.

        Raises:
            EngineFailed: an answer broke off, or none came.
        """
        question = self._question(request, png, asked)
        most, longest = question["max_tokens"], question["max_tokens"] * LONGEST_TOKEN
        several = len(asked) > 1
        async with self._stream(run, question) as (server, stream):
            for index in asked:
                yield index, Started()
            async with aclosing(self._chunks(run, server, stream)) as chunks:
                async for parts, counted in chunks:
                    for part in parts:
                        place = part.index if several else 0
                        if not 0 <= place < len(asked) or answers[asked[place]].told:
                            continue
                        said = answers[asked[place]]
                        event = shortened(part.delta, longest - said.characters)
                        said.add(event.text, event.tokens)
                        said.finish = part.ended or said.finish
                        if event.tokens or event.text:
                            yield asked[place], event
                    if counted is not None and not several:
                        answers[asked[0]].tokens = counted
                    # A server that knows no limit would go on for ever.
                    over = [a for a in map(answers.__getitem__, asked) if a.tokens > most or a.characters >= longest]
                    for said in over:
                        said.finish = said.finish or "length"
                    for index in asked if several else ():
                        if answers[index].finish and not answers[index].told:
                            yield index, answers[index].end(answers[index].finish, run.seconds)
                    if over and all(answers[index].finish for index in asked):
                        break
        for index in asked:
            said = answers[index]
            if said.finish and not said.told:
                yield index, said.end(said.finish, run.seconds)
            elif not said.finish and (said.texts or index == asked[0]):
                raise broken(server.url, "the stream ended before the answer did")

    def _question(self, request: EngineRequest, png: bytes, asked: list[int]) -> dict[str, Any]:
        """The question for the answers of these indices."""
        check_picture(request.pixels)
        url = "data:image/png;base64," + base64.b64encode(png).decode()
        sampling = sampling_for(request.sampling, self._settings)
        if asked[0] and "seed" in sampling:
            sampling["seed"] += asked[0]
        if len(asked) > 1:
            sampling["n"] = len(asked)
        return {
            "model": self.name.model,
            "messages": messages(request.prompt, {"type": "image_url", "image_url": {"url": url}}),
            "stream": True,
            **parameters(sampling, self._renamed, self._always),
        }

    @asynccontextmanager
    async def _stream(self, run: Run, question: dict[str, Any]) -> AsyncIterator[tuple[Server, Stream]]:
        """The answer of the first server that takes the request; closed at the end, which aborts it there."""
        server, stream = await self._ask(run, question)
        try:
            yield server, stream
        finally:
            await stream.close()

    async def _ask(self, run: Run, question: dict[str, Any]) -> tuple[Server, Stream]:
        """The stream of the first server that takes the request; servers that fail are set aside.

        Raises:
            BadInput: the request itself is refused. EngineFailed, EngineDead: what the last server said.
        """
        turn = next(self._turn)
        useless: set[str] = set()
        failure: WorkbenchError | None = None
        for _ in range(len(self._servers) + self._settings.server_retries):
            server = self._next(turn, useless)
            if server is None:
                break
            pause = server.not_before - time.monotonic()
            if pause > 0:
                await run.unless_ended(asyncio.sleep(pause))
            run.work()
            try:
                # vLLM takes it for the id of its own, which no two tries may share.
                named = {"X-Request-Id": f"{run.id}-{uuid.uuid4().hex[:6]}"}
                creating = server.client.chat.completions.create(**question, extra_headers=named)
                stream = await run.unless_ended(creating, self._settings.first_token_timeout)
                await check_stream(stream, server.url)
            except openai.APIError as error:
                failure = what_is_wrong(error, server.url, self.name.model)
                failure.__cause__ = error
                if failure.code == OUT_OF_MEMORY:
                    raise failure from error  # the same page would fail again, here and elsewhere
                server.set_aside(failure, retry_after(error))
            except EngineDead as error:
                failure = error
                server.set_aside(failure)
            else:
                server.works()
                return server, stream
            if isinstance(failure, BadInput):
                server.works()
                raise failure
            if isinstance(failure, EngineDead):
                useless.add(server.url)
            log.warning("%s", failure)
        raise failure

    def _next(self, turn: int, useless: set[str]) -> Server | None:
        """The next in turn of the servers that are free, else the one that is free soonest; None where none is left."""
        left = [server for server in self._servers if server.url not in useless]
        free = [server for server in left if server.not_before <= time.monotonic()]
        if free:
            return free[turn % len(free)]
        return min(left, key=lambda server: server.not_before, default=None)

    async def _chunks(
        self, run: Run, server: Server, stream: Stream
    ) -> AsyncGenerator[tuple[list[Part], int | None], None]:
        """The parts of an answer as `understood` gives them, each waited for no longer than the settings allow.

        Raises:
            EngineFailed: the answer broke off before its end. EngineDead: the key was refused within it.
        """
        chunks = aiter(stream)
        while True:
            limit = self._settings.silence_timeout if run.begun else self._settings.first_token_timeout
            try:
                chunk = await run.unless_ended(anext(chunks, None), limit)
                if chunk is None:
                    return
                part = understood(chunk)
            except openai.APIError as error:
                failure = broken_by(error, server.url)
                if isinstance(failure, EngineDead):
                    server.set_aside(failure)
                raise failure from error
            except (ValueError, TypeError, AttributeError) as error:  # also the client's own, of what is no JSON
                log.warning("%s: %s", server.url, error)
                raise broken(server.url, "a part of it is not of OpenAI's protocol") from error
            run.token()
            yield part

    # Watching

    async def _look_at(self, server: Server) -> None:
        """Asks a server for its models; remembers what is wrong."""
        try:
            response = await server.client.models.with_raw_response.list(timeout=CONNECT_SECONDS)
            check_models(response.http_response, self._settings.model, server.url)
        except openai.APIError as error:
            self._tell(server, what_is_wrong(error, server.url, self.name.model))
        except WorkbenchError as error:
            self._tell(server, error)
        else:
            server.works()

    def _tell(self, server: Server, error: WorkbenchError) -> None:
        """Sets a server aside; what is new about it is told on the console."""
        if server.error is None or server.error.code != error.code:
            log.warning("%s", error)
        server.set_aside(error)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            aside = [server for server in self._servers if server.error]
            await asyncio.gather(*[self._look_at(server) for server in aside])


def shortened(delta: TextDelta, room: int) -> TextDelta:
    """At most `room` characters of it; where it is cut, its probabilities no longer belong to it."""
    return TextDelta(delta.text[:room], delta.tokens) if len(delta.text) > room else delta


def without_password(url: str) -> str:
    """An address as it is shown to everybody."""
    return re.sub(r"^([^/?#]*//)[^/?#]*@", r"\1", url)


def checked_key(key: str) -> str:
    """The key without spaces around it. Raises EngineDead, which does not tell it, for one that no header can carry."""
    key = key.strip()
    if key.isascii() and all(character.isprintable() for character in key):
        return key
    raise EngineDead(
        "key_not_ascii",
        "The key of the server has characters that no key has.",
        "Correct OCR_UI_API_KEY, or the key in the engines file: ASCII characters in one line.",
    )


def check_models(response: httpx.Response, model: str, url: str) -> None:
    """Raises EngineDead where an address does not list its models, or lists others."""
    try:
        names = [entry["id"] for entry in response.json()["data"]]
    except (ValueError, KeyError, TypeError) as error:
        raise not_openai(url) from error
    if model not in names:
        raise without_model(url, model, names)


async def check_stream(stream: Stream, url: str) -> None:
    """Raises EngineDead where an answer is no stream of events but, say, a web page."""
    if "event-stream" not in stream.response.headers.get("content-type", ""):
        await stream.close()
        raise not_openai(url)


def what_is_wrong(error: openai.APIError, url: str, model: str) -> WorkbenchError:
    """A client's error in words."""
    if isinstance(error, openai.APIStatusError):
        return refusal(error, url, model)
    if isinstance(error, openai.APIConnectionError):
        return unreachable(url, error)
    return broken(url, error.message)


def refusal(error: openai.APIStatusError, url: str, model: str) -> WorkbenchError:
    status, text = error.status_code, error.message
    if status in {401, 403}:
        return wrong_key(url, str(status))
    if status >= 500 and is_memory_failure(text):
        return out_of_memory(text)
    if status in BUSY:  # a proxy says so with a web page
        return EngineFailed("server_busy", f"The server {url} is busy ({status}).", "Try again in a moment.", url=url)
    if "text/html" in error.response.headers.get("content-type", ""):
        return not_openai(url)
    if status == 404:
        return without_model(url, model, [])
    if status < 500 and over_budget(text):
        return BadInput(
            "picture_over_server",
            f"The picture and the prompt are too large for the server {url}: {text}",
            "Lower OCR_UI_ENGINE_PIXELS, or raise --max-model-len of the server.",
            url=url,
            reason=text,
        )
    if status < 500 and "logprob" in text.lower():
        return BadInput(
            "server_without_logprobs",
            f"The server {url} gives no token probabilities: {text}",
            "Turn Confidence off for this run.",
            url=url,
            reason=text,
        )
    if status < 500:
        return BadInput(
            "refused_by_engine", f"The server refused the page: {text}", "Try a smaller picture.", reason=text
        )
    return EngineFailed(
        "server_error", f"The server {url} failed ({status}): {text}", "Try again.", url=url, reason=text
    )


def wrong_key(url: str, reason: str) -> EngineDead:
    return EngineDead(
        "wrong_key",
        f"The server {url} refuses the key ({reason}).",
        "Correct OCR_UI_API_KEY, or the key in the engines file.",
        url=url,
    )


def retry_after(error: openai.APIError) -> float | None:
    """Seconds that a busy server asks for."""
    response = getattr(error, "response", None)
    if response is None:
        return None
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return None


def not_openai(url: str) -> EngineDead:
    return EngineDead(
        "server_not_openai",
        f"{url} answers, but is no server of OpenAI's protocol.",
        "Correct OCR_UI_BASE_URL, or base_url in the engines file; it usually ends in /v1.",
        url=url,
    )


def without_model(url: str, model: str, names: list[str]) -> EngineDead:
    offered = ", ".join(names)
    return EngineDead(
        "server_without_model",
        f"The server {url} has no model {model}." + (f" It has {offered}." if offered else ""),
        "Correct OCR_UI_MODEL or OCR_UI_BASE_URL, or model or base_url in the engines file.",
        url=url,
        model=model,
        offered=offered,
    )


def unreachable(url: str, error: Exception) -> EngineFailed:
    reason = str(error.__cause__ or error).rstrip(".")
    return EngineFailed(
        "server_unreachable",
        f"{url} cannot be reached: {reason}.",
        "Start the server, or correct OCR_UI_BASE_URL or base_url in the engines file.",
        url=url,
        reason=reason,
    )


def broken_by(error: openai.APIError, url: str) -> WorkbenchError:
    """What an error within an answer means."""
    body = error.body if isinstance(error.body, dict) else {}
    if not KEY_REFUSED.isdisjoint({str(body.get("code")).lower(), str(body.get("type")).lower()}):
        return wrong_key(url, error.message)
    return broken(url, error.message)


def broken(url: str, reason: str) -> EngineFailed:
    if is_memory_failure(reason):
        return out_of_memory(reason)
    return EngineFailed(
        "stream_broken",
        f"The answer of {url} broke off: {reason.rstrip('.')}.",
        "Read the page again.",
        url=url,
        reason=reason,
    )
