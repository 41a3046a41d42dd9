from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, add_item, content, open_store, png, recognition

from ocr_ui.domain.content import ContentWarning, PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import Generation
from ocr_ui.errors import EngineFailed, noted
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.pictures import Received
from ocr_ui.services.reading import Progress
from ocr_ui.services.recognize import Reading
from ocr_ui.services.view import Views
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store
from ocr_ui.ui.messages import localize

MODEL = content("Total 12.80", "Thank you")
RIGHT = content("Total 12.50", "Thank you")
PAGE = Page("a" * 64, 1000, 800, "page.png")


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def views() -> Views:
    return Views(Settings(low_confidence=0.7))


def running(said: PageContent = MODEL, **more: object) -> Reading:
    values: dict = {"content": said, "raw": "raw", "state": "running", "seconds": 2.0, **more}
    return Reading(PAGE, Progress(**values))


def test_all_values_have_the_same_parts(views: Views) -> None:
    empty = views.empty()
    assert empty["run"] == {"state": "idle"}
    assert empty["item"] == {"recognition_id": None, "page": None}
    assert empty["low_confidence"] == 0.7
    for other in (
        views.picture(Received(1, PAGE)),
        views.reading(1, running()),
        views.failed(PAGE, 1, EngineFailed("gone", "Gone.", "")),
    ):
        assert set(empty) <= set(other)
        json.dumps(other, allow_nan=False)


def test_a_fresh_picture_comes_with_what_was_done_to_it(views: Views) -> None:
    value = views.picture(Received(7, PAGE, (ContentWarning("turned_90", "Turned."),)))
    assert value["item"]["page"] == {
        "id": 7,
        "sha256": "a" * 64,
        "url": "/pictures/" + "a" * 64,
        "width": 1000,
        "height": 800,
        "name": "page.png",
    }
    assert value["warnings"] == [{"code": "turned_90", "message": "Turned.", "line": None}]


@pytest.mark.parametrize(("tokens", "rate"), [(None, 1.0), (50, 25.0), (0, 0.0)])
def test_a_running_reading_tells_its_speed(views: Views, tokens: int | None, rate: float) -> None:
    run = views.reading(1, running(tokens=tokens, first_line_seconds=0.5, total_lines=9))["run"]
    assert (run["state"], run["waiting"], run["rate"], run["lines"]) == ("running", False, rate, 2)
    assert (run["first_line_seconds"], run["total_lines"], run["tokens"]) == (0.5, 9, tokens)


def test_waiting_is_running_without_an_answer(views: Views) -> None:
    run = views.reading(1, running(PageContent(), state="waiting", seconds=0.0))["run"]
    assert (run["state"], run["waiting"], run["rate"]) == ("running", True, 0)


def test_a_failure_is_told_with_what_a_translation_needs(views: Views) -> None:
    error = EngineFailed("gone", "Gone.", "Try again.", engine="x")
    said = {"code": "gone", "message": "Gone.", "hint": "Try again.", "details": {"engine": "x"}}
    assert views.reading(1, running(state="failed", error=error))["run"]["error"] == said
    assert views.failed(PAGE, 1, error)["run"] == {"state": "failed", "error": said, "request": ""}


async def test_the_last_step_shows_what_opening_the_item_shows(store: Store, views: Views) -> None:
    item_id = add_item(store, MODEL)
    item = await Annotator(store).open_item(item_id)
    kept = item.recognition.recognition
    progress = Progress(kept.content, kept.generation.text, "complete", 0.5, recognition=kept)
    shown = views.reading(item.page.id, Reading(item.page.page, progress, item_id))
    opened = views.item(item)
    assert {key: shown[key] for key in opened if key not in ("run", "item")} == {
        key: opened[key] for key in opened if key not in ("run", "item")
    }
    assert shown["item"] == {key: opened["item"][key] for key in opened["item"] if key != "created_at"}


async def test_an_item_opens_as_it_was_left(store: Store, views: Views) -> None:
    item_id = add_item(store, MODEL)
    annotator = Annotator(store)
    await annotator.save_correction(item_id, 0, RIGHT, "wrong", ["look_alike"], "smudged", ANN)
    value = views.item(await annotator.open_item(item_id))
    assert [line["text"] for line in value["lines"]] == ["Total 12.50", "Thank you"]
    assert [line["text"] for line in value["model_lines"]] == ["Total 12.80", "Thank you"]
    assert (value["version"], value["revision"], value["verdict"]) == (1, 1, "wrong")
    assert (value["state"], value["error_kinds"], value["note"]) == ("submitted", ["look_alike"], "smudged")
    assert value["item"]["variables"] == {"target": "en"}
    assert "Total 12.50" in value["html"]
    json.dumps(value, allow_nan=False)


async def test_a_failed_reading_that_kept_something_says_how_it_ended(store: Store, views: Views) -> None:
    sha256 = store.pictures.put(png())
    page_id = store.pages.add_document("a", [Page(sha256, 1000, 800, "a")]).page_ids[0]
    broken = replace(recognition(sha256, MODEL), outcome="failed", generation=Generation("raw", "error", None, 1.5))
    error = EngineFailed("nothing_came", "The engine said nothing.", "Try again.", engine="x")
    for note, said in ((noted(error), "引擎"), ("The engine said nothing.", "The engine said nothing."), ("", None)):
        item = store.recognitions.add(replace(broken, error=note), page_id)
        value = localize(views.item(await Annotator(store).open_item(item)), "zh")
        assert (value["run"]["state"], value["run"]["seconds"]) == ("failed", 1.5)
        told = value["run"].get("message")
        assert said in told if said else told is None, "in the language in which it is shown, where that is known"
