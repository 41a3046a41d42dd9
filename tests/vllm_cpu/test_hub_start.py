"""The product fetches its model from the hub (served here): the page shows how far it is, and reads with it then."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Desk, Fresh, Product, need_browser
from tests.engines.fake_hub import COMMIT, FakeHub
from tests.vllm_cpu.tiny_engine import BOOK

pytestmark = [pytest.mark.vllm, pytest.mark.browser]

MEGABYTES = 6


class Fetching(Fresh):
    """Started as soon as its page is there."""

    def wait(self, path: str) -> None:
        super().wait("/healthz")


@pytest.fixture(scope="module")
def hub(tiny_model: Path) -> Iterator[FakeHub]:
    files = {p.relative_to(tiny_model).as_posix(): p.read_bytes() for p in tiny_model.rglob("*") if p.is_file()}
    with FakeHub({"large.bin": os.urandom(MEGABYTES * 1_000_000), **files}, name="tencent/HunyuanOCR") as hub:
        hub.slowness = 0.1
        yield hub


@pytest.fixture(scope="module")
def product(hub: FakeHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    folder = tmp_path_factory.mktemp("fetching")
    product = Fetching(
        folder / "data",
        HF_ENDPOINT=hub.url,
        HF_HOME=str(folder / "hub"),
        HF_HUB_OFFLINE="0",  # an engine that started earlier in the process of the tests has set it
        OCR_UI_ENGINE="vllm",
        OCR_UI_MAX_MODEL_LEN="2048",
        OCR_UI_MAX_NUM_BATCHED_TOKENS="2048",
        OCR_UI_ENFORCE_EAGER="1",
        OCR_UI_CPU_CACHE_GB="1",
    )
    product.start()
    yield product
    product.stop()


def test_the_download_is_shown_and_then_read_with(product: Product, hub: FakeHub, browser: Browser) -> None:
    desk = Desk(browser.new_page(viewport={"width": 1280, "height": 900}), product.url)
    desk.page.goto(f"{product.url}/zh/")
    notice = desk.page.locator(".wb-notice[data-engine=vllm]")
    expect(notice).to_contain_text("正在下载模型", timeout=60_000)
    desk.page.goto(f"{product.url}/en/")
    expect(notice).to_contain_text("vllm: fetching the model", timeout=60_000)
    expect(notice.locator("progress[value]")).to_be_visible()
    expect(notice.locator(".wb-amount")).to_contain_text("/s, about")
    hub.slowness = 0
    expect(notice).to_contain_text("loading the model", timeout=120_000)
    expect(notice.locator(".wb-amount")).to_contain_text(" s")
    expect(desk.page.locator(".wb-engines")).to_contain_text("vllm: ready", timeout=300_000)
    expect(notice).to_be_hidden()
    asked = len(hub.asked)
    desk.goto().take_example("identity_card")
    desk.read()
    with closing(sqlite3.connect(product.data_dir / "workbench.sqlite3")) as store:
        kept = store.execute("select model, revision, text from recognition").fetchall()
    assert kept == [("tencent/HunyuanOCR", COMMIT, BOOK["identity_card.example/qa"].answer)]
    assert len(hub.asked) == asked
    assert f"revision: {COMMIT}" in product.log.read_text()
