"""Editing by keyboard: lines joined, split, together; boxes read again; characters, words, mistakes elsewhere."""

from __future__ import annotations

import pytest
from conftest import Desk, Product
from rest import addressed, item_at

ROWS = "#viewer .vw-row"
TEXT = "#viewer textarea.vw-input"
NOTICE = "#viewer .vw-notice"
FIRST = ["MARLOW & FINCH", "Coffee House & Bakery", "27 Lantern Street, Westhaven"]
"""Lines 2 to 4 of the receipt."""


@pytest.fixture(scope="module")
def numbers(product: Product, profile) -> list[int]:
    """Ids of two readings of the same receipt."""
    page = profile.new_page()
    desk = Desk(page, product.url).goto()
    desk.take_example("receipt")
    found = []
    for _ in range(2):
        desk.read()
        found.append(addressed(desk))
    page.close()
    return found


def opened(desk: Desk, number: int, language: str = "en") -> Desk:
    """An item with the focus on its second line."""
    desk.goto(f"/{language}/?item={number}")
    desk.page.wait_for_selector(ROWS, state="attached")
    desk.page.locator("#viewer [data-view='lines']").first.click()
    desk.page.locator("#viewer .vw-list").focus()
    press(desk, "Home", "j")
    return desk


def press(desk: Desk, *keys: str) -> None:
    for key in keys:
        desk.page.keyboard.press(key)


def texts(desk: Desk) -> list[str]:
    return desk.page.locator(f"{ROWS} .vw-text").all_text_contents()


def marks(desk: Desk, row: int) -> list[str]:
    return [mark.get_attribute("aria-label") for mark in desk.page.locator(ROWS).nth(row).locator(".vw-mark").all()]


def boxes(desk: Desk) -> dict[str, str]:
    return desk.page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#viewer .vw-boxes polygon')]"
        ".map(box => [box.dataset.id, box.getAttribute('points')]))"
    )


def test_lines_are_joined_split_copied_turned_sorted_and_all_of_it_is_undone(desk: Desk, numbers: list[int]) -> None:
    page = opened(desk, numbers[0]).page
    before, shapes = texts(desk), boxes(desk)
    press(desk, "Shift+J")
    assert page.locator(f"{ROWS}[aria-selected=true]").count() == 2
    press(desk, "Shift+M")
    assert texts(desk)[1:3] == [" ".join(FIRST[:2]), FIRST[2]]
    press(desk, "Enter", "Control+Home", *["Control+ArrowRight"] * 3, "Alt+Enter")
    assert texts(desk)[1:3] == FIRST[:2]
    left, right = (boxes(desk)[row] for row in ("l1", "n1"))
    assert left != right, "each part has its part of the box"
    press(desk, "Escape", "k", ".", ".", "Control+c", "j", "Control+v")
    assert texts(desk)[1:4] == [*FIRST[:2], FIRST[0]]
    assert boxes(desk)["l1"] != left, "turned"
    press(desk, "Control+a")
    page.locator(NOTICE).first.wait_for()
    press(desk, "Escape", "Alt+Shift+ArrowDown", "Alt+Shift+ArrowDown", "Shift+S")
    page.wait_for_selector(f"{NOTICE}:has-text('reading order')")
    page.wait_for_timeout(700)
    page.reload()
    page.wait_for_selector(f"{NOTICE}[data-topic='draft']")
    assert len(texts(desk)) == len(before) + 1, "nothing is lost on a reload"
    page.locator(f"{NOTICE}[data-topic='draft'] .vw-link").first.click()
    assert (texts(desk), boxes(desk)) == (before, shapes)
    desk.errors.clear()  # Gradio notes on the console that its stream was cut


def test_a_box_is_read_again_and_what_a_person_wrote_stays_until_they_say_otherwise(
    desk: Desk, numbers: list[int]
) -> None:
    page = opened(desk, numbers[0]).page
    before = texts(desk)
    assert before[1:4] == FIRST
    press(desk, "Enter", "Control+a")
    page.keyboard.type("my own words")
    press(desk, "Enter", "Escape", "k")
    assert "Written by a person: no engine overwrites it" in marks(desk, 1)
    press(desk, "Shift+R")
    page.wait_for_selector(f"{NOTICE}:has-text('stays as you wrote it')")
    assert texts(desk)[1] == "my own words"
    page.locator(f"{NOTICE}[data-topic='reread'] .vw-link").click()
    assert (texts(desk), marks(desk, 1)) == (before, [])
    press(desk, "Control+z")
    assert texts(desk)[1] == "my own words"
    press(desk, "Control+y", "j", "Delete", "Escape", "Escape")
    assert texts(desk)[1:3] == [FIRST[0], FIRST[2]]
    press(desk, "Shift+R")  # nothing is selected: a box is drawn
    at = page.evaluate("document.querySelector('#viewer .vw-board img').getBoundingClientRect().toJSON()")
    stored = item_at(desk, numbers[0])
    size, quad = stored["item"]["page"], stored["lines"][2]["quad"]
    k = at["width"] / size["width"]
    xs, ys = [x for x, _ in quad], [y for _, y in quad]
    page.mouse.move(at["x"] + (min(xs) - 4) * k, at["y"] + (min(ys) - 3) * k)
    page.mouse.down()
    page.mouse.move(at["x"] + (max(xs) + 4) * k, at["y"] + (max(ys) + 3) * k, steps=5)
    page.mouse.up()
    page.wait_for_selector(f"{NOTICE}:has-text('Read again')")
    assert texts(desk) == before, "in its place in the order"
    assert marks(desk, 2) == ["Read again by an engine"]
    press(desk, "Control+s")
    page.wait_for_selector("#viewer .vw-saved:has-text('as version')")
    opened(desk, numbers[0])
    assert marks(desk, 2) == ["Read again by an engine"]


@pytest.mark.stress
def test_characters_words_and_the_size_of_the_text(desk: Desk, numbers: list[int]) -> None:
    page = opened(desk, numbers[1]).page
    press(desk, "Enter", "Home", "Alt+p", "ArrowDown", "ArrowRight", "Enter", "Escape")
    assert page.input_value(TEXT) == "÷" + FIRST[0]
    assert page.evaluate("document.activeElement.matches('textarea.vw-input')"), "the cursor stays in the text"
    press(desk, "Alt+p")
    page.locator("#viewer .vw-palette .vw-tool").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("※ 〒")
    press(desk, "Enter", "Escape", "Escape", "Control+h")
    page.keyboard.type("o")
    page.wait_for_selector("#viewer .vw-found:has-text(' of ')")
    total = sum(text.lower().count("o") for text in texts(desk))
    fields = sum((field["value"] or "").lower().count("o") for field in item_at(desk, numbers[1])["fields"])
    assert page.inner_text("#viewer .vw-found").endswith(f"of {total + fields}")
    page.get_by_label("Replace with").fill("0")
    page.get_by_label("Replace with").focus()
    press(desk, "Alt+Enter")
    assert not [text for text in texts(desk) if "o" in text.lower()]
    press(desk, "Escape", "Control+z")
    assert sum(text.lower().count("o") for text in texts(desk)) == total, "one step to undo"
    press(desk, "Alt+=")
    opened(desk, numbers[1], language="zh")
    row = page.locator(f"{ROWS} .vw-text").first
    assert row.evaluate("row => getComputedStyle(row).fontSize") == "16px"
    press(desk, "Enter", "Alt+p")
    assert page.locator("#viewer .vw-character").all_text_contents() == ["※", "〒"]


def test_the_same_mistake_is_offered_elsewhere_and_a_line_tells_who_wrote_it(desk: Desk, numbers: list[int]) -> None:
    page = opened(desk, numbers[0]).page
    page.locator("#viewer .vw-person").fill("Ann")
    page.locator("#viewer .vw-list").focus()
    press(desk, "Enter", "Control+a")
    page.keyboard.type("MARLOWE & FINCH")
    press(desk, "Enter", "Escape", "k", "Control+s")
    page.wait_for_selector("#viewer .vw-tool.found")
    press(desk, "Shift+F")
    dialog = page.wait_for_selector("dialog[open]")
    assert "“MARLOW”" in dialog.inner_text()
    with page.context.expect_page() as other:
        press(desk, "Enter")
    found = other.value
    found.wait_for_selector(f"{ROWS}.selected")
    assert f"item={numbers[0]}" not in found.url
    assert found.inner_text(f"{ROWS}.selected .vw-text") == FIRST[0], "nothing was changed there"
    found.close()
    press(desk, "Escape", "y")
    page.wait_for_selector("dialog[open] li[data-kind='saved']")
    told = page.locator("dialog[open] li").all_inner_texts()
    assert "MARLOWE & FINCH" in told[0]
    assert "Ann" in told[0]
    assert "PP-OCR" in told[-1]
    page.locator("dialog[open] li[data-kind='read'] .vw-link").click()
    assert texts(desk)[1] == FIRST[0]


@pytest.mark.parametrize("language", ["zh", pytest.param("en", marks=pytest.mark.stress)])
def test_every_tool_has_its_key_in_its_title_and_on_the_help_sheet(
    desk: Desk, numbers: list[int], language: str
) -> None:
    page = opened(desk, numbers[1], language).page
    titles = [tool.get_attribute("title") for tool in page.locator("#viewer .vw-more .vw-tool").all()]
    assert len(titles) >= 11
    assert all("(" in title for title in titles), titles
    press(desk, "?")
    told = page.locator("dialog.vw-help[open]").inner_text()
    for title in titles:
        assert title.rpartition(" (")[0] in told
