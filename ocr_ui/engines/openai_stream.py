"""Between the product and OpenAI's chat protocol: sampling out, text with token probabilities back."""

from __future__ import annotations

from typing import Any

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
    text = choice.delta.content or ""
    tokens = choice.logprobs.content or [] if choice.logprobs else []
    if tokens and choice.finish_reason == "stop" and tokens[-1].token not in text:
        tokens = tokens[:-1]  # the mark that ends the answer
    pieces = aligned([token.token for token in tokens], text)
    count = len(tokens) or int(bool(text))
    return TextDelta(text, count, tuple(token.logprob for token in tokens), pieces)
