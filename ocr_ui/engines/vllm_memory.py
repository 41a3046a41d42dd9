"""What the model needs of the card's memory, told before it is loaded."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ocr_ui.engines.vllm_model import read_config, weight_bytes
from ocr_ui.errors import EngineDead
from ocr_ui.settings import Settings

GB = 1_000_000_000
ACTIVATIONS = int(1.5 * GB)
"""Rough: work space of the vision tower for one page of 2048 x 2048 pixels, compiled graphs, CUDA itself."""

TYPICAL_PAGE = 4_096
"""Tokens of an A4 page at 150 dpi with its answer."""


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Bytes that the engine wants on one card, and what is there.

    Attributes:
        weights: the model's files.
        draft: the draft model's files, where speculative decoding is on.
        work: for activations and graphs, estimated.
        per_token: of the cache, for one token of one page.
        longest: tokens of the longest question and answer.
        budget: what the engine may take: the card times OCR_UI_GPU_MEMORY_UTILIZATION.
        free: free on the card now.
    """

    weights: int
    draft: int
    work: int
    per_token: int
    longest: int
    budget: int
    free: int

    @property
    def cache(self) -> int:
        """Bytes left for the cache."""
        return min(self.budget, self.free) - self.weights - self.draft - self.work

    @property
    def missing(self) -> int:
        """Bytes missing for one longest page; 0 where it fits."""
        return max(0, self.longest * self.per_token - self.cache)

    @property
    def pages_at_once(self) -> int:
        """How many typical pages fit into the cache at once."""
        return max(0, self.cache) // (self.per_token * TYPICAL_PAGE)

    def __str__(self) -> str:
        return (
            f"weights {self.weights / GB:.1f} GB, draft {self.draft / GB:.1f} GB, work space about "
            f"{self.work / GB:.1f} GB, leaves {max(0, self.cache) / GB:.1f} GB, about {self.pages_at_once} pages"
        )

    def check(self) -> None:
        """Raises EngineDead where one longest page does not fit."""
        if self.missing:
            raise EngineDead(
                "too_little_gpu_memory",
                f"About {self.missing / GB:.1f} GB of the card's memory are missing ({self}).",
                "End other programs on the card, raise OCR_UI_GPU_MEMORY_UTILIZATION, or lower OCR_UI_MAX_MODEL_LEN.",
                missing=f"{self.missing / GB:.1f}",
            )


def cache_bytes_per_token(config: dict[str, Any]) -> int:
    """Keys and values of all layers at 2 bytes each; 98,304 for HunyuanOCR."""
    text = {**config, **config.get("text_config", {})}
    heads = text.get("num_key_value_heads") or text["num_attention_heads"]
    width = text.get("head_dim") or text["hidden_size"] // text["num_attention_heads"]
    return 2 * 2 * text["num_hidden_layers"] * heads * width


def card_memory() -> tuple[int, int] | None:
    """Total and free bytes of the first card; None where there is none."""
    try:
        total, free = _first_card("memory.total,memory.free").split(",")
        return int(total) * 2**20, int(free) * 2**20
    except ValueError:
        return None


def card_name() -> str:
    """Name of the first card."""
    return _first_card("name") or "no NVIDIA card"


def _first_card(what: str) -> str:
    """What nvidia-smi says; empty where there is none.

    Not asked of torch: a process that has touched CUDA cannot fork its workers any more.
    """
    ask = ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, timeout=20, check=True).stdout  # noqa: S603
        return said.splitlines()[0].strip()
    except (OSError, subprocess.SubprocessError, IndexError):
        return ""


def plan(folder: Path, draft: Path | None, settings: Settings, card: tuple[int, int]) -> MemoryPlan:
    total, free = card
    return MemoryPlan(
        weights=weight_bytes(folder) // settings.tensor_parallel_size,
        draft=weight_bytes(draft) if draft else 0,
        work=ACTIVATIONS,
        per_token=cache_bytes_per_token(read_config(folder)) // settings.tensor_parallel_size,
        longest=settings.max_model_len,
        budget=int(total * settings.gpu_memory_utilization),
        free=free,
    )
