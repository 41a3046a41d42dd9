"""docs/cases.md names every case once, with tests that exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TITLES = dict(
    row.split(" ", 1) for row in (ROOT / "tests/cases/CASES.txt").read_text(encoding="utf-8").strip().splitlines()
)
DOCUMENT = (ROOT / "docs/cases.md").read_text(encoding="utf-8")
ROWS = [tuple(cell.strip() for cell in row.split("|")[1:-1]) for row in DOCUMENT.splitlines() if row.startswith("| ")]
ROWS = ROWS[1:]


@cache
def names_in(file: str) -> set[str]:
    """The tests of a file, in Python or in JavaScript."""
    source = (ROOT / file).read_text(encoding="utf-8")
    found = re.findall(r'^(?:async )?def (test_\w+)|^test\("(.+?)"', source, re.MULTILINE)
    return {python or script for python, script in found}


def test_every_case_stands_in_the_table_once() -> None:
    assert [row[0] for row in ROWS] == list(TITLES)
    assert len(TITLES) == 114


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_its_tests_exist_and_its_state_is_said(row: tuple[str, str, str, str]) -> None:
    case, title, held, state = row
    assert title.replace("&#124;", "|").replace("&lt;", "<") == TITLES[case]
    tests = re.findall(r"`([^`]+)`", held)
    assert tests
    for test in tests:
        file, name = test.split("::")
        assert name in names_in(file), test
    assert state == "right" or state.startswith("not yet: ")


def test_the_count_is_the_tables() -> None:
    assert f"Right: {sum(row[3] == 'right' for row in ROWS)} of {len(ROWS)}." in DOCUMENT


def test_every_case_with_data_has_its_file_here() -> None:
    kept = {path.stem for folder in ("parsing", "render", "upload", "export") for path in
            (ROOT / "tests/cases" / folder).glob("*.json")}  # fmt: skip
    assert {case for case in TITLES if not case.startswith(("EN", "PE"))} == kept
