"""How HunyuanOCR is asked, whatever runs it: the order of the messages and the sampling of the official scripts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ocr_ui.errors import BadInput
from ocr_ui.settings import Settings

SAMPLING: dict[str, Any] = {"temperature": 0.0, "top_p": 1.0, "top_k": -1, "repetition_penalty": 1.08}
"""Sampling of the model's official scripts; a template or a person may override each."""

OVERRIDES = frozenset(
    {
        *SAMPLING,
        "max_tokens",
        "min_p",
        "seed",
        "presence_penalty",
        "frequency_penalty",
        "ignore_eos",
        "logprobs",
        "json_schema",
    }
)
"""Keys that `EngineRequest.sampling` may hold. `logprobs` (bool) asks for token probabilities, `json_schema` (dict)
holds the answer to a JSON schema by the engine's own structured output, `ignore_eos` makes answers of equal length for
measuring."""

LONGEST_RATIO = 200


def sampling_for(overrides: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """The sampling that is sent: the official values, and the overrides of a request within the settings' limits.

    Raises:
        BadInput: a key that no engine knows.
    """
    unknown = sorted(set(overrides) - OVERRIDES)
    if unknown:
        raise BadInput(
            "unknown_sampling",
            f"There is no sampling setting {', '.join(unknown)}.",
            f"Use: {', '.join(sorted(OVERRIDES))}.",
            names=", ".join(unknown),
            allowed=", ".join(sorted(OVERRIDES)),
        )
    # A server with little room refuses a longer answer than it has room for, whatever the template would allow.
    longest = min(overrides.get("max_tokens", settings.max_new_tokens), settings.max_new_tokens)
    return {**SAMPLING, "logprobs": settings.token_logprobs, **overrides, "max_tokens": longest}


def messages(prompt: str, picture: dict[str, Any]) -> list[dict[str, Any]]:
    """An empty system message, then the picture BEFORE the text, as the official scripts ask.

    Args:
        prompt: the exact text.
        picture: the content part that stands for the picture, in the form that the receiver wants.
    """
    return [
        {"role": "system", "content": ""},
        {"role": "user", "content": [picture, {"type": "text", "text": prompt}]},
    ]


def check_picture(pixels: np.ndarray) -> None:
    """Raises BadInput for a picture over 200 times as long as wide: the model's preparation refuses it."""
    height, width = pixels.shape[:2]
    if max(height, width) > LONGEST_RATIO * min(height, width):
        raise BadInput(
            "picture_too_narrow",
            f"The picture, {width} x {height} pixels, is over {LONGEST_RATIO} times as long as wide.",
            "Cut it into parts.",
            width=width,
            height=height,
            most=LONGEST_RATIO,
        )


TOO_LONG = ("longer than", "maximum model length", "maximum context length", "context size", "encoder cache")


def over_budget(refusal: str) -> bool:
    """Does a refusal of vLLM or llama-server say that picture and prompt are too large for it?"""
    return any(words in refusal for words in TOO_LONG)


def check_prompt(prompt: str, special_tokens: Collection[str]) -> None:
    """Raises BadInput where a prompt holds one of the model's own marks: it would end the question early."""
    for token in special_tokens:
        if token in prompt:
            raise BadInput(
                "special_token_in_prompt",
                f"The prompt holds {token}, a mark of the model's own.",
                "Leave it out.",
                token=token,
            )
