"""The one list of stages that all timings use, and what is counted for Prometheus.

The counters are of the process, as Prometheus has it: several servers in one (tests) count together.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

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


REGISTRY = CollectorRegistry()
PAGE_SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300)
"""Bounds of the histograms' buckets, in seconds: from a stored picture to the longest page."""

REQUESTS = Counter("ocr_ui_requests", "Answers to requests.", ["method", "route", "status"], registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "ocr_ui_request_seconds",
    "Seconds from a request to the end of its answer.",
    ["method", "route"],
    buckets=PAGE_SECONDS,
    registry=REGISTRY,
)
STAGE_SECONDS = Histogram(
    "ocr_ui_stage_seconds",
    "Seconds of each stage of a reading.",
    ["stage"],
    buckets=PAGE_SECONDS,
    registry=REGISTRY,
)
READINGS = Counter("ocr_ui_readings", "Readings that ended.", ["engine", "outcome"], registry=REGISTRY)
AT_WORK = Gauge("ocr_ui_readings_at_work", "Readings that wait for an engine or run.", ["state"], registry=REGISTRY)
REQUESTS_AT_WORK = Gauge(
    "ocr_ui_requests_at_work", "Requests with a picture that are worked on or wait.", registry=REGISTRY
)
REFUSED = Counter("ocr_ui_refused", "Requests with a picture that were refused as too many.", registry=REGISTRY)
for _stage in STAGES:
    STAGE_SECONDS.labels(_stage)
for _state in ("waiting", "running"):
    AT_WORK.labels(_state)


def reading_ended(engine: str, outcome: str, timings: Mapping[str, float]) -> None:
    """Args: timings: seconds by stage."""
    READINGS.labels(engine, outcome).inc()
    for stage, seconds in timings.items():
        STAGE_SECONDS.labels(stage).observe(seconds)


class AtWork:
    """One reading among those that are at work: give it its states as they come, and end it."""

    def __init__(self) -> None:
        self._state = ""

    def be(self, state: str) -> None:
        """`state`: waiting or running; anything else is the end."""
        if state == self._state:
            return
        if self._state:
            AT_WORK.labels(self._state).dec()
        self._state = state if state in ("waiting", "running") else ""
        if self._state:
            AT_WORK.labels(self._state).inc()

    def end(self) -> None:
        self.be("")


def exposition() -> tuple[bytes, str]:
    """All that is counted, in Prometheus's text form, and its media type."""
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
