"""Items are deleted for good: nothing of them is found in any file of the data folder."""

from __future__ import annotations

import asyncio
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from stored import ANN, add_item, content, open_store, png, recognition

from ocr_ui.domain.page import Page
from ocr_ui.errors import Conflict, NotFound, TooLarge
from ocr_ui.services.access import Acting, act_as
from ocr_ui.services.dataset_versions import version_value
from ocr_ui.services.erase import MOST_ITEMS, Eraser
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store
from ocr_ui.storage.tables import metadata

WORD = "Zwölfschwänzig"
CONTEST = metadata.tables["contest"]
OF_ITEMS = {"document", "page", "recognition", "review", "rollout"}


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "data") as opened:
        yield opened


def traces(folder: Path) -> list[str]:
    """Files that hold the word, as UTF-8 or as JSON writes it."""
    looked = WORD.encode(), WORD.encode("unicode_escape"), WORD.encode("ascii", "backslashreplace")
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if any(one in file.read_bytes() for one in looked)]


def rows_with_traces(store: Store) -> list[str]:
    """Tables with a row that holds the word."""
    with store._database.reading() as connection:
        return [
            table.name
            for table in metadata.sorted_tables
            for row in connection.execute(sa.select(table))
            if any(isinstance(value, str) and WORD in value for value in row)
        ]


def planted(store: Store, item: int) -> set[str]:
    """Writes the word into every long text of every table that points to the item; gives their names."""
    stored = store.recognitions.get(item)
    page = store.pages.get(stored.page_id)
    ids = {"recognition": item, "review": item, "page": page.id, "document": page.document_id, "person": 1}
    pointing = {table.name for table in metadata.sorted_tables if parents(table) & OF_ITEMS}
    needed = set(pointing)
    for table in reversed(metadata.sorted_tables):
        needed |= parents(table) if table.name in needed else set()
    with store._database.writing() as connection:
        for table in metadata.sorted_tables:
            if table.name in ids or table.name not in needed:
                continue
            word = WORD if table.name in pointing else "x"
            row = {column.name: _value(column, ids, word) for column in table.c}
            row |= {"name": f"{WORD} + 3"} if table.name == "job" else {}
            key = connection.execute(sa.insert(table).values(row)).inserted_primary_key
            ids[table.name] = key[0]
    return pointing


def parents(table: sa.Table) -> set[str]:
    return {one.column.table.name for one in table.foreign_keys}


def _value(column: sa.Column[Any], ids: dict[str, int], word: str) -> Any:
    for foreign in column.foreign_keys:
        return ids[foreign.column.table.name]
    if column.primary_key and column.name == "id":
        return 1 if column.table.name != "correction" else 99
    kinds = {sa.Text: word, sa.String: "x", sa.Boolean: False, sa.Float: 0.5}
    if isinstance(column.type, sa.Integer):
        return 0 if column.name == "removed" else 7
    return next((value for kind, value in kinds.items() if isinstance(column.type, kind)), datetime.now(UTC))


@pytest.mark.both_databases
def test_nothing_of_an_item_is_left(store: Store, tmp_path: Path) -> None:
    other = add_item(store, ["stays here"], "other.png", shade=1)
    index = _index(store) if store._database.dialect == "sqlite" else []
    item = add_item(store, [WORD], f"{WORD}.png")
    store.corrections.add(item, 0, content(f"{WORD} corrected"), ANN)
    sha256 = store.recognitions.get(item).recognition.page_sha256
    store.evaluations.keep("k" * 64, {"page": sha256, "text": WORD})
    named = f"{WORD}.png #{item}"
    page = {"page": named, "facts": [{"text": WORD}], "results": {"A": {"scores": {"cer": 0.5}, "error": WORD}}}
    run = store.evaluations.begin("evaluate", "all", "0" * 64, {})
    worst = {"worst": [{"pages": [{"page": named, "score": 0.5, "differences": [{"pieces": [["same", WORD]]}]}]}]}
    lost = {"facts_lost": [{"page": named, "fact": {"text": WORD}}]}
    store.evaluations.end(run, {**worst, "regressions": [lost]}, [page])
    store.drafts.put(item, False, "b" * 12, ANN, 0, {"text": WORD})
    store.drafts.put(item, False, "b" * 12, ANN, 0, {"text": f"{WORD} newer"})
    handed, _ = store.uploads.put(io.BytesIO(WORD.encode()), 100)
    store.uploads.mark(handed, "Ann")
    assert {"claim", "comment", "rollout_answer", "reread", "job_file", "second_review"} <= planted(store, item)
    with store._database.writing() as connection:
        connection.execute(sa.update(metadata.tables["job_file"]).values(sha256=handed))
        connection.execute(sa.delete(metadata.tables["dataset_item"]))
        told = {column.name: _value(column, {"person": 1, "evaluation_run": run}, "x") for column in CONTEST.c}
        connection.execute(sa.insert(CONTEST).values(told | {"told": named}))
    assert len(rows_with_traces(store)) > 10
    assert len(traces(tmp_path)) >= 1
    said: list[tuple[str, str]] = []
    with act_as(Acting(record=lambda _, __, action, target: said.append((action, target)))):
        gone = asyncio.run(Eraser(store).erase([item]))
    assert (gone.items, gone.pictures, gone.versions) == (1, 1, ())
    assert said == [("item.delete", str(item))]
    assert rows_with_traces(store) == []
    if store._database.dialect == "sqlite":
        assert traces(tmp_path) == []
        assert _pages(store) == index, "the search knows no more than before the item came"
    assert not store.pictures.has(sha256)
    assert not store.pictures.thumbnail(sha256)
    with pytest.raises(NotFound):
        store.recognitions.get(item)
    # what is not of the item is as it was
    assert [row.id for row in store.items.list(Filters(text="stays"))] == [other]
    assert store.pictures.has(store.recognitions.get(other).recognition.page_sha256)
    kept = next(store.evaluations.pages(run))
    assert (kept["page"], kept["results"]["A"]["scores"]) == (f"… #{item}", {"cer": 0.5})
    assert store.evaluations.get(run).result["worst"][0]["pages"][0]["score"] == 0.5
    with store._database.reading() as connection:
        assert connection.scalar(sa.select(metadata.tables["job"].c.name)) == "… + 3"


def _index(store: Store) -> list[bytes]:
    """The pages of the search's index, merged; its first ten rows are figures of the whole."""
    with store._database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO item_text(item_text) VALUES ('optimize')")
    return _pages(store)


def _pages(store: Store) -> list[bytes]:
    with store._database.reading() as connection:
        return sorted(connection.exec_driver_sql("SELECT block FROM item_text_data WHERE id > 10").scalars())


def test_a_picture_stays_while_somebody_else_needs_it(store: Store) -> None:
    one, two = add_item(store, ["a"], "one.png"), add_item(store, ["b"], "two.png")
    page = store.recognitions.get(one).page_id
    sha256 = store.recognitions.get(one).recognition.page_sha256
    again = store.recognitions.add(recognition(sha256, content("c")), page)
    store.pages.add_document("not read.png", [Page(sha256, 1000, 800, "not read.png")], ANN)
    eraser = Eraser(store)
    assert eraser.erase_now([one]).pictures == 0
    assert store.pages.get(page).page.name == "one.png", "its page was read twice"
    assert eraser.erase_now([two, again]).pictures == 0
    assert store.pictures.has(sha256), "somebody has brought it in and not read it yet"
    assert store.items.count() == 0


def test_a_page_of_a_document_goes_alone(store: Store) -> None:
    pages = [Page(store.pictures.put(png(shade)), 1000, 800, "doc.pdf", number) for number, shade in ((1, 5), (2, 6))]
    stored = store.pages.add_document("doc.pdf", pages, ANN)
    items = [
        store.recognitions.add(recognition(page.sha256, content("x")), page_id)
        for page, page_id in zip(pages, stored.page_ids, strict=True)
    ]
    assert Eraser(store).erase_now([items[0]]).pictures == 1
    assert [one.page.number for one in store.pages.of_document(stored.id)] == [2]
    Eraser(store).erase_now([items[1]])
    assert store.pages.of_document(stored.id) == []


def test_what_is_frozen_is_only_deleted_on_purpose_and_the_version_says_so(store: Store) -> None:
    items = [add_item(store, [f"{WORD} {shade}"], shade=shade) for shade in range(3)]
    marks = [(mark.id, mark.correction_version, mark.review_revision) for mark in store.items.marks()]
    store.versions.add("v1", marks, "0" * 64, {})
    store.versions.add("v2", marks[:1], "0" * 64, {})
    with pytest.raises(Conflict) as refused:
        Eraser(store).erase_now(items[:2])
    assert (refused.value.code, refused.value.details) == ("item_frozen", {"versions": "v1, v2", "items": 2})
    assert store.items.count() == 3
    assert Eraser(store).erase_now(items[:2], even_frozen=True).versions == ("v1", "v2")
    told = {one.name: version_value(one) for one in store.versions.list()}
    assert [(told[name]["items"], told[name]["removed"]) for name in ("v1", "v2")] == [(3, 2), (1, 1)]
    assert store.items.ids(Filters(version="v1")) == [items[2]]


def test_the_number_of_a_deleted_item_is_never_another_s(store: Store) -> None:
    first, second = add_item(store), add_item(store, shade=1)
    store.erasing.erase([second])
    third = add_item(store, shade=2)
    assert third > second
    store.erasing.erase([first, third])
    fourth = add_item(store, shade=3)
    assert fourth > third
    assert add_item(store, shade=4) > fourth
    with pytest.raises(NotFound):
        store.erasing.erase([second])


def test_numbers_of_deleted_pages_and_documents_are_never_another_s(store: Store) -> None:
    """They stand in addresses, in exports, in the names of exported files, and in the audit log."""
    add_item(store)
    pages = [Page(store.pictures.put(png(n)), 4, 3, "", n) for n in (1, 2)]
    last = store.pages.add_document("two.pdf", pages)
    read = [recognition(one.sha256, content("Tea")) for one in pages]
    store.erasing.erase([store.recognitions.add(said, page) for said, page in zip(read, last.page_ids, strict=True)])
    again = store.pages.add_document("new.pdf", [Page(store.pictures.put(png(3)), 4, 3, "", 1)])
    assert again.id > last.id
    assert again.page_ids[0] > max(last.page_ids)
    assert store.pages.add_page(again.id, Page(store.pictures.put(png(4)), 4, 3, "", 2)) > again.page_ids[0]


def test_all_or_none(store: Store) -> None:
    item = add_item(store)
    with pytest.raises(NotFound):
        Eraser(store).erase_now([item, 999])
    with pytest.raises(TooLarge):
        Eraser(store).erase_now(list(range(MOST_ITEMS + 1)))
    assert store.items.count() == 1
    assert store.items.ids(Filters(text="Total")) == [item]
