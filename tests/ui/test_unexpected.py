"""A handler that fails unexpectedly: the page gets a plain sentence, the log the whole error."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from ocr_ui.errors import NotFound
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.unexpected import guard

SECRET = "KeyError: '/srv/data/private'"


def plain(value: str, event: gr.EventData) -> str:
    raise RuntimeError(SECRET)


async def waiting(value: str, event: gr.EventData) -> str:
    raise RuntimeError(SECRET)


def growing(value: str, event: gr.EventData) -> Iterator[str]:
    yield "first"
    raise RuntimeError(SECRET)


async def streaming(value: str, event: gr.EventData) -> AsyncIterator[str]:
    yield "first"
    raise RuntimeError(SECRET)


def page(handler: Callable, language: str) -> gr.Blocks:
    with gr.Blocks(analytics_enabled=False) as demo:
        box = gr.Textbox()
        box.change(handler, box, box)
        gr.Button().click(None, None, None, js="() => {}")
    guard(demo, "That did not work", language)
    return demo


def end(demo: gr.Blocks) -> gr.Error:
    """Runs the handler as Gradio does, with the event that it asks for, until it fails."""

    async def run() -> None:
        state, iterator = gr.state_holder.SessionState(demo), None
        for _ in range(2):
            event = gr.EventData(target=None, _data={})
            output = await demo.process_api(
                demo.fns[0], ["typed"], state=state, iterator=iterator, event_data=event, root_path=None
            )
            assert output["data"] == ["first"]
            iterator = output["iterator"]

    with pytest.raises(gr.Error) as caught:
        asyncio.run(run())
    return caught.value


@pytest.mark.parametrize("handler", [plain, waiting, growing, streaming])
def test_nothing_of_the_error_reaches_the_page_and_all_of_it_the_log(
    handler: Callable, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        error = end(page(handler, "en"))
    assert error.title == "That did not work"
    assert error.message.startswith("Something went wrong in the server. Try again.")
    assert SECRET not in str(error)
    assert SECRET in caplog.text
    assert f"in {handler.__name__}" in caplog.text, "with its place"
    assert "出错" in end(page(handler, "zh")).message


async def test_gradio_prints_nothing_of_what_a_tab_has_sent() -> None:
    with gr.Blocks(analytics_enabled=False) as demo:
        choice = gr.Dropdown(["a", "b"])
        choice.change(lambda value: value, choice, choice)
    guard(demo, "That did not work", "en")
    state = gr.state_holder.SessionState(demo)
    with pytest.raises(gr.Error) as caught:
        await demo.process_api(demo.fns[0], ["typed by somebody"], state=state, root_path=None)
    assert not caught.value.print_exception
    with pytest.raises(gr.Error) as caught:
        await demo.process_api(demo.fns[0], [], state=state, root_path=None)
    assert (caught.value.title, caught.value.print_exception) == ("That did not work", False)


def test_an_error_that_says_what_to_do_says_it_as_text(caplog: pytest.LogCaptureFixture) -> None:
    async def gone(value: str, event: gr.EventData) -> str:
        raise NotFound("no_item", "There is no item <img src=x>.", "Open another.")

    error = end(page(gone, "en"))
    assert error.message == "There is no item &lt;img src=x&gt;. Open another."
    assert caplog.text == ""
