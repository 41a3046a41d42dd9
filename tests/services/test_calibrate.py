from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, add_item, content, open_store

from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.services.calibrate import Calibrator
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        yield opened


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
    calibrator = Calibrator(store, Settings(data_dir=tmp_path))
    (found,) = await calibrator.measure("full_text", 0.05)
    figures = found.calibration.figures
    assert (found.calibration.part, found.stale) == ("line", ())
    assert (figures.count, figures.wrong) == (5, 1)
    assert figures.chosen.threshold == 0.9  # the lowest that stands above the mistake at 0.5
    assert (found.calibration.engine.model, found.calibration.engine.revision) == ("PP-OCRv6", "r1")
    assert await calibrator.threshold("full_text", "line") == 0.9
    assert await calibrator.threshold("full_text", "cell") is None
    assert found.to_dict()["threshold"] == 0.9


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
    calibrator = Calibrator(store, Settings(data_dir=tmp_path))
    await calibrator.measure("full_text")
    before = store.recognitions.get(item)
    changed = replace(before.recognition, engine=replace(before.recognition.engine, **change))
    store.recognitions.add(changed, before.page_id, ANN)
    (found,) = await calibrator.list("full_text")
    assert found.stale == stale
    assert (await calibrator.threshold("full_text", "line") is None) is bool(stale)


async def test_another_setting_makes_it_stale(store: Store, tmp_path: Path) -> None:
    corrected(store, 1, wrong=True)
    await Calibrator(store, Settings(data_dir=tmp_path)).measure("full_text")
    (found,) = await Calibrator(store, Settings(data_dir=tmp_path, engine_pixels=1_000_000)).list()
    assert found.stale == ("settings",)


async def test_a_later_measurement_takes_the_place_of_the_earlier(store: Store, tmp_path: Path) -> None:
    corrected(store, 1, wrong=True)
    calibrator = Calibrator(store, Settings(data_dir=tmp_path))
    await calibrator.measure("full_text")
    corrected(store, 2, wrong=True)
    (found,) = await calibrator.measure("full_text")
    assert found.calibration.figures.count == 4
    assert len(store.calibrations.list("full_text")) == 2


async def test_without_judged_pages_there_is_nothing_to_measure(store: Store, tmp_path: Path) -> None:
    add_item(store)
    calibrator = Calibrator(store, Settings(data_dir=tmp_path))
    for miss_rate, code in ((0.05, "nothing_to_calibrate"), (1.0, "bad_miss_rate")):
        with pytest.raises(BadInput) as refused:
            await calibrator.measure("full_text", miss_rate)
        assert refused.value.code == code
