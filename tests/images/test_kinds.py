from __future__ import annotations

import pytest

from ocr_ui.errors import BadInput
from ocr_ui.images.kinds import kind_of, video_kind


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"PK\x03\x04" + bytes(30), "ZIP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- drawn --><svg>", "SVG"),
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"  <script>alert(1)</script>", "HTML"),
        (b"8BPS\0\1", "Photoshop"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000"),
        (b"%!PS-Adobe-3.0", "PostScript"),
    ],
)
def test_what_is_known_and_not_taken_is_refused_by_name(data: bytes, name: str) -> None:
    with pytest.raises(BadInput) as caught:
        kind_of(data)
    assert caught.value.code == "unsupported_format"
    assert name in caught.value.message


@pytest.mark.parametrize(
    "data", [b"hello", b"BM is how this text begins and nothing more", b"\0" * 100, b"RIFF\0\0\0\0WAVE"]
)
def test_what_is_not_known_is_no_picture(data: bytes) -> None:
    with pytest.raises(BadInput) as caught:
        kind_of(data)
    assert caught.value.code == "not_a_picture"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\0\0\0\x18ftypmp42\0\0\0\0isommp42", "mp4"),
        (b"\x1aE\xdf\xa3" + bytes(20), "matroska"),
        (b"RIFF\0\0\0\0AVI LIST", "avi"),
        (b"G" + bytes(187) + b"G" + bytes(187) + b"G", "mpegts"),
        (b"Great" + bytes(600), None),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1heicmiaf", None),
    ],
)
def test_videos_are_told_by_their_first_bytes(data: bytes, kind: str | None) -> None:
    assert video_kind(data) == kind
    if kind:
        with pytest.raises(BadInput, match="video"):
            kind_of(data)


def test_an_empty_file_is_said_to_be_empty() -> None:
    with pytest.raises(BadInput) as caught:
        kind_of(b"")
    assert caught.value.code == "empty_file"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1heicmiaf", "HEIC"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf", "AVIF"),
        (b"\r\n junk before %PDF-1.4\n", "PDF"),
    ],
)
def test_kinds_that_do_not_stand_in_the_first_bytes(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind
