"""A clamd with one signature, the EICAR test file's: for the tests of the virus scan."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from live import until
from processes import free_port

# In two parts, so that no scanner takes this file for one.
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-" + rb"STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
SIGNATURE = "Eicar-Test.UNOFFICIAL"
LIMIT = 4_000_000
"""Bytes that it takes."""


@contextmanager
def clamd(folder: Path) -> Iterator[tuple[str, str]]:
    """The path of its socket, and the same scanner's host and port. Skips where Debian's clamav-daemon is missing."""
    program = shutil.which("clamd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        pytest.skip("clamd is not installed: apt-get install clamav-daemon")
    signatures, path, port = folder / "signatures", folder / "clamd.socket", free_port()
    signatures.mkdir(parents=True)
    (signatures / "eicar.ndb").write_text(f"Eicar-Test:0:*:{EICAR.hex()}\n")
    settings = {
        "DatabaseDirectory": signatures,
        "LocalSocket": path,
        "TCPSocket": port,
        "TCPAddr": "127.0.0.1",
        "Foreground": "yes",
        "StreamMaxLength": LIMIT,
        "TemporaryDirectory": folder,
    }
    configuration = folder / "clamd.conf"
    configuration.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    with subprocess.Popen(
        [program, "--config-file", configuration], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        try:
            until(lambda: running.poll() is not None or _answers(path), 60)
            assert running.poll() is None, running.stdout.read()
            yield str(path), f"127.0.0.1:{port}"
        finally:
            running.kill()


def _answers(path: Path) -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX) as one:
        one.connect(str(path))
        return True
    return False
