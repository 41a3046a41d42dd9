"""Our own rewards: what they repair of the official ones."""

from __future__ import annotations

import json

import pytest

from ocr_ui.scoring.rewards import score


def clean(task: str, response: str, reference: str) -> float | None:
    found = score(task, response, reference, "clean")
    assert found.name == "clean"
    return found.value


def test_the_order_of_lines_does_not_change_the_value() -> None:
    label = "a(0,0),(100,100)b(0,0),(100,60)"
    exact, wide = "a(0,0),(100,100)", "b(0,0),(100,80)"
    assert clean("spotting", exact + wide, label) == clean("spotting", wide + exact, label) == 1
    assert score("spotting", wide + exact, label).value == 0


def test_lines_missed_and_invented_cost_alike() -> None:
    a, b = "aaaa(0,0),(100,100)", "bbbb(0,200),(100,300)"
    assert clean("spotting", a, a + b) == clean("spotting", a + b, a) == pytest.approx(2 / 3)
    assert clean("spotting", a + "bbxx(0,200),(100,300)", a + b) == pytest.approx(0.75)
    assert clean("spotting", "aaaa(500,500),(600,600)", a) == 0


def test_a_page_without_text() -> None:
    assert clean("spotting", "没有文字", "没有文字") == clean("spotting", "", "") == 1
    assert clean("spotting", "a(0,0),(100,100)", "没有文字") == 0
    assert clean("spotting", "没有文字", "a(0,0),(100,100)") == 0
    assert clean("spotting", "没有文字", "a polygon") is None


def test_parts_of_values_are_compared_with_parts() -> None:
    label = json.dumps({"items": [{"name": "tea", "price": "1"}, {"name": "coffee", "price": "2"}]})
    assert clean("ie", '{"items": [{"price": "1", "name": "tea"}, {"name": "coffee", "price": "3"}]}', label) == 0.75
    assert clean("ie", '{"a": "Total  ９"}', '{"a": "Total 9"}') == 1
    assert clean("ie", '{"a": "TOTAL"}', '{"a": "total"}') == 0  # case counts in a document
    assert clean("ie", "nothing", '{"a": "x"}') == 0
    assert clean("ie", "{}", "no object") is None


def test_tables_are_seen_with_attributes_and_paired_whatever_their_order() -> None:
    one = "<table><tr><td>aa</td><td>bb</td></tr></table>"
    two = "<table><tr><td>cc</td></tr><tr><td>dd</td></tr></table>"
    assert clean("parsing", one.replace("<table>", '<table border="1">'), one) > 0.8
    assert score("parsing", one.replace("aa", "xx"), one.replace("<table>", '<table border="1">')).value in (0, -1)
    swapped = score("parsing", two + one, one + two, "clean")
    assert swapped.details["teds"] == 1
    assert score("parsing", one, one + two, "clean").details["teds"] == pytest.approx(2 / 3)


def test_there_are_no_cliffs() -> None:
    assert clean("parsing", "abcdxxxxxx", "abcdefghij") == pytest.approx(0.4)
    assert score("parsing", "abcdxxxxxx", "abcdefghij").value == 0


def test_hundreds_of_tables_are_not_paired_while_somebody_waits() -> None:
    tables = "".join(f"<table><tr><td>{number}</td></tr></table>" for number in range(500))
    found = score("parsing", tables, tables.replace("7", "8"), "clean")
    assert (found.value, found.code) == (None, "too_many_tables")
    few = "".join(f"<table><tr><td>{number}</td></tr></table>" for number in range(20))
    assert score("parsing", few, few, "clean").value == 1.0
