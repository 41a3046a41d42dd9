"""People at work: the cases PE01, PE03, PE06 and PE07, from the desk to the file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from export_readers import texts_in
from fakes import ScriptedEngine
from stored import ANN, BO, add_item, content, line, open_store

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.domain.review import State, Verdict
from ocr_ui.engines.base import Capabilities, Finished, LinesDelta, Started
from ocr_ui.errors import Conflict
from ocr_ui.exports.reasons import NO_PICTURE
from ocr_ui.exports.registry import NAMES, format_named
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.engines import Engines
from ocr_ui.services.export import Exporter
from ocr_ui.services.pictures import PageStore, Upright
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.recognize import Recognizer
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

MODEL = content("Total 12.80", "Thank you")
FULL_TEXT = PromptTemplate("full_text", {"en": "Full text"}, Task.SPOTTING, "Read all.")


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "data") as opened:
        yield opened


def with_text(page: PageContent, index: int, text: str) -> PageContent:
    """The page with one line changed and its text following."""
    lines = tuple(replace(one, text=text) if n == index else one for n, one in enumerate(page.lines))
    return replace(page, lines=lines, text="\n".join(one.text for one in lines))


def rows(file: Path) -> list[dict]:
    return [json.loads(one) for one in file.read_text(encoding="utf-8").splitlines()]


# PE01: two reviewers, one page


async def test_pe01_two_who_change_different_lines_can_put_both_together(store: Store) -> None:
    item, annotator = add_item(store, MODEL), Annotator(store)
    seen_by_both = (await annotator.open_item(item)).content
    anns, bos = with_text(seen_by_both, 0, "Total 12.50"), with_text(seen_by_both, 1, "Thank you!")
    await annotator.save_correction(item, 0, anns, "wrong", person=ANN)
    with pytest.raises(Conflict) as told:
        await annotator.save_correction(item, 0, bos, "wrong", person=BO)
    assert (told.value.code, told.value.details["person"], told.value.details["version"]) == (
        "edited_meanwhile",
        "Ann",
        1,
    )
    newer = (await annotator.open_item(item)).content
    merged = with_text(newer, 1, bos.lines[1].text)
    await annotator.save_correction(item, told.value.details["version"], merged, "wrong", person=BO)
    assert [one.text for one in (await annotator.open_item(item)).content.lines] == ["Total 12.50", "Thank you!"]
    assert [one.correction.person for one in await annotator.versions(item)] == ["Ann", BO.name]


# PE03: reopened pages show the machine text again


def careless_engine() -> ScriptedEngine:
    """An engine that reads the page wrong once more."""
    script = [Started(), LinesDelta(MODEL.lines), Finished(Generation(finish_reason="stop"))]
    return ScriptedEngine(script, Capabilities(tasks=frozenset({Task.SPOTTING}), gives_boxes=True))


async def read_again(store: Store, folder: Path, page_id: int) -> int:
    settings = Settings(data_dir=folder, turn_pages=False, _env_file=None)
    engines = Engines({"scripted": careless_engine()})
    pages = PageStore(store, settings, Upright(engines, settings))
    recognizer = Recognizer(store, pages, engines, settings)
    return [step async for step in recognizer.read(page_id, ReadRequest(FULL_TEXT))][-1].recognition_id


async def test_pe03_a_checked_page_stays_the_persons_after_a_restart_and_a_later_run(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with open_store(folder) as store:
        item = add_item(store, MODEL)
        checked = with_text(MODEL, 0, "Total 12.50")
        await Annotator(store).save_correction(item, 0, checked, "wrong", person=ANN)
        await Annotator(store).set_state(item, State.ACCEPTED, person=BO)
    with open_store(folder) as store:
        page_id = store.recognitions.get(item).page_id
        later = await read_again(store, folder, page_id)
    with open_store(folder) as store:
        left = await Annotator(store).open_item(item)
        assert later != item
        assert left.content == checked
        assert (left.review.review.state, left.review.review.verdict) == (State.ACCEPTED, Verdict.WRONG)
        assert left.recognition.recognition.content == MODEL, "what the model said is kept beside it"
        await Exporter(store).export("jsonl", tmp_path / "out", {"items": [item]})
    [row] = rows(tmp_path / "out" / "items.jsonl")
    assert row["correction"]["content"]["lines"][0]["text"] == "Total 12.50"


# PE06: a picture deleted outside

WITHOUT_THE_LABEL = {"trl-kto", "boxes"}
"""Has the model's own answers alone; has pictures alone."""
OF_PAGES = [name for name in NAMES if name not in ("srt", "vtt")]
"""Subtitles are of videos alone."""
NEED_PICTURES = {name for name in NAMES if getattr(format_named(name), "needs_pictures", False)}


@pytest.mark.parametrize("name", OF_PAGES)
async def test_pe06_every_format_goes_on_past_a_missing_picture(store: Store, tmp_path: Path, name: str) -> None:
    ids = [add_item(store, [f"pag {shade}"], f"{shade}.png", engine="vllm", shade=shade) for shade in range(3)]
    for shade, item in enumerate(ids):
        await Annotator(store).save_correction(item, 0, content(f"page {shade}"), "wrong", person=ANN)
    gone = store.recognitions.get(ids[0]).recognition.page_sha256
    store.pictures.path(gone).unlink()
    report = await Exporter(store).export(name, tmp_path / "out")
    left_out = ((ids[0], NO_PICTURE),) if name in NEED_PICTURES else ()
    assert (report.count_in, report.count_out, report.pictures) == (3, 3 - len(left_out), 2)
    assert report.left_out == left_out
    assert report.missing_pictures == ((ids[0], gone, "missing"),)
    told = json.loads(next((tmp_path / "out").glob("report*.json")).read_text(encoding="utf-8"))
    assert gone in json.dumps(told["missing_pictures"])
    if name not in WITHOUT_THE_LABEL:
        written = texts_in(tmp_path / "out", name)
        assert all(any(f"page {shade}" in text for text in written) for shade in range(len(left_out), 3))


# PE07: boxes drawn by hand are left out of the export


@pytest.mark.parametrize("name", OF_PAGES)
async def test_pe07_every_format_has_the_line_drawn_by_hand(store: Store, tmp_path: Path, name: str) -> None:
    item = add_item(store, MODEL, engine="vllm")
    drawn = replace(line("drawn by hand", 7, "new"), confidence=None)
    page = replace(MODEL, lines=(*MODEL.lines, drawn), text=MODEL.text + "\ndrawn by hand")
    await Annotator(store).save_correction(item, 0, page, "wrong", person=ANN)
    report = await Exporter(store).export(name, tmp_path / "out")
    assert (report.count_in, report.count_out, report.left_out) == (1, 1, ())
    if name not in WITHOUT_THE_LABEL:
        assert any("drawn by hand" in text for text in texts_in(tmp_path / "out", name))


async def test_pe07_a_box_without_text_is_exported_too(store: Store, tmp_path: Path) -> None:
    item = add_item(store, MODEL)
    page = replace(MODEL, lines=(*MODEL.lines, replace(line("", 7, "new"), confidence=None)))
    await Annotator(store).save_correction(item, 0, page, "wrong", person=ANN)
    await Exporter(store).export("jsonl", tmp_path / "out")
    [row] = rows(tmp_path / "out" / "items.jsonl")
    lines = row["correction"]["content"]["lines"]
    assert (len(lines), lines[-1]["text"], len(lines[-1]["quad"])) == (3, "", 4)
