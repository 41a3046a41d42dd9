from __future__ import annotations

import errno
import hashlib
import os
import time
from pathlib import Path

import pytest
from stored import png

from ocr_ui.errors import BadInput, NotFound, StoreFailed
from ocr_ui.storage.pictures import Pictures


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    return Pictures(tmp_path / "pictures")


def files(pictures: Pictures) -> list[str]:
    return sorted(str(file.relative_to(pictures.folder)) for file in pictures.folder.rglob("*") if file.is_file())


def test_a_picture_stands_under_its_sha256(pictures: Pictures) -> None:
    sha256 = pictures.put(png(7))
    assert sha256 == hashlib.sha256(png(7)).hexdigest()
    assert files(pictures) == [f"{sha256[:2]}/{sha256}.png"]
    assert pictures.read(sha256) == png(7)
    assert pictures.put(png(7)) == sha256
    assert len(files(pictures)) == 1


def test_a_thumbnail_stands_beside_it(pictures: Pictures) -> None:
    sha256 = pictures.put(png())
    assert pictures.thumbnail(sha256) is None
    pictures.put_thumbnail(sha256, b"small")
    pictures.put_thumbnail(sha256, b"other")
    assert pictures.thumbnail(sha256).read_bytes() == b"other"
    assert pictures.thumbnail(sha256).parent == pictures.path(sha256).parent


@pytest.mark.parametrize(
    "name",
    [
        "",
        "abc",
        "../../etc/passwd",
        "A" * 64,
        "g" * 64,
        "0" * 63,
        "0" * 65,
        "0" * 64 + "\n",
        "٠" * 64,
        "0" * 61 + "/..",
        None,
    ],
)
def test_no_path_comes_from_outside(pictures: Pictures, name: str) -> None:
    for call in (pictures.path, pictures.read, pictures.has, pictures.thumbnail):
        with pytest.raises(BadInput) as failed:
            call(name)
        assert failed.value.code == "bad_picture_id"
    with pytest.raises(BadInput):
        pictures.put_thumbnail(name, b"x")


def test_a_picture_that_is_gone_is_said(pictures: Pictures) -> None:
    assert not pictures.has("0" * 64)
    with pytest.raises(NotFound) as failed:
        pictures.read("0" * 64)
    assert failed.value.code == "missing_picture"


def test_only_png_files_are_taken(pictures: Pictures) -> None:
    with pytest.raises(ValueError, match="PNG"):
        pictures.put(b"\xff\xd8\xff")


def test_a_picture_that_was_cut_is_written_again(pictures: Pictures) -> None:
    sha256 = pictures.put(png())
    pictures.path(sha256).write_bytes(b"\x89PNG")
    pictures.put(png())
    assert pictures.read(sha256) == png()


@pytest.mark.parametrize(
    ("number", "code"), [(errno.ENOSPC, "disk_full"), (errno.EROFS, "store_read_only"), (errno.EIO, "store_failed")]
)
def test_a_disk_that_refuses_leaves_nothing(
    pictures: Pictures, monkeypatch: pytest.MonkeyPatch, number: int, code: str
) -> None:
    def refuse(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    (pictures.folder / hashlib.sha256(png()).hexdigest()[:2]).mkdir(parents=True)
    with pytest.raises(StoreFailed) as failed:
        pictures.put(png())
    assert failed.value.code == code
    assert files(pictures) == []


def test_a_file_is_on_disk_before_its_name_and_its_name_before_the_answer(
    pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(handle: int) -> None:
        steps.append("sync folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "sync file")
        real_sync(handle)

    def replace(old: str, new: Path) -> None:
        steps.append("name")
        real_replace(old, new)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    pictures.put(png())
    assert steps[-3:] == ["sync file", "name", "sync folder"]


def test_what_a_killed_writer_left_is_swept_once_it_is_old(pictures: Pictures) -> None:
    sha256 = pictures.put(png())
    old, young = (pictures.path(sha256).parent / f".unfinished-{name}" for name in ("old", "young"))
    for file in (old, young):
        file.write_bytes(b"part")
    os.utime(old, (time.time() - 7200,) * 2)
    assert pictures.sweep() == 1
    assert not old.exists()
    assert young.exists()
    assert pictures.has(sha256)
