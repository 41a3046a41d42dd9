"""Pictures as files under the sha256 of their bytes: `ab/abcd....png`, beside it `.thumb` and `.grey`."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ocr_ui.errors import BadInput, NotFound
from ocr_ui.storage.failures import told
from ocr_ui.storage.whole_files import make_folder, sweep, sync_folder, write_whole

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_PNG = b"\x89PNG\r\n\x1a\n"


class Pictures:
    """The folder of pictures. A file is there whole or not at all, and stays after a loss of power.

    Args:
        folder: made when the first picture comes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, png: bytes) -> str:
        """Stores a PNG file and gives its sha256 in hex; the same bytes again change nothing.

        Raises:
            ValueError: not the bytes of a PNG file.
            StoreFailed: the disk is full, the folder cannot be written.
        """
        if not png.startswith(_PNG):
            raise ValueError("a stored picture is a PNG file")
        sha256 = hashlib.sha256(png).hexdigest()
        self._write(self._file(sha256, ".png"), png)
        return sha256

    def path(self, sha256: str) -> Path:
        """The file of a picture.

        Raises:
            BadInput: `bad_picture_id`, not 64 hex digits.
            NotFound: `missing_picture`, there is no such file.
        """
        return self._existing(sha256, ".png")

    def read(self, sha256: str) -> bytes:
        """The PNG file's bytes. Raises as `path` does."""
        with told(self.folder):
            return self.path(sha256).read_bytes()

    def has(self, sha256: str) -> bool:
        return self._is_there(self._file(sha256, ".png"))

    def put_thumbnail(self, sha256: str, picture: bytes) -> None:
        """Stores a small copy, in whatever picture format the caller made, beside its picture.

        Raises:
            BadInput: `bad_picture_id`.
            StoreFailed: as `put`.
        """
        self._write(self._file(sha256, ".thumb"), picture)

    def thumbnail(self, sha256: str) -> Path | None:
        """The file of the small copy, None where none was stored."""
        file = self._file(sha256, ".thumb")
        return file if self._is_there(file) else None

    def put_grey(self, sha256: str, values: bytes) -> None:
        """Keeps the few grey values that copies of a picture are known by. Raises as `put_thumbnail`."""
        self._write(self._file(sha256, ".grey"), values)

    def grey(self, sha256: str) -> bytes | None:
        """What `put_grey` kept, None where nothing was."""
        file = self._file(sha256, ".grey")
        with told(self.folder):
            return file.read_bytes() if self._is_there(file) else None

    def remove(self, sha256: str) -> bool:
        """Removes a picture and what was made of it; gives whether there was one.

        Raises:
            BadInput: `bad_picture_id`. StoreFailed: the folder cannot be written.
        """
        there = self.has(sha256)
        with told(self.folder):
            for ending in (".png", ".thumb", ".grey"):
                self._remove(self._file(sha256, ending))
        return there

    def sweep(self) -> int:
        """Removes what writers that were killed left unfinished; gives the number."""
        return sweep(self.folder)

    def _file(self, sha256: str, ending: str) -> Path:
        if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
            raise BadInput(
                "bad_picture_id",
                "A picture is named by 64 hex digits.",
                "Take the sha256 of its page.",
                sha256=str(sha256)[:80],
            )
        return self.folder / sha256[:2] / f"{sha256}{ending}"

    def _existing(self, sha256: str, ending: str) -> Path:
        file = self._file(sha256, ending)
        if not self._is_there(file):
            raise NotFound(
                "missing_picture",
                "The picture's file is not there any more.",
                "Restore the file from a backup.",
                sha256=sha256,
            )
        return file

    def _is_there(self, file: Path) -> bool:
        return file.is_file()

    def _remove(self, file: Path) -> None:
        file.unlink(missing_ok=True)

    def _write(self, file: Path, data: bytes) -> None:
        with told(self.folder):
            make_folder(file.parent)
            if file.suffix == ".png" and file.is_file() and file.stat().st_size == len(data):
                # Whoever wrote it may have been killed before its name was on disk.
                sync_folder(file.parent)
                return
            write_whole(file, data)
