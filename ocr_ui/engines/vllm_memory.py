"""What the model needs of the card's memory, told before it is loaded."""

from __future__ import annotations

import math
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ocr_ui.domain.counted import counted
from ocr_ui.engines.base import MemoryShares
from ocr_ui.engines.vllm_model import read_config, vision_bytes, weight_bytes
from ocr_ui.errors import EngineDead
from ocr_ui.settings import Settings

GB = 1_000_000_000
ACTIVATIONS = int(1.5 * GB)
"""Rough: work space of the vision tower for one page of 2048 x 2048 pixels, compiled graphs, CUDA itself."""

TYPICAL_PAGE = 4_096
"""Tokens of an A4 page at 150 dpi with its answer."""

SHORTEST = 6_144
"""Tokens under which a large page and an answer do not fit: no such OCR_UI_MAX_MODEL_LEN is proposed."""

LARGEST_SHARE = 0.95
"""Of the card's memory, as OCR_UI_GPU_MEMORY_UTILIZATION: CUDA itself needs the rest."""


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Bytes that the engine wants on one card, and what is there.

    Attributes:
        weights: the model's files, its vision part included.
        vision: the part of them that sees.
        draft: the draft model's files, where speculative decoding is on.
        work: for activations and graphs, estimated.
        per_token: of the cache, for one token of one page.
        longest: tokens of the longest question and answer.
        budget: what the engine may take: the card times OCR_UI_GPU_MEMORY_UTILIZATION.
        card: all of the card's memory.
        free: free on the card now.
    """

    weights: int
    vision: int
    draft: int
    work: int
    per_token: int
    longest: int
    budget: int
    card: int
    free: int

    @property
    def cache(self) -> int:
        """Bytes left for the cache."""
        return self.budget - self.weights - self.draft - self.work

    @property
    def missing(self) -> int:
        """Bytes missing for one longest page; 0 where it fits."""
        return max(0, self.longest * self.per_token - self.cache)

    @property
    def pages_at_once(self) -> int:
        """How many typical pages fit into the cache at once."""
        return max(0, self.cache) // (self.per_token * TYPICAL_PAGE)

    @property
    def shares(self) -> MemoryShares:
        """The same for people, who are not told of a cache below nothing."""
        return MemoryShares(
            weights=self.weights - self.vision,
            vision=self.vision,
            draft=self.draft,
            work=self.work,
            cache=max(0, self.cache),
            card=self.card,
            pages=self.pages_at_once,
        )

    @property
    def remedy(self) -> str:
        """A setting and its value with which one page fits; the CPU engine where there is none."""
        length = self.cache // self.per_token // 256 * 256
        if length >= SHORTEST:
            return f"OCR_UI_MAX_MODEL_LEN={length}"
        share = math.ceil((self.budget + self.missing) / self.card * 100) / 100
        if share <= LARGEST_SHARE and share * self.card <= self.free:
            return f"OCR_UI_GPU_MEMORY_UTILIZATION={share:.2f}"
        return "OCR_UI_ENGINE=rapidocr"

    def __str__(self) -> str:
        told = self.shares
        return (
            f"weights {told.weights / GB:.1f} GB, vision {told.vision / GB:.1f} GB, draft {told.draft / GB:.1f} GB, "
            f"work space about {told.work / GB:.1f} GB, cache {told.cache / GB:.1f} GB of the card's "
            f"{told.card / GB:.1f} GB: about {counted(told.pages, 'page')} at once"
        )

    def check(self) -> None:
        """Raises EngineDead where the card has not what is asked of it, or one longest page does not fit."""
        if self.free < self.budget:  # vLLM itself refuses to start then
            share = f"{math.floor(self.free / self.card * 100) / 100:.2f}"
            raise EngineDead(
                "gpu_memory_taken",
                f"{self.budget / GB:.1f} GB of the card's memory are asked for and {self.free / GB:.1f} GB are free: "
                f"{(self.budget - self.free) / GB:.1f} GB are missing.",
                f"End other programs on the card, or set OCR_UI_GPU_MEMORY_UTILIZATION={share} or lower.",
                asked=f"{self.budget / GB:.1f}",
                free=f"{self.free / GB:.1f}",
                missing=f"{(self.budget - self.free) / GB:.1f}",
                share=share,
            )
        if self.missing:
            raise EngineDead(
                "too_little_gpu_memory",
                f"About {self.missing / GB:.1f} GB of the card's memory are missing ({self}).",
                f"Set {self.remedy}.",
                missing=f"{self.missing / GB:.1f}",
                remedy=self.remedy,
            )


def cache_bytes_per_token(config: dict[str, Any], cache_type: str = "auto") -> int:
    """Keys and values of all layers at 2 bytes each, or 1 in fp8; 98,304 and 49,152 for HunyuanOCR."""
    text = {**config, **config.get("text_config", {})}
    heads = text.get("num_key_value_heads") or text["num_attention_heads"]
    width = text.get("head_dim") or text["hidden_size"] // text["num_attention_heads"]
    size = 1 if cache_type.startswith("fp8") else 2
    return 2 * size * text["num_hidden_layers"] * heads * width


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
        vision=vision_bytes(folder) // settings.tensor_parallel_size,
        draft=weight_bytes(draft) if draft else 0,
        work=ACTIVATIONS,
        per_token=cache_bytes_per_token(read_config(folder), settings.kv_cache_dtype) // settings.tensor_parallel_size,
        longest=settings.max_model_len,
        budget=int(total * settings.gpu_memory_utilization),
        card=total,
        free=free,
    )
