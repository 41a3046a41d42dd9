"""Nothing that a reviewer did is lost: reloads, a server that is killed (signal 9), a connection that is gone."""

from __future__ import annotations

import time
import urllib.parse
from collections.abc import Callable, Iterator

import pytest
from conftest import WINDOW, Desk, Product, need_browser
from rest import got
from reviewing import DESK, begun, item_of, moved, read_examples, retype, texts

from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

FILES = ("identity_card.webp", "phone_photo.jpg", "chart.png") * 4
KEPT = f"{DESK} .vw-saved:has-text('draft kept')"
pytestmark = pytest.mark.stress  # two minutes, and they kill the product that others share

NETWORK = (
    "Failed to load resource",
    "AbortError",
    "WebSocket",
    "TypeError: Failed to fetch",
    "TypeError: network error",
    "Unexpected error Connection errored out",
)
"""How a browser and Gradio's client report that a server is away, or that a page was left."""
IN_SIGHT_SECONDS = 1.0
"""Within this time what was typed is on disk; the issue of the work names it."""


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    running = Product(tmp_path_factory.mktemp("lost") / "data")
    read_examples(running.data_dir, *FILES)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def open_tab(browser, product: Product) -> Iterator[Callable[[], Desk]]:
    """Opens tabs, each in a browser profile of its own, which can be offline."""
    made: list[Desk] = []

    def opened() -> Desk:
        context = browser.new_context(viewport=WINDOW, locale="en-US")
        made.append(Desk(context.new_page(), product.url))
        return made[-1]

    yield opened
    for desk in made:
        broken = [error for error in desk.errors if not error.startswith(NETWORK)]
        desk.page.context.close()
        assert broken == []


def draft_of(desk: Desk, item: int) -> dict | None:
    browser = desk.page.evaluate("localStorage.getItem('workbench.browser')")
    return got(desk, f"/v1/items/{item}/draft?{urllib.parse.urlencode({'browser': browser})}")["draft"]


def first_line(draft: dict | None) -> str:
    return draft["content"]["lines"][0]["text"] if draft else ""


def shown(desk: Desk, place: str = DESK) -> list[str]:
    return desk.page.locator(f"{place} .vw-row .vw-text").all_text_contents()


def changes(product: Product, item: int) -> list[tuple]:
    with Store.open(Settings(data_dir=product.data_dir)) as store:
        return [(kept.review.state, kept.review.verdict) for kept in store.reviews.history(item)]


def test_what_is_typed_is_on_disk_within_a_second_and_outlasts_everything(
    product: Product, open_tab: Callable[[], Desk]
) -> None:
    desk = begun(open_tab(), "Ann", "first")
    page, item = desk.page, item_of(desk)
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("typed slowly, without a pause", delay=60)  # longer than a second in all
    end = time.monotonic() + IN_SIGHT_SECONDS
    while first_line(draft_of(desk, item)) != "typed slowly, without a pause":
        assert time.monotonic() < end, "not on disk a second after the last key"
    page.wait_for_selector(KEPT)
    product.kill()
    page.context.close()  # with all that the browser had kept
    product.start()
    with Store.open(Settings(data_dir=product.data_dir)) as store:
        assert store.corrections.versions(item) == [], "nobody saved"

    other = open_tab().goto()  # the page is still the dead tab's for a while: it is opened from the list
    other.page.get_by_role("tab", name="Dataset").click()
    other.page.evaluate("localStorage.setItem('workbench.person', 'Ann')")
    other.page.reload()
    other.page.get_by_role("tab", name="Dataset").click()
    other.page.click(f"#items tr[data-id='{item}'] .wb-open")
    other.page.wait_for_selector("#viewer .vw-notice[data-topic='draft']")
    assert shown(other, "#viewer")[0] == "typed slowly, without a pause"
    other.page.keyboard.press("Control+s")
    other.page.wait_for_selector("#viewer .vw-saved:has-text('as version 1')")
    assert texts(other, item)[0] == "typed slowly, without a pause"
    other.settle()
    assert got(other, f"/v1/items/{item}/draft?browser=another-one&person=Ann")["draft"] is None, "it is no draft now"


def test_a_reload_in_the_middle_of_a_word(product: Product, open_tab: Callable[[], Desk]) -> None:
    desk = begun(open_tab(), "Ann", "first")
    page, item = desk.page, item_of(desk)
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.keyboard.type(" wor")
    meant = page.input_value(f"{DESK} textarea.vw-input")
    page.reload()
    begun(desk, "Ann", "first")
    assert item_of(desk) == item, "the page that was left is free again"
    assert shown(desk)[0] == meant


def test_reviews_without_a_connection_wait_and_are_sent_by_themselves_in_order(
    product: Product, open_tab: Callable[[], Desk]
) -> None:
    desk = begun(open_tab(), "Cleo", "first")  # the others' drafts are theirs
    page, first = desk.page, item_of(desk)
    desk.settle()  # the next page is loaded ahead
    page.context.set_offline(True)
    page.keyboard.press("a")
    moved(desk, first)
    second = item_of(desk)
    page.wait_for_selector(f"{DESK} .vw-queued:has-text('1 save of another page waits')")
    retype(desk, {0: "written offline"})
    page.wait_for_selector(f"{DESK} .vw-saved:has-text('draft kept in this browser only')")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(f"{DESK} .wb-rv-told:has-text('does not answer')")
    assert changes(product, first) == changes(product, second) == []

    page.context.set_offline(False)
    moved(desk, second)
    page.wait_for_selector(f"{DESK} .vw-queued", state="hidden")
    assert changes(product, first) == [("submitted", "right")]
    assert changes(product, second) == [("submitted", "wrong")]
    assert texts(desk, second)[0] == "written offline"
    with Store.open(Settings(data_dir=product.data_dir)) as store:
        times = [store.reviews.get(item).updated_at for item in (first, second)]
    assert times == sorted(times), "in the order in which they were made"
    assert page.locator(f"{DESK} .vw-saved:has-text('As the model read it')").count() == 1, "the third page is new"


def test_a_save_whose_answer_was_lost_counts_once(product: Product, open_tab: Callable[[], Desk]) -> None:
    desk = begun(open_tab(), "Ann", "first")
    page, item = desk.page, item_of(desk)
    lost = []

    def swallow(route) -> None:
        """The server takes it, and the answer does not come."""
        lost.append(route.fetch())
        route.abort("connectionreset") if len(lost) < 3 else route.fulfill(response=lost[-1])

    page.route("**/v1/corrections", swallow)
    retype(desk, {0: "once only"})
    page.keyboard.press("Control+s")
    page.wait_for_selector(f"{DESK} .vw-saved:has-text('as version 1')")
    assert len(lost) == 3
    assert [answer.json()["version"] for answer in lost] == [1, 1, 1]
    assert changes(product, item) == [("submitted", "wrong")]


def test_a_review_that_waits_outlasts_the_tab_and_the_server(product: Product, open_tab: Callable[[], Desk]) -> None:
    desk = begun(open_tab(), "Ann", "first")
    page, item = desk.page, item_of(desk)
    desk.settle()
    product.kill()
    retype(desk, {0: "while the server was dead"})
    page.keyboard.press("Control+Enter")
    moved(desk, item)
    assert changes(product, item) == []
    context = page.context
    page.close()
    product.start()

    desk.page = page = context.new_page()
    page.goto(desk.url + "/en/")
    page.wait_for_selector("#viewer [data-ready='1']", state="attached")
    page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('workbench.outbox.'))")
    assert changes(product, item) == [("submitted", "wrong")]
    assert texts(desk, item)[0] == "while the server was dead"
    page.reload()
    begun(desk, "Ann", "first")
    assert item_of(desk) != item, "it is not offered again"


def test_somebody_else_was_faster_while_there_was_no_connection(product: Product, open_tab: Callable[[], Desk]) -> None:
    desk = begun(open_tab(), "Ann", "first")
    page, item = desk.page, item_of(desk)
    desk.settle()
    page.context.set_offline(True)
    retype(desk, {0: "Ann's"})
    page.keyboard.press("Control+Enter")
    moved(desk, item)
    with Store.open(Settings(data_dir=product.data_dir)) as store:
        review = store.reviews.get(item).review
        store.reviews.set(item, review)
    page.context.set_offline(False)
    page.wait_for_selector(f"{DESK} .vw-notice.bad:has-text('was not saved')")
    assert changes(product, item) == [("pending", None)]
    end = time.monotonic() + 10
    while first_line(draft_of(desk, item)) != "Ann's":
        assert time.monotonic() < end, "her edits are no draft on the server"
    page.keyboard.press("[")
    page.wait_for_selector(f"{DESK}[data-item='{item}']")
    assert shown(desk)[0] == "Ann's"
