"""Starts a program many times for the price of importing it once: a process that has imported it forks for each.

`python -m tests.forked MODULE CODES` imports a module; each line of JSON on its input, {"environment": {...}, "out":
path, "err": path, "arguments": [...]}, starts the module's `main` in a process of its own and is answered by the number
of that. How it ended is told in the folder CODES.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
SHORTLY = 0.02
_WITH_TESTS = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}


class Started:
    """A process that a starter has forked, as far as it is used like one of `subprocess`."""

    def __init__(self, pid: int, told: Path) -> None:
        self.pid, self._told = pid, told

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        return int(self._told.read_text()) if self._told.exists() else None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self.pid, number)

    def wait(self, timeout: float = 60) -> int:
        end = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(SHORTLY)
        return code

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Starter:
    """Args: module: its import takes long, and reads nothing of the environments that it is started with."""

    def __init__(self, module: str) -> None:
        self._codes = TemporaryDirectory(prefix="forked-")
        command = [sys.executable, "-m", "tests.forked", module, self._codes.name]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_WITH_TESTS
        )

    def start(self, environment: dict[str, str], out: Path, err: Path, *arguments: str) -> Started:
        asked = {"environment": environment, "out": str(out), "err": str(err), "arguments": arguments}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        return Started(pid, Path(self._codes.name) / str(pid))


@cache
def starter(module: str) -> Starter:
    """The one of this process for a module; it ends with it."""
    return Starter(module)


def main(module: str, codes: str) -> None:
    program = importlib.import_module(module)
    signal.signal(signal.SIGCHLD, lambda *_: _tell(Path(codes)))
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid:
            print(pid, flush=True)
        else:
            _become(program.main, **asked)


def _tell(codes: Path) -> None:
    """Says of those that have ended how they did, in a file named by their number."""
    with suppress(ChildProcessError, FileNotFoundError):  # none is left, or nobody asks any more
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            part = codes / f"{ended[0]}.part"
            part.write_text(str(os.waitstatus_to_exitcode(ended[1])))
            part.rename(codes / str(ended[0]))


def _become(program: Callable[[], int], environment: dict[str, str], out: str, err: str, arguments: list[str]) -> None:
    """The program itself, with an environment, files and arguments of its own."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    _put(0, os.devnull, os.O_RDONLY)
    _put(1, out, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    _put(2, err, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    code = 1
    try:
        code = program()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _put(standard: int, path: str, flags: int) -> None:
    """Opens a file as one of the standard streams."""
    opened = os.open(path, flags, 0o600)
    os.dup2(opened, standard)
    os.close(opened)


if __name__ == "__main__":
    main(*sys.argv[1:])
