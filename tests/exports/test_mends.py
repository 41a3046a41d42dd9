"""What stands in the way of scoring a label: the page without it, and what it is worth before and after."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from stored import content, line, recognition

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation, PromptUsed
from ocr_ui.domain.reward import OF_TASK, LabelProblem
from ocr_ui.exports import label_text
from ocr_ui.exports.label_text import Said, write
from ocr_ui.exports.mends import BY_HAND, MENDS, problems
from ocr_ui.exports.reasons import NoLabel
from ocr_ui.scoring.rewards import score
from ocr_ui.ui.label_messages import HINTS_ZH

SIZE = (1000, 800)
TABLE = "Some words before it<table><tr><td>a</td><td>b</td></tr></table>"
ATTRIBUTES = TABLE.replace("<table>", '<table border="1" class="x">')


def said(task: Task, page: PageContent, answer: str, read: PageContent | None = None, **prompt: Any) -> Said:
    value = recognition("0" * 64, page if read is None else read)
    used = PromptUsed("t", "v", task.value, prompt.pop("prompt", "ask"), prompt)
    return Said(replace(value, prompt=used, generation=Generation(answer)), page, SIZE)


def reward(one: Said) -> float | None:
    """By the official rule, of the answer against the label as the page has it; None where it has no label."""
    try:
        reference = write(one, reward=True)
    except NoLabel:
        return None
    return score(OF_TASK[Task(one.recognition.prompt.task)], one.recognition.generation.text, reference).value


def mended(one: Said, code: str) -> Said:
    [problem] = [problem for problem in problems(one) if problem.code == code]
    assert problem.content is not None
    return replace(one, content=problem.content)


def unplaced(*texts: str) -> PageContent:
    lines = tuple(TextLine(text, None, None, f"l{n}") for n, text in enumerate(texts))
    return PageContent(lines, text="\n".join(texts))


def test_the_whole_answer_is_looked_through_once_and_not_for_each_line() -> None:
    page = content(*(f"Line {number}" for number in range(200)))
    label_text._shape_of.cache_clear()
    problems(said(Task.SPOTTING, page, "Total(10,0),(500,19)" * 200))
    assert label_text._shape_of.cache_info().misses == 1


def test_lines_without_a_box_get_the_models() -> None:
    """The shape of the boxes is unknown: of lines without any, the official rule leaves the pair out."""
    read = content("Total", "Thanks")
    before = said(Task.SPOTTING, unplaced("TOTAL", "Thanks"), "Total(10,0),(500,19)Thanks(10,25),(500,44)", read)
    assert reward(before) is None
    assert score("spotting", before.recognition.generation.text, '[{"text": "TOTAL"}]').value == -1
    after = mended(before, "line_without_box")
    assert [one.quad for one in after.content.lines] == [one.quad for one in read.lines]
    assert [one.text for one in after.content.lines] == ["TOTAL", "Thanks"]
    assert reward(after) == pytest.approx(1 - 0.8 / 2)


def test_a_box_is_found_by_the_text_where_the_line_is_a_new_one() -> None:
    read = content("Total")
    page = PageContent((TextLine("Total", None, None, "n1"),), text="Total")
    assert mended(said(Task.SPOTTING, page, "x", read), "line_without_box").content.lines[0].quad == read.lines[0].quad


def test_a_box_that_nobody_knows_is_drawn_by_hand() -> None:
    new = PageContent((TextLine("new", None, None, "n1"),), text="new")
    [problem] = problems(said(Task.SPOTTING, new, "x", content("Total")))
    assert (problem.code, problem.content, problem.details) == ("line_without_box", None, {"line": 1})
    assert "press G" in problem.hint


def test_tables_lose_their_attributes_and_nothing_else() -> None:
    # The answer differs a little, so that the tables are looked at at all.
    before = said(Task.TABLE, PageContent(text=ATTRIBUTES), TABLE.replace("words", "word5"))
    assert reward(before) == 0
    assert reward(said(Task.TABLE, PageContent(text=ATTRIBUTES), ATTRIBUTES.replace("words", "word5"))) == -1
    after = mended(before, "label_table_attributes")
    assert after.content == PageContent(text=TABLE)
    assert reward(after) > 0.9


def test_tables_that_were_edited_beside_the_text_lose_theirs_too() -> None:
    page = PageContent(tables=(Table('<table id="1"><tr><td>b</td></tr></table>'),), text="<table></table>")
    after = mended(said(Task.TABLE, page, "x", PageContent(text="<table></table>")), "label_table_attributes")
    assert after.content.tables[0].html == "<table><tr><td>b</td></tr></table>"


def test_coordinates_leave_a_label_of_text() -> None:
    page = PageContent(text="x(120, 340),(560, 380)")
    before = said(Task.DOCUMENT, page, "x(120, 340),(560, 380)")
    assert reward(before) == 0
    after = mended(before, "label_coordinates")
    assert after.content.text == "x,"
    assert reward(after) == 1


def test_coordinates_leave_the_lines_that_the_text_follows() -> None:
    page = content("Total(1,2)", "(3,4),(5,6)"[:5], "12.50")
    after = mended(said(Task.TEXT, page, "Total\n12.50"), "label_coordinates").content
    assert ([one.text for one in after.lines], after.text) == (["Total", "12.50"], "Total\n12.50")
    assert after.lines[0].quad == page.lines[0].quad


@pytest.mark.parametrize("text", ["{'Total': '12.50'}", '[{"Total": "12.50"}]', "Total: 12.50"])
def test_an_object_is_made_of_a_text_in_another_notation(text: str) -> None:
    asked = {"prompt": "find ['Total'] now", "fields": "Total"}
    before = said(Task.FIELDS, PageContent(text=text), '{"Total": "12.50"}', **asked)
    assert reward(before) is None
    after = mended(before, "no_fields")
    assert [(one.name, one.value) for one in after.content.fields] == [("Total", "12.50")]
    assert reward(after) == 1


def test_without_any_value_the_names_asked_for_are_absent() -> None:
    before = said(Task.FIELDS, PageContent(), "{}", prompt="find ['Total','No'] now", fields="Total, No")
    assert [(one.name, one.value) for one in mended(before, "no_fields").content.fields] == [
        ("Total", None),
        ("No", None),
    ]
    [nothing_asked] = problems(said(Task.FIELDS, PageContent(), "{}"))
    assert (nothing_asked.code, nothing_asked.content) == ("no_fields", None)


def test_a_name_that_comes_twice_keeps_its_first_value() -> None:
    page = PageContent(fields=(Field("a", None), Field("a", "1"), Field("b", "x"), Field("a", "2")))
    before = said(Task.FIELDS, page, '{"a": "1", "b": "x"}')
    assert reward(before) is None
    after = mended(before, "field_twice")
    assert [(one.name, one.value, one.alternatives) for one in after.content.fields] == [
        ("a", "1", ("2",)),
        ("b", "x", ()),
    ]
    assert reward(after) == 1


@pytest.mark.parametrize(
    ("text", "fits"),
    [("f(1,2),(3,4)", "f(1,2) (3,4)"), ("at (10,20)，(30,40)", "at (10,20) (30,40)")],
)
def test_a_text_like_coordinates_gets_a_blank_for_a_comma(text: str, fits: str) -> None:
    """In the model's own shape the rule takes the end of the text for the box; as JSON it does not."""
    box = "(10,0),(500,19)"
    assert score("spotting", f'[{{"box": [10, 0, 500, 19], "text": "{text}"}}]', f"f(1,2),(3,4){box}").value == 0
    before = said(Task.SPOTTING, content(text), f"x{box}")
    assert write(before, reward=True).startswith("[")
    with pytest.raises(NoLabel):
        write(before)
    after = mended(before, "label_text_like_coordinates")
    assert write(after) == f"{fits}{box}"
    assert score("spotting", f'[{{"box": [10, 0, 500, 19], "text": "{text}"}}]', write(after)).value > 0.9


def test_a_text_that_is_nothing_but_coordinates_fits_without_its_comma() -> None:
    before = said(Task.SPOTTING, content("(1,2),(3,4)"), "x(1,2),(3,4)")
    [problem] = problems(before)
    assert problem.code == "label_text_like_coordinates"
    assert "JSON" in problem.hint
    after = mended(before, "label_text_like_coordinates")
    assert [line.text for line in after.content.lines] == ["(1,2) (3,4)"]
    assert not problems(after)


@pytest.mark.parametrize(("text", "fits"), [("To\ntal", "To tal"), (" Total", "Total")])
def test_what_the_shape_drops_at_the_ends_and_line_breaks(text: str, fits: str) -> None:
    before = said(Task.SPOTTING, content(text), "x(10,0),(500,19)")
    after = mended(before, "label_only_json")
    assert after.content == content(fits)
    assert write(after) == f"{fits}(10,0),(500,19)"


def test_several_lines_are_mended_at_once_and_problems_one_after_the_other() -> None:
    page = PageContent(text=ATTRIBUTES + "(1,2)" + ATTRIBUTES)
    one, codes = said(Task.DOCUMENT, page, TABLE), []
    while found := problems(one):
        codes.append(found[0].code)
        one = mended(one, found[0].code)
    assert codes == ["label_table_attributes", "label_coordinates"]
    assert one.content.text == TABLE + TABLE


@pytest.mark.parametrize(
    ("task", "page"),
    [
        (Task.SPOTTING, PageContent()),
        (Task.SPOTTING, content("f(x, y)", "a(b)")),
        (Task.TEXT, PageContent()),
        (Task.TABLE, PageContent(text=TABLE)),
        (Task.FIELDS, PageContent(fields=(Field("a", None),))),
        (Task.QA, PageContent(text="at (1,2)")),
    ],
)
def test_nothing_is_said_about_labels_that_can_be_scored(task: Task, page: PageContent) -> None:
    assert problems(said(task, page, "x(1,2),(3,4)")) == ()


def test_what_cannot_be_mended_says_what_to_do() -> None:
    table = PageContent(tables=(Table("<table></table>"),), text="none")
    found: list[LabelProblem] = [
        *problems(said(Task.TABLE, table, "x", PageContent(text="none"))),
        *problems(said(Task.TABLE, PageContent(), "x")),
        *problems(said(Task.LAYOUT, PageContent(text="b"), "x", PageContent(text="a"))),
    ]
    assert [one.code for one in found] == ["tables_apart", "label_empty", "layout_corrected"]
    assert all(one.hint and one.content is None for one in found)


def test_each_problem_has_a_hint_in_both_languages() -> None:
    assert set(BY_HAND) == set(HINTS_ZH)
    assert set(MENDS) <= set(BY_HAND)


def test_a_mend_is_offered_only_where_it_helps() -> None:
    """Two brackets stand in one line and are taken out; another begins in a line and ends in the next."""
    page = PageContent((line("a(3,4) x(1,", 0, "l0"), line("2)", 1, "l1")), text="a(3,4) x(1,\n2)")
    [problem] = problems(said(Task.TEXT, page, "x"))
    assert problem.code == "label_coordinates"
    assert problem.content is None
    assert problem.hint


def test_a_line_that_nobody_can_read_is_no_problem_of_the_label() -> None:
    assert problems(said(Task.SPOTTING, content("Total", ""), "x(1,2),(3,4)")) == ()
