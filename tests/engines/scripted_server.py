"""A server on this machine that answers what a test wrote: for what a real server will not do when asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

MODELS = json.dumps({"object": "list", "data": [{"id": "m", "object": "model", "created": 0, "owned_by": "x"}]})


@dataclass(frozen=True)
class Answer:
    """One answer: its head, then parts with pauses between them; `hangs` keeps the connection open after them."""

    status: int = 200
    kind: str = "application/json"
    parts: Sequence[str] = ()
    head: dict[str, str] = field(default_factory=dict)
    hangs: bool = False


def chunk(text: str, finish: str | None = None, logprob: float | None = None, index: int = 0) -> str:
    choice: dict = {"index": index, "delta": {"content": text}, "finish_reason": finish}
    if logprob is not None:
        choice["logprobs"] = {"content": [{"token": text, "logprob": logprob, "bytes": None, "top_logprobs": []}]}
    said = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(said)}\n\n"


def stream(*parts: str, done: bool = True, hangs: bool = False) -> Answer:
    return Answer(kind="text/event-stream", parts=[*parts, *(["data: [DONE]\n\n"] if done else [])], hangs=hangs)


class ScriptedServer:
    """Gives its answers to chat completions in turn, the last one for ever; `questions` are the bodies that came."""

    def __init__(self, answers: Sequence[Answer], models: Answer | None = None) -> None:
        self.answers = list(answers)
        self.models = models or Answer(parts=[MODELS])
        self.questions: list[dict] = []
        self.heads: list[str] = []
        self.gone = asyncio.Event()
        self.url = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                (int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")), 0
            )
            body = await reader.readexactly(length)
            if head.startswith("GET"):
                await self.send(reader, writer, self.models)
                return
            self.questions.append(json.loads(body))
            self.heads.append(head)
            await self.send(reader, writer, self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])
        except (ConnectionError, asyncio.IncompleteReadError):
            self.gone.set()
        finally:
            writer.close()

    async def send(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer) -> None:
        lines = [f"HTTP/1.1 {answer.status} X", f"content-type: {answer.kind}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in answer.head.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        for part in answer.parts:
            writer.write(part.encode())
            await writer.drain()
            await asyncio.sleep(0)
        if answer.hangs and await reader.read() == b"":
            self.gone.set()


@asynccontextmanager
async def serve(*answers: Answer, models: Answer | None = None) -> AsyncIterator[ScriptedServer]:
    scripted = ScriptedServer(answers, models)
    server = await asyncio.start_server(scripted.handle, "127.0.0.1", 0)
    scripted.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield scripted
    finally:
        server.close()
