"""Loaded into vLLM's worker processes (worker_extension_cls): corrections for HunYuanVL, and what runs there.

For a remote `vllm serve` 0.29 or newer give `--worker-extension-cls ocr_ui.engines.worker_extension.Extension`, with
this project on PYTHONPATH. It needs vLLM and torch alone, so that it loads wherever vLLM does.

What makes a worker fail is noted in a file where the product asks for it: vLLM's front end is not told.

Two corrections, both seen with vLLM 0.32:
- From 0.29 on HunYuanVL runs through the Transformers backend, which splits the vision tower's output by h * w rows a
  picture, although HunYuanVL returns (h / 2) * (w / 2 + 1) + 2. With several pictures encoded in one step, answers
  belong to the wrong picture (19 to 21 of 32 right; 32 of 32 with this). Not a matter of the CPU build.
- The CPU build's matrix products refuse an input that is not contiguous.

And three additions: pictures may come as bytes (`vllm_pictures`), the vision tower is run without Python between its
kernels (`vision_tower`), and vLLM's model runner V2, which calls the model without two arguments that HunYuanVL's class
of 0.25 insists on, can run it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import torch
from vllm.model_executor.layers import utils
from vllm.platforms import current_platform
from vllm.v1.worker.worker_base import WorkerWrapperBase

from ocr_ui.engines.picture_bytes import numbers_of
from ocr_ui.engines.vision_tower import Tower, Unfit

try:
    from vllm.model_executor.models.transformers import multimodal
except ImportError:  # up to 0.28 vLLM's own model class reads HunYuanVL, and older ones lack the module
    multimodal = None
try:
    from vllm.model_executor.models import hunyuan_vision
except ImportError:
    hunyuan_vision = None

TABLES: dict[str, torch.Tensor] = {}
"""What the values of a picture become, as the engine learnt it, under "numbers"."""


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


def with_numbers(model: Any, pixel_values: torch.Tensor, given: dict[str, Any]) -> torch.Tensor:
    """The model's input of pictures that came as bytes, whose sizes are taken out of `given`; else what came."""
    sizes = given.pop("picture_size", None)
    if sizes is None:
        return pixel_values
    table = TABLES["numbers"]
    grids = given["image_grid_thw"].view(-1, 3).tolist()
    patch = model.config.vision_config.patch_size
    return numbers_of(pixel_values.to(table.device), sizes.view(-1, 2).tolist(), grids, table, patch)


def take_bytes_in_backend(backend: Any) -> None:
    """Lets the Transformers backend take pictures as bytes."""
    process = backend.MultiModalMixin._process_vision_input

    def with_bytes(self: Any, modality: str, pixel_values: Any, num_patches: Any, **kwargs: Any) -> Any:
        return process(self, modality, with_numbers(self, pixel_values, kwargs), num_patches, **kwargs)

    backend.MultiModalMixin._process_vision_input = with_bytes


def take_bytes_in_model(model: Any) -> None:
    """Lets vLLM's own HunYuanVL take pictures as bytes."""
    embed = model.HunYuanVLForConditionalGeneration.embed_multimodal

    def with_bytes(self: Any, **kwargs: Any) -> Any:
        if "pixel_values" in kwargs:
            kwargs["pixel_values"] = with_numbers(self, kwargs["pixel_values"], kwargs)
        return embed(self, **kwargs)

    model.HunYuanVLForConditionalGeneration.embed_multimodal = with_bytes


def let_tower_be_lean(model: Any) -> None:
    """Runs vLLM's own vision tower kernel after kernel where `Extension.lean_tower` found that it may."""
    read = model.HunYuanVisionTransformer.read_by_vllm = model.HunYuanVisionTransformer.forward

    def forward(self: Any, x: torch.Tensor, grid_thw: list[list[int]]) -> Any:
        tower = self.__dict__.get("lean")
        return tower(x, grid_thw) if tower else read(self, x, grid_thw)

    model.HunYuanVisionTransformer.forward = forward


def let_runner_leave_out(model: Any) -> None:
    """Gives the model's arguments that model runner V2 leaves out the value that they would have."""
    model.HunYuanVLForConditionalGeneration.forward.__defaults__ = (None, None)


def accept_any_layout(layers: Any) -> None:
    """Makes an input contiguous before the CPU build's products see it, whichever of them the processor gets."""
    multiply = layers.cpu_unquantized_gemm
    layers.cpu_unquantized_gemm = lambda layer, x, *rest, **named: multiply(layer, x.contiguous(), *rest, **named)


if hasattr(getattr(multimodal, "MultiModalMixin", None), "_process_vision_input"):
    correct_row_counts(multimodal)
    take_bytes_in_backend(multimodal)
if hunyuan_vision is not None:
    take_bytes_in_model(hunyuan_vision)
    let_tower_be_lean(hunyuan_vision)
    let_runner_leave_out(hunyuan_vision)
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

    def take_table(self, table: list[list[float]], dtype: str) -> None:
        """What the values of a picture become, for pictures that come as bytes: see `picture_bytes.numbers_of`."""
        TABLES["numbers"] = torch.tensor(table, dtype=getattr(torch, dtype), device=self.device)

    def lean_tower(self) -> str:
        """Lets the vision tower go the lean way; gives "lean", or why it does not."""
        visual = getattr(self.model_runner.get_model(), "visual", None)
        if hunyuan_vision is None or not isinstance(visual, hunyuan_vision.HunYuanVisionTransformer):
            return "vLLM's own: not its class for HunYuanVL"
        try:
            from vllm.v1.attention.backends.fa_utils import flash_attn_varlen_func

            tower = Tower(visual, flash_attn_varlen_func)
            tower.check()
        except Exception as error:  # other versions may differ in any way, and vLLM's own tower reads all the same
            return f"vLLM's own: {error if isinstance(error, Unfit) else repr(error)}"
        visual.__dict__["lean"] = tower
        return "lean"

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
