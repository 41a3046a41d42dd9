"""Finding the model: a local folder as it is, a name on the hub from the cache or, once, from the network."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from tqdm.auto import tqdm

from ocr_ui.errors import EngineDead
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

LEFT_OUT = ["v1.0/*"]
"""Folders of the model's repository that are not fetched: the first version's weights."""

Progress = Callable[[str], None]


def find_model(settings: Settings, progress: Progress) -> Path:
    """The folder of the model that the settings name, checked. Blocks: run it in a thread.

    Args:
        progress: told what is done, in a few words, while a download runs.

    Raises:
        EngineDead: no such folder or name, no network, or what is there is no vision model.
    """
    folder = local_folder(settings.model) or hub_folder(settings, progress)
    check_model(folder, needs_weights=settings.load_format != "dummy")
    return folder


def local_folder(model: str) -> Path | None:
    """The folder, where `model` is one or is written like a path; None for a name on the hub.

    Raises:
        EngineDead: written like a path, and no folder is there.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or model.startswith((".", "~")):
        raise EngineDead(
            "model_folder_missing", f"There is no folder {path}.", "Correct OCR_UI_MODEL.", folder=str(path)
        )
    return None


def hub_folder(settings: Settings, progress: Progress) -> Path:
    try:
        return Path(_snapshot(settings, local_files_only=True))
    except LocalEntryNotFoundError:
        log.info("%s is not on this machine yet: fetching it", settings.model)
    except HFValidationError as error:
        raise _unknown(settings) from error
    try:
        return Path(_snapshot(settings, tqdm_class=_bar(progress)))
    except (RepositoryNotFoundError, RevisionNotFoundError, GatedRepoError) as error:
        raise _unknown(settings) from error
    except (LocalEntryNotFoundError, OSError) as error:
        raise _missing(settings) from error


def _snapshot(settings: Settings, **how: Any) -> str:
    return snapshot_download(settings.model, revision=settings.model_revision, ignore_patterns=LEFT_OUT, **how)


def _unknown(settings: Settings) -> EngineDead:
    return EngineDead(
        "model_unknown",
        f"The hub has no model {settings.model} at revision {settings.model_revision}, or keeps it closed.",
        "Correct OCR_UI_MODEL and OCR_UI_MODEL_REVISION.",
        model=settings.model,
        revision=settings.model_revision,
    )


def _missing(settings: Settings) -> EngineDead:
    command = f"hf download {settings.model} --revision {settings.model_revision} --exclude 'v1.0/*'"
    return EngineDead(
        "model_missing",
        f"The model {settings.model} is not on this machine, and the network did not give it.",
        f"Run on a machine with network: {command} - then set OCR_UI_MODEL to the folder.",
        model=settings.model,
        command=command,
    )


def _bar(progress: Progress) -> type[tqdm]:
    """A progress bar on the console that also tells the page."""

    class Bar(tqdm):
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **{**named, "disable": False})  # without a terminal too: the page shows it

        def update(self, n: float | None = 1) -> bool | None:
            shown = super().update(n)
            if self.total and self.unit == "B":
                progress(f"fetching the model: {self.n / 1e6:,.0f} of {self.total / 1e6:,.0f} MB")
            return shown

    return Bar


def read_config(folder: Path) -> dict[str, Any]:
    """The model's `config.json`.

    Raises:
        EngineDead: it is missing or broken.
    """
    try:
        return json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EngineDead(
            "model_without_config",
            f"{folder} holds no readable config.json, so it is no model.",
            "Point OCR_UI_MODEL at the folder with config.json and the weights.",
            folder=str(folder),
        ) from error


def check_model(folder: Path, needs_weights: bool = True) -> None:
    """Raises EngineDead where a folder is no vision model that can be loaded."""
    config = read_config(folder)
    if "vision_config" not in config:
        raise EngineDead(
            "model_without_vision",
            f"The model in {folder} ({config.get('model_type', 'unknown')}) cannot see pictures.",
            "Set OCR_UI_MODEL to tencent/HunyuanOCR or another vision model.",
            folder=str(folder),
            model_type=str(config.get("model_type", "")),
        )
    if needs_weights and not weight_bytes(folder):
        raise EngineDead(
            "model_without_weights",
            f"{folder} holds no weights (*.safetensors).",
            "Fetch the model again, or correct OCR_UI_MODEL.",
            folder=str(folder),
        )


def weight_bytes(folder: Path) -> int:
    """Bytes of all weight files of a folder, its own subfolders left out."""
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))
