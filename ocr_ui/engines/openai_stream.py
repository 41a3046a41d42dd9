"""Between the product and OpenAI's chat protocol: sampling out, text with token probabilities back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice

from ocr_ui.engines.base import TextDelta
from ocr_ui.engines.token_pieces import aligned

NOT_OPENAI = frozenset({"top_k", "repetition_penalty", "min_p", "ignore_eos"})
"""Sampling that OpenAI's own protocol lacks; servers of open models take it beside."""


def parameters(
    sampling: dict[str, Any], renamed: dict[str, str], always: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Arguments of a chat completion for the sampling of `asking.sampling_for`.

    Args:
        renamed: names that the server uses instead, such as llama-server's `repeat_penalty`.
        always: what this kind of server is sent besides.
    """
    plain = {key: value for key, value in sampling.items() if key not in {*NOT_OPENAI, "logprobs", "json_schema"}}
    beside = {renamed.get(key, key): value for key, value in sampling.items() if key in NOT_OPENAI} | (always or {})
    asked: dict[str, Any] = {**plain, "extra_body": beside, "stream_options": {"include_usage": True}}
    if sampling.get("logprobs"):
        asked["logprobs"] = True
    if schema := sampling.get("json_schema"):
        asked["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    return asked


def delta(choice: Choice) -> TextDelta:
    """What one chunk added."""
    text = (choice.delta.content or "") if choice.delta else ""
    if not isinstance(text, str):
        raise TypeError("the text of a chunk is no string")
    tokens = choice.logprobs.content or [] if choice.logprobs else []
    if tokens and choice.finish_reason == "stop" and tokens[-1].token not in text:
        tokens = tokens[:-1]  # the mark that ends the answer
    pieces = aligned([token.token for token in tokens], text)
    count = len(tokens) or int(bool(text))
    return TextDelta(text, count, tuple(token.logprob for token in tokens), pieces)


@dataclass(frozen=True, slots=True)
class Part:
    """What a chunk adds to one answer.

    Attributes:
        index: of the answer.
        ended: why the answer ends with it; empty where it goes on.
    """

    index: int
    delta: TextDelta
    ended: str


def understood(chunk: ChatCompletionChunk) -> tuple[list[Part], int | None]:
    """What a chunk adds, and the server's own count of the tokens of all answers where it tells it.

    Raises:
        ValueError: the client does not check what comes, and this is no chunk of the protocol.
    """
    try:
        counted = chunk.usage.completion_tokens if chunk.usage else None
        parts = [Part(choice.index or 0, delta(choice), choice.finish_reason or "") for choice in chunk.choices or ()]
        return parts, counted
    except (AttributeError, TypeError, LookupError) as error:
        raise ValueError("a part of it is not of OpenAI's protocol") from error
