"""Browser tests drive the running product: app.py in a process of its own, with the real CPU engine."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BUSY = re.compile(r"/gradio_api/(queue/(join|data)|run/|upload|component_server)|/v1/")
START_SECONDS = 90


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


def need_browser() -> str:
    path = chromium()
    if path is None:
        reason = "no Chromium found; on Debian: apt-get install chromium"
        if os.environ.get("OCR_UI_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


class Product:
    """The running product. `kill` and `start` again to test what outlasts a crash."""

    def __init__(self, data_dir: Path, **environment: str) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = environment
        self.process: subprocess.Popen | None = None
        self.log = data_dir.parent / f"server-{self.port}.log"

    def start(self) -> None:
        environment = {
            **os.environ,
            "OCR_UI_PORT": str(self.port),
            "OCR_UI_DATA_DIR": str(self.data_dir),
            "OCR_UI_ENGINE": "rapidocr",
            **self.environment,
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "app.py"], cwd=ROOT, env=environment, stdout=log, stderr=log
            )
        self.wait("/readyz")

    def wait(self, path: str) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                pytest.fail(f"the server ended with {self.process.returncode}:\n{self.log.read_text()}")
            try:
                with urllib.request.urlopen(self.url + path, timeout=2) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        pytest.fail(f"no answer from {path} in {START_SECONDS} s:\n{self.log.read_text()}")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    running = Product(tmp_path_factory.mktemp("product") / "data")
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """Chromium, for one file: Playwright's event loop would stand in the way of asynchronous tests that follow."""
    path = need_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"],
        )
        yield running
        running.close()


class Desk:
    """A browser tab on the product that notes what must not happen: errors, and requests that leave the machine."""

    def __init__(self, page, url: str) -> None:
        self.page, self.url = page, url
        self.open: set = set()
        self.outside: list[str] = []
        self.errors: list[str] = []
        page.set_default_timeout(30_000)
        page.on("request", self._requested)
        for event in ("requestfinished", "requestfailed"):
            page.on(event, lambda request: self.open.discard(request))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)

    def _note(self, message) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} {message.location.get('url', '')}".strip())

    def _requested(self, request) -> None:
        if BUSY.search(request.url):
            self.open.add(request)
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.outside.append(request.url)

    def goto(self, path: str = "/en/") -> Desk:
        self.page.goto(self.url + path)
        self.page.wait_for_selector("#viewer [data-ready='1']", state="attached")
        self.page.wait_for_selector(".wb-header h1")
        self.settle()
        return self

    def settle(self, quiet: float = 0.2, timeout: float = 30) -> None:
        """Waits until no event of the page has been under way for `quiet` seconds."""
        end, since = time.monotonic() + timeout, time.monotonic()
        while time.monotonic() < end:
            self.page.wait_for_timeout(25)
            if self.open:
                since = time.monotonic()
            elif time.monotonic() - since >= quiet:
                return
        raise TimeoutError([request.url for request in self.open])

    def take_example(self, name: str) -> None:
        """Opens an example and waits until its picture and its template are there."""
        before = self.page.evaluate("document.querySelector('#viewer .vw-board img')?.src ?? ''")
        self.page.click(f"[data-name='{name}']")
        self.page.wait_for_function(
            "before => { const img = document.querySelector('#viewer .vw-board img');"
            " return img && img.src && img.src !== before && img.naturalWidth > 0; }",
            arg=before,
        )
        self.settle(0.4)

    def read(self) -> None:
        """Presses Read and waits for the end."""
        self.page.click("#read-go")
        self.page.wait_for_selector("#read-go:not([disabled])")
        self.page.wait_for_selector("#viewer [data-run='complete']", state="attached")
        self.settle()


@pytest.fixture
def desk(product: Product, browser) -> Iterator[Desk]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US", accept_downloads=True)
    made = Desk(context.new_page(), product.url)
    yield made
    context.close()
    assert made.errors == []
    assert made.outside == []
