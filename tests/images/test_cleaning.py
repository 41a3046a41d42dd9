from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from slanting import askew, page

from ocr_ui.errors import BadInput
from ocr_ui.images.cleaning import AUTO, OFF, STEPS, clean, steps_of
from ocr_ui.images.condition import skew
from ocr_ui.images.transform import PictureTransform

ALL = ",".join(STEPS)
EXAMPLES = Path(__file__).parents[2] / "examples"
LEVEL = ("chart.png", "invoice.png", "table.webp", "formula_page.webp", "blank_page.jpg", "film_still.jpg")


def example(name: str) -> np.ndarray:
    return np.asarray(Image.open(EXAMPLES / name).convert("RGB"))


@pytest.mark.parametrize("degrees", [-14.0, -6.3, -1.0, -0.4, 0.0, 0.7, 2.0, 5.5, 11.1, 14.5])
def test_the_angle_of_the_lines_is_found(degrees: float) -> None:
    found = skew(askew(page(), degrees))
    assert found.degrees == pytest.approx(degrees, abs=0.1)
    assert found.sharpness > 5


@pytest.mark.parametrize("degrees", [-9.0, -1.6, 1.6, 4.0, 12.0])
def test_a_page_that_lies_askew_is_levelled(degrees: float) -> None:
    seen, transform, told = clean(askew(page(), degrees), AUTO)
    assert [step.kind for step in transform.steps] == ["deskew"]
    assert abs(skew(seen).degrees) <= 0.15
    assert seen.shape == (*transform.engine_size[::-1], 3)
    assert [one.code for one in told] == ["deskewed"]
    assert float(told[0].details["degrees"]) == pytest.approx(abs(degrees), abs=0.11)


@pytest.mark.parametrize("wanted", [AUTO, ALL])
@pytest.mark.parametrize("name", [*LEVEL, ""])
def test_a_clean_page_is_not_touched(name: str, wanted: str) -> None:
    pixels = example(name) if name else page()
    seen, transform, told = clean(pixels, wanted)
    assert seen is pixels
    assert (transform.steps, told) == ((), ())


@pytest.mark.parametrize("quarters", [1, 3])
def test_a_page_on_its_side_is_not_taken_for_one_that_lies_askew(quarters: int) -> None:
    pixels = np.rot90(page(), quarters).copy()
    assert clean(pixels, AUTO)[0] is pixels


def test_off_looks_at_nothing() -> None:
    pixels = askew(page(), 5)
    seen, transform, told = clean(pixels, OFF)
    assert seen is pixels
    assert (transform.steps, told) == ((), ())


def test_a_tiny_picture_is_left_as_it_is() -> None:
    for pixels in (np.zeros((1, 1, 3), np.uint8), np.full((2, 900, 3), 255, np.uint8), page()[:40, :3].copy()):
        assert clean(pixels, ALL)[0] is pixels


def test_what_was_done_can_be_done_again_from_the_record() -> None:
    pixels = askew(page(), 3)
    seen, transform, _ = clean(pixels, ALL)
    again = PictureTransform.from_dict(json.loads(json.dumps(transform.to_dict())))
    assert again == transform
    assert (again.apply(pixels) == seen).all()


def test_the_corners_get_the_colour_of_the_ground() -> None:
    grey = np.where(askew(page(), 6) > 128, 200, 20).astype(np.uint8)
    seen, _, _ = clean(grey, AUTO)
    assert tuple(seen[0, 0]) == (200, 200, 200)


def test_names_of_steps_stand_for_those_alone() -> None:
    assert steps_of(OFF) == ()
    assert set(steps_of(AUTO)) <= set(STEPS)
    assert steps_of(" , ".join(reversed(STEPS))) == tuple(STEPS)
    with pytest.raises(BadInput) as refused:
        steps_of("deskew,iron")
    assert refused.value.code == "unknown_preprocess"
