"""Markdown, searchable PDF and pictures with boxes: written from a store, read back by other programs' libraries."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from lxml import html
from markdown_it import MarkdownIt
from stored import ANN, content, open_store, recognition

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.page import Page
from ocr_ui.errors import BadInput
from ocr_ui.images.stored import encode_png
from ocr_ui.services.export import Exporter
from ocr_ui.storage.store import Store

SIZE = (1000, 500)
SCALE = 72 / 200


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "data") as opened:
        yield opened


def line(text: str, left: float, top: float, right: float, bottom: float, confidence: float = 0.95) -> TextLine:
    return TextLine(text, Quad.from_points([(left, top), (right, top), (right, bottom), (left, bottom)]), confidence)


def add_pages(store: Store, *pages: PageContent, name: str = "papers.pdf", task: str = "spotting") -> list[int]:
    """A document with a page of 1000 x 500 pixels for each content, one grey darker than the other."""
    pictures = [np.full((SIZE[1], SIZE[0], 3), 250 - number, np.uint8) for number in range(len(pages))]
    shas = [store.pictures.put(encode_png(pixels)) for pixels in pictures]
    values = [Page(sha256, *SIZE, name, number) for number, sha256 in enumerate(shas, 1)]
    stored = store.pages.add_document(name, values, ANN)
    read = []
    for sha256, page_id, said in zip(shas, stored.page_ids, pages, strict=True):
        value = recognition(sha256, said)
        value = replace(value, prompt=replace(value.prompt, task=task))
        read.append(store.recognitions.add(value, page_id, ANN))
    return read


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


# PDF


def test_text_of_every_script_is_found_in_a_pdf_where_it_stands_on_the_picture(store: Store, tmp_path: Path) -> None:
    said = ("Total 12.50", "发票 合计：￥88", "𠮷野家 😀", "فاتورة 12.50 شكرا")
    lines = [line(text, 100, 100 * n, 500, 100 * n + 40) for n, text in enumerate(said)]
    add_pages(store, PageContent(tuple(lines), text="\n".join(said)))
    Exporter(store).export_now("pdf", tmp_path / "out")
    document = pypdfium2.PdfDocument(only(tmp_path, "out/pdf/*-papers.pdf"))
    assert document[0].get_size() == pytest.approx((SIZE[0] * SCALE, SIZE[1] * SCALE), abs=0.1)
    text = document[0].get_textpage()
    for number, wanted in enumerate(said[:2]):
        found = text.search(wanted).get_next()
        assert found is not None, wanted
        start, count = found
        boxes = [text.get_charbox(index, loose=True) for index in range(start, start + count)]
        left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
        top = SIZE[1] - max(box[3] for box in boxes) / SCALE
        assert (left / SCALE, right / SCALE) == pytest.approx((100, 500), abs=6), wanted
        assert top == pytest.approx(100 * number, abs=6), wanted
    assert text.get_text_range().split("\r\n") == list(said)


def test_the_text_is_not_seen_and_the_picture_is(store: Store, tmp_path: Path) -> None:
    add_pages(store, PageContent((line("HEAVY TEXT", 10, 10, 900, 400),), text="HEAVY TEXT"))
    Exporter(store).export_now("pdf", tmp_path / "out")
    drawn = pypdfium2.PdfDocument(only(tmp_path, "out/pdf/*.pdf"))[0].render(scale=1).to_numpy()
    assert np.abs(drawn[5:-5, 5:-5].astype(int) - 250).max() < 8


def test_lines_that_lie_slanting_or_run_downwards_are_found(store: Store, tmp_path: Path) -> None:
    slanting = TextLine("Slanting words", Quad.from_points([(100, 200), (300, 100), (320, 140), (120, 240)]), 0.9)
    column = line("豎排文字", 800, 50, 840, 250)
    add_pages(store, PageContent((slanting, column), text="x"))
    Exporter(store).export_now("pdf", tmp_path / "out")
    text = pypdfium2.PdfDocument(only(tmp_path, "out/pdf/*.pdf"))[0].get_textpage()
    start, count = text.search("Slanting words").get_next()
    first, last = (text.get_charbox(index) for index in (start, start + count - 1))
    assert first[1] < last[1], "it runs upwards"
    start, count = text.search("豎排文字").get_next()
    first, last = (text.get_charbox(index) for index in (start, start + count - 1))
    assert first[1] > last[1], "it runs downwards"


def test_pages_of_a_document_come_into_one_file_in_order_the_newest_reading_counts(
    store: Store, tmp_path: Path
) -> None:
    items = add_pages(store, *(content(f"page {n}") for n in (1, 2, 3)))
    again = store.recognitions.get(items[1])
    newer = replace(again.recognition, content=content("page 2 anew"))
    store.recognitions.add(newer, again.page_id, ANN)
    store.corrections.add(items[2], 0, content("page 3 corrected"), ANN)
    Exporter(store).export_now("pdf", tmp_path / "one")
    Exporter(store).export_now("pdf", tmp_path / "two")
    file = only(tmp_path, "one/pdf/*")
    pages = [page.get_textpage().get_text_range().strip() for page in pypdfium2.PdfDocument(file)]
    assert pages == ["page 1", "page 2 anew", "page 3 corrected"]
    assert file.read_bytes() == only(tmp_path, "two/pdf/*").read_bytes()


def test_text_without_places_is_in_the_pdf_too(store: Store, tmp_path: Path) -> None:
    add_pages(store, PageContent(text="# Title\n\nSome *words*"), task="document")
    Exporter(store).export_now("pdf", tmp_path / "out")
    text = pypdfium2.PdfDocument(only(tmp_path, "out/pdf/*.pdf"))[0].get_textpage()
    assert text.search("Some *words*").get_next()


# Markdown


def test_plain_lines_read_in_markdown_as_they_stand_on_the_page(store: Store, tmp_path: Path) -> None:
    said = (
        "# 7",
        "- 12.50",
        "1. one",
        "a * b * c",
        "<b>bold</b>",
        "[x](y)",
        "| a | b |",
        "合计_1_",
        "===",
        "~~no~~",
        "`c`",
    )
    add_pages(store, content(*said))
    Exporter(store).export_now("markdown", tmp_path / "out")
    written = only(tmp_path, "out/markdown/*-papers.md").read_text()
    shown = html.fragment_fromstring(MarkdownIt("gfm-like", {"linkify": False}).render(written), create_parent=True)
    assert [text.strip() for text in shown.itertext() if text.strip()] == list(said)


def test_markdown_of_a_document_is_left_as_it_was_read_and_pages_follow_each_other(
    store: Store, tmp_path: Path
) -> None:
    add_pages(store, PageContent(text="# One\n\n| a |\n|---|\n| 1 |"), PageContent(text="# Two"), task="document")
    Exporter(store).export_now("markdown", tmp_path / "out")
    written = only(tmp_path, "out/markdown/*.md").read_text()
    assert written == "# One\n\n| a |\n|---|\n| 1 |\n\n---\n\n# Two\n"


def test_tables_and_fields_stand_in_markdown(store: Store, tmp_path: Path) -> None:
    table = Table("<table><tr><td>a</td><td>1</td></tr></table>", (("a", "1"),))
    said = replace(content("Head"), tables=(table,), fields=(Field("To|tal", "12\n50"), Field("None", None)))
    add_pages(store, said)
    Exporter(store).export_now("markdown", tmp_path / "out")
    shown = MarkdownIt("gfm-like", {"linkify": False}).render(only(tmp_path, "out/markdown/*.md").read_text())
    found = html.fragment_fromstring(shown, create_parent=True)
    cells = [cell.text_content() for cell in found.iter("td")]
    assert cells == ["a", "1", "To|tal", "12 50", "None", ""]


# Pictures


def test_boxes_are_drawn_where_the_lines_are_in_the_colour_of_their_confidence(store: Store, tmp_path: Path) -> None:
    lines = (line("sure", 100, 100, 400, 150), line("unsure", 100, 300, 400, 350, 0.3))
    add_pages(store, PageContent(lines, text="x"))
    report = Exporter(store).export_now("boxes", tmp_path / "out")
    drawn = cv2.imread(str(only(tmp_path, "out/boxes/*.jpg")))[:, :, ::-1].astype(int)
    assert report.count_out == 1
    blue, red, within = drawn[100, 250], drawn[300, 250], drawn[125, 250]
    assert blue[2] > blue[0] + 80
    assert red[0] > red[2] + 80
    assert np.abs(within - 250).max() < 12
    assert list((tmp_path / "out" / "boxes").glob("*.png")) == []


# All in one


async def test_several_formats_come_in_one_archive(store: Store) -> None:
    add_pages(store, content("one"), content("two"))
    made = await Exporter(store).bundled(["markdown", "jsonl", "csv", "docx", "pdf", "boxes"], {}, "batch-7")
    with zipfile.ZipFile(made.file) as packed:
        names = packed.namelist()
        assert packed.testzip() is None
    assert made.name == "batch-7.zip"
    kinds = {name.split("/")[0] if "/" in name else name for name in names}
    assert {"markdown", "docx", "pdf", "boxes", "items.csv"} <= kinds
    assert sum(name.startswith("docx/") for name in names) == 2
    assert not any(name.endswith(".png") for name in names)
    with pytest.raises(BadInput) as caught:
        await Exporter(store).bundled(["csv"], {"jobs": [9]})
    assert caught.value.code == "nothing_to_export"
