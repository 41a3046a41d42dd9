"""Working by keyboard: where the focus goes, what typing and undoing do, and messages that ask for a decision."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Desk, Product
from rest import addressed, item_at

ROWS = "#viewer .vw-row"
NOWHERE = "document.activeElement === document.body"
WHERE = """() => { const e = document.activeElement; const all = (window.walked ??= []);
    if (!all.includes(e)) all.push(e);
    return [e.tagName, all.indexOf(e), e.closest('[id]')?.id, e.className, e.textContent.slice(0, 30)].join(' '); }"""


@pytest.fixture(scope="module")
def number(product: Product, profile) -> Iterator[int]:
    """The id of a result with lines and fields."""
    page = profile.new_page()
    desk = Desk(page, product.url).goto()
    desk.take_example("receipt")
    desk.read()
    yield addressed(desk)
    page.close()


def opened(desk: Desk, number: int, language: str = "en", view: str = "lines") -> Desk:
    desk.goto(f"/{language}/?item={number}")
    desk.page.wait_for_selector(f"{ROWS}, #viewer .vw-field-value", state="attached")
    desk.page.locator(f"#viewer [data-view='{view}']").first.click()
    return desk


def keeps_focus(desk: Desk) -> str:
    """Waits longer than the page takes to find lost focus a place; gives where it is."""
    desk.page.wait_for_timeout(400)
    where = desk.page.evaluate(WHERE)
    assert not desk.page.evaluate(NOWHERE), where
    return where


def texts(desk: Desk) -> list[str]:
    return desk.page.locator(f"{ROWS} .vw-text").all_text_contents()


@pytest.mark.stress
def test_tab_walks_through_the_whole_page_and_never_falls_off(desk: Desk, number: int) -> None:
    page = opened(desk, number).page
    page.evaluate("document.querySelector('.wb-languages a').focus()")
    walked = [page.evaluate(WHERE)]
    while not walked[-1].startswith("BODY") and len(walked) < 150:
        page.keyboard.press("Tab")
        walked.append(page.evaluate(WHERE))
    ends = [place for place in walked if place.startswith("BODY")]
    assert len(ends) == 1, "only behind the last element"
    assert len(set(walked)) == len(walked), "no place twice: Tab is caught nowhere"
    for part in ("template", "read-go", "prompt", "vw-list", "vw-pane", "vw-note-input", "Right", "Wrong"):
        assert any(part in place for place in walked), part


@pytest.mark.stress
def test_a_choice_in_the_list_of_templates_keeps_the_focus_there(desk: Desk) -> None:
    page = desk.goto().page
    field = page.locator("#template input")
    field.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert "template" in keeps_focus(desk)
    assert field.get_attribute("aria-expanded") == "false", "its list stays closed"
    page.keyboard.press("Tab")
    assert "template" not in keeps_focus(desk)


@pytest.mark.stress
def test_what_takes_the_focus_away_gives_it_to_a_neighbour(desk: Desk, number: int) -> None:
    page = opened(desk, number).page
    page.locator(f"{ROWS} .vw-num").last.click()
    remove = page.locator("#viewer .vw-detail [data-title='act_remove']")
    remove.focus()
    for _ in texts(desk):
        page.keyboard.press("Enter")
    assert page.locator(ROWS).count() == 0
    assert "vw-list" in keeps_focus(desk), "nothing is left to delete: the button is disabled"
    page.locator("#viewer .vw-deleted-row button").first.focus()
    page.keyboard.press("Enter")
    keeps_focus(desk)
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    assert "vw-list" in keeps_focus(desk)


@pytest.mark.stress
def test_read_gives_the_focus_to_stop_and_back(desk: Desk, number: int) -> None:
    page = opened(desk, number).page
    page.focus("#read-go")
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer [data-run='running']", state="attached")
    assert "read-stop" in keeps_focus(desk)
    page.keyboard.press("Enter")
    page.wait_for_selector("#read-go:not([disabled])")
    assert "read-go" in keeps_focus(desk)


@pytest.mark.stress
def test_n_adds_a_box_and_opens_its_text_and_esc_takes_back_what_was_typed(desk: Desk, number: int) -> None:
    page = opened(desk, number).page
    before = texts(desk)
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("Home")
    page.keyboard.press("n")
    page.keyboard.type("kept")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert texts(desk)[:2] == [before[0], "kept"]
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    for part in (" typed", " and more"):
        page.keyboard.type(part)
        page.wait_for_timeout(1300)  # two steps to undo
    page.keyboard.press("Escape")
    assert texts(desk)[1] == "kept"
    seen = set()
    for key in ("Control+z", "Control+z", "Control+z", "Control+Shift+z", "Control+Shift+z", "Control+Shift+z"):
        page.keyboard.press(key)
        seen |= set(texts(desk))
    assert not {text for text in seen if "typed" in text}
    assert texts(desk)[1] == "kept"


@pytest.mark.parametrize(
    ("view", "field"),
    [("lines", f"{ROWS} textarea"), pytest.param("fields", "#viewer .vw-field-value", marks=pytest.mark.stress)],
)
def test_a_draft_comes_back_on_the_tab_of_its_edits(desk: Desk, number: int, view: str, field: str) -> None:
    page = opened(desk, number, view=view).page
    if view == "lines":
        page.locator(f"{ROWS} .vw-text").first.click()
    page.locator(field).first.click()
    page.keyboard.press("End")
    page.keyboard.type(" draft")
    page.wait_for_timeout(700)
    page.reload()
    page.wait_for_selector("#viewer .vw-notice[data-topic='draft']")
    assert page.get_attribute("#viewer [role=tab][aria-selected=true]", "data-view") == view
    page.locator("#viewer .vw-notice[data-topic='draft'] .vw-link").click()
    desk.errors.clear()  # Gradio notes on the console that its stream was cut


@pytest.mark.stress
def test_a_refused_file_is_named_and_the_warnings_of_the_picture_do_not_stand_beside_it(
    desk: Desk, tmp_path: Path
) -> None:
    page = desk.goto().page
    desk.take_example("blank_page")
    page.wait_for_selector("#viewer .vw-warnings li")
    bad = tmp_path / "notes.png"
    bad.write_text("Dear Sir or Madam")
    page.set_input_files("#viewer input[type=file]", str(bad))
    notice = page.wait_for_selector("#viewer .vw-notice.bad")
    assert notice.inner_text().startswith("notes.png:")
    assert not page.is_visible("#viewer .vw-warnings")
    desk.errors.clear()  # the browser notes the refusal
    page.locator("#viewer .vw-notice.bad button").last.click()
    assert page.is_visible("#viewer .vw-warnings")
    keeps_focus(desk)


@pytest.mark.stress
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_door_says_what_it_takes(desk: Desk, language: str) -> None:
    words = desk.goto(f"/{language}/").page.inner_text("#viewer .vw-door .vw-subdued")
    assert "20\u00a0MB" in words
    for kind in ("JPEG", "PNG", "WebP", "TIFF", "BMP", "GIF", "HEIC", "AVIF", "PDF"):
        assert kind in words


def test_who_saves_second_is_told_what_to_do_and_loses_nothing(desk: Desk, number: int, browser, product) -> None:
    theirs = browser.new_page()  # with a profile of its own
    other = opened(Desk(theirs, product.url), number)
    page = opened(desk, number, language="zh").page
    for tab, text in ((theirs, "Theirs"), (page, "Mine")):
        tab.locator(f"{ROWS} .vw-text").first.click()
        tab.keyboard.press("Control+a")
        tab.keyboard.type(text)
        tab.keyboard.press("Control+s")
        if tab is theirs:
            other.page.wait_for_selector("#viewer .vw-saved:has-text('version')")
    told = page.wait_for_selector("#viewer .vw-conflict:not([hidden])").inner_text()
    desk.errors.clear()  # the browser notes the answer 409
    assert "未保存" in told
    assert "草稿" in told
    box = page.locator("#viewer .vw-conflict").bounding_box()
    assert box["width"] > 600
    version = item_at(desk, number)["version"]
    page.locator("#viewer .vw-conflict button").last.click()
    page.wait_for_selector(f"#viewer .vw-saved:has-text('{version + 1}')")  # the message goes when the save begins
    assert page.is_hidden("#viewer .vw-conflict")
    stored = item_at(desk, number)
    assert stored["version"] == version + 1
    assert stored["lines"][0]["text"] == "Mine"
    theirs.close()
