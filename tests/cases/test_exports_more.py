"""The cases of exports, from an item in the store to the file that a person opens, and what a store keeps of a file."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from stored import add_item, content, open_store

from ocr_ui.services.engines import Engines
from ocr_ui.services.export import Exporter
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


async def test_ex01_formulas_in_csv(tmp_path: Path) -> None:
    cells, expect = case("EX01")["input"]["cells"], case("EX01")["expect"]
    sheet, exact, _ = await exported(tmp_path, cells)
    shown = dict(zip(cells, sheet, strict=True))
    assert [shown[text] for text in expect["neutralised"]] == ["'" + text for text in expect["neutralised"]]
    assert [shown[text] for text in expect["unchanged"]] == expect["unchanged"]
    assert all(shown[text] in (text, "'" + text) for text in expect["either"])
    assert exact == cells, "files for training keep the text exactly"


async def test_ex03_numbers_are_the_same_text_in_the_formats_that_exist(tmp_path: Path) -> None:
    cells = case("EX03")["input"]["cells"]
    sheet, exact, _ = await exported(tmp_path, cells)
    assert sheet == exact == cells


async def test_ex04_forbidden_characters_are_stripped_counted_and_kept_in_json(tmp_path: Path) -> None:
    cells, written = case("EX04")["input"]["cells"], case("EX04")["expect"]["written"]
    sheet, exact, changes = await exported(tmp_path, cells)
    assert sheet == written
    assert exact == cells
    assert changes["control_characters_dropped"] == sum(map(len, cells)) - sum(map(len, written))


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
