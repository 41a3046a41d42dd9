"""Preferences among sampled answers in the formats for trainers of preferences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from sampled import CUT, MISREAD, RIGHT, WRONG, add_read, label
from stored import ANN, BO, open_store

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.domain.review import State
from ocr_ui.domain.rollout import Answer, Choice, Judgement, Kind, LabelUsed, Rollout, Worth
from ocr_ui.errors import BadInput
from ocr_ui.exports.sample import Options
from ocr_ui.services.dataset_versions import DatasetVersions
from ocr_ui.services.export import Exporter
from ocr_ui.storage.store import Store

SAID = (RIGHT, MISREAD, CUT, WRONG)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "data") as opened:
        yield opened


def sampled(store: Store, item: int, revision: str = "r1", rewards: tuple[float, ...] = (1.0, 0.6, 0.4, 0.0)) -> int:
    read = store.recognitions.get(item).recognition
    answers = tuple(
        Answer(number, Generation(text, "stop", 5), "complete", PageContent(), worths=(Worth("official", "1", reward),))
        for number, (text, reward) in enumerate(zip(SAID, rewards, strict=True))
    )
    engine = EngineName("scripted", "1", "script", revision)
    value = Rollout(read.page_sha256, engine, read.prompt, answers, 4, label=LabelUsed(1, True))
    return store.rollouts.add(item, value, ANN)


def says(store: Store, rollout: int, left: int, right: int, choice: Choice, person: str = "Ann") -> None:
    store.rollouts.judge(rollout, Judgement(Kind.PAIR, (left, right), choice, person, True, 3.0))


def pairs(folder: Path) -> set[tuple[str, str]]:
    """(chosen, rejected) of an export for TRL's DPO."""
    rows = pq.read_table(folder / "trl-dpo" / "train.parquet").to_pylist()
    return {(row["chosen"][0]["content"][0]["text"], row["rejected"][0]["content"][0]["text"]) for row in rows}


def export(store: Store, format: str, folder: Path, **filters: object) -> Path:
    Exporter(store).export_now(format, folder, filters, True, Options())
    return folder


def test_what_people_prefer_stands_beside_label_and_model(store: Store, tmp_path: Path) -> None:
    item = add_read(store)
    label(store, item)
    rollout = sampled(store, item)
    says(store, rollout, 2, 0, Choice.RIGHT)
    says(store, rollout, 1, 3, Choice.TIE)
    says(store, rollout, 2, 3, Choice.BOTH_BAD)
    found = pairs(export(store, "trl-dpo", tmp_path / "out"))
    assert len(found) == 2
    assert (RIGHT, CUT) in found
    assert {rejected for _, rejected in found} == {CUT, MISREAD}, "the model's own answer was corrected"


def test_rankings_and_best_answers_count_and_a_draw_of_people_does_not(store: Store, tmp_path: Path) -> None:
    item = add_read(store)
    rollout = sampled(store, item)
    store.rollouts.judge(rollout, Judgement(Kind.RANK, (1, 2, 3), person="Ann"))
    says(store, rollout, 1, 2, Choice.RIGHT, BO.name)
    store.rollouts.judge(rollout, Judgement(Kind.BEST, (0,), person="Ann"))
    found = pairs(export(store, "trl-dpo", tmp_path / "out"))
    assert found == {(RIGHT, MISREAD), (RIGHT, CUT), (RIGHT, WRONG), (MISREAD, WRONG), (CUT, WRONG)}


def test_each_person_has_one_vote_on_a_pair_and_may_think_again(store: Store, tmp_path: Path) -> None:
    item = add_read(store)
    rollout = sampled(store, item)
    for _ in range(2):
        says(store, rollout, 0, 1, Choice.LEFT)
    says(store, rollout, 0, 1, Choice.RIGHT, BO.name)  # one against one
    says(store, rollout, 2, 3, Choice.RIGHT)
    says(store, rollout, 3, 2, Choice.RIGHT)  # Ann has changed her mind
    says(store, rollout, 0, 3, Choice.LEFT)
    says(store, rollout, 0, 3, Choice.TIE)
    assert pairs(export(store, "trl-dpo", tmp_path / "out")) == {(CUT, WRONG)}


def test_an_item_that_must_not_be_used_gives_no_preference(store: Store, tmp_path: Path) -> None:
    item = add_read(store)
    says(store, sampled(store, item), 0, 1, Choice.LEFT)
    store.reviews.set(item, replace(store.reviews.get(item).review, state=State.SKIPPED))
    with pytest.raises(BadInput):
        export(store, "trl-dpo", tmp_path / "out")


def test_only_the_model_revision_to_be_trained(store: Store, tmp_path: Path) -> None:
    item = add_read(store, revision="r1")
    says(store, sampled(store, item, "r1"), 0, 1, Choice.LEFT)
    says(store, sampled(store, item, "r9"), 2, 3, Choice.LEFT)
    assert pairs(export(store, "trl-dpo", tmp_path / "all")) == {(RIGHT, MISREAD), (CUT, WRONG)}
    assert pairs(export(store, "trl-dpo", tmp_path / "one", revision=["r1"])) == {(RIGHT, MISREAD)}


def test_sampled_answers_are_right_or_wrong_by_the_reward(store: Store, tmp_path: Path) -> None:
    item = add_read(store)
    label(store, item)
    sampled(store, item)
    folder = export(store, "trl-kto", tmp_path / "out")
    rows = pq.read_table(folder / "trl-kto" / "train.parquet").to_pylist()
    said = {row["completion"][0]["content"][0]["text"]: row["label"] for row in rows}
    assert said == {RIGHT: True, MISREAD: False, CUT: False, WRONG: False}


@pytest.mark.parametrize("format", ["llama-factory", "ms-swift"])
def test_conversations_have_a_row_for_each_preference(store: Store, tmp_path: Path, format: str) -> None:
    item, bare = add_read(store), add_read(store, shade=7)
    label(store, item)
    says(store, sampled(store, item), 0, 2, Choice.LEFT)
    says(store, sampled(store, bare), 0, 3, Choice.LEFT)
    folder = export(store, format, tmp_path / "out") / format
    count = {name: len((folder / f"{name}.jsonl").read_text().splitlines()) for name in ("sft", "dpo", "kto")}
    assert count == {"sft": 1, "dpo": 3, "kto": 4}
    last = json.loads((folder / "dpo.jsonl").read_text().splitlines()[-1])
    if format == "ms-swift":
        assert (last["messages"][-1]["content"], last["rejected_response"]) == (RIGHT, WRONG)
    else:
        assert (last["chosen"]["value"], last["rejected"]["value"]) == (RIGHT, WRONG)


def test_only_what_teaches_something(store: Store, tmp_path: Path) -> None:
    kept, dull = add_read(store), add_read(store, shade=7)
    for item, rewards in ((kept, (1.0, 0.5, 0.2, 0.0)), (dull, (1.0, 1.0, 1.0, 1.0))):
        label(store, item)
        sampled(store, item, rewards=rewards)
    folder = export(store, "trl-grpo", tmp_path / "out", mark=["informative"])
    assert pq.read_table(folder / "trl-grpo" / "train.parquet").num_rows == 1
    assert [row.id for row in store.items.list()] == [dull, kept]


def test_a_frozen_version_has_the_preferences_of_its_time(store: Store, tmp_path: Path) -> None:
    item = add_read(store)
    rollout = sampled(store, item)
    says(store, rollout, 0, 1, Choice.LEFT)
    DatasetVersions(store).freeze_now("v1", {}, "", "")
    says(store, rollout, 0, 2, Choice.LEFT)
    assert pairs(export(store, "trl-dpo", tmp_path / "then", version="v1")) == {(RIGHT, MISREAD)}
    assert pairs(export(store, "trl-dpo", tmp_path / "now")) == {(RIGHT, MISREAD), (RIGHT, CUT)}
