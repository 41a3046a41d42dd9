"""Finding the model: a local folder as it is, a name on the hub from this machine or, once, from the network."""

from __future__ import annotations

import json
import logging
import struct
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub.errors import (
    GatedRepoError,
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import validate_repo_id

from ocr_ui.engines import hub
from ocr_ui.engines.meter import Stopped, Tell
from ocr_ui.errors import EngineDead
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

REMEMBERED = "models.json"
"""File in the data folder: which commit each model's name stood for when it was fetched."""


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model's folder, and the commit on the hub that it is; empty for a local folder."""

    folder: Path
    commit: str = ""


def find_model(settings: Settings, tell: Tell, stop: threading.Event) -> FoundModel:
    """The folder of the model that the settings name, checked. Blocks: run it in a thread.

    Args:
        tell: told what is done, and how far it is.
        stop: ends a download; what has come stays, and the next one goes on from there.

    Raises:
        EngineDead: no such folder or name, no network, or what is there is no vision model.
    """
    folder = local_folder(settings.model)
    found = FoundModel(folder) if folder else hub_model(settings, tell, stop)
    check_model(found.folder, needs_weights=settings.load_format != "dummy")
    return found


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


def hub_model(settings: Settings, tell: Tell, stop: threading.Event) -> FoundModel:
    """A model of the hub: without a request where it was fetched before, else with one download.

    A revision such as "main" means the commit that it stood for at the first download, until a person names another.
    """
    name, revision = settings.model, settings.model_revision
    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise _unknown(settings) from error
    memory = hub.Memory(settings.data_dir / REMEMBERED)
    known = memory.recall(name, revision)
    if known and known.is_here():
        return FoundModel(known.folder, known.commit)
    commit = known.commit if known else ""
    model = _fetched(settings, commit, tell, stop)
    memory.keep(revision, model)
    return FoundModel(model.folder, model.commit)


def _fetched(settings: Settings, commit: str, tell: Tell, stop: threading.Event) -> hub.HubModel:
    """The model with all its files on this machine.

    Args:
        commit: the one that was fetched before; empty for whatever the revision stands for.
    """
    name, revision = settings.model, settings.model_revision
    cached = hub.in_cache(name, commit or revision)
    try:
        model = hub.look_up(name, commit or (cached.commit if cached else revision))
        hub.fetch(model, revision, tell, stop)
    except (EngineDead, Stopped):
        raise
    except GatedRepoError as error:
        raise _gated(settings) from error
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise _unknown(settings) from error
    except Exception as error:  # no network: the client's classes for it differ from version to version
        if isinstance(error, OSError) and error.errno in hub.OF_THE_DISK:
            raise _unwritten(error, hub.storage_of(name)) from error
        return _as_cached(settings, cached, error, tell, stop)
    return model


def _as_cached(
    settings: Settings, cached: hub.HubModel | None, error: Exception, tell: Tell, stop: threading.Event
) -> hub.HubModel:
    """What another program has fetched, taken without the hub's word that it is all."""
    if cached is None:
        raise _missing(settings, str(error) or type(error).__name__) from error
    log.warning("the hub cannot be asked whether %s is whole; it is taken as it is", cached.folder)
    hub.verify(cached, tell, stop)
    check_model(cached.folder, needs_weights=settings.load_format != "dummy")
    return cached


def _unknown(settings: Settings) -> EngineDead:
    return EngineDead(
        "model_unknown",
        f"The hub has no model {settings.model} at revision {settings.model_revision}, or keeps it closed.",
        "Correct OCR_UI_MODEL and OCR_UI_MODEL_REVISION.",
        model=settings.model,
        revision=settings.model_revision,
    )


def _gated(settings: Settings) -> EngineDead:
    return EngineDead(
        "model_gated",
        f"The hub gives {settings.model} only to people who have accepted its terms.",
        "Accept them on the model's page, then set HF_TOKEN to your key, or correct OCR_UI_MODEL.",
        model=settings.model,
    )


def _missing(settings: Settings, reason: str) -> EngineDead:
    folder = settings.model.rpartition("/")[2]
    which = f"{settings.model} --revision {settings.model_revision}"
    command = f"hf download {which} --exclude '{hub.LEFT_OUT}*' --local-dir {folder}"
    return EngineDead(
        "model_missing",
        f"The model {settings.model} is not on this machine, and the network did not give it ({reason}).",
        f"Run on a machine with network: {command} - bring the folder here, and set OCR_UI_MODEL to it.",
        model=settings.model,
        command=command,
        reason=reason,
    )


def _unwritten(error: OSError, folder: Path) -> EngineDead:
    return EngineDead(
        "model_not_written",
        f"The model cannot be written to {folder}: {error.strerror}.",
        "Mend the folder's rights or room, or set HF_HOME to a folder elsewhere.",
        folder=str(folder),
        reason=error.strerror or str(error),
    )


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
    if needs_weights and (missing := missing_weights(folder)):
        raise EngineDead(
            "model_without_weights",
            f"{folder} lacks weights: {missing}.",
            "Fetch the model again, or correct OCR_UI_MODEL.",
            folder=str(folder),
            missing=missing,
        )


def missing_weights(folder: Path) -> str:
    """Names of weight files that are not there, where there is a list of them; empty where all are."""
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return "" if weight_bytes(folder) else "*.safetensors"
    try:
        named = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        return index.name
    return ", ".join(sorted(name for name in named if not (folder / name).is_file()))


def weight_bytes(folder: Path) -> int:
    """Bytes of all weight files of a folder, its own subfolders left out."""
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


VISION = frozenset({"vit", "visual", "vision_tower", "vision_model"})
"""Names, first or second in a weight's dotted name, of a model's vision part."""
LONGEST_HEADER = 100_000_000


def vision_bytes(folder: Path) -> int:
    """Bytes of the vision part, as the headers of the weight files tell; 0 where they do not."""
    return sum(vision_bytes_of(path) for path in folder.glob("*.safetensors"))


def vision_bytes_of(path: Path) -> int:
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            header = json.loads(file.read(min(length, LONGEST_HEADER)))
        spans = [entry["data_offsets"] for name, entry in header.items() if VISION & set(name.split(".")[:2])]
        return sum(end - begin for begin, end in spans)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, struct.error):
        return 0
