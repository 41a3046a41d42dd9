"""An engine that gives several answers, and items that it can be asked about: for the tests of rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from fakes import ScriptedEngine
from stored import ANN, open_store, recognition

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.domain.review import State, Verdict
from ocr_ui.engines.base import Capabilities, Finished, Started, TextDelta
from ocr_ui.images.door import encode_png
from ocr_ui.parsing.dispatch import parse
from ocr_ui.services.engines import Engines
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

VARIED = Capabilities(tasks=frozenset(Task), takes_prompt=True, varies=True, answers_together=True)
SIZE = (1000, 800)
PLACES = ((50, 100, 400, 150), (50, 200, 400, 250), (50, 300, 400, 350))
"""Boxes of the lines of an answer, in thousandths."""


def answer(*lines: str) -> str:
    """An answer to a spotting prompt, in the model's own form."""
    return "".join(
        f"{text}({left},{top}),({right},{bottom})"
        for text, (left, top, right, bottom) in zip(lines, PLACES, strict=False)
    )


RIGHT = answer("Total 12.50", "Thank you")
MISREAD = answer("Total 12.80", "Thank you")
CUT = answer("Total 12.50")
WRONG = "Nothing of it(900,900),(999,999)"


def script(text: str, logprob: float = -0.25) -> list[Any]:
    pieces = [text[start : start + 9] for start in range(0, len(text), 9)]
    deltas = [TextDelta(piece, 1, (logprob,), (piece,)) for piece in pieces]
    return [Started(), *deltas, Finished(Generation(text, "stop", len(pieces)))]


def engine(*answers: str) -> ScriptedEngine:
    scripts = [script(text) for text in answers]
    return ScriptedEngine(scripts[0], VARIED, scripts)


def workbench(folder: Path, scripted: ScriptedEngine, **settings: Any) -> Workbench:
    made = Settings(_env_file=None, data_dir=folder, turn_pages=False, **settings)
    open_store(folder).close()
    return Workbench.open(made, Engines({"scripted": scripted}))


def page_picture(shade: int = 255) -> bytes:
    width, height = SIZE
    pixels = np.full((height, width, 3), 255, np.uint8)
    pixels[80:120, 50:400] = shade % 200
    return encode_png(pixels)


def add_read(
    store: Store, text: str = MISREAD, shade: int = 0, revision: str = "r1", name: str = "page.png", task: str = ""
) -> int:
    """An item whose picture really is stored, read by a model of that revision that answered `text`."""
    sha256 = store.pictures.put(page_picture(shade))
    page = store.pages.add_document(name, [Page(sha256, *SIZE, name)], ANN).page_ids[0]
    said: PageContent = parse(Task(task or "spotting"), text, SIZE).with_ids()
    value = recognition(sha256, said)
    prompt = replace(value.prompt, task=task or "spotting", text="检测并识别图片中的文字，将文本坐标格式化输出。")
    used = replace(
        value,
        engine=EngineName("scripted", "1", "script", revision, "scripted"),
        prompt=replace(prompt, variables={}),
        generation=Generation(text, "stop", 12, 0.5),
        transform={},
    )
    return store.recognitions.add(used, page)


def label(store: Store, item: int, lines: Sequence[str] = ("Total 12.50", "Thank you")) -> None:
    """A person's correction of an item, judged."""
    said = parse(Task.SPOTTING, answer(*lines), SIZE).with_ids()
    version = store.corrections.add(item, 0, said, ANN).correction.version
    review = store.reviews.get(item).review
    judged = replace(review, verdict=Verdict.WRONG, state=State.SUBMITTED, correction_version=version)
    store.reviews.set(item, judged)
