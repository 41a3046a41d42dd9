"""What the page says where a handler fails in a way that nobody expected: a plain sentence, and the rest in the log.

Gradio itself would show the text of the exception, in English and with what stands in it of the server's inside.
"""

from __future__ import annotations

import functools
import html
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, closing, contextmanager
from typing import Any

from ocr_ui.errors import WorkbenchError, internal
from ocr_ui.logs import request_id
from ocr_ui.metrics import error_told
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.messages import error_sentence

log = logging.getLogger(__name__)


def guard(demo: gr.Blocks, title: str, language: str) -> None:
    """Lets no handler of a page that has been built end with an error in Gradio's words, and Gradio print none: past
    the log, with what was typed.

    Args:
        title: what stands over the message.
        language: "en" or "zh".
    """

    @contextmanager
    def told() -> Iterator[None]:
        try:
            yield
        except gr.Error as error:
            error.print_exception = False
            raise
        except Exception as error:
            said = error_sentence(expected(error), language)
            # Gradio shows the message as HTML.
            raise gr.Error(html.escape(said), title=title, print_exception=False) from error

    for handler in demo.fns.values():
        if handler.fn is not None:
            handler.fn = _guarded(handler.fn, told)
    process = demo.process_api

    async def process_api(*values: Any, **named: Any) -> dict[str, Any]:
        """Also what comes up around a handler: a value that its component does not take, another person's tab."""
        with told():
            return await process(*values, **named)

    demo.process_api = process_api  # type: ignore[method-assign]


def expected(error: Exception) -> WorkbenchError:
    """The error itself where it was made to be told; else one that tells nothing of it, and the log has it."""
    told = error if isinstance(error, WorkbenchError) else internal(request_id())
    error_told("page", told.code)
    if told is not error:
        log.error("a handler of the page failed", exc_info=error)
    return told


def _guarded(handler: Callable, told: Callable) -> Callable:
    """A handler of the same kind and with the same parameters: Gradio looks at both."""
    if inspect.isasyncgenfunction(handler):

        async def guarded(*values: Any) -> AsyncIterator[Any]:
            with told():
                async with aclosing(handler(*values)) as steps:
                    async for step in steps:
                        yield step

    elif inspect.isgeneratorfunction(handler):

        def guarded(*values: Any) -> Iterator[Any]:
            with told(), closing(handler(*values)) as steps:
                yield from steps

    elif inspect.iscoroutinefunction(handler):

        async def guarded(*values: Any) -> Any:
            with told():
                return await handler(*values)

    else:

        def guarded(*values: Any) -> Any:
            with told():
                return handler(*values)

    return functools.wraps(handler)(guarded)
