"""Claims on one database from several processes: no two ever get the same item."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest
from stored import ANN, BO, add_item, open_store

from ocr_ui.domain.person import Person
from ocr_ui.settings import Settings
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store

pytestmark = pytest.mark.both_databases

A, B = "holder-of-ann", "holder-of-bo"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        for n in range(4):
            add_item(opened, (f"item {n}",))
        yield opened


def take(store: Store, holder: str, items: tuple[int, ...] = (1, 2, 3, 4), **more) -> int | None:
    person = more.get("person", ANN if holder == A else BO)
    taken = store.claims.take_first(
        items, more.get("filters"), holder, person, more.get("minutes", 10), more.get("alive", ())
    )
    return taken and taken.recognition_id


def test_what_one_has_another_does_not_get(store: Store) -> None:
    assert [take(store, A), take(store, B), take(store, A), take(store, B, (2,))] == [1, 2, 1, 2]
    assert take(store, A, (2,)) is None
    held = store.claims.of([1, 2, 3])
    assert {item: claim.holder for item, claim in held.items()} == {1: A, 2: B}
    assert held[1].person == "Ann"


def test_a_tab_that_died_hides_nothing_from_its_own_person(store: Store) -> None:
    assert take(store, "a-tab-that-dies", person=ANN) == take(store, "the-next-tab", person=ANN, alive=(A,)) == 1
    assert store.claims.of([1])[1].holder == "the-next-tab"
    assert take(store, A, alive=("the-next-tab",)) == 2, "one that is alive keeps its page"
    assert take(store, B, (1, 2), person=BO) is None
    assert take(store, "nobody-here", (3,), person=Person("")) == 3
    assert take(store, "nobody-else", (3,), person=Person("")) is None, "without a name nobody knows who it is"


def test_a_claim_ends_with_its_time_and_work_renews_it(store: Store) -> None:
    assert take(store, A, minutes=-1) == 1
    assert store.claims.of([1]) == {}
    assert take(store, B, person=BO) == 1
    store.claims.renew([1, 99], A, ANN, 10)
    assert store.claims.of([1])[1].person == "薄"
    assert take(store, B, (2,), minutes=-1) == 2
    until = store.claims.renew([2], B, BO, 10)
    assert store.claims.of([2])[2].until == until
    assert take(store, A, (2,)) is None


def test_given_back_an_item_is_free(store: Store) -> None:
    for item in (1, 2):
        take(store, A, (item,))
    store.claims.release(B)
    store.claims.release(A, [2])
    assert set(store.claims.of([1, 2])) == {1}
    store.claims.release(A)
    assert store.claims.of([1, 2]) == {}


def test_what_the_filters_no_longer_choose_is_passed_over(store: Store) -> None:
    assert take(store, A, filters=Filters(text="item 2")) == 3
    assert take(store, B, (99, 4)) == 4
    assert take(store, B, (99,)) is None


ROUNDS = 30


def _take_many(folder: str, holder: str, together, results) -> None:
    """Takes one item after the other, each time at the same moment as the other process."""
    with Store.open(Settings(data_dir=Path(folder))) as store:
        mine: list[int] = []
        for _ in range(ROUNDS):
            together.wait()
            left = [item for item in range(1, 2 * ROUNDS + 1) if item not in mine]
            mine.append(store.claims.take_first(left, None, holder, Person(holder), 10).recognition_id)
        results.put(mine)


def test_two_processes_never_get_the_same_item(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        for n in range(2 * ROUNDS):
            add_item(store, (f"item {n}",))
    context = multiprocessing.get_context("spawn")
    together, results = context.Barrier(2, timeout=60), context.Queue()
    workers = [
        context.Process(target=_take_many, args=(str(tmp_path), f"process-{n}", together, results)) for n in range(2)
    ]
    for worker in workers:
        worker.start()
    found = [results.get(timeout=90) for _ in workers]
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert sorted(found[0] + found[1]) == list(range(1, 2 * ROUNDS + 1))
