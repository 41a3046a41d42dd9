"""Which weights an engine would read with: their files' SHA-256, without asking anybody for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from ocr_ui.engines import hub
from ocr_ui.engines.vllm_model import REMEMBERED, local_folder
from ocr_ui.settings import Settings

SUFFIX = ".safetensors"


def weights(kind: str, settings: Settings) -> dict[str, str]:
    """SHA-256 by file, of the kinds of engines that load files of their own; empty where there are none here.

    Those of a local folder are worked out, which takes seconds; those in the hub's cache are known by name.

    Raises:
        EngineDead: OCR_UI_MODEL is written like a path, and no folder is there. OSError.
    """
    if kind == "llama":
        return _hashed(path for path in (settings.llama_model, settings.llama_mmproj) if path and path.is_file())
    if kind != "vllm":
        return {}
    folder = local_folder(settings.model)
    if folder is not None:
        return _hashed(sorted(folder.glob(f"*{SUFFIX}")))
    known = hub.Memory(settings.data_dir / REMEMBERED).recall(settings.model, settings.model_revision)
    model = known or hub.in_cache(settings.model, settings.model_revision)
    if model is None or not model.is_here():
        return {}
    return {file.path: file.content for file in model.files if file.path.endswith(SUFFIX)}


def _hashed(paths: Iterable[Path]) -> dict[str, str]:
    found = {}
    for path in paths:
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found
