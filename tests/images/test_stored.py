from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest
from PIL import Image

from ocr_ui.images.ink import ground_color, ink_share, is_blank
from ocr_ui.images.stored import decode_png, encode_png, rotate_quarters, thumbnail

NOISE = np.random.default_rng(3).integers(0, 256, (50, 70, 3), dtype=np.uint8)


def test_a_stored_picture_comes_back_as_it_was() -> None:
    assert (decode_png(encode_png(NOISE)) == NOISE).all()
    assert (np.asarray(Image.open(io.BytesIO(encode_png(NOISE)))) == NOISE).all()


def test_the_same_pixels_give_the_same_bytes() -> None:
    turned = np.asfortranarray(NOISE)
    assert hashlib.sha256(encode_png(NOISE)).digest() == hashlib.sha256(encode_png(turned.copy())).digest()


def test_a_damaged_stored_file_is_an_error() -> None:
    for data in (b"", b"no picture", encode_png(NOISE)[:40]):
        with pytest.raises(ValueError, match="damaged"):
            decode_png(data)


@pytest.mark.parametrize(("shape", "size"), [((60, 9000), (256, 2)), ((1, 5000), (256, 1)), ((30, 40), (40, 30))])
def test_thumbnail(shape: tuple[int, int], size: tuple[int, int]) -> None:
    small = Image.open(io.BytesIO(thumbnail(np.full((*shape, 3), 200, np.uint8))))
    assert (small.size, small.format) == (size, "JPEG")
    assert abs(small.getpixel((0, 0))[0] - 200) < 5


def test_quarter_turns_go_clockwise() -> None:
    pixels = np.zeros((10, 20, 3), np.uint8)
    pixels[0, 0] = 255  # top left goes to top right
    turned = rotate_quarters(pixels, 1)
    assert turned.shape == (20, 10, 3)
    assert turned[0, 9].tolist() == [255] * 3
    assert turned.flags["C_CONTIGUOUS"]
    assert (rotate_quarters(turned, -1) == pixels).all()
    assert (rotate_quarters(pixels, 4) == pixels).all()


def test_ground_is_the_most_frequent_colour_not_the_mean() -> None:
    pixels = np.full((100, 100, 3), (20, 30, 40), np.uint8)
    pixels[:45] = (250, 250, 250)
    assert ground_color(pixels) == (20, 30, 40)
    assert ink_share(pixels) == pytest.approx(0.45)


@pytest.mark.parametrize(("contrast", "share"), [(100, 0), (101, 0.1)])
def test_ink_differs_from_the_ground_by_more_than_100(contrast: int, share: float) -> None:
    pixels = np.full((100, 100, 3), 200, np.uint8)
    pixels[:10, :, 1] = 200 - contrast
    assert ink_share(pixels) == pytest.approx(share)


def test_a_large_picture_is_counted_whole() -> None:
    pixels = np.full((3000, 3000, 3), 255, np.uint8)
    pixels[2900:2910, 100:110] = 0
    assert ink_share(pixels) == pytest.approx(100 / 9_000_000)
    assert not is_blank(pixels)


def test_faint_text_is_not_blank_and_noise_is() -> None:
    paper = (NOISE // 12 + 220).astype(np.uint8)
    assert is_blank(paper)
    paper[10:14, 10:20] -= 90
    assert not is_blank(paper)
