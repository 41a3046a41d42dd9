"""How high text must be for an engine, measured over drawn pages with an engine whose eye is known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from fakes import ScriptedEngine
from labelled import Bench

from ocr_ui.__main__ import main
from ocr_ui.domain.pixels import REDUCED, PixelChoice
from ocr_ui.engines.base import EngineRequest
from ocr_ui.errors import BadInput, EngineFailed
from ocr_ui.images.need import RULE
from ocr_ui.services.calibrate_pixels import Ask, PixelCalibrator, Step, TriedPage, check_heights, summary
from ocr_ui.services.engines import Engines
from ocr_ui.services.evaluation_scores import PageScore
from ocr_ui.services.pixel_rules import need_of

CAPITALS = 30
WIDTH, HEIGHT = 800, 240
SAYS = "THEQUICKBROWNFOXJUMPS"
PAGES = 7


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Pages with capitals 30 pixels high, each with one more letter than the last, and a blank one."""
    folder = tmp_path / "set"
    folder.mkdir()
    for number in range(PAGES):
        sheet = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
        for line in range(3):
            text = SAYS[: 14 + number]
            cv2.putText(sheet, text, (30, 70 + 80 * line), cv2.FONT_HERSHEY_SIMPLEX, CAPITALS / 21, (0, 0, 0), 3)
        _write(folder, f"page{number}", sheet, "\n".join([text] * 3))
    _write(folder, "blank", np.full((HEIGHT, WIDTH, 3), 255, np.uint8), "")
    return folder


def _write(folder: Path, name: str, sheet: np.ndarray, text: str) -> None:
    assert cv2.imwrite(str(folder / f"{name}.png"), sheet)
    known = {"name": name, "file": f"{name}.png", "text": text}
    (folder / f"{name}.json").write_text(json.dumps(known), encoding="utf-8")


def letters(request: EngineRequest) -> float:
    """How high they are in the copy that the engine was given."""
    return CAPITALS * request.pixels.shape[0] / HEIGHT


def reads(least: float):
    """An engine that reads what is at least so high, and swallows one line of smaller text."""

    def answer(request: EngineRequest) -> str:
        dark = (request.pixels[..., 0] < 128).any(axis=0)
        if not dark.any():
            return ""
        wide = dark.nonzero()[0].max() * HEIGHT / request.pixels.shape[0]
        text = SAYS[: min(range(14, 14 + PAGES), key=lambda n: abs(_width(SAYS[:n]) - wide))]
        return "\n".join([text] * (3 if letters(request) >= least else 2))

    return answer


def _width(text: str) -> float:
    return 30 + cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, CAPITALS / 21, 3)[0][0]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path, reads(15))
    made.template("plain", "Read it", task="text")
    made.settings = made.settings.model_copy(update={"pixels": "need", "pixels_fewest": 10_000})
    yield made
    made.store.close()


def calibrator(bench: Bench) -> PixelCalibrator:
    engines = Engines({"answering": bench.engine})
    return PixelCalibrator(bench.store, engines, bench.templates, bench.settings)


async def measure(bench: Bench, data: Path, **more: object) -> dict:
    steps: list[Step] = [
        step async for step in calibrator(bench).run(Ask(str(data), "plain", heights=(18, 12), **more))
    ]
    assert [step.page for step in steps[:-1]] == ["blank", *(f"page{n}" for n in range(PAGES))]
    return steps[-1].result


async def test_the_least_height_that_loses_nothing_is_the_target(bench: Bench, data: Path) -> None:
    result = await measure(bench, data)
    by_height = {one["height"]: one for one in result["heights"]}
    assert [by_height[height]["verdict"] for height in (12, 18)] == ["worse", "good"]
    assert (result["target"], result["rule"], result["kept"]) == (18, RULE, True)
    worse = by_height[12]
    assert (worse["reduced"], worse["worse"], worse["cer_full"]) == (PAGES, PAGES, 0)
    assert worse["cer"] == pytest.approx(1 / 3, abs=0.03)
    assert worse["low"] <= worse["cer"] <= worse["high"]
    assert by_height[18]["pixels"] == pytest.approx((1 + PAGES * (18 / 28) ** 2) / (1 + PAGES), abs=0.08)
    assert by_height[12]["pixels"] < by_height[18]["pixels"] < 1
    blank = next(page for page in result["pages"] if page["page"] == "blank")
    assert (blank["heights"], blank["text_height"], blank["reason"]) == ([], None, "unknown")


async def test_nothing_is_read_twice_and_what_is_kept_counts_from_then_on(bench: Bench, data: Path) -> None:
    before = need_of(bench.engine.name, bench.settings, bench.store)
    assert before.target is None
    first = await measure(bench, data, keep=False)
    assert need_of(bench.engine.name, bench.settings, bench.store) == before
    assert len(bench.engine.seen) == 1 + PAGES * 3
    assert (await measure(bench, data))["heights"] == first["heights"]
    assert len(bench.engine.seen) == 1 + PAGES * 3
    assert need_of(bench.engine.name, bench.settings, bench.store).target == 18


async def test_an_engine_that_needs_all_pixels_gets_them(bench: Bench, data: Path) -> None:
    bench.engine.answer = reads(29)
    result = await measure(bench, data)
    assert (result["target"], result["kept"]) == (None, True)
    assert need_of(bench.engine.name, bench.settings, bench.store) is None


async def test_pages_that_fail_tell_nothing_of_pixels(bench: Bench, data: Path) -> None:
    """Read by nobody in either way, all of them would else lose nothing at any height."""
    bench.engine.answer = lambda request: EngineFailed("engine_failed", "No.", "")
    result = await measure(bench, data)
    assert [(one["verdict"], one["reduced"]) for one in result["heights"]] == [("few", 0), ("few", 0)]
    assert all(page["failed"] for page in result["pages"])
    assert (result["target"], result["kept"]) == (None, False)
    assert need_of(bench.engine.name, bench.settings, bench.store).target is None


async def test_the_height_is_looked_for_on_the_page_as_it_is_cleaned(bench: Bench, data: Path) -> None:
    """Faint letters in a shadow: the rule sees them in the copy that the engine is given, and not on the page."""
    for path in (data / f"page{number}" for number in range(PAGES)):
        (path.with_suffix(".json")).unlink()
    paper = np.linspace(200, 80, WIDTH).round().astype(np.uint8)
    ink = cv2.imread(str(data / "page0.png")) < 128
    _write(data, "faint", np.where(ink, (paper * 0.85).astype(np.uint8)[:, None], paper[:, None]), SAYS)
    bench.engine.answer = lambda request: SAYS
    reasons = []
    for preprocess in ("off", "auto"):
        bench.settings = bench.settings.model_copy(update={"preprocess": preprocess})
        asked = Ask(str(data), "plain", heights=(18,), keep=False)
        *_, last = [step async for step in calibrator(bench).run(asked)]
        reasons += [page["reason"] for page in last.result["pages"] if page["page"] == "faint"]
    assert reasons == ["unknown", "reduced"]


async def test_too_few_pages_tell_nothing_and_keep_nothing(bench: Bench, data: Path) -> None:
    for number in range(3):
        (data / f"page{number}.json").unlink()
    steps = [step async for step in calibrator(bench).run(Ask(str(data), "plain", heights=(18,)))]
    result = steps[-1].result
    assert (result["heights"][0]["verdict"], result["target"], result["kept"]) == ("few", None, False)
    assert need_of(bench.engine.name, bench.settings, bench.store).target is None


def scored(*mistakes: int) -> TriedPage:
    """A page of 100 characters, read without a mistake with all pixels, and with so many by the heights of RISING."""
    size, small = (1000, 1000), (500, 500)
    page = TriedPage("p", PageScore({"cer": (0, 100)}, "complete", seconds=2.0))
    for height, wrong in zip(RISING, mistakes, strict=True):
        page.choices[height] = PixelChoice(REDUCED, small, size, 40.0, height, RULE)
        page.reduced[height] = PageScore({"cer": (wrong, 100)}, "complete", seconds=0.5)
    return page


RISING = (8.0, 12.0, 16.0)


def test_a_height_is_no_target_where_a_greater_one_loses_more() -> None:
    told = summary([scored(0, 3, 0)] * 6, RISING, 0.01)
    assert [one["verdict"] for one in told["heights"]] == ["good", "worse", "good"]
    assert told["target"] == 16
    assert summary([scored(0, 0, 0)] * 6, RISING, 0.01)["target"] == 8


def test_the_worse_end_of_the_interval_decides() -> None:
    told = summary([scored(0, 0, 0)] * 11 + [scored(9, 0, 0)], RISING, 0.01)
    lowest = told["heights"][0]
    assert lowest["cer"] == pytest.approx(0.0075)
    assert lowest["low"] == 0 < 0.01 < lowest["high"]
    assert told["target"] == 12


def test_what_is_saved_is_a_share_of_all_pixels_and_of_the_time() -> None:
    told = summary([scored(0, 0, 0)] * 6, RISING, 0.01)["heights"][0]
    assert (told["pixels"], told["seconds_full"], told["seconds"]) == (0.25, 12.0, 3.0)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (Ask("x", heights=()), "bad_heights"),
        (Ask("x", heights=(12, 2)), "bad_heights"),
        (Ask("x", heights=(float("nan"),)), "bad_heights"),
        (Ask("x", may_lose=1.5), "bad_loss"),
    ],
)
def test_what_cannot_be_measured_is_refused(asked: Ask, code: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_heights(asked)
    assert refused.value.code == code


def test_the_command_prints_the_table_and_writes_the_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bench = Bench(tmp_path, reads(15))
    bench.store.close()
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(bench.settings.data_dir))
    monkeypatch.setenv("OCR_UI_TURN_PAGES", "0")
    monkeypatch.setenv("OCR_UI_PIXELS_FEWEST", "10000")
    engine: ScriptedEngine = bench.engine
    monkeypatch.setattr(Engines, "from_settings", staticmethod(lambda settings: Engines({"answering": engine})))
    out = tmp_path / "out.json"
    asked = ("calibrate", "pixels", "--data", str(data), "--template", "full_text_plain", "--height", "18")
    assert main((*asked, "--json", str(out))) == 0
    said = capfd.readouterr()
    assert "18 pixels lose no more than 0.005; kept" in said.out
    assert re.search(r"^ +18 +7 +0\.0000 +0\.0000 .* good$", said.out, re.M)
    assert re.search(r"^page3 +800x240 +2\d\.\d +0\.000", said.out, re.M)
    assert "8/8 page6" in said.err
    assert json.loads(out.read_text(encoding="utf-8"))["target"] == 18
    assert main(("calibrate", "pixels", "--data", str(data), "--height", "1")) == 2
    assert "no height of text" in capfd.readouterr().err
