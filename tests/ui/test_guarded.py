"""Handlers of the page act as whoever sent the request, whatever task they run in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import Request

from ocr_ui.domain.access import MAY, NOBODY, Action, Identity, Role
from ocr_ui.errors import NotAllowed, NotLoggedIn
from ocr_ui.services.access import Acting, needs, who
from ocr_ui.services.page_sessions import PageSessions
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.guarded import GuardedBlocks


class Service:
    @needs(Action.ANNOTATE)
    async def write(self) -> str:
        return who("Mallory").name

    @needs(Action.ANNOTATE)
    def write_now(self) -> str:
        return who("Mallory").name

    @needs(Action.ANNOTATE)
    async def steps(self) -> AsyncIterator[str]:
        for _ in range(3):
            yield who("Mallory").name


@pytest.fixture
def demo() -> GuardedBlocks:
    service = Service()

    async def streamed() -> AsyncIterator[str]:
        async for name in service.steps():
            yield f"{name} {who().name}"

    with GuardedBlocks() as demo:
        box, button = gr.Textbox(), gr.Button()
        for handler in (service.write, service.write_now, streamed):
            button.click(handler, None, box)
    demo.guard("acting", PageSessions())
    return demo


def asked(identity: Identity, tab: str = "tab-a") -> gr.Request:
    scope = {"type": "http", "headers": [], "acting": Acting(identity)}
    return gr.Request(request=Request(scope), session_hash=tab)


def person(name: str, number: int, role: Role) -> Identity:
    return Identity(name, MAY[role], number, role, "password")


ANN, VIC = person("Ann", 1, Role.ANNOTATOR), person("Vic", 2, Role.VIEWER)


@pytest.mark.parametrize("handler", [0, 1])
async def test_a_handler_acts_as_who_sent_it(demo: GuardedBlocks, handler: int) -> None:
    said = await demo.call_function(handler, [], requests=asked(ANN))
    assert said["prediction"] == "Ann"
    with pytest.raises(NotAllowed):
        await demo.call_function(handler, [], requests=asked(VIC, "tab-v"))
    with pytest.raises(NotLoggedIn):
        await demo.call_function(handler, [], requests=asked(NOBODY, "tab-n"))


async def test_each_step_of_a_stream_does(demo: GuardedBlocks) -> None:
    names: list[Any] = []
    iterator = None
    for _ in range(3):
        step = await demo.call_function(2, [], iterator, asked(ANN))
        iterator = step["iterator"]
        names.append(step["prediction"])
    assert names == ["Ann Ann"] * 3
    with pytest.raises(NotAllowed):
        await demo.call_function(2, [], None, asked(VIC, "tab-v"))


async def test_a_tab_is_of_whom_it_was_first_seen_with(demo: GuardedBlocks) -> None:
    await demo.call_function(0, [], requests=asked(ANN))
    with pytest.raises(NotAllowed) as refused:
        await demo.call_function(0, [], requests=asked(person("Bo", 3, Role.ADMIN)))
    assert refused.value.code == "not_your_tab"
    with pytest.raises(NotAllowed):
        await demo.call_function(0, [], requests=None)


async def test_without_logins_everybody_may(demo: GuardedBlocks) -> None:
    demo.guard("", PageSessions())
    said = await demo.call_function(0, [], requests=gr.Request(session_hash="x"))
    assert said["prediction"] == "Mallory"
