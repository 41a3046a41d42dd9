"""How far a long piece of work on bytes is: on the console as a bar, and told to the page a few times a second."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType

from tqdm.auto import tqdm

from ocr_ui.engines.base import Phase, Share

Tell = Callable[[Phase, Share | None], None]
"""Told what is being done, and how far it is."""

TOLD_SECONDS = 0.25
SPEED_SECONDS = 10.0
"""The speed is that of so long."""
CONSOLE_SECONDS, FILE_SECONDS = 0.5, 15.0
"""How often the bar is drawn: on a terminal, and where the console is written into a file."""


class Stopped(Exception):
    """The work was told to end."""


class Meter:
    """Counts bytes from `done` to `total`. A context manager: at its end the last state is told.

    Raises:
        Stopped: by `add` and `pause`, once `stop` is set.
    """

    def __init__(self, phase: Phase, total: int, done: int, tell: Tell, stop: threading.Event, title: str) -> None:
        self._phase, self._total, self._tell, self._stop = phase, total, tell, stop
        self._done = done
        self._told = 0.0
        self._seen: deque[tuple[float, int]] = deque([(time.monotonic(), done)])
        often = CONSOLE_SECONDS if sys.stderr.isatty() else FILE_SECONDS
        self._bar = tqdm(total=total, initial=done, unit="B", unit_scale=True, desc=title, mininterval=often)

    def __enter__(self) -> Meter:
        self._say()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._say()
        self._bar.close()

    def add(self, count: int) -> None:
        self._done += count
        self._bar.update(count)
        if time.monotonic() - self._told > TOLD_SECONDS:
            self._say()
        self.pause(0)

    def pause(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise Stopped

    def _say(self) -> None:
        now = self._told = time.monotonic()
        self._seen.append((now, self._done))
        while len(self._seen) > 2 and now - self._seen[0][0] > SPEED_SECONDS:
            self._seen.popleft()
        began, had = self._seen[0]
        speed = (self._done - had) / (now - began) if now > began else 0.0
        self._tell(self._phase, Share(self._done, self._total, max(0.0, speed)))
