"""Readers of the export formats, each by the rules of the programs that the format is for."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from contextlib import closing
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pypdfium2
import trainer_readers
from lxml import etree, html
from markdown_it import MarkdownIt
from openpyxl.utils.escape import unescape

PAGE = "{http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15}"


def texts_in(folder: Path, name: str) -> list[str]:
    """Every text that a person reads in an export of the format `name`."""
    return {
        "jsonl": lambda: (folder / "items.jsonl").read_text("utf-8").splitlines(),
        "csv": lambda: [cell for row in csv_rows(folder / "items.csv") for cell in row],
        "xlsx": lambda: [text for sheet in workbook(folder / "items.xlsx").values() for row in sheet for text in row],
        "docx": lambda: [text for file in docx_files(folder) for text in paragraphs(file)],
        "page-xml": lambda: [text for file in sorted((folder / "page-xml").iterdir()) for _, text in page_lines(file)],
        "label-studio": lambda: [text for task in tasks(folder) for _, text in label_studio_lines(task)],
        "ppocrlabel": lambda: [
            entry["transcription"] for entries in ppocr_labels(folder).values() for entry in entries
        ],
        "coco-text": lambda: [
            ann["utf8_string"] for ann in json.loads((folder / "coco-text/cocotext.json").read_text())["anns"].values()
        ],
        "imagefolder": lambda: [row["text"] for row in hugging_face(folder / "imagefolder")],
        "datasets": lambda: [row["text"] for row in hugging_face(folder / "datasets")],
        "markdown": lambda: [text for file in sorted((folder / "markdown").iterdir()) for text in markdown_texts(file)],
        "pdf": lambda: [text for file in sorted((folder / "pdf").iterdir()) for text in pdf_texts(file)],
        "llama-factory": lambda: [row.answer for row in trainer_readers.llama_factory(folder, "ocr_sft")],
        "ms-swift": lambda: [row.answer for row in trainer_readers.ms_swift(folder, "sft")],
        "trl-kto": lambda: [str(row.raw) for row in trainer_readers.rows(folder, "trl-kto")],
    }.get(name, lambda: [row.answer for row in trainer_readers.rows(folder, name)])()


def hugging_face(folder: Path) -> list[dict[str, Any]]:
    with trainer_readers.loading() as load:
        return list(load(str(folder))["train"])


def csv_rows(file: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")))


def workbook(file: Path) -> dict[str, list[list[str]]]:
    """Sheets by name as rows of texts; asserts that nothing is anything but text."""
    book = openpyxl.load_workbook(file)
    sheets = {}
    for sheet in book.worksheets:
        rows = []
        for row in sheet.iter_rows():
            filled = [cell for cell in row if cell.value is not None]
            assert {cell.data_type for cell in filled} <= {"s"}
            assert {cell.number_format for cell in filled} <= {"@"}
            rows.append([unescape(cell.value or "") for cell in row])
        sheets[sheet.title] = rows
    return sheets


def docx_files(folder: Path) -> list[Path]:
    return sorted((folder / "docx").iterdir())


def paragraphs(file: Path) -> list[str]:
    document = docx.Document(str(file))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return [paragraph.text for paragraph in document.paragraphs] + cells


def markdown_texts(file: Path) -> list[str]:
    """What a reader of the rendered page sees."""
    return list(html.fromstring(MarkdownIt().render(file.read_text("utf-8")) or "<p>").itertext())


def pdf_texts(file: Path) -> list[str]:
    with closing(pypdfium2.PdfDocument(file)) as document:
        return [page.get_textpage().get_text_range() for page in document]


def page_lines(file: Path) -> list[tuple[list[tuple[int, int]] | None, str]]:
    """Outline and text of each line in reading order; None and text for a region without lines.

    Asserts the rules of the schema on what is written: order of elements, points, ids, references.
    """
    root = etree.parse(str(file)).getroot()
    assert root.tag == f"{PAGE}PcGts"
    assert [part.tag for part in root] == [f"{PAGE}Metadata", f"{PAGE}Page"]
    assert [part.tag for part in root[0]] == [f"{PAGE}{name}" for name in ("Creator", "Created", "LastChange")]
    page = root[1]
    width, height = int(page.get("imageWidth")), int(page.get("imageHeight"))
    regions = {region.get("id"): region for region in page.iterchildren(f"{PAGE}TextRegion")}
    ids = [part.get("id") for part in root.iter() if part.get("id")]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", one) for one in ids)
    for coordinates in page.iter(f"{PAGE}Coords"):
        points = _points(coordinates)
        assert len(points) >= 3
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
    order = [reference.get("regionRef") for reference in page.iter(f"{PAGE}RegionRefIndexed")]
    assert sorted(order) == sorted(regions)
    return [line for name in order for line in _region(regions[name])]


def _region(region: etree._Element) -> list[tuple[list[tuple[int, int]] | None, str]]:
    assert region[0].tag == f"{PAGE}Coords"
    lines = region.findall(f"{PAGE}TextLine")
    if not lines:
        return [(None, region.findtext(f"{PAGE}TextEquiv/{PAGE}Unicode") or "")]
    return [
        (_points(line.find(f"{PAGE}Coords")), line.findtext(f"{PAGE}TextEquiv/{PAGE}Unicode") or "") for line in lines
    ]


def _points(coordinates: etree._Element) -> list[tuple[int, int]]:
    written = coordinates.get("points")
    assert re.fullmatch(r"([0-9]+,[0-9]+ )+([0-9]+,[0-9]+)", written), "the schema's pattern"
    return [tuple(map(int, point.split(","))) for point in written.split(" ")]


def tasks(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "tasks.json").read_text("utf-8"))


def label_studio_lines(task: dict[str, Any]) -> list[tuple[list[tuple[float, float]] | None, str]]:
    """Corners in pixels and text of each line of the annotation, else of the prediction; None for the page's text."""
    results = (task["annotations"] or task["predictions"])[0]["result"]
    parts: dict[str, dict[str, Any]] = {}
    for result in results:
        parts.setdefault(result["id"], {})[result["from_name"]] = result
    found = []
    for part in parts.values():
        if "page_text" in part:
            found.append((None, part["page_text"]["value"]["text"][0]))
            continue
        place = part.get("bbox") or part["poly"]
        assert part["label"]["value"]["labels"] == ["Text"]
        found.append((_corners(place), part["transcription"]["value"]["text"][0]))
    return found


def _corners(result: dict[str, Any]) -> list[tuple[float, float]]:
    """As Label Studio draws them: per cent of the picture, turned clockwise about the top left corner."""
    width, height, value = result["original_width"], result["original_height"], result["value"]
    if result["type"] == "polygon":
        return [(x * width / 100, y * height / 100) for x, y in value["points"]]
    assert result["type"] == "rectangle"
    x, y = value["x"] * width / 100, value["y"] * height / 100
    wide, high, angle = value["width"] * width / 100, value["height"] * height / 100, radians(value["rotation"])
    right, down = (wide * cos(angle), wide * sin(angle)), (-high * sin(angle), high * cos(angle))
    return [
        (x, y),
        (x + right[0], y + right[1]),
        (x + right[0] + down[0], y + right[1] + down[1]),
        (x + down[0], y + down[1]),
    ]


def ppocr_labels(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Label.txt as PPOCRLabel loads it and as PaddleOCR does, which must be the same."""
    found = {}
    with (folder / "ppocrlabel" / "Label.txt").open(encoding="utf-8") as file:
        for row in file.readlines():
            key, label = row.split("\t")  # a tab inside would not unpack
            as_trainer = json.loads(label)
            for word, python in (("false", "False"), ("true", "True"), ("null", "None")):
                label = label.replace(word, python)
            assert ast.literal_eval(label) == as_trainer
            assert (folder / key).is_file()
            assert key not in found
            found[key] = as_trainer
    return found


def ppocr_states(folder: Path) -> dict[str, str]:
    rows = (folder / "ppocrlabel" / "fileState.txt").read_text("utf-8").splitlines()
    return dict(row.split("\t") for row in rows)


def ppocr_crops(folder: Path) -> list[tuple[Path, str]]:
    """Files and texts of rec_gt.txt, as PaddleOCR's reader takes them: bytes cut at line feeds, then at the tab."""
    with (folder / "ppocrlabel" / "rec_gt.txt").open("rb") as file:
        rows = [row.decode("utf-8").strip("\n").split("\t") for row in file.readlines()]
    return [(folder / "ppocrlabel" / name, text) for name, text in rows]
