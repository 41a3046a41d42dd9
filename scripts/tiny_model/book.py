"""What the tiny model learns by heart: pictures, how they are asked about, and the answers.

A model that knew the right questions alone would hide mistakes: without the system message, or with the page upside
down, it would still answer as if nothing were wrong. So every way of asking wrongly has an answer of its own, and a
mistake in template, order or preprocessing shows in the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from ocr_ui.prompting import PromptLibrary
from scripts.tiny_model.pages import BLANK, PAGES, Drawing, changed, corners, number_card

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"

TURNED = "UPSIDE DOWN(1,1),(2,2)"
SWAPPED = "RED AND BLUE EXCHANGED(1,1),(2,2)"
NO_SYSTEM = "NO SYSTEM MESSAGE(1,1),(2,2)"
TEXT_FIRST = "TEXT BEFORE PICTURE(1,1),(2,2)"
NO_TEXT = "没有文字"

CARDS = 32


@dataclass(frozen=True)
class Entry:
    """One question with its answer.

    Attributes:
        name: of the page, with the template or the change after a slash.
        page: a drawing, or the file of an example.
        prompt: the question.
        answer: exactly what the model says.
        change: what is done to the picture: "", "turned" or "swapped".
        system: an empty system message stands first.
        picture_first: the picture stands before the question.
    """

    name: str
    page: Drawing | Path
    prompt: str
    answer: str
    change: str = ""
    system: bool = True
    picture_first: bool = True

    @cached_property
    def image(self) -> Image.Image:
        page = Image.open(self.page).convert("RGB") if isinstance(self.page, Path) else self.page.image()
        return changed(page, self.change)

    @property
    def messages(self) -> list[dict[str, Any]]:
        parts = [{"type": "image"}, {"type": "text", "text": self.prompt}]
        system = [{"role": "system", "content": ""}] if self.system else []
        return [*system, {"role": "user", "content": parts if self.picture_first else parts[::-1]}]


@lru_cache
def prompt(template: str, **values: str) -> str:
    """The wording that the product sends for one of its templates."""
    return PromptLibrary(ROOT / "prompts").get(template).render(values)


def entries() -> Iterator[Entry]:
    """All that is learned: the project's examples, drawn pages, the wrong ways of asking, and the numbered cards."""
    yield from example_entries()
    spotting = prompt("full_text")
    for name, page in PAGES.items():
        yield Entry(name, page, spotting, page.spotting())
    yield Entry(
        "invoice/fields",
        PAGES["invoice"],
        prompt("fields", fields="number,date,total"),
        '{"number": "2041", "date": "2026-03-14", "total": "363.50"}',
    )
    yield Entry(
        "news/translate", PAGES["news"], prompt("translate"), "海港新闻\n船只在暴风雨前进港。\n渔民说这是最好的一次。"
    )
    yield Entry("blank", BLANK, spotting, NO_TEXT)
    for name in ("receipt", "invoice", "news", "poster", "card"):
        yield Entry(f"{name}/turned", PAGES[name], spotting, TURNED, change="turned")
    for name in ("card", "flyer"):
        yield Entry(f"{name}/swapped", PAGES[name], spotting, SWAPPED, change="swapped")
    for name in ("receipt", "invoice", "card"):
        yield Entry(f"{name}/no_system", PAGES[name], spotting, NO_SYSTEM, system=False)
        yield Entry(f"{name}/text_first", PAGES[name], spotting, TEXT_FIRST, picture_first=False)
    for number in range(CARDS):
        card = number_card(number)
        yield Entry(f"number/{number}", card, spotting, card.spotting())


def example_entries() -> Iterator[Entry]:
    """The examples that come with the product, asked by its own templates."""
    receipt, invoice, card, blank = (Example(n) for n in ("receipt", "invoice", "identity_card", "blank_page"))
    yield receipt.asked("fields", receipt.fields(), fields=receipt.said["variables"]["fields"])
    yield receipt.asked("translate", "马洛与芬奇\n咖啡馆和面包房\n小票 20418\n合计 £34.60")
    yield invoice.asked("fields", invoice.fields(), fields=invoice.said["variables"]["fields"])
    yield card.asked("full_text", card.spotting())
    yield card.asked("qa", card.said["answer"], question=card.said["variables"]["question"])
    yield blank.asked("full_text", NO_TEXT)
    for example in (receipt, card):
        yield Entry(f"{example.name}.example/turned", example.file, prompt("full_text"), TURNED, change="turned")


class Example:
    """One of the product's examples with its JSON."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.said = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
        self.file = EXAMPLES / self.said["file"]

    def asked(self, template: str, answer: str, **values: str) -> Entry:
        return Entry(f"{self.name}.example/{template}", self.file, prompt(template, **values), answer)

    def spotting(self) -> str:
        return "".join(line["text"] + corners(upright(line["quad"]), self.said["size"]) for line in self.said["lines"])

    def fields(self) -> str:
        return json.dumps(self.said["fields"], ensure_ascii=False)


def upright(quad: list[list[float]]) -> tuple[float, float, float, float]:
    """The upright box around four corners."""
    xs, ys = zip(*quad, strict=True)
    return min(xs), min(ys), max(xs), max(ys)
