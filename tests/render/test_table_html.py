"""The one place where HTML of a model is rendered on purpose: nothing but a table comes out."""

from __future__ import annotations

import pytest
from dom import PAYLOADS, assert_safe, elements, visible_text
from hypothesis import given, settings
from hypothesis import strategies as st

from ocr_ui.render import tables, visible
from ocr_ui.render.tables import MAX_NESTING, grid_html, sanitize_table, table_end


def cells(html: str) -> list[str]:
    return ["".join(e.itertext()) for e in elements(html) if e.tag.endswith(("}td", "}th"))]


def test_a_table_stays_a_table() -> None:
    html = sanitize_table(
        "<table border=1><caption>C</caption><thead><tr><th>h</th></tr></thead>"
        "<tr><td colspan=2 style='x'>m<sup>2</sup><br>y</td><td>z</td></tr></table>"
    )
    assert html == (
        '<table><caption dir="auto">C</caption><thead><tr><th dir="auto">h</th></tr></thead>'
        '<tbody><tr><td colspan="2" dir="auto">m<sup>2</sup><br>y</td><td dir="auto">z</td></tr></tbody></table>'
    )


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<table><tr><td>A</td><td>1</td></tr><tr><td>B</td><td>2 ", ["A", "1", "B", "2 "]),
        ("<table><tr><td>A<td>B<tr><td>C<td>D</table>", ["A", "B", "C", "D"]),
        ("<html><body><table><tr><td>A</td></tr></table></body></html>", ["A"]),
        ("<table><tr><td>A</td></tr><!-- note --tr><tr><td>B</td></tr></table>", ["A", "B"]),
        ("<TABLE><TR><TD>A</TD></TR></TABLE>", ["A"]),
    ],
)
def test_a_broken_table_is_closed_and_loses_nothing(html: str, texts: list[str]) -> None:
    assert cells(sanitize_table(html)) == texts


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("Press <Enter> now", "Press <Enter> now"),
        ("5 < 6 > 4", "5 < 6 > 4"),
        ("I <3 it <s nip>", "I <3 it <s nip>"),
        ("<b>bold</b> <span class='x'>s</span>", "bold s"),
        ("a<!-- hidden -->b", "ab"),
        ("a<!-- open", "a<!-- open"),
        ("&lt;b&gt; &amp;amp;", "<b> &amp;"),
        ("<script>alert(1)</script>", "alert(1)"),
        ("<unknown attr='1'>", "<unknown attr='1'>"),
        ("<td", "<td"),
        ("</", "</"),
    ],
)
def test_no_word_in_angle_brackets_vanishes(cell: str, text: str) -> None:
    html = sanitize_table(f"<table><tr><td>{cell}</td></tr></table>")
    assert_safe(html)
    assert cells(html)[0].startswith(text)


@pytest.mark.parametrize(
    ("attributes", "colspan", "rowspan"),
    [
        ('colspan="100000" rowspan="65534"', "3", "2"),
        ('colspan="0" rowspan="-1"', None, None),
        ('colspan="two" rowspan="1.9"', None, None),
        ("colspan=2 rowspan=' 2'", "2", "2"),
        ("colspan=99999999999999999999", "3", None),
    ],
)
def test_spans_reach_no_further_than_the_table(attributes: str, colspan: str | None, rowspan: str | None) -> None:
    html = sanitize_table(f"<table><tr><td {attributes}>x</td><td>y</td></tr><tr><td>z</td></tr></table>")
    first = next(e for e in elements(html) if e.tag.endswith("}td"))
    assert (first.get("colspan"), first.get("rowspan")) == (colspan, rowspan)


def test_formulas_in_cells_are_set() -> None:
    html = sanitize_table("<table><tr><td>$a_{1}&lt;2$ and $5</td></tr></table>")
    assert_safe(html)
    assert "<msub>" in html
    assert cells(html) == ["a1<2 and $5"]


def test_tables_in_tables_are_bounded() -> None:
    html = sanitize_table("<table><tr><td>" * 50 + "x")
    assert_safe(html)
    assert html.count("<table>") == MAX_NESTING
    assert "x" in visible_text(html)


def test_breaks_outside_of_cells_go() -> None:
    assert sanitize_table("<table><br><sup><tr><td>a<br>b</td><br></tr></table>") == (
        '<table><tbody><tr><td dir="auto">a<br>b</td></tr></tbody></table>'
    )


@pytest.mark.parametrize("limit", range(1000, 1019))
def test_a_very_long_table_is_cut_with_a_notice(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    for module in (visible, tables):
        monkeypatch.setattr(module, "MAX_SHOWN", limit)
    html = sanitize_table("<table>" + "<tr><td>x</td></tr>" * 100 + "</table>")
    assert_safe(html)
    assert f'data-shown="{limit}" data-all="1915"' in html
    assert set(cells(html)) <= {"x", ""}


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_runs_or_loads(payload: str) -> None:
    for html in (payload, f"<table><tr><td>{payload}</td></tr></table>", f"<table>{payload}<tr><td>x"):
        assert_safe(sanitize_table(html))


parts = st.sampled_from(
    [
        *("<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th colspan=3>", "<thead>", "<caption>", "<br>"),
        *("<sup>", "</sup>", "<td rowspan='2'", "<", ">", "&lt;", "&", '"', "'", "a", " ", "<!--", "-->", "$x$", "="),
        *("<math>", "<mtext>", "<svg>", "<style>", "</style>", "<script>", "<b>", "<Enter>", "\x00", "onclick=", "<p>"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(parts, max_size=25).map("".join))
def test_whatever_it_is_it_becomes_safe_html(html: str) -> None:
    assert_safe(sanitize_table(html))


def test_a_grid_is_text() -> None:
    html = grid_html([["<b>x</b>", "a\nb"], ["$x$", "\ud800"]])
    assert_safe(html)
    assert cells(html) == ["<b>x</b>", "ab", "$x$", "\ufffd"]
    assert html.count("<br>") == 1
    assert grid_html([]) == ""


@pytest.mark.parametrize(
    ("source", "table"),
    [
        ("<table><tr></tr></table> after", "<table><tr></tr></table>"),
        ("<table><table></table></table> after", "<table><table></table></table>"),
        ("<table><tr><td>cut", "<table><tr><td>cut"),
        ("<table><tr><td>cut\n\nProse.", "<table><tr><td>cut"),
        ("<table>a</table", "<table>a</table"),
        ("<tablet>", "<tablet>"),
    ],
)
def test_where_a_table_ends(source: str, table: str) -> None:
    assert source[: table_end(source, 0)] == table
