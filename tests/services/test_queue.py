"""Working through a list: order, claims, states, time and pace, saved filters."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from stored import ANN, BO, add_item, content, open_store, recognition

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import EngineName
from ocr_ui.domain.review import State, Verdict
from ocr_ui.errors import BadInput, Conflict, NotFound
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.dataset import Dataset
from ocr_ui.services.figures import CatchUp, add_reading
from ocr_ui.services.queue import Queue
from ocr_ui.services.talk import Talk
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

A, B = "holder-of-ann", "holder-of-bo"
MODEL = content("Total 12.80", "Thank you")
TODAY = datetime.now(UTC) - timedelta(hours=1)


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        for n in range(3):
            add_item(opened, MODEL, shade=n)
        yield opened


@pytest.fixture
def queue(store: Store) -> Queue:
    return Queue(store, Dataset(store), Settings())


def read_again(store: Store, item: int, said: PageContent, engine: str = "openai") -> int:
    page = store.pages.get(store.recognitions.get(item).page_id)
    value = replace(recognition(page.page.sha256, said), engine=EngineName(engine, "1", "other", "r1"))
    return store.recognitions.add(value, page.id)


async def test_a_queue_is_the_list_in_its_order(queue: Queue) -> None:
    line = await queue.items({"state": "pending"}, "oldest", ANN, TODAY)
    assert (line.items, line.total, line.pace.done, line.pace.per_hour) == ((1, 2, 3), 3, 0, None)
    with pytest.raises(BadInput):
        await queue.items({}, "by mood", ANN, TODAY)


async def test_what_another_has_done_meanwhile_is_not_given_out(queue: Queue, store: Store) -> None:
    query = {"states": ["pending"]}
    assert (await queue.take([1, 2, 3], query, A, ANN)).recognition_id == 1
    await Annotator(store).save_correction(2, 0, MODEL, "right", person=BO)
    assert (await queue.take([1, 2, 3], query, B, BO)).recognition_id == 3
    assert await queue.take([1, 2], query, B, BO) is None
    with pytest.raises(BadInput) as error:
        await queue.take([1], None, "short", BO)
    assert error.value.code == "bad_holder"


async def test_who_has_an_item_is_told_to_others(queue: Queue) -> None:
    mine = await queue.take_one(2, A, ANN)
    with pytest.raises(Conflict) as error:
        await queue.take_one(2, B, BO)
    assert error.value.details == {"person": "Ann", "until": mine.until.isoformat()}
    await queue.release(A)
    assert (await queue.take_one(2, B, BO)).person == "薄"
    with pytest.raises(NotFound):
        await queue.take_one(99, B, BO)


async def test_time_of_work_is_summed_by_person_and_counts_once(queue: Queue, store: Store) -> None:
    for seconds in (5, 12, 12, 7):
        await queue.work([1], A, ANN, 1, seconds)
    await queue.work([1], "another-sitting", ANN, 1, 30)
    await queue.work([1], B, BO, 1, 3)
    assert await queue.seconds(1) == {"Ann": 42, "薄": 3}
    with pytest.raises(NotFound):
        await queue.work([], A, ANN, 99, 1)
    assert await queue.seconds(99) == {}
    annotator = Annotator(store)
    await annotator.save_correction(1, 0, MODEL, "right", person=ANN)
    await annotator.set_state(1, "accepted", ANN)
    await annotator.set_state(2, "skipped", ANN)
    await annotator.save_correction(3, 0, MODEL, "right", person=BO)
    pace = await queue.pace(ANN, TODAY)
    assert (pace.done, pace.timed, pace.seconds, pace.per_hour) == (2, 1, 42, 3600 / 42), "the other was not timed"
    assert (await queue.pace(ANN, datetime.now(UTC) + timedelta(seconds=1))).done == 0


async def test_somebody_new_has_not_done_what_nobody_has_signed(queue: Queue, store: Store) -> None:
    await Annotator(store).save_correction(1, 0, MODEL, "right")
    assert (await queue.pace(Person(""), TODAY)).done == 1
    assert (await queue.pace(Person("Somebody new"), TODAY)).done == 0


async def test_work_renews_claims(store: Store) -> None:
    short = Queue(store, Dataset(store), Settings(claim_minutes=0.0001))
    taken = await short.take_one(1, A, ANN)
    until, claims = await Queue(store, Dataset(store), Settings()).work([1], A, ANN)
    assert claims[1].holder == A
    assert until > taken.until + timedelta(minutes=9)
    assert (await short.claims([1]))[1].until == until


async def test_what_lists_are_sorted_by_is_worked_out_when_a_reading_is_stored(store: Store) -> None:
    first = store.recognitions.get(1)
    add_reading(store, replace(first.recognition, engine=EngineName("openai", "1", "other", "r1")), first.page_id)
    assert first.page_id not in store.figures.missing()
    catching = CatchUp(store)  # the other pages were stored without it
    assert store.figures.missing()
    catching.start()
    for _ in range(2000):
        await asyncio.sleep(0.01)
        if not store.figures.missing():
            break
    assert store.figures.missing() == []
    await catching.close()


async def test_filters_are_kept_by_name_for_everybody(queue: Queue) -> None:
    await queue.save(" unsure  receipts ", {"states": ["pending"], "confidence": 0.5, "sort": "least_sure"}, ANN)
    await queue.save("unsure receipts", {"states": ["in_progress"]}, BO)
    (kept,) = await queue.saved()
    assert (kept.name, kept.query, kept.person) == ("unsure receipts", {"states": ["in_progress"]}, "薄")
    for name, query, code in ((" ", {}, "bad_filter_name"), ("x", {"mood": "good"}, "unknown_filter")):
        with pytest.raises(BadInput) as error:
            await queue.save(name, query, ANN)
        assert error.value.code == code
    await queue.remove("unsure receipts")
    assert await queue.saved() == []


async def test_engines_that_disagree_most_come_first(queue: Queue, store: Store) -> None:
    near = read_again(store, 1, content("Total 12.50", "Thank you"))
    far = read_again(store, 2, content("Something else", "altogether"))
    line = await queue.items({}, "disagreement", ANN, TODAY)
    assert line.items[:4] == (far, 2, near, 1)
    assert set(line.items) == {1, 2, 3, near, far}
    read_again(store, 3, content("Quite", "unlike"))
    assert 3 in (await queue.items({}, "disagreement", ANN, TODAY)).items[:2]
    again = read_again(store, 1, MODEL, engine="rapidocr")  # the same engine twice is no second opinion
    assert (await queue.items({}, "disagreement", ANN, TODAY)).items.index(again) > 3


async def test_items_are_found_by_writing_and_by_confidence(queue: Queue, store: Store) -> None:
    unsure = PageContent(lines=tuple(replace(line, confidence=0.3) for line in content("合计").lines))
    item = add_item(store, unsure, shade=9)
    assert (await queue.items({"script": "chinese"}, "newest", ANN, TODAY)).items == (item,)
    assert (await queue.items({"confidence": 0.5}, "newest", ANN, TODAY)).items == (item,)
    assert (await queue.items({"script": ["latin"], "confidence": "0.95"}, "oldest", ANN, TODAY)).items == (1, 2, 3)
    for query in ({"script": "runes"}, {"confidence": "much"}, {"agreement": 2}):
        with pytest.raises(BadInput) as error:
            await queue.items(query, "newest", ANN, TODAY)
        assert error.value.code == "bad_filter_value"


async def test_a_save_can_say_where_the_item_is_to_stand(store: Store) -> None:
    annotator = Annotator(store)
    saved = await annotator.save_correction(1, 0, MODEL, "wrong", person=ANN, state="rejected")
    assert (saved.state, saved.verdict) == (State.REJECTED, Verdict.WRONG)
    with pytest.raises(BadInput) as error:
        await annotator.save_correction(2, 0, MODEL, "right", person=ANN, state="accepted")
    assert error.value.code == "state_not_allowed"
    assert (await annotator.open_item(2)).review.review.state is State.PENDING


async def test_comments_stand_on_lines_and_pages(store: Store) -> None:
    talk = Talk(store)
    await talk.comment(1, " Is this a 7? ", ANN, "l0", "key-00001")
    await talk.comment(1, " Is this a 7? ", ANN, "l0", "key-00001")
    await talk.comment(1, "Folded corner", BO)
    assert [(c.line_id, c.person, c.text) for c in await talk.comments(1)] == [
        ("l0", "Ann", "Is this a 7?"),
        ("", "薄", "Folded corner"),
    ]
    assert await talk.comments(2) == []
    for text, item, kind, code in (
        (" ", 1, BadInput, "empty_comment"),
        ("x" * 10_001, 1, BadInput, "text_too_long"),
        ("x", 99, NotFound, "unknown_recognition"),
    ):
        with pytest.raises(kind) as error:
            await talk.comment(item, text, ANN)
        assert error.value.code == code
    with pytest.raises(BadInput) as error:
        await talk.comment(1, "Other", ANN, "l0", "key-00001")
    assert error.value.code == "client_key_reused"


async def test_guidelines_are_kept_by_version_and_never_markup_of_their_own(store: Store) -> None:
    talk = Talk(store)
    assert (await talk.guidelines()).guidelines.version == 0
    first = await talk.write(0, "# Amounts\n<script>alert(1)</script>", ANN)
    assert "<script" not in first.html
    assert "<h1" in first.html
    await talk.write(1, "Second", BO)
    with pytest.raises(Conflict) as error:
        await talk.write(1, "Late", ANN)
    assert (error.value.code, error.value.details) == ("guidelines_changed", {"version": 2, "person": "薄"})
    assert [(g.version, g.text, g.person) for g in await talk.versions()] == [
        (2, "Second", "薄"),
        (1, "# Amounts\n<script>alert(1)</script>", "Ann"),
    ]
    assert (await talk.guidelines(1)).guidelines.text.startswith("# Amounts")
    with pytest.raises(NotFound):
        await talk.guidelines(7)


async def test_a_nameless_person_works_too(queue: Queue) -> None:
    await queue.work([], A, Person(""), 1, 4)
    assert await queue.seconds(1) == {"": 4}
