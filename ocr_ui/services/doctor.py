"""Looks a machine over: does it have what the product needs, and what is set otherwise than usual?

Nothing is changed, and nobody is asked but the servers that the settings name.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx
from pydantic import SecretStr

from ocr_ui.domain.counted import counted
from ocr_ui.engines import vllm_versions
from ocr_ui.engines.rapid_models import require_package
from ocr_ui.engines.weights import weights
from ocr_ui.errors import WorkbenchError
from ocr_ui.images.need import RULE
from ocr_ui.services.conditions import cards
from ocr_ui.services.engine_entries import EngineEntry, engine_entries, has_gpu
from ocr_ui.services.pixel_rules import MEASURED, NEED
from ocr_ui.services.scan import Scanner
from ocr_ui.services.tls import check_tls
from ocr_ui.settings import Settings, odd_settings
from ocr_ui.storage.addresses import shown_address
from ocr_ui.storage.far_pictures import FarPictures, open_pictures
from ocr_ui.storage.store import DATABASE, Store

LITTLE_DISK, NO_DISK = 2_000_000_000, 100_000_000
LITTLE_MEMORY = 1_000_000_000
CLOCKS_APART = 5.0
"""Seconds between this machine's clock and that of its data folder from which on something is wrong."""
LEAST_YEAR = 2026
ASKED_SECONDS = 3.0
MASK = "***"
NO_PICTURE = "0" * 64
AS_THE_PRODUCT = "Run this as the user whom the product runs as, or correct the permissions."


class Verdict(StrEnum):
    FINE = "fine"
    ODD = "odd"
    """It works, and may not as wished."""
    BROKEN = "broken"
    NOT_HERE = "not here"
    """Not needed, or not of this machine."""


@dataclass(frozen=True, slots=True)
class Check:
    """Attributes: says: what was found. hint: what to do; empty where nothing is."""

    name: str
    verdict: Verdict
    says: str
    hint: str = ""


def checks(settings: Settings, running: bool = False) -> list[Check]:
    """Args: running: the product is, so that its port is its own."""
    looks: dict[str, Callable[[], Iterator[Check]]] = {
        "settings": lambda: _settings(settings),
        "data folder": lambda: _data_folder(settings),
        "disk": lambda: _disk(settings),
        "memory": _memory,
        "database": lambda: _database(settings),
        "pictures": lambda: _pictures(settings),
        "port": lambda: _port(settings, running),
        "login": lambda: _login(settings),
        "https": lambda: _https(settings),
        "log file": lambda: _log_file(settings),
        "clamd": lambda: _clamd(settings),
        "card": _card,
        "engines": lambda: _engines(settings),
        "measurements": lambda: _measurements(settings),
        "clock": lambda: _clock(settings),
    }
    return [check for name, look in looks.items() for check in _whatever(name, look)]


def _whatever(name: str, look: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    """A check that fails itself is told, and ends no other."""
    try:
        yield from look()
    except WorkbenchError as error:
        yield Check(error.code.replace("_", " "), Verdict.BROKEN, error.message, error.hint)
    except OSError as error:
        hint = AS_THE_PRODUCT if isinstance(error, PermissionError) else ""
        yield Check(name, Verdict.BROKEN, f"{error.filename or 'It'} cannot be read: {error.strerror or error}.", hint)


def _settings(settings: Settings) -> Iterator[Check]:
    for odd in odd_settings(settings):
        yield Check("settings", Verdict.ODD, *odd)


def _data_folder(settings: Settings) -> Iterator[Check]:
    yield _folder("data folder", Path(settings.data_dir).absolute(), "OCR_UI_DATA_DIR")


def _folder(name: str, folder: Path, setting: str) -> Check:
    try:
        with tempfile.TemporaryFile(dir=_nearest(folder)) as file:
            file.write(b"x")
    except OSError as error:
        hint = f"Check its permissions and {setting}."
        return Check(name, Verdict.BROKEN, f"{folder} cannot be written: {error.strerror}.", hint)
    there = "can be written" if folder.is_dir() else "is made when it is needed"
    return Check(name, Verdict.FINE, f"{folder} {there}.")


def _nearest(folder: Path) -> Path:
    return next(one for one in (folder, *folder.parents) if one.exists())


def _disk(settings: Settings) -> Iterator[Check]:
    free = shutil.disk_usage(_nearest(Path(settings.data_dir).absolute())).free
    verdict = Verdict.BROKEN if free < NO_DISK else Verdict.ODD if free < LITTLE_DISK else Verdict.FINE
    hint = "" if verdict is Verdict.FINE else "Free some space, or move OCR_UI_DATA_DIR."
    yield Check("disk", verdict, f"{_gb(free)} are free.", hint)


def _gb(count: int) -> str:
    return f"{count / 1e9:,.1f} GB"


def _memory() -> Iterator[Check]:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return
    free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    little = free < LITTLE_MEMORY
    hint = "End other programs; large pictures may fail." if little else ""
    yield Check("memory", Verdict.ODD if little else Verdict.FINE, f"{_gb(free)} are available.", hint)


def _database(settings: Settings) -> Iterator[Check]:
    if not Store.is_at(settings):
        yield Check("database", Verdict.NOT_HERE, "There is none yet; it is made at the first start.")
        return
    if not settings.database_url.get_secret_value():
        (Path(settings.data_dir).absolute() / DATABASE).open("rb").close()  # SQLite would name no file
    schema = Store.schema(settings)
    if schema.is_newer:
        says = f"Its schema {schema.current} is of a newer version of the product than this one."
        yield Check("database", Verdict.BROKEN, says, "Start the newer version that made it.")
    elif schema.current != schema.newest:
        says = f"Its schema is {schema.current or 'empty'}, this version's is {schema.newest}."
        yield Check("database", Verdict.ODD, says, "The next start brings it up to date; make a backup before.")
    else:
        yield Check("database", Verdict.FINE, f"Its schema {schema.current} is up to date.")


def _pictures(settings: Settings) -> Iterator[Check]:
    address = settings.pictures_url.get_secret_value()
    if not address:
        return
    pictures = open_pictures(address, Path(settings.data_dir))
    if isinstance(pictures, FarPictures):
        pictures.has(NO_PICTURE)
        yield Check("pictures", Verdict.FINE, f"{shown_address(address)} answers.")
    else:
        yield _folder("pictures", pictures.folder.absolute(), "OCR_UI_PICTURES_URL")


def _port(settings: Settings, running: bool) -> Iterator[Check]:
    if running:
        yield Check("port", Verdict.FINE, f"The product answers on port {settings.port}.")
        return
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            says = f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}."
            hint = "Stop the other program, or choose another port with OCR_UI_PORT."
            yield Check("port", Verdict.BROKEN, says, hint)
            return
    yield Check("port", Verdict.FINE, f"{settings.host}:{settings.port} is free.")


def _login(settings: Settings) -> Iterator[Check]:
    if settings.auth == "none" and settings.allow_no_login:
        says = "Everybody who reaches this machine may do everything: OCR_UI_ALLOW_NO_LOGIN is set."
        yield Check("login", Verdict.ODD, says, "Set OCR_UI_AUTH=password (docs/access.md).")
    else:
        yield Check("login", Verdict.FINE, f"OCR_UI_AUTH is {settings.auth}.")


def _https(settings: Settings) -> Iterator[Check]:
    check_tls(settings)
    if settings.tls_cert:
        yield Check("https", Verdict.FINE, f"{settings.tls_cert} and its key belong together.")


def _log_file(settings: Settings) -> Iterator[Check]:
    if settings.log_file is None:
        return
    file = settings.log_file.absolute()
    try:
        if file.exists():
            file.open("ab").close()
        else:
            tempfile.TemporaryFile(dir=_nearest(file.parent)).close()
    except OSError as error:
        says = f"{file} cannot be written: {error.strerror}."
        yield Check("log file", Verdict.BROKEN, says, "Correct OCR_UI_LOG_FILE.")
        return
    yield Check("log file", Verdict.FINE, f"{file} can be written.")


def _clamd(settings: Settings) -> Iterator[Check]:
    if settings.clamd:
        Scanner(settings.clamd).check(b"")
        yield Check("clamd", Verdict.FINE, "It looks through files.")


def _card() -> Iterator[Check]:
    found = cards()
    for card in found:
        memory = f"{_gb(card['memory_used_bytes'])} of {_gb(card['memory_bytes'])} taken"
        yield Check("card", Verdict.FINE, f"{card['name']}, driver {card['driver']}, {memory}.")
    if not found and has_gpu():
        hint = "Install the driver that fits the card; nvidia-smi must answer."
        yield Check("card", Verdict.BROKEN, "There is an NVIDIA card, and its driver does not answer.", hint)
    elif not found:
        yield Check("card", Verdict.NOT_HERE, "No NVIDIA card: engines run on the processors, or elsewhere.")


def _engines(settings: Settings) -> Iterator[Check]:
    for entry in engine_entries(settings):
        yield from _whatever(f"engine {entry.name}", lambda entry=entry: _engine(entry))


def _engine(entry: EngineEntry) -> Iterator[Check]:
    name = f"engine {entry.name}"
    try:
        says = LOOKS[entry.kind](entry.settings)
    except _Broken as broken:
        yield Check(name, Verdict.BROKEN, *broken.args)
    except WorkbenchError as error:
        yield Check(name, Verdict.BROKEN, error.message, error.hint)
    else:
        yield Check(name, Verdict.FINE, says)


def _measurements(settings: Settings) -> Iterator[Check]:
    """What was never measured of an engine, so that it reads with all pixels, or a fixed confidence stands in."""
    pixels: set[tuple[str, str]] = set()
    confidences: set[tuple[str, str]] = set()
    with suppress(WorkbenchError):  # told of the database and of the engines
        if Store.is_at(settings) and (schema := Store.schema(settings)).current == schema.newest:
            pixels, confidences = Store.measured(settings, RULE)
        for entry in engine_entries(settings):
            yield from _pixels(entry, pixels)
            yield from _confidences(entry, confidences)


def _pixels(entry: EngineEntry, measured: set[tuple[str, str]]) -> Iterator[Check]:
    file = entry.settings.llama_model if entry.kind == "llama" else None
    model = file.name if file else entry.settings.model
    if entry.kind in MEASURED or (entry.kind, model) in measured:
        return
    wanted = entry.settings.pixels == NEED
    end = (
        "it reads with all pixels, though OCR_UI_PIXELS is need." if wanted else "OCR_UI_PIXELS=need would do nothing."
    )
    hint = f"python -m ocr_ui calibrate pixels --data DIR --engine {entry.name} (docs/pixels.md)."
    says = f"How small text may get was never measured for {model}: {end}"
    yield Check(f"pixels of {entry.name}", Verdict.ODD if wanted else Verdict.NOT_HERE, says, hint)


def _confidences(entry: EngineEntry, measured: set[tuple[str, str]]) -> Iterator[Check]:
    if measured & {(entry.kind, entry.name), (entry.kind, "")}:
        return
    says = f"Never measured: below {entry.settings.low_confidence:g}, which is a guess, a reading is called unsure."
    hint = "With pages that were corrected: python -m ocr_ui calibrate --template NAME (docs/evaluation.md)."
    yield Check(f"confidences of {entry.name}", Verdict.NOT_HERE, says, hint)


class _Broken(Exception):
    """What is wrong, and what to do."""


def _vllm(settings: Settings) -> str:
    version = vllm_versions.installed()
    vllm_versions.check_tried(version, settings.allow_untested_vllm)
    found = weights("vllm", settings)
    told = "no weights yet: they are fetched at the first start"
    if found:
        told = f"{counted(len(found), 'file of weights is', 'files of weights are')} here"
    return f"vLLM {version}; {told}."


def _rapidocr(settings: Settings) -> str:
    require_package()
    return "Its models come with its package."


def _openai(settings: Settings) -> str:
    """Asks each of the servers."""
    said = []
    key = settings.api_key.get_secret_value()
    for address in (one.strip().rstrip("/") for one in settings.base_url.split(",")):
        try:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            status = httpx.get(f"{address}/models", headers=headers, timeout=ASKED_SECONDS).status_code
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            says = f"{without_secrets(address)} does not answer ({type(error).__name__})."
            raise _Broken(says, "Start that server, or correct OCR_UI_BASE_URL.") from error
        said.append(f"{without_secrets(address)} answers ({status})")
    return f"{'; '.join(said)}."


def _llama(settings: Settings) -> str:
    if shutil.which(settings.llama_server) is None:
        hint = "Install llama-server (docs/engines.md), or correct OCR_UI_LLAMA_SERVER."
        raise _Broken(f"There is no program {settings.llama_server}.", hint)
    for name in ("llama_model", "llama_mmproj"):
        path = getattr(settings, name)
        if path is None or not path.is_file():
            hint = "Convert the model as docs/engines.md describes."
            raise _Broken(f"OCR_UI_{name.upper()} names no file.", hint)
    return f"{settings.llama_server}, {settings.llama_model}."


LOOKS: dict[str, Callable[[Settings], str]] = {
    "vllm": _vllm,
    "rapidocr": _rapidocr,
    "openai": _openai,
    "llama": _llama,
}


def _clock(settings: Settings) -> Iterator[Check]:
    if time.gmtime().tm_year < LEAST_YEAR:
        says = f"This machine's clock says {time.strftime('%Y-%m-%d')}."
        yield Check("clock", Verdict.BROKEN, says, "Set it: logins, claims and keys go by it.")
        return
    try:
        with tempfile.TemporaryFile(dir=_nearest(Path(settings.data_dir).absolute())) as file:
            file.write(b"x")
            file.flush()
            apart = abs(os.fstat(file.fileno()).st_mtime - time.time())
    except OSError:
        return  # told of the data folder
    if apart > CLOCKS_APART:
        says = f"The clock of the data folder is {apart:.0f} s off this machine's."
        yield Check("clock", Verdict.ODD, says, "Let both take the time of a time server.")
    else:
        yield Check("clock", Verdict.FINE, f"{time.strftime('%Y-%m-%d %H:%M:%S %z')}.")


def changed_settings(settings: Settings) -> dict[str, str]:
    """The settings that differ from the defaults, by the names of the environment; secrets are masked."""
    usual = Settings.model_construct()
    changed = {name: getattr(settings, name) for name in Settings.model_fields}
    return {
        f"OCR_UI_{name.upper()}": MASK if isinstance(value, SecretStr) else without_secrets(str(value))
        for name, value in changed.items()
        if value != getattr(usual, name)
    }


def without_secrets(text: str) -> str:
    """Addresses in a setting, without the user and password that may stand in them, and without their query."""
    return ",".join(_shown(one.strip()) for one in text.split(","))


def _shown(text: str) -> str:
    if "://" not in text:
        return text
    try:
        parts = urlsplit(text)
        host = parts.netloc.rpartition("@")[2]
        netloc = f"{MASK}@{host}" if "@" in parts.netloc else host
        return urlunsplit(parts._replace(netloc=netloc, query=MASK if parts.query else ""))
    except ValueError:
        return MASK


def weights_of(settings: Settings) -> dict[str, dict[str, str]]:
    """By engine: SHA-256 by file; engines without weights of their own here are left out."""
    found = {}
    with suppress(WorkbenchError):  # told by the checks, here and below
        for entry in engine_entries(settings):
            with suppress(WorkbenchError, OSError):
                found[entry.name] = weights(entry.kind, entry.settings)
    return {name: files for name, files in found.items() if files}


def python_says() -> str:
    return f"{sys.version.split()[0]} at {sys.executable}"
