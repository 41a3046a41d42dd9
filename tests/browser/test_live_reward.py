"""The reward on the page while a label is edited, what mends it, and a team's own function that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from conftest import Desk, Product, need_browser
from rest import item_at, sent
from stored import add_answered, content, open_store

from ocr_ui.domain.content import PageContent, Table
from ocr_ui.domain.prompt import Task

TEAM = """
import time
def compute_score(ground_truth, **given):
    if "wrong" in ground_truth:
        raise ValueError("no such label")
    if "hang" in ground_truth:
        time.sleep(600)
    return 0.42
"""
LINES = "Total 12.50(10,0),(500,19)Thank you(10,25),(500,44)"
TABLE = "Prices of the day: <table><tr><td>tea</td><td>2.10</td></tr></table>"
ROW = "#viewer .vw-reward"
FILE = f"{ROW} .vw-reward-file"
PROBLEM = f"{ROW} .vw-reward-problem"


@pytest.fixture(scope="module")
def items() -> dict[str, int]:
    return {}


@pytest.fixture(scope="module")
def with_file(tmp_path_factory: pytest.TempPathFactory, items: dict[str, int]) -> Iterator[Product]:
    need_browser()
    folder = tmp_path_factory.mktemp("live_reward")
    (folder / "team.py").write_text(TEAM)
    with open_store(folder / "data") as store:
        table = PageContent(tables=(Table(TABLE[19:]),), text=TABLE)
        items["lines"] = add_answered(store, Task.SPOTTING, content("Total 12.50", "Thank you"), LINES, 1)
        items["table"] = add_answered(store, Task.TABLE, table, TABLE, 2)
        items["chart"] = add_answered(store, Task.CHART, PageContent(text="a: 1"), "a: 1", 3)
        items["fields"] = add_answered(store, Task.FIELDS, PageContent(text="Total: 12.50"), "Total: 12.50", 4)
        items["unplaced"] = add_answered(store, Task.SPOTTING, content("Total 12.50", "Thank you"), LINES, 5)
    running = Product(folder / "data", OCR_UI_REWARD_FILE=str(folder / "team.py"), OCR_UI_REWARD_SECONDS="10")
    running.start()
    post(running, items["unplaced"], [{"id": f"l{n}", "text": t} for n, t in enumerate(("Total 12.50", "Thank you"))])
    yield running
    running.stop()


def post(product: Product, item: int, lines: list[dict]) -> None:
    """A correction as another program sends it."""
    body = {"recognition_id": item, "base_version": 0, "content": {"lines": lines}, "client_key": "live-reward"}
    sent(product, "/v1/corrections", body)


@pytest.fixture
def live(with_file: Product, open_desk: Callable[[str], Desk]) -> Iterator[Desk]:
    made = open_desk(with_file.url)
    yield made
    assert made.errors == []


def shows(desk: Desk, selector: str, words: str) -> None:
    desk.page.wait_for_function(
        "([selector, words]) => document.querySelector(selector)?.innerText.includes(words)"
        " && !document.querySelector('#viewer .vw-reward').classList.contains('stale')",
        arg=[selector, words],
    )


def write(desk: Desk, line: int, text: str) -> None:
    """Into the text of a line, from its end, by keyboard."""
    desk.page.locator("#viewer .vw-row .vw-text").nth(line).dblclick()
    desk.page.keyboard.press("End")
    desk.page.keyboard.insert_text(text)  # at once: what is typed with pauses is several steps to undo
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.press("Escape")


def test_a_line_is_edited_and_the_number_follows_and_undo_brings_it_back(live: Desk, items: dict[str, int]) -> None:
    page = live.goto(f"/en/?item={items['lines']}").page
    shows(live, ROW, "Reward 1")
    assert "Not corrected yet" in page.inner_text(ROW)
    before = page.locator(ROW).bounding_box()
    write(live, 0, "0000")
    shows(live, ROW, "Reward 0.85")
    assert "2 of 2 boxes of the label were found" in page.inner_text(ROW)
    shows(live, FILE, "team.py 0.42")
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("Control+z")
    shows(live, ROW, "Reward 1")
    told = "document.querySelector('#viewer .vw-reward [role=status]').textContent"
    page.wait_for_function(f"{told}.startsWith('Reward 1. ')")
    after = page.locator(ROW).bounding_box()
    assert (after["y"], after["height"]) == (before["y"], before["height"]), "nothing jumps"


@pytest.mark.stress
def test_all_rewards_stand_in_a_sheet_for_the_keyboard(live: Desk, items: dict[str, int]) -> None:
    page = live.goto(f"/en/?item={items['lines']}").page
    shows(live, FILE, "team.py 0.42")
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("e")
    sheet = page.locator("#viewer .vw-rewards")
    told = sheet.inner_text()
    assert "Official rule" in told
    assert "Our own rule" in told
    assert "team.py:compute_score gave 0.42." in told
    sheet.locator("summary").click()
    assert sheet.locator("pre").inner_text() == LINES
    page.keyboard.press("Escape")
    assert not sheet.is_visible()
    assert page.evaluate("document.activeElement.className") == "vw-reward-open"


@pytest.mark.stress
def test_attributes_of_a_table_are_mended_in_one_click_and_saved(live: Desk, items: dict[str, int]) -> None:
    page = live.goto(f"/en/?item={items['table']}").page
    page.locator("#viewer [data-view='text']").first.click()
    text = page.locator("#viewer .vw-whole")
    shows(live, ROW, "Reward 1")
    before = page.locator(ROW).bounding_box()
    text.click()
    text.evaluate("field => field.setSelectionRange(25, 25)")
    page.keyboard.type(' border="1"')
    shows(live, PROBLEM, '<table border="1"> is overlooked')
    worth = page.inner_text(f"{ROW} .vw-reward-value")
    assert worth in ("Reward 0", "Reward −1")
    assert page.locator(ROW).bounding_box() == before, "nothing jumps"
    page.get_by_role("button", name="Mend (F)").click()
    shows(live, ROW, "Reward 1")
    assert text.input_value() == TABLE
    page.keyboard.press("Control+z")
    shows(live, PROBLEM, "overlooked")
    assert '<table border="1">' in text.input_value()
    page.keyboard.press("f")
    shows(live, ROW, "Reward 1")
    page.locator("#viewer [data-view='text']").first.click()
    page.locator("#viewer .vw-whole").press("Control+End")
    page.keyboard.type(".")
    page.keyboard.press("Control+s")
    page.wait_for_selector("#viewer .vw-saved:has-text('version 1')")
    assert item_at(live, items["table"])["text"].startswith("Prices of the day: <table><tr>")


@pytest.mark.stress
def test_lines_without_a_box_get_the_models(live: Desk, items: dict[str, int]) -> None:
    page = live.goto(f"/en/?item={items['unplaced']}").page
    shows(live, ROW, "No reward")
    shows(live, PROBLEM, "line 1 has no box")
    assert page.locator("#viewer .vw-boxes polygon").count() == 0
    page.keyboard.press("f")
    shows(live, ROW, "Reward 1")
    assert page.locator("#viewer .vw-boxes polygon").count() == 2


@pytest.mark.stress
def test_fields_are_made_of_a_text(live: Desk, items: dict[str, int]) -> None:
    page = live.goto(f"/en/?item={items['fields']}").page
    shows(live, PROBLEM, "it has no fields")
    page.keyboard.press("f")
    page.locator("#viewer [data-view='fields']").first.click()
    assert page.locator("#viewer .vw-field-value").input_value() == "12.50"


@pytest.mark.stress
def test_what_has_no_rule_says_so_in_the_language(live: Desk, items: dict[str, int]) -> None:
    live.goto(f"/zh/?item={items['chart']}")
    shows(live, ROW, "没有奖励值")
    shows(live, ROW, "这里没有 chart_deplot 的规则")


@pytest.mark.stress
def test_a_function_that_raises_or_hangs_is_shown_and_the_page_goes_on(live: Desk, items: dict[str, int]) -> None:
    page = live.goto(f"/en/?item={items['lines']}").page
    shows(live, FILE, "team.py 0.42")
    write(live, 0, "hang")
    shows(live, ROW, "Reward 0.8")
    assert "team.py …" in page.inner_text(FILE), "the official rule is there while the function hangs"
    shows(live, FILE, "team.py no value")
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("e")
    assert "took longer than 10 seconds" in page.inner_text("#viewer .vw-rewards")
    page.keyboard.press("Escape")
    write(live, 1, "wrong")
    shows(live, FILE, "team.py no value")
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("e")
    page.wait_for_function("document.querySelector('#viewer .vw-rewards').innerText.includes('no such label')")
    page.keyboard.press("Escape")
    page.locator("#viewer .vw-list").focus()
    for _ in range(2):
        page.keyboard.press("Control+z")
    shows(live, ROW, "Reward 1")
    shows(live, FILE, "team.py 0.42")
