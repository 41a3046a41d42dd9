from __future__ import annotations

import pytest

from ocr_ui.domain.content import Field, PageContent, TextLine
from ocr_ui.domain.routing import BETTER, first_that, is_better, least_confidence, read_rules, rule_value
from ocr_ui.errors import BadInput

PAGE = PageContent(
    lines=(TextLine("a", None, 0.6), TextLine("b", None, 0.9)),
    fields=(
        Field("Total", "12.50", confidence=0.93, kind="amount"),
        Field("Day", "1 May", confidence=0.97, kind="date"),
        Field("Who", None, kind="text"),
    ),
)


@pytest.mark.parametrize(
    ("kind", "least"), [("any", 0.6), ("line", 0.6), ("amount", 0.93), ("date", 0.97), ("text", None), ("number", None)]
)
def test_the_least_sure_part_of_a_kind_counts(kind: str, least: float | None) -> None:
    assert least_confidence(PAGE, kind) == least


def test_amounts_may_be_held_to_more_than_running_text() -> None:
    strict, lax = read_rules(
        [{"below": 0.95, "then": "review", "kind": "amount"}, {"below": 0.5, "then": "review", "kind": "line"}]
    )
    assert strict.applies("any_template", PAGE)
    assert not lax.applies("any_template", PAGE)
    assert first_that((lax, strict), "review", "x", PAGE) == strict
    assert first_that((lax, strict), "again", "x", PAGE) is None


def test_a_rule_of_a_template_is_for_that_one_alone_and_unknown_confidence_is_not_low() -> None:
    (rule,) = read_rules([{"below": 1, "then": "review", "template": "fields"}])
    assert rule.applies("fields", PAGE)
    assert not rule.applies("full_text", PAGE)
    assert not rule.applies("fields", PageContent(lines=(TextLine("a"),)))


def test_a_measured_threshold_stands_in_for_that_of_the_rule_part_by_part() -> None:
    (rule,) = read_rules([{"below": 0.5, "then": "review"}])
    assert not rule.applies("x", PAGE)
    assert rule.applies("x", PAGE, {"field:amount": 0.95})
    assert rule.applies("x", PAGE, {"line": 0.7})
    assert not rule.applies("x", PAGE, {"line": 0.6, "cell": 1.0})
    (lines,) = read_rules([{"below": 0.99, "then": "review", "kind": "line"}])
    assert not lines.applies("x", PAGE, {"line": 0.3}), "also where it is the lower one"
    (fixed,) = read_rules([{"below": 0.5, "then": "review", "measured": False}])
    assert not fixed.applies("x", PAGE, {"line": 0.7})


def test_the_better_reading_is_the_one_whose_least_sure_part_is_surer() -> None:
    surer = PageContent(lines=(TextLine("a", None, 0.7),))
    assert is_better(PAGE, surer, "line")
    assert not is_better(surer, PAGE, "line")
    assert is_better(PAGE, PageContent(lines=(TextLine("a"),)), "line"), "asked because the first was not sure"


def test_rules_are_read_back_as_they_are_kept() -> None:
    rules = read_rules(
        [{"below": "0.8", "then": "again", "engine": "B", "keep": "both"}, {"below": 0, "then": "review"}]
    )
    assert read_rules(rule_value(rule) for rule in rules) == rules
    assert rules[1].keep == BETTER


@pytest.mark.parametrize(
    "value",
    [
        "x",
        {},
        {"below": 2, "then": "review"},
        {"below": "nan", "then": "review"},
        {"below": 0.5, "then": "burn"},
        {"below": 0.5, "then": "review", "kind": "smell"},
        {"below": 0.5, "then": "again", "keep": "none"},
        {"below": 0.5, "then": "review", "more": 1},
        {"below": 0.5, "then": "review", "measured": "yes"},
    ],
)
def test_what_is_no_rule_is_refused_by_its_number(value: object) -> None:
    with pytest.raises(BadInput) as caught:
        read_rules([{"below": 0.1, "then": "review"}, value])
    assert (caught.value.code, caught.value.details["number"]) == ("bad_rule", 2)
