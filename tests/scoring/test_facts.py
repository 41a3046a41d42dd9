from __future__ import annotations

import pytest

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.truth import FactKind
from ocr_ui.errors import BadInput
from ocr_ui.scoring.facts import holds, read_fact
from ocr_ui.scoring.text import EXACT, LENIENT

GRID = (("Region", "2024", "2025"), ("North", "1,204", "1,318"), ("North", "862", "907"), ("South", "2,046", "2,251"))
PAGE = PageContent(
    lines=(TextLine("The quick brown"), TextLine("fox — jumps"), TextLine("$e^{i \\pi}+1=0$")),
    tables=(Table("<table></table>", GRID),),
)


def true(data: dict, page: PageContent = PAGE, normalization=EXACT) -> bool:
    return holds(read_fact(data), page, normalization)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"type": "present", "text": "brown fox"}, True),
        ({"type": "present", "text": "brown dog"}, False),
        ({"type": "present", "text": "Brown Fox"}, False),
        ({"type": "present", "text": "Brown Fox", "case_sensitive": False}, True),
        ({"type": "present", "text": "quick brawn fox", "max_diffs": 1}, True),
        ({"type": "present", "text": "quack brawn fox", "max_diffs": 1}, False),
        ({"type": "absent", "text": "Page 3"}, True),
        ({"type": "absent", "text": "jumps"}, False),
        ({"type": "order", "before": "quick", "after": "fox"}, True),
        ({"type": "order", "before": "fox", "after": "quick"}, False),
        ({"type": "order", "before": "fox", "after": "wolf"}, False),
        ({"type": "math", "math": "e^{i\\pi} + 1 = 0"}, True),
        ({"type": "math", "math": "e^{i\\pi} - 1 = 0"}, False),
        ({"type": "table", "cell": "862", "up": "1,204", "left_heading": "North", "top_heading": "2024"}, True),
        ({"type": "cell", "cell": "862", "right": "907", "down": "2,046"}, True),
        ({"type": "cell", "cell": "862", "right": "1,318"}, False),
        ({"type": "cell", "cell": "862", "top_heading": "2025"}, False),
        ({"type": "cell", "cell": "North", "down": "South"}, True),
        ({"type": "cell", "cell": "863"}, False),
    ],
)
def test_what_holds_of_a_page(data: dict, expected: bool) -> None:
    assert true(data) is expected


def test_the_normalisation_of_the_evaluation_applies() -> None:
    wide = PageContent(text="合计：１２．５０")
    assert true({"type": "present", "text": "12.50"}, wide, LENIENT)
    assert not true({"type": "present", "text": "12.50"}, wide, EXACT)


def test_of_a_page_of_fields_the_values_are_looked_through() -> None:
    page = PageContent(fields=(Field("Total", "12.50"), Field("VAT", None)))
    assert true({"type": "present", "text": "12.50"}, page)


@pytest.mark.parametrize(
    "data",
    [{}, {"type": "baseline"}, {"type": "present"}, {"type": "order", "before": "a"}, {"type": "absent", "text": 3}],
)
def test_what_is_no_fact_is_refused(data: dict) -> None:
    with pytest.raises(BadInput) as refused:
        read_fact(data)
    assert refused.value.code == "bad_fact"


def test_a_fact_as_json() -> None:
    fact = read_fact({"type": "table", "cell": "862", "up": "1,204"})
    assert fact.kind is FactKind.CELL
    assert fact.to_dict() == {"kind": "cell", "text": "862", "around": {"up": "1,204"}, "case": True}
