"""How the product does now and in the last minutes: a bounded ring of samples, and what limits the speed.

Samples are taken while something is being read or somebody looks, and else not at all. Readings and errors are noted
where they happen (`ocr_ui.metrics`), so that they are there before the first look.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.engines.base import EngineLoad
from ocr_ui.metrics import ENDED, FAULTS, STAGES, Ended, at_work
from ocr_ui.services.access import needs
from ocr_ui.services.bottleneck import Finding, Runs, Seen, findings, verdict
from ocr_ui.services.conditions import cards
from ocr_ui.services.engines import Engines
from ocr_ui.services.evaluation_scores import percentiles

BEAT = 2.0
"""Seconds between two samples."""
KEPT = 600
"""Samples that are kept: 20 minutes."""
LOOKED_SECONDS = 15.0
"""After the last look, samples are taken for so long."""
WINDOW = 60.0
"""Seconds that the verdict and the figures of now are of."""
SPAN = 1_200.0
BUCKET = 30.0
"""Seconds that one point of a line over readings stands for, and those that all lines go back."""
MOST_CODES = 8
BEFORE_ENGINE = ("receive", "decode_image", "prepare")
ON_CARD, ELSEWHERE = ("vllm",), ("openai", "llama")
"""Kinds of engines that work on a card where there is one, and outside of this process."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment.

    Attributes:
        at: in the seconds of `time.monotonic`.
        waiting, running: readings of this process.
        loads: of engines that tell it, by name.
        cards: as `conditions.cards`.
        processors: seconds that the machine's processors have worked, and could have worked, since it was started.
    """

    at: float
    waiting: int
    running: int
    loads: dict[str, EngineLoad]
    cards: list[dict[str, Any]]
    processors: tuple[float, float] | None

    @property
    def at_work(self) -> int:
        return self.waiting + self.running


class Monitor:
    """Args: beat: seconds between two samples."""

    def __init__(self, engines: Engines, beat: float = BEAT) -> None:
        self._engines, self._beat = engines, beat
        self._samples: deque[Sample] = deque(maxlen=KEPT)
        self._looked = -LOOKED_SECONDS
        self._made = time.monotonic()
        self._task: asyncio.Task[None] | None = None

    def awake(self) -> None:
        """Something is going to be read: samples are taken until nothing is any more. Needs a running event loop."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    @needs(Action.REVIEW)
    async def told(self) -> dict[str, Any]:
        """All that the page shows, as plain JSON values: see docs/rest.md."""
        self._looked = time.monotonic()
        if not self._samples or self._looked - self._samples[-1].at > self._beat:
            await self._sample()
        self.awake()
        return self._told(time.monotonic())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        """The last sample is of when it is over: a line would else go on as it was until somebody looks again."""
        over = False
        while not over:
            await asyncio.sleep(self._beat)
            over = not self._wanted()
            await self._sample()
            over = over and not self._wanted()  # what began meanwhile has not started another task

    def _wanted(self) -> bool:
        return bool(time.monotonic() - self._looked < LOOKED_SECONDS or at_work("waiting") or at_work("running"))

    async def _sample(self) -> None:
        seen = await asyncio.to_thread(cards)
        self._samples.append(
            Sample(
                time.monotonic(),
                at_work("waiting"),
                at_work("running"),
                self._engines.loads(),
                seen,
                processor_seconds(),
            )
        )

    def _told(self, now: float) -> dict[str, Any]:
        recent = [one for one in self._samples if one.at > now - WINDOW]
        ended = [one for one in ENDED if one.at > max(self._made, now - SPAN)]
        faults = [one for one in FAULTS if one[0] > max(self._made, now - SPAN)]
        lately = [one for one in ended if one.at > now - WINDOW]
        name = engine_of(recent, lately) or self._engines.default
        seen = seen_of(name, self._runs(name, recent), recent, lately)
        found = findings(seen)
        return {
            "engine": name,
            "runs": seen.runs.value,
            "verdict": finding_value(verdict(seen, found)),
            "findings": [finding_value(one) for one in found],
            "now": now_value(self._samples[-1], name, lately),
            "errors": errors_value(faults),
            "window": WINDOW,
            "span": [round(time.time() - SPAN, 1), round(time.time(), 1)],
            "samples": samples_value([one for one in self._samples if one.at > now - SPAN], name, now),
            "readings": readings_value(ended, [at for at, _, _ in faults], now),
        }

    def _runs(self, name: str, samples: Sequence[Sample]) -> Runs:
        kind = self._engines.kind_of(name)
        if kind in ELSEWHERE:
            return Runs.SERVER
        return Runs.CARD if kind in ON_CARD and any(one.cards for one in samples) else Runs.PROCESSORS


def engine_of(samples: Sequence[Sample], ended: Sequence[Ended]) -> str:
    """The engine that had most to do; empty where none had anything."""
    work: dict[str, float] = {}
    for sample in samples:
        for name, load in sample.loads.items():
            work[name] = work.get(name, 0) + load.running + load.waiting
    for one in ended:
        work[one.engine] = work.get(one.engine, 0) + 1
    busiest = max(work, key=work.__getitem__, default="")
    return busiest if work.get(busiest) else ""


def seen_of(name: str, runs: Runs, samples: Sequence[Sample], ended: Sequence[Ended]) -> Seen:
    """What the rules look at, of one engine."""
    at = [sample for sample in samples if sample.at_work]
    loads = [sample.loads[name] for sample in at if name in sample.loads]
    spread = [sample.loads[name] for sample in samples if name in sample.loads]
    own = [one for one in ended if one.engine == name]
    before = sum(one.stages.get(stage, 0.0) for one in own for stage in BEFORE_ENGINE)
    whole = sum(one.seconds for one in own)
    return Seen(
        runs=runs,
        at_work=mean(sample.at_work for sample in at) or (1.0 if own else 0.0),
        running=(mean(load.running for load in loads) if loads else mean(sample.running for sample in at)) or 0.0,
        waiting=mean(load.waiting for load in loads) or 0.0,
        places=loads[-1].places if loads else 0,
        busy=mean(card["busy_percent"] / 100 for sample in at for card in sample.cards),
        preemptions=grown(spread, lambda load: load.preemptions),
        drafts=grown(spread, lambda load: load.drafts),
        drafts_rejected=grown(spread, lambda load: load.drafts_rejected),
        picture=picture_share(spread),
        preparing=before / whole if whole else None,
        processors=processors_busy(at if len(at) > 1 else samples),
    )


def picture_share(loads: Sequence[EngineLoad]) -> float | None:
    """Of the time of pages that ended."""
    picture = grown(loads, lambda load: load.picture_seconds)
    answer = grown(loads, lambda load: load.answer_seconds)
    return picture / (picture + answer) if picture + answer else None


def grown(loads: Sequence[EngineLoad], count: Callable[[EngineLoad], Any]) -> Any:
    """By how much a count has grown; one that begins anew, with an engine that was made anew, counts from 0."""
    return sum(
        count(after) - count(before) if count(after) >= count(before) else count(after)
        for before, after in pairwise(loads)
    )


def processors_busy(samples: Sequence[Sample]) -> float | None:
    """Share of the time between the first and the last."""
    known = [sample.processors for sample in samples if sample.processors]
    if len(known) < 2 or known[-1][1] <= known[0][1]:
        return None
    return min(1.0, (known[-1][0] - known[0][0]) / (known[-1][1] - known[0][1]))


def mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return sum(known) / len(known) if known else None


def processor_seconds() -> tuple[float, float] | None:
    """Seconds that all processors of the machine have worked, and could have worked; None where it does not say."""
    try:
        ticks = [int(one) for one in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    except (OSError, ValueError):
        return None
    idle = ticks[3] + ticks[4]
    second = os.sysconf("SC_CLK_TCK")
    return (sum(ticks) - idle) / second, sum(ticks) / second


def finding_value(one: Finding) -> dict[str, Any]:
    return {
        "code": one.code,
        "state": one.state.value,
        "name": one.name,
        "measure": one.measure,
        "message": one.message,
        "hint": one.hint,
        "values": one.values,
    }


def errors_value(faults: Sequence[tuple[float, str, str]]) -> list[dict[str, Any]]:
    """By code, the most frequent first."""
    codes = Counter((where, code) for _, where, code in faults)
    return [{"where": where, "code": code, "count": count} for (where, code), count in codes.most_common(MOST_CODES)]


def now_value(last: Sample, engine: str, ended: Sequence[Ended]) -> dict[str, Any]:
    """The figures of the moment, and of the last WINDOW seconds."""
    load = last.loads.get(engine)
    return {
        "waiting": last.waiting,
        "running": last.running,
        "places": load.places if load else None,
        "cache": load.cache if load else None,
        "pages_per_minute": len(ended) * 60 / WINDOW,
        "tokens_per_second": sum(one.tokens or 0 for one in ended) / WINDOW if _counted(ended) else None,
        "seconds": percentiles(one.seconds for one in ended),
        "stages": {stage: mean(one.stages.get(stage, 0.0) for one in ended) for stage in STAGES},
        "cards": last.cards,
    }


def _counted(ended: Iterable[Ended]) -> bool:
    return any(one.tokens is not None for one in ended)


def samples_value(samples: Sequence[Sample], engine: str, now: float) -> dict[str, Any]:
    """Lines over the samples, as lists of one length; `at` in seconds since 1970. `cards`: lists for each card."""
    epoch = time.time() - now
    numbers = range(max((len(sample.cards) for sample in samples), default=0))
    busy = [None, *(processors_busy(pair) for pair in pairwise(samples))][: len(samples)]
    return {
        "at": [round(epoch + sample.at, 1) for sample in samples],
        "waiting": [sample.waiting for sample in samples],
        "running": [sample.running for sample in samples],
        "cache": [sample.loads[engine].cache if engine in sample.loads else None for sample in samples],
        "processors": busy,
        "cards": [
            {
                "name": next(sample.cards[number]["name"] for sample in samples if number < len(sample.cards)),
                "busy": [_of(sample, number, "busy_percent", 100) for sample in samples],
                "memory": [_of(sample, number, "memory_used_bytes", 1) for sample in samples],
                "memory_bytes": next(s.cards[number]["memory_bytes"] for s in samples if number < len(s.cards)),
            }
            for number in numbers
        ],
    }


def _of(sample: Sample, number: int, name: str, whole: float) -> float | None:
    return sample.cards[number][name] / whole if number < len(sample.cards) else None


def readings_value(ended: Sequence[Ended], faults: Sequence[float], now: float) -> dict[str, Any]:
    """Lines over the readings of every BUCKET seconds, the last bucket ending now."""
    count = int(SPAN / BUCKET)
    buckets: list[list[Ended]] = [[] for _ in range(count)]
    errors = [0] * count
    for one in ended:
        if (number := _bucket(one.at, now, count)) is not None:
            buckets[number].append(one)
    for at in faults:
        if (number := _bucket(at, now, count)) is not None:
            errors[number] += 1
    seconds = [percentiles(one.seconds for one in bucket) or {} for bucket in buckets]
    counted, end = _counted(ended), time.time()
    return {
        "at": [round(end - (count - number - 0.5) * BUCKET, 1) for number in range(count)],
        **{name: [one.get(name) for one in seconds] for name in ("p50", "p95", "p99")},
        "pages": [len(bucket) for bucket in buckets],
        "tokens": [sum(one.tokens or 0 for one in bucket) / BUCKET if counted else None for bucket in buckets],
        "errors": errors,
    }


def _bucket(at: float, now: float, count: int) -> int | None:
    number = count - 1 - int((now - at) // BUCKET)
    return number if 0 <= number < count else None
