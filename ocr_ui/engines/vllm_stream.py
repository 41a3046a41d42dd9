"""Between the product and vLLM: sampling parameters out, text with token probabilities back."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np
from torchvision.transforms.functional import to_pil_image
from vllm import SamplingParams
from vllm.exceptions import VLLMValidationError
from vllm.outputs import CompletionOutput
from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

from ocr_ui.engines.base import TextDelta
from ocr_ui.engines.token_pieces import aligned
from ocr_ui.errors import BadInput

REFUSALS = (ValueError, VLLMValidationError)
"""What vLLM raises for a request that it does not take; the second is a kind of the first up to 0.25 at least."""


def parameters(sampling: dict[str, Any]) -> SamplingParams:
    """vLLM's parameters for the sampling of `asking.sampling_for`.

    Raises:
        BadInput: a value that vLLM refuses.
    """
    plain = {key: value for key, value in sampling.items() if key not in {"logprobs", "json_schema"}}
    schema = sampling.get("json_schema")
    try:
        return SamplingParams(
            **plain,
            logprobs=0 if sampling.get("logprobs") else None,
            structured_outputs=StructuredOutputsParams(json=schema) if schema else None,
            output_kind=RequestOutputKind.DELTA,
        )
    except (*REFUSALS, TypeError) as error:
        raise BadInput(
            "bad_sampling", f"The sampling cannot be used: {error}.", "Correct the template.", reason=str(error)
        ) from error


def prompt(text: str, pixels: np.ndarray) -> dict[str, Any]:
    """A question with its picture. The picture goes as Pillow's: the processor of vLLM up to 0.28 takes no arrays."""
    return {"prompt": text, "multi_modal_data": {"image": to_pil_image(pixels)}}


def delta(output: CompletionOutput, special: Container[int]) -> TextDelta:
    """What one or several steps added to an answer. The model's own marks (the end of the answer) are left out."""
    found = zip(output.token_ids, output.logprobs or (), strict=False)
    tokens = [said[token] for token, said in found if token not in special]
    pieces = aligned([token.decoded_token or "" for token in tokens], output.text)
    return TextDelta(output.text, len(output.token_ids), tuple(token.logprob for token in tokens), pieces)
