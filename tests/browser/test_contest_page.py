"""The contest of the Prompts tab: from its form to a page beside its label, and the log."""

from __future__ import annotations

import json
from pathlib import Path

from inspecting import REPEATED
from stored import png

from tests.browser.conftest import Desk


def test_a_contest_from_its_form_to_the_page_that_is_worst(desk: Desk, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"p{number}.png").write_bytes(png(number))
        known = {"name": f"p{number}", "file": f"p{number}.png", "text": "<b>Total</b> 12.50"}
        (tmp_path / f"p{number}.json").write_text(json.dumps(known), encoding="utf-8")
    page = desk.goto().page
    page.click("button[role=tab]:text-is('Prompts')")
    page.click("button[role=tab]:text-is('Contest')")
    page.select_option("#contest-data", label="A folder with labels …")
    page.wait_for_selector("#contest-start[aria-disabled=true]")
    page.fill("#contest-folder", str(tmp_path))
    page.check("#contest-template-full_text_plain")
    page.wait_for_selector(".wb-contest-form [role=status]:has-text('2 pages')")
    page.wait_for_selector("#contest-start[aria-disabled=false]")
    assert page.locator(".wb-contest-competitors li").count() == 2
    page.focus("#contest-start")
    page.keyboard.press("Control+Enter")

    page.wait_for_selector(".wb-contest-head h2")
    assert "Unicode is brought to NFKC" in page.inner_text(".wb-contest-head")
    page.wait_for_function("() => Number(new URLSearchParams(location.search).get('run')) > 0")
    first = page.locator(".wb-contest-table").first
    assert first.locator("tbody tr").count() == 2
    first.locator("[data-column=cer]").click()
    assert first.locator("th[aria-sort=ascending]").inner_text().startswith("CER")
    page.wait_for_selector("#contest-against td:has-text('equal')")
    page.wait_for_selector(".wb-contest-plot .main-svg")

    page.focus("#contest-points summary")
    for key in ("Enter", "Tab", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("dialog[open] tr[data-state=left]")
    page.keyboard.press("Escape")
    page.wait_for_selector("#contest-points li:first-child button:focus")

    page.locator("section:not([id]) > .wb-contest-worst .wb-open").first.click()
    page.wait_for_selector("dialog[open] tr[data-state=left]")
    assert "<b>Total</b> 12.50" in page.inner_text("dialog[open] .wb-cmp-body")
    assert (
        page.locator("dialog[open] .wb-cmp-board img").evaluate("img => img.decode().then(() => img.naturalWidth)") == 4
    )
    assert "Unicode is brought to NFKC" in page.inner_text(".wb-contest-marks")
    page.focus("[data-marks=written]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-marks=written][aria-pressed=true]:focus")
    page.wait_for_selector(".wb-contest-marks:has-text('as it is written')")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.wb-contest-dialog", state="hidden")

    page.click("#contest-tab-log")
    page.wait_for_selector(".wb-contest-log tr[data-regression=false]:has-text('full_text_plain')")
    desk.settle()
    assert page.evaluate(REPEATED) == []
