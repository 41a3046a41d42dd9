"""The cases of exports, from an item in the store to the file that a person opens, and what a store keeps of a file."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from export_readers import label_studio_lines, ppocr_crops, ppocr_labels, tasks, texts_in, workbook
from stored import ANN, add_item, content, open_store, recognition

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.domain.page import Page
from ocr_ui.images.stored import encode_png
from ocr_ui.services.engines import Engines
from ocr_ui.services.export import Exporter, ExportReport
from ocr_ui.services.pictures import PageStore, Upright
from ocr_ui.settings import Settings

CASES = Path(__file__).resolve().parent / "export"


def case(name: str) -> dict[str, Any]:
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))


async def exported(folder: Path, texts: list[str]) -> tuple[list[str], list[str], dict[str, int]]:
    """What a spreadsheet reads from the CSV file, what a program reads from the JSON lines, and the report's changes.

    Each text is the model's answer of one item.
    """
    with open_store(folder / "data") as store:
        for number, text in enumerate(texts):
            add_item(store, content(text), f"{number}.png")
        report = await Exporter(store).export("csv", folder / "out")
        await Exporter(store).export("jsonl", folder / "out")
    sheet = (folder / "out" / "items.csv").read_bytes().decode("utf-8-sig")
    found = sorted(csv.DictReader(io.StringIO(sheet, newline="")), key=lambda row: int(row["id"]))
    lines = (folder / "out" / "items.jsonl").read_bytes().decode().split("\n")[:-1]
    exact = sorted((json.loads(one) for one in lines), key=lambda row: row["id"])
    changes = dict(report.changes)
    said = [row["output"]["content"]["lines"][0]["text"] for row in exact]
    return [row["model_text"] for row in found], said, changes


async def in_format(name: str, folder: Path, said: PageContent, size: tuple[int, int] = (1000, 800)) -> ExportReport:
    """Exports one item whose picture has that width and height into `folder`/out."""
    picture = encode_png(np.full((size[1], size[0], 3), 255, np.uint8))
    with open_store(folder / "data") as store:
        sha256 = store.pictures.put(picture)
        page_id = store.pages.add_document("a.png", [Page(sha256, *size, "a.png")], ANN).page_ids[0]
        store.recognitions.add(recognition(sha256, said), page_id, ANN)
        return await Exporter(store).export(name, folder / "out")


async def test_ex01_formulas_in_csv(tmp_path: Path) -> None:
    cells, expect = case("EX01")["input"]["cells"], case("EX01")["expect"]
    sheet, exact, _ = await exported(tmp_path, cells)
    shown = dict(zip(cells, sheet, strict=True))
    assert [shown[text] for text in expect["neutralised"]] == ["'" + text for text in expect["neutralised"]]
    assert [shown[text] for text in expect["unchanged"]] == expect["unchanged"]
    assert all(shown[text] in (text, "'" + text) for text in expect["either"])
    assert exact == cells, "files for training keep the text exactly"


async def test_ex03_numbers_are_the_same_text_in_csv_and_json(tmp_path: Path) -> None:
    cells = case("EX03")["input"]["cells"]
    sheet, exact, _ = await exported(tmp_path, cells)
    assert sheet == exact == cells


async def test_ex03_numbers_are_text_cells_in_a_workbook(tmp_path: Path) -> None:
    cells = case("EX03")["input"]["cells"]
    table = Table("", (tuple(cells),))
    fields = tuple(Field(str(number), cell) for number, cell in enumerate(cells))
    await in_format("xlsx", tmp_path, replace(content(*cells), fields=fields, tables=(table,)))
    sheets = workbook(tmp_path / "out" / "items.xlsx")  # asserts that every cell is text
    assert [row[2] for row in sheets["lines"][1:]] == cells
    assert [row[2] for row in sheets["fields"][1:]] == cells
    assert sheets["tables"][1][3:] == cells
    assert dict(zip(*sheets["items"], strict=True))["model_text"] == "\n".join(cells)


@pytest.mark.parametrize("name", ["xlsx", "docx", "page-xml"])
async def test_ex04_forbidden_characters_are_stripped_and_counted_where_xml_is_inside(
    tmp_path: Path, name: str
) -> None:
    cells, written = case("EX04")["input"]["cells"], case("EX04")["expect"]["written"]
    report = await in_format(name, tmp_path, content(*cells))
    read = texts_in(tmp_path / "out", name)
    assert [text for text in read if text in written] == written
    assert not any(text in read for text in cells if text not in written)
    stripped = sum(map(len, cells)) - sum(map(len, written))
    assert report.changes == {"forbidden_characters_stripped": stripped}
    sheet = json.loads((tmp_path / "out" / f"report-{name}.json").read_text())
    assert sheet["changes"]["forbidden_characters_stripped"] == stripped


@pytest.mark.parametrize("name", ["label-studio", "ppocrlabel"])
async def test_ex04_files_of_json_keep_forbidden_characters(tmp_path: Path, name: str) -> None:
    cells = case("EX04")["input"]["cells"]
    await in_format(name, tmp_path, content(*cells))
    assert texts_in(tmp_path / "out", name) == cells


async def test_ex04_forbidden_characters_are_stripped_counted_and_kept_in_json(tmp_path: Path) -> None:
    cells, written = case("EX04")["input"]["cells"], case("EX04")["expect"]["written"]
    sheet, exact, changes = await exported(tmp_path, cells)
    assert sheet == written
    assert exact == cells
    assert changes["control_characters_dropped"] == sum(map(len, cells)) - sum(map(len, written))


async def test_ex06_points_begin_top_left_and_crops_lie_as_on_the_page(tmp_path: Path) -> None:
    drawn, expect = case("EX06")["input"]["drawn"], case("EX06")["expect"]
    lines = tuple(TextLine(f"drawn {n}", Quad.from_points(points)) for n, points in enumerate(drawn))
    await in_format("ppocrlabel", tmp_path, PageContent(lines))
    [entries] = ppocr_labels(tmp_path / "out").values()
    assert [entry["points"] for entry in entries] == [expect["points"]] * len(drawn)
    crops = ppocr_crops(tmp_path / "out")
    assert [list(cv2.imread(str(file)).shape[1::-1]) for file, _ in crops] == [expect["crop_size"]] * len(drawn)


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    "corners",
    [
        [(120, 40), (150, 40), (150, 230), (120, 230)],
        [(120, 40), (310, 50), (308, 80), (118, 70)],
    ],
    ids=["tall", "slanting"],
)
async def test_ex06_whichever_corner_a_box_was_drawn_from(
    tmp_path: Path, corners: list[tuple[int, int]], mirrored: bool, first: int
) -> None:
    ring = corners[::-1] if mirrored else corners
    said = PageContent((TextLine("a", Quad.from_points(ring[first:] + ring[:first])),))
    await in_format("ppocrlabel", tmp_path, said)
    [[entry]] = ppocr_labels(tmp_path / "out").values()
    assert [tuple(point) for point in entry["points"]] == corners
    [(file, _)] = ppocr_crops(tmp_path / "out")
    height, width = cv2.imread(str(file)).shape[:2]
    assert (height > width) == (corners[0] == (120, 40) and corners[1] == (150, 40)), "a tall crop is not turned"


async def test_ex07_label_studio_takes_per_cent_and_turns_about_the_top_left_corner(tmp_path: Path) -> None:
    size, (left, top, right, bottom) = case("EX07")["input"]["image_size"], case("EX07")["input"]["box_px"]
    box = Quad.from_box(BoundingBox(left, top, right, bottom))
    angle = radians(30)
    corners = [(400, 100), (400 + 200 * cos(angle), 100 + 200 * sin(angle))]
    corners += [(x - 50 * sin(angle), y + 50 * cos(angle)) for x, y in corners[::-1]]
    said = PageContent((TextLine("upright", box), TextLine("turned", Quad.from_points(corners))))
    await in_format("label-studio", tmp_path, said, tuple(size))
    [task] = tasks(tmp_path / "out")
    upright, _, _, turned, _, _ = task["predictions"][0]["result"]
    expect = case("EX07")["expect"]
    assert upright["value"] == expect["value"]
    assert (upright["original_width"], upright["original_height"]) == tuple(size)
    assert turned["value"] == pytest.approx({"x": 40, "y": 20, "width": 20, "height": 10, "rotation": 30})
    read = [quad for quad, _ in label_studio_lines(task)]
    for found, quad in zip(read, (box.points, corners), strict=True):
        assert np.abs(np.array(found) - np.array(quad)).max() < 1


def files_with(folder: Path, part: bytes) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and part in file.read_bytes()]


async def test_up40_bytes_glued_to_a_picture_are_neither_stored_nor_exported(tmp_path: Path) -> None:
    data = (CASES.parent / "upload" / "files" / "trailing_garbage.jpg").read_bytes()
    glued = data[data.rindex(b"\xff\xd9") + 2 :]
    assert glued
    settings = Settings(data_dir=tmp_path, turn_pages=False, _env_file=None)
    with open_store(tmp_path) as store:
        engines = Engines({})
        received = await PageStore(store, settings, Upright(engines, settings)).receive(data, "a.jpg")
        kept = store.pictures.path(received.page.sha256).read_bytes()
    assert kept.startswith(b"\x89PNG")
    assert kept.endswith(b"IEND\xaeB`\x82")
    assert glued not in kept
    assert files_with(tmp_path, glued) == []
