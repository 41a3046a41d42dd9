"""Under what conditions something was read or timed: no figure is worth anything without them."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ocr_ui.domain.version import VERSION
from ocr_ui.engines.rapid_models import cores
from ocr_ui.settings import Settings

_PACKAGES = ("vllm", "torch", "transformers", "rapidocr", "onnxruntime", "openai", "numpy")
_SETTINGS = (
    "engine_pixels",
    "pixels",
    "pixels_text_height",
    "pixels_fewest",
    "pixels_confidence",
    "turn_pages",
    "preprocess",
    "max_new_tokens",
    "token_logprobs",
    "load_format",
    "dtype",
    "quantization",
    "kv_cache_dtype",
    "max_model_len",
    "gpu_memory_utilization",
    "short_way",
    "model_runner",
    "max_num_seqs",
    "max_num_batched_tokens",
    "chunked_prefill",
    "enable_prefix_caching",
    "mm_processor_cache_gb",
    "renderer_workers",
    "stream_interval",
    "tensor_parallel_size",
    "data_parallel_size",
    "enforce_eager",
    "dflash",
    "draft_tokens",
)
_READING = ("engine_pixels", "turn_pages", "max_new_tokens", "dtype", "quantization")
"""Settings that may change what is read, and not only how fast."""
_BY_NEED = ("pixels", "pixels_text_height", "pixels_fewest", "pixels_confidence", "token_logprobs")
"""As well, where pixels go by need; else they change nothing. Without probabilities no page is read a second time."""


def conditions(settings: Settings, engines: Mapping[str, Settings] | None = None) -> dict[str, Any]:
    """The machine, its cards and load, the versions, and the settings that matter; plain JSON values.

    Args:
        engines: settings of each engine by its name; what they have otherwise than `settings` is told of each.
    """
    general = {name: getattr(settings, name) for name in _SETTINGS}
    own = {
        engine: {name: getattr(given, name) for name in _SETTINGS if getattr(given, name) != general[name]}
        for engine, given in (engines or {}).items()
    }
    return {
        "program": VERSION,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": cores(),
        "memory_bytes": _memory(),
        "load": [round(one, 2) for one in os.getloadavg()] if hasattr(os, "getloadavg") else [],
        "cards": cards(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "settings": general,
        "engines": {engine: differing for engine, differing in own.items() if differing},
    }


def reading_settings(settings: Settings) -> dict[str, Any]:
    """The settings that may change what is read."""
    names = [*_READING]
    names += [] if settings.preprocess == "off" else ["preprocess"]
    names += [] if settings.pixels == "full" else _BY_NEED
    names += [] if settings.kv_cache_dtype == "auto" else ["kv_cache_dtype"]
    return {name: getattr(settings, name) for name in names}


def cards() -> list[dict[str, Any]]:
    """NVIDIA cards with their memory, driver and how busy they are; none where there are none."""
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:  # no package, no driver, or none that answers
        return []
    try:
        return [_card(pynvml, number) for number in range(pynvml.nvmlDeviceGetCount())]
    finally:
        pynvml.nvmlShutdown()


def _card(nvml: Any, number: int) -> dict[str, Any]:
    handle = nvml.nvmlDeviceGetHandleByIndex(number)
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    busy = nvml.nvmlDeviceGetUtilizationRates(handle)
    return {
        "name": str(nvml.nvmlDeviceGetName(handle)),
        "driver": str(nvml.nvmlSystemGetDriverVersion()),
        "memory_bytes": int(memory.total),
        "memory_used_bytes": int(memory.used),
        "busy_percent": int(busy.gpu),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
