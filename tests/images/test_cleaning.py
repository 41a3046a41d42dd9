from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from slanting import askew, page

from ocr_ui.errors import BadInput
from ocr_ui.images.cleaning import AUTO, MOST_SPECKS, OFF, STEPS, clean, steps_of
from ocr_ui.images.condition import light, noise, skew, specks
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
    seen, transform, told = clean(askew(page(), degrees), "deskew")
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


def test_a_strip_that_would_lie_across_a_huge_sheet_is_left_as_it_is() -> None:
    """65,500 x 1,500 pixels, which may come in, would become a picture of 3 GB."""
    strip = np.full((12_000, 120, 3), 255, np.uint8)
    for top in range(-50, len(strip), 30):
        cv2.line(strip, (0, top), (120, top + 17), (0, 0, 0), 6)
    assert skew(strip).degrees == pytest.approx(8, abs=0.5)
    assert clean(strip, "deskew")[0] is strip


def test_what_lies_askew_by_next_to_nothing_is_left_so() -> None:
    pixels = askew(page(), 0.7)
    assert clean(pixels, "deskew")[0] is pixels


def test_what_has_no_lines_is_not_taken_for_text_that_lies_askew() -> None:
    rng, pixels = np.random.default_rng(5), np.full((900, 700, 3), 255, np.uint8)
    for left, top in rng.integers(0, 660, (300, 2)):
        pixels[top : top + 12, left : left + 30] = 40
    assert abs(skew(pixels).degrees) > 1
    assert clean(pixels, "deskew")[0] is pixels


@pytest.mark.parametrize("quarters", [1, 3])
def test_a_few_large_letters_on_their_side_are_not_either(quarters: int) -> None:
    image = Image.new("RGB", (600, 300), (255, 255, 255))
    ImageDraw.Draw(image).text((20, 20), "Hello World", (0, 0, 0), font=ImageFont.load_default(150))
    pixels = np.rot90(np.asarray(image), quarters).copy()
    assert clean(pixels, "deskew")[0] is pixels


@pytest.mark.parametrize("quarters", [1, 3])
def test_a_page_on_its_side_is_not_taken_for_one_that_lies_askew(quarters: int) -> None:
    pixels = np.rot90(page(), quarters).copy()
    assert clean(pixels, "deskew")[0] is pixels


def grainy(pixels: np.ndarray, sigma: float) -> np.ndarray:
    grain = np.random.default_rng(1).normal(0, sigma, pixels.shape[:2])
    return np.clip(pixels + grain[..., None], 0, 255).astype(np.uint8)


def speckled(pixels: np.ndarray) -> np.ndarray:
    dice = np.random.default_rng(2).random(pixels.shape[:2])
    return np.where(dice[..., None] < 0.02, 0, pixels).astype(np.uint8)


def shaded(pixels: np.ndarray) -> np.ndarray:
    return (pixels * np.linspace(1, 0.3, pixels.shape[1])[:, None]).astype(np.uint8)


def faint(pixels: np.ndarray, share: float = 0.15) -> np.ndarray:
    return (255 - (255 - pixels.astype(float)) * share).astype(np.uint8)


DEFECTS = {
    "despeckle": (speckled, "despeckled"),
    "denoise": (lambda pixels: grainy(np.where(pixels > 128, 190, 60), 25), "denoised"),
    "even_light": (lambda pixels: shaded(faint(pixels, 0.3)), "light_evened"),
    "deskew": (lambda pixels: askew(pixels, 3), "deskewed"),
    "binarise": (faint, "binarised"),
}


def test_every_step_has_its_defect_here() -> None:
    assert list(DEFECTS) == list(STEPS)


@pytest.mark.parametrize("step", STEPS)
def test_a_defect_asks_for_its_step_and_is_gone_after_it(step: str) -> None:
    spoil, code = DEFECTS[step]
    seen, transform, told = clean(spoil(page()), ALL)
    assert step in [one.kind for one in transform.steps]
    assert code in [one.code for one in told]
    again, more, _ = clean(seen, step)
    assert again is seen
    assert more.steps == ()


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_is_not_named_is_not_done(step: str) -> None:
    others = [one for one in STEPS if one != step]
    _, transform, _ = clean(DEFECTS[step][0](page()), ",".join(others))
    assert step not in [one.kind for one in transform.steps]


def test_grain_is_not_taken_for_specks() -> None:
    pixels = grainy(page(), 50)
    assert specks(pixels) > 2 * MOST_SPECKS
    assert clean(pixels, "despeckle")[0] is pixels


@pytest.mark.parametrize("sigma", [12.0, 25.0])
def test_noise_is_measured_in_grey_levels(sigma: float) -> None:
    grey = np.where(page() > 128, 160, 60).astype(np.uint8)
    assert noise(grey) < 0.5
    assert noise(grainy(grey, sigma)) == pytest.approx(sigma, rel=0.1)


def test_light_is_measured_by_the_paper_and_not_by_what_is_printed_on_it() -> None:
    full = np.full((900, 900, 3), 255, np.uint8)
    full[(np.arange(900) % 14 < 5)] = 0
    assert light(full).evenness > 0.97
    even, dim = light(page()), light(shaded(page()))
    assert dim.evenness == pytest.approx(0.44, abs=0.06)  # a fifth of the way from the darkest to the lightest edge
    assert light(faint(page())).contrast < 0.4 * even.contrast


def test_black_and_white_is_just_that() -> None:
    seen, _, _ = clean(faint(page()), "binarise")
    assert set(np.unique(seen)) == {0, 255}


def test_auto_is_those_steps_that_help() -> None:
    assert steps_of(AUTO) == ("despeckle", "even_light")
    for step in steps_of(AUTO):
        assert [one.kind for one in clean(DEFECTS[step][0](page()), AUTO)[1].steps] == [step]


def test_clear_text_in_a_shadow_is_left_there() -> None:
    pixels = shaded(page())
    assert clean(pixels, "even_light")[0] is pixels


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
    seen, _, _ = clean(grey, "deskew")
    assert tuple(seen[0, 0]) == (200, 200, 200)


def test_names_of_steps_stand_for_those_alone() -> None:
    assert steps_of(OFF) == ()
    assert set(steps_of(AUTO)) <= set(STEPS)
    assert steps_of(" , ".join(reversed(STEPS))) == tuple(STEPS)
    with pytest.raises(BadInput) as refused:
        steps_of("deskew,iron")
    assert refused.value.code == "unknown_preprocess"
