"""Cleaning on the way to an engine: what it is given, what is kept and told, and where its answers come to lie."""

from __future__ import annotations

import numpy as np
import pytest
from fakes import ScriptedEngine
from slanting import askew, page

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import Generation, Recognition
from ocr_ui.engines.base import Capabilities, Finished, LinesDelta, Started, TextDelta
from ocr_ui.errors import BadInput
from ocr_ui.images.transform import PictureTransform
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.retries import cleaning_of
from ocr_ui.services.second_look import read_to_the_end
from ocr_ui.settings import Settings

SPOTTING = PromptTemplate("full_text", {"en": "Full text"}, Task.SPOTTING, "Read all.", sampling={"temperature": 0})
LAYOUT = PromptTemplate("layout", {"en": "Layout"}, Task.LAYOUT, "Blocks.", sampling={"temperature": 0})
LINES = Capabilities(tasks=frozenset({Task.SPOTTING}), gives_boxes=True)
ASKEW = askew(page(12), 4)
BOX = ((100.0, 200.0), (700.0, 241.96), (698.6, 261.91), (98.6, 219.95))
"""A line on that page, in its pixels; it falls by 4 degrees as the page does."""


async def read(
    engine: ScriptedEngine, pixels: np.ndarray, preprocess: str | None = None, setting: str = "off", **more: object
) -> Recognition:
    request = ReadRequest(more.pop("template", SPOTTING), preprocess=preprocess)  # type: ignore[arg-type]
    last = await read_to_the_end(pixels, "a" * 64, engine, request, Settings(preprocess=setting, **more))  # type: ignore[arg-type]
    assert last.recognition is not None
    return last.recognition


def model(answer: str = "<ref>a</ref><quad>(100,100),(500,150)</quad>") -> ScriptedEngine:
    return ScriptedEngine([Started(), TextDelta(answer, tokens=9), Finished(Generation())])


def in_engine(found: Recognition) -> tuple[PictureTransform, tuple[int, int]]:
    transform = PictureTransform.from_dict(found.transform)
    return transform, transform.engine_size


def codes(found: Recognition) -> list[str]:
    return [warning.code for warning in found.content.warnings]


@pytest.mark.parametrize(("preprocess", "setting"), [(None, "off"), ("off", "auto")])
async def test_without_it_the_engine_has_the_very_picture(preprocess: str | None, setting: str) -> None:
    engine = model()
    found = await read(engine, ASKEW, preprocess, setting)
    assert engine.seen[0].pixels is ASKEW
    assert (found.transform["steps"], codes(found), cleaning_of(found)) == ([], [], "off")


@pytest.mark.parametrize(("preprocess", "setting"), [("deskew", "off"), ("deskew,despeckle", "auto")])
async def test_with_it_the_engine_has_a_level_copy_and_the_result_says_so(preprocess: str | None, setting: str) -> None:
    engine = model()
    found = await read(engine, ASKEW, preprocess, setting)
    assert engine.seen[0].pixels.shape == (*in_engine(found)[1][::-1], 3)
    assert codes(found) == ["deskewed"]
    assert cleaning_of(found) == "deskew"


@pytest.mark.parametrize(("preprocess", "setting"), [(None, "auto"), ("auto", "off")])
async def test_the_setting_does_what_a_reading_can_ask_for(preprocess: str | None, setting: str) -> None:
    engine, pixels = model(), page(12).copy()
    pixels[np.random.default_rng(2).random(pixels.shape[:2]) < 0.02] = 0
    found = await read(engine, pixels, preprocess, setting)
    assert engine.seen[0].pixels.shape == pixels.shape
    assert codes(found) == ["despeckled"]
    assert cleaning_of(found) == "despeckle"
    assert found.content.lines[0].quad.points[0] == (pixels.shape[1] / 10, pixels.shape[0] / 10)


async def test_a_level_page_is_handed_on_as_it_is() -> None:
    engine, pixels = model(), page(12)
    found = await read(engine, pixels, "deskew")
    assert engine.seen[0].pixels is pixels
    assert (found.transform["steps"], codes(found)) == ([], [])


@pytest.mark.parametrize("engine_pixels", [4_000_000, 200_000])
async def test_boxes_of_an_engine_come_back_to_the_stored_picture(engine_pixels: int) -> None:
    stored = Quad.from_points(BOX)
    transform, _ = in_engine(await read(model(), ASKEW, "deskew", engine_pixels=engine_pixels))
    given = TextLine("a", transform.to_engine(stored), 0.9)
    assert given.quad.bounds.height < 30 * transform.engine_size[1] / ASKEW.shape[0], "it lies level there"
    found = await read(
        ScriptedEngine([Started(), LinesDelta((given,)), Finished(Generation())], LINES),
        ASKEW,
        "deskew",
        engine_pixels=engine_pixels,
    )
    assert (codes(found) == ["deskewed", "scaled_down"]) is (engine_pixels < 4_000_000)
    np.testing.assert_allclose(found.content.lines[0].quad.points, BOX, atol=0.01)


@pytest.mark.parametrize("engine_pixels", [4_000_000, 200_000])
async def test_what_a_model_says_of_its_copy_comes_back_too(engine_pixels: int) -> None:
    found = await read(model(), ASKEW, "deskew", engine_pixels=engine_pixels)
    transform, (width, height) = in_engine(found)
    said = Quad.from_normalized([(100, 100), (500, 150)], width, height)
    np.testing.assert_allclose(found.content.lines[0].quad.points, transform.to_stored(said).points, atol=0.01)
    (left, top), (right, lower), *_ = found.content.lines[0].quad.points
    assert (lower - top) / (right - left) == pytest.approx(np.tan(np.deg2rad(4)), abs=0.005)


async def test_blocks_of_a_layout_come_back_as_lines_do() -> None:
    answer = '[{"bbox": [100, 100, 500, 150], "category": "Title", "text": "a"}]'
    level = await read(model(answer), page(12), "deskew", template=LAYOUT)
    found = await read(model(answer), ASKEW, "deskew", template=LAYOUT)
    transform, (width, height) = in_engine(found)
    said = Quad.from_normalized([(100, 100), (500, 150)], width, height)
    assert level.content.regions[0].quad.bounds.top == pytest.approx(page(12).shape[0] / 10)
    np.testing.assert_allclose(found.content.regions[0].quad.points, transform.to_stored(said).points, atol=0.01)


async def test_a_strip_with_a_margin_has_a_models_boxes_where_they_are() -> None:
    strip = np.full((4, 1200, 3), 255, np.uint8)
    found = await read(model("<ref>a</ref><quad>(0,0),(1000,1000)</quad>"), strip)
    assert in_engine(found)[1] == (1200, 6)
    assert found.content.lines[0].quad.points == ((0, 0), (1200, 0), (1200, 4), (0, 4))


def test_a_request_for_what_there_is_not_is_refused_at_once() -> None:
    with pytest.raises(BadInput) as refused:
        ReadRequest(SPOTTING, preprocess="iron")
    assert refused.value.code == "unknown_preprocess"
