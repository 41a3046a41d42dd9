"""Log lines with their request, as text or as JSON, without what anybody has read and without secrets.

What an exception says may be anything, a page's text included: of exceptions that were not made to be told, lines name
the class and the places in the code, and nothing else.
"""

from __future__ import annotations

import io
import json
import logging
import math
import os
import re
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from traceback import extract_tb
from typing import Any, TextIO

from filelock import FileLock

from ocr_ui.errors import EngineFailed, StoreFailed, WorkbenchError

log = logging.getLogger(__name__)

WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SAYS_NOTHING_READ = (OSError, ImportError, NameError, AttributeError, TypeError, MemoryError)
"""Exceptions whose words are of the code or the system."""
MASK = "***"
SECRETS = (re.compile(r"(?<=://)[^/\s@]+(?=@)"), re.compile(r"\bocrw_[\w-]+"), re.compile(r"(?i)(?<=bearer )\S+"))
"""A user and password in an address, an API key, a token."""
TALKATIVE = ("httpx", "httpx2", "alembic")
SHORTEST_SECRET = 4
REPEAT_SECONDS = 1.0
LOCK_SECONDS = 5.0
"""So long a process waits while another puts the file aside."""
WITHHELD = "(its words are left out)"

_request: ContextVar[str] = ContextVar("request", default="")


def request_id() -> str:
    """That of the request which this task or thread works for; empty for what the product does by itself."""
    return _request.get()


def to_look_for(error: WorkbenchError) -> str:
    """The request's id, for a person who is told an error of which the log may know more; empty for others."""
    return request_id() if isinstance(error, EngineFailed | StoreFailed) else ""


@contextmanager
def as_request(name: str) -> Iterator[None]:
    before = _request.set(name)
    try:
        yield
    finally:
        _request.reset(before)


def request_name(sent: str = "") -> str:
    """The id that a client has sent, where it is well-formed, else a new one."""
    return sent if WELL_FORMED.fullmatch(sent) else uuid.uuid4().hex[:16]


def run_name() -> str:
    """A new id for an engine's work, with the request's in front of it."""
    new, request = uuid.uuid4().hex, request_id()
    return f"{request}.{new[:12]}" if request else new


def set_up(form: str, secrets: Iterable[str] = (), file: Path | None = None, **kept: int) -> None:
    """Sends all log lines from INFO on to standard error, and into a file where one is named.

    Args:
        form: text or json.
        secrets: that must stand in no line.
        kept: of the file, see `KeptFile`.

    Raises:
        OSError: the file cannot be written.
    """
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if file is not None:
        handlers.append(KeptFile(file, **kept))
    for handler in handlers:
        handler.setFormatter(FORMS[form](secrets))
    logging.raiseExceptions = False  # a line that cannot be written would be shown with all that was given for it
    logging.basicConfig(level=logging.INFO, handlers=[Counting(handlers)], force=True)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    # Python writes these to standard error itself, in their own words.
    threading.excepthook = _of_thread
    sys.unraisablehook = _of_nobody
    warnings.showwarning = _warned


def _of_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and not isinstance(ended.exc_value, SystemExit):
        log.error("a thread ended with an error", exc_info=ended.exc_value)


def _of_nobody(found: sys.UnraisableHookArgs) -> None:
    log.error("an error that nobody could be told", exc_info=found.exc_value)


def _warned(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    told = said(message, inside=True) if isinstance(message, Warning) else category.__name__
    log.warning("%s at %s:%d", told, filename, lineno)


class Lines(logging.Formatter):
    """What both forms have in common. `extra={"fields": {...}}` of a record are values of their own."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = sorted((one for one in secrets if len(one) >= SHORTEST_SECRET), key=len, reverse=True)

    def clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        for pattern in SECRETS:
            text = pattern.sub(MASK, text)
        return text

    def message(self, record: logging.LogRecord) -> str:
        if record.name == "asyncio" and record.levelno >= logging.ERROR:
            # It writes the exceptions of forgotten tasks, and whatever those were given, into its message.
            return str(record.msg).partition("\n")[0]
        told = record.args
        if isinstance(told, tuple):
            told = tuple(said(one) if isinstance(one, BaseException) else one for one in told)
        text = str(record.msg)
        return text % told if told else text

    @staticmethod
    def fault(record: logging.LogRecord) -> list[dict[str, Any]]:
        """The exception and those that it came of, the last one first."""
        error = record.exc_info[1] if record.exc_info else None
        chain: list[dict[str, Any]] = []
        while error is not None and len(chain) < 10:
            places = [f"{one.filename}:{one.lineno} {one.name}" for one in extract_tb(error.__traceback__)]
            chain.append({"type": type(error).__name__, "says": said(error, inside=True), "at": places})
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return chain


def said(error: BaseException, inside: bool | None = None) -> str:
    """What may be written of an exception.

    Args:
        inside: it came up in the work on somebody's page; None where the request says so. Outside, as at the start of
            an engine, all is told.
    """
    inside = bool(request_id()) if inside is None else inside
    if isinstance(error, WorkbenchError):
        reason = str(error.details.get("reason", ""))
        text = str(error).replace(reason, WITHHELD) if reason and inside else str(error)
        return f"{error.code}: {text}"
    if not inside or isinstance(error, SAYS_NOTHING_READ):
        return f"{type(error).__name__}: {error}"
    return f"{type(error).__name__} {WITHHELD}"


class TextLines(Lines):
    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.created))
        line = f"{moment} {record.levelname} {record.name}: {self.message(record)}"
        line += "".join(f" {name}={value}" for name, value in getattr(record, "fields", {}).items())
        if request := request_id():
            line += f" [{request}]"
        for one in self.fault(record):
            line += "".join(f"\n    {place}" for place in one["at"]) + f"\n  {one['says']}"
        return self.clean(line)


class JsonLines(Lines):
    """One object a line: time (UTC), level, logger, message, request, the fields, and error where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        value = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.message(record),
            **({"request": request_id()} if request_id() else {}),
            **getattr(record, "fields", {}),
        }
        if fault := self.fault(record):
            value["error"] = fault
        return self.clean(json.dumps(value, ensure_ascii=False, default=str))


FORMS: dict[str, type[Lines]] = {"text": TextLines, "json": JsonLines}


@dataclass(slots=True)
class Repeats:
    """Of a line that was written: what to write again, its request, when it was written, how often it came since."""

    record: logging.LogRecord
    request: str
    since: float
    times: int = 0


class Counting(logging.Handler):
    """Hands lines on. One that comes again within REPEAT_SECONDS, the same in all that is written but the time, is
    counted: how often it came is told by `repeated` in one more line, before the next line after that time.

    A process without file descriptors left, to name one, is told so by asyncio some thousand times a second.
    """

    def __init__(self, handlers: Iterable[logging.Handler]) -> None:
        super().__init__()
        self._handlers = tuple(handlers)
        self._lines = Lines()
        self._lately: dict[tuple, Repeats] = {}
        """The oldest first."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._tell(record.created)
            message, request = self._lines.message(record), request_id()
            fields = getattr(record, "fields", {})
            line = record.name, record.levelno, message, request, repr(fields), repr(Lines.fault(record))
            if before := self._lately.get(line):
                before.times += 1
                before.record.created = record.created
                return
            again = logging.LogRecord(record.name, record.levelno, record.pathname, record.lineno, message, (), None)
            again.fields = fields
            self._lately[line] = Repeats(again, request, record.created)
            self._hand_on(record)
        except Exception:
            self.handleError(record)

    def _tell(self, now: float) -> None:
        """Of the lines whose time is over."""
        while self._lately:
            line, first = next(iter(self._lately.items()))
            if abs(now - first.since) < REPEAT_SECONDS:  # what threads write comes in no order, and clocks are put back
                return
            del self._lately[line]
            if first.times:
                first.record.fields = {**first.record.fields, "repeated": first.times}
                with as_request(first.request):
                    self._hand_on(first.record)

    def _hand_on(self, record: logging.LogRecord) -> None:
        for handler in self._handlers:
            handler.handle(record)

    def close(self) -> None:
        self.acquire()
        try:
            self._tell(math.inf)
        finally:
            self.release()
        for handler in self._handlers:
            handler.close()
        super().close()


class KeptFile(RotatingFileHandler):
    """A file that is put aside (.1, .2, ...) when it is large, and with the first line of a new day.

    Several processes may write it: each line is one write at the end of the file, and one process at a time puts it
    aside, which the others notice with their next line.

    Args:
        most_bytes: of the file.
        files: so many are kept beside it.
        days: older ones go; 0 keeps them.
    """

    def __init__(self, file: Path, most_bytes: int = 20_000_000, files: int = 10, days: int = 30) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._days = days
        self._day = _day(file.stat().st_mtime if file.exists() else time.time())
        self._lock_file = FileLock(f"{file}.lock", timeout=LOCK_SECONDS)
        super().__init__(file, maxBytes=most_bytes, backupCount=files, encoding="utf-8", errors="backslashreplace")
        self._sweep()

    def _open(self) -> TextIO:
        raw = io.FileIO(self.baseFilename, "a")
        return io.TextIOWrapper(raw, encoding=self.encoding, errors=self.errors, write_through=True)  # type: ignore

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._follow()
        except OSError:
            self.handleError(record)
            return
        super().emit(record)

    def _follow(self) -> bool:
        """Goes on in the new file where another process has put ours aside; gives whether it has."""
        try:
            there = os.stat(self.baseFilename)
        except FileNotFoundError:
            there = None
        mine = os.fstat(self.stream.fileno()) if self.stream else None
        if there and mine and os.path.samestat(there, mine):
            return False
        if self.stream:
            self.stream.close()
        self.stream = self._open()
        return True

    def shouldRollover(self, record: logging.LogRecord) -> bool:
        size = os.fstat(self.stream.fileno()).st_size
        return self._day != _day(time.time()) or size + len(self.format(record)) >= self.maxBytes

    def doRollover(self) -> None:
        with suppress(OSError):  # a file that cannot be put aside is written on
            with self._lock_file:
                if not self._follow() and os.fstat(self.stream.fileno()).st_size:
                    self._put_aside()
            self._sweep()
        self._day = _day(time.time())

    def _put_aside(self) -> None:
        if not self.backupCount:
            Path(self.baseFilename).unlink()
        super().doRollover()

    def _sweep(self) -> None:
        file = Path(self.baseFilename)
        for old in file.parent.glob(f"{file.name}.*") if self._days else ():
            if old.suffix[1:].isdecimal() and time.time() - old.stat().st_mtime > self._days * 86_400:
                old.unlink(missing_ok=True)


def _day(moment: float) -> tuple[int, int]:
    local = time.localtime(moment)
    return local.tm_year, local.tm_yday


def vllm_config() -> dict[str, Any]:
    """For vLLM's processes, which configure their logging themselves: their lines as JSON too."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": f"{__name__}.{JsonLines.__name__}"}},
        "handlers": {"errors": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
        "loggers": {"vllm": {"handlers": ["errors"], "level": "INFO", "propagate": False}},
    }
