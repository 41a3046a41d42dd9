from __future__ import annotations

import pytest

from ocr_ui.domain.content import Field, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.parsing.field_places import fits, place_of


def line(text: str, top: int = 0) -> TextLine:
    return TextLine(text, Quad.from_points([(0, top), (100, top), (100, top + 10), (0, top + 10)]), id=text)


LINES = [line("Total amount 12.50 EUR"), line("12.50", 20), line("合计：￥１２００", 40), line("INVOICE", 60)]


@pytest.mark.parametrize(
    ("value", "there", "left"),
    [
        ("12.50", "12.50", 0.0),
        ("amount 12.50", "Total amount 12.50 EUR", 100 * 6 / 22),
        ("¥1200", "合计：￥１２００", 100 * 3 / 8),
        ("Invoice", "INVOICE", 0.0),
        ("INV0ICE", "INVOICE", 0.0),
    ],
)
def test_a_value_is_found_where_it_stands_alone_or_where_it_is_most_alike(value: str, there: str, left: float) -> None:
    place = place_of(value, LINES)
    assert place is not None
    assert place.line.id == there
    assert place.quad is not None
    assert place.quad.points[0][0] == pytest.approx(left)


@pytest.mark.parametrize("value", [None, "", "  ", "something else entirely"])
def test_what_no_line_says_has_no_place(value: str | None) -> None:
    assert place_of(value, LINES) is None


@pytest.mark.parametrize(
    ("value", "kind", "good"),
    [
        ("12.50", "amount", True),
        (" € 1,200.00 ", "amount", True),
        ("12.50 or so", "amount", False),
        ("2026-01-31", "date", True),
        ("31st", "date", False),
        ("INV-2026/7", "number", True),
        ("anything", "text", True),
        (None, "amount", True),
        ("", "date", True),
    ],
)
def test_a_value_is_checked_against_its_kind(value: str | None, kind: str, good: bool) -> None:
    assert fits(Field("x", value, kind=kind)) is good
