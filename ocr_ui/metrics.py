"""The one list of stages that all timings use, and what is counted for Prometheus.

The counters are of the process, as Prometheus has it: several servers in one (tests) count together.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

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
ERRORS = Counter(
    "ocr_ui_errors",
    "Errors that were told, by where they were: page, rest, reading, job.",
    ["where", "code"],
    registry=REGISTRY,
)
TOKENS = Counter("ocr_ui_tokens", "Tokens of answers.", ["engine"], registry=REGISTRY)
PIXEL_CHOICES = Counter(
    "ocr_ui_pixel_choices",
    "Readings whose pixels went by need, by what was chosen; again: a page was read a second time with all.",
    ["engine", "choice"],
    registry=REGISTRY,
)
REVIEWS = Counter("ocr_ui_reviews", "Reviews that were saved, by what became of them.", ["state"], registry=REGISTRY)
JOB_PAGES = Counter("ocr_ui_job_pages", "Pages of batches that this process ended.", ["outcome"], registry=REGISTRY)
ProcessCollector(registry=REGISTRY)
for _stage in STAGES:
    STAGE_SECONDS.labels(_stage)
for _state in ("waiting", "running"):
    AT_WORK.labels(_state)
for _outcome in ("done", "failed"):
    JOB_PAGES.labels(_outcome)


@dataclass(frozen=True, slots=True)
class Ended:
    """A reading that ended.

    Attributes:
        at: when, in the seconds of `time.monotonic`.
        seconds: of all its stages together.
        tokens: of its answer, None where they are not counted.
    """

    at: float
    engine: str
    outcome: str
    seconds: float
    tokens: int | None
    stages: Mapping[str, float]


ENDED: deque[Ended] = deque(maxlen=2_000)
"""The newest readings of this process."""
FAULTS: deque[tuple[float, str, str]] = deque(maxlen=2_000)
"""The newest errors: when (monotonic seconds), where, code."""


def reading_ended(engine: str, outcome: str, timings: Mapping[str, float], tokens: int | None = None) -> None:
    """Args: timings: seconds by stage."""
    READINGS.labels(engine, outcome).inc()
    TOKENS.labels(engine).inc(tokens or 0)
    for stage, seconds in timings.items():
        STAGE_SECONDS.labels(stage).observe(seconds)
    ENDED.append(Ended(time.monotonic(), engine, outcome, sum(timings.values()), tokens, dict(timings)))


def pixels_chosen(engine: str, choice: str) -> None:
    """Args: choice: a reason of `domain.pixels.PixelChoice`, or again."""
    PIXEL_CHOICES.labels(engine, choice).inc()


def error_told(where: str, code: str) -> None:
    """Args: where: page, rest, reading or job."""
    ERRORS.labels(where, code).inc()
    FAULTS.append((time.monotonic(), where, code))


def at_work(state: str) -> int:
    """Readings that are `waiting` or `running` now."""
    return int(sum(one.value for one in next(iter(AT_WORK.collect())).samples if one.labels["state"] == state))


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


@dataclass(frozen=True, slots=True)
class Looked:
    """A figure that is looked up when somebody asks for it.

    Attributes:
        name: without `_total`, which counters get.
        counts: it is a counter.
    """

    name: str
    says: str
    labels: tuple[str, ...] = ()
    counts: bool = False


ENGINE = ("engine",)
CARD = ("card", "name")
LOOKED = {
    one.name: one
    for one in (
        Looked("ocr_ui_engine_state", "1 for the state that an engine is in.", ("engine", "state")),
        Looked("ocr_ui_engine_places", "Pages that an engine reads at once, at most.", ENGINE),
        Looked("ocr_ui_engine_running", "Pages that an engine reads.", ENGINE),
        Looked("ocr_ui_engine_waiting", "Pages that wait inside an engine.", ENGINE),
        Looked("ocr_ui_engine_cache_ratio", "Share of the cache for pages that is taken.", ENGINE),
        Looked("ocr_ui_engine_preemptions", "Pages put back because the cache was full.", ENGINE, True),
        Looked("ocr_ui_engine_drafts", "Proposals of the draft model that were checked.", ENGINE, True),
        Looked("ocr_ui_engine_drafts_rejected", "Proposals of which nothing was right.", ENGINE, True),
        Looked("ocr_ui_engine_draft_tokens", "Tokens of these proposals.", ENGINE, True),
        Looked("ocr_ui_engine_draft_tokens_accepted", "Tokens of these proposals that were right.", ENGINE, True),
        Looked("ocr_ui_engine_tokens", "Tokens that an engine has written.", ENGINE, True),
        Looked("ocr_ui_engine_prompt_tokens", "Tokens of pictures and prompts that it has taken in.", ENGINE, True),
        Looked("ocr_ui_engine_part_seconds", "Seconds of ended pages by part.", ("engine", "part"), True),
        Looked("ocr_ui_gpu_busy_ratio", "Share of the time in which a card had work.", CARD),
        Looked("ocr_ui_gpu_memory_used_bytes", "Memory of a card that is taken.", CARD),
        Looked("ocr_ui_gpu_memory_bytes", "Memory of a card.", CARD),
        Looked("ocr_ui_jobs", "Batches by state.", ("state",)),
        Looked("ocr_ui_job_pages_waiting", "Pages of batches that are to be read."),
    )
}


@dataclass(slots=True)
class Seen:
    """Figures of `LOOKED` that were looked up: values by name, each with its labels."""

    values: dict[str, list[tuple[Sequence[str], float]]] = field(default_factory=dict)

    def add(self, name: str, value: float, *labels: str) -> None:
        if len(labels) != len(LOOKED[name].labels):
            raise ValueError(f"{name} has the labels {LOOKED[name].labels}")
        self.values.setdefault(name, []).append((labels, float(value)))

    def collect(self) -> Iterable[Metric]:
        """All families, those without a value too: a name that a dashboard asks for is always there."""
        for name, one in LOOKED.items():
            kind = CounterMetricFamily if one.counts else GaugeMetricFamily
            family = kind(name, one.says, labels=one.labels)
            for labels, value in self.values.get(name, ()):
                family.add_metric(list(labels), value)
            yield family


def exposition(seen: Seen) -> tuple[bytes, str]:
    """All that is counted and was looked up, in Prometheus's text form, and its media type."""
    text = generate_latest(REGISTRY) + generate_latest(seen)  # type: ignore[arg-type]
    return text, CONTENT_TYPE_LATEST
