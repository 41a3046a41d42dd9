"""Making vLLM's engine from the settings, and saying why where that fails."""

from __future__ import annotations

import atexit
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ocr_ui.engines import vllm_versions
from ocr_ui.engines.base import DraftReason
from ocr_ui.errors import EngineDead
from ocr_ui.logs import vllm_config
from ocr_ui.settings import Settings

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM

EXTENSION = "ocr_ui.engines.worker_extension.Extension"
RUNNER = "VLLM_USE_V2_MODEL_RUNNER"
"""The variable by which vLLM is told which of its model runners to use."""


OUT_OF_MEMORY = ("out of memory", "no available memory", "less than desired gpu memory", "kv cache memory")
"""Words by which an exception of vLLM is known to speak of memory."""


def prepare_process(settings: Settings) -> None:
    """Sets what vLLM reads from the environment; call before vLLM is imported.

    No usage statistics are sent, and workers are spawned: a fork fails once CUDA was touched.
    """
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("VLLM_WORKER_MULTIPROC_METHOD", "spawn")
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", f"{settings.cpu_cache_gb:g}")
    if settings.log_format == "json" and "VLLM_LOGGING_CONFIG_PATH" not in os.environ:
        os.environ["VLLM_LOGGING_CONFIG_PATH"] = str(_logging_config())


@contextmanager
def runner_of_choice(settings: Settings, on_card: bool) -> Iterator[bool]:
    """Has an engine that is made meanwhile work with the model runner of the settings, or V2 where that was tried.

    Gives whether V2 was chosen here, on a card: not where the settings or the environment ask for a runner. V2 keeps on
    the card what the repetition penalty needs; V1 sends it there with each token.
    """
    before = os.environ.get(RUNNER)
    asked = settings.model_runner
    ours = asked == "auto" and on_card and before is None and vllm_versions.runs_with_v2()
    if ours or asked != "auto":
        os.environ[RUNNER] = "0" if asked == "v1" else "1"
    try:
        yield ours
    finally:  # another engine of this process may want another
        os.environ.pop(RUNNER, None)
        if before is not None:
            os.environ[RUNNER] = before


def _logging_config() -> Path:
    """A file for vLLM's processes, which configure their logging themselves."""
    handle, name = tempfile.mkstemp(prefix="ocr-workbench-vllm-logging-", suffix=".json")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(vllm_config(), file)
    atexit.register(Path(name).unlink, missing_ok=True)
    return Path(name)


class FailureNote:
    """What a worker wrote down before its engine ended: vLLM's own error says no more than that it did.

    The worker's part is in `worker_extension`; it inherits the file's name with the environment.
    """

    VARIABLE = "OCR_WORKBENCH_FAILURE_NOTE"

    def __init__(self) -> None:
        self._file: Path | None = None

    def begin(self) -> None:
        """For a new engine: an empty note, and its name in the environment of the workers to come."""
        self.drop()
        handle, name = tempfile.mkstemp(prefix="ocr-engine-", suffix=".txt")
        os.close(handle)
        self._file = Path(name)
        os.environ[self.VARIABLE] = name

    def read(self) -> str:
        if self._file is None:
            return ""
        try:
            return self._file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def drop(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink()
            self._file = None


def no_more_requests() -> None:
    """The model is here: vLLM's processes, which are started from now on, ask the hub for nothing."""
    os.environ["HF_HUB_OFFLINE"] = "1"


def draft_model(folder: Path, settings: Settings, version: str) -> tuple[Path | None, DraftReason | None]:
    """The draft folder for speculative decoding, or None with the reason.

    Raises:
        EngineDead: it is asked for (`dflash=on`) and cannot be had.
    """
    if settings.dflash == "off":
        return None, DraftReason("off", "OCR_UI_DFLASH=off")
    reason = no_draft(folder, version)
    if reason is None:
        return folder / "dflash", None
    if settings.dflash == "on":
        raise EngineDead(
            "no_draft_model",
            f"Speculative decoding cannot be used: {reason.text}.",
            "Set OCR_UI_DFLASH=auto.",
            reason=reason.text,
        )
    return None, reason


def no_draft(folder: Path, version: str) -> DraftReason | None:
    """Why DFlash cannot be used here; None where it can."""
    if vllm_versions.release(version) < (0, 25, 1):
        return DraftReason("vllm", f"vLLM {version} is older than 0.25.1", {"version": version})
    if not (folder / "dflash" / "config.json").is_file():
        return DraftReason("missing", f"there is no draft model in {folder / 'dflash'}")
    cuda = cuda_of_torch()
    if int((cuda or "0").split(".")[0]) < 13:
        return DraftReason("cuda", f"torch is built for CUDA {cuda or 'none'}, and 13 is needed", {"cuda": cuda or "-"})
    return None


def cuda_of_torch() -> str:
    from torch.version import cuda

    return cuda or ""


def engine_arguments(folder: Path, draft: Path | None, settings: Settings) -> dict[str, Any]:
    """vLLM's arguments for the settings."""
    arguments = {
        "model": str(folder),
        "worker_extension_cls": EXTENSION,
        "limit_mm_per_prompt": {"image": 1},
        "enable_log_requests": False,
        "disable_log_stats": True,
        "gpu_memory_utilization": settings.gpu_memory_utilization,
        "max_model_len": settings.max_model_len,
        "max_num_seqs": settings.max_num_seqs,
        "max_num_batched_tokens": settings.max_num_batched_tokens,
        "enable_chunked_prefill": settings.chunked_prefill,
        "enable_prefix_caching": settings.enable_prefix_caching,
        "mm_processor_cache_gb": settings.mm_processor_cache_gb,
        "renderer_num_workers": settings.renderer_workers,
        "stream_interval": settings.stream_interval,
        "dtype": settings.dtype,
        "kv_cache_dtype": settings.kv_cache_dtype,
        "quantization": settings.quantization or None,
        "load_format": settings.load_format,
        "tensor_parallel_size": settings.tensor_parallel_size,
        "data_parallel_size": settings.data_parallel_size,
        "enforce_eager": settings.enforce_eager,
    }
    if draft:
        arguments["speculative_config"] = {
            "method": "dflash",
            "model": str(draft),
            "num_speculative_tokens": settings.draft_tokens,
        }
    return arguments


def make_llm(folder: Path, draft: Path | None, settings: Settings, stat_logger: Any) -> AsyncLLM:
    """Loads the model; takes from half a minute to minutes, so run it in a thread.

    vLLM's own counters for Prometheus are left out, and its lines in the log: `stat_logger`, a factory of vLLM's, is
    all that is told of each step.

    Raises:
        EngineDead: vLLM did not start.
    """
    from vllm import AsyncEngineArgs
    from vllm.config import StructuredOutputsConfig
    from vllm.v1.engine.async_llm import AsyncLLM

    # Where a grammar allows blanks, a model that is unsure writes nothing but blanks to the end.
    structured = StructuredOutputsConfig(backend="xgrammar", disable_any_whitespace=True)
    arguments = {**engine_arguments(folder, draft, settings), "structured_outputs_config": structured}
    try:
        return AsyncLLM.from_engine_args(AsyncEngineArgs(**arguments), stat_loggers=[stat_logger])
    except Exception as error:  # whatever vLLM raises, a person is told
        raise did_not_start(error, folder) from error


def did_not_start(error: Exception, folder: Path) -> EngineDead:
    """What vLLM's exception at the start means for a person."""
    text = str(error)
    if any("missing required attribute 'image_token'" in str(one) for one in chain(error)):
        return EngineDead(
            "model_revision_too_old",
            f"The tokenizer in {folder} does not name the picture's tokens: an older revision of the model.",
            "Fetch the newest revision (OCR_UI_MODEL_REVISION=main).",
            folder=str(folder),
        )
    reason = reason_of(error)
    if any(words in text.lower() for words in OUT_OF_MEMORY):
        return EngineDead(
            "engine_out_of_memory",
            f"The memory did not suffice for vLLM: {reason}.",
            "Lower OCR_UI_MAX_MODEL_LEN, OCR_UI_MAX_NUM_SEQS or OCR_UI_MAX_NUM_BATCHED_TOKENS, or end other programs.",
            reason=reason,
        )
    named = [f"OCR_UI_{name.upper()}" for name in Settings.model_fields if "_" in name and name in reason]
    settings = ", ".join(named) or "OCR_UI_MODEL"
    return EngineDead(
        "engine_did_not_start",
        f"vLLM did not start: {reason}.",
        f"The log shows more. Correct {settings}.",
        reason=reason,
        settings=settings,
    )


def reason_of(error: Exception) -> str:
    """The first line of an exception that says something, without pydantic's frame around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not re.match(r"\d+ validation errors? for ", line)]
    first = next(iter(telling or lines), type(error).__name__)
    return re.sub(r"^Value error, |\s*\[type=.*$", "", first).rstrip(".")


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
