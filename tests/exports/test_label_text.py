"""A page as the answer of a model, in its own shape and in others."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from stored import content, recognition

from ocr_ui.domain.content import Field, PageContent, Table
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation, PromptUsed
from ocr_ui.exports.label_text import Said, write
from ocr_ui.exports.reasons import NoLabel
from ocr_ui.parsing.spotting_format import Shape, shape_of

SIZE = (1000, 800)
TABLE = "<table><tr><td>{}</td></tr></table>"


def said(task: Task, page: PageContent, answer: str, read: PageContent | None = None, prompt: str = "") -> Said:
    value = recognition("0" * 64, page if read is None else read)
    value = replace(value, prompt=PromptUsed("t", "v", task.value, prompt), generation=Generation(answer))
    return Said(value, page, SIZE)


@pytest.mark.parametrize(
    ("answer", "prompt", "shape"),
    [
        ('```json\n[{"box": [1, 2, 3, 4], "text": "a"}]\n```', "", Shape.JSON),
        ("[]", "", Shape.JSON),
        ("<quad><pos_1><pos_2><pos_3><pos_4></quad><ref>a</ref>", "", Shape.POSITIONS),
        ("<ref>a</ref><quad>(1,2),(3,4)</quad>", "", Shape.TAGS),
        ("a(1,2),(3,4)", "as JSON", Shape.BARE),
        ("a", "as JSON", Shape.JSON),
        ("a", "", Shape.BARE),
    ],
)
def test_the_shape_of_an_answer(answer: str, prompt: str, shape: Shape) -> None:
    assert shape_of(answer, prompt) is shape


def test_lines_take_the_shape_of_the_answer_and_json_where_a_reward_may_and_that_cannot_hold_them() -> None:
    page = content("Total", "Thanks")
    assert write(said(Task.SPOTTING, page, "x(1,2),(3,4)")) == "Total(10,0),(500,19)Thanks(10,25),(500,44)"
    tags = write(said(Task.SPOTTING, page, "<ref>x</ref><quad>(1,2),(3,4)</quad>"))
    assert tags == "<ref>Total</ref><quad>(10,0),(500,19)</quad><ref>Thanks</ref><quad>(10,25),(500,44)</quad>"
    odd = said(Task.SPOTTING, content("f(1,2),(3,4)"), "x(1,2),(3,4)")
    changes: Counter[str] = Counter()
    assert json.loads(write(odd, changes, reward=True)) == [{"box": [10, 0, 500, 19], "text": "f(1,2),(3,4)"}]
    assert changes["labels_as_json"] == 1
    with pytest.raises(NoLabel) as failed:
        write(odd)
    assert (failed.value.reason.code, failed.value.reason.details) == (
        "shape_cannot_hold",
        {"line": 1, "shape": "bare"},
    )


def test_pages_without_text() -> None:
    assert write(said(Task.SPOTTING, PageContent(), "x(1,2),(3,4)")) == "没有文字"
    with pytest.raises(NoLabel, match="empty"):
        write(said(Task.TABLE, PageContent(), "x"))


def test_a_text_that_was_edited_is_the_label_and_not_the_models_tables_beside_it() -> None:
    read = PageContent(tables=(Table(TABLE.format("a")),), text=TABLE.format("a"))
    edited = replace(read, text=TABLE.format("b"))
    assert write(said(Task.TABLE, edited, "x", read)) == TABLE.format("b")


def test_tables_stand_as_they_are() -> None:
    table = TABLE.replace("<table>", '<table border="1">').format("a")
    page = PageContent(text=table)
    assert write(said(Task.TABLE, page, "x")) == table


def test_two_fields_of_one_name_are_no_object() -> None:
    with pytest.raises(NoLabel) as failed:
        write(said(Task.FIELDS, PageContent(fields=(Field("a", "1"), Field("a", "2"))), "{}"))
    assert failed.value.reason.details == {"name": "a"}


@pytest.mark.parametrize("reward", [True, False])
def test_a_line_that_nobody_can_read_stands_in_no_label(reward: bool) -> None:
    page = content("Total", " ", "Thanks")
    changes: Counter[str] = Counter()
    found = write(said(Task.SPOTTING, page, "x(1,2),(3,4)"), changes, reward)
    assert found == "Total(10,0),(500,19)Thanks(10,50),(500,69)"
    assert changes["illegible_lines_left_out"] == 1
    with pytest.raises(NoLabel) as failed:  # not a page without text
        write(said(Task.SPOTTING, content("", ""), "x(1,2),(3,4)"), reward=reward)
    assert failed.value.reason.code == "all_illegible"
