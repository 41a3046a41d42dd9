"""A second person reviews a page: blind or not, how far the two agree, and how a dispute ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.domain.content import Field
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import ErrorKind, State, Verdict
from ocr_ui.domain.second import Choice
from ocr_ui.errors import BadInput, Conflict, NotFound
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.dataset import Dataset
from ocr_ui.services.dataset_versions import DatasetVersions
from ocr_ui.services.second_reviews import SecondReviewer, dispute_value
from ocr_ui.services.view import Views
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

MODEL = content("Total 12.80", "Thank you", "Bye")
ANNS = content("Total 12.50", "Thank you", "Bye!")
BOS = content("Total 12.5O", "Thank yous", "Bye?")
EVE = Person("Eve")


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        add_item(opened, MODEL)
        yield opened


@pytest.fixture
def annotator(store: Store) -> Annotator:
    return Annotator(store)


@pytest.fixture
def second(store: Store, annotator: Annotator) -> SecondReviewer:
    return SecondReviewer(store, annotator)


async def by_ann(annotator: Annotator, said=ANNS, item: int = 1) -> None:
    await annotator.save_correction(item, 0, said, "wrong" if said is not MODEL else "right", person=ANN)


async def ids(store: Store, **filters: object) -> list[int]:
    return sorted(row.id for row in (await Dataset(store).list(filters)).rows)


async def test_blind_there_is_nothing_of_the_first_review(annotator: Annotator, second: SecondReviewer) -> None:
    await annotator.save_correction(1, 0, ANNS, "wrong", note="smudged", person=ANN)
    begun = await second.begin(1, BO, blind=True)
    value = Views(Settings()).item(begun.item)
    assert (begun.item.content, begun.first) == (MODEL, None)
    told = {key: value[key] for key in ("verdict", "state", "error_kinds", "note", "version", "revision")}
    assert told == {"verdict": None, "state": "pending", "error_kinds": [], "note": "", "version": 0, "revision": 0}
    seen = await second.begin(1, BO, blind=False)
    assert seen.item.content == ANNS
    assert (seen.first.person, seen.first.note) == ("Ann", "smudged")


async def test_a_second_review_leaves_the_first_as_it_is(annotator: Annotator, second: SecondReviewer) -> None:
    await by_ann(annotator)
    saved = await second.save(1, BOS, BO, blind=True, note="hard to read")
    left = await annotator.open_item(1)
    assert (left.content, left.review.review.person, left.review.review.state) == (ANNS, "Ann", State.SUBMITTED)
    review = saved.review
    assert (review.person, review.blind, review.first_person, review.first_version) == ("薄", True, "Ann", 1)
    assert (review.verdict, review.note, review.content) == (Verdict.WRONG, "hard to read", BOS)
    assert ErrorKind.WRONG_CHARACTER in review.error_kinds
    assert (review.agreement.differing, review.agreement.box_f1, review.agreement.fields) == (3, 1.0, None)
    assert review.agreement.cer == 3 / len(BOS.text)
    assert saved.in_dispute
    again = await second.begin(1, BO)
    assert again.item.content == BOS
    assert again.item.review.review.note == "hard to read"


async def test_what_has_been_seen_is_not_blind_any_more(annotator: Annotator, second: SecondReviewer) -> None:
    await by_ann(annotator)
    await second.save(1, BOS, BO, blind=False)
    assert (await second.begin(1, BO, blind=True)).blind is False


async def test_another_person_has_to_do_it(annotator: Annotator, second: SecondReviewer) -> None:
    with pytest.raises(BadInput) as early:
        await second.begin(1, BO)
    await by_ann(annotator)
    with pytest.raises(BadInput) as same:
        await second.save(1, BOS, Person(" Ann "), blind=True)
    with pytest.raises(BadInput) as nameless:
        await second.save(1, BOS, Person(" "), blind=True)
    assert [error.value.code for error in (early, same, nameless)] == ["not_reviewed", "same_person", "name_needed"]
    with pytest.raises(NotFound):
        await second.begin(99, BO)


async def test_the_same_save_sent_twice_counts_once(annotator: Annotator, second: SecondReviewer, store: Store) -> None:
    await by_ann(annotator)
    one = await second.save(1, BOS, BO, blind=True, client_key="key-00001")
    again = await second.save(1, BOS, BO, blind=True, client_key="key-00001")
    assert one == again
    with pytest.raises(BadInput) as error:
        await second.save(1, ANNS, BO, blind=True, client_key="key-00001")
    assert error.value.code == "client_key_reused"
    assert store.second_reviews.newest(1) == one


async def test_items_are_found_by_their_second_reviews(
    annotator: Annotator, second: SecondReviewer, store: Store
) -> None:
    for n in range(2, 6):
        add_item(store, MODEL, shade=n)
    for item in (2, 3, 4, 5):
        await by_ann(annotator, item=item)
    await second.save(3, ANNS, BO, blind=True)
    await second.save(4, BOS, BO, blind=True)
    one_off = content("Total 12.50", "Thank you", "Bye?")
    disputed = await second.save(5, one_off, BO, blind=True)
    await second.resolve(5, disputed.id, 1, {2: Choice("first")}, EVE)
    found = {name: await ids(store, reviews=name) for name in ("none", "one", "agreed", "disputed", "resolved")}
    assert found == {"none": [1], "one": [2], "agreed": [3], "disputed": [4], "resolved": [5]}
    assert await ids(store, agreement=0.95) == [3, 5]
    assert await ids(store, agreement=1) == [3]
    assert await ids(store, not_reviewers=["薄"], reviews=["one", "agreed", "disputed"]) == [2]
    assert await ids(store, not_reviewers=["Ann"]) == [1, 5]
    assert [row.reviews for row in (await Dataset(store).list(sort="oldest")).rows] == list(found)


async def test_people_differ_in_the_verdict_alone(annotator: Annotator, second: SecondReviewer) -> None:
    await annotator.save_correction(1, 0, MODEL, "wrong", person=ANN)
    saved = await second.save(1, MODEL, BO, blind=True, verdict="right")
    assert (saved.review.agreement.differing, saved.in_dispute) == (0, True)
    await second.resolve(1, saved.id, 0, {}, EVE, verdict="right")
    left = await annotator.open_item(1)
    assert (left.review.review.verdict, left.review.review.person) == (Verdict.RIGHT, "Eve")


async def test_a_frozen_version_has_the_second_reviews_of_its_time(
    annotator: Annotator, second: SecondReviewer, store: Store
) -> None:
    add_item(store, MODEL, shade=2)
    for item in (1, 2):
        await by_ann(annotator, item=item)
    await second.save(1, BOS, BO, blind=True)
    DatasetVersions(store).freeze_now("july")
    await second.save(1, ANNS, EVE, blind=True)
    await second.save(2, BOS, BO, blind=True)
    assert await ids(store, reviews="disputed") == [2]
    assert await ids(store, reviews="disputed", version="july") == [1]
    assert await ids(store, reviews="one", version="july") == [2]
    assert await ids(store, not_reviewers=["薄"], version="july") == [2]


async def test_agreement_per_pair_and_per_template(annotator: Annotator, second: SecondReviewer, store: Store) -> None:
    add_item(store, MODEL, template="fields", shade=2)
    add_item(store, MODEL, template="fields", shade=3)
    for item in (1, 2, 3):
        await by_ann(annotator, item=item)
    await second.save(1, BOS, BO, blind=True)
    await second.save(1, ANNS, EVE, blind=True)  # the newer one stands
    await second.save(2, BOS, BO, blind=True)
    await second.save(3, ANNS, BO, blind=True)
    found = await second.agreement()
    cer = 3 / len(BOS.text)
    rows = {row.names: (row.items, row.same, row.disputes, row.cer, row.box_f1) for row in found["pair"]}
    assert rows == {("Ann", "Eve"): (1, 1, 0, 0.0, 1.0), ("Ann", "薄"): (2, 1, 1, pytest.approx(cer / 2), 1.0)}
    rows = {row.names: (row.items, row.same, row.disputes) for row in found["template"]}
    assert rows == {("fields",): (2, 1, 1), ("full_text",): (1, 1, 0)}


async def test_a_merge_is_a_correction_with_its_history(
    annotator: Annotator, second: SecondReviewer, store: Store
) -> None:
    await by_ann(annotator)
    saved = await second.save(1, BOS, BO, blind=True)
    value = dispute_value(await second.dispute(1))
    assert [part["state"] for part in value["parts"]] == ["text", "text", "text"]
    assert value["parts"][0]["left"] == [["Total 12.5", False], ["0", True]]
    choices = {0: Choice("first"), 1: Choice("second"), 2: Choice("own", "Bye.")}
    merged = await second.resolve(1, saved.id, 1, choices, EVE, client_key="merge-001")
    assert (merged.version, merged.state, merged.verdict) == (2, State.SUBMITTED, Verdict.WRONG)
    left = await annotator.open_item(1)
    assert [line.text for line in left.content.lines] == ["Total 12.50", "Thank yous", "Bye."]
    assert [c.correction.person for c in await annotator.versions(1)] == ["Ann", "Eve"]
    assert [r.review.person for r in await annotator.history(1)] == ["Ann", "Eve"]
    ended = store.second_reviews.newest(1)
    assert (ended.resolution.person, ended.resolution.version, ended.in_dispute) == ("Eve", 2, False)
    assert ended.review == saved.review
    again = await second.resolve(1, saved.id, 1, choices, EVE, client_key="merge-001")
    assert again == replace(merged, saved_at=again.saved_at)
    assert len(await annotator.versions(1)) == 2


async def test_who_says_another_type_of_a_field_is_told_apart(annotator: Annotator, second: SecondReviewer) -> None:
    page = replace(ANNS, fields=(Field("total", "12.50", kind="amount"),))
    await by_ann(annotator, page)
    await second.save(1, replace(page, fields=(Field("total", "12.50", kind="number"),)), BO, blind=True)
    (part,) = [part for part in dispute_value(await second.dispute(1))["parts"] if part["state"] != "same"]
    assert (part["state"], part["left_kind"], part["right_kind"]) == ("kind", "amount", "number")


async def test_a_merge_needs_a_choice_for_each_difference(annotator: Annotator, second: SecondReviewer) -> None:
    await by_ann(annotator)
    saved = await second.save(1, BOS, BO, blind=True)
    with pytest.raises(BadInput) as missing:
        await second.resolve(1, saved.id, 1, {0: Choice("first"), 2: Choice("first")}, EVE)
    assert (missing.value.code, missing.value.details) == ("choice_missing", {"part": 1})
    with pytest.raises(BadInput) as odd:
        await second.resolve(1, saved.id, 1, dict.fromkeys(range(3), Choice("third")), EVE)
    assert odd.value.code == "bad_choice"
    assert (await second.dispute(1)).second.in_dispute


async def test_who_was_faster_is_not_overwritten(annotator: Annotator, second: SecondReviewer) -> None:
    await by_ann(annotator)
    saved = await second.save(1, BOS, BO, blind=True)
    choices = dict.fromkeys(range(3), Choice("first"))
    newer = await second.save(1, BOS, BO, blind=True, note="looked again")
    with pytest.raises(Conflict) as error:
        await second.resolve(1, saved.id, 1, choices, EVE)
    assert error.value.code == "second_meanwhile"
    await annotator.save_correction(1, 1, MODEL, person=ANN)
    with pytest.raises(Conflict) as error:
        await second.resolve(1, newer.id, 1, choices, EVE)
    assert error.value.code == "edited_meanwhile"


async def test_without_a_second_review_there_is_no_dispute(second: SecondReviewer) -> None:
    with pytest.raises(NotFound) as error:
        await second.dispute(1)
    assert error.value.code == "no_second_review"
