"""What is said of each version of a template, worked out once more here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from stored import ANN, add_item, content, open_store

from ocr_ui.domain.recognition import Generation, PromptUsed
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.services import template_scores
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.template_scores import TemplateScores
from ocr_ui.storage.store import Store
from ocr_ui.storage.tables import recognition, review

pytestmark = pytest.mark.both_databases

SAID = content("Total", "12.50")
ANSWER = (
    "<ref>Total</ref><quad>(10,0),(500,19)</quad><ref>12.50</ref><quad>(10,25),(500,44)</quad>"  # of 1000 x 800 pixels
)
ONE, TWO = "1" * 12, "2" * 12


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rewards at once, however busy the machine is."""
    monkeypatch.setattr(template_scores, "SECONDS", 600)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def read(store: Store, version: str, engine: str = "openai") -> int:
    found = store.recognitions.get(add_item(store, SAID, engine=engine))
    prompt = PromptUsed("mine", version, "spotting", "Read it.", {})
    asked = replace(found.recognition, prompt=prompt, generation=Generation(ANSWER, "stop", 12, 0.5), transform={})
    return store.recognitions.add(asked, found.page_id)


async def accept(store: Store, item: int, *texts: str) -> None:
    """Args: texts: of the lines as a person has put them right; none where nothing was wrong."""
    if texts:
        await Annotator(store).save_correction(item, 0, content(*texts), person=ANN)
    verdict = Verdict.WRONG if texts else Verdict.RIGHT
    for state in (State.SUBMITTED, State.ACCEPTED):
        store.reviews.set(item, Review(verdict, state, person="Ann"))


async def test_each_version_has_the_scores_of_its_accepted_readings(store: Store) -> None:
    for texts in ((), ("Total", "12.80")):
        await accept(store, read(store, ONE), *texts)
    read(store, ONE)
    read(store, TWO)
    await accept(store, read(store, TWO, "rapidocr"), "x", "y")
    scores = TemplateScores(store)
    uses = scores.uses("mine")
    one, two = uses[ONE], uses[TWO]
    assert (one.readings, one.accepted, one.edited, one.unscored) == (3, 2, 0.5, 0)
    assert one.cer == pytest.approx((0 + 1 / 11) / 2)  # a character of "Total\n12.80"
    assert one.reward == pytest.approx((1 + (1 + 4 / 5) / 2) / 2)  # two lines found, in one a character of five
    assert (two.readings, two.accepted, two.cer, two.edited, two.reward) == (1, 0, None, None, None)
    assert scores.counts()["mine"] == 4, "an engine that takes no wording says nothing of it"


async def test_a_reward_is_worked_out_again_for_another_label(store: Store) -> None:
    item = read(store, ONE)
    await accept(store, item, "Total", "12.80")
    scores = TemplateScores(store)
    before = scores.uses("mine")[ONE].reward
    await Annotator(store).save_correction(item, 1, content("Total", "99.99"), person=ANN, state="accepted")
    assert scores.uses("mine")[ONE].reward < before


async def test_what_takes_longer_is_worked_out_bit_by_bit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        await accept(store, read(store, ONE))
    monkeypatch.setattr(template_scores, "SECONDS", 0)
    scores = TemplateScores(store)
    assert [scores.uses("mine")[ONE].unscored for _ in range(4)] == [2, 1, 0, 0]
    assert scores.uses("mine")[ONE].reward == 1


@pytest.mark.stress
async def test_ten_thousand_readings_are_counted_in_a_moment(store: Store) -> None:
    item = read(store, ONE)
    await accept(store, item)
    scores = TemplateScores(store)
    assert scores.uses("mine")[ONE].reward == 1
    with store._database.writing() as connection:
        for table in (recognition, review):
            key = "id" if table is recognition else "recognition_id"
            row = connection.execute(select(table).where(table.c[key] == item)).one()._mapping
            connection.execute(insert(table), [{**row, key: 1_000 + number} for number in range(10_000)])
        rewarded = ((1_000 + number, 0, 0.5) for number in range(10_000))
        store.templates.score(rewarded)
    begin = time.process_time()
    use = scores.uses("mine")[ONE]
    assert (use.readings, use.accepted, use.unscored) == (10_001, 10_001, 0)
    assert use.reward == pytest.approx((1 + 0.5 * 10_000) / 10_001)
    assert time.process_time() - begin < 1
