"""Decoding in this process: orientation, colours, depths and damage, on pictures drawn here."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image, ImageCms, ImageDraw, ImageOps

from ocr_ui.errors import BadInput, TooLarge
from ocr_ui.images import decode
from ocr_ui.images.ink import ink_share
from ocr_ui.images.limits import Limits
from ocr_ui.images.source import Picture

LIMITS = Limits()
RED, BLUE = (255, 0, 0), (0, 0, 255)


def read(data: bytes, page: int = 1, limits: Limits = LIMITS) -> Picture:
    return decode.read_only(decode.open_source(data, limits), page)


def codes(picture: Picture) -> list[str]:
    return [warning.code for warning in picture.warnings]


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def drawn(mode: str = "RGB", ink: Any = "black", ground: Any = "white") -> Image.Image:
    image = Image.new(mode, (200, 120), ground)
    ImageDraw.Draw(image).text((20, 30), "ABC 123", fill=ink, font_size=40)
    return image


def marked() -> Image.Image:
    """Upright, 120 x 80, red at the top left, blue at the bottom right, white else."""
    image = Image.new("RGB", (120, 80), "white")
    image.paste(RED, (0, 0, 24, 24))
    image.paste(BLUE, (96, 56, 120, 80))
    return image


def is_marked(picture: Picture) -> bool:
    near = [
        np.abs(picture.pixels[y, x].astype(int) - color).max() < 70 for x, y, color in ((8, 8, RED), (111, 71, BLUE))
    ]
    return picture.pixels.shape == (80, 120, 3) and all(near)


TURNED = {
    1: lambda i: i,
    2: ImageOps.mirror,
    3: lambda i: i.rotate(180),
    4: ImageOps.flip,
    5: lambda i: i.transpose(Image.Transpose.TRANSPOSE),
    6: lambda i: i.rotate(90, expand=True),
    7: lambda i: i.transpose(Image.Transpose.TRANSVERSE),
    8: lambda i: i.rotate(-90, expand=True),
}
"""For each EXIF orientation, how a camera held that way stores an upright scene."""


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
@pytest.mark.parametrize("orientation", TURNED)
def test_exif_orientation_in_every_format_that_carries_it(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert is_marked(read(saved(TURNED[orientation](marked()), kind, exif=exif)))


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_heic_is_turned_once_although_its_exif_repeats_the_turn(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    heif = pillow_heif.from_pillow(TURNED[orientation](marked()))
    out = io.BytesIO()
    heif.save(out, exif=exif.tobytes(), quality=90)
    assert is_marked(read(out.getvalue()))


@pytest.mark.parametrize("orientation", [0, 9, 255, 65535])
def test_an_orientation_that_does_not_exist_turns_nothing(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert is_marked(read(saved(marked(), "PNG", exif=exif)))


def test_damaged_exif_is_no_reason_to_refuse() -> None:
    assert is_marked(read(saved(marked(), "JPEG", quality=95, exif=b"Exif\0\0MM\0*\0\0\0\xff" + b"\xff" * 30)))


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
@pytest.mark.parametrize(
    ("white", "warned"), [(65535, []), (4095, ["narrow_range"]), (1023, ["narrow_range"]), (255, [])]
)
def test_grey_of_more_than_8_bits(kind: str, white: int, warned: list[str]) -> None:
    samples = (np.asarray(drawn("L")).astype(np.float64) * white / 255).round().astype(np.uint16)
    picture = read(saved(Image.fromarray(samples), kind))
    np.testing.assert_allclose(picture.pixels[:, :, 0], np.asarray(drawn("L")), atol=1)
    assert codes(picture) == warned


def test_16_bit_grey_is_divided_by_257() -> None:
    ramp = np.arange(256, dtype=np.uint16).reshape(16, 16) * 257
    assert (read(saved(Image.fromarray(ramp), "PNG")).pixels[:, :, 1].ravel() == np.arange(256)).all()


@pytest.mark.parametrize("kind", [".png", ".tiff"])
@pytest.mark.parametrize("white", [65535, 4095])
def test_colour_of_16_bits_keeps_its_precision(kind: str, white: int) -> None:
    rgb = np.random.default_rng(7).integers(0, 256, (16, 24, 3))
    rgb[0, 0] = 255
    data = cv2.imencode(kind, (rgb[:, :, ::-1] * (white / 255)).round().astype(np.uint16))[1].tobytes()
    np.testing.assert_allclose(read(data).pixels, rgb, atol=1)


def test_colour_of_16_bits_with_alpha_is_flattened() -> None:
    bgra = np.zeros((60, 100, 4), np.uint16)
    bgra[20:40, 20:80] = 65535  # a white bar on nothing
    picture = read(cv2.imencode(".png", bgra)[1].tobytes())
    assert picture.pixels[30, 50].tolist() == [255] * 3
    assert picture.pixels[5, 5].tolist() == [0] * 3


def test_a_grey_tiff_of_16_bits_that_says_0_is_white_is_inverted() -> None:
    negative = (65535 - np.asarray(drawn("L")).astype(np.uint16) * 257).astype(np.uint16)
    picture = read(saved(Image.fromarray(negative), "TIFF", tiffinfo={262: 0}))
    assert picture.pixels[0, 0].tolist() == [255] * 3


@pytest.mark.parametrize(
    ("low", "high", "warned"), [(0, 1, []), (0, 255, []), (-5, 5, ["stretched"]), (0, 9e9, ["stretched"])]
)
def test_float_tiff(low: float, high: float, warned: list[str]) -> None:
    samples = (low + np.asarray(drawn("L")).astype(np.float64) / 255 * (high - low)).astype(np.float32)
    picture = read(saved(Image.fromarray(samples), "TIFF"))
    np.testing.assert_allclose(picture.pixels[:, :, 2], np.asarray(drawn("L")), atol=1)
    assert codes(picture) == warned


def test_infinities_in_a_float_tiff_do_not_decide_its_range() -> None:
    samples = np.asarray(drawn("L")).astype(np.float32) / 255
    samples[0, 0], samples[0, 1] = np.inf, np.nan
    assert read(saved(Image.fromarray(samples), "TIFF")).pixels[60, 2].tolist() == [255] * 3


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "CMYK", "LAB", "I;16", "LA", "RGBA"])
def test_every_mode_becomes_dark_text_on_light(mode: str) -> None:
    image = drawn("L").convert("I").point(lambda v: v * 257).convert("I;16") if mode == "I;16" else None
    if mode == "LAB":
        lab = ImageCms.createProfile("LAB")
        image = ImageCms.profileToProfile(drawn(), ImageCms.createProfile("sRGB"), lab, outputMode="LAB")
    picture = read(saved(image or drawn().convert(mode), "TIFF"))
    assert picture.mode == mode
    assert picture.pixels[2, 2].min() > 240
    assert 0.02 < ink_share(picture.pixels) < 0.3


def test_a_grey_profile_and_a_wide_colour_profile_are_taken_into_account() -> None:
    """The primaries of the profile are swapped, so that its red is the blue of sRGB."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes().replace(b"sRGB", b"none"))
    red, blue = profile.index(b"rXYZ"), profile.index(b"bXYZ")
    profile[red : red + 4], profile[blue : blue + 4] = b"bXYZ", b"rXYZ"
    wide = "sRGB".encode("utf-16-be")
    swapped = bytes(profile).replace(wide, "none".encode("utf-16-be"))
    picture = read(saved(Image.new("RGB", (20, 20), RED), "PNG", icc_profile=swapped))
    assert picture.pixels[5, 5].tolist() == pytest.approx([0, 0, 255], abs=3)


def test_a_broken_colour_profile_is_said_and_does_not_refuse_the_picture() -> None:
    picture = read(saved(drawn(), "PNG", icc_profile=b"not a profile" * 20))
    assert codes(picture) == ["profile_ignored"]
    assert picture.pixels[2, 2].tolist() == [255] * 3


@pytest.mark.parametrize("ink", [(255, 255, 255, 255), (0, 0, 0, 255), (128, 128, 128, 255), (255, 255, 0, 255)])
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_text_on_nothing_is_readable_whatever_its_colour(ink: tuple[int, ...], kind: str) -> None:
    picture = read(saved(drawn("RGBA", ink, (0, 0, 0, 0)), kind))
    assert 0.02 < ink_share(picture.pixels) < 0.3
    assert codes(picture) == ["flattened"]


def test_faint_white_text_gets_a_dark_ground() -> None:
    picture = read(saved(drawn("RGBA", (255, 255, 255, 110), (0, 0, 0, 0)), "PNG"))
    assert picture.pixels[2, 2].tolist() == [0] * 3
    assert int(picture.pixels.max()) == 110


def test_black_and_white_text_together_get_a_ground_between() -> None:
    image = drawn("RGBA", (255, 255, 255, 255), (0, 0, 0, 0))
    ImageDraw.Draw(image).text((20, 75), "ABC 123", fill=(0, 0, 0, 255), font_size=40)
    assert read(saved(image, "PNG")).pixels[2, 2].tolist() == [128] * 3


def test_a_white_sheet_with_round_corners_does_not_hide_the_black_text_beside_it() -> None:
    image = Image.new("RGBA", (400, 240), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((20, 20, 380, 120), 20, fill=(255, 255, 255, 255))
    draw.text((20, 130), "Many words beside it", fill=(0, 0, 0, 255), font_size=38)
    assert read(saved(image, "PNG")).pixels[230, 2].min() >= 128


def test_a_palette_with_a_transparent_colour() -> None:
    picture = read(saved(drawn("P", 1, 0), "GIF", transparency=0))
    assert codes(picture) == ["flattened"]
    assert 0.02 < ink_share(picture.pixels) < 0.3


def test_a_picture_that_is_opaque_all_over_is_not_said_to_be_transparent() -> None:
    assert codes(read(saved(drawn("RGBA", (0, 0, 0, 255), (255, 255, 255, 255)), "PNG"))) == []


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "BMP", "TIFF"])
def test_half_a_file_is_read_with_a_warning_and_its_rest_is_ground(kind: str) -> None:
    image = Image.effect_noise((300, 200), 60).convert("RGB")
    first, last = (slice(-40, None), slice(0, 20)) if kind == "BMP" else (slice(0, 40), slice(-20, None))
    image.paste((230, 230, 200), (0, first.start % 200, 300, first.start % 200 + 40))
    data = saved(image, kind)
    picture = read(data[: len(data) * 6 // 10])
    assert codes(picture) == ["truncated"]
    assert picture.pixels.shape == (200, 300, 3)
    assert len(np.unique(picture.pixels[last].reshape(-1, 3), axis=0)) == 1
    assert np.abs(picture.pixels[first].astype(int) - (230, 230, 200)).mean() < 8
    assert "%" in picture.warnings[0].message


def test_half_of_a_compressed_tiff_keeps_the_strips_that_are_there() -> None:
    """The directory of libtiff stands at the end, so a strip in the middle is what gets damaged."""
    image = Image.effect_noise((300, 200), 60)
    data = bytearray(saved(image, "TIFF", compression="tiff_adobe_deflate", tiffinfo={278: 20}))
    opened = Image.open(io.BytesIO(bytes(data)))
    at, size = opened.tag_v2[273][6], opened.tag_v2[279][6]
    data[at : at + size] = b"\xff" * size
    picture = read(bytes(data))
    assert codes(picture) == ["truncated"]
    np.testing.assert_array_equal(picture.pixels[:100, :, 0], np.asarray(image)[:100])


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "BMP", "TIFF", "WEBP", "AVIF"])
def test_a_file_cut_in_its_header_is_refused_as_damaged(kind: str) -> None:
    data = saved(drawn(), kind)
    with pytest.raises(BadInput) as caught:
        read(data[:36])
    assert caught.value.code == "damaged"


def test_a_png_with_nothing_but_its_header_has_nothing_to_read() -> None:
    with pytest.raises(BadInput) as caught:
        read(saved(drawn(), "PNG")[:60])
    assert caught.value.code == "damaged"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "BMP", "TIFF", "WEBP", "AVIF"])
def test_the_limit_of_pixels_holds_for_every_format(kind: str) -> None:
    data = saved(drawn(), kind)
    assert read(data, limits=Limits(max_pixels=24_000)).pixels.shape == (120, 200, 3)
    with pytest.raises(TooLarge) as caught:
        read(data, limits=Limits(max_pixels=23_999))
    assert caught.value.details == {"width": 200, "height": 120, "limit": 23_999}


@pytest.mark.parametrize("lossless", [False, True])
def test_the_size_of_a_webp_is_known_before_it_is_opened(lossless: bool) -> None:
    data = saved(drawn(), "WEBP", lossless=lossless)
    with pytest.raises(TooLarge) as caught:
        read(data, limits=Limits(max_pixels=100))
    assert (caught.value.details["width"], caught.value.details["height"]) == (200, 120)


def test_a_side_that_no_browser_can_show_is_refused() -> None:
    with pytest.raises(TooLarge) as caught:
        read(saved(Image.new("1", (70_000, 1)), "PNG"))
    assert caught.value.code == "too_long"


@pytest.mark.parametrize("disposal", [1, 2, 3])
def test_a_gif_with_a_huge_frame_between_small_ones(disposal: int) -> None:
    """The first picture can be read; those from the huge one on are refused before room is made for it."""
    frames = [Image.new("RGB", (20, 20), color) for color in (RED, BLUE, RED)]
    data = bytearray(saved(frames[0], "GIF", save_all=True, append_images=frames[1:], disposal=disposal))
    descriptor = data.index(b"\x2c\0\0\0\0", data.index(b"\x2c\0\0\0\0") + 1)
    data[descriptor + 5 : descriptor + 9] = struct.pack("<HH", 60_000, 60_000)
    assert read(bytes(data)).pixels.shape == (20, 20, 3)
    for page in (2, 3):
        with pytest.raises(TooLarge):
            read(bytes(data), page=page)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_each_picture_of_an_animation_or_document_is_a_page(kind: str) -> None:
    shades = [Image.new("RGB", (40, 30), (level, level, level)) for level in (10, 120, 240)]
    source = decode.open_source(saved(shades[0], kind, save_all=True, append_images=shades[1:]), LIMITS)
    assert (source.pages, source.animated) == (3, kind != "TIFF")
    assert [int(source.read(page).pixels[5, 5, 0]) for page in (1, 2, 3)] == pytest.approx([10, 120, 240], abs=3)
    assert int(source.read(1).pixels[5, 5, 0]) == pytest.approx(10, abs=3)


def test_a_damaged_second_page_does_not_harm_the_first() -> None:
    pages = [Image.effect_noise((50, 40), 50) for _ in range(2)]
    data = bytearray(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:], compression="tiff_adobe_deflate"))
    opened = Image.open(io.BytesIO(bytes(data)))
    opened.seek(1)
    at = opened.tag_v2[273][0]
    data[at : at + 40] = b"\xff" * 40
    source = decode.open_source(bytes(data), LIMITS)
    with pytest.raises(BadInput):
        decode.read_page(source, 2)
    assert decode.read_page(source, 1).warnings == ()


def test_a_tiff_whose_directories_form_a_circle_ends() -> None:
    data = bytearray(saved(drawn("L"), "TIFF"))
    start = struct.unpack("<I", data[4:8])[0]
    count = struct.unpack("<H", data[start : start + 2])[0]
    data[start + 2 + 12 * count : start + 6 + 12 * count] = struct.pack("<I", start)
    assert read(bytes(data)).pixels.shape == (120, 200, 3)


def test_wrong_bytes_inside_a_png_leave_what_stands_before_them() -> None:
    image = Image.effect_noise((300, 200), 60)
    data = bytearray(saved(image, "PNG"))
    middle = len(data) // 2
    data[middle : middle + 40] = bytes(40)
    picture = read(bytes(data))
    assert codes(picture) == ["truncated"]
    np.testing.assert_array_equal(picture.pixels[:60, :, 0], np.asarray(image)[:60])


def test_a_compressed_profile_of_a_gigabyte_is_skipped() -> None:
    packed = zlib.compress(bytes(50_000_000), 9)
    body = b"iCCPx\0\0" + packed
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    data = saved(drawn(), "PNG")
    picture = read(data[:33] + chunk + data[33:])
    assert codes(picture) == ["metadata_skipped"]
    assert 0.02 < ink_share(picture.pixels) < 0.3


def test_a_palette_picture_without_its_palette_is_refused_as_damaged() -> None:
    """Found by fuzzing: it opens and loads, and fails only when its colours are asked for."""
    data = saved(drawn().quantize(4), "PNG")
    start = data.index(b"PLTE") - 4
    (length,) = struct.unpack(">I", data[start : start + 4])
    with pytest.raises(BadInput) as refused:
        read(data[:start] + data[start + 12 + length :])
    assert refused.value.code == "damaged"
