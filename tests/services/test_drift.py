from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from stored import ANN, add_item, content, open_store

from ocr_ui.domain.content import Table
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.services.drift import MEASURES, DriftWatch
from ocr_ui.services.figures import prepare
from ocr_ui.settings import Settings
from ocr_ui.storage import tables
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store

EACH = 12
SPAN = 40
"""Pages a day, and days, of a planted store."""


NOW = datetime.now(UTC)
"""Once for all: midnight may pass while tests run."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def watch(store: Store, folder: Path, **settings: Any) -> DriftWatch:
    return DriftWatch(store, Settings(data_dir=folder, **settings))


def day(number: int) -> datetime:
    """Noon of a day of the planted store; the last one is yesterday."""
    return NOW.replace(hour=12, minute=0) - timedelta(days=SPAN - number)


def plant(store: Store, total: int, **columns: Sequence[Any]) -> None:
    """So many pages with readings, as rows of the tables, which is quick; EACH a day unless `at` says otherwise."""
    noise = np.random.default_rng(3)
    given: dict[str, Sequence[Any]] = {
        "at": [day(number // EACH) for number in range(total)],
        "document": range(1, total + 1),
        "width": [1000] * total,
        "confidence": noise.beta(8, 2, total).tolist(),
        "layout": noise.choice(["simple", "dense"], total, p=[0.8, 0.2]).tolist(),
        "script": noise.choice(["latin", "chinese"], total, p=[0.5, 0.5]).tolist(),
        "template_version": ["aaaa"] * total,
        "revision": ["r1"] * total,
        "engine_version": ["1.0"] * total,
        "verdict": noise.choice(["right", "wrong"], total, p=[0.9, 0.1]).tolist(),
        **columns,
    }
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("document", "page", "recognition", "review", "reading_figure")
    }
    empty = dict.fromkeys(("method", "error", "timings", "transform", "prompt", "generation"), "")
    said = {"text": "x", "content": '{"lines": [], "regions": [], "tables": []}'}
    for number in range(total):
        one = {name: values[number] for name, values in given.items()}
        key, at = number + 1, one["at"]
        if one["document"] == key:
            rows["document"].append({"id": key, "created_at": at, "name": "a"})
        size = {"sha256": "0" * 64, "width": one["width"], "height": 1000}
        rows["page"].append(
            {"id": key, "document_id": one["document"], "number": key, "created_at": at, "name": "a", **size}
        )
        named = {name: one[name] for name in ("template_version", "revision", "engine_version", "confidence")}
        engine = {"engine": "vllm", "engine_name": "", "model": "m", "template": "full_text", "task": "spotting"}
        rows["recognition"].append(
            {"id": key, "page_id": key, "created_at": at, "outcome": "complete", **named, **engine, **empty, **said}
        )
        plain = {"revision": 1, "latest_version": 0, "correction_version": 0, "state": "submitted", "note": ""}
        rows["review"].append(
            {"recognition_id": key, "updated_at": at, "verdict": one["verdict"], "error_kinds": "", "tags": "", **plain}
        )
        figures = {name: one[name] for name in ("layout", "script")}
        rows["reading_figure"].append({"recognition_id": key, "disagreement": None, **figures})
    with store._database.writing() as connection:
        for name, some in rows.items():
            connection.execute(sa.insert(tables.metadata.tables[name]), some)


async def test_noise_is_no_drift(store: Store, tmp_path: Path) -> None:
    plant(store, SPAN * EACH)
    seen = await watch(store, tmp_path).look()
    assert (seen["shifts"], seen["events"], seen["marks"], seen["too_few"]) == ([], [], [], {})
    assert (len(seen["days"]), sum(seen["pages"])) == (SPAN, SPAN * EACH)
    assert list(seen["measures"]) == list(MEASURES)
    assert sum(seen["measures"]["layout"]["simple"]) + sum(seen["measures"]["layout"]["dense"]) == SPAN * EACH
    sure = seen["measures"]["confidence"]
    assert all(low < middle < high for low, middle, high in zip(*sure.values(), strict=True))


async def test_planted_drift_is_found_and_told_in_the_order_one_would_look(store: Store, tmp_path: Path) -> None:
    total, border, later = SPAN * EACH, 20 * EACH, 33 * EACH
    noise = np.random.default_rng(5)
    unsure = np.where(np.arange(total) < border, noise.beta(8, 2, total), noise.beta(3, 3, total))
    dense = np.where(np.arange(total) < border, "simple", noise.choice(["simple", "dense"], total))
    wrong = np.where((np.arange(total) >= later) & (noise.random(total) < 0.8), "wrong", "right")
    changed = ["r1"] * border + ["r2"] * (total - border)
    plant(
        store,
        total,
        confidence=unsure.tolist(),
        layout=dense.tolist(),
        verdict=wrong.tolist(),
        revision=changed,
        template_version=["aaaa"] * (later - EACH) + ["bbbb"] * (total - later + EACH),
    )
    seen = await watch(store, tmp_path).look()
    told = {one["measure"]: one for one in seen["shifts"]}
    assert list(told) == ["layout", "confidence", "corrected"]
    assert [
        abs((datetime.fromisoformat(one["day"]).date() - day(at).date()).days) <= 1
        for one, at in zip(told.values(), (20, 20, 33), strict=True)
    ] == [True] * 3
    assert told["confidence"]["now"] < told["confidence"]["before"] - 0.1
    assert told["layout"]["before"] == {"simple": 1.0}
    assert told["corrected"]["now"]["corrected"] > 0.6
    marks = [(one["what"], one["name"], one["before"], one["now"], one["day"]) for one in seen["marks"]]
    assert marks == [
        ("revision", "vllm", "r1", "r2", day(20).date().isoformat()),
        ("template", "full_text", "aaaa", "bbbb", day(32).date().isoformat()),
    ]
    newest, oldest = seen["events"]
    assert (newest["first"], [seen["marks"][n]["what"] for n in newest["marks"]]) == ("configuration", ["template"])
    assert (oldest["first"], [seen["marks"][n]["what"] for n in oldest["marks"]]) == ("data", ["revision"])
    assert [seen["shifts"][n]["group"] for n in oldest["shifts"]] == ["data", "model"]


async def test_pages_of_one_document_count_as_one(store: Store, tmp_path: Path) -> None:
    total, border = SPAN * EACH, 30 * EACH
    book = [number + 1 for number in range(border)] + [border + 1] * (total - border)
    layouts = ["simple"] * border + ["dense"] * (total - border)
    plant(store, total, document=book, layout=layouts, at=[day(min(number // EACH, 30)) for number in range(total)])
    seen = await watch(store, tmp_path).look()
    assert (seen["shifts"], seen["measures"]["layout"]["dense"][-1]) == ([], total - border)


async def test_of_few_pages_it_says_so_and_of_none_there_is_nothing(store: Store, tmp_path: Path) -> None:
    nothing = await watch(store, tmp_path).look()
    assert (nothing["days"], nothing["pages"], nothing["shifts"]) == ([], [], [])
    assert nothing["too_few"] == dict.fromkeys(MEASURES, 0)
    two_pages = [number // 2 * 2 + 1 for number in range(40)]
    plant(store, 40, document=two_pages, layout=["simple", "dense"] * 20, verdict=[None] * 40)
    few = await watch(store, tmp_path).look()
    assert few["too_few"] == {**dict.fromkeys(MEASURES, 20), "corrected": 0}
    with pytest.raises(BadInput) as refused:
        await watch(store, tmp_path).look(0)
    assert refused.value.code == "bad_drift_days"


async def test_a_version_is_told_when_it_comes_and_when_it_comes_back_and_not_while_both_are_in_use(
    store: Store, tmp_path: Path
) -> None:
    versions = ["a"] * 5 + ["a", "b"] * 5 + ["b"] * 5 + ["a"] * 5
    plant(store, 25, template_version=versions, at=[day(number) for number in range(25)])
    seen = await watch(store, tmp_path).look()
    told = [(one["day"], one["before"], one["now"]) for one in seen["marks"]]
    assert told == [(day(6).date().isoformat(), "a", "b"), (day(20).date().isoformat(), "b", "a")]


@pytest.mark.both_databases
async def test_settings_and_program_are_noted_where_they_change(store: Store, tmp_path: Path) -> None:
    first, second = watch(store, tmp_path), watch(store, tmp_path, engine_pixels=1_000_000)
    for one in (first, first, second, second):
        await one.configured()
    assert len(store.drift.configurations()) == 2
    store.drift.configured("0.0.1", store.drift.configurations()[-1].settings)
    seen = await first.look()
    told = [(one["group"], one["what"], one["name"].partition(":")[2], one["now"]) for one in seen["marks"]]
    assert told[0] == ("configuration", "settings", " engine_pixels", "1000000")
    assert told[-1] == ("post_processing", "program", "", "0.0.1")


@pytest.mark.both_databases
async def test_what_was_read_and_corrected_is_what_is_followed(store: Store, tmp_path: Path) -> None:
    table = replace(content("a"), tables=(Table("<table></table>"),))
    right, wrong, _ = add_item(store, shade=1), add_item(store, shade=2), add_item(store, table, shade=3)
    store.corrections.add(wrong, 0, content("Total 12.80", "Thank you"), ANN, edit_distance=1)
    for item in (right, wrong):
        store.reviews.set(item, Review(Verdict.RIGHT, State.SUBMITTED, person="Ann"))
    add_item(store, shade=4, template="other")
    add_item(store, shade=5, engine="import")
    assert (await watch(store, tmp_path).look(7))["pending"] == 4
    prepare(store, Filters(), "disagreement")
    seen = await watch(store, tmp_path).look(7, "full_text")
    assert (seen["pages"], seen["pending"]) == ([3], 0)
    assert seen["measures"]["layout"] == {"complex": [1], "simple": [2]}
    assert seen["measures"]["size"]["median"] == [0.8]
    assert seen["measures"]["corrected"] == {"corrected": [1], "right": [1]}
    assert seen["measures"]["script"] == {"latin": [3]}
    assert (await watch(store, tmp_path).look(7))["pages"] == [4]


def test_readings_of_an_older_version_get_the_kind_of_their_page(store: Store) -> None:
    add_item(store, content(*(f"line {n}" for n in range(60))))
    assert store.figures.missing() == [1]
    prepare(store, Filters(), "disagreement")
    (row,) = store.drift.readings(datetime(2000, 1, 1, tzinfo=UTC), datetime.now(UTC) + timedelta(days=1))
    assert row[-3:] == ("dense", None, None)
    assert asdict(store.figures.texts([1])[0])["layout"] == "dense"
