"""Folders that are written whole: two at once, after a process that was killed, through links, and for nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ocr_ui.services import whole_folders
from ocr_ui.services.whole_folders import move, real, work_folder
from ocr_ui.settings import ROOT

WRITER = """
import sys
from pathlib import Path
from ocr_ui.services.whole_folders import work_folder
with work_folder(Path(sys.argv[1])) as work:
    (work / "half").write_text("x")
    print("writing", flush=True)
    sys.stdin.read()
"""


def write(target: Path, said: str) -> None:
    with work_folder(target) as work:
        (work / "own").mkdir()
        for name in ("own/a", "own/b", f"own/{said}", "report"):
            (work / name).write_text(said)
        move(work, target, own="own", last="own")


def texts(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*") if file.is_file()}


def whole(said: str) -> dict[str, str]:
    return dict.fromkeys(("own/a", "own/b", f"own/{said}", "report"), said)


def test_two_at_once_give_one_or_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    write(target, "before")
    replace, other = os.replace, threading.Thread(target=write, args=(target, "second"))

    def slow(source: Path, place: Path) -> None:
        if other.ident is None:
            other.start()
            other.join(0.5)
        replace(source, place)

    monkeypatch.setattr(whole_folders.os, "replace", slow)
    write(target, "first")
    other.join()
    assert texts(target) == whole("second")
    assert [one.name for one in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_process_left_goes_with_the_next_that_succeeds(tmp_path: Path) -> None:
    target = tmp_path / "out"
    command = [sys.executable, "-c", WRITER, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as writer:
        writer.stdout.readline()
        write(target, "first")
        beside = [one for one in tmp_path.iterdir() if one != target]
        assert [one.name for one in beside[0].iterdir()] == ["half"], "who is still writing is left alone"
        writer.kill()
        writer.wait()
    write(target, "second")
    assert [one.name for one in tmp_path.iterdir()] == ["out"]
    assert texts(target) == whole("second")


def test_parents_that_were_made_for_nothing_are_gone(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), work_folder(tmp_path / "a" / "b" / "c"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_links_lead_to_their_folder_and_what_they_name_stays(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    write(real(tmp_path / "link"), "first")
    assert texts(tmp_path / "disk") == whole("first")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kept").write_text("x")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "own").symlink_to(tmp_path / "mine")
    write(tmp_path / "out", "first")
    assert texts(tmp_path / "mine") == {"kept": "x"}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["disk", "link", "mine", "out"]
