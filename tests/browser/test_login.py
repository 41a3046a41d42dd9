"""A login in the browser: the page behind it, what a role may not do there, and the way out."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from stored import open_store

from ocr_ui.services.accounts import Accounts
from ocr_ui.services.rates import Rates
from ocr_ui.settings import Settings
from tests.browser.conftest import Desk, Product, need_browser

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    running = Product(tmp_path_factory.mktemp("locked") / "data", OCR_UI_AUTH="password", OCR_UI_TURN_PAGES="0")
    settings = Settings(data_dir=running.data_dir)
    with open_store(running.data_dir) as store:
        accounts = Accounts(store, settings, Rates(store, settings))
        for name, role in (("Noor", "annotator"), ("Vito", "viewer"), ("Ada", "admin")):
            accounts.add(name, role, PASSWORD)
    running.start()
    yield running
    running.stop()


def me(product: Product, key: str) -> dict:
    request = urllib.request.Request(product.url + "/v1/me", headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


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
    cookies = {one["name"]: one for one in context.cookies()}
    assert cookies["workbench_session"]["httpOnly"]
    assert not cookies["workbench_account"]["httpOnly"], "drafts in this browser are kept by it"
    assert page.is_visible("#prompt-save-not:has-text('只有复核者')")
    assert not page.is_visible("#prompt-save"), "it would be refused"
    item = page.evaluate("new URLSearchParams(location.search).get('item')")
    assert page.evaluate("[...document.querySelectorAll('.vw-person')].map(f => [f.value, f.readOnly])")[0] == [
        "Noor",
        True,
    ]
    page.click(".wb-account")
    page.fill(".wb-ac-keys input[maxlength]", "scanner")
    page.check(".wb-ac-keys input[name=read]")
    page.click(".wb-ac-keys form button")
    key = page.input_value(".wb-ac-secret input")
    assert me(locked, key)["actions"] == ["read"]
    page.click(".wb-ac tr[data-key] button")
    page.wait_for_selector(".wb-ac tr[data-state=revoked]")
    page.keyboard.press("Escape")
    page.click(".wb-me form button")
    page.wait_for_selector("#password")
    page.goto(f"{locked.url}/en/?item={item}")
    log_in("Vito", PASSWORD)
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    desk.settle()
    page.click("#read-go")
    page.wait_for_selector("#viewer :text('may not do this')")
    assert page.is_visible("[role=tab][data-tab-id=dataset]")
    assert not page.is_visible("[role=tab][data-tab-id=monitor]"), "a viewer would be refused there"
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


@pytest.mark.stress
def test_an_administrator_adds_a_person_and_keeps_their_role_and_keys(locked: Product, open_desk) -> None:
    desk = open_desk(locked.url)
    page = desk.page
    hostile = """Bo <img src=x onerror=alert(1)> '"/x"""
    person = f"tr[data-person={json.dumps(hostile)}]"
    page.goto(locked.url + "/en/")
    page.fill("#name", "Ada")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.click(".wb-account")
    page.fill(".wb-ac-add input:not([type=password])", hostile)
    page.fill(".wb-ac-add input[type=password]", PASSWORD)
    page.click(".wb-ac-add button")
    page.wait_for_selector(person)
    assert page.query_selector(".wb-ac img") is None
    page.select_option(f"{person} select", "viewer")
    page.click(f"{person} [data-does=keys]")
    page.fill(".wb-ac-more form input[maxlength]", "theirs")
    page.click(".wb-ac-more form button")
    key = page.input_value(".wb-ac-secret input")
    assert (me(locked, key)["name"], me(locked, key)["actions"]) == (hostile, ["read"])
    assert page.is_disabled("tr[data-person=Ada] [data-does=state]")
    page.click(f"{person} [data-does=state]")
    page.wait_for_selector(f"{person} :text('locked')")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        me(locked, key)
    assert desk.errors == []
