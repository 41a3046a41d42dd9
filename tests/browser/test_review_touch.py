"""The viewer on a tablet: one finger pans, two pinch, a tap opens a line, and a box is moved by holding it first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from conftest import Desk, Product
from rest import got
from stored import add_item, open_store

TABLET = {"width": 820, "height": 1180}
VIEW = "document.querySelector('#viewer .vw-board').style.transform.match(/-?[\\d.]+/g).map(Number)"
LINE = "#viewer .vw-row .vw-text"
# The browser's own protocol lifts all fingers at once.
ONE_FINGER_LEAVES = """([x, y]) => {
    const tell = (type, pointerId, dx, dy) => document.querySelector("#viewer .vw-pane").dispatchEvent(
        new PointerEvent(type, {pointerId, clientX: x + dx, clientY: y + dy, pointerType: "touch", bubbles: true}));
    tell("pointerdown", 90, -40, 0);
    tell("pointerdown", 91, 40, 0);
    tell("pointerup", 91, 40, 0);
    tell("pointermove", 90, -40, 50);
    tell("pointerup", 90, -40, 50);
}"""


@pytest.fixture
def tablet(product: Product, browser) -> Iterator[Desk]:
    with open_store(product.data_dir) as store:
        item = add_item(store, name="tablet.png", shade=77)
    context = browser.new_context(viewport=TABLET, has_touch=True, is_mobile=True, locale="en-US")
    desk = Desk(context.new_page(), product.url)
    desk.item = item
    desk.goto(f"/en/?item={item}").page.wait_for_selector("#viewer .vw-boxes polygon")
    yield desk
    assert desk.errors == []
    context.close()


@pytest.fixture
def touch(tablet: Desk) -> Callable:
    """touch(kind, at, *points): one event of a touch screen, at a time in seconds, in pixels of the window; touchEnd
    has no points."""
    client = tablet.page.context.new_cdp_session(tablet.page)

    def touched(kind: str, at: float, *points: tuple[float, float]) -> None:
        told = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told, "timestamp": at})

    return touched


def swipe(
    touch: Callable, *paths: tuple[tuple[float, float], tuple[float, float]], hold: Callable | None = None
) -> None:
    """Fingers go along straight paths, all at once; `hold` is done after they have been put down. By the times of the
    events they are quick, however long each of them takes here."""
    at = time.time()
    touch("touchStart", at, *(start for start, _ in paths))
    if hold:
        hold()
        at = time.time()
    for step in range(1, 11):
        points = (tuple(a + (b - a) * step / 10 for a, b in zip(*path, strict=True)) for path in paths)
        touch("touchMove", at + step / 1000, *points)
    touch("touchEnd", at + 0.011)


def place(desk: Desk, selector: str, share: float = 0.5) -> tuple[float, float]:
    """A place in the middle of a box's height, after this share of its width."""
    box = desk.page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] * share, box["y"] + box["height"] / 2


def test_fingers_pan_pinch_and_correct_a_line(tablet: Desk, touch: Callable) -> None:
    page = tablet.page
    assert page.evaluate("document.documentElement.scrollWidth") == TABLET["width"]
    page.locator("#viewer .vw-pane").scroll_into_view_if_needed()
    pane = page.locator("#viewer .vw-pane").bounding_box()
    x, y, k = page.evaluate(VIEW)
    left, top = pane["x"] + pane["width"] / 2, pane["y"] + pane["height"] * 0.7
    swipe(touch, ((left, top), (left + 40, top - 60)))
    assert page.evaluate(VIEW) == pytest.approx([x + 40, y - 60, k], abs=1)

    swipe(touch, ((left - 30, top), (left - 90, top)), ((left + 30, top), (left + 90, top)))
    zoomed = page.evaluate(VIEW)
    assert zoomed[2] == pytest.approx(3 * k, rel=0.02)
    between = [(left - pane["x"] - vx) / vk for vx, vk in ((x + 40, k), (zoomed[0], zoomed[2]))]
    assert between[1] == pytest.approx(between[0], rel=0.02), "what was between the fingers stays there"

    page.evaluate(ONE_FINGER_LEAVES, [left, top])
    assert page.evaluate(VIEW) == pytest.approx([zoomed[0], zoomed[1] + 50, zoomed[2]], abs=1)

    page.locator(LINE).nth(1).tap()
    page.wait_for_selector("#viewer .vw-input:focus")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("Thank you!")
    page.keyboard.press("Enter")
    page.locator("#viewer .vw-tool[data-title='act_fit']").tap()
    keep_the_box_still_and_move_it(tablet, touch)
    page.locator("#viewer button:has-text('Save')").first.tap()
    page.wait_for_selector("#viewer .vw-saved:has-text('version 1')")
    assert [line["text"] for line in got(tablet, f"/v1/items/{tablet.item}")["lines"]] == ["Total 12.50", "Thank you!"]


def keep_the_box_still_and_move_it(tablet: Desk, touch: Callable) -> None:
    """A finger that passes over the selected box pans; one that rests on it first takes it along."""
    page, box = tablet.page, "#viewer .vw-boxes polygon.selected"
    page.touchscreen.tap(*place(tablet, "#viewer .vw-boxes polygon"))
    page.wait_for_selector(box)
    points, view = page.get_attribute(box, "points"), page.evaluate(VIEW)
    for share in (0.5, 0.3):  # on the handles of the edges, and beside them
        at = place(tablet, box, share)
        swipe(touch, (at, (at[0], at[1] + 40)))
        assert page.get_attribute(box, "points") == points
    assert page.evaluate(VIEW)[1] == pytest.approx(view[1] + 80, abs=1)
    at, view = place(tablet, box, 0.3), page.evaluate(VIEW)
    swipe(touch, (at, (at[0], at[1] + 40)), hold=lambda: page.wait_for_timeout(450))
    assert page.get_attribute(box, "points") != points
    assert page.evaluate(VIEW) == view
