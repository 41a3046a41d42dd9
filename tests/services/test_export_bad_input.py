"""What an export cannot do: said plainly in both languages, and nothing half-written, whatever the format."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, add_item, content, open_store, png, recognition

from ocr_ui.domain.page import Page
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.exports.registry import NAMES, FolderFormat, format_named
from ocr_ui.services.export import Exporter, left_out_value
from ocr_ui.services.view import error_value
from ocr_ui.storage.store import Store
from ocr_ui.ui.messages import localize_error, localize_reasons

TRAINING = [name for name in NAMES if getattr(format_named(name), "as_read", False)]
PICTURED = [name for name in NAMES if getattr(format_named(name), "needs_pictures", False)]
BEFORE = ["data"]


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "data") as store:
        for shade in range(2):
            judge(store, add_item(store, ("Total", "x" * 3_000), shade=shade, engine="vllm"))
        yield store


def judge(store: Store, item: int) -> None:
    store.corrections.add(item, 0, content("Total", "y" * 3_000), ANN)
    store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, (), "", "Ann", 1))


def said(error: BadInput) -> str:
    """The Chinese sentence; has no blank left and no English sentence in it."""
    text = localize_error(error_value(error), "zh")["message"]
    assert "{" not in text
    assert error.message not in text
    return text


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


@contextmanager
def no_room(size: int) -> Iterator[None]:
    """No file may be larger: the system itself refuses, whichever library writes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("format", NAMES)
def test_a_disk_without_room(store: Store, tmp_path: Path, format: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("kept")
    with pytest.raises(BadInput) as failed, no_room(60):
        Exporter(store).write_now(format, tmp_path / "out")
    assert failed.value.code == "export_failed"
    assert "Free some space" in str(failed.value)
    assert "无法导出到" in said(failed.value)
    assert names(tmp_path) == [*BEFORE, "out"]
    assert names(tmp_path / "out") == ["mine.txt"]


@pytest.mark.parametrize("format", NAMES)
def test_nothing_to_export(store: Store, tmp_path: Path, format: str) -> None:
    with pytest.raises(BadInput) as failed:
        Exporter(store).export_now(format, tmp_path / "out", {"text": "nowhere"})
    assert failed.value.code == "nothing_to_export"
    assert said(failed.value) == "没有符合条件的条目，未写入任何内容。请放宽筛选条件。"
    assert names(tmp_path) == BEFORE


@pytest.mark.parametrize("format", PICTURED)
def test_missing_and_damaged_pictures(store: Store, tmp_path: Path, format: str) -> None:
    first, second = (store.pictures.path(row.sha256) for row in store.items.list())
    first.unlink()
    report = Exporter(store).export_now(format, tmp_path / "out")
    assert (report.count_in, report.count_out) == (2, 1)
    assert [problem for *_, problem in report.missing_pictures] == ["missing"]
    [reason] = left_out_value(report)
    assert (reason["code"], reason["count"]) == ("no_picture", 1)
    [told] = localize_reasons([reason], "zh")
    assert told["message"] != reason["message"]
    second.write_bytes(png(7))
    with pytest.raises(BadInput) as failed:
        Exporter(store).export_now(format, tmp_path / "all")
    assert failed.value.code == "nothing_fits"
    assert told["message"] in said(failed.value)
    assert names(tmp_path) == [*BEFORE, "out"]


@pytest.mark.parametrize("format", TRAINING)
def test_a_task_that_no_reward_is_for(store: Store, tmp_path: Path, format: str) -> None:
    """Of a template of another version of this program."""
    sha256 = store.pictures.put(png(9))
    page = store.pages.add_document("odd.png", [Page(sha256, 1000, 800, "odd.png")], ANN).page_ids[0]
    odd = recognition(sha256, content("Total"), engine="vllm")
    item = store.recognitions.add(replace(odd, prompt=replace(odd.prompt, task="poetry")), page, ANN)
    judge(store, item)
    report = Exporter(store).export_now(format, tmp_path / "out")
    left = dict(report.left_out)
    assert set(left) == {item}
    assert "poetry" in str(left[item])
    [told] = localize_reasons(left_out_value(report), "zh")
    assert "poetry" in told["message"]
    assert told["message"] != str(left[item])


@pytest.mark.parametrize("format", [name for name in NAMES if not getattr(format_named(name), "splits", False)])
def test_a_format_that_has_no_parts(store: Store, tmp_path: Path, format: str) -> None:
    from ocr_ui.services.export import read_options

    with pytest.raises(BadInput) as failed:
        Exporter(store).export_now(format, tmp_path / "out", {}, True, read_options({"split": "0.9/0.1"}))
    assert failed.value.code == "no_parts"
    assert format in said(failed.value)
    assert names(tmp_path) == BEFORE
    assert isinstance(format_named(format), FolderFormat) or format in ("jsonl", "csv")
