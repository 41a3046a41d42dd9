"""Telling that an engine ran out of memory from what it raises, notes or answers: each says it in its own words."""

from __future__ import annotations

import re

from ocr_ui.errors import EngineFailed

OUT_OF_MEMORY = "out_of_memory"
"""The code of the error; a reading that fails with it is tried once more with a smaller picture."""

_SAID = re.compile(
    r"out of memory"  # CUDA, HIP, XPU, llama.cpp
    r"|OutOfMemoryError"
    r"|CUDA_ERROR_OUT_OF_MEMORY|CUBLAS_STATUS_ALLOC_FAILED"
    r"|can't allocate memory|cannot allocate memory|failed to allocate|bad_alloc|MemoryError",
    re.IGNORECASE,
)


def is_memory_failure(reason: str) -> bool:
    """Does this text of an error say that memory ran out?"""
    return _SAID.search(reason) is not None


def out_of_memory(reason: str) -> EngineFailed:
    """The one error for it, whichever engine it was."""
    return EngineFailed(
        "out_of_memory",
        "The engine ran out of memory on this page.",
        "Lower OCR_UI_ENGINE_PIXELS or OCR_UI_MAX_NUM_SEQS.",
        reason=reason,
    )
