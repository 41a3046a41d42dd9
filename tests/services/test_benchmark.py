"""What a measurement tells, and how the highest load is looked for; how fast anything is, no test here says."""

from __future__ import annotations

from pathlib import Path

import pytest
from labelled import AnsweringEngine, number_of, write_page
from stored import open_store

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.truth import Truth
from ocr_ui.errors import BadInput, EngineDead, EngineFailed
from ocr_ui.services.benchmark import KIND, Ask, Benchmark, Bound, highest_load, layout_of, read_bound
from ocr_ui.services.engines import Engines
from ocr_ui.services.labelled_sets import LabelledPage
from ocr_ui.services.templates import open_templates
from ocr_ui.settings import Settings

PAGES = 3
LINES = "\n".join(f"line {number}" for number in range(5))


class Bench:
    def __init__(self, tmp_path: Path) -> None:
        self.data = tmp_path / "set"
        self.data.mkdir()
        for number in range(PAGES):
            layout = {"layout": "complex"} if number == 2 else {}
            write_page(self.data, number, text=LINES, **layout)
        self.settings = Settings(data_dir=tmp_path / "data", turn_pages=False)
        self.engine = AnsweringEngine(lambda request: LINES)
        self.store = open_store(tmp_path / "data")
        engines = Engines({"m": self.engine})
        self.benchmark = Benchmark(self.store, engines, open_templates(self.settings, self.store), self.settings)

    async def run(self, **ask) -> dict:
        asked = Ask(data=str(self.data), template="full_text_plain", engine="m", **ask)
        return [step async for step in self.benchmark.run(asked)][-1]


@pytest.fixture
def bench(tmp_path: Path):
    made = Bench(tmp_path)
    yield made
    made.store.close()


async def test_every_stage_is_told_with_all_conditions(bench: Bench) -> None:
    result = await bench.run(loads=(1, 2), rounds=2)
    assert [load["at_once"] for load in result["loads"]] == [1, 2]
    for load in result["loads"]:
        everything = load["all"]
        assert (everything["pages"], everything["failed"]) == (2 * PAGES, 0)
        assert {kind: found["pages"] for kind, found in load["kinds"].items()} == {"simple": 4, "complex": 2}
        stages = everything["stages"]
        assert set(stages) == {"decode_image", "prepare", "queue", "first_token", "tokens", "parse", "store"}
        assert sum(stage["p50"] for stage in stages.values()) <= everything["seconds"]["p99"] * PAGES
        assert everything["first_seconds"]["p50"] <= everything["seconds"]["p50"]
        assert everything["megapixels"] == pytest.approx(100 * 60 / 1e6)
        assert everything["tokens"] == len(LINES) // 4
    assert result["cold_start"]["first_page_seconds"] > 0
    conditions = result["conditions"]
    assert {"program", "processor", "cores", "load", "cards", "packages", "settings"} <= set(conditions)
    assert conditions["settings"]["engine_pixels"] == bench.settings.engine_pixels


async def test_as_many_pages_at_once_as_the_load_says(bench: Bench) -> None:
    def answer(request) -> str:
        if len(bench.engine.seen) == 1:  # the first page is read alone, to warm up
            bench.engine.hold(3)
        return LINES

    bench.engine.answer = answer
    await bench.run(loads=(3,), rounds=2)
    assert bench.engine.most_at_once == 3


async def test_it_stands_in_the_log_and_nothing_in_the_dataset(bench: Bench) -> None:
    result = await bench.run(loads=(1,))
    (logged,) = bench.store.evaluations.list(KIND)
    assert (logged.id, logged.result["loads"]) == (result["run"], result["loads"])
    assert logged.config["engine"]["revision"] == "r1"
    assert bench.store.items.count() == 0


async def test_pages_that_fail_are_counted_and_not_timed(bench: Bench) -> None:
    failed = EngineFailed("engine_failed", "It broke.", "")
    bench.engine.answer = lambda request: failed if number_of(request) == 1 else LINES
    result = await bench.run(loads=(1,))
    assert (result["loads"][0]["all"]["pages"], result["loads"][0]["all"]["failed"]) == (PAGES, 1)


async def test_a_dead_engine_ends_it(bench: Bench) -> None:
    bench.engine.answer = lambda request: EngineDead("engine_gone", "It is gone.", "")
    with pytest.raises(EngineDead):
        await bench.run(loads=(2,))


async def test_the_load_that_keeps_a_bound_is_found_by_the_kind_of_page(bench: Bench) -> None:
    result = await bench.run(loads=(1,), bound=Bound("p99", 1e-9), layouts={"page00": "dense"})
    assert result["slo"]["bound"] == "p99=1e-06ms"
    assert set(result["slo"]["kinds"]) == {"simple", "dense", "complex"}
    for found in result["slo"]["kinds"].values():
        assert found["best"] is None
        assert [one["at_once"] for one in found["tried"]] == [1]
        assert found["tried"][0]["pages"] == 3


@pytest.mark.parametrize(("capacity", "most"), [(0, None), (1, 1), (5, 5), (6, 6), (8, 8), (255, 255), (10_000, 256)])
async def test_the_highest_load_is_found_in_few_tries(capacity: int, most: int | None) -> None:
    async def tried(load: int) -> dict:
        return {"at_once": load, "latency": 0.1 if load <= capacity else 0.9}

    *steps, found = [one async for one in highest_load(tried, 0.5)]
    assert sorted(step["at_once"] for step in steps) == [one["at_once"] for one in found["tried"]]
    assert (found["best"] and found["best"]["at_once"]) == most
    assert len(found["tried"]) <= 17
    loads = [one["at_once"] for one in found["tried"]]
    assert loads == sorted(set(loads))


async def test_a_load_at_which_pages_fail_keeps_no_bound() -> None:
    async def tried(load: int) -> dict:
        return {"at_once": load, "latency": None if load > 2 else 0.1}

    assert [one async for one in highest_load(tried, 0.5)][-1]["best"]["at_once"] == 2


@pytest.mark.parametrize(
    ("written", "bound"),
    [("p99=500ms", Bound("p99", 0.5)), (" p95 = 1.5s ", Bound("p95", 1.5)), ("P50=20MS", Bound("p50", 0.02))],
)
def test_a_bound_in_words(written: str, bound: Bound) -> None:
    assert read_bound(written) == bound


@pytest.mark.parametrize("written", ["", "p99", "p98=1s", "p99=0ms", "p99=1.2.3s", "p99=5"])
def test_what_is_no_bound_is_refused(written: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_bound(written)
    assert refused.value.code == "bad_slo"


def page(**parts) -> LabelledPage:
    return LabelledPage("p", "0" * 64, bytes, **parts)


@pytest.mark.parametrize(
    ("known", "read", "layout"),
    [
        (page(truth=Truth()), 10, "simple"),
        (page(truth=Truth()), 60, "dense"),
        (page(truth=Truth(lines=(TextLine("a"),) * 80)), 0, "dense"),
        (page(truth=Truth(tables=("<table></table>",))), 80, "complex"),
        (page(truth=Truth(), regions=5), 80, "complex"),
        (page(truth=Truth(), layout="simple", regions=9), 80, "simple"),
    ],
)
def test_the_kind_of_a_page(known: LabelledPage, read: int, layout: str) -> None:
    assert layout_of(known, read, {}) == layout
    assert layout_of(known, read, {"p": "dense"}) == "dense"


async def test_another_kind_of_page_is_refused(bench: Bench) -> None:
    with pytest.raises(BadInput) as refused:
        await bench.run(layouts={"page00": "odd"})
    assert refused.value.code == "bad_layout"


async def test_the_pixels_told_are_those_that_the_engine_had(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    few = bench.settings.model_copy(update={"engine_pixels": 1_500})
    monkeypatch.setattr(bench.benchmark, "settings_of", lambda _: few)
    everything = (await bench.run(loads=(1,)))["loads"][0]["all"]
    assert everything["megapixels"] == pytest.approx(0.0015, rel=0.05)
