"""Browser tests drive the running product: app.py in a process of its own, with the real CPU engine."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engines.scripted_server import Answer, ScriptedServer, chunk, stream
from tests.forked import Started, starter
from tests.processes import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
BUSY = re.compile(r"/gradio_api/(queue/(join|data)|run/|upload|component_server)|/v1/")
START_SECONDS = 90
PATIENCE_SECONDS = 60
"""What is waited for comes in a second or two; on a busy machine the same takes twenty times as long."""
LEFT = "AbortError: signal is aborted without reason"
"""Gradio writes it itself where a page is left or loaded again while its stream of events is open."""
WINDOW = {"width": 1280, "height": 900}
LONG = (
    "test_read",
    "test_review_editing",
    "test_review_session",
    "test_two_readings",
    "test_review_tables",
    "test_login",
    "test_closed_tab",
    "test_keyboard",
    "test_review_accessible",
    "test_rollouts_page",
)
"""Files that take longest, the longest first."""


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """These tests come last: once Playwright's event loop runs, no asynchronous test can. Long files are first among
    them, or the others of several processes wait for the last one."""
    here = [item for item in items if Path(item.fspath).parent == Path(__file__).parent]
    here.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))
    for item in here:
        item.add_marker(pytest.mark.browser)
    items[:] = [item for item in items if item not in set(here)] + here


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
        self.process: Started | subprocess.Popen | None = None
        self.log = data_dir.parent / f"server-{self.port}.log"

    def start(self) -> None:
        environment = {
            **os.environ,
            "OCR_UI_PORT": str(self.port),
            "OCR_UI_DATA_DIR": str(self.data_dir),
            "OCR_UI_ENGINE": "rapidocr",
            **self.environment,
        }
        self.process = self.launched(environment)
        self.wait("/readyz")

    def launched(self, environment: dict[str, str]) -> Started | subprocess.Popen:
        return starter("app").start(environment, self.log, self.log)

    def wait(self, path: str) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if (ended := self.process.poll()) is not None:
                pytest.fail(f"the server ended with {ended}:\n{self.log.read_text()}")
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


class Fresh(Product):
    """Imports all by itself: for settings that libraries read when they are imported."""

    def launched(self, environment: dict[str, str]) -> subprocess.Popen:
        with self.log.open("ab") as log:
            return subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment, stdout=log, stderr=log)


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    running = Product(tmp_path_factory.mktemp("product") / "data")
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator:
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
        page.set_default_timeout(PATIENCE_SECONDS * 1_000)
        page.on("request", self._requested)
        for event in ("requestfinished", "requestfailed"):
            page.on(event, lambda request: self.open.discard(request))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)

    def _note(self, message) -> None:
        if message.type == "error" and not message.text.startswith(LEFT):
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

    def settle(self, quiet: float = 0.2, timeout: float = PATIENCE_SECONDS) -> None:
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


@pytest.fixture(scope="session")
def profile(browser) -> Iterator:
    """One profile of the browser for all tabs: what it has compiled of the page saves two seconds at each load."""
    context = browser.new_context(viewport=WINDOW, locale="en-US", accept_downloads=True)
    yield context
    context.close()


@pytest.fixture
def open_desk(profile) -> Iterator[Callable[[str], Desk]]:
    """Opens tabs; afterwards they are closed, and the profile forgets what the pages kept in it."""
    made: list[Desk] = []

    def opened(url: str) -> Desk:
        made.append(Desk(profile.new_page(), url))
        return made[-1]

    yield opened
    for page in profile.pages:
        page.close()
    blank = profile.new_page()
    client = profile.new_cdp_session(blank)
    for url in {desk.url for desk in made}:
        client.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "cookies,local_storage,indexeddb"})
    blank.close()


@pytest.fixture
def desk(product: Product, open_desk: Callable[[str], Desk]) -> Iterator[Desk]:
    made = open_desk(product.url)
    yield made
    assert made.errors == []
    assert made.outside == []


class Server:
    """A scripted server in a thread of its own: Playwright's calls here are not asynchronous."""

    def __init__(self) -> None:
        self.scripted = ScriptedServer([stream(chunk("", finish="stop"))])
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        listening = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self.scripted.handle, "127.0.0.1", 0), self.loop
        )
        self.server = listening.result(PATIENCE_SECONDS)
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}/v1"

    def answers(self, *answers: Answer) -> None:
        self.scripted.answers = list(answers)
        self.scripted.questions.clear()
        self.scripted.gone.clear()

    @property
    def questions(self) -> list[dict]:
        return self.scripted.questions

    @property
    def left_alone(self) -> bool:
        return self.scripted.gone.is_set()

    def seconds_until_left_alone(self, since: float) -> float:
        asyncio.run_coroutine_threadsafe(self.scripted.gone.wait(), self.loop).result(PATIENCE_SECONDS)
        return time.monotonic() - since

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture(scope="session")
def with_server(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The product with its server engine, which asks the scripted server."""
    need_browser()
    running = Product(
        tmp_path_factory.mktemp("with_server") / "data",
        OCR_UI_ENGINE="openai",
        OCR_UI_BASE_URL=server.url,
        OCR_UI_MODEL="m",
        OCR_UI_MAX_NEW_TOKENS="16384",
    )
    running.start()
    yield running
    running.stop()
