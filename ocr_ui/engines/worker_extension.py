"""Loaded into vLLM's worker processes (worker_extension_cls): corrections for HunYuanVL, and what runs there.

For a remote `vllm serve` 0.29 or newer give `--worker-extension-cls ocr_ui.engines.worker_extension.Extension`, with
this project on PYTHONPATH. This module imports vLLM alone, so that it loads wherever vLLM does.

What makes a worker fail is noted in a file where the product asks for it: vLLM's front end is not told.

Two corrections, both seen with vLLM 0.32:
- From 0.29 on HunYuanVL runs through the Transformers backend, which splits the vision tower's output by h * w rows a
  picture, although HunYuanVL returns (h / 2) * (w / 2 + 1) + 2. With several pictures encoded in one step, answers
  belong to the wrong picture (19 to 21 of 32 right; 32 of 32 with this). Not a matter of the CPU build.
- The CPU build's matrix products refuse an input that is not contiguous.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from vllm.model_executor.layers import utils
from vllm.platforms import current_platform
from vllm.v1.worker.worker_base import WorkerWrapperBase

try:
    from vllm.model_executor.models.transformers import multimodal
except ImportError:  # up to 0.28 vLLM's own model class reads HunYuanVL, and older ones lack the module
    multimodal = None


def correct_row_counts(backend: Any) -> None:
    """Gives the Transformers backend the number of rows that HunYuanVL really returns for each picture."""
    process = backend.MultiModalMixin._process_vision_input

    def with_real_row_counts(self: Any, modality: str, pixel_values: Any, num_patches: Any, **kwargs: Any) -> Any:
        grid = kwargs.get("image_grid_thw")
        if grid is not None and getattr(self.config, "model_type", "") == "hunyuan_vl":
            merge = self.config.vision_config.spatial_merge_size
            num_patches = (grid[:, 1] // merge) * (grid[:, 2] // merge + 1) + 2
        return process(self, modality, pixel_values, num_patches, **kwargs)

    backend.MultiModalMixin._process_vision_input = with_real_row_counts


def accept_any_layout(layers: Any) -> None:
    """Makes an input contiguous before the CPU build's products see it, whichever of them the processor gets."""
    multiply = layers.cpu_unquantized_gemm
    layers.cpu_unquantized_gemm = lambda layer, x, *rest, **named: multiply(layer, x.contiguous(), *rest, **named)


if hasattr(getattr(multimodal, "MultiModalMixin", None), "_process_vision_input"):
    correct_row_counts(multimodal)
if current_platform.is_cpu():
    accept_any_layout(utils)


def note_failures(wrapper: Any) -> None:
    """Writes what a step fails with into the file that OCR_WORKBENCH_FAILURE_NOTE names."""
    work = wrapper.execute_model

    def with_note(self: Any, *given: Any, **named: Any) -> Any:
        try:
            return work(self, *given, **named)
        except Exception as error:
            if name := os.environ.get("OCR_WORKBENCH_FAILURE_NOTE"):
                with suppress(OSError), open(name, "w", encoding="utf-8") as note:
                    note.write(repr(error))
            raise

    wrapper.execute_model = with_note


note_failures(WorkerWrapperBase)


def attention_backends(layers: Iterable[Any]) -> list[str]:
    found = (getattr(layer, "attn_backend", None) for layer in layers)
    return sorted({backend.get_name() for backend in found if backend is not None})


class Extension:
    """Mixed into vLLM's worker class."""

    def describe_reader(self) -> dict[str, str]:
        """What runs in this worker: model class, model runner and attention backend."""
        runner = self.model_runner
        model = type(runner.get_model())
        layers = runner.vllm_config.compilation_config.static_forward_context.values()
        return {
            "model_class": f"{model.__module__}.{model.__qualname__}",
            "model_runner": f"{type(runner).__module__}.{type(runner).__qualname__}",
            "attention_backend": ", ".join(attention_backends(layers)) or "unknown",
        }
