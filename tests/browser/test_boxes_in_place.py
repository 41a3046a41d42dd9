"""Boxes and picture move as one: whatever the window, the zoom and the screen, a box covers what it covers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import Desk, Product
from test_read import item_of

PLACES = """() => {
  const picture = document.querySelector("#viewer .vw-board img").getBoundingClientRect();
  return [...document.querySelectorAll("#viewer .vw-boxes polygon")].map(box => {
    const at = box.getBoundingClientRect();
    return [(at.left - picture.left) / picture.width, (at.top - picture.top) / picture.height,
            (at.right - picture.left) / picture.width, (at.bottom - picture.top) / picture.height];
  });
}"""


PICTURE = """() => document.querySelector("#viewer .vw-board img").getBoundingClientRect().toJSON()"""


@pytest.fixture
def sharp(product: Product, browser) -> Iterator[Desk]:
    """A screen with two device pixels for each pixel of the page."""
    context = browser.new_context(viewport={"width": 1100, "height": 800}, device_scale_factor=2, locale="en-US")
    yield Desk(context.new_page(), product.url)
    context.close()


def wanted(item: dict) -> list[list[float]]:
    """Left, top, right and bottom of each line as shares of the picture, from what is stored."""
    page = item["item"]["page"]
    sides = []
    for line in item["lines"]:
        xs, ys = [x for x, _ in line["quad"]], [y for _, y in line["quad"]]
        box = (min(xs) / page["width"], min(ys) / page["height"], max(xs) / page["width"], max(ys) / page["height"])
        sides.append(list(box))
    return sides


def assert_in_place(desk: Desk, item: dict) -> None:
    desk.page.wait_for_timeout(250)
    found, stored = desk.page.evaluate(PLACES), wanted(item)
    assert len(found) == len(stored) > 5
    for seen, right in zip(found, stored, strict=True):
        assert seen == pytest.approx(right, abs=0.004)


@pytest.mark.stress
def test_pe05_boxes_stay_on_their_words_whatever_the_window(sharp: Desk) -> None:
    sharp.goto().take_example("receipt")
    sharp.read()
    item = item_of(sharp)
    assert_in_place(sharp, item)
    for width, height in ((1600, 700), (700, 1000), (390, 844), (1100, 800)):
        sharp.page.set_viewport_size({"width": width, "height": height})
        assert_in_place(sharp, item)
    before = sharp.page.evaluate(PICTURE)
    sharp.page.mouse.move(before["x"] + before["width"] / 2, before["y"] + 60)
    sharp.page.keyboard.down("Control")
    sharp.page.mouse.wheel(0, -400)
    sharp.page.keyboard.up("Control")
    assert_in_place(sharp, item)
    assert sharp.page.evaluate(PICTURE)["width"] > before["width"]
    assert item_of(sharp)["lines"] == item["lines"], "what is stored never comes from the screen"
