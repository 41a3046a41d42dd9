"""What drafts save: figures that are known, kept in a file, and judged in use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ocr_ui.domain.recognition import EngineName
from ocr_ui.engines import draft_watch, vllm_start
from ocr_ui.engines.draft_watch import Measured, Record, Stopwatch, load_of
from ocr_ui.engines.vllm_drafts import FILE, Drafts
from ocr_ui.settings import Settings

NAME = EngineName("vllm", "0.25.1", "tencent/HunyuanOCR", "main")


def watched(running: int, seconds: float, tokens: int, steps: int, drafts: int = 0, accepted: int = 0) -> Stopwatch:
    """A stopwatch that has seen one step more than `steps`, all alike: the first one only starts it."""
    watch = Stopwatch()
    for number in range(steps + 1):
        watch.step(number * seconds, running, tokens, 0, drafts, accepted)
    return watch


@pytest.mark.parametrize(("pages", "load"), [(1, 1), (2, 4), (4, 4), (5, 16), (64, 64), (500, 64)])
def test_loads(pages: int, load: int) -> None:
    assert load_of(pages) == load


def test_a_step_of_many_pages_counts_for_each() -> None:
    """Four pages, a step of 10 ms gives each 5 tokens: a page waits 2 ms for a token."""
    watch = watched(running=4, seconds=0.01, tokens=20, steps=30, drafts=4, accepted=16)
    assert watch.token_seconds() == {4: pytest.approx(0.002)}
    assert watch.paces[4].accepted_length == pytest.approx(5.0)
    assert watch.tokens == 600


def test_steps_that_did_something_else_are_left_out() -> None:
    watch = Stopwatch()
    watch.step(0.0, 1, 1, 0)
    watch.step(0.3, 2, 1, 900)  # took in a page
    watch.step(0.4, 2, 2, 0)  # follows it: what was prepared between is unknown
    watch.step(0.41, 2, 2, 0)
    watch.step(0.42, 3, 3, 0)  # another number of pages than before
    watch.step(9.0, 3, 3, 0)  # waited for something else
    assert {load: pace.steps for load, pace in watch.paces.items()} == {4: 1}


def test_few_steps_say_nothing() -> None:
    assert watched(1, 0.01, 1, draft_watch.FEWEST_STEPS - 1).token_seconds() == {}
    assert set(watched(1, 0.01, 1, draft_watch.FEWEST_STEPS).token_seconds()) == {1}


def test_what_was_measured_is_kept_for_its_name_alone(tmp_path: Path) -> None:
    measured = Measured({1: 0.003, 16: 0.004}, {1: 0.0015, 16: 0.005}, True)
    Record(tmp_path / "data" / FILE, "one").write(measured)
    Record(tmp_path / "data" / FILE, "other").write(Measured({1: 0.1}, {}, False))
    assert Record(tmp_path / "data" / FILE, "one").read() == measured
    assert Record(tmp_path / "data" / FILE, "third").read() is None
    assert [file.name for file in (tmp_path / "data").iterdir()] == [FILE]


@pytest.mark.parametrize("damage", ["", "[]", '{"one": 3}', '{"one": {"without": {"x": 1}, "drafted": {}, "pays": 1}}'])
def test_a_damaged_file_counts_as_empty(tmp_path: Path, damage: str) -> None:
    (tmp_path / FILE).write_text(damage)
    assert Record(tmp_path / FILE, "one").read() is None


def test_shares_in_words() -> None:
    measured = Measured({1: 0.003, 16: 0.004}, {1: 0.0015, 16: 0.005}, True)
    assert draft_watch.in_words(measured.saved()) == "saves 50% at 1 page, costs 25% at up to 16"


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes what a start decides, for a model whose draft folder could be used here."""
    monkeypatch.setattr(vllm_start, "cuda_of_torch", lambda: "13.0")
    (tmp_path / "model" / "dflash").mkdir(parents=True)
    (tmp_path / "model" / "dflash" / "config.json").write_text("{}")

    def start(**changes: Any) -> Drafts:
        settings = Settings(_env_file=None, data_dir=tmp_path / "data", **changes)
        return Drafts(tmp_path / "model", settings, NAME)

    return start


def measure(started: Drafts, without: float, drafted: float) -> bool:
    started.watch = watched(1, without, 1, 30)
    started.keep_without()
    started.watch = watched(1, drafted, 4, 30, drafts=1, accepted=3)
    return started.decide()


def test_drafts_that_pay_are_measured_once(drafts: Any) -> None:
    first = drafts()
    assert first.unmeasured
    assert measure(first, without=0.003, drafted=0.006)
    assert first.folder
    again = drafts()
    assert not again.unmeasured
    assert not again.undecided
    assert again.folder
    assert str(again) == "on: DFlash with 15 tokens; saves 50% at 1 page"


@pytest.mark.parametrize(
    "changes",
    [
        {"draft_tokens": 4},
        {"quantization": "fp8"},
        {"kv_cache_dtype": "fp8"},
        {"model_runner": "v1"},
        {"enforce_eager": True},
    ],
)
def test_what_makes_a_step_take_another_time_is_measured_anew(drafts: Any, changes: dict) -> None:
    assert measure(drafts(), without=0.003, drafted=0.006)
    assert drafts(**changes).unmeasured
    assert not drafts(max_num_seqs=8).unmeasured, "each load is told apart"


def test_drafts_that_save_nothing_are_left_out_from_then_on(drafts: Any) -> None:
    assert not measure(drafts(), without=0.003, drafted=0.0126)
    again = drafts()
    assert again.folder is None
    assert str(again) == "off: they do not pay here (costs 5% at 1 page)"
    assert (again.told().on, again.told().reason.code) == (False, "no_gain")
    assert drafts(dflash="on").folder, "asked for, and used whatever it costs"


def test_a_load_at_which_they_do_not_pay_turns_them_off_for_the_next_start(
    drafts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_watch, "ENOUGH_TOKENS", 100)
    started = drafts()
    started.watch = watched(1, 0.003, 1, 30)
    started.watch.paces |= watched(16, 0.004, 16, 30).paces
    started.keep_without()
    started.watch = watched(1, 0.006, 4, 30, drafts=1, accepted=3)
    assert started.decide()
    started.watch = watched(16, 0.01, 32, 30, drafts=16, accepted=16)  # 5 ms a token instead of 4
    started.judge()
    assert str(started).endswith("off from the next start: it does not pay at this load")
    assert "costs 25% at up to 16" in str(started)
    told = started.told()
    assert told.on
    assert told.reason.code == "next_start"
    assert [(load.pages, load.tokens, round(load.saved, 2)) for load in told.loads] == [
        (1, None, 0.5),
        (16, 2.0, -0.25),
    ]
    assert drafts().folder is None


def test_a_load_at_which_they_pay_changes_nothing(drafts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_watch, "ENOUGH_TOKENS", 100)
    started = drafts()
    measure(started, without=0.003, drafted=0.006)
    started.watch = watched(1, 0.006, 4, 60, drafts=1, accepted=3)
    started.judge()
    assert drafts().folder
    assert str(started) == "on: DFlash with 15 tokens; 4.0 tokens a step at 1 page; saves 50% at 1 page"
