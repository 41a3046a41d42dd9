"""Frozen versions: what was frozen is what is exported, whatever is saved afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.domain.review import ErrorKind, Review, State, Verdict
from ocr_ui.errors import BadInput, Conflict, NotFound, StoreFailed
from ocr_ui.services.dataset_versions import DatasetVersions
from ocr_ui.services.export import Exporter
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "data") as store:
        yield store


def judged(store: Store, shade: int = 0, text: str = "Total 12.50") -> int:
    """An item that Ann corrected and found wrong."""
    item = add_item(store, ("Tolal 12.50",), shade=shade, engine="vllm")
    store.corrections.add(item, 0, content(text), ANN)
    kinds = (ErrorKind.WRONG_CHARACTER,)
    store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, kinds, "", "Ann", 1, ("bills",)))
    return item


def edit(store: Store, item: int) -> None:
    store.corrections.add(item, 1, content("something else"), BO)
    store.reviews.set(item, Review(Verdict.RIGHT, State.ACCEPTED, (), "", "薄", 2, ("other",)))


def exported(store: Store, folder: Path, format: str, version: str = "") -> bytes:
    report = Exporter(store).export_now(format, folder, {"version": version})
    return (folder / report.files[0]).read_bytes()


@pytest.mark.parametrize("format", ["jsonl", "csv", "page-xml", "trl-dpo"])
def test_later_edits_change_nothing_of_a_version(store: Store, tmp_path: Path, format: str) -> None:
    items = [judged(store, shade) for shade in range(2)]
    DatasetVersions(store).freeze_now("v1")
    before = _files(store, tmp_path / "before", format)
    edit(store, items[0])
    judged(store, 5)
    assert _files(store, tmp_path / "after", format) == before
    assert len(before) > 1


def _files(store: Store, folder: Path, format: str) -> dict[str, bytes]:
    Exporter(store).export_now(format, folder, {"version": "v1"})
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_what_was_frozen_before_anybody_judged_it(store: Store, tmp_path: Path) -> None:
    item = add_item(store)
    DatasetVersions(store).freeze_now("v1")
    store.corrections.add(item, 0, content("late"), ANN)
    store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, (), "a note", "Ann", 1))
    found = json.loads(exported(store, tmp_path / "out", "jsonl", "v1"))
    assert found["correction"] is None
    assert (found["review"]["verdict"], found["review"]["state"], found["review"]["note"]) == (None, "pending", "")


def test_the_same_data_has_the_same_checksum_and_other_data_another(store: Store) -> None:
    versions = DatasetVersions(store)
    item = judged(store)
    first, same = versions.freeze_now("v1"), versions.freeze_now("v2", licence="cc-by-4.0", person="Ann")
    assert first.sha256 == same.sha256
    edit(store, item)
    assert versions.freeze_now("again", {"version": "v1"}).sha256 == first.sha256
    changed = versions.freeze_now("v3")
    assert changed.sha256 != first.sha256
    store.reviews.set(item, Review(Verdict.RIGHT, State.ACCEPTED, (), "", "薄", 2, ("third",)))
    assert versions.freeze_now("v4").sha256 != changed.sha256
    judged(store, 3)
    assert versions.freeze_now("v5", {"items": [item]}).items == 1
    assert versions.freeze_now("v6").items == 2


def test_filters_on_a_version_are_on_what_was_frozen(store: Store) -> None:
    item = judged(store)
    judged(store, 1)
    DatasetVersions(store).freeze_now("v1", {"tag": "bills"})
    edit(store, item)
    items = store.items
    assert items.count(Filters(verdicts=("wrong",), version="v1")) == 2
    assert items.count(Filters(error_kinds=(ErrorKind.WRONG_CHARACTER,), version="v1")) == 2
    assert items.count(Filters(tags=("other",), version="v1")) == 0
    assert items.count(Filters(reviewers=("Ann",), text="Total", version="v1")) == 2
    assert [row.state for row in items.list(Filters(version="v1"))] == [State.SUBMITTED] * 2
    assert items.count_by("error_kind", Filters(version="v1")) == {"wrong_character": 2}
    assert items.count_by("verdict", Filters(version="v1")) == {"wrong": 2}
    assert items.count_by("verdict") == {"right": 1, "wrong": 1}


def test_what_a_version_says_of_itself(store: Store) -> None:
    versions = DatasetVersions(store)
    judged(store)
    versions.freeze_now("v1", {"state": "submitted", "since": "2020-01-01"}, " cc-by-4.0 ", "Ann")
    [found] = store.versions.list()
    assert (found.name, found.items, found.licence, found.person) == ("v1", 1, "cc-by-4.0", "Ann")
    assert found.filters == {"states": ["submitted"], "since": "2020-01-01T00:00:00+00:00"}
    assert (len(found.sha256), found.exports) == (64, 0)


def test_names_are_taken_once_and_for_ever(store: Store) -> None:
    versions = DatasetVersions(store)
    judged(store)
    versions.freeze_now("v1")
    with pytest.raises(Conflict, match="v1"):
        versions.freeze_now("v1")
    for bad in ("", ".hidden", "a/b", "x" * 81, "版本"):
        with pytest.raises(BadInput, match="name a version"):
            versions.freeze_now(bad)
    with pytest.raises(BadInput, match="one line"):
        versions.freeze_now("v2", licence="a\nb")
    with pytest.raises(BadInput, match="nothing was frozen"):
        versions.freeze_now("v2", {"text": "nowhere"})
    assert [version.name for version in store.versions.list()] == ["v1"]


def test_what_was_exported_when_and_that_such_a_version_stays(store: Store, tmp_path: Path) -> None:
    versions = DatasetVersions(store)
    judged(store)
    for name in ("v1", "v2"):
        versions.freeze_now(name)
    report = Exporter(store).export_now("jsonl", tmp_path / "out", {"version": "v1"})
    list(Exporter(store).chunks("csv", {"template": "full_text"}))
    newest, first = store.versions.exports()
    assert (first.version, first.format, first.target) == ("v1", "jsonl", str(tmp_path / "out"))
    assert (first.items, first.sha256) == (1, report.sha256)
    assert (newest.version, newest.target, newest.items) == ("", "download", 1)
    assert newest.details["filters"] == {"templates": ["full_text"]}
    assert report.dataset_version == {"name": "v1", "sha256": store.versions.get("v1").sha256}
    with pytest.raises(Conflict, match="exported 1 time and"):
        store.versions.delete("v1")
    store.versions.delete("v2")
    assert [version.name for version in store.versions.list()] == ["v1"]
    assert store.items.count() == 1


@pytest.mark.parametrize("format", ["jsonl", "verl"])
def test_a_version_that_is_not_there(store: Store, tmp_path: Path, format: str) -> None:
    judged(store)
    with pytest.raises(NotFound, match="no version 'v9'"):
        Exporter(store).export_now(format, tmp_path / "out", {"version": "v9"})
    assert list(tmp_path.iterdir()) == [tmp_path / "data"]
    with pytest.raises(NotFound):
        store.items.count(Filters(version="v9"))
    with pytest.raises(NotFound):
        store.versions.delete("v9")


def test_an_export_that_cannot_be_noted_is_still_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    judged(store)

    def full(*_: object) -> None:
        raise StoreFailed("disk_full", "The disk is full.")

    monkeypatch.setattr(store.versions, "log", full)
    assert exported(store, tmp_path / "out", "jsonl")
    assert "The disk is full" in caplog.text


def test_an_example_of_a_version_is_of_what_was_frozen(store: Store) -> None:
    item = judged(store)
    DatasetVersions(store).freeze_now("v1")
    edit(store, item)
    found = Exporter(store)._example("jsonl", Filters(version="v1"))
    assert "Total 12.50" in found.record
    assert "something else" not in found.record
