from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, add_item, content, open_store

from ocr_ui.domain.calibration import Judged
from ocr_ui.domain.content import PageContent
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.images.need import RULE
from ocr_ui.scoring.calibration import judge
from ocr_ui.services.calibrate import Calibrator
from ocr_ui.services.thresholds import LEAST_WRONG, Thresholds
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        yield opened


def calibrator_of(store: Store, folder: Path, **settings: object) -> Calibrator:
    return Calibrator(store, Thresholds(store, Settings(data_dir=folder, **settings)))


def sure(*pairs: tuple[str, float]):
    page = content(*(text for text, _ in pairs))
    lines = (replace(one, confidence=pair[1]) for one, pair in zip(page.lines, pairs, strict=True))
    return replace(page, lines=tuple(lines))


def corrected(store: Store, shade: int, wrong: bool) -> int:
    item = add_item(store, sure(("Total 1", 0.95), ("Tea 2", 0.5)), shade=shade)
    texts = ("Total 1", "Tea 3" if wrong else "Tea 2")
    store.corrections.add(item, 0, content(*texts), ANN)
    return item


async def test_corrected_pages_give_a_threshold_that_is_kept(store: Store, tmp_path: Path) -> None:
    corrected(store, 1, wrong=True)
    corrected(store, 2, wrong=False)
    judged = add_item(store, sure(("Milk", 0.9)), shade=3)
    store.reviews.set(judged, Review(Verdict.RIGHT, State.SUBMITTED, person="Ann"))
    add_item(store, sure(("nobody has looked", 0.1)), shade=4)
    calibrator = calibrator_of(store, tmp_path)
    (found,) = await calibrator.measure("full_text", 0.05)
    figures = found.calibration.figures
    assert (found.calibration.part, found.stale) == ("line", ())
    assert (figures.count, figures.wrong) == (5, 1)
    assert figures.chosen.threshold == 0.9  # the lowest that stands above the mistake at 0.5
    assert (found.calibration.engine.model, found.calibration.engine.revision) == ("PP-OCRv6", "r1")
    assert found.to_dict()["threshold"] == 0.9
    assert found.unused == ("few",), "nothing can be told of a share of one mistake"


async def test_pages_are_counted_as_they_come_and_who_goes_before_the_end_keeps_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for shade in range(3):
        corrected(store, shade, wrong=True)
    go_on = threading.Event()
    looked_at = []

    def held(*contents: PageContent) -> Iterable[tuple[str, Judged]]:
        looked_at.append(contents)
        go_on.wait()
        return judge(*contents)

    monkeypatch.setattr("ocr_ui.services.calibrate.judge", held)
    monkeypatch.setattr("ocr_ui.services.calibrate.TOLD_SECONDS", 0.01)
    async with aclosing(calibrator_of(store, tmp_path).measuring("full_text")) as steps:
        async for step in steps:
            if step.done:
                break
        asyncio.get_running_loop().call_soon(go_on.set)
    assert (step.done, step.total, step.thresholds) == (1, 3, None)
    assert len(looked_at) == 1
    assert await calibrator_of(store, tmp_path).list("full_text") == []


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({"revision": "r2"}, ("revision",)),
        ({"kind": "openai", "model": "other"}, ("engine", "model")),
        ({"version": "9"}, ()),
    ],
)
async def test_another_engine_makes_it_stale(store: Store, tmp_path: Path, change: dict, stale: tuple) -> None:
    item = corrected(store, 1, wrong=True)
    calibrator = calibrator_of(store, tmp_path)
    await calibrator.measure("full_text")
    before = store.recognitions.get(item)
    changed = replace(before.recognition, engine=replace(before.recognition.engine, **change))
    store.recognitions.add(changed, before.page_id, ANN)
    (found,) = await calibrator.list("full_text")
    assert found.stale == stale


async def test_another_setting_makes_it_stale(store: Store, tmp_path: Path) -> None:
    corrected(store, 1, wrong=True)
    await calibrator_of(store, tmp_path).measure("full_text")
    (found,) = await calibrator_of(store, tmp_path, engine_pixels=1_000_000).list()
    assert found.stale == ("settings",)


async def test_a_height_of_text_that_is_measured_anew_makes_it_stale(store: Store, tmp_path: Path) -> None:
    """Pages are read with other pixels from then on, where pixels go by need."""
    engine = store.recognitions.get(corrected(store, 1, wrong=True)).recognition.engine
    calibrator = calibrator_of(store, tmp_path, pixels="need")
    await calibrator.measure("full_text")
    assert (await calibrator.list())[0].stale == ()
    store.pixel_calibrations.add(engine, 17.0, RULE, {}, None)
    assert (await calibrator.list())[0].stale == ("settings",)


async def test_a_later_measurement_takes_the_place_of_the_earlier(store: Store, tmp_path: Path) -> None:
    corrected(store, 1, wrong=True)
    calibrator = calibrator_of(store, tmp_path)
    await calibrator.measure("full_text")
    corrected(store, 2, wrong=True)
    (found,) = await calibrator.measure("full_text")
    assert found.calibration.figures.count == 4
    assert len(store.calibrations.list("full_text")) == 2


async def test_without_judged_pages_there_is_nothing_to_measure(store: Store, tmp_path: Path) -> None:
    add_item(store)
    calibrator = calibrator_of(store, tmp_path)
    for miss_rate, code in ((0.05, "nothing_to_calibrate"), (1.0, "bad_miss_rate")):
        with pytest.raises(BadInput) as refused:
            await calibrator.measure("full_text", miss_rate)
        assert refused.value.code == code


async def test_the_threshold_of_the_engine_that_reads_is_given_and_none_that_does_not_count(
    store: Store, tmp_path: Path
) -> None:
    for shade in range(LEAST_WRONG):
        item = corrected(store, shade, wrong=True)
    await calibrator_of(store, tmp_path).measure("full_text")
    reading = store.recognitions.get(item).recognition
    now, other = Thresholds(store, Settings(data_dir=tmp_path)), Settings(data_dir=tmp_path, turn_pages=False)

    def by(**engine: str) -> Recognition:
        return replace(reading, engine=replace(reading.engine, **engine))

    assert now.measured(by(version="9")) == {"line": 0.95}
    assert now.measured(replace(reading, prompt=replace(reading.prompt, template="fields"))) == {}
    assert now.measured(by(revision="r2")) == {}
    assert Thresholds(store, other).measured(reading) == {}
    (why,) = Thresholds(store, other).of(by(model="x"))
    assert why.unused == ("model", "settings")
    (brief,) = [one.brief() for one in now.of(reading)]
    assert (brief["count"], brief["wrong"], brief["unused"]) == (2 * LEAST_WRONG, LEAST_WRONG, [])


@pytest.mark.both_databases
async def test_of_several_measurements_the_one_that_counts_is_given(store: Store, tmp_path: Path) -> None:
    for shade in range(LEAST_WRONG):
        item = corrected(store, shade, wrong=True)
    await calibrator_of(store, tmp_path).measure("full_text")
    await calibrator_of(store, tmp_path, engine_pixels=1_000_000).measure("full_text", 0.5)
    reading = store.recognitions.get(item).recognition
    (found,) = Thresholds(store, Settings(data_dir=tmp_path)).of(reading)
    assert (found.unused, found.calibration.figures.miss_rate) == ((), 0.05)


async def test_a_measurement_may_be_looked_at_before_it_is_kept(store: Store, tmp_path: Path) -> None:
    for shade in range(LEAST_WRONG):
        item = corrected(store, shade, wrong=True)
    calibrator = calibrator_of(store, tmp_path)
    (seen,) = await calibrator.measure("full_text", keep=False)
    reading = store.recognitions.get(item).recognition
    assert (seen.calibration.id, seen.unused, await calibrator.list()) == (0, (), [])
    assert Thresholds(store, Settings(data_dir=tmp_path)).measured(reading) == {}
    (kept,) = await calibrator.measure("full_text")
    assert kept.calibration.figures == seen.calibration.figures


async def test_a_threshold_is_of_one_wording_and_stale_under_another(store: Store, tmp_path: Path) -> None:
    def read(version: str, shade: int) -> Recognition:
        first = store.recognitions.get(add_item(store, sure(("Tea 2", 0.5)), shade=shade))
        engine = replace(first.recognition.engine, kind="vllm")
        value = replace(first.recognition, engine=engine, prompt=replace(first.recognition.prompt, version=version))
        store.corrections.add(store.recognitions.add(value, first.page_id), 0, content("Tea 3"), ANN)
        return value

    old = [read("aaaa", shade) for shade in range(LEAST_WRONG)][-1]
    calibrator, thresholds = calibrator_of(store, tmp_path), Thresholds(store, Settings(data_dir=tmp_path))
    await calibrator.measure("full_text")
    assert list(thresholds.measured(old)) == ["line"]
    new = read("bbbb", 99)
    assert thresholds.of(new)[0].unused == ("template",)
    assert (await calibrator.list())[0].stale == ("template",)
    (measured,) = await calibrator.measure("full_text")
    assert (measured.calibration.figures.count, measured.unused) == (1, ("few",))
    assert thresholds.measured(old), "the older one is still there for what was read with the older wording"
