"""Which engines are configured: those of `engines.toml`, the one that the settings choose, and the CPU engine."""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ocr_ui.engines.registry import KINDS, unknown_kind
from ocr_ui.errors import BadInput
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

READER = "rapidocr"
"""The kind that is always there: it needs nothing but its package, and its models tell how a page lies."""
AUTO = "auto"
LONGEST_NAME = 40

_PIXELS = ("engine_pixels", "pixels", "pixels_text_height", "pixels_fewest", "pixels_confidence")
_COPY = (*_PIXELS, "preprocess")
_ASKING = ("max_new_tokens", "first_token_timeout", "silence_timeout", "token_logprobs", *_COPY)
SETTINGS_OF: dict[str, tuple[str, ...]] = {
    "rapidocr": (*_COPY, "max_waiting"),
    "openai": ("base_url", "api_key", "model", "server_retries", *_ASKING),
    "llama": (
        "llama_server",
        "llama_model",
        "llama_mmproj",
        "llama_port",
        "max_model_len",
        "engine_restarts",
        "server_retries",
        *_ASKING,
    ),
    "vllm": (
        "model",
        "model_revision",
        "gpu_memory_utilization",
        "max_model_len",
        "max_num_seqs",
        "max_num_batched_tokens",
        "chunked_prefill",
        "enable_prefix_caching",
        "mm_processor_cache_gb",
        "renderer_workers",
        "short_way",
        "model_runner",
        "stream_interval",
        "dtype",
        "quantization",
        "kv_cache_dtype",
        "load_format",
        "tensor_parallel_size",
        "data_parallel_size",
        "enforce_eager",
        "dflash",
        "draft_tokens",
        "cpu_cache_gb",
        "allow_untested_vllm",
        "engine_restarts",
        *_ASKING,
    ),
}
"""The settings that an engine of a kind reads, by their names in `Settings`; no others may stand in its entry."""

KEY_VARIABLE = "api_key_env"
"""Beside the settings of kind openai: the environment variable that holds the key."""


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """A configured engine: its name in the page, its kind and the settings that it gets."""

    name: str
    kind: str
    settings: Settings


def engine_entries(settings: Settings) -> list[EngineEntry]:
    """The engines that there are to be, the default first; one of the kind READER is always among them.

    `settings.engine` names the default: an entry of the file, else the first entry of a kind, else a kind by itself.

    Raises:
        BadInput: the file cannot be read or holds what no engine takes; the default is neither a name nor a kind.
    """
    listed = read_entries(settings)
    default = _default(listed, settings)
    entries = [default, *(entry for entry in listed if entry is not default)]
    if all(entry.kind != READER for entry in entries):
        entries.append(EngineEntry(READER, READER, settings))
    return entries


def _default(listed: list[EngineEntry], settings: Settings) -> EngineEntry:
    wanted = settings.engine
    if wanted == AUTO and listed:
        return listed[0]
    kind = default_kind(settings)
    for found in (lambda e: e.name == wanted, lambda e: e.kind == kind):
        if entry := next(filter(found, listed), None):
            return entry
    if kind not in KINDS:
        raise unknown_kind(kind, [*(entry.name for entry in listed), *KINDS])
    return EngineEntry(kind, kind, settings)


def default_kind(settings: Settings) -> str:
    """The kind that `auto` means here: vllm where vLLM and an NVIDIA GPU are there, else rapidocr."""
    if settings.engine != AUTO:
        return settings.engine
    return "vllm" if "vllm" in KINDS and find_spec("vllm") is not None and has_gpu() else READER


def has_gpu() -> bool:
    """Is an NVIDIA device there? Looks at the driver's files: importing torch for it would take seconds."""
    return any(Path("/dev").glob("nvidia[0-9]*")) or Path("/proc/driver/nvidia/version").exists()


def read_entries(settings: Settings) -> list[EngineEntry]:
    """The entries of the file, in its order; none where there is no file and nobody has named one.

    Raises:
        BadInput: `engines_file_missing`, `engines_file_broken`, `engine_entry_broken`, `engine_name_bad`,
            `engine_name_twice`, `engine_kind_unknown`, `engine_setting_unknown`, `engine_setting_wrong`,
            `engine_key_missing`. The message names the file and the entry.
    """
    path = settings.engines_file
    entries: list[EngineEntry] = []
    for number, table in enumerate(_tables(path, settings), 1):
        entry = _entry(path, number, table, settings)
        if entry.name in {other.name for other in entries}:
            raise BadInput(
                "engine_name_twice",
                f"{path}: there are two engines with the name {entry.name}.",
                "Give each a name of its own.",
                file=str(path),
                name=entry.name,
            )
        entries.append(entry)
    return entries


def _tables(path: Path, settings: Settings) -> list[Any]:
    try:
        if not path.exists() and "engines_file" not in settings.model_fields_set:
            return []
        whole = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInput(
            "engines_file_missing",
            f"{path} cannot be read: {error.strerror}.",
            "Correct OCR_UI_ENGINES_FILE.",
            file=str(path),
            reason=error.strerror,
        ) from error
    except ValueError as error:
        raise _broken(path, str(error)) from error
    others = ", ".join(sorted(whole.keys() - {"engines"}))
    if others:
        raise _broken(path, f"{others} stands outside of an entry")
    tables = whole.get("engines", [])
    if not isinstance(tables, list):
        raise _broken(path, "the heading of an entry is [[engines]], with two brackets")
    return tables


def _broken(path: Path, reason: str) -> BadInput:
    return BadInput(
        "engines_file_broken",
        f"{path} is no list of engines in TOML: {reason}.",
        "See docs/engines.md for an example.",
        file=str(path),
        reason=reason,
    )


def _entry(path: Path, number: int, table: Any, settings: Settings) -> EngineEntry:
    if not isinstance(table, dict) or not {"name", "kind"} <= table.keys():
        raise BadInput(
            "engine_entry_broken",
            f"{path}: entry {number} has no name or no kind.",
            'Write name = "..." and kind = "..." below [[engines]].',
            file=str(path),
            number=number,
        )
    kind = table["kind"]
    name = _name(path, table["name"], kind)
    if kind not in KINDS:
        raise BadInput(
            "engine_kind_unknown",
            f"{path}: the engine {name} is of the unknown kind {kind!r}.",
            f"Use one of: {', '.join(KINDS)}.",
            file=str(path),
            name=name,
            kind=str(kind),
            known=", ".join(KINDS),
        )
    given = {key: value for key, value in table.items() if key not in ("name", "kind")}
    _check_known(path, name, kind, given)
    values = _checked(path, name, kind, given)
    overridden = values.keys() & settings.model_fields_set
    for setting in sorted(overridden):
        log.warning("OCR_UI_%s overrides %s of the engine %s in %s", setting.upper(), setting, name, path)
    kept = {key: value for key, value in values.items() if key not in overridden}
    return EngineEntry(name, kind, settings.model_copy(update=kept))


def _name(path: Path, name: Any, kind: Any) -> str:
    taken = {AUTO, *KINDS} - {kind}
    if isinstance(name, str) and name == name.strip() and 0 < len(name) <= LONGEST_NAME and name.isprintable():
        if name not in taken:
            return name
        reason = "it means another kind of engine"
    else:
        reason = f"it has 1 to {LONGEST_NAME} printable characters, without spaces around them"
    raise BadInput(
        "engine_name_bad",
        f"{path}: {name!r} cannot be the name of an engine: {reason}.",
        "Choose another name.",
        file=str(path),
        name=str(name),
        limit=LONGEST_NAME,
    )


def _check_known(path: Path, name: str, kind: str, given: Iterable[str]) -> None:
    known = (*SETTINGS_OF[kind], KEY_VARIABLE) if kind == "openai" else SETTINGS_OF[kind]
    if unknown := [key for key in given if key not in known]:
        raise BadInput(
            "engine_setting_unknown",
            f"{path}: an engine of kind {kind} has no setting {', '.join(unknown)} (engine {name}).",
            f"It takes: {', '.join(known)}.",
            file=str(path),
            name=name,
            kind=kind,
            settings=", ".join(unknown),
            known=", ".join(known),
        )


def _checked(path: Path, name: str, kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """The settings of an entry as values of the types that `Settings` has; the key fetched where it only is named."""
    if KEY_VARIABLE in given:
        given = {**given, "api_key": _key(path, name, given[KEY_VARIABLE])}
        del given[KEY_VARIABLE]
    try:
        found = _model(kind).model_validate(given)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        setting, reason = str(first["loc"][0]), first["msg"]
        raise BadInput(
            "engine_setting_wrong",
            f"{path}: {setting} of the engine {name} is wrong: {reason}.",
            f"{Settings.model_fields[setting].description}",
            file=str(path),
            name=name,
            setting=setting,
            reason=reason,
        ) from None  # pydantic's own text would repeat the value, which may be a key
    return {key: getattr(found, key) for key in given}


def _key(path: Path, name: str, variable: Any) -> str:
    key = os.environ.get(str(variable), "")
    if key:
        return key
    raise BadInput(
        "engine_key_missing",
        f"{path}: the environment variable {variable}, which holds the key of the engine {name}, is not set.",
        "Set it, or correct api_key_env.",
        file=str(path),
        name=name,
        variable=str(variable),
    )


def _model(kind: str) -> type[BaseModel]:
    """The settings of a kind with the types and limits that they have in `Settings`."""
    fields = {key: (Settings.model_fields[key].annotation, Settings.model_fields[key]) for key in SETTINGS_OF[kind]}
    # A setting called model_... is no method of pydantic's.
    config = ConfigDict(extra="forbid", protected_namespaces=(), hide_input_in_errors=True)
    return create_model("EngineSettings", __config__=config, **fields)  # type: ignore[call-overload]
