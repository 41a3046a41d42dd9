"""Loops are found by their tail; what a page may really hold is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocr_ui.parsing.repeats import RepeatGuard, find_repeat

PAGE = "".join(f"Line {i} of a page with ordinary words, {i * 37 % 101} of them.\n" for i in range(60))

LOOPS = {
    "a word": "Title\n" + "abc " * 300,
    "a short answer": "abc " * 30,
    "one letter": PAGE + "a" * 500,
    "Chinese": "标题\n" + "发票号码" * 40,
    "blank lines": "Title" + "\n" * 200,
    "a ruler": "Title " + "." * 2000,
    "a form": "Date: " + "_____ of " * 100,
    "a line": PAGE + "The quick brown fox.\n" * 60,
    "a sentence of a line": PAGE + "The quick brown fox jumps over the lazy dog again.\n" * 14,
    "a paragraph": PAGE + ("A paragraph that is rather long and goes on for a while. " * 1 + "It has sentences. ") * 12,
    "several lines": PAGE + "first line of three\nsecond line\nthird line\n" * 50,
    "empty rows": "<table>" + "<tr><td></td><td></td></tr>" * 200,
    "empty cells": "<table><tr>" + "<td></td>" * 200,
    "equal boxes": "<ref>B</ref><quad>(1,50),(30,80)</quad>" * 12,
    "equal JSON entries": '[{"box":[1,2,3,4],"text":"B"}' + ',{"box":[1,2,3,4],"text":"B"}' * 12,
    "a long unit": (PAGE[:1500]) * 5,
    "zeros without end": PAGE + "0.00\n" * 400,
    "cut in the middle of a turn": "Title\n" + "one two three four five " * 40 + "one tw",
}
REAL = {
    "a page": PAGE,
    "thirty equal amounts": PAGE + "0.00\n" * 30,
    "a hundred equal amounts": PAGE + "0.00\n" * 100,
    "a table of equal figures, still open": "<table>" + "<tr><td>0.00</td><td>0.00</td></tr>" * 80,
    "a finished table of many equal rows": "<table>" + "<tr><td>x</td><td>y</td></tr>" * 500 + "</table>",
    "a blank form": PAGE + "| | | |\n" * 40,
    "empty rows of a form": "<table>" + "<tr><td></td><td></td></tr>" * 40,
    "a dotted line": "Contents " + "." * 150,
    "dotted leaders": "".join(f"Chapter {i} {'.' * 60} {i * 3}\n" for i in range(30)),
    "a signature line": PAGE + "_" * 120,
    "a chorus": "la la la\n" * 6,
    "yes in every row": PAGE + "Yes\n" * 30,
    "a numbered list": "".join(f"{i}. item\n" for i in range(1, 120)),
    "five blank lines": PAGE + "\n" * 20,
    "the same text in a grid of boxes": "".join(f"0({i * 9},1),({i * 9 + 5},9)" for i in range(100)),
    "a loop that ended": "abc " * 300 + PAGE,
    "nothing": "",
}
ENDED = ("a finished table of many equal rows", "a loop that ended")
"""What looked like a loop until it ended."""


@pytest.mark.parametrize("kind", LOOPS)
def test_a_loop_is_found_where_it_starts(kind: str) -> None:
    text = LOOPS[kind]
    found = find_repeat(text)
    assert found is not None
    assert found.exact
    assert text.startswith(found.unit * found.count, found.start)
    rest = text[found.start + len(found.unit) * found.count :]
    assert found.unit.startswith(rest)
    assert found.cut - found.start == len(found.unit)


@pytest.mark.parametrize("kind", REAL)
def test_what_a_page_may_hold_is_no_loop(kind: str) -> None:
    assert find_repeat(REAL[kind]) is None


def test_one_turn_and_all_before_it_is_kept() -> None:
    text = "Title\n" + "abc " * 300
    found = find_repeat(text)
    assert found is not None
    assert text[: found.cut] == "Title\nabc "
    assert (found.unit, found.count) == ("abc ", 300)


def test_a_turn_begins_where_a_row_begins() -> None:
    found = find_repeat("<table><tr><td>a</td><td></td></tr>" + "<tr><td></td><td></td></tr>" * 200 + "<tr><td></t")
    assert found is not None
    assert found.unit == "<tr><td></td><td></td></tr>"


def test_lines_that_count_up_are_a_loop_that_is_not_cut() -> None:
    text = "".join(f"{i}. item\n" for i in range(1, 1500))
    found = find_repeat(text)
    assert found is not None
    assert not found.exact
    assert found.count >= 300


def test_a_long_list_whose_numbers_do_not_count_is_none() -> None:
    assert find_repeat("".join(f"{i * i % 997} item\n" for i in range(1500))) is None


@settings(deadline=None)
@given(st.text(min_size=1, max_size=40), st.text(max_size=200), st.integers(0, 39))
def test_a_unit_repeated_a_thousand_times_is_found(unit: str, before: str, rest: int) -> None:
    found = find_repeat(before + unit * 1000 + unit[:rest])
    assert found is not None
    assert len(found.unit) <= len(unit)
    assert found.start <= len(before) + len(unit)


@pytest.mark.parametrize("kind", ["a word", "several lines", "equal boxes", "a long unit"])
def test_the_guard_stops_a_running_loop(kind: str) -> None:
    text = LOOPS[kind]
    text += text[-len(text) // 2 :] * 4
    guard = RepeatGuard()
    stopped = next((at for at in range(0, len(text), 7) if guard.feed(text[at : at + 7])), None)
    assert stopped is not None
    assert stopped < len(text)


@pytest.mark.parametrize("kind", [kind for kind in REAL if kind not in ENDED])
def test_the_guard_lets_a_real_page_pass(kind: str) -> None:
    guard = RepeatGuard()
    text = REAL[kind]
    assert not any(guard.feed(text[at : at + 5]) for at in range(0, len(text), 5))
