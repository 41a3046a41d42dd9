"""A login in the browser: the page behind it, what a role may not do there, and the way out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.browser.conftest import ROOT, Desk, Product, need_browser

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    running = Product(tmp_path_factory.mktemp("locked") / "data", OCR_UI_AUTH="password", OCR_UI_TURN_PAGES="0")
    environment = {**os.environ, "OCR_UI_DATA_DIR": str(running.data_dir)}
    for name, role in (("Noor", "annotator"), ("Vito", "viewer")):
        command = [sys.executable, "-m", "ocr_ui", "user", "add", name, "--role", role]
        subprocess.run(command, cwd=ROOT, env=environment, input=PASSWORD, text=True, check=True, capture_output=True)
    running.start()
    yield running
    running.stop()


def test_a_person_logs_in_works_and_leaves_and_a_viewer_only_looks(locked: Product, browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="zh-CN")
    desk = Desk(context.new_page(), locked.url)
    page = desk.page

    def log_in(name: str, password: str) -> None:
        page.fill("#name", name)
        page.fill("#password", password)
        page.keyboard.press("Enter")

    page.goto(locked.url + "/")
    assert page.inner_text("button") == "登录"
    log_in("Noor", "not the password")
    assert "不匹配" in page.inner_text("[role=alert]")
    desk.errors.clear()  # the browser's own word about the status 401
    log_in("Noor", PASSWORD)
    page.wait_for_selector("#viewer [data-ready='1']", state="attached")
    page.wait_for_selector(".wb-me:has-text('Noor（标注者）'), .wb-me:has-text('Noor (标注者)')")
    desk.settle()
    desk.take_example("receipt")
    desk.read()
    assert context.cookies()[0]["httpOnly"]
    page.click("#prompt-save")
    page.wait_for_selector("#prompt-note:has-text('没有“审核”权限')")
    item = page.evaluate("new URLSearchParams(location.search).get('item')")
    page.click(".wb-me button")
    page.wait_for_selector("#password")
    page.goto(f"{locked.url}/en/?item={item}")
    log_in("Vito", PASSWORD)
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    desk.settle()
    page.click("#read-go")
    page.wait_for_selector("#viewer :text('may not do this')")
    page.get_by_role("tab", name="Prompts").click()
    page.wait_for_selector("#library [data-part=read-only]:visible")
    page.click("nav [data-template=translate]")
    page.wait_for_selector("section[data-template=translate] .wb-wording-field[readonly]")
    writing = (
        ".wb-library-save, [data-act=new], [data-act=import], [data-act=copy], section :is(input, textarea):enabled"
    )
    shown = page.locator(f"#library :is({writing}):visible:not([readonly])")
    page.locator("section[data-template=translate] summary").first.click()
    assert shown.count() == 0
    assert desk.errors == []
    assert desk.outside == []
    context.close()
