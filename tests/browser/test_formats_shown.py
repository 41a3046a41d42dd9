"""The formats of the Dataset tab: grouped by what they are for, each with one real record and its trainer's command."""

from __future__ import annotations

import json
import os

import pytest


@pytest.mark.stress
def test_a_record_and_the_trainers_command(desk) -> None:
    desk.goto()
    desk.take_example("invoice")
    desk.read()
    page = desk.page
    page.get_by_role("tab", name="Lines").focus()
    page.keyboard.press("Enter")
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("r")
    with page.expect_response("**/v1/corrections"):
        page.keyboard.press("Control+s")
    desk.settle()
    page.get_by_role("tab", name="Dataset").click()
    page.wait_for_selector("#items tbody tr")
    page.get_by_label("Search in text and names").press_sequentially("Hollowell")  # other tests have labels here too
    page.get_by_role("button", name="Refresh").click()
    desk.settle(0.5)
    groups = page.eval_on_selector_all("#items optgroup", "all => all.map(one => one.label)")
    assert len(groups) == 6
    page.select_option("#items .wb-format", "verl")
    page.click("#items .wb-sample summary")
    page.wait_for_selector("#items .wb-record:not(:empty)")
    record = json.loads(page.inner_text("#items .wb-record"))
    assert record["extra_info"]["task_type"] == "ie"
    assert isinstance(json.loads(record["reward_model"]["ground_truth"]), dict)
    assert "verl.trainer.main_ppo" in page.inner_text("#items .wb-command")
    if folder := os.environ.get("OCR_SHOTS"):
        page.locator("#items .wb-sample").scroll_into_view_if_needed()
        page.screenshot(path=f"{folder}/formats-en.png")
        desk.goto("/zh/")
        page.get_by_role("tab", name="数据集").click()
        page.wait_for_selector("#items tbody tr")
        page.select_option("#items .wb-format", "llama-factory")
        page.click("#items .wb-sample summary")
        page.wait_for_selector("#items .wb-record:not(:empty)")
        page.screenshot(path=f"{folder}/formats-zh.png")
