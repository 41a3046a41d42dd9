"""What the page says of an engine that cannot be used, and the click that takes the CPU engine instead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Product, need_browser
from tests.processes import free_port


class Waiting(Product):
    """A product whose default engine never is ready."""

    def wait(self, path: str) -> None:
        super().wait("/healthz")


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    nowhere = f"http://127.0.0.1:{free_port()}/v1"
    product = Waiting(
        tmp_path_factory.mktemp("lost") / "data", OCR_UI_ENGINE="openai", OCR_UI_BASE_URL=nowhere, LANG="C.UTF-8"
    )
    product.start()
    yield product
    product.stop()


@pytest.fixture
def page(profile: BrowserContext) -> Iterator[Page]:
    page = profile.new_page()
    yield page
    page.close()


@pytest.mark.parametrize(
    ("language", "state", "says", "button"),
    [
        (
            "en",
            "openai: not available",
            "For the administrator: Start the server, or correct OCR_UI_BASE_URL or base_url in the engines file.",
            "Use the CPU engine (rapidocr)",
        ),
        pytest.param(
            "zh", "openai：不可用", "更正 OCR_UI_BASE_URL", "改用 CPU 引擎（rapidocr）", marks=pytest.mark.stress
        ),
    ],
)
def test_one_click_takes_the_cpu_engine(
    lost: Product, page: Page, language: str, state: str, says: str, button: str
) -> None:
    page.goto(f"{lost.url}/{language}/")
    notice = page.locator(".wb-notice[data-engine=openai]")
    expect(notice).to_contain_text(state, timeout=60_000)
    expect(notice).to_contain_text(says)
    expect(notice.locator("progress")).to_be_hidden()
    expect(page.locator("#engine input")).to_have_value("openai")
    notice.get_by_role("button", name=button).click(timeout=60_000)
    expect(page.locator("#engine input")).to_have_value("rapidocr", timeout=60_000)
    expect(notice.get_by_role("button")).to_be_hidden()


@pytest.mark.stress
def test_a_ready_engine_alone_needs_no_notice(product: Product, page: Page) -> None:
    page.goto(f"{product.url}/en/")
    expect(page.locator(".wb-engines")).to_contain_text("rapidocr: ready", timeout=60_000)
    expect(page.locator(".wb-notices")).to_be_hidden()


@pytest.mark.stress
def test_the_log_tells_it_too(lost: Product) -> None:
    assert (
        Path(lost.log)
        .read_text()
        .count("Start the server, or correct OCR_UI_BASE_URL or base_url in the engines file.")
        == 1
    )
