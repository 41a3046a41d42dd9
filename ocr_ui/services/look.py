"""Looks at engines, cards and batches as they are now, for Prometheus."""

from __future__ import annotations

from ocr_ui.engines.base import EngineLoad, EngineState
from ocr_ui.errors import StoreFailed
from ocr_ui.metrics import Seen
from ocr_ui.services.conditions import cards
from ocr_ui.services.engines import Engines
from ocr_ui.storage.store import Store

GAUGES = ("places", "running", "waiting")
COUNTERS = (
    "preemptions",
    "drafts",
    "drafts_rejected",
    "draft_tokens",
    "draft_tokens_accepted",
    "tokens",
    "prompt_tokens",
)
PARTS = ("queued", "picture", "answer")


class Looker:
    def __init__(self, store: Store, engines: Engines) -> None:
        self._store, self._engines = store, engines

    def seen(self) -> Seen:
        """What Prometheus is told beside what is counted. Blocks: it asks the store and the cards' driver."""
        seen = Seen()
        for info in self._engines.infos():
            for state in EngineState:
                seen.add("ocr_ui_engine_state", info.health.state is state, info.name, state.value)
        for name, load in self._engines.loads().items():
            _add_load(seen, name, load)
        for number, card in enumerate(cards()):
            labels = str(number), card["name"]
            seen.add("ocr_ui_gpu_busy_ratio", card["busy_percent"] / 100, *labels)
            seen.add("ocr_ui_gpu_memory_used_bytes", card["memory_used_bytes"], *labels)
            seen.add("ocr_ui_gpu_memory_bytes", card["memory_bytes"], *labels)
        self._add_jobs(seen)
        return seen

    def _add_jobs(self, seen: Seen) -> None:
        try:
            states, waiting = self._store.jobs.counts()
        except StoreFailed:
            return  # the rest is worth telling all the more
        for state, number in states.items():
            seen.add("ocr_ui_jobs", number, state)
        seen.add("ocr_ui_job_pages_waiting", waiting)


def _add_load(seen: Seen, name: str, load: EngineLoad) -> None:
    for gauge in (*GAUGES, *COUNTERS):
        seen.add(f"ocr_ui_engine_{gauge}", getattr(load, gauge), name)
    if load.cache is not None:
        seen.add("ocr_ui_engine_cache_ratio", load.cache, name)
    for part in PARTS:
        seen.add("ocr_ui_engine_part_seconds", getattr(load, f"{part}_seconds"), name, part)
