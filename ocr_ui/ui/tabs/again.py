"""Reads the picture of a result once more, with another engine or template, and shows both beside each other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.messages import error_sentence, localize
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.unexpected import expected
from ocr_ui.ui.words import only

TAIL = 600
"""Characters of the growing answer that are shown while it comes."""


class ReadAgain:
    """The bar above the viewer and the comparison that takes the viewer's place.

    The module asks for stored comparisons itself (`/v1/comparisons`); only the second reading comes through here. Its
    events: `submit` with the item and the engine starts one, `select` names the item that is kept for correction.
    """

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._workbench, self._words, self._language = workbench, words, language

    def build(self, engines: list[tuple[str, str]]) -> None:
        """`engines`: what the list shows, and the name that each stands for."""
        self.panel = ModuleHTML(
            None,
            module="compare/compare.mjs",
            words=only(self._words, "compare."),
            elem_id="compare",
            frame_class="wb-compare",
            events=("submit", "select"),
            engines=json.dumps(engines, ensure_ascii=False),
            language=self._language,
        )

    async def run(self, item: int, engine: str, asked: ReadRequest, owner: str) -> AsyncIterator[dict[str, Any]]:
        """The panel's values while the picture of an item is read again; the last one names the new reading."""
        shown = {"item": item, "engine": engine}
        try:
            page_id = (await self._workbench.annotator.open_item(item)).page.id
            reading = self._workbench.recognizer.read(page_id, asked, engine=engine, owner=owner)
            async with aclosing(reading) as steps:
                async for step in steps:
                    value = await asyncio.to_thread(self._workbench.views.reading, page_id, step)
                    yield {**shown, **self._progress(localize(value, self._language))}
        except Exception as error:
            message = error_sentence(expected(error), self._language)
            yield {**shown, "run": {"state": "failed", "message": message}, "text": "", "right": None}

    @staticmethod
    def _progress(value: dict[str, Any]) -> dict[str, Any]:
        return {"run": value["run"], "text": value["raw"][-TAIL:], "right": value["item"]["recognition_id"]}

    def wire(self, read: Any) -> None:
        """`read`: the Read tab, whose template and variables a second reading takes, and whose Stop ends it."""

        async def again(
            event: gr.EventData,
            request: gr.Request,
            prompt: str,
            written: str,
            structured: bool,
            confidence: bool,
            name: str,
            _: str,
            *slots: str | None,
        ) -> AsyncIterator[list[Any]]:
            owner = request.session_hash or ""
            if self._workbench.recognizer.is_reading(owner):
                gr.Warning(self._words["read.stop_first"])
                yield [gr.skip()] * 3
                return
            yield [gr.skip(), gr.update(interactive=False), gr.update(interactive=True)]
            choices = (prompt, written, structured, confidence, name, event.engine, slots)
            asked = await asyncio.to_thread(read.asked, *choices)
            steps = self.run(int(event.item), event.engine, asked, owner)
            async with aclosing(steps) as values:
                async for value in values:
                    yield [value, gr.skip(), gr.skip()]
            yield [gr.skip(), gr.update(interactive=True), gr.update(interactive=False)]

        self.panel.submit(
            again,
            read.asking,
            [self.panel, read.go, read.stop],
            show_progress="hidden",
            concurrency_limit=32,
            concurrency_id="read",
        )
