"""Threads that take turns in the order in which they came."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A lock that is handed on to whoever waits longest; Python's and SQLite's go to whoever looks at the right moment,
    and one who looks at the wrong ones waits for ever."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Event] = deque()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """Raises TimeoutError where it does not come in so long a time."""
        self._come(seconds)
        try:
            yield
        finally:
            with self._guard:
                self._hand_on()

    def _come(self, seconds: float) -> None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            mine = threading.Event()
            self._waiting.append(mine)
        if mine.wait(seconds):
            return
        with self._guard:
            if mine in self._waiting:
                self._waiting.remove(mine)
                raise TimeoutError
            # It came at the last moment, and is taken.

    def _hand_on(self) -> None:
        if self._waiting:
            self._waiting.popleft().set()
        else:
            self._taken = False
