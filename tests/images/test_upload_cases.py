"""Uploads that broke other tools, one file of each kind. `expect` is the right result, see the fields below."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ocr_ui.errors import BadInput
from ocr_ui.images.door import Limits, UprightPicture, ink_share, open_pages, open_picture

CASES = Path(__file__).resolve().parent.parent / "cases" / "upload"
LIMITS = Limits()


def cases() -> list[Any]:
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.json"))]
    return [pytest.param(case, id=f"{case['id']} {case['title']}") for case in found]


def data_of(case: dict[str, Any]) -> bytes:
    return (CASES / case["input"]["file"]).read_bytes()


def opened(case: dict[str, Any]) -> UprightPicture | BadInput:
    try:
        return open_picture(data_of(case), LIMITS)
    except BadInput as error:
        return error


def check_accepted(picture: UprightPicture, expect: dict[str, Any]) -> None:
    if "size" in expect:
        assert [picture.width, picture.height] == expect["size"]
    for pixel in expect.get("pixels", ()):
        x, y = pixel["at"]
        for got, want in zip(picture.pixels[y, x], pixel["rgb"], strict=True):
            assert abs(int(got) - want) <= pixel["tol"], pixel
    ink = expect.get("ink") or expect.get("if_accepted_ink")
    if ink:
        assert ink[0] <= ink_share(picture.pixels) <= ink[1]
    if "frames" in expect:
        assert picture.pages == expect["frames"]
    assert set(expect.get("flags", ())) <= {warning.code for warning in picture.warnings}


@pytest.mark.parametrize("case", cases())
def test_upload(case: dict[str, Any]) -> None:
    expect = case["expect"]
    outcome = expect.get("outcome", "accept")
    picture = opened(case)
    if isinstance(picture, BadInput):
        assert outcome in ("reject", "either")
        assert expect.get("prefer") != "accept"
        mentions = expect.get("message_mentions", [""])
        assert any(word.lower() in str(picture).lower() for word in mentions), str(picture)
        return
    assert outcome != "reject"
    assert picture.pixels.flags["C_CONTIGUOUS"]
    assert picture.pixels.shape == (picture.height, picture.width, 3)
    check_accepted(picture, expect.get("if_accepted", expect))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("truncated_tail.jpg", "truncated"),
        ("truncated.png", "truncated"),
        ("text_chunk_bomb.png", "metadata_skipped"),
        ("alpha_white_text.png", "flattened"),
        ("anim_first_blank.gif", "blank_first"),
        ("anim_first_blank.gif", "animated"),
        ("pages_of_two_sizes.tif", "more_pages"),
        ("alpha_empty.png", "empty"),
    ],
)
def test_what_is_not_as_it_should_be_is_said(name: str, code: str) -> None:
    picture = open_picture((CASES / "files" / name).read_bytes(), LIMITS)
    assert code in [warning.code for warning in picture.warnings]


def test_each_page_has_its_own_size() -> None:
    data = (CASES / "files" / "pages_of_two_sizes.tif").read_bytes()
    assert [(page.width, page.height) for page in open_pages(data, LIMITS)] == [(400, 240), (240, 400)]


def test_the_second_frame_of_an_animation_can_be_asked_for() -> None:
    data = (CASES / "files" / "anim_first_blank.gif").read_bytes()
    assert ink_share(open_picture(data, LIMITS, page=2).pixels) > 0.005


@pytest.mark.parametrize("name", ["bomb_400MP.png", "header_only_3600MP.png", "text_chunk_bomb.png"])
def test_a_bomb_costs_little_memory(name: str) -> None:
    """In a fresh process that decodes by itself, so that the growth is the decoder's own."""
    program = (
        "import resource, sys\n"
        "from ocr_ui.errors import BadInput\n"
        "from ocr_ui.images import decode\n"
        "from ocr_ui.images.limits import Limits\n"
        "data = open(sys.argv[1], 'rb').read()\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    decode.read_only(decode.open_source(data, Limits()), 1)\n"
        "except BadInput:\n    pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    command = [sys.executable, "-c", program, str(CASES / "files" / name)]
    root = CASES.parent.parent.parent
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, env={"PYTHONPATH": str(root)})
    assert int(done.stdout) < 100_000  # kilobytes
