"""Confidence and Drift in the browser: measured, looked at, kept, and gone by where a page is corrected."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stored import ANN, add_item, content

from ocr_ui.services.thresholds import LEAST_WRONG
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


def plant(product) -> int:
    """Misread pages that were corrected, and one that nobody has looked at, whose number is given."""
    page = content("Total 1", "Tea 2")
    lines = [replace(line, confidence=sure) for line, sure in zip(page.lines, (0.9, 0.5), strict=True)]
    page = replace(page, lines=tuple(lines))
    with Store.open(Settings(data_dir=product.data_dir)) as store:
        for shade in range(LEAST_WRONG):
            item = add_item(store, page, template="formula", shade=9_000 + shade)
            store.corrections.add(item, 0, content("Total 1", "Tea 3"), ANN, edit_distance=1)
        return add_item(store, page, template="formula", shade=9_900)


@pytest.mark.stress
def test_a_threshold_is_measured_kept_and_gone_by_and_the_days_are_drawn(product, open_desk) -> None:
    item = plant(product)
    desk = open_desk(product.url).goto()
    page = desk.page
    page.get_by_role("tab", name="Prompts").click()
    page.get_by_role("tab", name="Confidence").click()
    page.select_option("#confidence-template", "formula")
    page.focus("#confidence-template")
    page.keyboard.press("Tab")
    page.keyboard.type("2")
    page.keyboard.press("Tab")
    page.wait_for_selector("#confidence-measure:focus")
    assert page.input_value("#confidence-missed") == "2"
    page.press("#confidence-missed", "Enter")
    page.wait_for_selector("#confidence tr[data-state=seen]")
    page.wait_for_selector("#confidence [data-chart=load] .main-svg")
    page.click("#confidence-keep")
    page.wait_for_selector("#confidence tr[data-state=used]")

    page.get_by_role("tab", name="Drift").click()
    page.wait_for_selector("#drift [data-chart=size] .main-svg")
    page.goto(f"{product.url}/en?item={item}")
    chip = page.locator(".vw-chip.low:visible")
    chip.wait_for()
    assert "calibrated on 20 of them, miss rate 2%" in chip.get_attribute("title")
    assert desk.errors == []
