"""Tables as the page writes them are tables as the server writes them: tests/js holds the page to the same cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ocr_ui.parsing import table_grid, table_html

CASES = json.loads((Path(__file__).resolve().parent.parent / "cases" / "clean_tables.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_clean_table_is_written_as_it_was_read(case: dict) -> None:
    (raw,) = table_html.read(case["html"]).tables
    table = table_grid.build(raw, {})
    assert table.html == case["html"]
    assert [list(row) for row in table.grid] == case["grid"]
