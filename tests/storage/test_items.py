from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.domain.content import Field, PageContent
from ocr_ui.domain.review import ErrorKind, Review, State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.storage.items import GROUPS, NO_VERDICT, SORTS, Filters, Items
from ocr_ui.storage.store import Store
from ocr_ui.storage.tables import recognition

pytestmark = pytest.mark.both_databases

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path):
    """Three items: 1 untouched, 2 wrong and corrected by Ann, 3 right by 薄; made on three days."""
    with open_store(tmp_path) as opened:
        add_item(opened, ["Alpha"], "b.png", "full_text", "rapidocr")
        add_item(opened, ["Beta 100%"], "a.png", "fields", "vllm", shade=1)
        add_item(opened, ["Gamma"], "c_d.png", "fields", "rapidocr", shade=2)
        opened.corrections.add(2, 0, content("Betta 100%"), ANN, edit_distance=1, cer=0.1)
        kinds = (ErrorKind.WRONG_CHARACTER, ErrorKind.BOX_OFF)
        opened.reviews.set(2, Review(Verdict.WRONG, State.SUBMITTED, kinds, person=ANN.name, correction_version=1))
        opened.reviews.set(3, Review(Verdict.RIGHT, State.SUBMITTED, person=BO.name))
        with opened._database.writing() as connection:
            for item in (1, 2, 3):
                made = DAY + timedelta(days=item)
                connection.execute(sa.update(recognition).where(recognition.c.id == item).values(created_at=made))
        yield opened


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (Filters(), [3, 2, 1]),
        (Filters(templates=("fields",)), [3, 2]),
        (Filters(engines=("vllm",)), [2]),
        (Filters(models=("PP-OCRv6",)), [3, 2, 1]),
        (Filters(verdicts=("wrong",)), [2]),
        (Filters(verdicts=("right", NO_VERDICT)), [3, 1]),
        (Filters(states=(State.PENDING,)), [1]),
        (Filters(error_kinds=(ErrorKind.BOX_OFF, ErrorKind.REPEATED)), [2]),
        (Filters(reviewers=("薄",)), [3]),
        (Filters(since=DAY + timedelta(days=2)), [3, 2]),
        (Filters(until=DAY + timedelta(days=2)), [1]),
        (Filters(text="betta"), [2]),
        (Filters(text="Beta"), [2]),  # as the engine had read it
        (Filters(text="beta 1"), [2]),
        (Filters(text="c_d"), [3]),
        (Filters(text="_"), [3]),  # not a wildcard
        (Filters(text="0%"), [2]),
        (Filters(items=(1, 3)), [3, 1]),
        (Filters(templates=("fields",), verdicts=("right",)), [3]),
        (Filters(templates=("no' OR 1=1 --",)), []),
    ],
)
def test_filters(store: Store, filters: Filters, ids: list[int]) -> None:
    assert [row.id for row in store.items.list(filters)] == ids
    assert store.items.count(filters) == len(ids)
    assert sorted(item.id for item in store.items.each(filters)) == sorted(ids)


@pytest.mark.parametrize(
    ("sort", "ids"),
    [
        ("newest", [3, 2, 1]),
        ("oldest", [1, 2, 3]),
        ("most_edited", [2, 3, 1]),
        ("worst_cer", [2, 3, 1]),
        ("name", [2, 1, 3]),
        ("updated", [3, 2, 1]),
        ("least_sure", [3, 2, 1]),
        ("disagreement", [3, 2, 1]),
    ],
)
def test_orders(store: Store, sort: str, ids: list[int]) -> None:
    assert [row.id for row in store.items.list(sort=sort)] == ids


def test_every_order_is_tested() -> None:
    assert set(SORTS) == {mark[0] for mark in test_orders.pytestmark[0].args[1]}


def test_an_unknown_order_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="no order"):
        store.items.list(sort="id; DROP TABLE page")


def test_windows_do_not_overlap(store: Store) -> None:
    windows = [store.items.list(limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [[row.id for row in window] for window in windows] == [[3, 2], [1], []]


def test_a_row_says_what_the_list_shows(store: Store) -> None:
    row = store.items.list(Filters(items=(2,)))[0]
    assert (row.page, row.template, row.engine, row.model) == ("a.png", "fields", "vllm", "PP-OCRv6")
    assert (row.verdict, row.state, row.reviewer) == (Verdict.WRONG, State.SUBMITTED, "Ann")
    assert row.error_kinds == (ErrorKind.WRONG_CHARACTER, ErrorKind.BOX_OFF)
    assert (row.version, row.edit_distance, row.cer, row.confidence) == (1, 1, 0.1, 0.9)
    assert row.text == "Betta 100%"
    assert row.created_at == DAY + timedelta(days=2)
    untouched = store.items.list(Filters(items=(1,)))[0]
    assert (untouched.verdict, untouched.edit_distance, untouched.reviewer) == (None, None, "")


@pytest.mark.parametrize(
    ("group", "counts"),
    [
        ("day", {"2026-03-02": 1, "2026-03-03": 1, "2026-03-04": 1}),
        ("verdict", {"none": 1, "right": 1, "wrong": 1}),
        ("state", {"pending": 1, "submitted": 2}),
        ("template", {"fields": 2, "full_text": 1}),
        ("engine", {"rapidocr": 2, "vllm": 1}),
        ("model", {"PP-OCRv6": 3}),
        ("revision", {"r1": 3}),
        ("reviewer", {"": 1, "Ann": 1, "薄": 1}),
        ("error_kind", {"box_off": 1, "wrong_character": 1}),
    ],
)
def test_counts(store: Store, group: str, counts: dict[str, int]) -> None:
    assert store.items.count_by(group) == counts


def test_every_group_is_tested() -> None:
    assert set(GROUPS) == {case[0] for case in test_counts.pytestmark[0].args[1]}


def test_counts_follow_the_filter(store: Store) -> None:
    assert store.items.count_by("template", Filters(engines=("rapidocr",))) == {"fields": 1, "full_text": 1}
    assert store.items.count_by("error_kind", Filters(states=(State.PENDING,))) == {}


def test_a_text_search_finds_what_only_stands_in_fields(store: Store) -> None:
    item = add_item(store, PageContent(fields=(Field("total", "99.50"),)))
    assert [row.id for row in store.items.list(Filters(text="99.50"))] == [item]


def test_whole_items_carry_everything(store: Store) -> None:
    items = {item.id: item for item in store.items.each()}
    second, first = items[2], items[1]
    assert second.recognition == store.recognitions.get(2).recognition
    assert second.correction == store.corrections.latest(2).correction
    assert second.review == store.reviews.get(2).review
    assert second.page == store.pages.get(second.page_id).page
    assert (second.read_by, second.document) == ("Ann", "a.png")
    assert (first.correction, first.corrected_at, first.reviewed_at) == (None, None, None)


def test_what_is_saved_meanwhile_does_not_change_a_run(store: Store) -> None:
    run = store.items.each()
    first = next(run)
    add_item(store, ["late"])
    store.corrections.add(3, 0, content("late"), ANN)
    rest = list(run)
    assert [first.id, *(item.id for item in rest)] == [1, 2, 3]
    assert rest[-1].correction is None


def test_a_run_left_early_frees_its_connection(store: Store) -> None:
    items: Items = store.items
    for _ in range(30):  # more than the pool has
        run = items.each()
        next(run)
        run.close()
    assert items.count() == 3


@pytest.mark.sqlite_only
def test_lists_use_indexes(store: Store) -> None:
    with store._database.snapshot() as connection:
        queries = {
            "SELECT * FROM recognition ORDER BY created_at DESC LIMIT 50": "ix_recognition_created_at",
            "SELECT * FROM review WHERE state = 'pending'": "ix_review_state_updated_at",
            "SELECT * FROM review WHERE verdict = 'wrong'": "ix_review_verdict_updated_at",
            "SELECT * FROM recognition WHERE template = 'a'": "ix_recognition_template_created_at",
            "SELECT * FROM recognition WHERE engine = 'a'": "ix_recognition_engine_created_at",
        }
        for query, index in queries.items():
            plan = " ".join(row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}"))
            assert index in plan, plan


def test_engines_of_one_kind_are_told_apart_by_their_configured_names(store: Store) -> None:
    with store._database.writing() as connection:
        connection.execute(sa.update(recognition).where(recognition.c.id == 3).values(engine_name="office"))
    assert store.items.count_by("engine") == {"rapidocr": 1, "vllm": 1, "office": 1}
    assert [row.id for row in store.items.list(Filters(engines=("office",)))] == [3]
    assert [row.id for row in store.items.list(Filters(engines=("rapidocr",)))] == [1]
    assert store.items.list(Filters(engines=("office",)))[0].engine == "office"
