"""Inputs of kinds that broke tools like this one, each with the right rendering."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from dom import assert_safe, elements, visible_text

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.render.formulas import bare_latex, formula_html
from ocr_ui.render.markdown import lines_html, render_markdown
from ocr_ui.render.tables import sanitize_table
from ocr_ui.render.visible import reveal_invisible, script_json

CASES = Path(__file__).resolve().parent.parent / "cases" / "render"


def case(name: str) -> dict[str, Any]:
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))


def assert_forbidden_is_absent(found: dict[str, Any], html: str) -> None:
    for pattern in found["expect"].get("forbid_html", ()):
        assert not re.search(pattern, html, re.IGNORECASE), pattern


def shown_lines(*texts: str) -> tuple[str, list[str]]:
    html = lines_html(PageContent(lines=tuple(TextLine(text) for text in texts)))
    assert_safe(html)
    return html, ["".join(e.itertext()) for e in elements(html) if e.tag.endswith("}bdi")]


def test_md01_angle_brackets_vanish() -> None:
    found = case("MD01")
    html = render_markdown(found["input"]["raw"])
    assert_safe(html)
    assert_forbidden_is_absent(found, html)
    for text in found["expect"]["visible_text"]:
        assert text in visible_text(html)


def test_md03_line_starts_that_mean_something_in_markdown() -> None:
    found = case("MD03")
    html, texts = shown_lines(*found["input"]["raw"].split("\n"))
    assert texts == found["expect"]["visible_text"]
    assert "<li" not in html


def test_md03_as_a_text_without_lines() -> None:
    found = case("MD03")
    html = lines_html(PageContent(text=found["input"]["raw"]))
    assert [
        "".join(e.itertext()) for e in elements(html) if e.tag.endswith("}pre")
    ] == found["expect"]["visible_text"]  # fmt: skip


def test_fm02_left_without_right_is_shown_with_an_error_mark() -> None:
    raw = case("FM02")["input"]["raw"]
    html = formula_html(raw)
    assert_safe(html)
    assert visible_text(html) == raw
    assert "<mark>\\left</mark>" in html
    assert "<mark>\\left</mark>" in render_markdown(f"$${raw}$$")


@pytest.mark.parametrize("raw", case("FM03")["input"]["raws"])
def test_fm03_delimiters_of_every_kind(raw: str) -> None:
    assert bare_latex(raw) == case("FM03")["expect"]["latex"]


def test_fm05_prices_become_formulas() -> None:
    found = case("FM05")
    html = render_markdown(found["input"]["raw"])
    assert "<math" not in html
    for text in found["expect"]["visible_text"]:
        assert text in visible_text(html)


def test_xs02_script_in_a_table_cell() -> None:
    found = case("XS02")
    for html in (sanitize_table(found["input"]["raw"]), render_markdown(found["input"]["raw"])):
        assert_safe(html)
        assert_forbidden_is_absent(found, html)
        cells = ["".join(e.itertext()) for e in elements(html) if e.tag.endswith("}td")]
        assert cells == found["expect"]["grid_text_contains"]


def test_xs03_links_and_pictures_in_markdown() -> None:
    found = case("XS03")
    html = render_markdown(found["input"]["raw"])
    assert_safe(html)
    assert_forbidden_is_absent(found, html)
    assert "pay" in visible_text(html)


def test_xs05_closing_the_script_element() -> None:
    found = case("XS05")
    fields = found["expect"]["fields"]
    made = script_json(fields)
    assert json.loads(made) == fields
    for pattern in found["expect"]["embedded_json_forbid"]:
        assert not re.search(pattern, made, re.IGNORECASE)
    _, texts = shown_lines(*fields.values())
    assert texts == list(fields.values())


def test_xs06_direction_override_stays_within_its_text() -> None:
    (item,) = case("XS06")["expect"]["items"]
    html, texts = shown_lines(item["text"], "next")
    assert texts == [item["text"], "next"]
    assert html.count('<bdi dir="auto">') == 2
    labels = [segment.label for segment in reveal_invisible(item["text"]) if segment.label]
    assert labels == ["RLO", "PDF"]


@pytest.mark.parametrize("name", ["SP25", "SP26", "SP28"])
def test_text_of_any_kind_is_shown_code_point_by_code_point(name: str) -> None:
    expected = [item["text"] for item in case(name)["expect"]["items"]]
    html, texts = shown_lines(*expected)
    assert texts == expected
    assert html.count('dir="auto"') == len(expected)


def test_sp28_emoji_joiners_and_combining_marks_are_named_on_demand() -> None:
    (item,) = case("SP28")["expect"]["items"]
    segments = reveal_invisible(item["text"])
    assert "".join(segment.text for segment in segments) == item["text"]
    assert [s.label for s in segments if s.label] == ["VS16", "ZWJ", "ZWJ", "ZWSP"]


def test_every_case_here_has_its_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [p.stem for p in CASES.glob("*.json") if p.stem not in source] == []
