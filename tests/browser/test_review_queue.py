"""A sitting at the desk by keyboard alone over drawn examples: every page ends submitted, and says what was typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from conftest import Desk, Product, need_browser
from rest import got
from reviewing import DESK, item_of, moved, read_examples, retype, tab_to

from ocr_ui.domain.content import PageContent
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

FILES = ("identity_card.webp", "phone_photo.jpg", "chart.png", "bad_scan.jpg", "film_still.jpg", "receipt.jpg")


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    running = Product(tmp_path_factory.mktemp("queue") / "data")
    read_examples(running.data_dir, *FILES)
    running.start()
    yield running
    running.stop()


@dataclass
class Sitting:
    """What the script means every page to say, and what it pressed."""

    desk: Desk
    meant: dict[int, list[str]] = field(default_factory=dict)
    verdicts: dict[int, str] = field(default_factory=dict)

    def decide(self, key: str, changes: dict[int, str]) -> None:
        item = item_of(self.desk)
        said = [line["text"] for line in got(self.desk, f"/v1/items/{item}")["lines"]]
        retype(self.desk, changes)
        self.meant[item] = [changes.get(number, text) for number, text in enumerate(said)]
        self.verdicts[item] = "wrong" if changes else "right"
        self.desk.page.keyboard.press(key)
        moved(self.desk, item)


@pytest.mark.stress
def test_every_page_by_keyboard_alone(desk: Desk, product: Product) -> None:
    """No mouse: the mouse's methods are not called anywhere here."""
    desk.goto("/en/")
    page, keys = desk.page, desk.page.keyboard
    page.evaluate("document.querySelector('.wb-languages a').focus()")
    tab_to(desk, "[role=tab][data-tab-id='dataset']")
    keys.press("Enter")
    page.wait_for_selector("#items [data-total]")
    page.wait_for_selector("#review-person")
    tab_to(desk, "#review-person")
    keys.type("Ann")
    page.wait_for_selector("#review-start:enabled")
    assert "6 pages" in page.inner_text("#review-told")
    tab_to(desk, "#review-start")
    keys.press("Enter")
    page.wait_for_selector(f"{DESK}[data-item]")
    assert "Page 1 of 6" in page.inner_text(".wb-rv-bar")

    sitting = Sitting(desk)
    sitting.decide("a", {})
    sitting.decide("Control+Enter", {0: "ＡＢＣ ½ “quoted”", 1: "two  blanks"})
    skipped = item_of(desk)
    keys.press("]")
    moved(desk, skipped)
    passed = item_of(desk)
    keys.press("[")
    page.wait_for_selector(f"{DESK}[data-item='{skipped}']")
    sitting.decide("a", {})
    assert item_of(desk) == passed, "the page that was passed is next again"
    told = page.inner_text(".wb-rv-number")
    page.reload()  # the tab, the queue and the page in it come back by themselves
    page.wait_for_selector(f"{DESK}[data-item='{passed}']")
    assert page.inner_text(".wb-rv-number") == told
    page.wait_for_selector("text=3 done today")
    sitting.decide("Control+Enter", {0: "<i>not markup</i>"})
    sitting.decide("a", {})
    sitting.decide("a", {1: "changed, so it was not right"})
    page.wait_for_selector(".wb-rv-end")
    assert "6 pages" in page.inner_text(".wb-rv-end")
    page.wait_for_selector("text=6 done today")
    keys.press("Enter")
    page.wait_for_selector("text=All of these have been reviewed")
    assert len(sitting.meant) == len(FILES)

    with Store.open(Settings(data_dir=product.data_dir)) as store:
        for item, meant in sitting.meant.items():
            review = store.reviews.get(item).review
            kept = store.corrections.latest(item)
            content: PageContent = kept.correction.content if kept else store.recognitions.get(item).recognition.content
            assert [line.text for line in content.lines] == meant, item
            assert content.text == "\n".join(meant)
            assert (review.state, review.verdict, review.person) == ("submitted", sitting.verdicts[item], "Ann")
            assert sum(store.queues.seconds(item).values()) > 0, "the time of work is kept"
        assert store.claims.of(list(sitting.meant)) == {}, "nothing is held any longer"


@pytest.mark.stress
def test_the_sheet_of_keys_and_the_buttons_name_every_key_of_the_queue(desk: Desk) -> None:
    desk.goto("/zh/")
    page = desk.page
    page.get_by_role("tab", name="数据集").click()
    page.fill("#review-person", "Bo")
    page.select_option("#review-mode", "visible")
    page.wait_for_selector("#review-start:enabled")
    page.click("#review-start")
    page.wait_for_selector(f"{DESK}[data-item]")
    assert "Ann 首先复核" in page.inner_text(".wb-rv-first")
    on_buttons = page.locator(".wb-rv-bar button kbd").all_text_contents()
    assert on_buttons == ["[", "]", "A", "Ctrl+Enter", "X", "S", "M", "Shift+G", "Q"]
    page.keyboard.press("?")
    sheet = page.inner_text(f"{DESK} dialog[open]")
    assert all(word in sheet for word in ("页面队列", "整页通过并继续", "跳过此页"))
    page.keyboard.press("Escape")
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0, "nothing is wider than the window"
