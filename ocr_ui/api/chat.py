"""OpenAI's chat completions, answered by the engines of this process: clients of `vllm serve` work as they are."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, model_validator

from ocr_ui.api.errors import Localize, error_body, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.api.forms import picture_bytes
from ocr_ui.api.streams import BEAT, Gone, after, event, event_stream, nobody_there, while_there
from ocr_ui.domain.exact_json import storable
from ocr_ui.errors import BadInput, WorkbenchError
from ocr_ui.services.chat import Piece, Question
from ocr_ui.services.workbench import Workbench

DONE = b"data: [DONE]\n\n"
PARTS = ("text", "image_url")


class Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[dict[str, Any]] | None = None


class StreamOptions(BaseModel):
    include_usage: bool = False


class ChatBody(BaseModel):
    """As OpenAI's; `top_k`, `min_p` and `repetition_penalty` as vLLM's. One user message with one picture, as a data:
    address. What else a client sends is not looked at."""

    model: str = Field("", max_length=300)
    messages: list[Message] = Field(min_length=1, max_length=100)
    n: int = Field(1, ge=1, le=64)
    stream: bool = False
    stream_options: StreamOptions | None = None
    logprobs: bool | None = None
    max_tokens: int | None = Field(None, ge=1, le=1_000_000)
    max_completion_tokens: int | None = Field(None, ge=1, le=1_000_000)
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    top_k: int | None = Field(None, ge=-1, le=1_000_000)
    min_p: float | None = Field(None, ge=0, le=1)
    seed: int | None = Field(None, ge=0, lt=2**63)
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    repetition_penalty: float | None = Field(None, gt=0, le=2)
    stop: str | list[str] | None = None
    tools: list[Any] | None = None
    response_format: dict[str, Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _nulls_left_out(cls, value: Any) -> Any:
        """Clients send null for what they do not ask for."""
        return {name: one for name, one in value.items() if one is not None} if isinstance(value, dict) else value

    @property
    def sampling(self) -> dict[str, Any]:
        names = ("temperature", "top_p", "top_k", "min_p", "seed", "presence_penalty", "frequency_penalty")
        given = {name: getattr(self, name) for name in (*names, "repetition_penalty")}
        given["max_tokens"] = self.max_completion_tokens or self.max_tokens
        given["logprobs"] = bool(self.logprobs)
        given["json_schema"] = self._schema()
        return {name: value for name, value in given.items() if value is not None}

    def _schema(self) -> dict[str, Any] | None:
        wanted = self.response_format or {}
        schema = wanted.get("json_schema")
        return schema.get("schema") if wanted.get("type") == "json_schema" and isinstance(schema, dict) else None


def question_of(body: ChatBody) -> Question:
    """The one picture and the text of the last message.

    Raises:
        BadInput: `chat_not_possible` for what no engine here can do, and those of `picture_bytes`.
    """
    if body.stop or body.tools:
        raise _not_possible("stop words and tools")
    *before, last = body.messages
    if last.role != "user" or any(one.role in ("user", "assistant") or one.content for one in before):
        raise _not_possible("anything but one user message")
    parts = last.content if isinstance(last.content, list) else []
    if any(part.get("type") not in PARTS for part in parts):
        raise _not_possible("parts other than text and image_url")
    pictures = [part.get("image_url") for part in parts if part["type"] == "image_url"]
    if len(pictures) != 1:
        raise _not_possible(f"a message with {len(pictures)} pictures: it takes one")
    address = pictures[0].get("url") if isinstance(pictures[0], dict) else pictures[0]
    text = "".join(str(part.get("text", "")) for part in parts if part["type"] == "text")
    return Question(picture_bytes(str(address)), text, body.model, body.sampling, body.n)


def _not_possible(what: str) -> BadInput:
    return BadInput("chat_not_possible", f"A reader of pages does not do {what}.", "See docs/rest.md.", what=what)


def chat_routes(workbench: Workbench, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["openai"])
    chat = workbench.chat

    @routes.get("/v1/models")
    async def models() -> dict[str, Any]:
        """The engines, as models."""
        told = {"object": "model", "created": 0, "owned_by": "ocr-workbench"}
        return {"object": "list", "data": [{"id": name, **told} for name in chat.models()]}

    @routes.post("/v1/chat/completions")
    async def completions(body: ChatBody, request: Request) -> Response:
        """An answer to a picture and a prompt, in OpenAI's form, as a whole or as a stream. Nothing is stored.

        Tokens of the question are not counted: `prompt_tokens` is 0.
        """
        question = question_of(body)
        head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time())}
        head["model"] = body.model or chat.models()[0]
        pieces, language = chat.ask(question), language_of(request)
        if body.stream:
            begun = after(await anext(pieces), pieces)
            return event_stream(_events(begun, body, head, localize_error, language))
        answers = [Answer() for _ in range(body.n)]
        try:
            async with aclosing(while_there(request, pieces)) as found:
                async for piece in found:
                    if piece is not None:
                        answers[piece.index].take(piece)
        except Gone:
            return nobody_there()
        choices = [one.choice(index, bool(body.logprobs)) for index, one in enumerate(answers)]
        return ExactJSONResponse(
            {**head, "object": "chat.completion", "choices": choices, "usage": _usage(sum(a.tokens for a in answers))}
        )

    return routes


class Answer:
    """One answer as its pieces come."""

    def __init__(self) -> None:
        self.text, self.finish, self.tokens = "", "stop", 0
        self._logprobs: list[dict[str, Any]] = []

    def take(self, piece: Piece) -> None:
        self.text += piece.text
        self._logprobs += logprobs(piece)
        if piece.finish:
            self.finish, self.tokens = piece.finish, piece.tokens or 0

    def choice(self, index: int, with_logprobs: bool) -> dict[str, Any]:
        message = {"role": "assistant", "content": storable(self.text)}
        told = {"content": self._logprobs} if with_logprobs else None
        return {"index": index, "message": message, "logprobs": told, "finish_reason": self.finish}


async def _events(
    pieces: AsyncIterator[Piece | None], body: ChatBody, head: dict[str, Any], localize_error: Localize, language: str
) -> AsyncIterator[bytes]:
    head, tokens, begun = {**head, "object": "chat.completion.chunk"}, 0, set()
    try:
        async with aclosing(pieces) as found:  # type: ignore[type-var]
            async for piece in found:
                if piece is None:
                    yield BEAT
                    continue
                tokens += piece.tokens or 0
                yield event({**head, "choices": [_chunk(piece, piece.index not in begun, bool(body.logprobs))]})
                begun.add(piece.index)
        if body.stream_options and body.stream_options.include_usage:
            yield event({**head, "choices": [], "usage": _usage(tokens)})
    except WorkbenchError as error:
        yield event(error_body(error, localize_error, language))
    yield DONE


def _chunk(piece: Piece, first: bool, with_logprobs: bool) -> dict[str, Any]:
    delta = {"role": "assistant"} if first else {}
    if piece.text:
        delta["content"] = storable(piece.text)
    told = {"content": logprobs(piece)} if with_logprobs and piece.logprobs else None
    return {"index": piece.index, "delta": delta, "logprobs": told, "finish_reason": piece.finish or None}


def logprobs(piece: Piece) -> list[dict[str, Any]]:
    return [
        {
            "token": storable(text),
            "logprob": value,
            "bytes": list(text.encode("utf-8", "surrogatepass")),
            "top_logprobs": [],
        }
        for text, value in zip(piece.pieces, piece.logprobs, strict=False)
    ]


def _usage(tokens: int) -> dict[str, int]:
    return {"prompt_tokens": 0, "completion_tokens": tokens, "total_tokens": tokens}
