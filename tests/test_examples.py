"""The example pictures and what their JSON says of them hold together."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import lxml.html
import numpy as np
import pytest
from PIL import Image

from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import split_values
from ocr_ui.prompting import MAIN, PromptLibrary

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples"
SUFFIXES = {".png", ".jpg", ".webp", ".tif"}
EXAMPLES: list[dict[str, Any]] = sorted(
    (json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")), key=lambda data: data["order"]
)
REQUIRED_KINDS = {
    "receipt",
    "invoice",
    "form",
    "table",
    "formula",
    "two_columns",
    "photo",
    "long_receipt",
    "bad_scan",
    "blank",
}
PAD = 4
"""Pixels of margin in all that a quad may have around its ink, on top of a share of its size."""
each = pytest.mark.parametrize("example", EXAMPLES, ids=lambda data: data["name"])


def picture(example: dict[str, Any]) -> Image.Image:
    return Image.open(FOLDER / example["file"])


def lines_of(example: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
    return [line for line in example["lines"] if line.get("kind", "text") in kinds]


def straightened(image: Image.Image, quad: list[list[float]]) -> np.ndarray:
    """The pixels under a quad as an upright strip of grey values, read from its first corner on."""
    a, b, c, d = ((x, y) for x, y in quad)
    wide, high = (max(4, round(float(np.hypot(p[0] - q[0], p[1] - q[1])))) for p, q in ((a, b), (a, d)))
    strip = image.transform((wide, high), Image.Transform.QUAD, (*a, *d, *c, *b), Image.Resampling.BILINEAR)
    return np.asarray(strip, np.float32)


def ink(strip: np.ndarray) -> np.ndarray:
    """Where a strip differs clearly from its ground, the most common tone."""
    counts, edges = np.histogram(strip, 24)
    away = np.abs(strip - edges[counts.argmax() : counts.argmax() + 2].mean())
    return away > 0.45 * np.percentile(away, 99.5)


def test_each_picture_has_a_json_and_each_json_a_picture() -> None:
    pictures = {path.name for path in FOLDER.iterdir() if path.suffix in SUFFIXES}
    assert pictures == {example["file"] for example in EXAMPLES}
    assert {path.name for path in FOLDER.iterdir()} == pictures | {f"{example['name']}.json" for example in EXAMPLES}


def test_the_kinds_that_a_visitor_should_find_are_there() -> None:
    assert len(EXAMPLES) >= 10
    assert {example["kind"] for example in EXAMPLES} >= REQUIRED_KINDS
    assert [example["order"] for example in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))
    assert {picture(example).format for example in EXAMPLES} == {"PNG", "JPEG", "WEBP", "TIFF"}


def test_the_files_are_small() -> None:
    sizes = [(FOLDER / example["file"]).stat().st_size for example in EXAMPLES]
    assert max(sizes) < 1_000_000
    assert sum(sizes) < 4_000_000


@each
def test_size_text_and_titles(example: dict[str, Any]) -> None:
    image = picture(example)
    assert list(image.size) == example["size"]
    assert image.getexif().get(0x0112, 1) == 1, "the pictures carry no EXIF turn"
    assert example["text"] == "\n".join(line["text"] for line in example["lines"])
    assert set(example["title"]) == {"en", "zh"}
    assert all(example["title"].values())


@each
def test_template_and_variables_fit(example: dict[str, Any], tmp_path: Path) -> None:
    template = PromptLibrary(ROOT / "prompts").get(example["template"])
    assert template.render(example["variables"])


def test_every_main_template_has_an_example() -> None:
    assert {example["template"] for example in EXAMPLES} == set(MAIN)


@each
def test_quads_lie_inside_and_run_clockwise(example: dict[str, Any]) -> None:
    width, height = example["size"]
    for line in example["lines"]:
        quad = Quad.from_points(line["quad"])
        assert quad == quad.clip(width, height), line
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad.points
        area = 0.5 * ((cx - ax) * (dy - by) - (dx - bx) * (cy - ay))
        assert area > 20, line
        along = bx - ax if example["upright"] else ay - by
        assert along > 0, "the first edge runs as the text is read"


@each
def test_ink_fills_each_quad(example: dict[str, Any]) -> None:
    """Ink reaches far enough in each quad and lies in its middle on the whole: none is shifted or of another line."""
    if example["kind"] == "bad_scan":
        pytest.skip("its specks and faded letters are the point; the next test looks at it as a whole")
    grey = picture(example).convert("L")
    middles = []
    for line in lines_of(example, "text", "handwriting", "formula"):
        if not any(letter.isalnum() for letter in line["text"]):
            continue
        marks = ink(straightened(grey, line["quad"]))
        rows, columns = np.flatnonzero(marks.any(axis=1)), np.flatnonzero(marks.any(axis=0))
        assert 0.02 < marks.mean() < 0.75, line
        assert np.ptp(rows) + 1 > 0.55 * marks.shape[0] - PAD, line
        assert np.ptp(columns) + 1 > 0.8 * marks.shape[1] - PAD, line
        weight = marks.sum(axis=1) @ (np.arange(marks.shape[0]) + 0.5) / marks.sum() / marks.shape[0]
        middles.append((weight, (columns[0] + columns[-1] + 1) / 2 / marks.shape[1]))
    if middles:
        down, across = np.median(middles, axis=0)
        assert 0.4 < down < 0.6
        assert 0.46 < across < 0.54


def test_lines_of_the_bad_scan_are_darker_than_the_paper_between_them() -> None:
    example = next(example for example in EXAMPLES if example["kind"] == "bad_scan")
    grey = picture(example).convert("L")
    for line in lines_of(example, "text", "handwriting"):
        a, b, c, d = np.array(line["quad"])
        above, below = ([p + (p - q) * 0.25, r + (r - s) * 0.25, r, p] for p, q, r, s in ((a, d, b, c), (d, a, c, b)))
        inside, *gaps = (np.percentile(straightened(grey, quad), 12) for quad in (line["quad"], above, below))
        assert inside < max(gaps) - 20, "one of the two gaps may hold a crease"


def test_the_long_receipt_is_ten_times_as_long_as_wide() -> None:
    width, height = next(example["size"] for example in EXAMPLES if example["kind"] == "long_receipt")
    assert height >= 10 * width


def test_the_blank_page_is_blank() -> None:
    example = next(example for example in EXAMPLES if example["kind"] == "blank")
    assert example["lines"] == []
    assert example["text"] == ""
    grey = np.asarray(picture(example).convert("L").reduce(2), np.float32)
    assert (grey < np.median(grey) - 60).mean() < 0.0005


def test_one_page_lies_on_its_side() -> None:
    lying = [example for example in EXAMPLES if not example["upright"]]
    assert [example["kind"] for example in lying] == ["sideways"]
    assert lying[0]["size"][0] > lying[0]["size"][1]


@each
def test_field_values_stand_in_the_text(example: dict[str, Any]) -> None:
    if example["template"] == "fields":
        assert split_values(example["variables"]["fields"]) == list(example["fields"])
    for name, value in example.get("fields", {}).items():
        assert value in example["text"], name
    if "answer" in example:
        assert example["answer"] in example["text"]


def test_the_table_says_what_its_lines_say() -> None:
    example = next(example for example in EXAMPLES if example["template"] == "table")
    table = lxml.html.fragment_fromstring(example["html"])
    cells = [cell.text_content() for cell in table.iter("td", "th")]
    texts = [line["text"] for line in example["lines"]]
    assert all(cell in texts for cell in cells)
    spans = {name for cell in table.iter("td", "th") for name in cell.attrib}
    assert spans == {"rowspan", "colspan"}
    widths = set(np.sum(_slots(table), axis=1))
    assert len(widths) == 1, "every row fills the same number of columns"


def _slots(table: lxml.html.HtmlElement) -> np.ndarray:
    """How often each slot of the grid is covered by a cell, shape (rows, columns)."""
    rows = list(table.iter("tr"))
    covered = np.zeros((len(rows), 40), int)
    for number, row in enumerate(rows):
        for cell in row.iter("td", "th"):
            column = int(np.flatnonzero(covered[number] == 0)[0])
            deep, wide = int(cell.get("rowspan", 1)), int(cell.get("colspan", 1))
            covered[number : number + deep, column : column + wide] += 1
    assert covered.max() == 1
    return covered


def test_the_formulas_are_lines_too() -> None:
    example = next(example for example in EXAMPLES if example["template"] == "formula")
    assert [line["text"] for line in lines_of(example, "formula")] == example["latex"]


def test_drawing_again_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs give the same bytes, and the committed JSON is what the script writes."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    script, fonts = import_module("draw_examples"), import_module("examples_drawing.fonts")
    runs = tmp_path / "first", tmp_path / "second"
    for folder in runs:
        folder.mkdir()
        try:
            script.draw("receipt").save(folder, order=1)
        except fonts.FontMissing as error:
            pytest.skip(str(error))
    for name in ("receipt.jpg", "receipt.json"):
        assert (runs[0] / name).read_bytes() == (runs[1] / name).read_bytes()
    drawn, kept = (json.loads((folder / "receipt.json").read_text(encoding="utf-8")) for folder in (runs[0], FOLDER))
    assert {**drawn, "lines": 0} == {**kept, "lines": 0}
    for line, known in zip(drawn["lines"], kept["lines"], strict=True):
        assert line["text"] == known["text"]
        np.testing.assert_allclose(
            line["quad"], known["quad"], atol=2, err_msg="other versions of Pillow move a little"
        )


def test_each_example_has_a_drawing_and_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    assert [example["name"] for example in EXAMPLES] == list(import_module("draw_examples").NAMES)
