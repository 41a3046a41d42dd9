"""Files as they were handed in, under the sha256 of their bytes, until all of their pages are read."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Container
from contextlib import suppress
from pathlib import Path
from typing import IO

from ocr_ui.domain.amounts import bytes_text
from ocr_ui.errors import NotFound, TooLarge
from ocr_ui.storage.failures import told
from ocr_ui.storage.whole_files import make_folder, unfinished

_PIECE = 1 << 20
_LENGTH = 64
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_KEPT_SECONDS = 3600.0
"""So long a file stays that nothing needs: it may just have come, and its batch is being stored."""


class Uploads:
    """Args: folder: made when the first file comes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: IO[bytes], limit: int) -> tuple[str, int]:
        """Stores what is left of an open file, in pieces; gives its sha256 in hex and its size in bytes.

        Raises:
            TooLarge: `too_many_bytes`; nothing is stored.
            StoreFailed: the disk is full, the folder cannot be written.
        """
        digest, size = hashlib.sha256(), 0
        with told(self.folder):
            make_folder(self.folder)
            with unfinished(self.folder) as (out, finish):
                while piece := data.read(_PIECE):
                    digest.update(piece)
                    size += len(piece)
                    if size > limit:
                        said = f"The file is too large: at most {bytes_text(limit)} are taken."
                        raise TooLarge("too_many_bytes", said, "Hand it in in parts.", limit=limit)
                    out.write(piece)
                finish(self._file(digest.hexdigest()))
        return digest.hexdigest(), size

    def path(self, sha256: str) -> Path:
        """The file, which is kept for a while more. Raises NotFound (`missing_upload`)."""
        file = self._file(sha256)
        try:
            os.utime(file)
        except OSError:
            raise missing_upload() from None
        return file

    def mark(self, sha256: str, owner: str) -> None:
        """Keeps who has handed in a file, beside it."""
        with told(self.folder):
            self._mark(sha256, owner).touch()

    def is_marked(self, sha256: str, owner: str) -> bool:
        """Has this owner handed in the file?"""
        try:
            os.utime(self._mark(sha256, owner))
        except OSError:
            return False
        return True

    def sweep(self, needed: Container[str], older_than: float = _KEPT_SECONDS) -> int:
        """Removes the files that are not needed; gives their number."""
        limit, removed = time.time() - older_than, 0
        with told(self.folder):
            for file in self.folder.glob("*"):
                with suppress(FileNotFoundError):
                    if file.name[:_LENGTH] not in needed and os.stat(file).st_mtime < limit:
                        file.unlink()
                        removed += 1
        return removed

    def remove(self, sha256: str) -> None:
        """Removes a file, and who handed it in."""
        with told(self.folder):
            for file in self.folder.glob(f"{self._file(sha256).name}*"):
                file.unlink(missing_ok=True)

    def _mark(self, sha256: str, owner: str) -> Path:
        return self.folder / f"{self._file(sha256).name}-{hashlib.sha256(owner.encode()).hexdigest()[:32]}"

    def _file(self, sha256: str) -> Path:
        return self.folder / (sha256 if _SHA256.fullmatch(sha256) else "none")


def missing_upload() -> NotFound:
    return NotFound("missing_upload", "The file that was handed in is gone.", "Hand it in again.")
