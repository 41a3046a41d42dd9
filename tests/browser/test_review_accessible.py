"""What axe-core finds where people read and review, right-to-left text, 200% zoom, and a page of 1,280 pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from conftest import Desk, Product, need_browser
from inspecting import SIDEWAYS, Inspection
from rest import got, sent
from reviewing import DESK, begun
from stored import add_answered, add_item, content, open_store

from ocr_ui.domain.content import ContentWarning, Field, TextRegion
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import tables

ARABIC, HEBREW = "سكر ٢٫١٠", "סה״כ 12.50"
TABLE = f"<table><tr><th>Item</th><th>Price</th></tr><tr><td>{ARABIC}</td><td>2.10</td></tr></table>"
LINES = (ARABIC, "Total 12.50", HEBREW, "Thank you", "Line to be deleted", "Last")


@pytest.fixture(scope="module")
def items() -> dict[str, int]:
    return {}


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, items: dict[str, int]) -> Iterator[Product]:
    need_browser()
    folder = tmp_path_factory.mktemp("accessible")
    said = content(*LINES)
    unsure = replace(said.lines[3], confidence=0.4, lowest=0.1)
    said = replace(
        said,
        lines=(*said.lines[:3], unsure, *said.lines[4:]),
        regions=(TextRegion("title", said.lines[0].quad), TextRegion("text", said.lines[1].quad)),
        fields=(Field("Sum", HEBREW, confidence=0.4, kind="amount"), Field("Day", None, kind="date")),
        warnings=(ContentWarning("bad_box", "This box cannot be right.", line=1),),
    )
    with open_store(folder / "data") as store:
        items["lines"] = add_item(store, said, "page.png", shade=1)
        items["table"] = add_answered(store, Task.TABLE, tables.parse(TABLE), TABLE, 2)
        items["disputed"] = add_item(store, LINES, "قائمة.png", shade=3)
        items["other"] = add_item(store, LINES, "other.png", shade=4)
    running = Product(folder / "data")
    running.start()
    dispute(running, items["disputed"])
    yield running
    running.stop()


def dispute(product: Product, item: int) -> None:
    """Two people see the page otherwise."""
    for path, person, words in (("/v1/corrections", "Ann", HEBREW), ("/v1/second-reviews", "Bo", f"{HEBREW} 7")):
        body = {
            "recognition_id": item,
            "content": content(words, *LINES[1:]).to_dict(),
            "person": person,
            "verdict": "wrong",
            "client_key": f"accessible-{person}",
        }
        more = {"base_version": 0, "state": "submitted"} if person == "Ann" else {"blind": True}
        sent(product, path, {**body, **more})


def test_axe_finds_nothing_where_a_page_is_read_and_corrected(desk: Desk, items: dict[str, int]) -> None:
    page, keys = desk.goto(f"/en/?item={items['lines']}").page, desk.page.keyboard
    page.wait_for_selector("#viewer .vw-row", state="attached")
    seen = Inspection(desk)
    seen.look("a result")

    def on_list(*pressed: str) -> None:
        page.locator("#viewer .vw-list").focus()
        for key in pressed:
            keys.press(key)

    page.click("#viewer [data-view='lines']")
    page.locator("#viewer .vw-row .vw-num").nth(4).click()
    on_list("Delete", "Home", "Enter")
    keys.insert_text("אב")
    keys.press("Escape")
    on_list("n", "Escape", "w", "Home", "Shift+J", "e")
    seen.look("edited, deleted, added, marked; wrong; rewards", "#viewer")
    on_list("Home", "Enter")
    seen.look("a line is typed", "#viewer")
    keys.press("Control+h")
    keys.type("T")
    seen.look("find and replace", "#viewer .vw-views")
    keys.press("Escape")
    for name, pressed, part in (
        ("palette", "Alt+p", ".vw-palette"),
        ("who wrote a line", "y", "#viewer dialog[open]"),
        ("keys", "?", "#viewer dialog[open]"),
    ):
        on_list(pressed)
        page.wait_for_selector(part)
        desk.settle()
        seen.look(name, part)
        keys.press("Escape")
    on_list("l", "i")
    seen.look("regions, invisible characters", "#viewer")
    on_list("l", "i")
    for view in ("text", "rendered", "fields", "tables", "raw"):
        page.click(f"#viewer [data-view='{view}']")
        seen.look(view, "#viewer .vw-right")
    assert seen.found == {}


@pytest.mark.stress
def test_axe_finds_nothing_in_a_table(desk: Desk, items: dict[str, int]) -> None:
    page, keys = desk.goto(f"/en/?item={items['table']}").page, desk.page.keyboard
    page.wait_for_selector("#viewer .vw.has-page")
    seen = Inspection(desk)
    keys.press("Alt+t")
    keys.press("ArrowDown")
    seen.look("a cell is chosen", "#viewer")
    keys.press("Enter")
    seen.look("a cell is typed", "#viewer .vw-right")
    assert seen.found == {}


@pytest.mark.stress
def test_axe_finds_nothing_where_pages_are_listed_and_reviewed(desk: Desk, items: dict[str, int]) -> None:
    page, keys = desk.goto().page, desk.page.keyboard
    seen = Inspection(desk)
    seen.look("nothing open")
    page.get_by_role("tab", name="Dataset").click()
    page.wait_for_selector("#items tr[data-id]")
    page.wait_for_selector(".wb-rv-start details")
    page.get_by_role("button", name="More filters").click()
    page.evaluate("document.querySelectorAll('#items details, .wb-rv-start details').forEach(e => (e.open = true))")
    page.wait_for_selector("[data-agreement='pair']")
    desk.settle()
    seen.look("the list, filters, exports, agreement")
    seen.walk("the list", "#items")

    begun(desk, "Acc", "first", load=False)
    keys.press("Home")
    keys.press("m")
    page.wait_for_selector(".wb-rv-side textarea:focus")
    keys.insert_text(ARABIC)
    keys.press("Control+Enter")
    page.wait_for_selector(".wb-rv-side li")
    seen.look("the desk with a comment", "#review")
    seen.walk("the desk", "#review .wb-rv-side")
    keys.press("Escape")
    keys.press("Shift+G")
    page.click(".wb-rv-side button:has-text('Write')")
    keys.insert_text(f"# {HEBREW}\n\n- two")
    page.click(".wb-rv-side button.primary")
    page.wait_for_selector(".wb-rv-guidelines h1")
    seen.look("guidelines", ".wb-rv-side")
    keys.press("Escape")
    keys.press("q")
    page.wait_for_selector("#review-start", state="visible")

    begun(desk, "Acc", "disputes", load=False)
    keys.press("1")
    seen.look("a merge", "#review")
    keys.press("?")
    page.wait_for_selector(f"{DESK} dialog[open]")
    seen.look("keys of the merge", f"{DESK} dialog[open]")
    keys.press("Escape")
    keys.press("]")
    page.wait_for_selector(".wb-rv-end")
    seen.look("the end", "#review")
    assert seen.found == {}
    assert got(desk, "/v1/queue?review=disputed")["items"] == [items["disputed"]]


@pytest.mark.stress
def test_at_200_percent_the_page_is_one_column_and_nothing_scrolls_sideways(
    product: Product, browser, items: dict[str, int]
) -> None:
    """A window of 1,280 pixels at 200% has room for 640."""
    context = browser.new_context(viewport={"width": 640, "height": 450}, device_scale_factor=2, locale="en-US")
    desk = Desk(context.new_page(), product.url)
    page = desk.goto(f"/en/?item={items['lines']}").page
    page.wait_for_selector("#viewer .vw-row", state="attached")
    wide = {"read": page.evaluate(SIDEWAYS)}
    page.click("#viewer [data-view='lines']")
    places = [page.locator(f"#viewer {part}").bounding_box() for part in (".vw-left", ".vw-right")]
    page.keyboard.press("?")
    wide["keys"] = page.evaluate("document.querySelector('dialog[open]').scrollWidth > 640")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Dataset").click()
    page.wait_for_selector("#items tr[data-id]")
    desk.settle()
    wide["list"] = page.evaluate(SIDEWAYS)
    begun(desk, "Zoe", "disputes", load=False)
    page.wait_for_selector(".wb-rv-part")
    wide["merge"] = page.evaluate(SIDEWAYS)
    page.keyboard.press("q")
    page.wait_for_selector("#review-start", state="visible")
    begun(desk, "Zoe", "first", load=False)
    page.keyboard.press("m")
    wide["desk"] = page.evaluate(SIDEWAYS)
    context.close()
    assert set(wide.values()) == {0}, wide
    assert places[1]["y"] >= places[0]["y"] + places[0]["height"] - 1
    assert desk.errors == []
