from __future__ import annotations

import csv
import hashlib
import io
import json
import shutil
import tempfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from stored import ANN, add_item, content, open_store, png

from ocr_ui.errors import BadInput, WorkbenchError
from ocr_ui.exports.registry import NAMES
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.export import Exporter, read_options
from ocr_ui.storage.store import Store


@pytest.fixture
async def store(tmp_path: Path):
    """Three items: an empty page, one corrected, one more on the same picture as the second."""
    with open_store(tmp_path / "data") as opened:
        add_item(opened, [], "empty.png", shade=0)
        add_item(opened, ["Total 12.80"], "a.png", engine="vllm", shade=1)
        add_item(opened, ["=1+1"], "../../b?.png", "fields", shade=1)
        await Annotator(opened).save_correction(2, 0, content("Total 12.50"), "wrong", person=ANN)
        yield opened


def files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def unfinished(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def test_a_folder_with_data_pictures_and_report(store: Store, tmp_path: Path) -> None:
    report = await Exporter(store).export("jsonl", tmp_path / "out")
    found = lines(tmp_path / "out" / "items.jsonl")
    assert [row["id"] for row in found] == [1, 2, 3]
    for row in found:
        picture = (tmp_path / "out" / row["page"]["picture"]).read_bytes()
        assert hashlib.sha256(picture).hexdigest() == row["page"]["sha256"]
    assert found[1]["correction"]["content"]["lines"][0]["text"] == "Total 12.50"
    assert (report.count_in, report.count_out, report.left_out, report.pictures) == (3, 3, (), 2)
    assert report.sha256 == hashlib.sha256((tmp_path / "out" / "items.jsonl").read_bytes()).hexdigest()
    sheet = json.loads((tmp_path / "out" / "report-jsonl.json").read_text())
    assert (sheet["count_in"], sheet["count_out"], sheet["sha256"]) == (3, 3, report.sha256)
    assert len(files(tmp_path / "out")) == 4


async def test_csv_has_one_row_an_item_and_tells_what_it_changed(store: Store, tmp_path: Path) -> None:
    report = await Exporter(store).export("csv", tmp_path / "out")
    text = (tmp_path / "out" / "items.csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["id"] for row in rows] == ["1", "2", "3"]
    assert rows[2]["model_text"] == "'=1+1"
    assert report.changes == {"apostrophes_added": 1}


@pytest.mark.parametrize("name", NAMES)
async def test_the_same_items_give_the_same_files(store: Store, tmp_path: Path, name: str) -> None:
    for folder in ("one", "two"):
        await Exporter(store).export(name, tmp_path / folder)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    for file in files(tmp_path / "one"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


async def test_only_what_the_filter_finds(store: Store, tmp_path: Path) -> None:
    report = await Exporter(store).export("jsonl", tmp_path / "out", {"verdict": "wrong", "since": "2020-01-01"})
    assert [row["id"] for row in lines(tmp_path / "out" / "items.jsonl")] == [2]
    assert (report.count_in, report.pictures) == (1, 1)
    sheet = json.loads((tmp_path / "out" / "report-jsonl.json").read_text())
    assert sheet["filters"] == {"verdicts": ["wrong"], "since": "2020-01-01T00:00:00+00:00"}


async def test_pe06_a_picture_deleted_outside_is_listed_and_the_rest_exported(store: Store, tmp_path: Path) -> None:
    sha256 = store.recognitions.get(2).recognition.page_sha256
    store.pictures.path(sha256).unlink()
    report = await Exporter(store).export("jsonl", tmp_path / "out")
    found = lines(tmp_path / "out" / "items.jsonl")
    assert [row["page"]["picture"] is None for row in found] == [False, True, True]
    assert report.missing_pictures == ((2, sha256, "missing"), (3, sha256, "missing"))
    assert (report.count_in, report.count_out, report.pictures) == (3, 3, 1)


async def test_pe06_a_picture_changed_outside_is_not_passed_on(store: Store, tmp_path: Path) -> None:
    sha256 = store.recognitions.get(1).recognition.page_sha256
    store.pictures.path(sha256).write_bytes(png(99))
    report = await Exporter(store).export("csv", tmp_path / "out")
    assert report.missing_pictures == ((1, sha256, "damaged"),)
    assert f"pictures/{sha256}.png" not in files(tmp_path / "out")


async def test_pe07_a_line_added_by_hand_is_exported(store: Store, tmp_path: Path) -> None:
    await Annotator(store).save_correction(1, 0, content("drawn by hand"), "wrong", person=ANN)
    await Exporter(store).export("jsonl", tmp_path / "out", {"items": [1]})
    [row] = lines(tmp_path / "out" / "items.jsonl")
    assert row["correction"]["content"]["lines"] == content("drawn by hand").to_dict()["lines"]
    assert row["review"]["error_kinds"] == ["missing_line"]


async def test_pictures_can_be_left_out(store: Store, tmp_path: Path) -> None:
    await Exporter(store).export("jsonl", tmp_path / "out", pictures=False)
    assert files(tmp_path / "out") == ["items.jsonl", "report-jsonl.json"]
    assert {row["page"]["picture"] for row in lines(tmp_path / "out" / "items.jsonl")} == {None}


async def test_nothing_to_export_writes_nothing(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as failed:
        await Exporter(store).export("jsonl", tmp_path / "new" / "out", {"text": "not there"})
    assert failed.value.code == "nothing_to_export"
    assert files(tmp_path / "new") == []


async def test_an_empty_folder_is_used_and_another_export_joins_it(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    await Exporter(store).export("jsonl", out)
    (out / "mine.txt").write_text("kept")
    await Exporter(store).export("csv", out)
    await Exporter(store).export("jsonl", out, {"items": [1]})
    assert (out / "mine.txt").read_text() == "kept"
    assert len(lines(out / "items.jsonl")) == 1
    assert {"items.csv", "items.jsonl", "report-csv.json", "report-jsonl.json"} <= set(files(out))
    assert unfinished(tmp_path) == []


async def test_a_failure_on_the_way_leaves_the_old_export_alone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    await Exporter(store).export("jsonl", out)
    before = (out / "items.jsonl").read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ocr_ui.services.export.os.fsync", full)
    with pytest.raises(WorkbenchError) as failed:
        await Exporter(store).export("jsonl", out, {"items": [1]})
    assert failed.value.code == "export_failed"
    assert "Free some space" in failed.value.hint
    assert (out / "items.jsonl").read_bytes() == before
    assert unfinished(tmp_path) == []


async def test_a_target_that_is_a_file_is_said(store: Store, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(WorkbenchError) as failed:
        await Exporter(store).export("csv", tmp_path / "out")
    assert failed.value.code == "export_failed"
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("name", ["jsonl", "csv"])
async def test_a_stream_is_the_file_without_pictures(store: Store, tmp_path: Path, name: str) -> None:
    exporter = Exporter(store)
    assert exporter.is_streamed(name)
    await exporter.export(name, tmp_path / "out", pictures=False)
    whole = (tmp_path / "out" / exporter.file_name(name)).read_bytes()
    assert b"".join([piece async for piece in exporter.stream(name)]) == whole


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("jsonl", "csv")])
async def test_a_packed_download_holds_what_an_export_holds(store: Store, tmp_path: Path, name: str) -> None:
    exporter = Exporter(store)
    assert not exporter.is_streamed(name)
    await exporter.export(name, tmp_path / "out")
    made = await exporter.packed(name)
    if name == "xlsx":
        assert made.file.name == made.name == "items.xlsx"
    else:
        with zipfile.ZipFile(made.file) as archive:
            assert archive.testzip() is None
            assert sorted(archive.namelist()) == files(tmp_path / "out")
            for file in archive.namelist():
                assert archive.read(file) == (tmp_path / "out" / file).read_bytes()
    assert made.file.is_relative_to(made.folder)
    shutil.rmtree(made.folder)


async def test_a_download_that_fails_leaves_nothing_behind(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ocr_ui.services.export.pack", full)
    with pytest.raises(WorkbenchError) as failed:
        await Exporter(store).packed("docx")
    assert failed.value.code == "export_failed"
    assert list((tmp_path / "temporary").iterdir()) == []


async def test_an_export_replaces_the_folder_that_is_its_own(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    await Exporter(store).export("page-xml", out)
    await Exporter(store).export("docx", out)
    (out / "mine.txt").write_text("kept")
    await Exporter(store).export("page-xml", out, {"items": [2]})
    assert [file.name for file in (out / "page-xml").iterdir()] == ["000002-a.xml"]
    assert len(list((out / "docx").iterdir())) == 3
    assert (out / "mine.txt").read_text() == "kept"
    assert unfinished(tmp_path) == []


async def test_the_list_of_checksums_is_that_of_the_files(store: Store, tmp_path: Path) -> None:
    report = await Exporter(store).export("ppocrlabel", tmp_path / "out")
    listed = (tmp_path / "out" / "sha256-ppocrlabel.txt").read_bytes()
    assert report.sha256 == hashlib.sha256(listed).hexdigest()
    sums = dict(reversed(row.split("  ", 1)) for row in listed.decode().splitlines())
    assert {"ppocrlabel/Label.txt", "ppocrlabel/fileState.txt", "ppocrlabel/rec_gt.txt"} <= set(sums)
    for file, digest in sums.items():
        assert hashlib.sha256((tmp_path / "out" / file).read_bytes()).hexdigest() == digest


async def test_streams_left_early_do_not_hold_the_store(store: Store) -> None:
    for index in range(30):
        add_item(store, [f"{index} " + "x" * 9000], shade=index)
    for _ in range(20):  # more than the pool of connections has
        stream = Exporter(store).stream("jsonl")
        await anext(stream)
        await stream.aclose()
    assert store.items.count() == 33


async def test_unknown_formats_and_filters_are_refused_before_anything_is_written(store: Store, tmp_path: Path) -> None:
    for name, filters, code in (("xls", None, "unknown_format"), ("csv", {"colour": "red"}, "unknown_filter")):
        with pytest.raises(BadInput) as failed:
            await Exporter(store).export(name, tmp_path / "out", filters)
        assert failed.value.code == code
    assert not (tmp_path / "out").exists()


def test_memory_does_not_grow_with_the_number_of_items(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        peak_of_export(store, add=10)  # whatever is imported and cached by the first run
        few, many = peak_of_export(store, add=90), peak_of_export(store, add=200)
    assert many < 1.3 * few


def peak_of_export(store: Store, add: int) -> int:
    """Bytes of Python's memory at the highest point of an export, after `add` more items."""
    with store.transaction():
        for index in range(add):
            add_item(store, [f"{index} " + "x" * 2000])
    tracemalloc.start()
    size = sum(len(piece) for piece in Exporter(store).chunks("jsonl"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > store.items.count() * 4000
    return peak


@pytest.mark.parametrize("written", ["9" * 5_000, "0", "-1", "²", "1e3", "1.5"])
def test_a_length_that_is_none(written: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_options({"max_prompt_length": written})
    assert refused.value.code == "bad_filter_value"
