"""What the disk and the database complain of, said so that a person can mend it."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from ocr_ui.errors import BadInput, StoreFailed

_HINTS = {
    "disk_full": ("The disk is full; nothing was saved.", "Free some space and save again."),
    "store_read_only": ("The data folder cannot be written.", "Check its permissions and OCR_UI_DATA_DIR."),
    "store_locked": ("Another process keeps the database busy; nothing was saved.", "Try again in a moment."),
    "store_broken": ("The database file is damaged or not a database.", "Restore it from a backup."),
    "store_unreachable": ("The data folder cannot be opened.", "Check that it exists and OCR_UI_DATA_DIR."),
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
        raise failure(_code_of(error), where, str(error.orig)) from error
    except OverflowError as error:
        raise BadInput("number_too_large", "There is no item of so large a number.", "") from error
    except OSError as error:
        raise failure(_BY_ERRNO.get(error.errno or 0, "store_failed"), where, str(error)) from error


def _code_of(error: DBAPIError) -> str:
    original = error.orig
    name = getattr(original, "sqlite_errorname", "") or ""
    # Extended names carry a suffix: SQLITE_BUSY_SNAPSHOT, SQLITE_READONLY_DBMOVED, ...
    for prefix, code in _BY_SQLITE.items():
        if name == prefix or name.startswith(prefix + "_"):
            return code
    if isinstance(original, sqlite3.DatabaseError) and "locked" in str(original):
        return "store_locked"
    return "store_failed"
