"""Tables, fields and formulas are corrected at the desk by keyboard; what is stored is what was meant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from conftest import Desk, Product
from rest import got
from stored import add_answered, content, open_store

from ocr_ui.domain.content import Field
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import tables

TABLE = "<table><tr><th>Item</th><th>Price</th></tr><tr><td>tea</td><td>2.10</td></tr></table>"
TEXT = f"Prices of the day:\n\n{TABLE}"
GRID = "#viewer .vw-grid"
PASTED = (
    "<style>td {color: red}</style><script>window.ran = 1</script><table border=1 onclick='window.ran = 1'>"
    "<tr><td colspan=2 style='x'><b>Sum</b><img src=x onerror='window.ran = 1'></td></tr>"
    "<tr><td>milk</td><td>1,20&nbsp;€</td></tr></table>"
)


@pytest.fixture(scope="module")
def items(product: Product) -> dict[str, int]:
    fields = (Field("Sum", "12.50", kind="amount"), Field("Day", "soon", kind="date"))
    page = replace(content("Total 12.50", "14 May 2026", "ACME"), fields=fields)
    with open_store(product.data_dir) as store:
        return {
            "table": add_answered(store, Task.TABLE, tables.parse(TEXT), TEXT, 1),
            "pasted": add_answered(store, Task.TABLE, tables.parse(TEXT), TEXT, 2),
            "lines": add_answered(store, Task.SPOTTING, content("Total 12.50", "Thank you"), "x", 3),
            "fields": add_answered(store, Task.FIELDS, replace(content("Total 12.50"), fields=fields), "x", 4),
            "edited": add_answered(store, Task.FIELDS, page, "x", 5),
        }


@pytest.fixture
def at_table(desk: Desk, items: dict[str, int]) -> Callable[[str], Desk]:
    def opened(name: str, language: str = "en") -> Desk:
        page = desk.goto(f"/{language}/?item={items[name]}").page
        page.wait_for_selector("#viewer .vw.has-page")
        page.keyboard.press("Alt+t")
        return desk

    return opened


def saved(desk: Desk, item: int) -> dict:
    desk.page.keyboard.press("Control+s")
    desk.page.wait_for_selector("#viewer .vw-saved:has-text('version 1')")
    return got(desk, f"/v1/items/{item}")


def test_a_table_is_corrected_by_keys_alone_and_undone(at_table: Callable, items: dict[str, int]) -> None:
    desk = at_table("table")
    keys = desk.page.keyboard
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        keys.press(key)
    keys.press("Control+a")
    keys.type("2.40")
    keys.press("Tab")  # past the last cell the keys leave the grid
    keys.press("Alt+t")
    for key in ("Alt+r", "Home", "Enter"):
        keys.press(key)
    keys.type("سكر")
    for key in ("Tab", "Escape", "Shift+ArrowLeft", "Alt+m", "Alt+h"):
        keys.press(key)
    want = (
        "<table><tr><th>Item</th><th>Price</th></tr><tr><td>tea</td><td>2.40</td></tr>"
        '<tr><th colspan="2">سكر</th></tr></table>'
    )
    keys.press("Control+z")
    keys.press("Control+Shift+z")
    value = saved(desk, items["table"])
    assert value["tables"][0]["html"] == want
    assert value["tables"][0]["grid"][2] == ["سكر", "سكر"]
    assert value["text"] == f"Prices of the day:\n\n{want}"


def test_a_spreadsheets_table_is_pasted_as_cells_and_nothing_of_it_runs(
    at_table: Callable, items: dict[str, int]
) -> None:
    desk = at_table("pasted")
    page = desk.page
    page.keyboard.press("ArrowDown")
    page.evaluate(
        """html => {
            const data = new DataTransfer();
            data.setData('text/html', html);
            data.setData('text/plain', 'Sum');
            const event = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
            document.activeElement.dispatchEvent(event);
        }""",
        PASTED,
    )
    value = saved(desk, items["pasted"])
    assert value["tables"][0]["html"] == (
        '<table><tr><th>Item</th><th>Price</th></tr><tr><td colspan="2">Sum</td></tr>'
        "<tr><td>milk</td><td>1,20 €</td></tr></table>"
    )
    assert page.evaluate("window.ran") is None
    copied = page.evaluate(
        """() => {
            const data = new DataTransfer();
            document.activeElement.dispatchEvent(
                new ClipboardEvent('copy', {clipboardData: data, bubbles: true, cancelable: true}));
            return [data.getData('text/plain'), data.getData('text/html')];
        }"""
    )
    assert copied == [
        "Sum\t\nmilk\t1,20 €",
        '<table><tr><td colspan="2">Sum</td></tr><tr><td>milk</td><td>1,20 €</td></tr></table>',
    ]


def test_a_page_without_a_table_says_what_to_do_and_takes_one(at_table: Callable) -> None:
    desk = at_table("lines", "zh")
    assert "Alt+N" in desk.page.inner_text(f"{GRID} .vw-empty")
    desk.page.keyboard.press("Alt+n")
    assert desk.page.locator(f"{GRID} td").count() == 9
    assert desk.page.evaluate("document.activeElement.matches('td.current')")


def test_a_fields_box_is_found_by_its_value_shown_and_kept_by_a_key(desk: Desk, items: dict[str, int]) -> None:
    page = desk.goto(f"/en/?item={items['fields']}").page
    page.wait_for_selector("#viewer .vw-field-boxes polygon.found", state="attached")
    assert page.inner_text("#viewer .vw-unfit:visible") == "This does not look like a date"
    assert page.locator("#viewer .vw-saved.unsaved, #viewer .vw-saved:has-text('Not saved')").count() == 0
    page.keyboard.press("Shift+L")
    page.wait_for_selector("#viewer .vw-field-boxes polygon:not(.found)", state="attached")
    first, second = saved(desk, items["fields"])["fields"]
    assert first["quad"][0][0] > 200
    assert second["quad"] is None


def test_fields_are_added_renamed_linked_and_deleted_by_keys_and_what_is_exported_has_them(
    desk: Desk, items: dict[str, int]
) -> None:
    page = desk.goto(f"/en/?item={items['edited']}").page
    keys = page.keyboard
    page.wait_for_selector("#viewer .vw.has-page")
    for key in ("v", "ArrowDown", "j", "j", "Enter", "Control+a", "Delete", "Escape", "g", "Shift+A", "Shift+A"):
        keys.press(key)  # the second field says nothing; it is absent and then there again
    keys.press("g")  # linked to the second line, whose text it takes
    for key in ("n", "Escape", "F2"):  # a field behind it
        keys.press(key)
    keys.type("x Shop")  # letters of a name are no keys
    for key in ("Home", "Delete", "Delete", "Enter", "j", "g", "t"):
        keys.press(key)
    assert page.inner_text("#viewer .vw-fields tr.chosen .vw-field-name-text") == "Shop"
    page.wait_for_selector("#viewer .vw-fields tr.chosen .vw-unfit:has-text('does not look like an amount')")
    for key in ("Shift+T", "ArrowUp", "ArrowUp", "Delete", "Control+z", "Delete"):
        keys.press(key)
    page.reload()  # the draft has all of it
    page.wait_for_selector("#viewer .vw-fields tr:has-text('Shop')")
    day, shop = saved(desk, items["edited"])["fields"]
    lines = got(desk, f"/v1/items/{items['edited']}")["lines"]
    assert [day[key] for key in ("name", "value", "quad")] == ["Day", "14 May 2026", lines[1]["quad"]]
    assert [shop[key] for key in ("name", "value", "kind", "quad")] == ["Shop", "ACME", "text", lines[2]["quad"]]
    exported = got(desk, f"/v1/exports/jsonl?items={items['edited']}")["correction"]["content"]["fields"]
    assert [(field["name"], field["quad"]) for field in exported] == [(f["name"], f["quad"]) for f in (day, shop)]
