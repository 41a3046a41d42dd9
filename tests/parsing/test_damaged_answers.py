"""Kinds of damage that cost text or told the wrong thing: one example each of what a model or a cut can do to an
answer."""

from __future__ import annotations

import pytest

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import dispatch
from ocr_ui.parsing.repeats import find_repeat

SIZE = (1000, 1000)
A, B = (1, 2, 30, 40), (5, 60, 70, 80)


def read(task: Task, text: str, *names: str) -> PageContent:
    """What the whole answer gives, which is what it gives piece by piece."""
    stream = dispatch.IncrementalParser(task, SIZE, names)
    for start in range(0, len(text), 7):
        stream.feed(text[start : start + 7])
    whole = dispatch.parse(task, text, SIZE, field_names=names)
    assert stream.finish() == whole
    return whole


def codes(content: PageContent) -> set[str]:
    return {warning.code for warning in content.warnings}


def items(text: str) -> list[tuple[str, tuple[int, ...] | None]]:
    lines = read(Task.SPOTTING, text).lines
    boxes = [line.quad and line.quad.bounds for line in lines]
    return [
        (line.text, box and tuple(round(side) for side in (box.left, box.top, box.right, box.bottom)))
        for line, box in zip(lines, boxes, strict=True)
    ]


def fields(text: str, *names: str) -> dict[str, str | None]:
    return {field.name: field.value for field in read(Task.FIELDS, text, *names).fields}


def grids(text: str, task: Task = Task.TABLE) -> list[list[list[str]]]:
    return [[list(row) for row in table.grid] for table in read(task, text).tables]


# ---- boxes in JSON


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("opening bracket lost", '[{"box":[1,2,30,40],"text":"A"}, "box":[5,60,70,80],"text":"B"}]'),
        ("closing bracket lost", '[{"box":[1,2,30,40],"text":"A", {"box":[5,60,70,80],"text":"B"}]'),
        ("closing bracket and comma lost", '[{"box":[1,2,30,40],"text":"A" {"box":[5,60,70,80],"text":"B"}]'),
        ("square for curly bracket", '[{"box":[1,2,30,40],"text":"A"], {"box":[5,60,70,80],"text":"B"}]'),
        ("both brackets between entries lost", '[{"box":[1,2,30,40],"text":"A","box":[5,60,70,80],"text":"B"}]'),
        ("key without its second quote", '[{"box":[1,2,30,40],"text: "A"},{"box":[5,60,70,80],"text":"B"}]'),
        ("key without its first quote", '[{"box":[1,2,30,40],text": "A"},{"box":[5,60,70,80],"text":"B"}]'),
        ("key misspelt", '[{"box":[1,2,30,40],"texxt":"A"},{"box":[5,60,70,80],"text":"B"}]'),
        ("first key broken", '[{"bo: [1,2,30,40],"text":"A"},{"box":[5,60,70,80],"text":"B"}]'),
        ("tuple for a list", '[{"text":"A","box":(1,2,30,40)},{"text":"B","box":(5,60,70,80)}]'),
        ("escaped once more", r'"[{\"box\":[1,2,30,40],\"text\":\"A\"},{\"box\":[5,60,70,80],\"text\":\"B\"}]"'),
        ("escaped without quotes", r"[{\"box\":[1,2,30,40],\"text\":\"A\"},{\"box\":[5,60,70,80],\"text\":\"B\"}]"),
    ],
)
def test_a_damaged_entry_costs_no_text(kind: str, text: str) -> None:
    found = dict(items(text))
    assert set(found) == {"A", "B"}
    assert found["A"] in (A, None)
    assert found["B"] == B
    assert codes(read(Task.SPOTTING, text)) & {"repaired", "duplicate_key"}


def test_equal_keys_with_two_texts_keep_both() -> None:
    text = '[{"text":"A","text":"B","box":[5,60,70,80]}]'
    assert items(text) == [("A", None), ("B", B)]
    assert "duplicate_key" in codes(read(Task.SPOTTING, text))


@pytest.mark.parametrize("cut", range(1, 95))
def test_json_cut_anywhere_makes_up_no_box(cut: int) -> None:
    whole = '[{"text": "Al", "box": [1, 2, 30, 40]}, {"text": "Be", "box": [5, 60, 70, 80]}, {"text": "Ga"}]'
    assert {box for _, box in items(whole[:cut])} <= {A, B, None}


@pytest.mark.parametrize("text", ['{"lines": []}', "```json\n{'texts': []}\n```", '{"result": null}'])
def test_an_empty_list_under_a_name_is_an_empty_page(text: str) -> None:
    content = read(Task.SPOTTING, text)
    assert (content.lines, codes(content)) == ((), {"empty"})


@pytest.mark.parametrize("text", ["<ref>没有文字</ref>", '[{"text": "No text here"}]'])
def test_a_line_that_says_no_text_is_a_line(text: str) -> None:
    assert len(items(text)) == 1


# ---- fields


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("cut behind a key", '{"a":"1","b"', {"a": "1"}),
        ("cut behind a key and a blank", '{"a":"1", "b" ', {"a": "1"}),
        ("number sign in a bare value", '{"a": #12, "b": 2}', {"a": "#12", "b": "2"}),
        ("comment before a value", '{"a": # the total\n 5}', {"a": "5"}),
        ("tuple", "{'a': (1, 2), 'b': 'x'}", {"a": "(1, 2)", "b": "x"}),
        ("three quotes", '{"a":"""x "y" z""","b":"1"}', {"a": 'x "y" z', "b": "1"}),
        ("no brackets", '"a":"1","b":"2"', {"a": "1", "b": "2"}),
        ("no brackets nor commas", '"a": "1"\n"b": "2"', {"a": "1", "b": "2"}),
        ("opening bracket lost", '"a": "1", "b": {"c": "2"}}', {"a": "1", "b": '{"c": "2"}'}),
        ("escaped once more", r'"{\"a\":\"1.50\"}"', {"a": "1.50"}),
        ("escaped twice more", r'"{\\\"a\\\":\\\"1.50\\\"}"', {"a": "1.50"}),
        ("escaped and cut", r"{\"a\":\"1.50\",\"b\":\"2", {"a": "1.50", "b": "2"}),
        ("bracket between rows lost", '[{"n":"x","p":"1", {"n":"y","p":"2"}]', {"[0].n": "x", "[0].p": "1"}),
    ],
)
def test_values_of_damaged_json(kind: str, text: str, found: dict[str, str]) -> None:
    assert found.items() <= fields(text).items()
    assert codes(read(Task.FIELDS, text)) & {"repaired", "truncated"}


@pytest.mark.parametrize("text", ['{"result":{"data":{"total":"1"}}}', '{"pages":[{"fields":{"total":"1"}}]}'])
def test_asked_names_are_found_at_any_depth(text: str) -> None:
    assert fields(text, "total") == {"total": "1"}


# ---- tables


def test_the_names_of_columns_in_json_are_the_head() -> None:
    text = '{"columns":["a","b"],"rows":[["1","2"]]}'
    assert grids(text) == [[["a", "b"], ["1", "2"]]]
    assert "<th>a</th>" in read(Task.TABLE, text).tables[0].html


def test_prose_beside_a_table_in_json_is_kept() -> None:
    content = read(Task.TABLE, 'Read as asked: [["a","b"],["1","2"]] The last row was faint.')
    assert [line.text for line in content.lines] == ["Read as asked", "The last row was faint."]


def test_rows_with_tabs_may_end_in_an_empty_cell() -> None:
    assert grids("a\tb\n1\t") == [[["a", "b"], ["1", ""]]]
    assert grids("\tindented\n\tcode") == []


@pytest.mark.parametrize("task", [Task.TABLE, Task.DOCUMENT])
def test_a_table_drawn_in_characters_is_one_table(task: Task) -> None:
    drawn = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n"
    assert grids(drawn, task) == [[["a", "b"], ["1", "2"]]]
    assert read(task, drawn).lines == ()


def test_rows_without_a_table_are_not_cut_off_where_text_follows() -> None:
    content = read(Task.TABLE, "<tr><td>a</td></tr><tr><td>b</td></tr> and more")
    assert [line.text.strip() for line in content.lines] == ["and more"]
    assert codes(content) == {"repaired"}
    assert "truncated" in codes(read(Task.TABLE, "<tr><td>a</td></tr><tr><td>b"))


def test_the_word_table_in_angle_brackets_is_text() -> None:
    content = read(Task.DOCUMENT, "Use <table> and <b>.\n\n<table><tr><td>a</td></tr></table>")
    assert [line.text for line in content.lines] == ["Use <table> and <b>."]
    assert (len(content.tables), codes(content)) == (1, set())


# ---- documents


def test_points_in_a_sentence_are_no_figure() -> None:
    content = read(Task.DOCUMENT, "A line runs from (1,2),(3,4)\nFigure 1(100,200),(500,600)")
    assert content.text == "A line runs from (1,2),(3,4)\nFigure 1"
    assert [region.text for region in content.regions] == ["Figure 1"]


def test_more_figures_than_a_page_can_hold_stay_text() -> None:
    text = "noise" + "(100,200),(300,400)" * 2000 + " (1,2),(300,400)"
    content = dispatch.parse(Task.DOCUMENT, text, SIZE)
    assert (content.text, content.regions, codes(content)) == (text, (), {"limit"})


# ---- repetition


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("form of thirty equal lines", "Form\n" + "\n".join("Name: ____________________" for _ in range(30))),
        ("thirty equal rows", "<table>" + "<tr><td>some words of a row</td><td>0.00</td></tr>" * 30),
        ("thirty equal rows with pipes", "| some words of it | 0.00 |\n" * 30),
    ],
)
def test_equal_lines_are_not_counted_as_fewer_longer_ones(kind: str, text: str) -> None:
    assert find_repeat(text) is None


def test_sixty_equal_rows_are_a_loop_of_one_row() -> None:
    repeat = find_repeat("<table>" + "<tr><td>some words of a row</td><td>0.00</td></tr>" * 60)
    assert repeat is not None
    assert repeat.unit == "<tr><td>some words of a row</td><td>0.00</td></tr>"


def test_a_warning_names_a_line_that_is_there() -> None:
    """Found by fuzzing: a box without a text was warned of as a line that never came."""
    answer = '[{"box":[60,71]3```json2,18\n<table><tr>d<t>\x00\x07[{"box":)[618]],"te~t":"B"~,{"boext":"D"}]'
    content = dispatch.parse(Task.SPOTTING, answer, (640, 480))
    assert content.warnings
    assert all(said.line is None or said.line < len(content.lines) for said in content.warnings)
