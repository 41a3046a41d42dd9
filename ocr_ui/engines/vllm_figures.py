"""What vLLM tells of itself after every step: queue, cache, what was put back, drafts, tokens and their times."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ocr_ui.engines.base import EngineLoad
from ocr_ui.engines.draft_watch import Stopwatch


@dataclass(slots=True)
class Figures:
    """Sums since the engine was made by the product, restarts of vLLM included.

    Attributes:
        waiting, cache: as each of vLLM's copies of the model (by its number) told last.
        others: the sums that `EngineLoad` has under the same names.
    """

    waiting: dict[int, int] = field(default_factory=dict)
    cache: dict[int, float] = field(default_factory=dict)
    preemptions: int = 0
    drafts: int = 0
    drafts_rejected: int = 0
    draft_tokens: int = 0
    draft_tokens_accepted: int = 0
    tokens: int = 0
    prompt_tokens: int = 0
    queued_seconds: float = 0.0
    picture_seconds: float = 0.0
    answer_seconds: float = 0.0

    def take(self, number: int, scheduler: Any, iteration: Any) -> None:
        """Args: scheduler, iteration: vLLM's statistics of a step, each of which may be None."""
        if scheduler is not None:
            self.waiting[number] = scheduler.num_waiting_reqs
            self.cache[number] = scheduler.kv_cache_usage
            self._take_drafts(scheduler.spec_decoding_stats)
        if iteration is not None:
            self.preemptions += iteration.num_preempted_reqs
            self.tokens += iteration.num_generation_tokens
            self.prompt_tokens += iteration.num_prompt_tokens
            for ended in iteration.finished_requests:
                self.queued_seconds += ended.queued_time
                self.picture_seconds += ended.prefill_time
                self.answer_seconds += ended.decode_time

    def _take_drafts(self, drafted: Any) -> None:
        if not drafted or not drafted.num_drafts:
            return
        self.drafts += drafted.num_drafts
        self.drafts_rejected += drafted.num_drafts - drafted.num_accepted_tokens_per_pos[0]
        self.draft_tokens += drafted.num_draft_tokens
        self.draft_tokens_accepted += drafted.num_accepted_tokens

    def load(self, places: int, held: int, before: int) -> EngineLoad:
        """The whole.

        Args:
            held: requests that vLLM has now: what it told last may be of before an abort.
            before: requests that wait for one of the places.
        """
        inside = min(held, sum(self.waiting.values()))
        return EngineLoad(
            places=places,
            running=held - inside,
            waiting=before + inside,
            cache=(max(self.cache.values()) if held else 0.0) if self.cache else None,
            preemptions=self.preemptions,
            drafts=self.drafts,
            drafts_rejected=self.drafts_rejected,
            draft_tokens=self.draft_tokens,
            draft_tokens_accepted=self.draft_tokens_accepted,
            tokens=self.tokens,
            prompt_tokens=self.prompt_tokens,
            queued_seconds=self.queued_seconds,
            picture_seconds=self.picture_seconds,
            answer_seconds=self.answer_seconds,
        )


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
