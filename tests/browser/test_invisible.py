"""Characters without a shape can be seen on demand, in every view of a result."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import Desk, Product
from stored import add_item, content, open_store

from ocr_ui.domain.content import ContentWarning, Field

ODD = "Total\u200b 12\u202e50"
FIRST, SECOND = "The first warning.", "The second warning."


@pytest.fixture(scope="module")
def number(product: Product) -> int:
    """The id of a result with such characters."""
    with open_store(product.data_dir) as store:
        page = content(ODD, "plain")
        warnings = (ContentWarning("odd_one", FIRST, 0), ContentWarning("odd_two", SECOND, 0))
        return add_item(store, replace(page, fields=(Field("Total", ODD),), warnings=warnings))


def test_invisible_characters_are_named_on_demand_in_every_view(desk: Desk, number: int) -> None:
    desk.goto(f"/en/?item={number}")
    page = desk.page
    page.click("#viewer [data-view='lines']")
    assert page.locator("#viewer .vw-invisible").count() == 0
    page.click("#viewer .vw-panel.lines .vw-tool[title^='Show invisible']")
    named = page.locator("#viewer .vw-row .vw-invisible")
    assert named.all_text_contents() == ["ZWSP", "RLO"]
    page.click("#viewer [data-view='fields']")
    assert page.locator("#viewer .vw-fields .vw-invisible").all_text_contents() == ["ZWSP", "RLO"]
    assert page.input_value("#viewer .vw-field-value") == ODD, "the value itself stays as it is"
    page.click("#viewer [data-view='raw']")
    assert page.inner_text("#viewer .vw-raw") == "raw·answer"
    page.click("#viewer .vw-panel.raw .vw-tool[title^='Show invisible']")
    assert page.inner_text("#viewer .vw-raw") == "raw answer"
    page.click("#viewer [data-view='fields']")
    assert page.locator("#viewer .vw-fields .vw-invisible").count() == 0


def test_every_warning_stands_beside_its_line(desk: Desk, number: int) -> None:
    desk.goto(f"/en/?item={number}")
    page = desk.page
    page.click("#viewer [data-view='lines']")
    marks = page.locator("#viewer .vw-row .vw-mark.warning")
    assert [mark.get_attribute("title") for mark in marks.all()] == [f"{FIRST}\n{SECOND}"]
    page.locator("#viewer .vw-row .vw-text").first.click()
    page.wait_for_selector("#viewer .vw-warning-text")
    assert page.inner_text("#viewer .vw-warning-text") == f"{FIRST} {SECOND}"
    assert page.locator("#viewer .vw-warnings li").count() == 2
