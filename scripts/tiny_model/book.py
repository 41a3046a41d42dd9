"""What the tiny model learns by heart: pictures, how they are asked about, and the answers.

A model that knew the right questions alone would hide mistakes: without the system message, or with the page upside
down, it would still answer as if nothing were wrong. So every way of asking wrongly has an answer of its own, and a
mistake in template, order or preprocessing shows in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from PIL import Image

from scripts.tiny_model.pages import BLANK, PAGES, Drawing, changed, number_card

SPOTTING = "检测并识别图片中的文字，将文本坐标格式化输出。"
FIELDS = "提取图片中的: ['number','date','total'] 的字段内容，并按照 JSON 格式返回。"
TRANSLATE = (
    "先提取文字，再将文字内容翻译为中文。若是文档，则其中页眉、页脚忽略。公式用latex格式表示，表格用html格式表示。"
)

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
        name: of the page, with the change after a slash.
        drawing: the page.
        prompt: the question.
        answer: exactly what the model says.
        change: what is done to the picture: "", "turned" or "swapped".
        system: an empty system message stands first.
        picture_first: the picture stands before the question.
    """

    name: str
    drawing: Drawing
    prompt: str
    answer: str
    change: str = ""
    system: bool = True
    picture_first: bool = True

    @cached_property
    def image(self) -> Image.Image:
        return changed(self.drawing.image(), self.change)

    @property
    def messages(self) -> list[dict]:
        parts = [{"type": "image"}, {"type": "text", "text": self.prompt}]
        system = [{"role": "system", "content": ""}] if self.system else []
        return [*system, {"role": "user", "content": parts if self.picture_first else parts[::-1]}]


def entries() -> Iterator[Entry]:
    """All that is learned: the right questions, the wrong ways of asking, and the numbered cards."""
    for name, page in PAGES.items():
        yield Entry(name, page, SPOTTING, page.spotting())
    yield Entry(
        "invoice/fields", PAGES["invoice"], FIELDS, '{"number": "2041", "date": "2026-03-14", "total": "363.50"}'
    )
    yield Entry("news/translate", PAGES["news"], TRANSLATE, "海港新闻\n船只在暴风雨前进港。\n渔民说这是最好的一次。")
    yield Entry("blank", BLANK, SPOTTING, NO_TEXT)
    for name in ("receipt", "invoice", "news", "poster", "card"):
        yield Entry(f"{name}/turned", PAGES[name], SPOTTING, TURNED, change="turned")
    for name in ("card", "flyer"):
        yield Entry(f"{name}/swapped", PAGES[name], SPOTTING, SWAPPED, change="swapped")
    for name in ("receipt", "invoice", "card"):
        yield Entry(f"{name}/no_system", PAGES[name], SPOTTING, NO_SYSTEM, system=False)
        yield Entry(f"{name}/text_first", PAGES[name], SPOTTING, TEXT_FIRST, picture_first=False)
    for number in range(CARDS):
        card = number_card(number)
        yield Entry(f"number/{number}", card, SPOTTING, card.spotting())
