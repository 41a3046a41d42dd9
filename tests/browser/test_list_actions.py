"""Rows of the Dataset list: found, opened at the place, chosen, compared, read again, deleted, one's own alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Product
from test_two_readings import two_readings

pytestmark = pytest.mark.stress


@pytest.fixture
def page(browser, tmp_path: Path):
    """The Dataset tab over a store with two readings of one picture, the first of them for Ann."""
    two_readings(tmp_path / "data")
    product = Product(tmp_path / "data")
    product.start()
    try:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        opened = context.new_page()
        opened.goto(f"{product.url}/en/")
        opened.get_by_role("tab", name="Dataset").click()
        opened.locator("#items tbody tr").nth(1).wait_for()
        yield opened
        context.close()
    finally:
        product.stop()


def test_search_compare_read_again_and_delete(page) -> None:
    search = page.locator("#filter-search textarea, #filter-search input").first
    search.click()
    search.type("in a alone")
    search.press("Enter")
    page.locator("#items mark", has_text="In A alone").wait_for()
    assert page.locator("#items tbody tr").count() == 1
    page.locator("#items .wb-open").click()
    page.locator(".vw-find:not([hidden]) input").first.wait_for()
    assert page.locator(".vw-find input").first.input_value() == "in a alone"
    page.get_by_role("tab", name="Dataset").click()
    search.fill("")
    search.press("Enter")
    page.locator("#items tbody tr").nth(1).wait_for()
    boxes = page.locator("#items tbody .wb-choose")
    assert page.locator("#chosen-compare").is_disabled()
    page.locator("#items thead .wb-choose").check()
    page.wait_for_function("[...document.querySelectorAll('#items tbody .wb-choose')].every((box) => box.checked)")
    page.click("#chosen-compare")
    page.locator(".wb-cmp-panel:not([hidden])").wait_for()
    page.get_by_role("tab", name="Dataset").click()
    page.click("#chosen-delete")
    dialog = page.locator(".wb-chosen dialog")
    dialog.get_by_role("button", name="Keep").click()
    assert page.locator("#items tbody tr").count() == 2
    boxes.nth(1).uncheck()
    page.click("#chosen-delete")
    dialog.get_by_role("button", name="Delete for good").click()
    page.locator(".wb-chosen-told", has_text="Deleted: 1 item, 0 pictures.").wait_for()
    page.wait_for_function("document.querySelectorAll('#items tbody tr').length === 1")
    boxes.nth(0).check()
    page.click("#chosen-again")
    page.locator(".wb-chosen-told", has_text="batch 1").wait_for()
    page.select_option("#chosen-template", "translate")
    assert page.input_value("#chosen-variable-target") == "zh"
    page.select_option("#chosen-template", "qa")
    page.click("#chosen-again")
    page.locator(".wb-chosen-told", has_text="Question").wait_for()  # is missing
    page.select_option("#chosen-template", "fields")
    page.fill("#chosen-variable-fields", "Grand total")
    with page.expect_response("**/v1/jobs/again") as sent:
        page.click("#chosen-again")
    (job,) = sent.value.json()["jobs"]
    assert (job["template"], job["total"]) == ("fields", 1)
    page.evaluate("localStorage.setItem('workbench.person', 'Nobody at all')")
    page.click("#list-mine")
    page.locator("#items .wb-empty").wait_for()
    page.click("#list-mine")
    page.locator("#items tbody tr").first.wait_for()
