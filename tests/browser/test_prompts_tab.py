"""The library of templates in the browser: written, checked as one types, kept over a reload, saved."""

from __future__ import annotations

import pytest
from conftest import Product
from rest import got


def template(product: Product, name: str) -> dict:
    return got(product, f"/v1/templates/{name}")


def test_a_wording_is_checked_while_it_is_typed_and_saved_by_keyboard(product, open_desk) -> None:
    desk = open_desk(product.url).goto()
    page = desk.page
    page.get_by_role("tab", name="Prompts").click()
    page.click("nav [data-template=table]")
    field = page.locator("section[data-template=table] .wb-wording-field")
    field.press("Control+End")
    field.press_sequentially(" {{columns}}")
    page.wait_for_selector("mark[data-kind=unknown]")
    save = page.locator("section[data-template=table] .wb-library-save")
    assert save.get_attribute("aria-disabled") == "true"
    page.click("[data-code=unknown] button")
    page.wait_for_selector("mark[data-kind=known]")
    assert page.inner_text(".wb-library-official ins") == " {{columns}}"

    page.reload()
    page.get_by_role("tab", name="Prompts").click()
    page.click("nav [data-template=table]")
    assert "{{columns}}" in field.input_value()
    field.press("Control+s")
    page.wait_for_selector("section[data-template=table] [data-act=restore]")
    versions = template(product, "table")["versions"]
    assert [(one["number"], one["current"], len(one["variables"])) for one in versions] == [(1, True, 1), (0, False, 0)]
    assert "wb-wording-field" in page.evaluate("document.activeElement.className")

    page.click("section[data-template=table] li:last-child [data-act=restore]")
    page.wait_for_selector("section[data-template=table] .wb-library-official[data-same=true]")
    assert template(product, "table")["template"]["builtin"]
    assert desk.errors == []


@pytest.mark.stress
def test_choices_are_written_with_labels_and_what_is_begun_outlives_another_language(product, open_desk) -> None:
    desk = open_desk(product.url).goto()
    page = desk.page
    page.get_by_role("tab", name="Prompts").click()
    page.click("[data-act=new]")
    page.locator("section input[data-part=name]").fill("greeting")
    field = page.locator("section .wb-wording-field")
    field.press_sequentially("Say {{how}}")
    page.click("[data-code=unknown] button")
    page.click("[data-act=add-choice]")
    page.keyboard.type("warm")
    page.keyboard.press("Tab")
    page.keyboard.type("<b>dear</b> = friend")
    page.keyboard.press("Tab")
    page.keyboard.type("Warmly")
    page.click("[data-part=value]")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("cold")

    page.get_by_role("link", name="中文").click()
    page.wait_for_url("**/zh/**")
    page.wait_for_selector("section .wb-wording-field")
    assert field.input_value() == "Say {{how}}"
    page.locator("section details[data-part=variables] summary").click()
    page.locator("[data-part='label.zh']").nth(1).click()
    page.keyboard.type("冷淡")
    page.keyboard.press("Control+s")
    page.wait_for_selector("section[data-template=greeting] li[data-version]")
    (variable,) = template(product, "greeting")["template"]["variables"]
    assert variable["options"] == [
        {"value": "warm", "label": {"en": "Warmly"}, "text": "<b>dear</b> = friend"},
        {"value": "cold", "label": {"zh": "冷淡"}, "text": None},
    ]
    assert desk.errors == []
