"""EN01 as a person causes it: a tab is closed in the middle of a reading, and nothing runs on for nobody.

The product asks a server on this machine that sends the beginning of an answer, then nothing, and sees when the
product hangs up: that is what ends the work on a real server.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest
from conftest import Desk, Product, need_browser

from tests.engines.scripted_server import Answer, ScriptedServer, chunk, serve, stream

BEGINNING = chunk("<ref>Total</ref><quad>(100,100),(500,200)</quad>\n")
SECONDS = 1
"""What the engine may go on for once the tab is gone."""


class Server:
    """A scripted server on an event loop of its own; each question hangs until the product hangs up."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self.scripted: ScriptedServer
        threading.Thread(target=self._loop.run_until_complete, args=(self._run(),), daemon=True).start()
        assert self._ready.wait(10)

    async def _run(self) -> None:
        async with serve(stream(BEGINNING, done=False, hangs=True)) as self.scripted:
            self._end = asyncio.Event()
            self._ready.set()
            await self._end.wait()

    def answer_with(self, answer: Answer) -> None:
        self.scripted.answers[:] = [answer]
        self.scripted.gone.clear()

    def seconds_until_left_alone(self, since: float) -> float:
        asyncio.run_coroutine_threadsafe(self.scripted.gone.wait(), self._loop).result(20)
        return time.monotonic() - since

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    need_browser()
    running = Server()
    yield running
    running.end()


@pytest.fixture(scope="module")
def product(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    environment = {"OCR_UI_ENGINE": "openai", "OCR_UI_BASE_URL": server.scripted.url, "OCR_UI_MODEL": "m"}
    running = Product(tmp_path_factory.mktemp("slow") / "data", **environment)
    running.start()
    yield running
    running.stop()


def begin(desk: Desk, asked: int, server: Server) -> None:
    desk.goto().take_example("receipt")
    desk.page.click("#read-go")
    desk.page.wait_for_selector("#viewer [data-run='running']", state="attached")
    while len(server.scripted.questions) <= asked:
        desk.page.wait_for_timeout(20)


@pytest.mark.parametrize("how", ["close", "leave"])
@pytest.mark.parametrize("said", [stream(BEGINNING, done=False, hangs=True), stream(done=False, hangs=True)],
                         ids=["in the middle", "before the first word"])  # fmt: skip
def test_en01_a_closed_tab_ends_its_reading_within_a_second(
    product: Product, browser, server: Server, said: Answer, how: str
) -> None:
    server.answer_with(said)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    desk = Desk(context.new_page(), product.url)
    begin(desk, len(server.scripted.questions), server)
    desk.page.wait_for_timeout(700)
    assert not server.scripted.gone.is_set(), "it runs on while the tab is open"
    closed = time.monotonic()
    if how == "close":
        desk.page.close()
    else:
        desk.page.goto("about:blank")
    assert server.seconds_until_left_alone(closed) < SECONDS
    context.close()


def test_en01_the_next_reader_is_served(product: Product, desk: Desk, server: Server) -> None:
    server.answer_with(stream(BEGINNING, chunk("", finish="stop")))
    desk.goto().take_example("receipt")
    desk.read()
    assert "Total" in desk.page.inner_text("#viewer")
