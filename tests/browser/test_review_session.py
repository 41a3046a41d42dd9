"""A reviewer's sitting by keyboard alone, the server killed twice in it; then a second reviewer who sees it otherwise.

What every page is to say is decided before the first key is pressed, and is then compared with the store byte for byte.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from conftest import WINDOW, Desk, Product, need_browser
from PIL import Image, ImageDraw, ImageFont
from rest import got
from reviewing import DESK, EXAMPLES, begun, item_of, moved, read_pictures, retype, tab_to

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

NETWORK = ("Failed to load resource", "AbortError", "TypeError: Failed to fetch", "TypeError: network error")
"""What the browser itself says while there is no server."""
DRAWN = ("identity_card.webp", "film_still.jpg", "chart.png")
ODD = (
    "  two  blanks ",
    "ＡＢＣ ½ “quoted”",
    "<b>no markup</b> & \\n",
    "e\u0301 é 🙂 \u202eright to left",
    "價格：¥1,280.00",
)
"""Texts that anything which tidies up would change."""


def slip(number: int) -> bytes:
    """A small page of four lines, quickly read."""
    picture = Image.new("RGB", (520, 230), "white")
    pen = ImageDraw.Draw(picture)
    for row, text in enumerate((f"Delivery note {number}", "Apples 3.20", "Bread 2.75", f"TOTAL {number + 5}.95")):
        pen.text((20, 15 + 52 * row), text, fill="black", font=ImageFont.load_default(32))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def pictures(count: int) -> dict[str, bytes]:
    """The project's examples that are read in a second each, and slips as many as are wanted."""
    examples = {file: (EXAMPLES / file).read_bytes() for file in DRAWN}
    return examples | {f"slip {number}.png": slip(number) for number in range(count - len(DRAWN))}


@dataclass(frozen=True)
class Meant:
    """What the reviewer does to one page: new texts by line, from 0; none where the page is right as it stands."""

    said: PageContent
    changes: dict[int, str]

    @property
    def lines(self) -> tuple[TextLine, ...]:
        return tuple(
            replace(line, text=self.changes.get(number, line.text)) for number, line in enumerate(self.said.lines)
        )

    @property
    def verdict(self) -> str:
        return "wrong" if self.changes else "right"


@dataclass
class Sitting:
    product: Product
    plan: dict[int, Meant] = field(default_factory=dict)


@pytest.fixture
def sitting(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Sitting]:
    need_browser()
    running = Product(tmp_path / "data")
    items = read_pictures(running.data_dir, pictures(request.param))
    assert len(items) == request.param
    made = Sitting(running)
    with Store.open(Settings(data_dir=running.data_dir)) as store:
        for number, item in enumerate(items):
            said = store.recognitions.get(item).recognition.content
            changes = {line: f"{ODD[(number + line) % len(ODD)]}{number}" for line in range(number % 3)}
            made.plan[item] = Meant(said, changes)
    running.start()
    yield made
    running.stop()


@pytest.mark.parametrize(
    "sitting", [pytest.param(6, id="6 pages"), pytest.param(20, id="20 pages", marks=pytest.mark.stress)], indirect=True
)
def test_a_sitting_with_two_crashes_is_kept_as_it_was_meant(sitting: Sitting, browser) -> None:
    context = browser.new_context(viewport=WINDOW, locale="en-US")
    desk = Desk(context.new_page(), sitting.product.url)
    review(desk, sitting)
    broken = [error for error in desk.errors if not error.startswith(NETWORK)]
    context.close()
    assert broken == []
    compare(sitting)
    disagree(sitting, browser)


def review(desk: Desk, sitting: Sitting) -> None:
    """No mouse, and none of its methods: Tab to the desk, keys on it."""
    page, keys, total = desk.goto().page, desk.page.keyboard, len(sitting.plan)
    page.evaluate("document.querySelector('.wb-languages a').focus()")
    tab_to(desk, "[role=tab][data-tab-id='dataset']")
    keys.press("Enter")
    page.wait_for_selector("#items [data-total]")
    page.wait_for_selector("#review-person")
    tab_to(desk, "#review-person")
    keys.type("Ann")
    page.wait_for_selector("#review-start:enabled")
    tab_to(desk, "#review-start")
    keys.press("Enter")
    page.wait_for_selector(f"{DESK}[data-item]")
    before_typing, after_sending = total // 3, 2 * total // 3
    done = []
    for number in range(total):
        desk.settle()  # the next page has been loaded ahead
        item = item_of(desk)
        meant = sitting.plan[item]
        if number == before_typing:
            sitting.product.kill()
        retype(desk, meant.changes)
        keys.press("Control+Enter" if meant.changes else "a")
        if number == after_sending:
            sitting.product.kill()
        if number in (before_typing, after_sending):
            sitting.product.start()
        moved(desk, item)
        done.append(item)
    page.wait_for_selector(".wb-rv-end")
    page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('workbench.outbox.'))")
    assert sorted(done) == sorted(sitting.plan), "every page once"


def compare(sitting: Sitting) -> None:
    with Store.open(Settings(data_dir=sitting.product.data_dir)) as store:
        for item, meant in sitting.plan.items():
            review = store.reviews.get(item).review
            kept = store.corrections.versions(item)
            assert (review.state, review.verdict, review.person) == ("submitted", meant.verdict, "Ann")
            assert len(kept) == bool(meant.changes), "each save counts once"
            assert len(store.reviews.history(item)) == 1
            assert store.recognitions.get(item).recognition.content == meant.said, "what was read stays"
            for version in kept:
                content = version.correction.content
                assert [line.text.encode() for line in content.lines] == [line.text.encode() for line in meant.lines]
                assert [(line.id, line.quad) for line in content.lines] == [
                    (line.id, line.quad) for line in meant.lines
                ]
                assert content.text.encode() == "\n".join(line.text for line in meant.lines).encode()


def disagree(sitting: Sitting, browser) -> None:
    """Bo reviews a page blind and sees three lines otherwise; agreement and the disputes show it."""
    context = browser.new_context(viewport=WINDOW, locale="en-US")
    desk = begun(Desk(context.new_page(), sitting.product.url), "Bo", "blind")
    page, item = desk.page, item_of(desk)
    ann = sitting.plan[item]
    assert len(ann.lines) >= 3
    others = {number: f"line {number} of Bo" for number in range(3)}
    retype(desk, others)
    page.keyboard.press("Control+Enter")
    moved(desk, item)
    page.keyboard.press("q")
    page.wait_for_selector("#review-start", state="visible")
    page.focus(".wb-rv-start summary")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-agreement='pair'] th:has-text('Ann · Bo')")
    page.wait_for_selector(f"#items tr[data-id='{item}'] [data-reviews='disputed']")
    assert page.locator("[data-reviews='disputed']").count() == 1
    context.close()
    (pair,) = got(desk, "/v1/agreement")["pairs"]
    assert (pair["names"], pair["items"], pair["disputes"], pair["box_f1"]) == (["Ann", "Bo"], 1, 1, 1)
    assert 0 < pair["cer"] < 1
    assert got(desk, "/v1/queue?review=disputed")["items"] == [item]
    parts = [part for part in got(desk, f"/v1/items/{item}/dispute")["parts"] if part["state"] != "same"]
    both = [["".join(piece for piece, _ in part[side]) for side in ("left", "right")] for part in parts]
    assert both == [[ann.lines[number].text, text] for number, text in others.items()]
    assert desk.errors == []
    compare(sitting)
