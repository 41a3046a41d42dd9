"""Parts of the data that never share a document or a copy of a picture: planted copies must stay together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
import trainer_readers as readers
from stored import ANN, open_store, recognition

from ocr_ui.domain.page import Page
from ocr_ui.domain.prompt import Task
from ocr_ui.errors import BadInput
from ocr_ui.exports.sample import Options
from ocr_ui.images.likeness import MOST_BITS_APART, difference_hash, small, turned_hashes
from ocr_ui.images.stored import encode_png
from ocr_ui.parsing.dispatch import parse
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.export import Exporter
from ocr_ui.services.splits import find_splits, read_shares
from ocr_ui.storage.store import Store

SHARES = read_shares("0.4/0.3/0.3")
LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz    "))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "data") as opened:
        yield opened


def page(seed: int) -> np.ndarray:
    """A page of made-up words."""
    draw, pixels = np.random.default_rng(seed), np.full((700, 500, 3), 255, np.uint8)
    for row in range(24):
        text = "".join(draw.choice(LETTERS, draw.integers(20, 40)))
        cv2.putText(pixels, text, (40, 60 + row * 25), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20, 20, 20), 1)
    return pixels


def compressed(pixels: np.ndarray) -> np.ndarray:
    return cv2.imdecode(cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 40])[1], cv2.IMREAD_COLOR)


COPIES = {
    "smaller": lambda p: cv2.resize(p, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA),
    "compressed": compressed,
    "darker": lambda p: (p * 0.85).astype(np.uint8),
    "cut": lambda p: p[3:-2, 2:-3],
    "turned": lambda p: np.ascontiguousarray(np.rot90(p)),
}


def add(store: Store, *pictures: np.ndarray) -> int:
    """A document of these pages; gives its id."""
    stored = [store.pictures.put(encode_png(np.ascontiguousarray(pixels))) for pixels in pictures]
    pages = [
        Page(sha256, pixels.shape[1], pixels.shape[0], "p.png", number)
        for number, (sha256, pixels) in enumerate(zip(stored, pictures, strict=True), 1)
    ]
    return store.pages.add_document("p.pdf", pages, ANN).id


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_is_known_and_another_page_is_not(copy: str) -> None:
    original, other = small(page(1)), small(page(2))
    near = [distance(one, original) for one in turned_hashes(small(COPIES[copy](page(1))))]
    assert min(near) <= MOST_BITS_APART
    assert min(distance(one, original) for one in turned_hashes(other)) > MOST_BITS_APART


def distance(one: np.ndarray, grey: np.ndarray) -> int:
    return int(np.bitwise_count(one ^ difference_hash(grey)).sum())


def test_planted_copies_stay_in_the_part_of_their_original(store: Store) -> None:
    originals = [add(store, page(seed)) for seed in range(10)]
    copies = {add(store, make(page(seed))): seed for seed in range(10) for make in COPIES.values()}
    found = find_splits(store, SHARES)
    assert found.without_part == {}
    assert {found.parts[copy] == found.parts[originals[seed]] for copy, seed in copies.items()} == {True}
    assert {found.parts[one] for one in originals} == {"train", "validation", "test"}


def test_pages_of_a_document_share_a_part_and_bring_their_copies(store: Store) -> None:
    whole = [add(store, page(seed), page(seed + 100)) for seed in range(10)]
    second = [add(store, compressed(page(seed + 100))) for seed in range(10)]
    parts = find_splits(store, SHARES).parts
    assert [parts[one] for one in whole] == [parts[one] for one in second]


def test_what_comes_later_moves_nothing(store: Store) -> None:
    for seed in range(10):
        add(store, page(seed))
    before = find_splits(store, SHARES).parts
    for seed in range(10):
        add(store, compressed(page(seed)))
        add(store, page(seed + 50))
    after = find_splits(store, SHARES).parts
    assert {document: after[document] for document in before} == before
    assert len(after) == 30


def test_a_page_that_joins_two_groups_goes_to_neither_and_both_stay(store: Store) -> None:
    first, second = add(store, page(1)), add(store, page(2))
    before = find_splits(store, SHARES).parts
    joining = add(store, page(1), compressed(page(2)))
    later = add(store, compressed(page(1)))
    found = find_splits(store, SHARES)
    assert set(found.without_part) == {joining}
    assert f"documents {first} and {second}" in str(found.without_part[joining])
    assert {document: found.parts[document] for document in before} == before
    assert found.parts[later] == found.parts[first]


def test_blank_pages_hold_nothing_together(store: Store) -> None:
    blank = np.full((700, 500, 3), 255, np.uint8)
    documents = [add(store, page(seed), blank) for seed in range(10)]
    found = find_splits(store, SHARES)
    assert found.without_part == {}
    assert {found.parts[one] for one in documents} == {"train", "validation", "test"}


def test_a_picture_is_looked_at_once(store: Store) -> None:
    add(store, page(1))
    copy = add(store, compressed(page(1)))
    before = find_splits(store, SHARES)
    for _, _, sha256 in store.pages.places():
        store.pictures.path(sha256).unlink()
    after = find_splits(store, SHARES)
    assert after.parts == before.parts
    assert copy in after.parts


@pytest.mark.parametrize("written", ["0.9", "a/b", "0.5/0.4", "1.2/-0.2", "0.5/0.2/0.2/0.1", "nan/1"])
def test_shares_that_are_none(written: str) -> None:
    with pytest.raises(BadInput) as failed:
        read_shares(written)
    assert failed.value.code == "bad_split"


async def labelled(store: Store, pixels: np.ndarray) -> int:
    document = add(store, pixels)
    [stored] = store.pages.of_document(document)
    size = stored.page.width, stored.page.height
    said = parse(Task.SPOTTING, "a(100,100),(500,300)", size).with_ids()
    item = store.recognitions.add(recognition(stored.page.sha256, said), stored.id, ANN)
    await Annotator(store).save_correction(item, 0, said, "right", person=ANN)
    return item


async def test_an_export_writes_the_parts_and_lists_what_is_in_none(store: Store, tmp_path: Path) -> None:
    for seed in range(12):
        await labelled(store, page(seed))
        await labelled(store, compressed(page(seed)))
    joined = await labelled(store, np.concatenate([page(0)[:350], page(1)[350:]]))
    exporter = Exporter(store)
    for name in ("verl", "datasets", "imagefolder"):
        report = await exporter.export(name, tmp_path / "out", options=Options(shares=SHARES))
        assert set(report.rows) == {"train", "validation", "test"}
        assert sum(report.rows.values()) == report.count_out == 25
        sheet = json.loads((tmp_path / "out" / f"report-{name}.json").read_text())
        assert sheet["rows"] == report.rows
        assert dict(sheet["options"]["shares"]) == dict(SHARES)
    for split, count in report.rows.items():
        assert len(readers.rows(tmp_path / "out", "verl", split)) == count
    with readers.loading() as load:
        loaded = load(str(tmp_path / "out" / "datasets"))
        assert {split: len(rows) for split, rows in loaded.items()} == report.rows
        loaded = load("imagefolder", data_dir=str(tmp_path / "out" / "imagefolder"))
        assert {split: len(rows) for split, rows in loaded.items()} == report.rows
    assert joined == 25, "half of one page and half of another is like neither"


async def test_a_filter_moves_nothing_between_parts(store: Store, tmp_path: Path) -> None:
    items = [await labelled(store, page(seed)) for seed in range(12)]
    exporter = Exporter(store)
    await exporter.export("trl-sft", tmp_path / "all", options=Options(shares=SHARES))
    report = await exporter.export("trl-sft", tmp_path / "some", {"items": items[6:]}, options=Options(shares=SHARES))
    for split in report.rows:
        whole = [row.picture.tobytes() for row in readers.rows(tmp_path / "all", "trl-sft", split)]
        assert all(row.picture.tobytes() in whole for row in readers.rows(tmp_path / "some", "trl-sft", split))


async def test_the_sheet_lists_what_joins_two_groups(store: Store, tmp_path: Path) -> None:
    await labelled(store, page(1))
    await labelled(store, page(2))
    document = add(store, page(1), page(2))
    stored = store.pages.of_document(document)[0]
    said = parse(Task.SPOTTING, "a(100,100),(500,300)", (500, 700)).with_ids()
    item = store.recognitions.add(recognition(stored.page.sha256, said), stored.id, ANN)
    await Annotator(store).save_correction(item, 0, said, "right", person=ANN)
    report = await Exporter(store).export("sft-a", tmp_path / "out", options=Options(shares=SHARES))
    assert [one for one, _ in report.left_out] == [item]
    assert "copies of pictures of documents 1 and 2" in str(report.left_out[0][1])


async def test_a_format_without_parts_says_so(store: Store, tmp_path: Path) -> None:
    await labelled(store, page(1))
    with pytest.raises(BadInput) as failed:
        await Exporter(store).export("csv", tmp_path / "out", options=Options(shares=SHARES))
    assert failed.value.code == "no_parts"
    assert not (tmp_path / "out").exists()
