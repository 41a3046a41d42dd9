"""Kinds of table answers beyond the collected cases."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import dispatch, table_grid, table_html, tables


def parse(text: str, task: Task = Task.TABLE) -> PageContent:
    return dispatch.parse(task, text, (100, 100))


def grids(content: PageContent) -> list[list[list[str]]]:
    return [[list(row) for row in table.grid] for table in content.tables]


def codes(content: PageContent) -> set[str]:
    return {warning.code for warning in content.warnings}


def row(cells: str) -> str:
    return f"<table><tr>{cells}</tr></table>"


READS: dict[str, tuple[str, list[list[list[str]]], set[str]]] = {
    "colspan": (row('<td colspan="2">a</td><td>b</td>'), [[["a", "a", "b"]]], set()),
    "rowspan": ("<table><tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
                [[["a", "b"], ["a", "c"]]], set()),
    "both spans": ("<table><tr><td rowspan=2 colspan=2>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
                   [[["a", "a", "b"], ["a", "a", "c"]]], set()),
    "a rowspan beyond the end": (row("<td rowspan=3>a</td><td>b</td>"), [[["a", "b"]]], {"repaired"}),
    "a wide head over a single row": (row("<td colspan=7>a</td>"), [[["a"] * 7]], set()),
    "head, body and foot": ("<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody>"
                            "<tfoot><tr><td>c</td></tr></tfoot></table>", [[["a"], ["b"], ["c"]]], set()),
    "upper case": ("<TABLE><TR><TD>a</TD></TR></TABLE>", [[["a"]]], set()),
    "attributes": ('<table border="1" class="x"><tr style="a"><td align=left>a</td></tr></table>', [[["a"]]], set()),
    "cells without rows": ("<table><td>a</td><td>b</td></table>", [[["a", "b"]]], {"repaired"}),
    "rows without a table": ("<tr><td>a</td></tr><tr><td>b</td></tr>", [[["a"], ["b"]]], {"repaired", "truncated"}),
    "a lost opening tag": ("<tr><td>a</td></tr></table>", [[["a"]]], {"repaired"}),
    "a lost closing tag between tables": ("<table><tr><td>a</td></tr><table><tr><td>b</td></tr></table></table>",
                                          [[["a"]], [["b"]]], {"repaired"}),
    "a table in a cell": (row("<td>a<table><tr><td>x</td><td>y</td></tr><tr><td>z</td></tr></table></td><td>b</td>"),
                          [[["a\nx y\nz", "b"]]], {"repaired"}),
    "an empty table": ("<table></table>", [[]], {"empty"}),
    "empty cells": (row("<td></td><td> &nbsp; </td>"), [[["", ""]]], {"empty"}),
    "rows of unequal length": ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
                               [[["a", "b"], ["c", ""]]], {"ragged"}),
    "entities": (row("<td>a &amp; b &lt;i&gt; &#65; &eacute;</td>"), [[["a & b <i> A é"]]], set()),
    "an unknown entity": (row("<td>R&D; &foo;</td>"), [[["R&D; &foo;"]]], set()),
    "words in angle brackets": (row("<td>Press <Enter> or <s nip></td>"), [[["Press <Enter> or <s nip>"]]], set()),
    "comparisons": (row("<td>5 < 6 > 4</td><td>$a<b$ and $c>d$</td>"), [[["5 < 6 > 4", "$a<b$ and $c>d$"]]], set()),
    "paragraphs": (row("<td><p>one</p><p>two</p></td>"), [[["one\ntwo"]]], set()),
    "bold and italic": (row("<td><b>a</b><i>b</i></td>"), [[["ab"]]], set()),
    "sub and sup": (row("<td>H<sub>2</sub>O</td><td>x<sup>2</td>"), [[["H<sub>2</sub>O", "x<sup>2</sup>"]]], set()),
    "line breaks of the source": ("<table>\n <tr>\n  <td>\n   one\n   two\n  </td>\n </tr>\n</table>",
                                  [[["one two"]]], set()),
    "Markdown in a cell": (row("<td>**a** | b</td>"), [[["**a** | b"]]], set()),
    "a NUL and a lone surrogate": (row("<td>a\0b\ud800c</td>"), [[["a\0b\ud800c"]]], set()),
    "control characters": (row("<td>a\x01b\x1bc</td>"), [[["a\x01b\x1bc"]]], set()),
    "a half start tag": ("<table><tr><td>a</td><td</tr><tr><td>b</td></tr></table>",
                         [[["a", ""], ["b", ""]]], {"ragged", "repaired"}),
    "a half end tag": ("<table><tr><td>a</td<td>b</td></tr></table>", [[["a", "b"]]], {"repaired"}),
    "an attribute that is not closed": (row('<td colspan="2>a</td><td>b</td>'), [[["a", "a", "b"]]], {"repaired"}),
    "a script that is not closed": (row("<td>a<script></td><td>b</td>"), [[["a", "b"]]], {"repaired"}),
    "a textarea that is not closed": (row('<td>a<textarea rows="2"></td><td>b</td>'), [[["a", "b"]]], set()),
    "a comment": (row("<td>a<!-- x --></td><td>b</td>"), [[["a", "b"]]], set()),
    "a doctype": ("<!DOCTYPE html><html><body>" + row("<td>a</td>") + "</body></html>", [[["a"]]], set()),
    "a fence": ("```html\n" + row("<td>a</td>") + "\n```", [[["a"]]], set()),
    "HTML in a JSON text": ('{"table": "<table><tr><td colspan=\\"2\\">a</td></tr></table>"}', [[["a", "a"]]], set()),
    "JSON rows": ('[["a", "b"], ["1.50", null]]', [[["a", "b"], ["1.50", ""]]], {"repaired"}),
    "JSON objects": ('[{"a": 1.50, "b": "x"}, {"a": 007}]', [[["a", "b"], ["1.50", "x"], ["007", ""]]], {"repaired"}),
    "tabs": ("a\tb\n1\t2\n", [[["a", "b"], ["1", "2"]]], {"repaired"}),
    "pipes without outer pipes": ("a | b\n--- | ---\n1 | 2", [[["a", "b"], ["1", "2"]]], set()),
    "pipes without a rule": ("| a | b |\n| 1 | 2 |", [[["a", "b"], ["1", "2"]]], set()),
    "pipes with breaks": ("| a<br>b | c |\n|---|---|", [[["a\nb", "c"]]], set()),
    "pipes and an empty last cell": ("| a | b |\n|---|---|\n| 1 |  |", [[["a", "b"], ["1", ""]]], set()),
    "pipes of unequal length": ("| a | b |\n|---|---|\n| 1 |", [[["a", "b"], ["1", ""]]], {"ragged"}),
    "cut in a tag": ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</t",
                     [[["a", "b"], ["c", ""]]], {"ragged", "truncated"}),
    "cut after a row": ("<table><tr><td>a</td></tr>", [[["a"]]], {"truncated"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", READS)
def test_what_is_read_and_what_is_told(kind: str) -> None:
    text, wanted, told = READS[kind]
    content = parse(text)
    assert grids(content) == wanted
    assert codes(content) == told


def test_a_caption_is_kept() -> None:
    content = parse("<table><caption>Prices & more</caption><tr><td>a</td></tr></table>")
    assert content.tables[0].html == "<table><caption>Prices &amp; more</caption><tr><td>a</td></tr></table>"


def test_clean_html_keeps_spans_heads_breaks_and_raised_text_alone() -> None:
    source = '<table id=x><tr><th colspan="2" onclick="x()">a<br>b</th></tr><tr><td>m<sup>2</sup></td><td><img src=x>&lt;c</td></tr></table>'  # noqa: E501
    assert parse(source).tables[0].html == (
        '<table><tr><th colspan="2">a<br>b</th></tr><tr><td>m<sup>2</sup></td><td>&lt;c</td></tr></table>'
    )


def test_text_between_cells_is_kept_beside_the_table() -> None:
    content = parse("<table>Total<tr><td>a</td></tr>and</table>")
    assert [line.text for line in content.lines] == ["Total", "and"]
    assert "repaired" in codes(content)


def test_prose_without_a_table_is_unparsed_text() -> None:
    content = parse("There is no table.")
    assert [line.text for line in content.lines] == ["There is no table."]
    assert codes(content) == {"unparsed"}


def test_a_loop_of_empty_rows_is_dropped_but_empty_rows_of_a_closed_form_stay() -> None:
    rows = "<tr><td></td><td></td></tr>"
    assert len(grids(parse("<table><tr><td>a</td><td>b</td></tr>" + rows * 300))[0]) == 1
    assert len(grids(parse("<table><tr><td>a</td><td>b</td></tr>" + rows * 20 + "</table>"))[0]) == 21


def test_absurd_spans_in_a_large_table_stay_bounded() -> None:
    cell = '<td colspan="1000" rowspan="1000">x</td>'
    content = parse("<table>" + f"<tr>{cell * 3}</tr>" * 500 + "</table>")
    assert sum(len(line) for line in content.tables[0].grid) <= 20 * table_html.MOST_CELLS
    assert "limit" in codes(content)


def test_more_cells_than_a_page_holds_are_told() -> None:
    content = parse("<table>" + "<tr><td>1</td><td>2</td></tr>" * 15_000 + "<tr><td>end</td></tr></table>")
    assert "limit" in codes(content)


def test_tables_of_a_document_stand_as_clean_html_in_its_text() -> None:
    content = parse(
        "# T\n\n<table border=1><tr><td>a</td></tr></table>\n\nafter\n\n| b | c |\n|---|---|\n", Task.DOCUMENT
    )
    assert content.text.startswith("# T\n\n<table><tr><td>a</td></tr></table>\n\nafter")
    assert grids(content) == [[["a"]], [["b", "c"]]]
    assert [line.text for line in content.lines] == ["# T", "after"]


def test_pipes_in_the_prose_of_a_document_are_no_table() -> None:
    text = "either | or\nA -->|yes| B"
    content = parse(text, Task.DOCUMENT)
    assert content.tables == ()
    assert content.text == text


CELLS = st.lists(st.lists(st.text(max_size=8), min_size=2, max_size=4), min_size=1, max_size=4).map(
    lambda rows: [[cell.strip() for cell in line[: min(map(len, rows))]] for line in rows]
)


@settings(max_examples=80, deadline=None)
@given(CELLS)
def test_clean_html_reads_back_to_the_same_grid(rows: list[list[str]]) -> None:
    rows = [["\n".join(part.strip() for part in cell.split("\n") if part.strip()) for cell in line] for line in rows]
    rows = [[" ".join(cell.split(" ")) for cell in line] for line in rows if any(line)]
    rows = [[cell.translate({9: " ", 13: " ", 12: " "}).strip() for cell in line] for line in rows]
    if not rows or any(c in cell for line in rows for cell in line for c in "\n\x0b\x1c\x1d\x1e\x1f\x85\u2028\u2029"):
        return
    table = table_grid.from_rows(rows, {})
    assert [list(line) for line in table.grid] == rows
    assert grids(parse(table.html)) == [rows]


@settings(max_examples=80, deadline=None)
@given(CELLS)
def test_markdown_reads_back_to_the_same_grid(rows: list[list[str]]) -> None:
    odd = set("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
    if any(odd & set(cell) or "<br" in cell or cell.endswith("\\") for line in rows for cell in line):
        return
    head, rule, *body = table_grid.to_markdown(rows).split("\n")
    assert rule.count("---") == len(rows[0])
    assert [tables.pipe_cells(line) for line in (head, *body)] == rows


@settings(max_examples=100, deadline=None)
@given(CELLS)
def test_csv_reads_back_to_the_same_grid(rows: list[list[str]]) -> None:
    assert list(csv.reader(io.StringIO(table_grid.to_csv(rows), newline=""))) == rows


SOUP = st.lists(
    st.sampled_from(
        [
            *("<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th colspan=3 rowspan='2'>", "<td rowspan=9>"),
            *("<", "a", "<!--", "-->", "<script>", "</script>", "<sup>", "</sub>", "<br>", "<p>", "<x>", "&", "&lt;"),
            *('"', "\0", "\ud800", "<caption>", "<tbody>", "<img src=x onerror=y>", "<td style='", "|", "\n"),
            *("<plaintext a=b>", "<svg onload=1>"),
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=120, deadline=None)
@given(SOUP)
def test_any_soup_gives_clean_html_and_even_grids(text: str) -> None:
    for table in parse(text).tables:
        assert len({len(line) for line in table.grid}) <= 1
        if "\0" in table.html or "\ud800" in table.html:
            continue
        for element in lxml_html.fromstring(table.html).iter():
            assert element.tag in table_html.KEPT
            assert set(element.attrib) <= {"colspan", "rowspan"}
