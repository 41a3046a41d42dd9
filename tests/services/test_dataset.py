from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.domain.review import ErrorKind, State
from ocr_ui.errors import BadInput
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.dataset import SORT_NAMES, Dataset, read_filters, shown_filters
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store
from ocr_ui.storage.tables import recognition


@pytest.fixture
async def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        for index in range(5):
            add_item(opened, [f"line {index}"], f"p{index}.png", "fields" if index % 2 else "full_text", shade=index)
        annotator = Annotator(opened)
        await annotator.save_correction(2, 0, content("lime 1"), "wrong", person=ANN)
        await annotator.save_correction(3, 0, content("line 2"), "right", person=ANN)
        yield opened


def made(store: Store, item: int, moment: datetime) -> None:
    with store._database.writing() as connection:
        connection.execute(sa.update(recognition).where(recognition.c.id == item).values(created_at=moment))


async def test_a_window_of_the_list(store: Store) -> None:
    dataset = Dataset(store)
    window = await dataset.list(sort="oldest", limit=2, offset=1)
    assert ([row.id for row in window.rows], window.total, window.offset) == ([2, 3], 5, 1)
    row = window.rows[0]
    assert (row.text, row.edit_distance, row.reviewer, row.error_kinds) == (
        "lime 1",
        1,
        "Ann",
        (ErrorKind.WRONG_CHARACTER,),
    )
    assert (await dataset.list(limit=-5, offset=-5)).rows == ()
    for sort in SORT_NAMES:
        assert len((await dataset.list(sort=sort)).rows) == 5


async def test_filters_as_widgets_give_them(store: Store) -> None:
    dataset = Dataset(store)
    assert await dataset.count({"template": "fields", "verdict": "", "states": None, "text": " "}) == 2
    assert await dataset.count({"verdicts": ["wrong", "none"]}) == 4
    assert await dataset.count({"state": "submitted", "error_kind": "wrong_character"}) == 1
    assert await dataset.count({"text": "lime"}) == 1
    assert await dataset.count({"items": ["1", 2]}) == 2
    assert await dataset.count(Filters(reviewers=("Ann",))) == 2


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"colour": "red"}, "unknown_filter"),
        ({"verdict": "maybe"}, "bad_filter_value"),
        ({"states": ["done"]}, "bad_filter_value"),
        ({"error_kind": "typo"}, "bad_filter_value"),
        ({"items": ["one"]}, "bad_filter_value"),
        ({"since": "yesterday"}, "bad_date"),
        ({"since": "2026-02-30"}, "bad_date"),
        ({"until": "9999-12-31"}, "bad_date"),
        ({"since": object()}, "bad_date"),
    ],
)
def test_filters_that_cannot_be(values: dict, code: str) -> None:
    with pytest.raises(BadInput) as failed:
        read_filters(values)
    assert failed.value.code == code


@pytest.mark.parametrize(
    ("given", "since"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        (date(2026, 1, 31), datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T10:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("2026-01-31T10:00+02:00", datetime(2026, 1, 31, 8, tzinfo=UTC)),
        (datetime(2026, 1, 31), datetime(2026, 1, 31, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        ("", None),
    ],
)
def test_dates(given: object, since: datetime | None) -> None:
    assert read_filters({"since": given}).since == since


async def test_until_a_day_includes_it(store: Store) -> None:
    made(store, 1, datetime(2026, 1, 31, 23, 59, tzinfo=UTC))
    assert await Dataset(store).count({"until": "2026-01-31"}) == 1
    assert await Dataset(store).count({"until": "2026-01-30"}) == 0


async def test_summary_for_charts(store: Store) -> None:
    start = datetime(2026, 1, 30, tzinfo=UTC)
    for item in range(1, 6):
        made(store, item, start + timedelta(days=3 * (item > 3)))
    summary = await Dataset(store).summary()
    assert summary == {
        "day": {"2026-01-30": 3, "2026-01-31": 0, "2026-02-01": 0, "2026-02-02": 2},
        "verdict": {"none": 3, "right": 1, "wrong": 1},
        "error_kind": {"wrong_character": 1},
        "template": {"fields": 2, "full_text": 3},
        "state": {"pending": 3, "submitted": 2},
    }
    assert (await Dataset(store).summary({"state": "pending"}))["verdict"] == {"none": 3}


async def test_nothing_stored_yet(tmp_path: Path) -> None:
    with open_store(tmp_path) as empty:
        assert (await Dataset(empty).list()).total == 0
        assert (await Dataset(empty).summary())["day"] == {}


async def test_choices_are_what_is_there(store: Store) -> None:
    choices = await Dataset(store).choices()
    assert choices["templates"] == ("fields", "full_text")
    assert choices["reviewers"] == ("Ann",)
    assert set(choices["states"]) == {state.value for state in State}


@pytest.mark.parametrize(
    "values", [{"items": [{}]}, {"items": 1.5}, {"tags": {"a": 1}}, {"tags": ["x"] * 501}, {"engines": 2.5}]
)
def test_filters_of_another_kind_are_told(values: dict[str, object]) -> None:
    with pytest.raises(BadInput) as refused:
        read_filters(values)
    assert refused.value.code == "bad_filter_value"


async def test_the_list_is_filtered_to_what_a_person_had_read(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        mine, _ = add_item(store, person=BO), add_item(store, shade=1, person=ANN)
        add_item(store, shade=2, person=None)
        dataset = Dataset(store)
        assert [row.id for row in (await dataset.list({"reader": BO.name})).rows] == [mine]
        assert set((await dataset.choices())["readers"]) == {ANN.name, BO.name}
    assert shown_filters({"readers": ["Ann"], "text": "x"}, True) == {"readers": "(names left out)", "text": "x"}
