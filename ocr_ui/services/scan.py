"""Files that come in are looked through by clamd, ClamAV's daemon, before anything of them is opened or stored."""

from __future__ import annotations

import hashlib
import io
import logging
import select
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

from ocr_ui.errors import BadInput, Infected, ScannerAway, TooLarge
from ocr_ui.services.access import record

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0
SILENCE_SECONDS = 60.0
"""clamd begins when it has the whole file, and is silent until it is through."""
_PIECE = 1 << 20
_LONGEST_ANSWER = 4096
INFECTED = "upload.infected"
"""Its name in the audit log."""


class Scanner:
    """Sends files to clamd by its INSTREAM command: it need not see this machine's files.

    Args:
        address: `host:port`, `[IPv6]:port` or the path of a socket; empty where nothing is looked through.
        seconds: longest silence.

    Raises:
        BadInput: `bad_clamd_address` (details: address).
    """

    def __init__(self, address: str, seconds: float = SILENCE_SECONDS) -> None:
        self._address, self._seconds = _address(address.strip()), seconds

    def check(self, data: bytes) -> None:
        """Raises as `through`."""
        if self._address is not None:
            with self.through(io.BytesIO(data)) as watched:
                while watched.read(_PIECE):
                    pass

    @contextmanager
    def through(self, data: IO[bytes]) -> Iterator[IO[bytes]]:
        """The same file, whose end is reached only where nothing was found: it is sent to clamd as it is read.

        Raises, from `read`:
            Infected: `infected` (details: signature, sha256), which the audit log keeps.
            TooLarge: `scan_too_large`: over clamd's own limit.
            ScannerAway: `scanner_away` (details: reason): nothing comes in unseen.
        """
        if self._address is None:
            yield data
            return
        with self._begun() as clamd:
            yield _Watched(data, clamd)

    def _begun(self) -> socket.socket:
        """A connection on which clamd waits for a file."""
        with _away(), ExitStack() as undo:
            if isinstance(self._address, str):
                clamd = undo.enter_context(socket.socket(socket.AF_UNIX))
                clamd.settimeout(CONNECT_SECONDS)
                clamd.connect(self._address)
            else:
                clamd = undo.enter_context(socket.create_connection(self._address, CONNECT_SECONDS))
            clamd.settimeout(self._seconds)
            clamd.sendall(b"zINSTREAM\0")
            undo.pop_all()
        return clamd


class _Watched(io.RawIOBase):
    """A file that goes to clamd while it is read."""

    def __init__(self, data: IO[bytes], clamd: socket.socket) -> None:
        self._data, self._clamd, self._digest = data, clamd, hashlib.sha256()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        piece = self._data.read(size)
        with _away():
            if piece:
                self._send(piece)
            else:
                self._judge()
        return piece

    def _send(self, piece: bytes) -> None:
        self._digest.update(piece)
        try:
            self._clamd.sendall(struct.pack("!I", len(piece)) + piece)
            early = bool(select.select([self._clamd], [], [], 0)[0])
        except (BrokenPipeError, ConnectionResetError):
            early = True
        if early:  # it has heard enough: the file is over its limit
            self._judge_answer(self._answer())

    def _judge(self) -> None:
        self._clamd.sendall(struct.pack("!I", 0))
        self._judge_answer(self._answer())

    def _answer(self) -> str:
        answer = b""
        while not answer.endswith(b"\0") and len(answer) < _LONGEST_ANSWER:
            piece = self._clamd.recv(_LONGEST_ANSWER)
            if not piece:
                break
            answer += piece
        return answer.rstrip(b"\0").decode("utf-8", "replace").strip()

    def _judge_answer(self, answer: str) -> None:
        said = answer.removeprefix("stream: ")
        if said == "OK":
            return
        if said.endswith(" FOUND"):
            raise _infected(said.removesuffix(" FOUND")[:100], self._digest.hexdigest())
        if "size limit exceeded" in said:
            raise TooLarge(
                "scan_too_large",
                "The file is larger than the virus scanner takes.",
                "Raise StreamMaxLength of clamd, or have a smaller file handed in.",
            )
        raise OSError(said or "it broke off")


def _infected(signature: str, sha256: str) -> Infected:
    log.warning("refused an infected file: %s, sha256 %s", signature, sha256)
    error = Infected(
        "infected",
        f"The virus scanner found {signature} in this file.",
        "It was not stored. Do not pass it on.",
        signature=signature,
        sha256=sha256,
    )
    record(INFECTED, target_of(error))
    return error


def target_of(error: Infected) -> str:
    """What was found and the file's sha256, for the audit log; names of files say too much."""
    return f"{error.details['signature']} {error.details['sha256']}"


@contextmanager
def _away() -> Iterator[None]:
    """What the connection fails with is not an error of the disk that the file is written to."""
    try:
        yield
    except OSError as error:
        reason = str(error) or type(error).__name__
        raise ScannerAway(
            "scanner_away",
            f"The virus scanner does not answer ({reason}): nothing is taken in unseen.",
            "See to clamd; then the file can be handed in again.",
            reason=reason,
        ) from error


def _address(written: str) -> str | tuple[str, int] | None:
    if not written:
        return None
    path = written.removeprefix("unix:")
    if path.startswith("/"):
        return path
    host, _, port = written.rpartition(":")
    with suppress(ValueError):
        if host and 0 < int(port) < 65536:
            return host.strip("[]"), int(port)
    raise BadInput(
        "bad_clamd_address",
        f"{written!r} is no address of clamd.",
        "Set OCR_UI_CLAMD to HOST:PORT or to the path of its socket.",
        address=written,
    )
