"""Engine kinds by name. A class is imported when it is asked for, so that its package may be missing until then."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from ocr_ui.engines.base import Engine
from ocr_ui.errors import BadInput
from ocr_ui.settings import Settings

KINDS = {
    "rapidocr": ("ocr_ui.engines.rapidocr", "RapidOcrEngine"),
    "vllm": ("ocr_ui.engines.vllm_embedded", "VllmEngine"),
    "openai": ("ocr_ui.engines.openai_server", "OpenAiEngine"),
    "llama": ("ocr_ui.engines.llama_server", "LlamaEngine"),
}


def create_engine(kind: str, settings: Settings) -> Engine:
    """Builds the engine of a kind without starting it.

    Raises:
        BadInput: unknown kind.
        EngineDead: a package that the engine needs is not installed; the message names the line that installs it.
    """
    if kind not in KINDS:
        raise unknown_kind(kind, KINDS)
    module, name = KINDS[kind]
    return getattr(import_module(module), name)(settings)


def unknown_kind(name: str, known: Iterable[str]) -> BadInput:
    names = ", ".join(known)
    return BadInput(
        "unknown_engine", f"There is no engine {name!r}.", f"Use one of: {names}.", engine=name, known=names
    )
