from __future__ import annotations

import io
from pathlib import Path

from batches import pdf
from fakes import ScriptedEngine
from stored import add_item, content

from ocr_ui.domain.person import Person
from ocr_ui.domain.review import State
from ocr_ui.engines.base import EngineLoad
from ocr_ui.metrics import REGISTRY, REVIEWS, exposition
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.engines import Engines
from ocr_ui.services.look import Looker
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


class Telling(ScriptedEngine):
    def load(self) -> EngineLoad:
        return EngineLoad(8, 3, 2, 0.5, 1, 10, 4, 40, 20, 900, 5_000, 1.0, 2.0, 3.0)


def lines(store: Store, engines: Engines) -> set[str]:
    text, _ = exposition(Looker(store, engines).seen())
    return set(text.decode().splitlines())


def test_what_an_engine_tells_is_exported_under_its_name(tmp_path: Path) -> None:
    with Store.open(Settings(data_dir=tmp_path)) as store:
        told = lines(store, Engines({"fast": Telling([]), "silent": ScriptedEngine([])}))
    assert {
        'ocr_ui_engine_places{engine="fast"} 8.0',
        'ocr_ui_engine_running{engine="fast"} 3.0',
        'ocr_ui_engine_waiting{engine="fast"} 2.0',
        'ocr_ui_engine_cache_ratio{engine="fast"} 0.5',
        'ocr_ui_engine_preemptions_total{engine="fast"} 1.0',
        'ocr_ui_engine_drafts_total{engine="fast"} 10.0',
        'ocr_ui_engine_drafts_rejected_total{engine="fast"} 4.0',
        'ocr_ui_engine_draft_tokens_total{engine="fast"} 40.0',
        'ocr_ui_engine_draft_tokens_accepted_total{engine="fast"} 20.0',
        'ocr_ui_engine_tokens_total{engine="fast"} 900.0',
        'ocr_ui_engine_prompt_tokens_total{engine="fast"} 5000.0',
        'ocr_ui_engine_part_seconds_total{engine="fast",part="queued"} 1.0',
        'ocr_ui_engine_part_seconds_total{engine="fast",part="picture"} 2.0',
        'ocr_ui_engine_part_seconds_total{engine="fast",part="answer"} 3.0',
        'ocr_ui_engine_state{engine="silent",state="loading"} 1.0',
        'ocr_ui_engine_state{engine="silent",state="ready"} 0.0',
    } <= told
    assert not [line for line in told if 'engine_running{engine="silent"' in line]


def test_batches_are_counted_by_state(tmp_path: Path) -> None:
    with Store.open(Settings(data_dir=tmp_path)) as store:
        asked = {"template": "full_text", "pages": "", "engine": "", "values": {}, "rules": [], "webhook": False}
        sha256, size = store.uploads.put(io.BytesIO(pdf(1)), 10**6)
        for paused in (True, False):
            number = store.jobs.begin("b", asked, 0, None, paused)
            store.jobs.add_file(number, "a.pdf", sha256, size)
        store.jobs.cancel(number)
        told = lines(store, Engines({}))
    assert {
        'ocr_ui_jobs{state="paused"} 1.0',
        'ocr_ui_jobs{state="cancelled"} 1.0',
        'ocr_ui_jobs{state="open"} 0.0',
        "ocr_ui_job_pages_waiting 1.0",
    } <= told


async def test_a_review_counts_once_for_each_state_that_it_comes_to(tmp_path: Path) -> None:
    def now() -> list[float]:
        return [
            REGISTRY.get_sample_value("ocr_ui_reviews_total", {"state": state}) or 0
            for state in ("submitted", "accepted", "in_progress")
        ]

    REVIEWS.labels("submitted")
    with Store.open(Settings(data_dir=tmp_path)) as store:
        item, annotator, before = add_item(store, content("Total")), Annotator(store), now()
        for _ in range(2):
            await annotator.save_correction(item, 0, content("Total"), "right", person=Person("Ann"))
        await annotator.set_state(item, State.ACCEPTED, Person("Ben"))
        assert [after - one for after, one in zip(now(), before, strict=True)] == [1, 1, 0]
