"""Decoding processes, kept warm, each bounded in time: what a decoder does to itself costs one message."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from ocr_ui.errors import EngineBusy, WorkbenchError
from ocr_ui.images import refusals, wire
from ocr_ui.images.limits import Limits

_START_SECONDS = 60.0
_WAIT_SECONDS = 120.0
_JOBS_EACH = 500
"""A process is replaced after so many jobs, which bounds whatever its decoders leak."""

_MOST = max(2, min(4, os.cpu_count() or 2))


class Worker:
    """One decoding process."""

    def __init__(self, module: str = "ocr_ui.images.child") -> None:
        """Starts it, without waiting until it is ready.

        Args:
            module: what the process runs; it gets the number of its socket as the only argument.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-W", "ignore", "-m", module, str(theirs.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_environment(),
            )
        self._socket = ours
        self._ready = False
        self.jobs = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: dict[str, Any], data_fd: int, limits: Limits) -> tuple[dict[str, Any], int | None]:
        """Sends a file with a request, gives the answer and the descriptor of the pixels.

        Raises:
            BadInput: `decode_timeout`. The worker must be closed then.
            HungUp: the process is dead.
            WorkbenchError: `decoder_unavailable`: the process does not start.
        """
        self._wait_until_ready()
        self.jobs += 1
        self._socket.settimeout(limits.decode_seconds)
        try:
            wire.send(self._socket, request, data_fd)
            return wire.receive(self._socket)
        except TimeoutError as error:
            raise refusals.decode_timeout(limits.decode_seconds) from error

    def _wait_until_ready(self) -> None:
        if self._ready:
            return
        self._socket.settimeout(_START_SECONDS)
        try:
            wire.receive(self._socket)
        except (TimeoutError, wire.HungUp) as error:
            raise WorkbenchError(
                "decoder_unavailable",
                "The process that decodes pictures does not start.",
                f"Run `{sys.executable} -m ocr_ui.images.child 0` in the folder of the product to see why.",
            ) from error
        self._ready = True

    def close(self) -> None:
        """Ends the process, whatever it is doing."""
        self._socket.close()
        self._process.kill()
        self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()


class Pool:
    """Up to `most` workers, started when needed. Safe for threads."""

    def __init__(self, most: int = _MOST, start: Callable[[], Worker] = Worker) -> None:
        self._start = start
        self._free = threading.Semaphore(most)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._closed = False

    def ask(self, request: dict[str, Any], data_fd: int, limits: Limits) -> tuple[dict[str, Any], int | None]:
        """As `Worker.ask`, on any worker.

        A file is blamed for a crash only when it happens twice: a waiting process may have been killed by others.

        Raises:
            BadInput: `decode_timeout`, `decoder_crashed`.
            EngineBusy: `decoder_busy`: all workers were busy for minutes.
        """
        if not self._free.acquire(timeout=_WAIT_SECONDS):
            raise EngineBusy("decoder_busy", "Too many pictures are being opened.", "Try again in a minute.")
        try:
            try:
                return self._ask_one(request, data_fd, limits)
            except wire.HungUp:
                return self._ask_one(request, data_fd, limits)
        except wire.HungUp as error:
            raise refusals.decoder_crashed() from error
        finally:
            self._free.release()

    def _ask_one(self, request: dict[str, Any], data_fd: int, limits: Limits) -> tuple[dict[str, Any], int | None]:
        worker = self._take()
        try:
            reply, fd = worker.ask(request, data_fd, limits)
        except BaseException:
            worker.close()
            raise
        self._put_back(worker, trusted="fault" not in reply)
        return reply, fd

    def warm_up(self) -> None:
        """Starts a worker in the background, so that the first picture does not wait for it."""
        with self._lock:
            if not self._idle:
                self._idle.append(self._start())

    def close(self) -> None:
        """Ends the idle workers; those at work end with their job."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()

    def _take(self) -> Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._start()

    def _put_back(self, worker: Worker, *, trusted: bool) -> None:
        with self._lock:
            keep = trusted and not self._closed and worker.jobs < _JOBS_EACH
            if keep:
                self._idle.append(worker)
        if not keep:
            worker.close()


def _environment() -> dict[str, str]:
    """The same import path as here, and one thread for each numeric library: a decoder should not take all cores."""
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
