"""What the disk and the database complain of, said so that a person can mend it."""

from __future__ import annotations

import errno
import logging
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from ocr_ui.errors import BadInput, StoreFailed

log = logging.getLogger(__name__)

_HINTS = {
    "disk_full": ("The disk is full; nothing was saved.", "Free some space and save again."),
    "store_read_only": (
        "The data folder cannot be written.",
        "Check its permissions, and OCR_UI_DATA_DIR or OCR_UI_PICTURES_URL.",
    ),
    "store_locked": ("The database is busy with another save; nothing was saved.", "Try again in a moment."),
    "store_broken": ("The database file is damaged or not a database.", "Restore it from a backup."),
    "store_unreachable": (
        "The data folder cannot be opened.",
        "Check that it exists, and OCR_UI_DATA_DIR or OCR_UI_PICTURES_URL.",
    ),
    "pictures_away": (
        "The store of the pictures cannot be reached. Try again in a moment.",
        "If it stays so, check that it runs, and OCR_UI_PICTURES_URL.",
    ),
    "picture_cut": ("A stored picture is not the one that was stored.", "Restore its file from a backup."),
    "database_away": (
        "The database cannot be reached; nothing was saved. Try again in a moment.",
        "If it stays so, check that it runs, and OCR_UI_DATABASE_URL.",
    ),
    "database_read_only": (
        "The database cannot be written.",
        "Check what its user may do, and that it is no read-only copy.",
    ),
    "database_login": (
        "The database refuses the user or the password; nothing was saved.",
        "Check both in OCR_UI_DATABASE_URL.",
    ),
    "database_unknown": (
        "The server has no database of that name; nothing was saved.",
        "Create it, or correct the name in OCR_UI_DATABASE_URL.",
    ),
    "database_no_right": (
        "The database does not allow its user to do this; nothing was saved.",
        "Check what the user may do there, and the server's pg_hba.conf.",
    ),
    "store_failed": ("The store refused the operation; nothing was saved.", "Look at the log for the reason."),
}

_BY_ERRNO = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EFBIG: "disk_full",
    errno.EROFS: "store_read_only",
    errno.EACCES: "store_read_only",
    errno.EPERM: "store_read_only",
    errno.ENOENT: "store_unreachable",
    errno.ENOTDIR: "store_unreachable",
    errno.EEXIST: "store_unreachable",
}

_BY_SQLITE = {
    "SQLITE_FULL": "disk_full",
    "SQLITE_READONLY": "store_read_only",
    "SQLITE_PERM": "store_read_only",
    "SQLITE_BUSY": "store_locked",
    "SQLITE_LOCKED": "store_locked",
    "SQLITE_CORRUPT": "store_broken",
    "SQLITE_NOTADB": "store_broken",
    "SQLITE_CANTOPEN": "store_unreachable",
}

_BY_SQLSTATE = {
    "08": "database_away",
    "57P": "database_away",
    "25P03": "database_away",
    "53100": "disk_full",
    "53": "store_locked",
    "55P03": "store_locked",
    "40": "store_locked",
    "25006": "database_read_only",
    "28": "database_login",
    "3D000": "database_unknown",
    "42501": "database_no_right",
    "XX001": "store_broken",
    "XX002": "store_broken",
}
"""The beginnings of PostgreSQL's codes; the longest one counts."""
_BY_WORDS = {
    "database_login": re.compile(
        'authentication failed for user|no password supplied|role "[^"]*" does not exist|认证失败|角色 "[^"]*" 不存在'
    ),
    "database_unknown": re.compile('database "[^"]*" does not exist|数据库 "[^"]*" 不存在'),
    "database_no_right": re.compile(
        r"pg_hba\.conf|permission denied for database|not permitted to log in|权限不够|不允许角色"
    ),
}
"""Of a connection that a server refuses its words alone are known, which are in the server's language; the first that
is found counts, since libpq may have tried once more without encryption."""
_NUMBER_TOO_LARGE = "22003"
_LOG_SECONDS = 60.0
_logged: dict[str, float] = {}
"""What was logged last, and when."""


def failure(code: str, where: Path | str, reason: str = "") -> StoreFailed:
    message, hint = _HINTS[code]
    return StoreFailed(code, message, hint, folder=str(where), reason=reason)


@contextmanager
def told(where: Path | str) -> Iterator[None]:
    """Turns errors of disk and database inside the `with` block into StoreFailed; `where` is the folder to name.

    A number that no database column holds, as an id or offset from outside, is BadInput (`number_too_large`).
    """
    try:
        yield
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == _NUMBER_TOO_LARGE:
            raise _too_large() from error
        if hasattr(error.orig, "sqlstate"):
            _log(f"{where}: {' '.join(str(error.orig).split())}")
            raise failure(_code_of(error), where) from error
        raise failure(_code_of(error), where, str(error.orig)) from error
    except NoConnection as error:
        raise failure("store_locked", where) from error
    except OverflowError as error:
        raise _too_large() from error
    except OSError as error:
        raise failure(_BY_ERRNO.get(error.errno or 0, "store_failed"), where, str(error)) from error


def _log(reason: str) -> None:
    """What a server says of itself names its address and user: for the log alone, and there once in a while, since
    those who wait for it ask every second."""
    now = time.monotonic()
    if now - _logged.get(reason, -_LOG_SECONDS) >= _LOG_SECONDS:
        _logged.clear()
        _logged[reason] = now
        log.warning("%s", reason)


def _too_large() -> BadInput:
    return BadInput("number_too_large", "There is no item of so large a number.", "Look the number up in a list.")


def _code_of(error: DBAPIError) -> str:
    original = error.orig
    if hasattr(original, "sqlstate"):
        return _of_postgresql(original.sqlstate, error)
    name = getattr(original, "sqlite_errorname", "") or ""
    # Extended names carry a suffix: SQLITE_BUSY_SNAPSHOT, SQLITE_READONLY_DBMOVED, ...
    for prefix, code in _BY_SQLITE.items():
        if name == prefix or name.startswith(prefix + "_"):
            return code
    if isinstance(original, sqlite3.DatabaseError) and "locked" in str(original):
        return "store_locked"
    return "store_failed"


def _of_postgresql(state: str | None, error: DBAPIError) -> str:
    """A connection that cannot be made, or broke off, has no code of the server's."""
    for length in range(len(state or ""), 0, -1):
        if code := _BY_SQLSTATE.get((state or "")[:length]):
            return code
    if state or not isinstance(error, OperationalError):
        return "store_failed"
    return refused(str(error.orig)) or "database_away"


def refused(words: str) -> str | None:
    """Why a server refuses a connection, None where its words do not say so."""
    return next((code for code, pattern in _BY_WORDS.items() if pattern.search(words)), None)
