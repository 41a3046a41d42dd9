"""The one list of stages that all timings use."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

STAGES = ("receive", "decode_image", "prepare", "queue", "first_token", "tokens", "parse", "store")
"""receive: bytes arrive; decode_image: to an upright RGB picture; prepare: the engine's copy; queue: waiting for the
engine; first_token: until the first token or line; tokens: the rest of the answer; parse: text to PageContent; store:
on disk."""


class StageClock:
    """Seconds spent in each stage of one run."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time of the `with` block to stage `name`.

        Raises:
            ValueError: `name` is not in STAGES.
        """
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, time.perf_counter() - start)

    def add(self, name: str, seconds: float) -> None:
        if name not in STAGES:
            raise ValueError(f"unknown stage {name!r}, use one of {STAGES}")
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
