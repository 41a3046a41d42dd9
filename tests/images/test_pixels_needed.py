"""How high the smallest text is, told from the ink, and the pixels that a page is given by it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from ocr_ui.domain.pixels import AS_MANY, FEW, REDUCED, UNCALIBRATED, UNKNOWN, Need, PixelChoice, SecondLook
from ocr_ui.images.need import pixels_needed
from ocr_ui.images.text_height import smallest_text
from ocr_ui.images.transform import full_size, prepare
from ocr_ui.settings import ROOT

FONT = cv2.FONT_HERSHEY_SIMPLEX
CAPITALS = 21.0
"""Pixels that a capital of this font is high at scale 1."""


def page(height: float, lines: int = 12, width: int = 1200) -> np.ndarray:
    """White, with lines of text whose capitals are so high; uint8 (h, w, 3)."""
    step = round(2.2 * height)
    sheet = np.full(((lines + 2) * step, width, 3), 255, np.uint8)
    for number in range(lines):
        text = "The Quick Brown Fox Jumps Over 1234 Lazy Dogs"[: int(1.05 * width / height)]
        thickness = max(1, int(height / 9))
        cv2.putText(sheet, text, (40, (number + 2) * step), FONT, height / CAPITALS, (20, 20, 20), thickness)
    return sheet


def told(pixels: np.ndarray) -> float:
    found = smallest_text(np.ascontiguousarray(pixels)).pixels
    assert found is not None
    return found


@pytest.mark.parametrize("height", [12, 20, 40])
def test_the_height_follows_the_letters(height: int) -> None:
    assert 0.7 * height <= told(page(height)) <= 1.15 * height


def test_light_text_on_dark_paper_and_pages_on_their_side_are_told_alike() -> None:
    sheet = page(20)
    upright = told(sheet)
    assert told(255 - sheet) == pytest.approx(upright, rel=0.1)
    assert told(np.rot90(sheet)) == pytest.approx(upright, rel=0.1)


def test_a_bar_of_light_text_counts_on_a_page_of_dark_text() -> None:
    bar = 255 - page(11, lines=2)
    assert told(np.concatenate([page(30), bar])) == pytest.approx(told(page(11)), rel=0.15)


def test_one_small_line_under_large_text_is_what_counts() -> None:
    assert told(np.concatenate([page(36), page(10, lines=1)])) <= 11


def test_columns_of_characters_one_below_the_other_are_text_too() -> None:
    sheet = np.full((1400, 900, 3), 250, np.uint8)
    for column in range(6):
        for row in range(30):
            place = 60 + column * 130, 60 + row * 44
            cv2.putText(sheet, "BEHKRAMN"[(row + column) % 8], place, FONT, 1.4, (0, 0, 0), 3)
    assert 20 <= told(sheet) <= 34


def test_grains_of_dirt_between_large_letters_are_no_small_text() -> None:
    sheet, random = page(40, lines=20), np.random.default_rng(5)
    for x, y in random.integers(0, (sheet.shape[1] - 6, sheet.shape[0] - 6), (150, 2)):
        sheet[y : y + 5, x : x + 3] = 60
    assert told(sheet) >= 28


@pytest.mark.parametrize("nothing", ["blank", "noise", "picture", "few letters"])
def test_where_no_text_can_be_told_nothing_is(nothing: str) -> None:
    random = np.random.default_rng(3)
    sheet = {
        "blank": np.full((1000, 800, 3), 240, np.uint8),
        "noise": random.integers(0, 255, (1000, 800, 3), np.uint8),
        "picture": cv2.GaussianBlur(random.integers(0, 255, (1000, 800, 3), np.uint8), (0, 0), 12) * 3,
        "few letters": page(60, lines=1, width=500),
    }[nothing]
    choice = pixels_needed(sheet, (sheet.shape[1], sheet.shape[0]), Need(12, 10_000))[1]
    assert (choice.reason, choice.size) in {(UNKNOWN, choice.full), (AS_MANY, choice.full)}


@pytest.mark.parametrize("name", ["phone_photo.jpg", "film_still.jpg", "bad_scan.jpg", "blank_page.jpg"])
def test_photos_and_bad_scans_of_the_examples_keep_their_pixels(name: str) -> None:
    pixels = np.ascontiguousarray(cv2.imread(str(ROOT / "examples" / name))[..., ::-1])
    assert pixels_needed(pixels, (pixels.shape[1], pixels.shape[0]), Need(12, 100_000))[1].reason in (UNKNOWN, AS_MANY)


# The rule


def test_the_copy_is_as_small_as_the_text_allows() -> None:
    sheet = page(40, lines=20)
    size = full_size(sheet, 10**8)
    most, choice = pixels_needed(sheet, size, Need(16, 1_000))
    copy, _, _ = prepare(sheet, most)
    assert choice.reason == REDUCED
    assert told(copy) == pytest.approx(16, rel=0.15)
    assert choice.text_height == pytest.approx(told(sheet), abs=0.1)
    assert choice.rule > 0


def test_heights_are_those_of_the_full_copy_and_not_of_a_picture_that_is_larger() -> None:
    sheet = page(40, lines=20)
    half = full_size(sheet, sheet.shape[0] * sheet.shape[1] // 4)
    _, choice = pixels_needed(sheet, half, Need(16, 1_000))
    assert choice.text_height == pytest.approx(told(sheet) / 2, rel=0.02)
    assert choice.full == half


@pytest.mark.parametrize(
    ("need", "reason"),
    [
        (Need(60, 1_000), AS_MANY),
        (Need(38, 1_000), AS_MANY),
        (Need(None, 1_000), UNCALIBRATED),
        (Need(10, 3_000_000), FEW),
    ],
)
def test_no_copy_is_larger_than_the_page_or_made_for_little(need: Need, reason: str) -> None:
    sheet = page(40, lines=20)
    size = full_size(sheet, 10**8)
    assert pixels_needed(sheet, size, need)[0] == size[0] * size[1]
    assert pixels_needed(sheet, size, need)[1].reason == reason


def test_no_copy_has_fewer_pixels_than_are_wanted() -> None:
    sheet = page(60, lines=20)
    most, choice = pixels_needed(sheet, full_size(sheet, 10**8), Need(8, 900_000))
    assert (most, choice.reason) == (900_000, REDUCED)


def test_a_choice_is_written_and_read_back() -> None:
    choice = PixelChoice(REDUCED, (10, 20), (20, 40), 21.5, 12, 101, 0.02, SecondLook(0.5, None, True))
    assert PixelChoice.from_dict(choice.to_dict()) == choice
    assert (choice.reduced, choice.share) == (True, 0.25)
