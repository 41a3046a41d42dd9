"""The plain dict that the command prints."""

from __future__ import annotations

import json

import pytest

from ocr_ui.errors import BadInput
from ocr_ui.services.parse import parse_text


def test_the_shape_of_the_answer() -> None:
    found = parse_text("spotting", "<ref>A</ref><quad>(800,300),(200,100)</quad><ref>B</ref>", 2000, 500)
    assert found == {
        "lines": [
            {"text": "A", "quad": [[400, 50], [1600, 50], [1600, 150], [400, 150]], "confidence": None},
            {"text": "B", "quad": None, "confidence": None},
        ],
        "fields": [],
        "tables": [],
        "text": "A\nB",
        "warnings": [
            {
                "code": "reversed",
                "message": "The corners of a box were in the wrong order and were put right.",
                "line": 0,
            },
            {"code": "truncated", "message": "The answer was cut off; what was complete is kept.", "line": 1},
        ],
    }


def test_fields_carry_nested_values_as_json_text() -> None:
    found = parse_text("fields", '{"Total Sum": 012.50, "items": [{"p": 1.10}]}', 10, 10, ["total sum"])
    assert found["fields"] == [{"name": "total sum", "value": "012.50"}, {"name": "items", "value": '[{"p": 1.10}]'}]


def test_tables_carry_html_and_grid() -> None:
    found = parse_text("table", "<table><tr><td colspan=2>a</td></tr></table>", 10, 10)
    assert found["tables"] == [{"html": '<table><tr><td colspan="2">a</td></tr></table>', "grid": [["a", "a"]]}]


def test_markdown_is_the_document() -> None:
    assert parse_text("markdown", "# T", 10, 10) == parse_text("document", "# T", 10, 10)


@pytest.mark.parametrize("task", ["spotting", "fields", "table", "formula", "markdown"])
def test_any_answer_is_plain_json(task: str) -> None:
    json.dumps(parse_text(task, '\ud800\0<table>{"a": [', 1, 1))


@pytest.mark.parametrize(("task", "size", "code"), [("ocr", (1, 1), "unknown_task"), ("table", (0, 5), "bad_size")])
def test_what_is_no_task_and_no_size_is_refused(task: str, size: tuple[int, int], code: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_text(task, "", *size)
    assert caught.value.code == code


def test_a_warning_is_a_code_a_message_and_a_line() -> None:
    """Whatever else a warning carries inside the product: what is printed is the same for all of them."""
    (said,) = parse_text("fields", '{"a": "x", "a": "y"}', 100, 100)["warnings"]
    assert said.keys() == {"code", "message", "line"}
    assert said["code"] == "duplicate_key"
