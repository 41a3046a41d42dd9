"""Every collected answer that broke tools of this kind, with its right result. The files name kind and origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ocr_ui.domain.content import PageContent
from ocr_ui.parsing import dispatch, fields
from ocr_ui.services.parse import TASKS

CASES = Path(__file__).resolve().parent.parent / "cases" / "parsing"


def load() -> list[dict[str, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.json"))]


def answers(case: dict[str, Any]) -> list[str]:
    given = case["input"]
    if "gen" in given:
        return [eval(given["gen"], {"__builtins__": {}}, {"range": range, "str": str})]
    return given.get("raws") or [given["raw"]]


def parse(case: dict[str, Any], text: str) -> PageContent:
    given = case["input"]
    size = tuple(given.get("image_size", (1000, 1000)))
    return dispatch.parse(TASKS[given["task"]], text, size, field_names=given.get("keys", ()))


def boxes(content: PageContent, size: tuple[int, int], scale: float = 1000) -> list[list[float] | None]:
    found = []
    for line in content.lines:
        box = line.quad and line.quad.bounds
        sides = (scale / size[0], scale / size[1]) * 2
        values = box and (box.left, box.top, box.right, box.bottom)
        found.append(values and [pytest.approx(v * s) for v, s in zip(values, sides, strict=True)])
    return found


def codes(content: PageContent) -> set[str]:
    return {warning.code for warning in content.warnings}


ALL = [pytest.param(case, id=f"{case['id']}-{case['title'].replace(' ', '_')}") for case in load()]


def with_key(*keys: str) -> list:
    return [param for param in ALL if any(key in param.values[0]["expect"] for key in keys)]


def test_all_cases_are_there() -> None:
    assert len(ALL) == 65


@pytest.mark.parametrize("case", ALL)
def test_the_person_is_told(case: dict[str, Any]) -> None:
    expect = case["expect"]
    for text in answers(case):
        told = codes(parse(case, text))
        assert set(expect.get("flags", ())) <= told
        if "flags_any" in expect:
            assert any(set(flags) <= told for flags in expect["flags_any"])


@pytest.mark.parametrize("case", with_key("items"))
def test_lines_and_boxes(case: dict[str, Any]) -> None:
    content = parse(case, answers(case)[0])
    items = case["expect"]["items"]
    size = tuple(case["input"].get("image_size", (1000, 1000)))
    assert [line.text for line in content.lines] == [item["text"] for item in items]
    assert boxes(content, size) == [item["box"] for item in items]
    if "items_px" in case["expect"]:
        pixels = [line.quad.bounds for line in content.lines if line.quad]
        wanted = [pytest.approx(box, abs=1) for box in case["expect"]["items_px"]]
        assert [[b.left, b.top, b.right, b.bottom] for b in pixels] == wanted
    if "polygon" in case["expect"]:
        quads = [line.quad.points for line in content.lines if line.quad]
        assert quads == [tuple(tuple(point) for point in points) for points in case["expect"]["polygon"]]
    if "code_points" in case["expect"]:
        assert len(content.lines[0].text) == case["expect"]["code_points"]


@pytest.mark.parametrize("case", with_key("fields", "fields_contains"))
def test_fields_as_written(case: dict[str, Any]) -> None:
    expect = case["expect"]
    content = parse(case, answers(case)[0])
    values = {field.name: field.value for field in content.fields}
    if "fields" in expect:
        assert values == expect["fields"]
    assert values.items() >= expect.get("fields_contains", {}).items()
    assert not set(expect.get("missing", ())) & set(values)
    for name, seen in expect.get("duplicates", {}).items():
        field = next(field for field in content.fields if field.name == name)
        assert [*field.alternatives, field.value] == seen
    for text in expect.get("visible_text", ()):
        assert text in content.text


@pytest.mark.parametrize("case", with_key("fields_nested"))
def test_nested_fields_are_json_text_with_paths(case: dict[str, Any]) -> None:
    content = parse(case, answers(case)[0])
    nested = case["expect"]["fields_nested"]
    read = {f.name: json.loads(f.value) if f.value and f.value[0] in "[{" else f.value for f in content.fields}
    assert read == nested
    items = next(field for field in content.fields if field.name == "items")
    assert ("[0].p", nested["items"][0]["p"]) in fields.flatten(items.value)


@pytest.mark.parametrize("case", with_key("grid", "grids", "contains", "grid_text_contains", "rows"))
def test_tables(case: dict[str, Any]) -> None:
    expect = case["expect"]
    content = parse(case, answers(case)[0])
    grids = [[list(row) for row in table.grid] for table in content.tables]
    wanted = expect.get("grids") or ([expect["grid"]] if "grid" in expect else None)
    if wanted:
        assert grids == wanted
    cells = {cell for grid in grids for row in grid for cell in row}
    assert set(expect.get("contains", ())) | set(expect.get("grid_text_contains", ())) <= cells
    assert [line.text for line in content.lines] == expect.get("leftover", [line.text for line in content.lines])
    if "rows" in expect:
        assert len(grids[0]) == expect["rows"]
        assert len(grids[0][0]) <= expect["max_columns"]
        assert cells >= {"a", "b", "c"}


@pytest.mark.parametrize("case", with_key("max_cells"))
def test_absurd_spans_do_not_grow_the_grid(case: dict[str, Any]) -> None:
    grid = parse(case, answers(case)[0]).tables[0].grid
    assert sum(map(len, grid)) <= case["expect"]["max_cells"]
    assert {"x", "y", "z"} <= {cell for row in grid for cell in row}


@pytest.mark.parametrize("case", with_key("latex"))
def test_formulas_are_bare(case: dict[str, Any]) -> None:
    assert {parse(case, text).text for text in answers(case)} == {case["expect"]["latex"]}


@pytest.mark.parametrize("case", with_key("visible_text", "starts", "count_of", "count"))
def test_text_is_kept(case: dict[str, Any]) -> None:
    expect = case["expect"]
    content = parse(case, answers(case)[0])
    for text in expect.get("visible_text", ()):
        assert text in content.text
        assert any(text.strip() in line.text for line in content.lines)
    assert content.text.startswith(expect.get("starts", "").strip())
    assert len(content.text) <= expect.get("max_length", len(content.text))
    for text, count in expect.get("count_of", {}).items():
        assert content.text.count(text) == count
    assert len(content.lines) == expect.get("count", len(content.lines))


def test_a_counting_loop_is_told_and_left() -> None:
    case = next(param.values[0] for param in ALL if param.values[0]["id"] == "LP04")
    content = parse(case, answers(case)[0])
    assert content.text == answers(case)[0].strip()


def test_a_formula_with_an_open_bracket_keeps_its_source() -> None:
    case = next(param.values[0] for param in ALL if param.values[0]["id"] == "FM02")
    assert parse(case, answers(case)[0]).text == case["input"]["raw"]


def test_clean_table_html_has_no_foreign_markup() -> None:
    case = next(param.values[0] for param in ALL if param.values[0]["id"] == "XS02")
    html = parse(case, answers(case)[0]).tables[0].html
    assert html == "<table><tr><td>a</td><td>b</td></tr></table>"
