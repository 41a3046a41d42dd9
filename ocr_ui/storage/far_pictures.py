"""Pictures in a store that several machines reach, such as a bucket of S3, with copies of those in use beside it."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

import fsspec

from ocr_ui.errors import BadInput, StoreFailed
from ocr_ui.storage.addresses import hidden, not_installed, shown_address
from ocr_ui.storage.failures import failure
from ocr_ui.storage.pictures import Pictures

Result = TypeVar("Result")

COPY_SECONDS = 86_400.0
"""So long a copy of a picture stays here without being fetched again."""
LOOK_SECONDS = 3_600.0
"""Between two looks for copies that are too old."""
LOCAL = ("file", "local")


class FarPictures(Pictures):
    """Pictures at an address of fsspec. Whether one is still there is asked each time, so that what somebody removed,
    through whatever process, is shown by none; its bytes come from the copy where there is one.

    Args:
        address: such as s3://BUCKET/PREFIX.
        folder: of the copies.

    Raises:
        BadInput: `bad_pictures_url`, `store_not_installed`.
    """

    def __init__(self, address: str, folder: Path) -> None:
        super().__init__(folder)
        self._address, self.where = address, shown_address(address)
        self._looked, self._looking = 0.0, threading.Lock()
        try:
            self._store, self._root = fsspec.core.url_to_fs(address)
        except ImportError as error:
            raise not_installed(address, error) from None
        except Exception as error:  # each store has errors of its own
            raise _bad_address(hidden(f"{type(error).__name__}: {error}", address)) from None

    def sweep(self) -> int:
        """Removes old copies; gives the number."""
        removed, limit = super().sweep(), time.time() - COPY_SECONDS
        self._looked = time.monotonic()
        for file in self.folder.glob("??/*"):
            with suppress(FileNotFoundError):
                if file.stat().st_mtime < limit:
                    file.unlink()
                    removed += 1
        return removed

    def _is_there(self, file: Path) -> bool:
        """Whether the store has it; its copy is here then."""
        far = self._far(file)
        if not self._ask(lambda: self._store.exists(far)):
            file.unlink(missing_ok=True)
            return False
        if not file.is_file():
            try:
                data = self._ask(lambda: self._store.cat_file(far))
            except FileNotFoundError:
                return False
            if file.suffix == ".png" and hashlib.sha256(data).hexdigest() != file.stem:
                raise failure("picture_cut", self.where, file.name)
            super()._write(file, data)
            self._sweep_in_time()
        return True

    def _remove(self, file: Path) -> None:
        far = self._far(file)
        with suppress(FileNotFoundError):
            self._ask(lambda: self._store.rm_file(far))
        super()._remove(file)

    def _write(self, file: Path, data: bytes) -> None:
        far = self._far(file)

        def send() -> None:
            with suppress(FileNotFoundError):
                if file.suffix == ".png" and self._store.size(far) == len(data):
                    return
            self._store.makedirs(far.rpartition("/")[0], exist_ok=True)
            self._store.pipe_file(far, data)

        self._ask(send)
        with suppress(StoreFailed):  # it is fetched when it is needed
            super()._write(file, data)

    def _sweep_in_time(self) -> None:
        if time.monotonic() - self._looked > LOOK_SECONDS and self._looking.acquire(blocking=False):
            try:
                self.sweep()
            finally:
                self._looking.release()

    def _far(self, file: Path) -> str:
        return f"{self._root.rstrip('/')}/{file.parent.name}/{file.name}"

    def _ask(self, ask: Callable[[], Result]) -> Result:
        """Raises StoreFailed (`pictures_away`) and FileNotFoundError."""
        try:
            return ask()
        except FileNotFoundError:
            raise
        except Exception as error:  # each store has errors of its own
            reason = hidden(f"{type(error).__name__}: {error}", self._address)
            raise failure("pictures_away", self.where, reason) from error


def open_pictures(address: str, folder: Path) -> Pictures:
    """The pictures at an address, or in a folder of this machine where there is none.

    Args:
        folder: of the data; pictures lie in it, or copies of them.
    """
    if not address:
        return Pictures(folder / "pictures")
    scheme, separator, rest = address.partition("://")
    if not separator:
        raise _bad_address("it has no ://")
    if scheme in LOCAL:
        return Pictures(Path(unquote(rest)))
    return FarPictures(address, folder / "picture-copies")


def _bad_address(reason: str) -> BadInput:
    return BadInput(
        "bad_pictures_url",
        f"The address of the pictures cannot be used: {reason}.",
        "Set OCR_UI_PICTURES_URL to s3://BUCKET/PREFIX or another address of fsspec, or leave it empty.",
        reason=reason,
    )
