"""Pixels that are kept for the next reading, and pictures that are decoded once."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ocr_ui.services.recent_pixels import RecentPixels


def picture(folder: Path, name: str, side: int = 10) -> tuple[Path, np.ndarray]:
    file = folder / name
    file.write_bytes(name.encode())
    return file, np.zeros((side, side, 3), np.uint8)


def test_what_was_kept_comes_back_and_cannot_be_written_to(tmp_path: Path) -> None:
    recent = RecentPixels()
    file, pixels = picture(tmp_path, "a")
    assert recent.get(file) is None
    recent.keep(file, pixels)
    assert recent.get(file) is pixels
    with pytest.raises(ValueError, match="read-only"):
        recent.get(file)[0, 0] = 1


def test_a_changed_file_is_decoded_anew_and_a_removed_one_is_gone(tmp_path: Path) -> None:
    recent = RecentPixels()
    file, pixels = picture(tmp_path, "a")
    recent.keep(file, pixels)
    os.utime(file, ns=(1, 1))
    assert recent.get(file) is None
    recent.keep(file, pixels)
    file.unlink()
    with pytest.raises(FileNotFoundError):
        recent.get(file)


def test_the_longest_unused_goes_first_and_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    recent = RecentPixels(most_bytes=700)
    (a, pa), (b, pb), (c, pc) = (picture(tmp_path, name) for name in "abc")
    recent.keep(a, pa)
    recent.keep(b, pb)
    recent.keep(b, pb)
    assert recent.get(a) is pa
    recent.keep(c, pc)
    assert recent.get(a) is pa
    assert recent.get(b) is None
    assert recent.get(c) is pc
    large, pixels = picture(tmp_path, "large", side=20)
    recent.keep(large, pixels)
    assert recent.get(large) is None
    assert recent.get(c) is pc


def test_many_small_pictures_are_not_all_kept(tmp_path: Path) -> None:
    recent = RecentPixels(most=3)
    kept = [picture(tmp_path, str(number), side=1) for number in range(5)]
    for file, pixels in kept:
        recent.keep(file, pixels)
    assert [recent.get(file) is pixels for file, pixels in kept] == [False, False, True, True, True]
