"""What axe-core finds at the camera, where readings are compared, and in the tabs Batch, Prompts and Monitor."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Desk, Product
from inspecting import Inspection
from sampled import answer, page_picture
from stored import ANN, add_item, content, recognition

from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import EngineName
from ocr_ui.services.thresholds import LEAST_WRONG
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store
from tests.engines.scripted_server import chunk, stream

pytestmark = pytest.mark.stress
ARABIC = "سكر ٢٫١٠"
SAID = answer("Total 12.50", ARABIC)


@pytest.fixture
def desk(with_server: Product, server, open_desk) -> Desk:
    server.answers(stream(chunk(SAID), chunk("", finish="stop")))
    return open_desk(with_server.url)


def tab(desk: Desk, *names: str) -> None:
    for name in names:
        desk.page.click(f"[role=tab][data-tab-id={name}]")
    desk.settle()


def two_readings(product: Product) -> tuple[int, int]:
    with Store.open(Settings(data_dir=product.data_dir)) as store:
        sha256 = store.pictures.put(page_picture(77))
        page = store.pages.add_document("page.png", [Page(sha256, 1000, 800, "page.png")], ANN).page_ids[0]
        ids = []
        for kind, said in (("rapidocr", content("Same", "Total 12.50")), ("openai", content("Same", ARABIC, "More"))):
            value = replace(recognition(sha256, said), engine=EngineName(kind, "1", "m", "r", kind))
            ids.append(store.recognitions.add(value, page))
    return ids[0], ids[1]


def test_axe_finds_nothing_at_the_camera_and_where_two_readings_are_compared(desk: Desk, with_server: Product) -> None:
    page = desk.goto().page
    seen = Inspection(desk)
    page.click("#viewer .vw-door button:has-text('photo')")
    page.wait_for_selector("dialog.vw-photo[open]")
    seen.look("the camera", "dialog.vw-photo")
    page.keyboard.press("Escape")
    left, right = two_readings(with_server)
    desk.goto(f"/en/?item={left}&with={right}")
    page.wait_for_selector(".wb-cmp-panel:not([hidden])")
    desk.settle()
    seen = Inspection(desk, seen.found)
    seen.look("two readings compared")
    page.keyboard.press("?")
    seen.look("keys of the comparison", ".wb-cmp-panel")
    assert seen.found == {}


def test_axe_finds_nothing_in_a_batch_and_the_monitor(desk: Desk, tmp_path: Path) -> None:
    page = desk.goto().page
    seen = Inspection(desk)
    tab(desk, "batch")
    page.evaluate("document.querySelectorAll('.wb-jobs details').forEach(one => (one.open = true))")
    seen.look("an empty batch")
    seen.walk("the Batch tab", "#batch-tab")
    (tmp_path / "page.png").write_bytes(page_picture(78))
    (tmp_path / "notes.txt").write_text("no picture")
    page.set_input_files("#jobs-files", [tmp_path / "page.png", tmp_path / "notes.txt"])
    page.wait_for_selector("#jobs-start[aria-disabled='false']")
    seen.look("files are chosen")
    page.click("#jobs-start")
    page.wait_for_selector(".wb-job[data-state=done]")
    page.evaluate("document.querySelectorAll('.wb-jobs details, .wb-job details').forEach(one => (one.open = true))")
    desk.settle()
    seen.look("a batch is done")
    tab(desk, "monitor")
    page.wait_for_selector("#monitor .wb-monitor-plot .main-svg")
    seen.look("the Monitor")
    seen.walk("the Monitor", "#monitor-tab")
    assert seen.found == {}


def test_axe_finds_nothing_in_the_library_and_in_try(desk: Desk) -> None:
    page = desk.goto().page
    seen = Inspection(desk)
    tab(desk, "prompts")
    page.click("nav [data-template=translate]")
    page.evaluate("document.querySelectorAll('#library details').forEach(one => (one.open = true))")
    page.locator("section[data-template=translate] .wb-wording-field").press_sequentially(" {{other}}")
    desk.settle()
    seen.look("a template is written")
    page.click("[data-act=new]")
    seen.look("a new template")
    seen.walk("a template", "#library")
    tab(desk, "try")
    seen.look("nothing tried yet")
    picture = {"name": "قائمة.png", "mimeType": "image/png", "buffer": page_picture(79)}
    page.set_input_files("#tries input[type=file]", picture)
    page.wait_for_selector("#tries-go[aria-disabled=false]")
    page.evaluate("document.querySelectorAll('#tries details').forEach(one => (one.open = true))")
    page.click("#tries-go")
    page.wait_for_selector(".wb-try-shown[data-state=shown]")
    desk.settle()
    seen.look("two columns compared")
    seen.walk("two columns compared", "#tries")
    page.click("[data-view=rendered]:visible")
    seen.look("two columns rendered", "#tries")
    assert seen.found == {}


def test_axe_finds_nothing_in_a_contest_and_its_log(desk: Desk, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"p{number}.png").write_bytes(page_picture(80 + number))
        known = {
            "file": f"p{number}.png",
            "text": f"Total 12.50\n{ARABIC} {number}",
            "tags": ["small"],
            "kind": "receipt",
        }
        known["tests"] = [{"type": "present", "text": "Total 12.50"}, {"type": "absent", "text": "Total"}]
        (tmp_path / f"p{number}.json").write_text(json.dumps(known), encoding="utf-8")
    page = desk.goto().page
    seen = Inspection(desk)
    tab(desk, "prompts", "contest")
    page.select_option("#contest-data", label="A folder with labels …")
    page.fill("#contest-folder", str(tmp_path))
    page.check("#contest-template-full_text")
    page.check("#contest-template-full_text_plain")
    page.wait_for_selector("#contest-start[aria-disabled=false]")
    desk.settle()
    seen.look("a contest is put together")
    page.click("#contest-start")
    page.wait_for_selector("#contest-against td")
    page.wait_for_selector(".wb-contest-plot .main-svg")
    page.evaluate("document.querySelectorAll('#contest details').forEach(one => (one.open = true))")
    desk.settle()
    seen.look("its result")
    seen.walk("a contest", "#contest")
    page.locator("section:not([id]) > .wb-contest-worst .wb-open").first.click()
    page.wait_for_selector("dialog[open] tr[data-state]")
    desk.settle()
    seen.look("a page beside its label", "dialog[open]")
    page.keyboard.press("Escape")
    page.click("#contest-tab-log")
    page.wait_for_selector(".wb-contest-log tr[data-regression]")
    desk.settle()
    seen.look("the log")
    assert seen.found == {}


def test_axe_finds_nothing_in_use_in_confidence_and_in_drift(desk: Desk, with_server: Product) -> None:
    said = content("Total 1", "Tea 2")
    said = replace(said, lines=tuple(replace(line, confidence=0.5) for line in said.lines))
    with Store.open(Settings(data_dir=with_server.data_dir)) as store:
        for shade in range(LEAST_WRONG):
            item = add_item(store, said, template="formula", shade=9_000 + shade)
            store.corrections.add(item, 0, content("Total 1", "Tea 3"), ANN, edit_distance=1)
    page = desk.goto().page
    seen = Inspection(desk)
    tab(desk, "prompts", "experiments")
    seen.look("nothing compared in use yet")
    page.select_option("#experiments-other_engine", "rapidocr")
    page.fill("#experiments-share", "25")
    page.click("#experiments-start")
    page.wait_for_selector("#experiments-roll_back")
    desk.settle()
    seen.look("two compared in use")
    seen.walk("two compared in use", "#experiments")
    page.click("#experiments-roll_back")
    page.wait_for_selector("#experiments-roll_back", state="hidden")
    tab(desk, "confidence")
    page.select_option("#confidence-template", "formula")
    page.click("#confidence-measure")
    page.wait_for_selector("#confidence [data-chart=load] .main-svg")
    desk.settle()
    seen.look("confidences measured")
    tab(desk, "drift")
    page.wait_for_selector("#drift [data-chart=size] .main-svg")
    desk.settle()
    seen.look("the days")
    seen.walk("the days", "#drift")
    assert seen.found == {}
