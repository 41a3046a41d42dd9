"""Frames of videos: those whose lower part changes, and single ones."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from videos import FILM, SIZE, TIMES, jpeg, pictures_as_film, shown_turned, video

from ocr_ui.errors import BadInput
from ocr_ui.images.door import Limits, frame_at, open_picture, stretches_of, video_kind_of

LIMITS = Limits()


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("film") / "film"
    file.write_bytes(video())
    return file


def test_only_what_changes_is_a_frame(film: Path) -> None:
    assert stretches_of(film, LIMITS, 60) == TIMES


@pytest.mark.parametrize(("format", "codec", "kind"), [("matroska", "mpeg4", "matroska"), ("avi", "mpeg4", "avi")])
def test_other_containers(tmp_path: Path, format: str, codec: str, kind: str) -> None:
    file = tmp_path / "film"
    file.write_bytes(video(FILM[1:3], format, codec))
    assert video_kind_of(file) == kind
    assert stretches_of(file, LIMITS, 60) == [(0.0, 2.0)]


def test_a_frame_is_the_picture_of_its_moment(film: Path) -> None:
    empty, shown = frame_at(film, LIMITS, 0.5).pixels, frame_at(film, LIMITS, 2.0)
    assert shown.pixels.shape == (SIZE[1], SIZE[0], 3)
    assert (shown.pixels[260:] > 200).sum() > 1000
    assert (empty[260:] > 200).sum() == 0
    # the ball is where it is at that moment
    assert np.abs(shown.pixels[100, 40 + 20 * 7].astype(int) - (90, 120, 160)).max() < 40


@pytest.mark.parametrize("turns", [1, 2])
def test_the_lower_part_is_that_of_the_upright_picture(tmp_path: Path, turns: int) -> None:
    file = tmp_path / "film"
    file.write_bytes(shown_turned(video(turns=turns), turns))
    assert stretches_of(file, LIMITS, 60) == TIMES
    assert (frame_at(file, LIMITS, 2.0).pixels[260:] > 200).sum() > 1000


def test_a_damaged_place_costs_its_own_frames_alone(tmp_path: Path) -> None:
    data = bytearray(video(format="avi", codec="mjpeg"))
    pictures = [found.start() for found in re.finditer(b"\xff\xd8\xff", data)]
    for begin, end in itertools.pairwise(pictures[8:12]):
        data[begin : end - 8] = bytes(end - 8 - begin)  # but for the head of the next one
    file = tmp_path / "film"
    file.write_bytes(data)
    assert stretches_of(file, LIMITS, 60) == [(1.1, 3.0), *TIMES[1:]]


def test_a_film_may_change_its_size_on_the_way(tmp_path: Path) -> None:
    file = tmp_path / "film"
    file.write_bytes(pictures_as_film([jpeg("Good evening")] * 10 + [jpeg("At the harbour", (320, 300))] * 10))
    assert [begin for begin, _ in stretches_of(file, LIMITS, 60)] == [0.0, 1.0]
    assert frame_at(file, LIMITS, 1.5).pixels.shape == (300, 320, 3)


def refused(file: Path, seconds: float = 60, limits: Limits = LIMITS) -> str:
    with pytest.raises(BadInput) as caught:
        stretches_of(file, limits, seconds)
    return caught.value.code


def test_what_is_damaged_or_too_much_is_refused(film: Path, tmp_path: Path) -> None:
    data = film.read_bytes()
    for number, bad in enumerate((data[:3000], data[:32] + b"x" * 2000)):
        file = tmp_path / str(number)
        file.write_bytes(bad)
        assert refused(file) == "damaged"
    assert refused(film, seconds=5) == "video_too_long"
    assert refused(film, limits=replace(LIMITS, max_pixels=1000)) == "too_many_pixels"
    assert refused(film, limits=replace(LIMITS, max_bytes=1000)) == "too_many_bytes"


def test_a_list_of_other_files_is_no_video(tmp_path: Path) -> None:
    """FFmpeg would follow it to whatever it names."""
    file = tmp_path / "list"
    file.write_text("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n")
    assert video_kind_of(file) is None


def test_a_video_that_is_handed_in_as_a_picture_is_told_apart(film: Path) -> None:
    with pytest.raises(BadInput) as caught:
        open_picture(film.read_bytes(), LIMITS)
    assert caught.value.code == "video_is_no_picture"
    assert "Batch" in caught.value.hint
