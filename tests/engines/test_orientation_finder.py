"""Turned pages: what the finder decides from what it is told, then the real models on drawn pages."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from ocr_ui.engines.orientation import OrientationFinder
from ocr_ui.engines.rapid_models import RapidModels, Reading, StopSign


def page(*texts: str, size: int = 26) -> np.ndarray:
    image = Image.new("RGB", (700, 500), "white")
    font = ImageFont.load_default(size)
    for row, text in enumerate(texts):
        ImageDraw.Draw(image).text((40, 40 + 60 * row), text, "black", font)
    return np.asarray(image)


TEXT = page(
    "The keeper of the lighthouse asks for",
    "forty litres of oil and two panes of",
    "thick glass as soon as the sea allows.",
    "Kindly send them with the next tender,",
    "together with the empty drums.",
)


class ToldReader:
    """Finds one wide line, and reads as it is told: a score for the line as it lies, and others for it turned."""

    def __init__(self, text: str, *scores: float) -> None:
        self.text, self.scores = text, list(scores)
        self.looked = 0

    def find(self, picture: np.ndarray, stop: StopSign) -> np.ndarray:
        self.looked += 1
        height, width = picture.shape[:2]
        return np.float32([[(0, 0), (width, 0), (width, height / 8), (0, height / 8)]])

    def read(self, crops: list[np.ndarray]) -> list[Reading]:
        return [Reading(self.text, self.scores.pop(0))]


class Told(OrientationFinder):
    """A finder whose classifier says what it is told."""

    def __init__(self, turns: int, certainty: float) -> None:
        self.said = turns, certainty

    def classify(self, picture: np.ndarray) -> tuple[int, float]:
        return self.said


def test_a_page_that_is_surely_upright_is_not_even_read() -> None:
    reader = ToldReader("words")
    assert Told(0, 0.92).quarter_turns(TEXT, reader) == 0
    assert reader.looked == 0


def test_turned_where_the_lines_read_clearly_better() -> None:
    assert Told(2, 0.92).quarter_turns(TEXT, ToldReader("words", 0.7, 0.98)) == 2


def test_not_turned_where_they_do_not() -> None:
    assert Told(2, 0.92).quarter_turns(TEXT, ToldReader("words", 0.7, 0.75)) == 0


def test_not_turned_where_nothing_is_legible() -> None:
    assert Told(2, 0.92).quarter_turns(TEXT, ToldReader("words", 0.2, 0.5)) == 0


def test_not_turned_where_the_page_reads_well_as_it_lies() -> None:
    assert Told(2, 0.92).quarter_turns(TEXT, ToldReader("words", 0.95)) == 0


def test_a_tall_line_of_letters_lies_on_its_side() -> None:
    """Turned by a quarter the line would stand upright: only Chinese and Japanese are written like that."""
    assert Told(1, 0.92).quarter_turns(TEXT, ToldReader("words", 0.5, 0.99)) == 0


def test_an_unsure_classifier_needs_a_clearer_gain() -> None:
    assert Told(2, 0.5).quarter_turns(TEXT, ToldReader("words", 0.75, 0.5, 0.9, 0.5)) == 0
    assert Told(2, 0.5).quarter_turns(TEXT, ToldReader("words", 0.6, 0.5, 0.9, 0.5)) == 2


def test_a_picture_without_text_stays() -> None:
    class Finds(ToldReader):
        def find(self, picture: np.ndarray, stop: StopSign) -> np.ndarray:
            return np.zeros((0, 4, 2), np.float32)

    assert Told(3, 0.92).quarter_turns(TEXT, Finds("words")) == 0


@pytest.fixture(scope="module")
def reader() -> RapidModels:
    return RapidModels.load()


@pytest.fixture(scope="module")
def finder() -> OrientationFinder:
    return OrientationFinder()


@pytest.mark.parametrize("lies", [0, 1, 2, 3])
def test_a_page_is_put_upright(finder: OrientationFinder, reader: RapidModels, lies: int) -> None:
    turned = np.ascontiguousarray(np.rot90(TEXT, lies))
    turns = finder.quarter_turns(turned, reader)
    assert np.array_equal(np.rot90(turned, turns), TEXT)


@pytest.mark.parametrize(
    "pixels",
    [
        np.full((400, 300, 3), 255, np.uint8),
        np.zeros((1, 1, 3), np.uint8),
        np.full((5, 900, 3), 128, np.uint8),
        np.random.default_rng(0).integers(0, 255, (300, 200, 3), np.uint8),
    ],
    ids=["blank", "one pixel", "strip", "noise"],
)
def test_pictures_without_text_stay(finder: OrientationFinder, reader: RapidModels, pixels: np.ndarray) -> None:
    assert finder.quarter_turns(pixels, reader) == 0


def test_a_single_line_stays(finder: OrientationFinder, reader: RapidModels) -> None:
    assert finder.quarter_turns(np.ascontiguousarray(page("Total 12.50")[30:90]), reader) == 0
