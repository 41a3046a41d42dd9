"""How a question with its picture reaches vLLM: by its own preparation, or on a shorter way that was proved equal."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ocr_ui.engines import vllm_check
from ocr_ui.engines.asking import messages
from ocr_ui.settings import Settings

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM

    from ocr_ui.engines.vllm_pictures import Pictures

log = logging.getLogger(__name__)

THREADS = 4
"""That prepare pictures: more pages a second than a card reads."""

Answer = Callable[[Any], Awaitable[Sequence[vllm_check.Step]]]
"""What the engine answers to a prepared question."""


class Questions:
    """Prepares questions for one vLLM engine, pictures off the event loop.

    Attributes:
        told: what was found by `shorten`, for people: how pictures go and how the vision tower runs.
    """

    def __init__(self, llm: AsyncLLM) -> None:
        self._llm = llm
        self._pictures: Pictures | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._closed = False
        self.told: dict[str, str] = {"pictures": "vLLM's own preparation"}

    async def prepare(self, prompt: str, pixels: np.ndarray) -> Any:
        """The question as vLLM's `generate` wants it, by the model's own template.

        Args:
            pixels: uint8 of shape (height, width, 3), RGB.

        Raises:
            RuntimeError: the engine goes down meanwhile.
        """
        text = self._text(prompt)
        if self._pictures is not None:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, self._by_bytes, text, pixels)
        (prepared,) = await self._llm.renderer.render_cmpl_async(*self._for_renderer(text, pixels))
        return prepared

    async def shorten(self, settings: Settings, answer: Answer) -> None:
        """Takes the short way where it gives the same numbers and the same tokens as vLLM's own preparation.

        A processor cache of vLLM's keeps what its own preparation made, so with one nothing is shortened.
        """
        if not settings.short_way:
            return
        self.told["vision_tower"] = (await self._llm.collective_rpc("lean_tower"))[0]
        if settings.mm_processor_cache_gb:
            return
        try:
            self._pictures = await self._proved(settings.enable_prefix_caching, answer)
        except Exception as error:  # other versions differ in ways that nobody has seen yet
            if self._llm.errored:
                raise
            log.warning("pictures are prepared by vLLM itself, which is slower: %r", error)
        else:
            self._threads = ThreadPoolExecutor(min(THREADS, os.cpu_count() or 1), "pictures")
            self.told["pictures"] = "sent as bytes"

    def close(self) -> None:
        """Pictures that wait for a thread fail with RuntimeError: cancelled, they would end whoever waits for them."""
        self._closed = True
        if self._threads is not None:
            self._threads.shutdown(wait=False)

    async def _proved(self, by_content: bool, answer: Answer) -> Pictures:
        from ocr_ui.engines.vllm_pictures import Pictures, Unlike

        text = self._text(vllm_check.PROMPT)
        pictures = await asyncio.to_thread(Pictures, self._llm.renderer, text, self._by_vllm, by_content)
        await self._llm.collective_rpc("take_table", args=(pictures.table.tolist(), pictures.dtype))
        for picture in vllm_check.check_pictures():
            own = await answer(await asyncio.to_thread(self._by_vllm, text, picture))
            short = await answer(await asyncio.to_thread(pictures.prepare, text, picture))
            if vllm_check.mixed_up([own], [short]):
                raise Unlike("another answer")
        return pictures

    def _by_bytes(self, text: str, pixels: np.ndarray) -> Any:
        if self._closed:
            raise RuntimeError("the engine goes down")
        return self._pictures.prepare(text, pixels)

    def _by_vllm(self, text: str, pixels: np.ndarray) -> Any:
        """What vLLM's own preparation makes of a rendered text and a picture; takes its time."""
        (prepared,) = self._llm.renderer.render_cmpl(*self._for_renderer(text, pixels))
        return prepared

    def _text(self, prompt: str) -> str:
        return self._llm.renderer.get_tokenizer().apply_chat_template(
            messages(prompt, {"type": "image"}), tokenize=False, add_generation_prompt=True
        )

    def _for_renderer(self, text: str, pixels: np.ndarray) -> tuple[Any, Any]:
        """The question, and how its text becomes tokens."""
        from ocr_ui.engines.vllm_stream import prompt

        # The template has written the mark that begins a text; the tokenizer must not add another.
        as_it_is = self._llm.renderer.default_chat_tok_params.with_kwargs(add_special_tokens=False)
        return [prompt(text, pixels)], as_it_is
