"""Markdown and formulas are edited beside what they look like, mistakes are shown where they are; regions and the
cells of tables are corrected as lines are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from conftest import Desk, Product
from inspecting import Inspection
from rest import got
from stored import add_answered, open_store

from ocr_ui.domain.content import TextRegion
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import document, formula, tables

MARKDOWN = "# Heat\n\nThe energy is $E = mc^2$.\n\n$$\n\\frac{1}{2\n$$\n\nand $\\nope$ at the end."
FORMULA = "a^2 + \\frac{1}{2}"
TABLE = "<table><tr><th>Item</th><th>Price</th></tr><tr><td>green tea</td><td>2.10</td></tr></table>"
PRICES = f"tea and more\n\n{TABLE}"
VIEW = "#viewer .vw-source-view"
REGION = Quad.from_points([(200, 200), (600, 200), (600, 400), (200, 400)])


@pytest.fixture(scope="module")
def items(product: Product) -> dict[str, int]:
    found = {}
    with open_store(product.data_dir) as store:
        page = document.parse(MARKDOWN, (1000, 800))
        found["document"] = add_answered(store, Task.DOCUMENT, page, MARKDOWN, 901)
        found["formula"] = add_answered(store, Task.FORMULA, formula.parse(FORMULA), FORMULA, 902)
        found["table"] = add_answered(store, Task.TABLE, tables.parse(PRICES), PRICES, 903)
        page = replace(document.parse("Some text", (1000, 800)), regions=(TextRegion("text", REGION, "Some text"),))
        found["regions"] = add_answered(store, Task.LAYOUT, page, "Some text", 904)
    return found


@pytest.fixture
def at_item(desk: Desk, items: dict[str, int]) -> Callable[..., Desk]:
    def opened(name: str, language: str = "en") -> Desk:
        page = desk.goto(f"/{language}/?item={items[name]}").page
        page.wait_for_selector("#viewer .vw.has-page")
        return desk

    return opened


def saved(desk: Desk, item: int) -> dict:
    desk.page.keyboard.press("Control+s")
    desk.page.wait_for_selector("#viewer .vw-saved:has-text('version 1')")
    return got(desk, f"/v1/items/{item}")


def told(desk: Desk, words: str) -> None:
    desk.page.wait_for_selector(f"{VIEW} .vw-problem:has-text('{words}')")


def test_markdown_is_edited_beside_what_it_looks_like_and_its_mistakes_are_gone_to_by_keys(
    at_item: Callable[..., Desk], items: dict[str, int]
) -> None:
    desk = at_item("document")
    page, keys = desk.page, desk.page.keyboard
    told(desk, "1 of 2 · line 6, column 9: This brace is not closed")
    source, rendered = (page.locator(f"{VIEW} {part}") for part in (".vw-whole", ".vw-rendered"))
    assert source.bounding_box()["x"] + 100 < rendered.bounding_box()["x"], "side by side"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "at 1,280 nothing scrolls sideways"
    assert page.locator(f"{VIEW} .vw-source-line.wrong").count() == 2
    assert page.inner_text(f"{VIEW} .vw-source-line.wrong mark >> nth=0") == "{"
    assert rendered.locator("math").count() == 2
    seen = Inspection(desk)
    seen.look("Markdown beside its source", "#viewer")
    assert seen.found == {}
    keys.press("F8")
    brace = MARKDOWN.index("{2")
    selected = "[document.activeElement.selectionStart, document.activeElement.selectionEnd]"
    assert page.evaluate(selected) == [brace, brace + 1]
    strip = page.locator(f"{VIEW} .vw-problems").bounding_box()
    keys.press("End")
    keys.type("}")
    told(desk, "1 of 1 · line 9, column 6: This command is not known")
    assert rendered.locator("math mfrac").count() == 1
    keys.press("F8")
    keys.insert_text("\\pi")  # at once: what is typed with pauses is several steps to undo
    keys.press("Control+End")
    keys.insert_text(" <img src=x onerror='window.ran = 1'>")
    told(desk, "No mistakes found")
    page.wait_for_selector(f"{VIEW} .vw-rendered:has-text('<img src=x')")
    assert page.evaluate("window.ran") is None
    assert page.locator(f"{VIEW} .vw-problems").bounding_box() == strip, "nothing moves"
    keys.press("Alt+v")
    assert not rendered.is_visible()
    keys.press("Alt+v")
    want = MARKDOWN.replace("{2\n", "{2}\n").replace("nope", "pi") + " <img src=x onerror='window.ran = 1'>"
    for key in ("Control+z", "Control+z"):
        keys.press(key)
    told(desk, "This command is not known")
    for key in ("Control+Shift+z", "Control+Shift+z"):
        keys.press(key)
    assert saved(desk, items["document"])["text"] == want


@pytest.mark.stress
def test_a_formula_is_typed_as_source_and_its_line_is_the_persons(
    at_item: Callable[..., Desk], items: dict[str, int]
) -> None:
    desk = at_item("formula", "zh")
    page, keys = desk.page, desk.page.keyboard
    told(desk, "没有发现错误")
    page.click(f"{VIEW} .vw-whole")
    keys.press("Control+End")
    keys.type(" + \\sqrt{b")
    told(desk, "第 1 行第 26 列：此花括号没有闭合")
    assert page.get_attribute(f"{VIEW} .ocr-formula-error", "title") == "此花括号没有闭合"
    keys.type("}")
    page.wait_for_selector(f"{VIEW} .vw-rendered math msqrt")
    keys.press("Control+s")
    page.wait_for_selector("#viewer .vw-saved:not(.unsaved)")
    page.wait_for_function("() => document.querySelector('#viewer .vw-saved').textContent.includes('1')")
    value = got(desk, f"/v1/items/{items['formula']}")
    assert value["text"] == "a^2 + \\frac{1}{2} + \\sqrt{b}"
    assert [line["text"] for line in value["lines"]] == [value["text"]]
    page.click("#viewer [data-view=lines]")
    page.wait_for_selector("#viewer .vw-row .vw-mark.lock")


@pytest.mark.stress
def test_cells_are_found_and_replaced_and_the_text_says_the_same(
    at_item: Callable[..., Desk], items: dict[str, int]
) -> None:
    desk = at_item("table")
    page, keys = desk.page, desk.page.keyboard
    keys.press("Alt+t")
    keys.press("Control+h")
    keys.type("tea")
    assert page.inner_text("#viewer .vw-found") == "2 of 3"
    page.wait_for_selector("#viewer .vw-grid td.current:has-text('green tea')")
    keys.press("Tab")
    page.fill("#viewer .vw-find-text >> nth=1", "milk")
    keys.press("Enter")
    page.wait_for_selector(f"{VIEW} .vw-whole:visible")  # on to the text around the table
    assert page.inner_text("#viewer .vw-found") == "2 of 2"
    assert page.evaluate("String([...CSS.highlights.get('vw-found')][0])") == "tea"
    keys.press("Alt+Enter")
    keys.press("Escape")
    value = saved(desk, items["table"])
    assert value["tables"][0]["grid"][1] == ["green milk", "2.10"]
    assert value["text"] == PRICES.replace("tea", "milk")


def test_a_region_is_drawn_moved_and_reshaped_by_pointer_and_keys(
    at_item: Callable[..., Desk], items: dict[str, int]
) -> None:
    desk = at_item("regions")
    page, keys = desk.page, desk.page.keyboard
    keys.press("l")
    box = page.locator("#viewer .vw-regions polygon").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*middle)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + box["width"] / 4, middle[1], steps=4)  # by 100 pixels of the picture
    page.mouse.up()
    corner = page.locator("#viewer .vw-handles .dot.corner >> nth=2").bounding_box()
    page.mouse.move(corner["x"] + corner["width"] / 2, corner["y"] + corner["height"] / 2)
    page.mouse.down()
    page.mouse.move(corner["x"] + corner["width"] / 2, corner["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    keys.press("n")
    for key in ("t", "t", "t", "h", "Alt+ArrowLeft"):
        keys.press(key)
    first, second = saved(desk, items["regions"])["regions"]
    left, top, right, bottom = bounds(first)
    assert (abs(left - 300) < 5, abs(right - 700) < 5, top) == (True, True, 200)
    assert 470 < bottom < 510
    assert (first["kind"], first["text"], second["kind"]) == ("text", "Some text", "formula")
    corners = [tuple(point) for point in second["quad"]]
    assert corners[0][0] < corners[3][0], "one corner was moved"
    for _ in range(5):  # the corner, the kinds, the region
        assert page.locator("#viewer .vw-regions polygon").count() == 2
        keys.press("Control+z")
    assert page.locator("#viewer .vw-regions polygon").count() == 1


def bounds(region: dict) -> tuple[float, float, float, float]:
    xs, ys = zip(*region["quad"], strict=True)
    return min(xs), min(ys), max(xs), max(ys)
