"""Rollouts, judgements and batches in the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.domain.recognition import Generation
from ocr_ui.domain.rollout import Answer, Choice, Judgement, Kind, LabelUsed, Logprobs, Mark, Rollout, Worth
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.storage.items import Filters
from ocr_ui.storage.records import JobCounts
from ocr_ui.storage.store import Store

pytestmark = pytest.mark.both_databases


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def rollout(store: Store, item: int, *rewards: float | None) -> Rollout:
    read = store.recognitions.get(item).recognition
    answers = tuple(
        Answer(
            number,
            Generation(f"answer {number} \ud800", "stop", 7, 0.5),
            "complete",
            content(f"line {number}"),
            Logprobs(6, -0.5, -2.5),
            (Worth("official", "abc", reward, "because", "code", {"n": 1}),),
            number,
        )
        for number, reward in enumerate(rewards)
    )
    label = LabelUsed(2, True, 9)
    return Rollout(
        read.page_sha256, read.engine, read.prompt, answers, len(rewards), {"a": 1}, False, 1.5, 100, 20, label
    )


def test_what_is_stored_comes_back_as_it_was(store: Store) -> None:
    item = add_item(store)
    value = rollout(store, item, 1.0, None, 0.25)
    kept = store.rollouts.get(store.rollouts.add(item, value, ANN))
    assert kept.rollout == value
    assert (kept.recognition_id, kept.person) == (item, "Ann")
    (row,) = store.rollouts.of_item(item)
    assert (row.id, row.mark, row.reward, row.asked) == (kept.id, Mark.INFORMATIVE, 0.625, 3)


def test_answers_to_another_picture_and_to_no_item_are_refused(store: Store) -> None:
    item, other = add_item(store), add_item(store, shade=5)
    with pytest.raises(BadInput):
        store.rollouts.add(other, rollout(store, item, 1.0))
    with pytest.raises(NotFound):
        store.rollouts.add(999, rollout(store, item, 1.0))
    with pytest.raises(NotFound):
        store.rollouts.get(1)


def test_scoring_again_changes_the_scores_alone(store: Store) -> None:
    item = add_item(store)
    value = rollout(store, item, 1.0, 0.0)
    one = store.rollouts.add(item, value)
    worse = tuple(replace(answer, worths=(Worth("official", "new", 0.0),)) for answer in value.answers)
    store.rollouts.score(one, replace(value, answers=worse, label=LabelUsed(3, False), seconds=99))
    found = store.rollouts.get(one).rollout
    assert found.answers == worse
    assert (found.label, found.seconds) == (LabelUsed(3, False), 1.5)
    assert store.rollouts.of_item(item)[0].mark is Mark.ALL_WRONG
    with pytest.raises(NotFound):
        store.rollouts.score(99, value)


def test_items_are_found_by_the_mark_of_their_newest_rollout(store: Store) -> None:
    dull, lively, bare = (add_item(store, shade=shade) for shade in range(3))
    store.rollouts.add(dull, rollout(store, dull, 1.0, 0.0))
    store.rollouts.add(dull, rollout(store, dull, 1.0, 1.0))
    store.rollouts.add(lively, rollout(store, lively, 1.0, 0.0))
    assert [row.id for row in store.items.list(Filters(marks=("informative",)))] == [lively]
    assert [row.id for row in store.items.list(Filters(marks=("all_right", "informative")))] == [lively, dull]
    assert bare


def test_a_judgement_sent_twice_counts_once(store: Store) -> None:
    item = add_item(store)
    one = store.rollouts.add(item, rollout(store, item, 1.0, 0.0))
    said = Judgement(Kind.PAIR, (1, 0), Choice.RIGHT, "薄", True, 2.5)
    first = store.rollouts.judge(one, said, "key")
    assert store.rollouts.judge(one, said, "key") == first
    (told,) = store.rollouts.judgements(one)
    assert told.judgement == said
    assert told.judgement.person == BO.name
    with pytest.raises(BadInput):
        store.rollouts.judge(one, replace(said, order=(0, 1)), "key")
    with pytest.raises(NotFound):
        store.rollouts.judge(77, said)


def test_a_batch_knows_what_is_left(store: Store) -> None:
    jobs, items = store.rollout_jobs, [add_item(store, shade=shade) for shade in range(3)]
    job = jobs.begin({"n": 2}, [*items, items[0]], ANN)
    assert jobs.counts(job) == JobCounts(3, 0, 0)
    assert jobs.find({"n": 2}) == job
    assert jobs.find({"n": 3}) is None
    rollout_id = store.rollouts.add(items[0], rollout(store, items[0], 1.0, 0.0))
    assert jobs.done(job, items[0], rollout_id)
    assert not jobs.done(job, items[0], rollout_id), "somebody else was first"
    assert jobs.failed(job, items[1], "why")
    jobs.finish(job)
    assert jobs.find({"n": 2}) == job, "an item waits"
    assert jobs.waiting(job, 9) == [items[2]]
    assert jobs.waiting(job, 9, after=items[2]) == []
    assert jobs.failed(job, items[2], "why not")
    jobs.finish(job)
    assert jobs.find({"n": 2}) is None
    assert jobs.find({"n": 2}, finished=True) == job
    assert jobs.errors(job) == [(items[1], "why"), (items[2], "why not")]
    jobs.again(job)
    assert jobs.counts(job) == JobCounts(2, 1, 0)
    assert jobs.find({"n": 2}) == job
    with pytest.raises(NotFound):
        jobs.asked(99)
