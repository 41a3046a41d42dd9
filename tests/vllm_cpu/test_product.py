"""The running product with the embedded engine, as a person uses it: a browser reads the examples."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import tests.browser.conftest as running
from scripts.tiny_model.book import Example, upright
from tests.browser.conftest import Desk, Fresh, Product, need_browser

pytestmark = [pytest.mark.vllm, pytest.mark.browser]


@pytest.fixture(scope="module")
def product(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    small = {
        "OCR_UI_ENGINE": "vllm",
        "OCR_UI_MODEL": str(tiny_model),
        "OCR_UI_MAX_MODEL_LEN": "2048",
        "OCR_UI_MAX_NUM_SEQS": "8",
        "OCR_UI_MAX_NUM_BATCHED_TOKENS": "2048",
        "OCR_UI_ENFORCE_EAGER": "1",
        "OCR_UI_CPU_CACHE_GB": "1",
    }
    product = Fresh(tmp_path_factory.mktemp("product") / "data", **small)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "START_SECONDS", 600)
        product.start()
    yield product
    product.stop()


@pytest.fixture(scope="module")
def desk(product: Product, browser: Browser) -> Iterator[Desk]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    desk = Desk(context.new_page(), product.url)
    yield desk
    context.close()
    assert desk.outside == []


def read_example(desk: Desk, name: str, template: str = "") -> dict:
    """Reads an example, by its own template or another; gives the item as the store has it."""
    desk.goto().take_example(name)
    if template:
        desk.page.click("#template input")
        desk.page.get_by_role("option", name=template, exact=True).click()
        desk.settle()
    desk.read()
    number = desk.page.evaluate("new URLSearchParams(location.search).get('item')")
    with urllib.request.urlopen(f"{desk.url}/v1/items/{number}") as answer:
        return json.load(answer)


def test_the_lines_of_an_example_and_their_places(desk: Desk) -> None:
    said = Example("identity_card").said
    item = read_example(desk, "identity_card", "Full text with boxes")
    assert [line["text"] for line in item["lines"]] == [line["text"] for line in said["lines"]]
    shown = desk.page.locator("#viewer .vw-row .vw-text").all_text_contents()
    assert shown == [line["text"] for line in said["lines"]]
    assert desk.page.locator("#viewer .vw-boxes polygon").count() == len(said["lines"])
    for line, wanted in zip(item["lines"], said["lines"], strict=True):
        assert upright(line["quad"]) == pytest.approx(upright(wanted["quad"]), abs=max(said["size"]) / 1000)


def test_the_fields_of_an_example(desk: Desk) -> None:
    item = read_example(desk, "invoice")
    assert {field["name"]: field["value"] for field in item["fields"]} == Example("invoice").said["fields"]


def test_the_answer_to_a_question(desk: Desk) -> None:
    assert Example("identity_card").said["answer"] in json.dumps(read_example(desk, "identity_card"))


def test_the_translation_of_an_example(desk: Desk) -> None:
    item = read_example(desk, "receipt", "Translate")
    assert "马洛与芬奇" in json.dumps(item, ensure_ascii=False)
