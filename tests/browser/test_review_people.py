"""Two people review the same pages at the desk: claims, a blind second review, agreement, and a merge by keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import Desk, Product, need_browser
from rest import got, sent
from reviewing import DESK, begun, item_of, moved, read_examples, retype, texts

from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    running = Product(tmp_path_factory.mktemp("people") / "data")
    read_examples(running.data_dir, "identity_card.webp", "phone_photo.jpg", "chart.png")
    running.start()
    yield running
    running.stop()


@pytest.mark.stress
def test_two_people_differ_on_three_lines_and_a_merge_ends_it(desk: Desk, browser, product: Product) -> None:
    page = begun(desk, "Ann", "first").page
    item = item_of(desk)
    model = texts(desk, item)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="zh-CN")
    other = Desk(context.new_page(), desk.url)

    begun(other, "博", "first", "zh")
    assert item_of(other) != item, "what Ann has is not given to another"
    other.page.keyboard.press("q")
    other.page.wait_for_selector("#review-start")
    other.page.wait_for_selector(f"#items tr[data-id='{item}'] .wb-claim:has-text('Ann 正在处理')")

    ann = {0: "first of Ann", 2: "third of Ann", 4: "fifth of Ann"}
    retype(desk, ann)
    page.keyboard.press("Control+Enter")
    moved(desk, item)
    page.keyboard.press("q")
    page.wait_for_selector("#review-start")

    begun(other, "博", "blind", "zh")
    assert item_of(other) == item
    shown = other.page.locator(f"{DESK} .vw-row .vw-text").all_text_contents()
    assert shown[:5] == model[:5], "blind: nothing of what Ann wrote"
    assert "Ann" not in other.page.inner_text(DESK)
    retype(other, {0: "first of Bo", 2: "third of Bo", 4: "fifth of Bo"})
    other.page.keyboard.press("Control+Enter")
    other.page.wait_for_selector(".wb-rv-end")
    assert texts(desk, item)[0] == "first of Ann", "the first review stays as it is"

    (pair,) = got(desk, "/v1/agreement")["pairs"]
    assert (pair["names"], pair["items"], pair["disputes"], pair["box_f1"]) == (["Ann", "博"], 1, 1, 1)
    assert pair["cer"] > 0
    other.page.keyboard.press("q")
    other.page.click(".wb-rv-start summary")
    assert "Ann · 博" in other.page.inner_text("[data-agreement='pair']")
    other.page.wait_for_selector("[data-reviews='disputed']")

    page = begun(desk, "Eve", "disputes").page
    assert page.locator(".wb-rv-part:not([data-state='same'])").count() == 3
    assert page.is_disabled("[data-action='submit_page']")
    for key in ("1", "2"):
        page.keyboard.press(key)
    page.reload()  # what was chosen is still there, and the keys are on what is left
    page.wait_for_selector(f"{DESK}[data-item='{item}'] [data-taken='second']")
    page.keyboard.press("3")
    page.keyboard.insert_text("fifth of Eve")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-action='submit_page']:enabled")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".wb-rv-end")

    merged = {**dict(enumerate(model)), 0: "first of Ann", 2: "third of Bo", 4: "fifth of Eve"}
    assert texts(desk, item) == list(merged.values())
    assert got(desk, "/v1/queue?review=disputed")["items"] == []
    with Store.open(Settings(data_dir=product.data_dir)) as store:
        assert [kept.correction.person for kept in store.corrections.versions(item)] == ["Ann", "Eve"]
        assert store.second_reviews.newest(item).resolution.person == "Eve"
    assert other.errors == []
    context.close()


@pytest.mark.stress
def test_comments_and_guidelines_stand_beside_the_work(desk: Desk) -> None:
    page = begun(desk, "Ann", "first").page
    item = item_of(desk)
    page.keyboard.press("j")
    page.keyboard.press("m")
    page.wait_for_selector(".wb-rv-side textarea:focus")
    page.keyboard.insert_text("<b>Is this</b> a 7?")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".wb-rv-side li")
    assert page.inner_text(".wb-rv-side li p") == "<b>Is this</b> a 7?"
    (kept,) = got(desk, f"/v1/items/{item}/comments")["comments"]
    assert (kept["person"], kept["line_id"]) == ("Ann", got(desk, f"/v1/items/{item}")["lines"][0]["id"])
    page.keyboard.press("Escape")
    assert page.locator(f"{DESK}[data-item='{item}']").count() == 1, "the key ended the panel, not the desk"

    page.keyboard.press("Shift+G")
    page.click(".wb-rv-side button:has-text('Write')")
    page.keyboard.insert_text("# Amounts\n\n<script>document.title = 'bad'</script>\n\n- as **printed**")
    page.click(".wb-rv-side button.primary")
    page.wait_for_selector(".wb-rv-guidelines strong")
    assert page.inner_text(".wb-rv-guidelines h1") == "Amounts"
    assert page.locator(".wb-rv-guidelines script").count() == 0
    assert page.title() != "bad"

    page.click(".wb-rv-side button:has-text('Edit')")
    page.fill(".wb-rv-side textarea", "# Amounts\n\n- as **spoken**")
    page.click(".wb-rv-side button.primary")
    page.click(".wb-rv-side button:has-text('Older versions')")
    page.wait_for_selector(".wb-rv-guidelines:has-text('as printed')")
    page.click(".wb-rv-side button:has-text('changed since')")
    changes = page.locator(".wb-rv-changes li:not([data-kind='same'])").all_text_contents()
    assert (changes[-2], changes[-1]) == ("−- as **printed**", "+- as **spoken**")
    assert page.locator(".wb-rv-changes script").count() == 0
    page.click(".wb-rv-side button:has-text('Bring back')")
    page.click(".wb-rv-side button.primary")
    page.wait_for_selector(".wb-rv-guidelines:has-text('as printed')")
    newest = got(desk, "/v1/guidelines")
    assert (newest["version"], newest["text"]) == (3, got(desk, "/v1/guidelines?version=1")["text"])


@pytest.mark.stress
def test_a_page_that_another_has_can_be_looked_at_only(desk: Desk, browser) -> None:
    page = begun(desk, "Ann", "first").page
    item = item_of(desk)
    page.keyboard.press("s")
    moved(desk, item)
    desk.settle()  # the page that was left has been given back
    sent(desk, f"/v1/items/{item}/claim", {"holder": "a-tab-of-bo", "person": "Bo"})
    page.keyboard.press("[")
    page.wait_for_selector(f"{DESK}[data-item='{item}']")
    assert "taken by Bo until" in page.inner_text(".wb-rv-bar")
    assert page.is_disabled("[data-action='accept_page']")
    page.keyboard.press("a")
    desk.settle()
    assert got(desk, f"/v1/items/{item}")["state"] == "skipped"


@pytest.mark.stress
def test_a_saved_filter_is_there_for_everybody(desk: Desk) -> None:
    desk.goto("/en/")
    page = desk.page
    page.get_by_role("tab", name="Dataset").click()
    page.wait_for_selector("#items tr[data-id]")
    page.locator("#filter-search textarea, #filter-search input").first.fill("residents")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-total='1']")
    page.fill("#review-filter-name", "notices")
    page.click("text=Save filters")
    page.wait_for_selector("#review-saved option[value='notices']", state="attached")
    assert got(desk, "/v1/saved-filters")["filters"][0]["query"] == {"text": "residents", "sort": "newest"}
    desk.goto("/en/")
    page.get_by_role("tab", name="Dataset").click()
    page.wait_for_selector("[data-total='3']")
    page.select_option("#review-saved", "notices")
    page.wait_for_selector("[data-total='1']")
    assert page.locator("#filter-search textarea, #filter-search input").first.input_value() == "residents"
