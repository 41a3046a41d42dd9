"""EN01 as a person causes it: a tab is closed in the middle of a reading, and nothing runs on for nobody.

The product asks a server on this machine that sends the beginning of an answer, then nothing, and sees when the
product hangs up: that is what ends the work on a real server.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from conftest import Desk, Product, Server
from fakes import SOON

from tests.engines.scripted_server import Answer, chunk, stream

BEGINNING = chunk("<ref>Total</ref><quad>(100,100),(500,200)</quad>\n")
SECONDS = 1
"""What the engine may go on for once the tab is gone, on a machine that has nothing else to do."""


def begin(desk: Desk, server: Server) -> None:
    desk.goto().take_example("receipt")
    desk.page.click("#read-go")
    desk.page.wait_for_selector("#viewer [data-run='running']", state="attached")
    while not server.questions:
        desk.page.wait_for_timeout(20)


IN_THE_MIDDLE, BEFORE = stream(BEGINNING, done=False, hangs=True), stream(done=False, hangs=True)


@pytest.mark.parametrize(
    ("how", "said", "seconds"),
    [
        pytest.param("close", IN_THE_MIDDLE, SOON, id="closed in the middle"),
        pytest.param("leave", BEFORE, SOON, id="left before the first word"),
        pytest.param("leave", IN_THE_MIDDLE, SECONDS, id="left in the middle", marks=pytest.mark.stress),
        pytest.param("close", BEFORE, SECONDS, id="closed before the first word", marks=pytest.mark.stress),
    ],
)
def test_en01_a_closed_tab_ends_its_reading(
    with_server: Product, open_desk: Callable[[str], Desk], server: Server, how: str, said: Answer, seconds: float
) -> None:
    server.answers(said)
    desk = open_desk(with_server.url)
    begin(desk, server)
    desk.page.wait_for_timeout(700)
    assert not server.left_alone, "it runs on while the tab is open"
    closed = time.monotonic()
    if how == "close":
        desk.page.close()
    else:
        desk.page.goto("about:blank")
    assert server.seconds_until_left_alone(closed) < seconds


def test_en01_the_next_reader_is_served(with_server: Product, open_desk: Callable[[str], Desk], server: Server) -> None:
    server.answers(stream(BEGINNING, chunk("", finish="stop")))
    desk = open_desk(with_server.url)
    desk.goto().take_example("receipt")
    desk.read()
    assert "Total" in desk.page.inner_text("#viewer")
