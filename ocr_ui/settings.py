"""All settings, read once from the environment (prefix OCR_UI_) or a `.env` file. The README lists each."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from ocr_ui.errors import BadInput

ROOT = Path(__file__).resolve().parent.parent


PREFIX, FILE = "OCR_UI_", ".env"
EMPTY_IS_NONE = "trusted_proxies"
"""Of which an empty text says something; any other setting that is empty is as it is by itself."""

MOST_DAYS = 36_500
BLANKS = frozenset(map(chr, (*range(0x21), 0x7F)))
"""What no address may have in it."""
_MOST = 2**53
_MOST_OF = {"days": MOST_DAYS, "hours": 876_000, "minutes": 525_600, "seconds": 2_000_000, "s": 2_000_000}
"""By the last word of a name; more is nobody's wish, and dates, timers and databases count no further."""


def _templates() -> Path:
    """Beside the package; in an installed wheel within it."""
    beside = ROOT / "prompts"
    return beside if beside.is_dir() else ROOT / "ocr_ui" / "prompts"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=FILE, env_file_encoding="utf-8", extra="ignore")

    host: str = Field("127.0.0.1", description="Address that the server listens on.")
    port: int = Field(7860, ge=0, le=65535, description="Port that the server listens on.")
    allowed_hosts: str = Field(
        "",
        description="Names, separated by commas, by which a server that listens on this machine alone may be called "
        "besides localhost: that of a reverse proxy, say. * allows any.",
    )
    auth: Literal["none", "password", "proxy"] = Field(
        "none", description="Who may come in: none (everybody), password (own accounts) or proxy (see docs/access.md)."
    )
    allow_no_login: bool = Field(
        False, description="Serve without logins although other machines get here: for networks that you trust wholly."
    )
    session_hours: float = Field(12.0, gt=0, description="Hours without use after which a login is over.")
    login_tries: int = Field(5, gt=0, description="Wrong passwords of a name from one address before it has to wait.")
    login_minutes: float = Field(15.0, ge=1, description="Minutes of that wait.")
    uploads_per_minute: int = Field(
        600, ge=0, description="With logins: pictures that one account may bring in in a minute; 0 for any number."
    )
    reads_per_minute: int = Field(
        600, ge=0, description="With logins: readings that one account may start in a minute; 0 for any number."
    )
    proxy_header: str = Field(
        "X-Forwarded-User",
        pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
        description="proxy: header in which the proxy names the person who is logged in.",
    )
    trusted_proxies: str = Field(
        "127.0.0.1, ::1",
        description="Addresses or networks, separated by commas, whose X-Forwarded- headers count.",
    )
    proxy_role: Literal["viewer", "annotator", "reviewer", "admin"] = Field(
        "viewer", description="proxy: role of a person whom the proxy names for the first time."
    )
    keep_pictures_days: int = Field(
        0, ge=0, description="Days after which the pictures of pages go, while labels stay; 0 keeps them."
    )
    data_dir: Path = Field(Path("data"), description="Folder of the database, the pictures and own templates.")
    database_url: SecretStr = Field(
        SecretStr(""),
        description="Address of a PostgreSQL database, postgresql+psycopg://user:password@host/database, in place of "
        "the SQLite file in the data folder. See docs/storage.md.",
    )
    pictures_url: SecretStr = Field(
        SecretStr(""),
        description="Address of the pictures, s3://bucket/prefix or another one of fsspec, in place of the data "
        "folder. See docs/storage.md.",
    )
    export_dir: Path = Field(Path("exports"), description="Folder within which the page may push data into folders.")
    engine: str = Field(
        "auto", description="Engine that reads: auto, rapidocr, vllm, openai, llama, or a name of the engines file."
    )
    engines_file: Path = Field(
        Path("engines.toml"), description="File that lists several engines; none is needed. See docs/engines.md."
    )
    prompts_dir: Path = Field(
        default_factory=_templates, description="Folder of the templates that come with the product."
    )
    examples_dir: Path = Field(ROOT / "examples", description="Folder of the example pictures.")
    max_upload_bytes: int = Field(20_000_000, gt=0, description="Largest file that is taken, in bytes.")
    max_document_bytes: int = Field(
        200_000_000, gt=0, description="Largest file of a batch, in bytes; its pages are drawn one by one."
    )
    max_video_bytes: int = Field(1_000_000_000, gt=0, description="Largest video of a batch, in bytes.")
    max_video_seconds: float = Field(7_200.0, gt=0, description="Longest video of a batch, in seconds.")
    max_video_frames: int = Field(3_000, gt=0, description="Most frames with text that are read of one video.")
    batch_bytes: int = Field(
        2_000_000_000, gt=0, description="Largest archive that a batch takes, in bytes, packed and unpacked."
    )
    batch_files: int = Field(5_000, gt=0, description="Most files of one batch, those of its archives included.")
    batch_at_once: int | None = Field(
        None,
        ge=0,
        description="Pages of batches that this process reads at the same time; 0 leaves them to others, empty takes "
        "half of the places of the engine that reads them.",
    )
    batch_webhook: SecretStr = Field(
        SecretStr(""),
        description="Address that is told of each batch that is done, where that was asked for; empty for none.",
    )
    clamd: str = Field(
        "",
        description="clamd (ClamAV) that looks through every file that comes in: HOST:PORT or the path of its socket; "
        "empty for none.",
    )
    max_pixels: int = Field(
        100_000_000, gt=0, description="Largest picture that is taken, in pixels of width times height."
    )
    engine_pixels: int = Field(
        4_000_000, gt=0, description="Pixels that an engine gets at most; a larger picture is scaled down for it."
    )
    pixels: Literal["full", "need"] = Field(
        "full",
        description="Pixels that an engine gets of a page: full, or need: as few as its smallest text needs. See "
        "docs/pixels.md.",
    )
    pixels_text_height: float = Field(
        0.0,
        ge=0,
        le=200,
        description="need: height in pixels that the smallest text keeps; 0 takes what `calibrate pixels` has found.",
    )
    pixels_fewest: int = Field(
        500_000, ge=1_000, description="need: pixels that an engine gets at least, where the page has as many."
    )
    pixels_confidence: float = Field(
        0.85,
        ge=0,
        le=1,
        description="need: below this mean confidence a page that was read with fewer pixels is read again with all; 0 "
        "for never.",
    )
    decode_seconds: float = Field(20.0, gt=0, description="Longest time that decoding one picture may take.")
    max_pages: int = Field(500, gt=0, description="Most pages that are taken from one document.")
    turn_pages: bool = Field(True, description="Notice pages that lie on their side or head, and turn them.")
    preprocess: Literal["off", "auto"] = Field(
        "off",
        description="auto: give engines a cleaned copy of pages that are measured to be specked, or faint in a shadow. "
        "See docs/preprocessing.md.",
    )
    low_confidence: float = Field(
        0.8,
        ge=0,
        le=1,
        description="Below this confidence a line, field or cell is uncertain, as is one with a token below its half.",
    )
    max_waiting: int = Field(64, gt=0, description="Readings that may wait for the engine before more are refused.")

    max_requests: int = Field(
        128, gt=0, description="Requests with a picture that may be worked on or wait at once before more are refused."
    )
    request_seconds: float = Field(
        300.0, gt=0, description="Longest time that a request over REST may take to read a picture, in seconds."
    )
    drain_s: float = Field(
        15.0,
        ge=0,
        description="Seconds that what is being read may take to its end once the server is told to stop (SIGTERM).",
    )
    log_format: Literal["text", "json"] = Field(
        "text", description="Form of log lines: text, or json (one object a line)."
    )
    log_file: Path | None = Field(
        None, description="File for log lines, besides the console; several processes of one machine may share it."
    )
    log_file_bytes: int = Field(
        20_000_000, gt=0, description="Size from which on a log file is put aside, as it is with each new day."
    )
    log_files: int = Field(10, ge=0, description="Log files that are kept beside the newest one.")
    log_days: int = Field(30, ge=0, description="Days after which log files that were put aside go; 0 keeps them.")
    tls_cert: Path | None = Field(None, description="Certificate file (PEM) for https; with OCR_UI_TLS_KEY.")
    tls_key: Path | None = Field(None, description="Key file (PEM) of that certificate.")

    claim_minutes: float = Field(
        10.0, gt=0, description="Minutes that a page is one reviewer's without a sign of work; work renews them."
    )
    idle_seconds: float = Field(
        60.0, gt=0, description="Seconds without a key, a click or a move after which time does not count as work."
    )

    model: str = Field(
        "tencent/HunyuanOCR", description="Model of the vllm and openai engines: a name on the hub, or a local folder."
    )
    model_revision: str = Field("main", description="Revision of the model on the hub that the vllm engine loads.")
    max_new_tokens: int = Field(8192, gt=0, description="Longest answer, in tokens.")
    first_token_timeout: float = Field(30.0, gt=0, description="Longest wait for an answer to begin, in seconds.")
    silence_timeout: float = Field(30.0, gt=0, description="Longest silence within an answer, in seconds.")
    token_logprobs: bool = Field(
        True, description="Ask for the probability of each token: gives confidences, costs some speed."
    )
    gpu_memory_utilization: float = Field(
        0.85, gt=0, le=1, description="vllm: share of the card's memory that the engine may take."
    )
    max_model_len: int = Field(
        16384,
        gt=0,
        description="vllm: longest question and answer together, in tokens; a large page alone takes 4,226.",
    )
    max_num_seqs: int = Field(64, gt=0, description="vllm: pages that are read at once; more wait for their turn.")
    max_num_batched_tokens: int = Field(
        16384, gt=0, description="vllm: tokens that are worked on in one step; lower it where memory is short."
    )
    chunked_prefill: bool = Field(True, description="vllm: let long questions be worked on in parts.")
    enable_prefix_caching: bool = Field(
        False, description="vllm: keep worked-out questions; pays where one picture is read several times."
    )
    mm_processor_cache_gb: float = Field(
        0.0,
        ge=0,
        description="vllm: memory for prepared pictures, in GB; pays where one picture is read several times.",
    )
    renderer_workers: int = Field(
        1, gt=0, description="vllm: threads that prepare pictures where `OCR_UI_SHORT_WAY` cannot."
    )
    short_way: bool = Field(
        True,
        description="vllm: send pictures as bytes and run a lean vision tower, where that is proved to change nothing.",
    )
    stream_interval: int = Field(1, gt=0, description="vllm: tokens that are handed over at once after the first.")
    model_runner: Literal["auto", "v1", "v2"] = Field(
        "auto", description="vllm: which of vLLM's model runners works on the card; auto: v2 where it was tried."
    )
    dtype: str = Field("bfloat16", description="vllm: number format of the weights.")
    quantization: str = Field("", description="vllm: quantization of the weights, such as fp8; empty for none.")
    kv_cache_dtype: str = Field(
        "auto",
        description="vllm: number format of the cache for pages, such as fp8, which halves it; auto: as the weights.",
    )
    load_format: str = Field(
        "auto", description="vllm: how weights are loaded; dummy makes random ones, for measuring."
    )
    tensor_parallel_size: int = Field(1, gt=0, description="vllm: cards that share one copy of the model.")
    data_parallel_size: int = Field(1, gt=0, description="vllm: copies of the model, each on its own card.")
    enforce_eager: bool = Field(False, description="vllm: start sooner and read slower: no compiled graphs.")
    dflash: Literal["auto", "on", "off"] = Field(
        "auto", description="vllm: speculative decoding with the model's own draft folder: auto, on or off."
    )
    draft_tokens: int = Field(15, gt=0, description="vllm: tokens that the draft model proposes at once.")
    cpu_cache_gb: float = Field(2.0, gt=0, description="vllm without a GPU: memory for the cache, in GB.")
    allow_untested_vllm: bool = Field(
        False, description="vllm: start with a version that was never tried; docs/versions.md lists those that were."
    )
    engine_restarts: int = Field(5, ge=0, description="Restarts in a row after which a failing engine is given up.")
    base_url: str = Field(
        "http://127.0.0.1:8000/v1",
        description="openai: address of the server; several, separated by commas, are taken in turn.",
    )
    api_key: SecretStr = Field(SecretStr(""), description="openai: key of the server, where it wants one.")
    server_retries: int = Field(3, ge=0, description="openai: tries after a busy or unreachable server.")
    llama_server: str = Field("llama-server", description="llama: the llama-server program, by name or path.")
    llama_model: Path | None = Field(None, description="llama: GGUF file of the model.")
    llama_mmproj: Path | None = Field(None, description="llama: GGUF file of the model's vision part.")
    llama_port: int = Field(0, ge=0, le=65535, description="llama: port of its server; 0 takes a free one.")

    reward_file: str = Field(
        "", description="Reward function that is shown beside our own: path.py:compute_score, in verl's form."
    )
    reward_seconds: float = Field(
        30.0, gt=0, description="Longest time that the reward function may take for one answer, in seconds."
    )
    judge_url: str = Field(
        "",
        description="Address of an OpenAI-compatible server that judges translations and answers to questions; empty "
        "for none.",
    )
    judge_model: str = Field("", description="Name of the judge's model on that server.")
    judge_key: SecretStr = Field(SecretStr(""), description="Key of the judge's server, where it wants one.")
    judge_seconds: float = Field(60.0, gt=0, description="Longest wait for the judge, in seconds.")

    @model_validator(mode="before")
    @classmethod
    def _empty_is_left_out(cls, values: Any) -> Any:
        """Files for containers name each setting and leave empty what nobody has chosen."""
        return {name: value for name, value in values.items() if value != "" or name == EMPTY_IS_NONE}

    @field_validator("*")
    @classmethod
    def _countable(cls, value: Any, info: ValidationInfo) -> Any:
        most = _MOST_OF.get(str(info.field_name).rpartition("_")[2], _MOST)
        if isinstance(value, int | float) and value > most:
            raise PydanticCustomError("too_large", "Input should be at most {most}", {"most": most})
        return value

    def secrets(self) -> list[str]:
        """What must be shown nowhere."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return [value.get_secret_value() for value in values if isinstance(value, SecretStr) and value]

    def with_store_in(self, folder: Path) -> Settings:
        """A copy whose store is that folder alone, wherever this one has its database and pictures."""
        nothing = SecretStr("")
        return self.model_copy(update={"data_dir": folder, "database_url": nothing, "pictures_url": nothing})


def is_address(text: str) -> bool:
    """Can a server be called by it? Http alone."""
    try:
        parts = urlsplit(text)
        port_fits = parts.port != 0
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port_fits and not set(text) & BLANKS


def read_settings() -> Settings:
    """The settings of the environment and of the file.

    Raises:
        ValidationError: a value does not fit.
        BadInput: `settings_unreadable`.
    """
    try:
        return Settings()
    except (UnicodeDecodeError, OSError) as error:
        reason = str(getattr(error, "strerror", None) or "not UTF-8")
        raise BadInput(
            "settings_unreadable",
            f"The settings in {FILE} cannot be read: {reason}.",
            "Save it as UTF-8 text that this user may read.",
            reason=reason,
        ) from error


def odd_settings(settings: Settings, environment: Mapping[str, str] = os.environ) -> list[tuple[str, str]]:
    """What is given and does nothing, each with what to do about it."""
    known = [name.upper() for name in Settings.model_fields]
    given = {name.upper() for name in (*environment, *dotenv_values(FILE, encoding="utf-8"))}
    unknown = sorted(name.removeprefix(PREFIX) for name in given if name.startswith(PREFIX))
    odd = [(f"There is no setting {PREFIX}{name}.", _meant(name, known)) for name in unknown if name not in known]
    if not settings.examples_dir.is_dir():
        odd.append(
            (f"There is no folder {settings.examples_dir}: no examples are offered.", "Correct OCR_UI_EXAMPLES_DIR.")
        )
    return odd


def _meant(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1, 0.7)
    return f"Did you mean {PREFIX}{near[0]}?" if near else "The README lists all."
