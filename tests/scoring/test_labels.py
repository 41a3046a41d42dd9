"""Labels that cannot be scored, and what mends them: mended, each gets the reward it was meant to get."""

from __future__ import annotations

import pytest

from ocr_ui.domain.reward import RewardTask
from ocr_ui.scoring.labels import problems
from ocr_ui.scoring.rewards import score

JSON = '[{"box": [10, 20, 300, 40], "text": "Total"}]'
TABLE = "Some words<table><tr><td>a</td><td>b</td></tr></table>"


@pytest.mark.parametrize(
    ("task", "label", "code", "mended"),
    [
        ("spotting", " ", "label_empty", "没有文字"),
        ("spotting", "Total", "label_shape_unknown", None),
        ("spotting", f"```json\n{JSON}\n```", "label_shape_unknown", JSON),
        ("spotting", JSON.replace('"', "'"), "label_shape_unknown", JSON),
        ("spotting", "Total(10,20), (300,40)", "label_shape_unknown", "Total(10,20),(300,40)"),
        (
            "spotting",
            "<ref>Total</ref><quad>(10,20),(300,20),(300,40),(10,40)</quad>",
            "label_polygon",
            "<ref>Total</ref><quad>(10,20),(300,40)</quad>",
        ),
        (
            "spotting",
            "f(1,2),(3,4)(10,20),(300,40)b(1,2),(30,40)",
            "label_text_like_coordinates",
            '[{"box": [10, 20, 300, 40], "text": "f(1,2),(3,4)"},\n{"box": [1, 2, 30, 40], "text": "b"}]',
        ),
        (
            "spotting",
            "<ref>To\n tal</ref><quad>(10,20),(300,40)</quad>",
            "label_line_break",
            "<ref>To tal</ref><quad>(10,20),(300,40)</quad>",
        ),
        ("spotting", JSON[:-1] + ', {"text": "no box"}]', "label_lines_unread", None),
        (
            "parsing",
            TABLE.replace("<table>", '<table border="1" class="x">'),
            "label_table_attributes",
            TABLE,
        ),
        ("parsing", "Total(10, 20)（3，4） 12.50", "label_coordinates", "Total 12.50"),
        ("ie", "Total: 12.50", "label_no_object", None),
        ("ie", "{'a': 'b'}", "label_no_object", '{"a": "b"}'),
        ("ie", '[{"a": "b"}]', "label_no_object", '{"a": "b"}'),
        ("ie", "{}", "label_no_fields", None),
        ("vqa", "", "label_empty", None),
    ],
)
def test_what_is_wrong_and_what_mends_it(task: str, label: str, code: str, mended: str | None) -> None:
    found = problems(RewardTask(task), label)
    assert found[0].code == code
    assert found[0].mended == mended
    if mended is not None:
        assert problems(RewardTask(task), mended) == []
        assert score(task, mended, mended).value == 1


@pytest.mark.parametrize(
    ("task", "label"),
    [
        ("spotting", JSON),
        ("spotting", "没有文字"),
        ("spotting", "a(b)(10,20),(300,40)c(1,2),(30,40)"),
        ("spotting", "<ref>f(1,2),(3,4)</ref><quad>(10,20),(300,40)</quad>"),
        ("spotting", "<quad><pos_1><pos_2><pos_30><pos_40></quad><ref>a</ref>"),
        ("parsing", TABLE),
        ("parsing", "f(x, y) (2026) (1,2,3)"),
        ("ie", '```json\n{"a": null}\n```'),
        ("translation", "Hello (1,2)"),
    ],
)
def test_nothing_is_said_about_labels_that_are_scored_as_they_were_meant(task: str, label: str) -> None:
    assert problems(RewardTask(task), label) == []


def test_several_problems_are_mended_one_after_the_other() -> None:
    label = TABLE.replace("<table>", "<table border=1>") + "(1,2)"
    codes = []
    while found := problems(RewardTask.PARSING, label):
        codes.append(found[0].code)
        label = found[0].mended or ""
    assert codes == ["label_table_attributes", "label_coordinates"]
    assert label == TABLE


@pytest.mark.parametrize(
    "hostile",
    ["<ref>" * 20_000, "[" * 100_000, "<table " * 20_000, "(1,2)," * 20_000, "<quad>(1,2)" * 20_000, "\ud800{"],
)
def test_no_label_raises(hostile: str) -> None:
    for task in RewardTask:
        problems(task, hostile)
