"""A picture read by two engines of the file of engines, both readings beside each other, and one of them kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Desk, Product, need_browser
from rest import addressed, item_at
from stored import ANN, png, recognition

from ocr_ui.domain.content import Field, PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.page import Page
from ocr_ui.domain.recognition import EngineName
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store
from tests.processes import free_port

ENGINES = """
[[engines]]
name = "fine"
kind = "rapidocr"

[[engines]]
name = "coarse"
kind = "rapidocr"
engine_pixels = 90000

[[engines]]
name = "office"
kind = "openai"
base_url = "http://127.0.0.1:{port}/v1"
"""
PANEL = ".wb-cmp-panel:not([hidden])"
KEEP_WHILE_RUNNING = """() => {
    window.running = [];
    new MutationObserver(() => {
        if (document.querySelector(".wb-cmp-news[data-state='running']")) window.running.push([
            document.querySelector("#again-go").disabled,
            document.querySelector("#viewer .vw-board img").checkVisibility(),
        ]);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
MARKUP = '<img src=x onerror="document.title=1">'


def said(*texts: str | None, total: str) -> PageContent:
    """Lines one below the other, with a gap for None."""
    lines = []
    for n, text in enumerate(texts):
        top = 100 + 60 * n
        quad = Quad.from_points([(50, top), (900, top), (900, top + 40), (50, top + 40)])
        lines += [TextLine(text, quad, 0.9, f"l{len(lines)}")] if text else []
    fields = Field("Total", total), Field("Date", None)
    return PageContent(lines=tuple(lines), text="\n".join(line.text for line in lines), fields=fields)


def two_readings(data_dir: Path) -> tuple[int, int]:
    """A page that two engines have read, written to the store before the product starts."""
    with Store.open(Settings(data_dir=data_dir)) as store:
        sha256 = store.pictures.put(png(3))
        page = store.pages.add_document("page.png", [Page(sha256, 1000, 800, "page.png")], ANN).page_ids[0]
        left = said("Same in both", f"{MARKUP} 1", "In A alone, and long", "Last", total="34.60")
        right = said("Same in both", f"{MARKUP} 7", None, "Last", total="84.60")
        names = EngineName("rapidocr", "3", "small", "r1", "fine"), EngineName("openai", "1", "big", "r2", "office")
        ids = []
        for engine, content in zip(names, (left, right), strict=True):
            value = recognition(sha256, content)
            ids.append(store.recognitions.add(replace(value, engine=engine), page))
        return ids[0], ids[1]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, int, int]]:
    need_browser()
    folder = tmp_path_factory.mktemp("two")
    (folder / "engines.toml").write_text(ENGINES.format(port=free_port()))
    ids = two_readings(folder / "data")
    running = Product(folder / "data", OCR_UI_ENGINES_FILE=str(folder / "engines.toml"), OCR_UI_ENGINE="fine")
    running.start()
    yield running, *ids
    running.stop()


@pytest.fixture
def desk(two: tuple[Product, int, int], open_desk: Callable[[str], Desk]) -> Iterator[Desk]:
    made = open_desk(two[0].url)
    yield made
    assert made.errors == []
    assert made.outside == []


def focused(desk: Desk) -> str:
    return desk.page.evaluate("document.activeElement.innerText")


def test_read_again_with_another_engine_and_keep_the_second(desk: Desk) -> None:
    page = desk.goto().page
    desk.take_example("receipt")
    assert page.is_disabled("#again-go")
    desk.read()
    first = addressed(desk, "item")
    page.wait_for_function("document.querySelector('#again-engine').value === 'coarse'")
    page.evaluate(KEEP_WHILE_RUNNING)
    page.click("#again-go")
    page.wait_for_selector(PANEL)
    assert [True, True] in page.evaluate("window.running"), "the button is off, and the picture stays"
    desk.settle()
    second = addressed(desk, "with")
    assert addressed(desk, "item") == first
    assert not page.is_visible("#viewer .vw-board img")
    assert [item_at(desk, n)["item"]["engine"] for n in (first, second)] == ["fine (rapidocr)", "coarse (rapidocr)"]
    assert item_at(desk, first)["item"]["page"] == item_at(desk, second)["item"]["page"]
    assert item_at(desk, first)["lines"] != item_at(desk, second)["lines"]
    assert page.locator(".wb-cmp-head bdi").all_inner_texts() == ["fine (rapidocr)", "coarse (rapidocr)"]
    drawn = [page.locator(f".wb-cmp-board .{side} polygon").count() for side in ("left", "right")]
    fields = [[f for f in item_at(desk, n)["fields"] if f["quad"]] for n in (first, second)]
    assert drawn == [len(item_at(desk, n)["lines"]) + len(f) for n, f in zip((first, second), fields, strict=True)]
    assert page.evaluate("document.documentElement.scrollWidth") == 1280

    page.reload()
    page.wait_for_selector(PANEL)
    desk.settle()
    page.click("[data-keep='right']")
    page.wait_for_selector("#viewer .vw-board img", state="visible")
    desk.settle()
    assert (addressed(desk, "item"), addressed(desk, "with")) == (second, 0)
    assert "coarse (rapidocr)" in page.inner_text("#viewer .vw-origin")
    assert page.locator("#again-other option").count() == 1
    page.click("#again-compare")
    page.wait_for_selector(PANEL)
    assert (addressed(desk, "item"), addressed(desk, "with")) == (second, first)


@pytest.mark.parametrize(
    ("path", "alone", "summary", "keep"),
    [
        pytest.param(
            "/en/",
            "in A alone",
            "3 of 6 rows differ, 22 characters of the text",
            "Correct this one",
            marks=pytest.mark.stress,
        ),
        ("/zh/", "只在 A 中", "6 行中有 3 行不同，文本相差 22 个字符", "以此为准改正"),
    ],
)
def test_the_differences_by_keyboard_and_text_stays_text(
    desk: Desk, two: tuple[Product, int, int], path: str, alone: str, summary: str, keep: str
) -> None:
    _, left, right = two
    page = desk.goto(f"{path}?item={left}&with={right}").page
    page.wait_for_selector(PANEL)
    desk.settle()
    assert page.inner_text(".wb-cmp-summary") == summary
    assert page.locator("[data-section]").evaluate_all("all => all.map((s) => s.dataset.section)") == [
        "fields",
        "lines",
    ]
    page.keyboard.press("n")
    assert "34.60" in focused(desk)
    assert page.locator("tr[aria-current='true'] mark").all_inner_texts() == ["3", "8"]
    page.keyboard.press("n")
    assert focused(desk).count(MARKUP) == 2
    assert page.locator("tr[aria-current='true'] mark").all_inner_texts() == ["1", "7"]
    assert page.locator(".wb-cmp-board polygon.chosen").count() == 2
    page.keyboard.press("n")
    assert alone in page.locator("tr[aria-current='true'] th").text_content()
    assert "In A alone, and long" in focused(desk)
    assert page.locator(".wb-cmp-board polygon.chosen").count() == 1
    page.keyboard.press("n")
    assert "34.60" in focused(desk)
    page.keyboard.press("p")
    assert "In A alone" in focused(desk)
    page.keyboard.press("ArrowDown")
    assert focused(desk).count("Last") == 2
    page.check("#compare-only")
    assert page.locator("[data-section] tbody tr:visible").count() == 3
    assert page.inner_text("[data-keep='left']") == keep
    page.focus("[data-keep='left']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer .vw-board img", state="visible")
    assert (addressed(desk, "item"), addressed(desk, "with")) == (left, 0)
    assert page.evaluate("document.activeElement.id") == "again-go"


@pytest.mark.stress
def test_where_the_other_engine_fails_the_first_result_stays(desk: Desk, two: tuple[Product, int, int]) -> None:
    _, left, right = two
    page = desk.goto(f"/en/?item={left}").page
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    page.wait_for_function("document.querySelector('#again-other').options.length === 1")
    page.select_option("#again-engine", "office")
    page.click("#again-go")
    page.wait_for_selector(".wb-cmp-news[data-state='failed']")
    words = page.inner_text(".wb-cmp-words")
    assert words.startswith("office (openai) did not read the picture.")
    assert "cannot be reached" in words
    desk.settle()
    assert page.is_enabled("#again-go")
    assert page.is_enabled("#read-go")
    assert page.is_visible("#viewer .vw-board img")
    assert addressed(desk, "item") == left
    assert page.locator("#again-other option").evaluate_all("all => all.map((o) => o.value)") == [str(right)]


@pytest.mark.stress
def test_stop_ends_the_second_reading_too(desk: Desk) -> None:
    page = desk.goto().page
    desk.take_example("invoice")
    desk.read()
    page.select_option("#again-engine", "fine")
    page.click("#again-go")
    page.wait_for_selector(".wb-cmp-news[data-state='running']")
    page.wait_for_selector("#read-stop:not([disabled])")
    page.click("#read-stop")
    page.wait_for_selector(f".wb-cmp-news[data-state='stopped'], {PANEL}")
    desk.settle()
    assert page.is_enabled("#read-go")
    assert page.is_disabled("#read-stop")
