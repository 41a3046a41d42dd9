"""HunYuanVL's vision tower, kernel after kernel: vLLM 0.25's own one waits for Python between them.

vLLM goes through its modules 27 times a picture and splits and joins the pictures for each layer, which takes a core
some 27 ms a page beside the 35 ms that an H200 works on it, and waits for the card at the end. Here the same kernels
are called with the same shapes, so that every bit of the outcome is the same, which is checked before it is used.

It runs in vLLM's workers and needs torch alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

CHECKED = ((1, 44, 62), (1, 30, 20))
"""Grids of the pictures that both ways are compared on."""

Layer = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""Takes the states of one picture, shape (1, patches, width), and their bounds, int32 [0, patches]; gives new ones."""


class Unfit(Exception):
    """This tower has to be run by vLLM; says why."""


class Tower:
    """The layers of a `HunYuanVisionTransformer`, without their modules.

    Args:
        visual: vLLM's tower.
        attend: `flash_attn_varlen_func` of vLLM's.

    Raises:
        Unfit: its weights are quantized or shared between cards, or its attention is not FlashAttention's.
    """

    def __init__(self, visual: Any, attend: Callable[..., torch.Tensor]) -> None:
        self._visual = visual
        self._layers = [layer_of(block, attend) for block in visual.layers]

    def __call__(self, x: torch.Tensor, grid_thw: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """What the tower's own `forward` gives.

        Args:
            x: the patches of all pictures, shape (patches, 3 * patch * patch).
            grid_thw: (1, rows of patches, patches in a row) of each picture.

        Returns:
            One tensor a picture, shape (tokens, width of the language model).
        """
        visual = self._visual
        states = visual.embeddings(x.to(device=visual.device, dtype=visual.dtype), grid_thw)
        counts = [int(high) * int(wide) for _, high, wide in grid_thw]
        parts = states.reshape(len(x), -1).split(counts)
        return [self._read(part, grid) for part, grid in zip(parts, grid_thw, strict=True)]

    def _read(self, states: torch.Tensor, grid: Sequence[int]) -> torch.Tensor:
        bounds = torch.tensor([0, len(states)], dtype=torch.int32).to(states.device, non_blocking=True)
        states = states.unsqueeze(0)
        for layer in self._layers:
            states = layer(states, bounds)
        return self._visual.perceive(states.contiguous(), size=grid[1:]).squeeze(0)

    def check(self) -> None:
        """Compares with vLLM's way, on pictures of noise.

        Raises:
            Unfit: the outcome differs in any bit.
        """
        visual = self._visual
        count = sum(high * wide for _, high, wide in CHECKED)
        noise = torch.randn(count, visual.embeddings.patch_embedding.weight[0].numel(), device=visual.device)
        with torch.inference_mode():
            grids = [list(grid) for grid in CHECKED]
            pairs = zip(self(noise, grids), type(visual).read_by_vllm(visual, noise, grids), strict=True)
            if not all(torch.equal(mine, its) for mine, its in pairs):
                raise Unfit("the outcome differs")


def layer_of(block: Any, attend: Callable[..., torch.Tensor]) -> Layer:
    """One layer of vLLM's as a function."""
    attention, mlp = block.self_attn, block.mlp
    check_plain(attention, mlp)
    qkv, out = weights_of(attention.qkv), weights_of(attention.o_proj)
    up, down = weights_of(mlp.dense_h_to_4h), weights_of(mlp.dense_4h_to_h)
    before, after = norm_of(block.input_layernorm), norm_of(block.post_attention_layernorm)
    heads, width = attention.num_attention_heads_per_partition, attention.hidden_size_per_attention_head
    scale, version, act = attention.attn.scale, attention.attn._fa_version, mlp.act_fn

    def look(x: torch.Tensor, bounds: torch.Tensor) -> torch.Tensor:
        count = x.shape[1]
        query, key, value = (part.view(count, heads, width) for part in x.chunk(3, dim=-1))
        return attend(
            query,
            key,
            value,
            cu_seqlens_q=bounds,
            cu_seqlens_k=bounds,
            max_seqlen_q=count,
            max_seqlen_k=count,
            dropout_p=0.0,
            causal=False,
            softmax_scale=scale,
            fa_version=version,
        ).reshape(1, count, heads * width)

    def run(x: torch.Tensor, bounds: torch.Tensor) -> torch.Tensor:
        seen = look(functional.linear(functional.layer_norm(x, *before), *qkv), bounds)
        x = x + functional.linear(seen, *out)
        hidden = act(functional.linear(functional.layer_norm(x, *after), *up))
        return x + functional.linear(hidden, *down)

    return run


def check_plain(attention: Any, mlp: Any) -> None:
    """Raises Unfit for what this way does not run."""
    for linear in (attention.qkv, attention.o_proj, mlp.dense_h_to_4h, mlp.dense_4h_to_h):
        if type(linear.quant_method).__name__ != "UnquantizedLinearMethod":
            raise Unfit("its weights are quantized")
        if linear.tp_size != 1:
            raise Unfit("it is shared between cards")
    if attention.attn.attn_backend.name != "FLASH_ATTN":
        raise Unfit(f"its attention is {attention.attn.attn_backend.name}")


def weights_of(linear: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight and bias as plain tensors: vLLM's own class of them costs Python at every use."""
    return bare(linear.weight), bare(linear.bias)


def norm_of(norm: Any) -> tuple[Any, ...]:
    """The arguments of `layer_norm` after its input."""
    return norm.normalized_shape, bare(norm.weight), bare(norm.bias), norm.eps


def bare(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().as_subclass(torch.Tensor)
