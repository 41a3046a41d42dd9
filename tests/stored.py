"""Builders of stored items, for the tests of the store and of what stands on it."""

from __future__ import annotations

import struct
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation, PromptUsed, Recognition
from ocr_ui.settings import Settings
from ocr_ui.storage.store import DATABASE, Store

ANN = Person("Ann")
BO = Person("薄")


def png(shade: int = 0) -> bytes:
    """A grey PNG file of 4 x 3 pixels, another one for each shade below 2 ** 32."""
    rows = (b"\x00" + struct.pack(">I", shade)) * 3
    header = struct.pack(">IIBBBBB", 4, 3, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    parts = (struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def line(text: str, index: int = 0, id: str = "") -> TextLine:
    """A line in the place of the `index`-th line of a page of 1000 pixels width."""
    top = index * 20
    return TextLine(text, Quad.from_points([(10, top), (500, top), (500, top + 15), (10, top + 15)]), 0.9, id)


def content(*texts: str) -> PageContent:
    lines = tuple(line(text, index, f"l{index}") for index, text in enumerate(texts))
    return PageContent(lines=lines, text="\n".join(texts))


def recognition(sha256: str, said: PageContent, template: str = "full_text", engine: str = "rapidocr") -> Recognition:
    return Recognition(
        page_sha256=sha256,
        engine=EngineName(engine, "3.10", "PP-OCRv6", "r1"),
        prompt=PromptUsed(template, "0123456789ab", "spotting", "检测", {"target": "en"}, {"temperature": 0}),
        content=said,
        generation=Generation("raw answer", "stop", 12, 0.5),
        transform={"scale": 0.5},
        timings={"queue": 0.1},
    )


def open_store(folder: Path, **options: float) -> Store:
    """The store of a folder, see `begin_store`."""
    settings = Settings(data_dir=folder)
    begin_store(settings)
    return Store.open(settings, **options)


def begin_store(settings: Settings) -> None:
    """A new store starts from a copy of a migrated database, which is quicker than migrating."""
    folder = Path(settings.data_dir)
    file = folder / DATABASE
    if not folder.is_file() and not file.exists() and not settings.database_url.get_secret_value():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_new_database())


@cache
def _new_database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Store.open(Settings(data_dir=Path(folder))).close()
        return (Path(folder) / DATABASE).read_bytes()


def add_item(
    store: Store,
    texts: Sequence[str] | PageContent = ("Total 12.50", "Thank you"),
    name: str = "receipt.png",
    template: str = "full_text",
    engine: str = "rapidocr",
    shade: int = 0,
    person: Person | None = ANN,
) -> int:
    """A page of 1000 x 800 pixels with one recognition; gives the recognition's id."""
    sha256 = store.pictures.put(png(shade))
    page_id = store.pages.add_document(name, [Page(sha256, 1000, 800, name)], person).page_ids[0]
    said = texts if isinstance(texts, PageContent) else content(*texts)
    return store.recognitions.add(recognition(sha256, said, template, engine), page_id, person)


def add_answered(store: Store, task: Task, page: PageContent, answer: str, shade: int) -> int:
    """What a model answered so, of the engine's kind that takes prompts."""
    first = store.recognitions.get(add_item(store, page, shade=shade))
    value = recognition(first.recognition.page_sha256, page, engine="openai")
    prompt = PromptUsed("t", "0123456789ab", task.value, "find ['Total'] now", {"fields": "Total"})
    value = replace(value, prompt=prompt, generation=Generation(answer, "stop", 12, 0.5), transform={})
    return store.recognitions.add(value, first.page_id)
