from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, BO, add_item, content, line, open_store

from ocr_ui.domain.content import Field, PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.review import ErrorKind, State, Verdict
from ocr_ui.errors import BadInput, Conflict, NotFound, StoreFailed, TooLarge
from ocr_ui.services.annotate import LONGEST_NOTE, Annotator
from ocr_ui.services.checked_content import MOST_CHARACTERS, MOST_PARTS
from ocr_ui.storage.store import Store

MODEL = content("Total 12.80", "Thank you")
RIGHT = content("Total 12.50", "Thank you")


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        add_item(opened, MODEL)
        yield opened


@pytest.fixture
def annotator(store: Store) -> Annotator:
    return Annotator(store)


async def test_a_correction_with_its_verdict_is_there_after_a_restart(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        item = add_item(store, MODEL)
        saved = await Annotator(store).save_correction(item, 0, RIGHT, Verdict.WRONG, note="smudged", person=ANN)
    assert (saved.version, saved.state, saved.verdict) == (1, State.SUBMITTED, Verdict.WRONG)
    assert (saved.edit_distance, saved.error_kinds) == (1, (ErrorKind.WRONG_CHARACTER,))
    assert saved.cer == 1 / len(RIGHT.text)
    with open_store(tmp_path) as store:
        left = await Annotator(store).open_item(item)
    assert left.content == RIGHT
    assert left.recognition.recognition.content == MODEL
    assert left.correction.correction.person == "Ann"
    assert (left.review.review.note, left.review.review.correction_version) == ("smudged", 1)
    assert left.review.updated_at == saved.saved_at
    assert left.page.page.width == 1000


async def test_right_needs_no_new_version(annotator: Annotator) -> None:
    saved = await annotator.save_correction(1, 0, MODEL, "right", person=ANN)
    assert (saved.version, saved.state, saved.verdict, saved.error_kinds) == (0, State.SUBMITTED, Verdict.RIGHT, ())
    left = await annotator.open_item(1)
    assert left.correction is None
    assert left.content == MODEL


async def test_a_changed_page_was_not_read_right(annotator: Annotator) -> None:
    saved = await annotator.save_correction(1, 0, RIGHT, "right", person=ANN)
    assert (saved.version, saved.verdict, saved.state) == (1, Verdict.WRONG, State.SUBMITTED)


async def test_without_a_verdict_it_is_in_progress(annotator: Annotator) -> None:
    saved = await annotator.save_correction(1, 0, RIGHT, person=ANN)
    assert (saved.version, saved.verdict, saved.state) == (1, None, State.IN_PROGRESS)


async def test_a_later_save_keeps_the_verdict_unless_it_no_longer_holds(annotator: Annotator) -> None:
    await annotator.save_correction(1, 0, MODEL, "right", note="clear", person=ANN)
    same = await annotator.save_correction(1, 0, MODEL, person=ANN)
    assert (same.verdict, same.state) == (Verdict.RIGHT, State.IN_PROGRESS)
    changed = await annotator.save_correction(1, 0, RIGHT, person=ANN)
    assert (changed.verdict, changed.state, changed.version) == (None, State.IN_PROGRESS, 1)
    wrong = await annotator.save_correction(1, 1, RIGHT, "wrong", person=ANN)
    again = await annotator.save_correction(1, 1, content("Total 12.50", "Thank you!"), person=ANN)
    assert (wrong.verdict, again.verdict) == (Verdict.WRONG, Verdict.WRONG)
    assert (await annotator.open_item(1)).review.review.note == "clear"


async def test_the_persons_error_kinds_count_before_the_computed_ones(annotator: Annotator) -> None:
    saved = await annotator.save_correction(1, 0, RIGHT, "wrong", ["other", "look_alike", "other"], person=ANN)
    assert saved.error_kinds == (ErrorKind.LOOK_ALIKE, ErrorKind.OTHER)
    assert (await annotator.save_correction(1, 1, RIGHT, "wrong", [], person=ANN)).error_kinds == ()


async def test_going_back_to_the_models_text_is_a_version_too(annotator: Annotator) -> None:
    await annotator.save_correction(1, 0, RIGHT, person=ANN)
    back = await annotator.save_correction(1, 1, MODEL, "right", person=ANN)
    assert (back.version, back.verdict, back.edit_distance) == (2, Verdict.RIGHT, 0)
    assert [one.correction.content for one in await annotator.versions(1)] == [RIGHT, MODEL]


async def test_pe01_the_second_saver_is_told_and_nothing_of_either_is_lost(annotator: Annotator) -> None:
    first = await annotator.save_correction(1, 0, RIGHT, "wrong", person=ANN)
    mine = content("Total 12.80", "Thank you!")
    with pytest.raises(Conflict) as failed:
        await annotator.save_correction(1, 0, mine, "wrong", note="Bo's", person=BO, client_key="k")
    assert failed.value.details["person"] == "Ann"
    assert failed.value.details["version"] == first.version
    left = await annotator.open_item(1)
    assert (left.content, left.review.review.note, left.review.revision) == (RIGHT, "", first.revision)
    merged = await annotator.save_correction(1, 1, content("Total 12.50", "Thank you!"), "wrong", person=BO)
    assert merged.version == 2


async def test_a_verdict_on_an_older_version_is_told_too(annotator: Annotator) -> None:
    await annotator.save_correction(1, 0, RIGHT, person=ANN)
    with pytest.raises(Conflict):
        await annotator.save_correction(1, 0, MODEL, "right", person=BO)
    assert (await annotator.open_item(1)).review.review.verdict is None


async def test_two_verdicts_on_the_same_version_are_told_where_the_revision_is_given(annotator: Annotator) -> None:
    await annotator.save_correction(1, 0, MODEL, "right", person=ANN, base_revision=0)
    with pytest.raises(Conflict) as failed:
        await annotator.save_correction(1, 0, RIGHT, "wrong", person=BO, base_revision=0)
    assert failed.value.code == "reviewed_meanwhile"
    left = await annotator.open_item(1)
    assert (left.correction, left.review.review.verdict) == (None, Verdict.RIGHT)


async def test_many_savers_at_once(annotator: Annotator) -> None:
    async def save(number: int) -> int:
        try:
            return (await annotator.save_correction(1, 0, content(f"v{number}", "x"), "wrong", person=ANN)).version
        except Conflict:
            return 0

    assert sorted(await asyncio.gather(*map(save, range(10)))) == [0] * 9 + [1]
    assert len(await annotator.versions(1)) == 1
    assert len(await annotator.history(1)) == 1


async def test_an_item_that_is_saved_while_it_is_opened_is_of_one_moment(
    annotator: Annotator, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its text and its version number belong together: saved on that base, an older text would replace a newer one."""
    latest = store.corrections.latest
    loop = asyncio.get_running_loop()

    def and_somebody_saves(recognition_id: int):
        found = latest(recognition_id)
        monkeypatch.undo()
        saving = annotator.save_correction(recognition_id, 0, RIGHT, "wrong", person=BO)
        assert asyncio.run_coroutine_threadsafe(saving, loop).result(20).version == 1
        return found

    monkeypatch.setattr(store.corrections, "latest", and_somebody_saves)
    seen = await annotator.open_item(1)
    assert seen.content == MODEL
    assert (seen.review.latest_version, seen.review.revision) == (0, 0)
    assert (await annotator.open_item(1)).content == RIGHT


async def test_a_save_sent_again_answers_the_same_even_after_others_saved(annotator: Annotator) -> None:
    first = await annotator.save_correction(1, 0, RIGHT, "wrong", person=ANN, client_key="k1")
    await annotator.save_correction(1, 1, content("other", "page"), "wrong", person=BO, client_key="k2")
    assert await annotator.save_correction(1, 0, RIGHT, "wrong", person=ANN, client_key="k1") == first
    assert len(await annotator.versions(1)) == 2
    assert (await annotator.open_item(1)).review.review.person == BO.name


async def test_a_verdict_sent_again_is_applied_once(annotator: Annotator) -> None:
    first = await annotator.save_correction(1, 0, MODEL, "right", person=ANN, client_key="k1")
    assert await annotator.save_correction(1, 0, MODEL, "right", person=ANN, client_key="k1") == first
    assert len(await annotator.history(1)) == 1


async def test_a_key_used_for_another_page_loses_nothing_silently(annotator: Annotator) -> None:
    await annotator.save_correction(1, 0, RIGHT, person=ANN, client_key="k1")
    with pytest.raises(BadInput) as failed:
        await annotator.save_correction(1, 1, content("newer", "work"), person=ANN, client_key="k1")
    assert failed.value.code == "client_key_reused"


async def test_a_failure_between_correction_and_review_stores_neither(
    annotator: Annotator, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreFailed("disk_full", "full")

    monkeypatch.setattr(store.reviews, "set", fail)
    with pytest.raises(StoreFailed):
        await annotator.save_correction(1, 0, RIGHT, "wrong", person=ANN)
    assert await annotator.versions(1) == []


async def test_boxes_are_clipped_to_the_picture_and_lines_get_ids(annotator: Annotator) -> None:
    drawn = TextLine("drawn", Quad.from_points([(-20, -5), (2000, -5), (2000, 900), (-20, 900)]))
    await annotator.save_correction(1, 0, PageContent((*MODEL.lines, drawn)), person=ANN)
    added = (await annotator.open_item(1)).content.lines[2]
    assert added.quad.points == ((0, 0), (1000, 0), (1000, 800), (0, 800))
    assert added.id not in ("", "l0", "l1")


async def test_the_text_follows_the_lines_unless_it_says_more(annotator: Annotator, store: Store) -> None:
    edited = replace(MODEL, lines=RIGHT.lines)
    await annotator.save_correction(1, 0, edited, person=ANN)
    assert (await annotator.open_item(1)).content.text == "Total 12.50\nThank you"
    page = replace(MODEL, text="# Total 12.80\n\nThank you")
    item = add_item(store, page)
    await annotator.save_correction(item, 0, replace(page, lines=RIGHT.lines), person=ANN)
    assert (await annotator.open_item(item)).content.text == page.text


async def test_content_as_json_values(annotator: Annotator) -> None:
    saved = await annotator.save_correction(1, 0, RIGHT.to_dict(), "wrong", person=ANN)
    assert saved.version == 1
    assert (await annotator.open_item(1)).content == RIGHT


def changed(**part: object) -> dict:
    return {**MODEL.to_dict(), **part}


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ([], "content"),
        (changed(lines=[{"text": 5}]), "lines[0].text"),
        (changed(lines={"a": 1}), "lines"),
        (changed(lines=["a"]), "lines[0]"),
        (changed(lines=[{"id": "l0"}]), "content"),
        (changed(lines=[{"text": "a", "quad": [[0, 0], [1, 1]]}]), "content"),
        (changed(lines=[{"text": "a", "quad": [["x", 0], [1, 0], [1, 1], [0, 1]]}]), "content"),
        (changed(lines=[{"text": "a", "quad": [[float("nan"), 0], [1, 0], [1, 1], [0, 1]]}]), "lines[0].quad"),
        (changed(lines=[{"text": "a", "quad": [[10**400, 0], [1, 0], [1, 1], [0, 1]]}]), "content"),
        (changed(lines=[{"text": "a", "confidence": 2}]), "lines[0].confidence"),
        (changed(lines=[{"text": "a", "confidence": "high"}]), "lines[0].confidence"),
        (changed(text=None), "text"),
        (changed(fields=[{"name": "a", "value": 12.5}]), "fields[0].value"),
        (changed(fields=[{"name": "a", "value": "1", "alternatives": [2]}]), "fields[0].alternatives"),
        (changed(tables=[{"html": "", "grid": ["ab"]}]), "tables[0].grid"),
        (changed(tables=[{"html": "", "grid": [[None]]}]), "tables[0].grid"),
    ],
)
async def test_content_of_the_wrong_shape_is_refused(annotator: Annotator, bad: object, where: str) -> None:
    with pytest.raises(BadInput) as failed:
        await annotator.save_correction(1, 0, bad, "wrong", person=ANN)
    assert (failed.value.code, failed.value.details["where"]) == ("bad_content", where)
    assert await annotator.versions(1) == []


async def test_an_absent_field_is_kept_absent(annotator: Annotator) -> None:
    await annotator.save_correction(1, 0, changed(fields=[{"name": "date", "value": None}]), person=ANN)
    assert (await annotator.open_item(1)).content.fields == (Field("date", None),)


async def test_ids_are_unique(annotator: Annotator) -> None:
    with pytest.raises(BadInput) as failed:
        await annotator.save_correction(1, 0, PageContent((line("a", 0, "x"), line("b", 1, "x"))), person=ANN)
    assert (failed.value.code, failed.value.details["id"]) == ("duplicate_line_id", "x")


@pytest.mark.parametrize(
    ("page", "what"),
    [
        (PageContent(tuple([TextLine("")] * (MOST_PARTS + 1))), "lines"),
        (PageContent(text="x" * (MOST_CHARACTERS + 1)), "characters"),
    ],
)
async def test_sizes_are_limited(annotator: Annotator, page: PageContent, what: str) -> None:
    with pytest.raises(TooLarge) as failed:
        await annotator.save_correction(1, 0, page, person=ANN)
    assert failed.value.details["what"] == what


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        ({"verdict": "maybe"}, "unknown_verdict"),
        ({"error_kinds": ["typo"]}, "unknown_error_kind"),
        ({"note": "x" * (LONGEST_NOTE + 1)}, "note_too_long"),
        ({"client_key": "k" * 201}, "bad_client_key"),
        ({"client_key": "a\x00"}, "bad_client_key"),
    ],
)
async def test_choices_are_checked(annotator: Annotator, choice: dict, code: str) -> None:
    with pytest.raises(BadInput) as failed:
        await annotator.save_correction(1, 0, RIGHT, person=ANN, **choice)
    assert failed.value.code == code
    assert await annotator.versions(1) == []


async def test_states_move_as_allowed(annotator: Annotator) -> None:
    await annotator.save_correction(1, 0, RIGHT, "wrong", person=ANN)
    moved = await annotator.set_state(1, "accepted", BO, note="checked")
    assert (moved.review.state, moved.review.verdict, moved.review.person) == (State.ACCEPTED, Verdict.WRONG, BO.name)
    assert moved.review.error_kinds == (ErrorKind.WRONG_CHARACTER,)
    with pytest.raises(BadInput) as failed:
        await annotator.set_state(1, "skipped", BO)
    assert failed.value.code == "state_not_allowed"
    with pytest.raises(BadInput):
        await annotator.set_state(1, "done", BO)
    assert [one.review.state for one in await annotator.history(1)] == [State.SUBMITTED, State.ACCEPTED]


async def test_differences_of_what_is_not_saved(annotator: Annotator) -> None:
    found = await annotator.differences(1, RIGHT.to_dict())
    assert (found.edit_distance, found.kinds) == (1, (ErrorKind.WRONG_CHARACTER,))
    assert await annotator.versions(1) == []


async def test_an_unknown_item(annotator: Annotator) -> None:
    for call in (annotator.open_item(9), annotator.save_correction(9, 0, RIGHT), annotator.differences(9, RIGHT)):
        with pytest.raises(NotFound):
            await call
