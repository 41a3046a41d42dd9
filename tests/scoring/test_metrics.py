"""Every measure against the package that is known for it: jiwer, rapidfuzz, apted, scipy."""

from __future__ import annotations

import random

import jiwer
import numpy as np
import pytest
from apted import APTED, Config
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html
from rapidfuzz.distance import Levenshtein
from scipy.optimize import linear_sum_assignment

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.truth import Truth
from ocr_ui.scoring.assignment import most_pairs
from ocr_ui.scoring.metrics import METRIC, corpus, plain_table, score_page, value
from ocr_ui.scoring.pairing import boxes_of, overlaps
from ocr_ui.scoring.text import EXACT, LENIENT, Normalization

SPACED = Normalization(spaces=True)
WORDS = st.lists(st.sampled_from(["Total", "12.50", "EUR", "née", "a", "b", "Tot al", "x-y"]), min_size=1, max_size=12)


def page(*texts: str) -> PageContent:
    return PageContent(lines=tuple(TextLine(text) for text in texts))


def measured(truth: Truth, read: PageContent, task: Task, key: str) -> float:
    return value(score_page(truth, read, task, EXACT)[key])


def box(left: float, top: float, width: float = 100, height: float = 20) -> TextLine:
    return TextLine("x", Quad.from_box(BoundingBox(left, top, left + width, top + height)))


@given(WORDS, WORDS)
@settings(max_examples=150, deadline=None)
def test_error_rates_are_those_of_jiwer(wanted: list[str], read: list[str]) -> None:
    right, got = " ".join(wanted), " ".join(read)
    found = score_page(Truth(text=right), page(got), Task.TEXT, SPACED)
    assert value(found["cer"]) == pytest.approx(jiwer.cer(right, got))
    assert value(found["wer"]) == pytest.approx(jiwer.wer(right, got))


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6))
@settings(max_examples=50, deadline=None)
def test_rates_of_several_pages_are_those_of_jiwer(pages: list[tuple[list[str], list[str]]]) -> None:
    pairs = [(" ".join(wanted), " ".join(read)) for wanted, read in pages]
    found = [score_page(Truth(text=right), page(got), Task.TEXT, SPACED) for right, got in pairs]
    right, got = [list(side) for side in zip(*pairs, strict=True)]
    assert corpus([one["cer"] for one in found]) == pytest.approx(jiwer.cer(right, got))
    assert corpus([one["wer"] for one in found]) == pytest.approx(jiwer.wer(right, got))


def test_chinese_words_are_characters_as_jiwer_counts_them_when_they_stand_apart() -> None:
    right, got = "合计 金额 12.50", "合訐 金 12.50"
    apart = [" ".join(text.replace("12.50", "@").replace(" ", "")) for text in (right, got)]
    assert measured(Truth(text=right), page(got), Task.TEXT, "wer") == pytest.approx(jiwer.wer(*apart))


@given(st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_distances_are_those_of_rapidfuzz(wanted: str, read: str) -> None:
    found = score_page(Truth(text=wanted), page(read), Task.TEXT, EXACT)["cer"]
    assert found == (Levenshtein.distance(wanted, read), len(wanted))
    formula = score_page(Truth(formulas=(wanted,)), page(read), Task.FORMULA, EXACT).get("formula_distance")
    bare = ["".join(text.split()) for text in (wanted, read)]
    assert formula is None or value(formula) == pytest.approx(Levenshtein.normalized_distance(*bare))


class PublishedTeds(Config):
    """The costs of the published measure: Zhong et al., PubTabNet, over apted's tree edit distance."""

    def rename(self, one, other) -> float:
        if (one.tag, one.spans) != (other.tag, other.spans):
            return 1.0
        if one.tag != "td" or not (one.text or other.text):
            return 0.0
        return Levenshtein.normalized_distance(one.text, other.text)

    def children(self, node) -> list:
        return node.children


class TreeNode:
    def __init__(self, element) -> None:
        self.tag = element.tag
        self.spans = element.get("colspan", "1"), element.get("rowspan", "1")
        self.text = (element.text or "") if element.tag == "td" else ""
        self.children = [TreeNode(child) for child in element]

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)


def published(one: str, other: str) -> float:
    trees = [TreeNode(lxml_html.fromstring(table)) for table in (one, other)]
    distance = APTED(*trees, PublishedTeds()).compute_edit_distance()
    return 1 - distance / max(tree.size() for tree in trees)


RIGHT = "<table><tr><td>Item</td><td>Price</td></tr><tr><td>Tea</td><td>2.40</td></tr></table>"


@pytest.mark.parametrize(
    "read",
    [
        RIGHT,
        RIGHT.replace("2.40", "2.48"),
        RIGHT.replace("<tr><td>Tea</td><td>2.40</td></tr>", ""),
        RIGHT.replace("<td>Item</td><td>Price</td>", '<td colspan="2">Item Price</td>'),
        "<table><tr><td>2.40</td><td>Tea</td></tr><tr><td>Price</td><td>Item</td></tr></table>",
        RIGHT.replace("</table>", "<tr><td>Milk</td><td></td></tr><tr><td>Sum</td><td>3</td></tr></table>"),
    ],
    ids=["same", "one letter", "row lost", "cells joined", "turned around", "rows invented"],
)
def test_tables_are_as_alike_as_the_published_algorithm_says(read: str) -> None:
    found = measured(Truth(tables=(RIGHT,)), PageContent(tables=(Table(read),)), Task.TABLE, "teds")
    assert found == pytest.approx(published(RIGHT, read), abs=1e-9)


def test_a_heading_cell_is_a_cell_and_groups_of_rows_are_no_part_of_a_table() -> None:
    noted = '<table border="1"><thead><tr><th>Item</th><th>Price</th></tr></thead><tbody class="a"><tr><td>Tea</td>'
    noted += "<td>2.40</td></tr></tbody></table>"
    assert plain_table(noted) == RIGHT
    assert measured(Truth(tables=(RIGHT,)), PageContent(tables=(Table(noted),)), Task.TABLE, "teds") == 1


def test_a_table_that_is_missing_or_invented_is_worth_nothing() -> None:
    two = PageContent(tables=(Table("<table><tr><td>other</td></tr></table>"), Table(RIGHT)))
    assert measured(Truth(tables=(RIGHT,)), two, Task.TABLE, "teds") == pytest.approx(0.5)
    assert measured(Truth(tables=(RIGHT, RIGHT)), PageContent(tables=(Table(RIGHT),)), Task.TABLE, "teds") == 0.5
    assert score_page(Truth(tables=()), page("x"), Task.TABLE, EXACT) == {}


def test_as_many_boxes_find_a_partner_as_scipy_can_pair() -> None:
    drawn = random.Random(7)
    for _ in range(60):
        wanted = [box(drawn.randint(0, 60), drawn.randint(0, 12)) for _ in range(drawn.randint(1, 9))]
        read = [box(drawn.randint(0, 60), drawn.randint(0, 12)) for _ in range(drawn.randint(1, 9))]
        table = np.array([[a.quad.bounds.iou(b.quad.bounds) >= 0.5 for b in read] for a in wanted])
        rows, columns = linear_sum_assignment(table, maximize=True)
        pairs = int(table[rows, columns].sum())
        found = score_page(Truth(lines=tuple(wanted)), PageContent(lines=tuple(read)), Task.SPOTTING, EXACT)
        assert found["box_precision"] == (pairs, len(read))
        assert found["box_recall"] == (pairs, len(wanted))
        assert value(found["box_f1"]) == pytest.approx(2 * pairs / (len(read) + len(wanted)))


def test_the_quick_way_of_pairing_is_taken_only_where_it_is_right() -> None:
    assert most_pairs(np.array([[True, True], [True, False]])) == 2
    assert most_pairs(np.array([[True, True], [False, False]])) == 1
    assert most_pairs(np.array([[True, False], [False, True]])) == 2
    assert most_pairs(np.zeros((0, 3), dtype=bool)) == 0


def test_boxes_that_overlap_by_less_than_half_are_two() -> None:
    truth = Truth(lines=(box(0, 0),))
    for shift, recall in ((30, 1.0), (40, 0.0)):  # 70 of 130 and 60 of 140 pixels of the width are shared
        assert measured(truth, PageContent(lines=(box(shift, 0),)), Task.SPOTTING, "box_recall") == recall
    assert overlaps(boxes_of([box(0, 0)]), boxes_of([box(30, 0)]))[0, 0] == pytest.approx(70 / 130)


def fields(**values: str | None) -> tuple[Field, ...]:
    return tuple(Field(name, one) for name, one in values.items())


def test_fields_count_by_name_and_value() -> None:
    truth = Truth(fields=fields(Total="12.50", Date="1 May", VAT=None, Shop="Ａ"))
    read = PageContent(fields=fields(total="12.50", Date="2 May", VAT=None, Shop="A", Extra="x"))
    found = score_page(truth, read, Task.FIELDS, LENIENT)
    assert found["field_exact"] == (3, 4)  # the absent one is right too
    assert found["field_precision"] == (2, 4)
    assert found["field_recall"] == (2, 3)
    assert value(found["field_f1"]) == pytest.approx(4 / 7)
    assert score_page(truth, read, Task.FIELDS, EXACT)["field_recall"] == (1, 3)
    assert score_page(truth, PageContent(), Task.FIELDS, LENIENT)["field_exact"] == (0, 4)


def test_a_page_that_was_not_read_is_wrong_from_beginning_to_end() -> None:
    truth = Truth(text="ab", lines=(box(0, 0),), fields=fields(a="1"))
    found = score_page(truth, PageContent(), Task.SPOTTING, EXACT)
    assert value(found["cer"]) == 1
    assert value(found["box_recall"]) == 0
    assert "box_precision" not in found


def test_a_blank_page_is_right_where_nothing_is_read() -> None:
    assert measured(Truth(text=""), PageContent(), Task.TEXT, "cer") == 0
    assert measured(Truth(text=""), page("ghost"), Task.TEXT, "cer") == 1
    # Of several pages what was invented counts by the characters of all.
    assert corpus([(5, 0), (0, 95)]) == pytest.approx(5 / 95)


def test_what_is_unknown_is_not_measured() -> None:
    assert score_page(Truth(), page("x"), Task.SPOTTING, EXACT) == {}
    assert set(score_page(Truth(text="x"), page("x"), Task.FIELDS, EXACT)) == set()
    assert set(score_page(Truth(text="x"), page("x"), Task.TEXT, EXACT, official=-1.0)) == {"cer", "wer"}
    assert score_page(Truth(), page("x"), Task.TEXT, EXACT, official=0.5) == {"official": (0.5, 1)}


def test_a_translation_is_compared_with_the_translation() -> None:
    truth = Truth(text="合计", answers={Task.TRANSLATE: "Total"})
    assert measured(truth, PageContent(text="Total"), Task.TRANSLATE, "cer") == 0
    assert measured(truth, PageContent(text="合计"), Task.TEXT, "cer") == 0


def test_widths_alone_can_be_made_equal() -> None:
    width = Normalization(width=True)
    assert width("１２，５　ｶﾞ é") == "12,5 ガ é"
    assert width("①é") == "①é"


def test_every_measure_has_its_row() -> None:
    everything = Truth(text="x", lines=(box(0, 0),), fields=fields(a="1"), tables=(RIGHT,), formulas=("x",))
    keys = set()
    for task in Task:
        keys |= set(score_page(everything, PageContent(lines=(box(0, 0),), fields=fields(a="1")), task, EXACT, 1.0))
    assert keys == set(METRIC) - {"facts"}
