"""The main job, as a person does it: take an example, read it, see the boxes, correct by keyboard, find it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Desk, Product, Server
from rest import addressed, item_at

from tests.engines.scripted_server import chunk, stream

ROWS = "#viewer .vw-row"
BOXES = "#viewer .vw-boxes polygon"
KEEP_STATES = """(boxes) => {
    window.states = [];
    const keep = () => window.states.push(
        [document.querySelector("#viewer [data-run]")?.dataset.run, document.querySelectorAll(boxes).length]);
    const told = { subtree: true, childList: true, attributes: true };
    new MutationObserver(keep).observe(document.querySelector("#viewer"), told);
}"""
"""Keeps every state and how many boxes it had: a reading may be over before anybody asks."""


def item_of(desk: Desk) -> dict:
    """The item that the viewer shows, as the store has it."""
    return item_at(desk, addressed(desk))


def texts(desk: Desk) -> list[str]:
    """What stands in the list; it is drawn only while it is shown."""
    desk.page.locator("#viewer [data-view='lines']").first.click()
    desk.page.wait_for_selector(ROWS)
    return desk.page.locator(f"{ROWS} .vw-text").all_text_contents()


def test_boxes_appear_before_the_end_in_the_list_and_on_the_picture(desk: Desk) -> None:
    desk.goto().take_example("invoice")
    desk.page.evaluate(KEEP_STATES, BOXES)
    desk.page.click("#read-go")
    desk.page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    early = [boxes for state, boxes in desk.page.evaluate("window.states") if state == "running" and boxes]
    assert early
    assert desk.page.locator(BOXES).count() > early[0]
    assert desk.page.locator(ROWS).count() == desk.page.locator(BOXES).count()
    assert any("Hollowell" in text for text in texts(desk))


def test_stop_keeps_what_came_and_says_so(
    with_server: Product, server: Server, open_desk: Callable[[str], Desk]
) -> None:
    """The engine says one line, and then nothing for ever."""
    server.answers(stream(chunk("<ref>Total</ref><quad>(100,100),(500,200)</quad>\n"), done=False, hangs=True))
    desk = open_desk(with_server.url).goto()
    desk.take_example("bad_scan")
    desk.page.click("#read-go")
    desk.page.wait_for_function(f"document.querySelectorAll('{BOXES}').length > 0")
    desk.page.click("#read-stop")
    desk.page.wait_for_selector("#viewer [data-run='stopped']", state="attached")
    desk.settle()
    kept = texts(desk)
    assert kept
    item = item_of(desk)
    assert item["run"]["state"] == "stopped"
    assert [line["text"] for line in item["lines"]] == kept
    assert "stopped" in desk.page.inner_text("#viewer .vw-warnings").lower()
    assert (desk.errors, desk.outside) == ([], [])


@pytest.mark.stress
def test_what_was_read_is_there_after_the_tab_is_loaded_again(desk: Desk) -> None:
    desk.goto().take_example("invoice")
    desk.page.click("#read-go")
    desk.page.wait_for_function(f"document.querySelectorAll('{BOXES}').length > 0")
    assert desk.page.get_attribute("#viewer [data-run]", "data-run") == "running"
    shown = texts(desk)
    desk.page.reload()
    desk.page.wait_for_selector("#viewer [data-run='stopped']", state="attached")
    desk.settle()
    kept = texts(desk)
    desk.errors.clear()  # Gradio notes on the console that its stream was cut
    assert kept[: len(shown)] == shown
    item = item_of(desk)
    assert (item["run"]["state"], [line["text"] for line in item["lines"]]) == ("stopped", kept)
    assert "stopped" in desk.page.inner_text("#viewer .vw-warnings").lower()


@pytest.mark.stress
def test_click_goes_both_ways_between_box_and_line(desk: Desk) -> None:
    desk.goto().take_example("receipt")
    desk.read()
    desk.page.get_by_role("tab", name="Lines").click()
    third = desk.page.locator(ROWS).nth(2)
    third.locator(".vw-num").click()
    chosen = third.get_attribute("data-id")
    assert desk.page.get_attribute(f"{BOXES}.selected", "data-id") == chosen
    other = desk.page.locator(ROWS).nth(5).get_attribute("data-id")
    desk.page.locator(f"{BOXES}[data-id='{other}']").click()
    assert desk.page.get_attribute(f"{ROWS}.selected", "data-id") == other


def test_correct_by_keyboard_alone_reload_and_find_it_again(desk: Desk, product: Product) -> None:
    page = desk.goto().page
    desk.take_example("receipt")
    page.focus("#read-go")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    desk.settle()
    page.get_by_role("tab", name="Lines").focus()
    page.keyboard.press("Enter")
    model = texts(desk)
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    page.keyboard.type(" (put right)")
    page.keyboard.press("Enter")  # keeps the text and opens the next line
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    page.keyboard.press("Control+s")
    page.wait_for_selector("#viewer .vw-saved:has-text('version 1')")
    desk.settle()
    item = item_of(desk)
    changed = [line["text"] for line in item["lines"]]
    edited = [n for n, (old, new) in enumerate(zip(model, changed, strict=True)) if old != new]
    assert len(edited) == 1
    assert changed[edited[0]] == model[edited[0]] + " (put right)"
    assert [line["text"] for line in item["model_lines"]] == model
    assert (item["verdict"], item["state"], item["version"]) == ("wrong", "submitted", 1)

    page.reload()
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    desk.settle()
    assert texts(desk) == changed

    page.get_by_role("tab", name="Dataset").click()
    page.wait_for_selector("#items tbody tr")
    desk.settle()
    first = page.locator("#items tbody tr").first
    assert "receipt" in first.inner_text()
    assert "wrong" in first.inner_text()
    number = first.get_attribute("data-id")
    page.locator(f"#items [data-focus='open-{number}']").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer", state="visible")
    desk.settle()
    assert texts(desk) == changed


@pytest.mark.stress
def test_an_input_method_keeps_its_text_until_it_is_done(desk: Desk) -> None:
    page = desk.goto().page
    desk.take_example("chinese_form")
    desk.read()
    page.get_by_role("tab", name="Lines").click()
    model = texts(desk)
    page.locator(f"{ROWS} .vw-text").first.click()
    field = page.locator("#viewer .vw-row textarea, #viewer .vw-row input").first
    field.wait_for()
    before = field.input_value()
    page.keyboard.press("End")
    client = page.context.new_cdp_session(page)
    for so_far in ("r", "ru", "ru zhi"):
        client.send(
            "Input.imeSetComposition", {"text": so_far, "selectionStart": len(so_far), "selectionEnd": len(so_far)}
        )
    # The Enter that picks a word belongs to the input method; the page sees it marked as composing.
    page.evaluate(
        """() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
            {key: "Enter", keyCode: 229, isComposing: true, bubbles: true, cancelable: true}))"""
    )
    assert page.evaluate("document.activeElement.value").startswith(before), "the field lost its text or its focus"
    written = page.locator(f"{ROWS} .vw-text").all_text_contents()
    assert written[1:] == model[1:], "nothing is kept before the word is whole"
    client.send("Input.insertText", {"text": "入职"})
    page.keyboard.press("Enter")
    assert texts(desk)[0] == before + "入职"


def test_a_picture_is_dropped_and_bad_files_are_told(desk: Desk, tmp_path: Path) -> None:
    page = desk.goto().page
    bad = tmp_path / "notes.png"
    bad.write_text("<html>not a picture</html>")
    page.set_input_files("#viewer input[type=file]", str(bad))
    page.wait_for_selector("#viewer .vw-notice.bad")
    assert "html" in page.inner_text("#viewer .vw-notice.bad").lower()
    desk.errors.clear()  # the browser itself notes the refusal (HTTP 400) on its console
    page.set_input_files("#viewer input[type=file]", str(ROOT / "examples" / "receipt.jpg"))
    page.wait_for_function("document.querySelector('#viewer img')?.naturalWidth > 0")
    desk.settle()
    desk.read()
    assert any("MARLOW" in text.upper() for text in texts(desk))


@pytest.mark.stress
def test_ctrl_v_anywhere_takes_a_picture(desk: Desk) -> None:
    page = desk.goto().page
    page.evaluate(
        """async () => {
            const blob = await (await fetch('/examples/receipt/thumbnail')).blob();
            const data = new DataTransfer();
            data.items.add(new File([blob], 'pasted.webp', {type: 'image/webp'}));
            document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true}));
        }"""
    )
    page.wait_for_function("document.querySelector('#viewer img')?.naturalWidth > 0")
    desk.settle()
    assert page.locator("#viewer").inner_text().count("×") >= 1


@pytest.mark.stress
def test_the_page_speaks_the_language_of_the_browser_and_of_the_switch(product: Product, browser) -> None:
    context = browser.new_context(locale="zh-CN", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(product.url)
    page.wait_for_selector(".wb-header h1")
    assert page.url.startswith(product.url + "/zh/")
    assert page.inner_text("#read-go").startswith("识别")
    page.click(".wb-languages a[lang=en]")
    page.wait_for_selector("#read-go:has-text('Read')")
    page.goto(product.url)
    page.wait_for_selector(".wb-header h1")
    assert page.url.startswith(product.url + "/en/"), "the choice is remembered"
    context.close()


@pytest.mark.stress
def test_an_engine_that_cannot_do_a_task_offers_those_that_can(desk: Desk) -> None:
    page = desk.goto().page
    desk.take_example("formula_page")
    assert "cannot do this" in page.inner_text("#offer")
    assert "OCR_UI_ENGINE=vllm" in page.inner_text("#offer")
    assert page.locator("#read-go").count() == 0, "Read would only fail"
    page.locator("#read-instead").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    desk.settle()
    assert item_of(desk)["item"]["template"] == "full_text"
    assert page.locator("#read-instead").count() == 0
    assert page.is_enabled("#read-go")


@pytest.mark.stress
def test_an_engine_that_cannot_hold_a_form_says_so(desk: Desk) -> None:
    page = desk.goto().page
    desk.take_example("receipt")
    assert page.get_by_label("Hold the answer to these names").is_disabled()
    assert "rapidocr cannot do this" in page.inner_text("#structured")


@pytest.mark.stress
def test_the_text_to_be_sent_is_shown_edited_and_restored(desk: Desk) -> None:
    page = desk.goto().page
    desk.take_example("receipt")
    prompt = page.locator("#prompt textarea")
    own = prompt.input_value()
    assert "Total" in own
    prompt.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" 请")
    page.wait_for_selector("#prompt-note:has-text('Edited')")
    page.click("#prompt-restore")
    page.wait_for_selector("#prompt-note:not(:has-text('Edited'))")
    assert prompt.input_value() == own


@pytest.mark.stress
def test_nothing_leaves_the_machine(desk: Desk) -> None:
    desk.goto().take_example("receipt")
    desk.read()
    desk.page.get_by_role("tab", name="Dataset").click()
    desk.page.wait_for_selector("#items tbody tr")
    desk.settle()
    assert desk.outside == []
