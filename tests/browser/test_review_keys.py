"""Keys are changed on the help sheet: conflicts are told, buttons follow, and the browser keeps them by name."""

from __future__ import annotations

import pytest
from conftest import Desk, Product
from stored import add_item, open_store

HELP = "#viewer dialog[open]"
SELECTED = "#viewer .vw-row.selected .vw-text"


@pytest.fixture(scope="module")
def number(product: Product) -> int:
    with open_store(product.data_dir) as store:
        return add_item(store, ("Total 12.50", "Thank you"), shade=77)


def row(action: str) -> str:
    return f"{HELP} [data-action='{action}']"


def test_a_key_is_changed_taken_over_kept_by_name_and_brought_back(desk: Desk, number: int) -> None:
    page = desk.goto(f"/en/?item={number}").page
    keys = page.keyboard
    page.wait_for_selector("#viewer .vw.has-page")
    page.fill("#viewer .vw-person", "")
    page.type("#viewer .vw-person", "Kim r")
    assert page.get_attribute("#viewer .verdict.right", "aria-pressed") == "false", "what is typed is no key"
    page.click("#viewer .vw-row")
    keys.press("Escape")
    keys.press("?")

    page.click(f"{row('right')} button")
    keys.press("j")
    assert "J means “Next line”" in page.inner_text(f"{HELP} [role=status]")
    keys.press("Escape")  # leaves the key as it was, and the sheet open
    page.click(f"{row('undo')} button")
    keys.press("u")
    assert "U is for typing there" in page.inner_text(f"{HELP} [role=status]")
    keys.press("Alt+u")
    page.click(f"{row('right')} button")
    keys.press("j")
    keys.press("j")
    assert page.locator(f"{row('right')} kbd").all_text_contents() == ["J"]
    assert page.locator(f"{row('next')} kbd").all_text_contents() == ["↓"]
    keys.press("Escape")
    page.wait_for_selector(HELP, state="detached")

    assert page.inner_text("#viewer .verdict.right kbd") == "J"
    assert page.get_attribute("#viewer [data-action='undo']", "title") == "Undo (Alt+U)"
    assert page.locator(SELECTED).inner_text() == "Total 12.50"
    keys.press("j")
    assert page.get_attribute("#viewer .verdict.right", "aria-pressed") == "true"
    assert page.locator(SELECTED).inner_text() == "Total 12.50"

    page.fill("#viewer .vw-person", "Kim's neighbour")
    page.wait_for_selector("#viewer .verdict.right kbd:has-text('R')")
    page.fill("#viewer .vw-person", "Kim r")
    desk.settle()
    page = desk.goto(f"/zh/?item={number}").page
    page.wait_for_selector("#viewer .verdict.right kbd:has-text('J')")
    page.click("#viewer .vw-pane")
    keys.press("?")
    page.click(f"{HELP} button:has-text('全部还原')")
    keys.press("Escape")
    assert page.inner_text("#viewer .verdict.right kbd") == "R"
