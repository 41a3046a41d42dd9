"""Search in recognised text: by an index, by looking through, and with what stands around the place."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from stored import ANN, add_item, content, open_store

from ocr_ui.storage import search
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    """1 Chinese, 2 with signs of FTS5's language and of LIKE, 3 corrected, 4 with letters that have a case."""
    with open_store(tmp_path_factory.mktemp("search")) as opened:
        add_item(opened, ["增值税专用发票", "金额 壹佰元整"], "一.png")
        add_item(opened, ['say "hi" AND NOT x*', "100% of a_b (c:d)"], "2.png", shade=1)
        add_item(opened, ["Tota1 due"], "receipt.png", shade=2)
        add_item(opened, ["STRASSE ÄPFEL Ωmega"], "4.png", shade=3)
        add_item(opened, ["No.20418：A 合计（元）", "ＡＢ１２"], "5.png", shade=4)
        opened.corrections.add(3, 0, content("Totals due"), ANN)
        opened.corrections.add(3, 1, content("Total due"), ANN)
        yield opened


@pytest.mark.parametrize(
    ("wanted", "items"),
    [
        ("专用发票", [1]),
        ("发票", [1]),  # of two characters there is no trigram
        ("票", [1]),
        ("发票金额", []),
        ("整\n", []),
        ("票\n金", [1]),
        ('"hi"', [2]),
        ('"', [2]),
        ('"hi" AND', [2]),
        ("AND NOT", [2]),
        ("hi OR say", []),
        ("x*", [2]),
        ("sa*", []),
        ("text:say", []),
        ("c:d)", [2]),
        ("100%", [2]),
        ("1_0%", []),
        ("a_b", [2]),
        ("ab_", []),
        ("say\x00", []),
        ("Tota1", [3]),
        ("Totals", []),
        ("total due", [3]),
        ("RECEIPT.p", [3]),
        ("ceip", [3]),
        ("äpfel ω", [4]),
        ("no' OR 1=1 --", []),
        ("\ud800ab", []),
        ("ｔｏｔａｌ\u3000ｄｕｅ", [3]),
        ("total  due", [3]),
        ("NO.20418：A", [5]),
        ("no.20418:a", [5]),
        ("合计(元)", [5]),
        ("１２", [5]),
        ("NO．２０４１８", [5]),
    ],
)
def test_what_is_looked_for_is_a_text(store: Store, wanted: str, items: list[int]) -> None:
    assert store.items.ids(Filters(text=wanted), "oldest") == items
    assert store.items.count(Filters(text=wanted)) == len(items)


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ("税专用", ("增值", "税专用", "发票 金额 壹佰元整", "text", (False, False))),
        ("DUE", ("Total ", "due", "", "text", (False, False))),
        ("tota1", ("", "Tota1", " due", "read", (False, False))),
    ],
)
def test_a_row_shows_the_place(store: Store, wanted: str, place: tuple) -> None:
    assert store.items.list(Filters(text=wanted))[0].found == search.Found(*place)


def test_a_row_that_has_it_in_its_name_shows_no_place(store: Store) -> None:
    assert store.items.list(Filters(text="receipt"))[0].found is None
    assert store.items.list()[0].found is None


def test_of_a_long_text_only_what_stands_around_is_shown() -> None:
    found = search.place_of("x", "a" * 100 + "x" + "b" * 100, "")
    assert (found.before, found.after, found.cut) == ("a" * search.AROUND, "b" * search.AROUND, (True, True))


def test_a_frozen_version_is_searched_as_it_was(store: Store) -> None:
    marks = [(mark.id, mark.correction_version, mark.review_revision) for mark in store.items.marks()]
    store.versions.add("then", marks, "0" * 64, {})
    store.corrections.add(4, 0, content("Street"), ANN)
    assert store.items.ids(Filters(text="street"), "oldest") == [4]
    assert store.items.ids(Filters(text="street", version="then"), "oldest") == []
    assert store.items.ids(Filters(text="due", version="then"), "oldest") == [3]


def test_the_index_answers_where_there_is_one(store: Store) -> None:
    found = {dialect.name: str(search.holding("发票专", dialect.name).compile(dialect=dialect)) for dialect in DIALECTS}
    assert "item_text MATCH" in found["sqlite"]
    assert "item_text" not in found["postgresql"]
    assert "recognition_1.text ILIKE" in found["postgresql"]
    assert "MATCH" not in str(search.holding("发票", "sqlite"))


@pytest.mark.both_databases
def test_a_blank_is_whatever_stands_between_words(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        item = add_item(store, ["Net  amount", "due\u3000date \t a", "50%  off_b/c  (x)"], "my  scan.png")
        add_item(store, ["Netto amounts", "duedated a", "50 off b c x", "Net, amount"], shade=1)
        fixed = add_item(store, ["none"], shade=2)
        store.corrections.add(fixed, 0, content("Put", "right  now"), ANN)
        marks = [(mark.id, mark.correction_version, mark.review_revision) for mark in store.items.marks()]
        store.versions.add("then", marks, "0" * 64, {})

        def all_are_found(**more: str) -> None:
            for wanted, items in {
                "net amount": [item],
                "NET \n amount": [item],
                "amount due": [item],
                "ｄｕｅ date": [item],
                "date a": [item],
                "50% off_b/c (x)": [item],
                "t d": [item],
                "% ": [item],
                "my scan": [item],
                "put right now": [fixed],
                "net  mount": [],
                " right now ": [],
            }.items():
                assert store.items.ids(Filters(text=wanted, **more), "oldest") == items, wanted
                assert store.items.count(Filters(text=wanted, **more)) == len(items)

        all_are_found()
        all_are_found(version="then")
        with store._database.writing() as connection:
            search.write_anew(connection)
        all_are_found()
        assert store.items.list(Filters(text="amount due"))[0].found.match == "amount due"


DIALECTS = (sqlite.dialect(), postgresql.dialect())


def test_the_search_is_there_after_the_data_folder_is_opened_anew(tmp_path: Path) -> None:
    with open_store(tmp_path) as first:
        add_item(first, ["kept words"])
    with open_store(tmp_path) as second:
        assert second.items.ids(Filters(text="pt wor")) == [1]
