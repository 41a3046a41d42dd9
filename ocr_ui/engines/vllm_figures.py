"""What vLLM tells of itself after every step: queue, cache, what was put back, drafts, tokens and their times."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ocr_ui.engines.base import EngineLoad
from ocr_ui.engines.draft_watch import Stopwatch


@dataclass(slots=True)
class Figures:
    """What was told since the engine was made by the product, restarts of vLLM included.

    Attributes:
        waiting, cache: as each of vLLM's copies of the model (by its number) told last.
        sums: what adds up; the figures of the moment are not in it.
    """

    waiting: dict[int, int] = field(default_factory=dict)
    cache: dict[int, float] = field(default_factory=dict)
    sums: EngineLoad = field(default_factory=EngineLoad)

    def take(self, number: int, scheduler: Any, iteration: Any) -> None:
        """Args: scheduler, iteration: vLLM's statistics of a step, each of which may be None."""
        if scheduler is not None:
            self.waiting[number] = scheduler.num_waiting_reqs
            self.cache[number] = scheduler.kv_cache_usage
            self._take_drafts(scheduler.spec_decoding_stats)
        if iteration is not None:
            ended = iteration.finished_requests
            self._add(
                preemptions=iteration.num_preempted_reqs,
                tokens=iteration.num_generation_tokens,
                prompt_tokens=iteration.num_prompt_tokens,
                queued_seconds=sum(one.queued_time for one in ended),
                picture_seconds=sum(one.prefill_time for one in ended),
                answer_seconds=sum(one.decode_time for one in ended),
            )

    def _take_drafts(self, drafted: Any) -> None:
        if not drafted or not drafted.num_drafts:
            return
        self._add(
            drafts=drafted.num_drafts,
            drafts_rejected=drafted.num_drafts - drafted.num_accepted_tokens_per_pos[0],
            draft_tokens=drafted.num_draft_tokens,
            draft_tokens_accepted=drafted.num_accepted_tokens,
        )

    def _add(self, **more: float) -> None:
        self.sums = replace(self.sums, **{name: getattr(self.sums, name) + value for name, value in more.items()})

    def load(self, places: int, held: int, before: int) -> EngineLoad:
        """The whole.

        Args:
            held: requests that vLLM has now: what it told last may be of before an abort.
            before: requests that wait for one of the places.
        """
        inside = min(held, sum(self.waiting.values()))
        cache = (max(self.cache.values()) if held else 0.0) if self.cache else None
        return replace(self.sums, places=places, running=held - inside, waiting=before + inside, cache=cache)


def stat_logger(figures: Figures, watch: Callable[[], Stopwatch]) -> Callable[[Any, int], Any]:
    """A factory of vLLM's. Tells the figures of every step, and the stopwatch of the moment each step of the first copy
    of the model ends."""
    from vllm.v1.metrics.loggers import StatLoggerBase

    class Steps(StatLoggerBase):
        def __init__(self, vllm_config: Any, engine_index: int = 0) -> None:
            self._number = engine_index

        def record(
            self, scheduler_stats: Any, iteration_stats: Any, mm_cache_stats: Any = None, engine_idx: int = 0
        ) -> None:
            figures.take(self._number, scheduler_stats, iteration_stats)
            if self._number or scheduler_stats is None:
                return
            drafted = scheduler_stats.spec_decoding_stats
            watch().step(
                time.monotonic(),
                scheduler_stats.num_running_reqs,
                iteration_stats.num_generation_tokens if iteration_stats else 0,
                iteration_stats.num_prompt_tokens if iteration_stats else 0,
                drafted.num_drafts if drafted else 0,
                drafted.num_accepted_tokens if drafted else 0,
            )

        def log_engine_initialized(self) -> None:
            pass

    return Steps
