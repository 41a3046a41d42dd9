"""Formats of files: written by the product from a store, read back by the rules of the programs they are for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import docx
import numpy as np
import pytest
from export_readers import (
    docx_files,
    label_studio_lines,
    page_lines,
    paragraphs,
    ppocr_crops,
    ppocr_labels,
    ppocr_states,
    tasks,
    workbook,
)
from lxml import etree
from stored import ANN, BO, add_item, content, line, open_store, recognition

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.page import Page
from ocr_ui.domain.review import State, Verdict
from ocr_ui.exports import xlsx
from ocr_ui.exports.columns import COLUMNS
from ocr_ui.exports.sample import Options
from ocr_ui.images.stored import encode_png
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.export import Exporter
from ocr_ui.storage.store import Store

ODD = "true null\t\u2028falsetto \U0001f600 \ud800 \\n \"q\" 'a' <b>&amp;"
TABLE = Table(
    '<table><tr><td colspan="2">Sum</td></tr><tr><td rowspan="2">a</td><td>1</td></tr><tr><td>2</td></tr></table>',
    (("Sum", "Sum"), ("a", "1"), ("a", "2")),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "data") as opened:
        yield opened


def add_page(store: Store, said: PageContent, pixels: np.ndarray | None = None, name: str = "page.png") -> int:
    """An item on a picture of its own pixels; a white one of 400 x 300 where none is given."""
    pixels = np.full((300, 400, 3), 255, np.uint8) if pixels is None else pixels
    sha256 = store.pictures.put(encode_png(pixels))
    page = Page(sha256, pixels.shape[1], pixels.shape[0], name)
    page_id = store.pages.add_document(name, [page], ANN).page_ids[0]
    return store.recognitions.add(recognition(sha256, said), page_id, ANN)


def boxed(text: str, *points: tuple[float, float]) -> PageContent:
    return PageContent((TextLine(text, Quad.from_points(points), 0.9, "l0"),), text=text)


# xlsx


async def test_a_workbook_has_items_lines_fields_and_tables_as_text(store: Store, tmp_path: Path) -> None:
    said = replace(content("=1+1", "007"), fields=(Field("Total", "0012.50"), Field("Nothing", None)), tables=(TABLE,))
    item = add_item(store, said, "a.pdf")
    await Exporter(store).export("xlsx", tmp_path / "out")
    sheets = workbook(tmp_path / "out" / "items.xlsx")
    titles, row = sheets["items"]
    assert tuple(titles) == COLUMNS
    assert dict(zip(titles, row, strict=True))["model_text"] == "=1+1\n007"
    assert [one[:4] for one in sheets["lines"][1:]] == [
        [str(item), "1", "=1+1", "0.9000"],
        [str(item), "2", "007", "0.9000"],
    ]
    assert sheets["lines"][2][4:] == ["10", "20", "500", "20", "500", "35", "10", "35"]
    assert [one[1:3] for one in sheets["fields"][1:]] == [["Total", "0012.50"], ["Nothing", ""]]
    assert [one[1:5] for one in sheets["tables"][1:]] == [
        ["1", "1", "Sum", "Sum"],
        ["1", "2", "a", "1"],
        ["1", "3", "a", "2"],
    ]


async def test_a_workbook_says_what_a_person_made_of_it(store: Store, tmp_path: Path) -> None:
    item = add_item(store, ["Total 12.80"])
    await Annotator(store).save_correction(item, 0, content("Total 12.50"), "wrong", person=ANN)
    await Exporter(store).export("xlsx", tmp_path / "out")
    sheets = workbook(tmp_path / "out" / "items.xlsx")
    row = dict(zip(*sheets["items"], strict=True))
    assert (row["model_text"], row["corrected_text"], row["verdict"]) == ("Total 12.80", "Total 12.50", "wrong")
    assert [one[2] for one in sheets["lines"][1:]] == ["Total 12.50"]


async def test_a_full_sheet_goes_on_in_another(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MOST_ROWS", 4)
    add_item(store, [str(number) for number in range(8)])
    await Exporter(store).export("xlsx", tmp_path / "out")
    sheets = workbook(tmp_path / "out" / "items.xlsx")
    found = [row[2] for name in ("lines", "lines 2", "lines 3") for row in sheets[name][1:]]
    assert found == [str(number) for number in range(8)]


async def test_a_cell_longer_than_excel_holds_is_cut_and_counted(store: Store, tmp_path: Path) -> None:
    add_item(store, ["x" * 40_000])
    report = await Exporter(store).export("xlsx", tmp_path / "out")
    row = dict(zip(*workbook(tmp_path / "out" / "items.xlsx")["items"], strict=True))
    assert row["model_text"].startswith("x" * 32_000 + " …")
    assert len(row["model_text"]) < 32_767
    assert report.changes["cells_cut"] == 1


# docx


async def test_a_document_has_its_lines_as_paragraphs(store: Store, tmp_path: Path) -> None:
    add_item(store, ["Total 12.80", "=1+1 <b>", "  blanks  kept "], "a b.png")
    await Exporter(store).export("docx", tmp_path / "out")
    [file] = docx_files(tmp_path / "out")
    assert file.name == "000001-a_b.docx"
    assert paragraphs(file) == ["Total 12.80", "=1+1 <b>", "  blanks  kept "]


async def test_a_document_has_its_tables_in_place_with_merged_cells_and_its_fields(
    store: Store, tmp_path: Path
) -> None:
    text = f"Before\n\n{TABLE.html}\nAfter"
    add_item(store, PageContent(tables=(TABLE,), text=text, fields=(Field("Total", "007"),)))
    await Exporter(store).export("docx", tmp_path / "out")
    document = docx.Document(str(docx_files(tmp_path / "out")[0]))
    order = [part.tag.rpartition("}")[2] for part in document.element.body]
    assert order[:3] == ["p", "tbl", "p"]
    table, fields = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["Sum", "Sum"], ["a", "1"], ["a", "2"]]
    assert table.cell(0, 0)._tc is table.cell(0, 1)._tc, "one cell over two columns"
    assert table.cell(1, 0)._tc is table.cell(2, 0)._tc, "one cell over two rows"
    assert [cell.text for cell in fields.rows[0].cells] == ["Total", "007"]


@pytest.mark.parametrize(
    "source",
    ["", "<table>", "<table><tr><td colspan='9'>a</td></tr></table>", "<table><tr><td rowspan='0'>a</td></tr></table>"],
)
async def test_a_table_whose_html_does_not_fit_is_drawn_from_its_grid(
    store: Store, tmp_path: Path, source: str
) -> None:
    add_item(store, PageContent(tables=(Table(source, (("a", "b"), ("c",))),)))
    await Exporter(store).export("docx", tmp_path / "out")
    document = docx.Document(str(docx_files(tmp_path / "out")[0]))
    assert [cell.text for row in document.tables[0].rows for cell in row.cells] == ["a", "b", "c", ""]


async def test_a_table_wider_than_word_holds_is_text_and_counted(store: Store, tmp_path: Path) -> None:
    add_item(store, PageContent(tables=(Table("", (tuple("x" * 70),)),)))
    report = await Exporter(store).export("docx", tmp_path / "out")
    assert report.changes == {"tables_as_text": 1}
    assert paragraphs(docx_files(tmp_path / "out")[0]) == ["\t".join("x" * 70)]


# page-xml


async def test_page_xml_has_lines_with_outlines_and_the_picture_beside(store: Store, tmp_path: Path) -> None:
    said = PageContent((line("one <b>&"), TextLine("without a box"), line("two", 1)), text="one\nwithout a box\ntwo")
    add_page(store, said, name="a/b.png")
    await Exporter(store).export("page-xml", tmp_path / "out")
    [file] = (tmp_path / "out" / "page-xml").iterdir()
    assert page_lines(file) == [
        ([(10, 0), (400, 0), (400, 15), (10, 15)], "one <b>&"),
        ([(10, 20), (400, 20), (400, 35), (10, 35)], "two"),
        (None, "without a box"),
    ]
    page = etree.parse(str(file)).getroot()[1]
    assert (file.parent / page.get("imageFilename")).is_file()


async def test_page_xml_of_a_text_without_places_is_the_text(store: Store, tmp_path: Path) -> None:
    add_item(store, PageContent((TextLine("# Title"),), text="# Title\n\n| a |"))
    add_item(store, [])
    await Exporter(store).export("page-xml", tmp_path / "out")
    text, empty = sorted((tmp_path / "out" / "page-xml").iterdir())
    assert page_lines(text) == [(None, "# Title\n\n| a |")]
    assert page_lines(empty) == []


# label-studio


async def test_tasks_have_predictions_annotations_and_a_config_that_names_their_parts(
    store: Store, tmp_path: Path
) -> None:
    texts = ["12.80", "right", "unseen"]
    corrected, right, _ = (add_item(store, [text], shade=shade) for shade, text in enumerate(texts))
    await Annotator(store).save_correction(corrected, 0, content("12.50"), "wrong", person=ANN)
    await Annotator(store).save_correction(right, 0, content("right"), Verdict.RIGHT, person=BO)
    await Exporter(store).export("label-studio", tmp_path / "out")
    first, second, third = tasks(tmp_path / "out")
    assert [label_studio_lines(task)[0][1] for task in (first, second, third)] == ["12.50", "right", "unseen"]
    assert [len(task["annotations"]) for task in (first, second, third)] == [1, 1, 0]
    prediction = first["predictions"][0]
    assert (prediction["model_version"], prediction["score"]) == ("rapidocr PP-OCRv6", 0.9)
    assert prediction["result"][2]["value"]["text"] == ["12.80"]
    config = etree.parse(str(tmp_path / "out" / "labeling-config.xml"))
    names = {part.get("name") for part in config.iter() if part.get("name")}
    results = [one for task in (first, second, third) for part in task["predictions"] for one in part["result"]]
    assert {one["from_name"] for one in results} | {one["to_name"] for one in results} <= names
    assert config.find("Image").get("value") == "$ocr"
    assert {label.get("value") for label in config.iter("Label")} == {"Text"}
    for task in (first, second, third):
        assert (tmp_path / "out" / task["data"]["ocr"].removeprefix("/data/local-files/?d=")).is_file()


async def test_a_text_without_a_place_is_kept_beside_those_with_one(store: Store, tmp_path: Path) -> None:
    add_page(store, PageContent((line("a"), TextLine("loose")), text="a\nloose"))
    add_page(store, PageContent(text=ODD))
    await Exporter(store).export("label-studio", tmp_path / "out")
    mixed, text = (label_studio_lines(task) for task in tasks(tmp_path / "out"))
    assert [one for _, one in mixed] == ["a", "loose"]
    assert mixed[1][0] is None
    assert text == [(None, ODD)], "every character exactly"


SLANTED = ((100.0, 50.0), (196.0, 78.0), (187.6, 106.8), (91.6, 78.8))
STEEP = ((60.0, 250.0), (70.0, 50.0), (100.0, 51.5), (90.0, 251.5))
LONG = ((60.0, 650.0), (70.0, 50.0), (90.0, 52.0), (80.0, 652.0))
TRAPEZE = ((100.0, 50.0), (300.0, 40.0), (310.0, 90.0), (90.0, 110.0))


@pytest.mark.parametrize("points", [SLANTED, STEEP, TRAPEZE])
async def test_label_studio_gives_the_corners_back_within_a_pixel(
    store: Store, tmp_path: Path, points: tuple[tuple[float, float], ...]
) -> None:
    add_page(store, boxed("turned", *points))
    await Exporter(store).export("label-studio", tmp_path / "out")
    [(corners, _)] = label_studio_lines(tasks(tmp_path / "out")[0])
    assert np.abs(np.array(corners) - np.array(points)).max() < 1


async def test_label_studio_gets_nothing_beyond_its_bounds(store: Store, tmp_path: Path) -> None:
    beyond = PageContent((line("wider than the picture"), replace(boxed("long", *LONG).lines[0], id="l1")))
    add_page(store, beyond, np.zeros((700, 100, 3), np.uint8))
    await Exporter(store).export("label-studio", tmp_path / "out")
    [task] = tasks(tmp_path / "out")
    [(cut, _), (long, _)] = label_studio_lines(task)
    assert np.abs(np.array(cut) - [(10, 0), (100, 0), (100, 15), (10, 15)]).max() < 0.01
    assert np.abs(np.array(long) - np.array(LONG)).max() < 1
    for result in task["predictions"][0]["result"]:
        value = result["value"]
        numbers = [value[name] for name in ("x", "y", "width", "height") if name in value]
        assert all(0 <= number <= 100 for number in numbers + [n for point in value.get("points", ()) for n in point])


# ppocrlabel


async def test_texts_of_any_kind_come_back_from_label_txt(store: Store, tmp_path: Path) -> None:
    add_page(store, content(ODD, "line\nbreak\ttab\x85", "plain"))
    report = await Exporter(store).export("ppocrlabel", tmp_path / "out")
    [entries] = ppocr_labels(tmp_path / "out").values()
    assert [entry["transcription"] for entry in entries] == [ODD, "line\nbreak\ttab\x85", "plain"]
    assert [text for _, text in ppocr_crops(tmp_path / "out")][1:] == ["line break tab ", "plain"]
    assert report.changes == {"breaks_in_rec_gt_as_blanks": 4, "surrogates_in_rec_gt_replaced": 1}


async def test_the_folder_is_one_that_the_tool_opens(store: Store, tmp_path: Path) -> None:
    add_page(store, content("first"))
    add_page(store, content("second"))
    await Exporter(store).export("ppocrlabel", tmp_path / "out")
    labels, states = ppocr_labels(tmp_path / "out"), ppocr_states(tmp_path / "out")
    assert [entries[0]["transcription"] for entries in labels.values()] == ["first", "second"], "one picture, two items"
    assert states == dict.fromkeys(labels, "1")
    assert {key.split("/")[0] for key in labels} == {"ppocrlabel"}
    assert all(file.is_file() for file, _ in ppocr_crops(tmp_path / "out"))


async def test_what_the_tool_cannot_hold_is_left_out_and_said(store: Store, tmp_path: Path) -> None:
    whole = add_page(store, PageContent((line("a"), TextLine("loose"), line("  ", 1)), text="a\nloose"))
    empty = add_page(store, PageContent(text="no boxes"))
    report = await Exporter(store).export("ppocrlabel", tmp_path / "out")
    assert (report.count_in, report.count_out) == (2, 1)
    assert [(one, reason.code) for one, reason in report.left_out] == [(empty, "no_boxes_for_tool")]
    assert report.changes == {"lines_without_a_box_left_out": 1, "crops_without_text_left_out": 1}
    entries = next(iter(ppocr_labels(tmp_path / "out").values()))
    assert [(entry["transcription"], entry["difficult"]) for entry in entries] == [("a", False), ("###", True)]
    assert whole


def striped() -> np.ndarray:
    """400 x 300 pixels: red grows to the right, green downwards."""
    rows, columns = np.mgrid[0:300, 0:400]
    return np.dstack([columns * 255 // 400, rows * 255 // 300, np.zeros_like(rows)]).astype(np.uint8)


@pytest.mark.parametrize(("turn", "size"), [(False, (31, 200)), (True, (200, 31))])
async def test_a_line_that_runs_upwards_keeps_its_corners_and_its_crop_lies_as_on_the_page(
    store: Store, tmp_path: Path, turn: bool, size: tuple[int, int]
) -> None:
    add_page(store, boxed("up", *STEEP), striped())
    await Exporter(store).export("ppocrlabel", tmp_path / "out", options=Options(turn_crops=turn))
    [[entry]] = ppocr_labels(tmp_path / "out").values()
    assert entry["points"] == [[60, 250], [70, 50], [100, 52], [90, 252]], "as the text is read"
    [(file, _)] = ppocr_crops(tmp_path / "out")
    crop = cv2.imread(str(file))
    assert np.abs(np.array(crop.shape[1::-1]) - size).max() <= 1
    green = crop[:, :, 1].astype(int)
    if turn:
        assert green[:, 0].mean() > green[:, -1].mean() + 100, "the text begins at the bottom of the page"
    else:
        assert green[-1].mean() > green[0].mean() + 100, "the top of the crop is the top of the page"


async def test_a_crop_is_the_pixels_of_its_box(store: Store, tmp_path: Path) -> None:
    add_page(store, boxed("a", (100, 50), (300, 50), (300, 80), (100, 80)), striped())
    await Exporter(store).export("ppocrlabel", tmp_path / "out")
    [(file, _)] = ppocr_crops(tmp_path / "out")
    crop = cv2.cvtColor(cv2.imread(str(file)), cv2.COLOR_BGR2RGB)
    assert crop.shape == (30, 200, 3)
    assert np.abs(crop.astype(int) - striped()[50:80, 100:300]).max() < 12


# all of them


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "CON", "a" * 300 + ".png", "报告 第1页.pdf", ".", "\ud800", "a\x00b"]
)
async def test_names_of_files_are_safe(store: Store, tmp_path: Path, name: str) -> None:
    sha256 = store.pictures.put(encode_png(np.zeros((9, 9, 3), np.uint8)))
    page_id = store.pages.add_document("d", [Page(sha256, 9, 9, name, 3)], ANN).page_ids[0]
    store.recognitions.add(recognition(sha256, content("a")), page_id, ANN)
    for kind in ("docx", "page-xml"):
        await Exporter(store).export(kind, tmp_path / "out")
        [file] = (tmp_path / "out" / kind).iterdir()
        assert re.fullmatch(r"000001(-[\w][\w.-]*)?-3\.(docx|xml)", file.name)
        assert len(file.name.encode()) < 255


def test_the_state_of_a_review_is_json(store: Store, tmp_path: Path) -> None:
    add_item(store, ["a"])
    Exporter(store).export_now("label-studio", tmp_path / "out")
    [task] = json.loads((tmp_path / "out" / "tasks.json").read_text())
    assert task["data"]["state"] == State.PENDING
