"""Kinds of field answers beyond the collected cases."""

from __future__ import annotations

import json

import json_repair
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import dispatch, fields, loose_json


def parse(text: str, *names: str) -> PageContent:
    return dispatch.parse(Task.FIELDS, text, (100, 100), field_names=names)


def values(content: PageContent) -> dict[str, str | None]:
    return {field.name: field.value for field in content.fields}


def codes(content: PageContent) -> set[str]:
    return {warning.code for warning in content.warnings}


READS: dict[str, tuple[str, dict[str, str | None]]] = {
    "thousands with commas, unquoted": ('{"a": 1,234.50, "b": 2}', {"a": "1,234.50", "b": "2"}),
    "currency, unquoted": ('{"a": $12.50, "b": ￥3.00}', {"a": "$12.50", "b": "￥3.00"}),
    "date and time, unquoted": ('{"a": 12/05/2024, "b": 10:30}', {"a": "12/05/2024", "b": "10:30"}),
    "an amount with a trailing zero": ('{"a": 0.10, "b": 5.00}', {"a": "0.10", "b": "5.00"}),
    "a leading plus, a bare dot": ('{"a": +3, "b": .5}', {"a": "+3", "b": ".5"}),
    "hexadecimal": ('{"a": 0x1F}', {"a": "0x1F"}),
    "NaN and Infinity": ('{"a": NaN, "b": -Infinity}', {"a": "NaN", "b": "-Infinity"}),
    "words of JSON and Python": ('{"a": true, "b": False, "c": null, "d": None}',
                                 {"a": "true", "b": "False", "c": None, "d": None}),
    "null as a text": ('{"a": "null"}', {"a": "null"}),
    "an empty text": ('{"a": ""}', {"a": ""}),
    "unquoted words": ("{name: John Smith, city: Bern}", {"name": "John Smith", "city": "Bern"}),
    "an unquoted value with commas": ('{"a": one, two, three, "b": 2}', {"a": "one, two, three", "b": "2"}),
    "quotes inside a value": ('{"a": "5" pipe", "b": "say "hi" now"}', {"a": '5" pipe', "b": 'say "hi" now'}),
    "quotes and a comma inside a value": ('{"a": "He said "hi", then left", "b": "1"}',
                                          {"a": 'He said "hi", then left', "b": "1"}),
    "a missing closing quote": ('{"a": "1,\n "b": "2"}', {"a": "1", "b": "2"}),
    "a missing comma": ('{"a": "1" "b": "2"}', {"a": "1", "b": "2"}),
    "a doubled comma": ('{"a": "1",, "b": "2"}', {"a": "1", "b": "2"}),
    "semicolons": ('{"a": "1"; "b": "2"}', {"a": "1", "b": "2"}),
    "equals signs": ('{"a" = "1", "b" => "2"}', {"a": "1", "b": "2"}),
    "comments": ('{"a": "1", // one\n # two\n /* three */ "b": "2"}', {"a": "1", "b": "2"}),
    "an address of the web is no comment": ('{"a": "http://x.org//y", "b": 1}', {"a": "http://x.org//y", "b": "1"}),
    "a raw line break": ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
    "a raw tab": ('{"a": "one\ttwo"}', {"a": "one\ttwo"}),
    "an escaped line break": ('{"a": "one\\ntwo"}', {"a": "one\ntwo"}),
    "escaped letters": ('{"a": "\\u4e2d\\ud83d\\ude00"}', {"a": "中😀"}),
    "a lone surrogate": ('{"a": "x\\ud800y"}', {"a": "x\ud800y"}),
    "a wrong bracket at the end": ('{"a": "1"]', {"a": "1"}),
    "a lost bracket at the end": ('{"a": {"b": "1"}', {"a": '{"b": "1"}'}),
    "prose before and after": ('Result: {"a": "1"} as asked.', {"a": "1"}),
    "brackets in the prose": ('See {figure} and [1].\n{"a": "1"}', {"a": "1"}),
    "JSON lines": ('{"a": "1"}\n{"b": "2"}', {"a": "1", "b": "2"}),
    "a list with one object": ('[{"a": "1", "b": "2"}]', {"a": "1", "b": "2"}),
    "a list of pairs": ('[{"a": "1"}, {"b": "2"}]', {"a": "1", "b": "2"}),
    "a list of names and values": ('[{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]', {"a": "1", "b": "2"}),
    "a list of records": ('[{"a": "1"}, {"a": "2"}]', {"[0].a": "1", "[1].a": "2"}),
    "keys of another script": ('{"发票号码": "012", "المبلغ": "9"}', {"发票号码": "012", "المبلغ": "9"}),
    "entities": ('{"a": "x &amp; y"}', {"a": "x &amp; y"}),
    "HTML": ('{"a": "<b>1</b>"}', {"a": "<b>1</b>"}),
    "a NUL": ('{"a": "x\0y"}', {"a": "x\0y"}),
    "nested arrays": ('{"a": [[1, 2.50], ["x"]]}', {"a": '[[1, 2.50], ["x"]]'}),
    "literals inside nested values": ('{"a": {"b": 007, "c": 1.50, "d": true}}',
                                      {"a": '{"b": "007", "c": 1.50, "d": true}'}),
    "cut inside a key": ('{"a": "1", "b', {"a": "1"}),
    "cut after a colon": ('{"a": "1", "b":', {"a": "1"}),
    "cut inside a value": ('{"a": "1", "b": "tw', {"a": "1", "b": "tw"}),
    "cut inside a number": ('{"a": "1", "b": 12.', {"a": "1", "b": "12."}),
    "cut inside a list": ('{"a": ["1", "2', {"a": '["1", "2"]'}),
    "lines": ("Name: A\nTotal：12.50\n- Date: 1.2.24\n**Place**: Bern",
              {"Name": "A", "Total": "12.50", "Date": "1.2.24", "Place": "Bern"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", READS)
def test_values_as_written(kind: str) -> None:
    text, wanted = READS[kind]
    assert values(parse(text)) == wanted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac{1}{2}", r"\frac{1}{2}"),
        (r"\beta + \theta", r"\beta + \theta"),
        (r"\nabla \times \rho", r"\nabla \times \rho"),
        (r"a \neq b \right)", r"a \neq b \right)"),
        (r"\alpha \\ \beta", r"\alpha \\ \beta"),
        (r"\\frac{1}{2}", r"\frac{1}{2}"),
        (r"\\alpha \\\\ \\beta", r"\alpha \\ \beta"),
        (r"$\nu = 3$", r"$\nu = 3$"),
        (r"C:\temp\new\report.txt", r"C:\temp\new\report.txt"),
        (r"C:\\temp\\new", r"C:\temp\new"),
        (r"D:\users", r"D:\users"),
        (r"a\/b", "a/b"),
        (r"one\ntwo", "one\ntwo"),
        (r"Line\nu", "Line\nu"),
        (r"one\ttwo", "one\ttwo"),
        (r"one\r\ntwo", "one\r\ntwo"),
        (r"100\%", r"100\%"),
        (r"\underline{x} \u00e9", r"\underline{x} é"),
    ],
)
def test_backslashes(text: str, value: str) -> None:
    assert values(parse(f'{{"a": "{text}", "b": "1"}}')) == {"a": value, "b": "1"}


def test_a_path_that_ends_in_a_backslash_does_not_swallow_the_next_field() -> None:
    assert values(parse(r'{"a": "A:\u00e9t\u00e9", "b": "2')) == {"a": "A:été", "b": "2"}
    assert values(parse(r'{"a": "C:\temp\", "b": "2"}')) == {"a": "C:\\temp\\", "b": "2"}


def test_kept_backslashes_are_told_and_doubled_ones_are_not() -> None:
    assert codes(parse(r'{"a": "\frac{1}{2}"}')) == {"repaired"}
    assert codes(parse(r'{"a": "\\frac{1}{2}", "b": "x\ny"}')) == set()


DAMAGED = {
    '{"total": 12.50, }': ("total", 12.5, "12.50"),
    '{"id": 0012}': ("id", 12, "0012"),
    '{"total": $12.50}': ("total", 12.5, "$12.50"),
    '{"time": 10:30}': ("time", 10, "10:30"),
    '{"f": "\\beta"}': ("f", "\x08eta", "\\beta"),
    '{"p": "C:\\temp"}': ("p", "C:\temp", "C:\\temp"),
    '{"n": 1_000}': ("n", 1000, "1_000"),
    '{"t": "1", "t": "2",}': ("t", "2", "2"),
}


@pytest.mark.parametrize("text", DAMAGED)
def test_what_json_repair_alone_does_to_values(text: str) -> None:
    """The reason why it gets placeholders instead of values. If the first half fails, json-repair has improved."""
    key, damaged, right = DAMAGED[text]
    assert json_repair.loads(text)[key] == damaged  # type: ignore[index]
    assert values(parse(text))[key] == right


def test_equal_keys_keep_both_values() -> None:
    content = parse('{"total": "1.00", "total": "9.00",}')
    assert content.fields[0].value == "9.00"
    assert content.fields[0].alternatives == ("1.00",)
    assert "duplicate_key" in codes(content)


def test_equal_keys_with_equal_values_are_one() -> None:
    content = parse('{"total": "1.00", "total": "1.00"}')
    assert content.fields[0].alternatives == ()
    assert "duplicate_key" not in codes(content)


def test_equal_keys_inside_a_nested_value_are_told() -> None:
    assert "duplicate_key" in codes(parse('{"a": {"b": "1", "b": "2"}}'))


@pytest.mark.parametrize("name", ["Invoice No", "invoice no", "INVOICENO", "Ｉｎｖｏｉｃｅ Ｎｏ：", " invoice  no"])
def test_names_are_matched_ignoring_case_blanks_and_width(name: str) -> None:
    content = parse(f'{{"x": "0", "{name}": "7"}}', "Invoice No")
    assert [(field.name, field.value) for field in content.fields] == [("Invoice No", "7"), ("x", "0")]


def test_fields_come_in_the_order_asked_for() -> None:
    assert list(values(parse('{"b": "2", "c": "3", "a": "1"}', "a", "b"))) == ["a", "b", "c"]


def test_a_name_that_the_answer_does_not_have_gets_no_field_and_is_told() -> None:
    content = parse('{"a": "1"}', "a", "b")
    assert values(content) == {"a": "1"}
    assert any("b" in w.message for w in content.warnings if w.code == "empty")


def test_the_object_that_holds_the_names_is_found() -> None:
    assert values(parse('{"result": {"a": "1", "b": "2"}}', "a", "b")) == {"a": "1", "b": "2"}


def test_lines_are_split_at_the_first_colon_of_a_known_name() -> None:
    text = "Note: nothing: here\nDate: from: 1 to 2\nPlace = Bern"
    assert values(parse(text, "Date: from", "place")) == {"Date: from": "1 to 2", "place": "Bern"}


def test_one_short_value_is_taken_for_the_one_name_asked_for() -> None:
    content = parse("12.50 EUR", "total")
    assert values(content) == {"total": "12.50 EUR"}
    assert "repaired" in codes(content)


@pytest.mark.parametrize("text", ["The display shows 23.4 degrees.", "I cannot see a total here.", "a\nb"])
def test_a_sentence_is_no_value(text: str) -> None:
    content = parse(text, "total")
    assert values(content) == {}
    assert "unparsed" in codes(content)
    assert "\n".join(line.text for line in content.lines) == text


@pytest.mark.parametrize("text", ["", "{}", "```json\n{}\n```", "没有文字"])
def test_nothing_is_empty(text: str) -> None:
    assert codes(parse(text, "total")) == {"empty"}


def test_nesting_deeper_than_what_is_read_is_told() -> None:
    content = parse('{"b": "1", "a": ' + '{"x": ' * 200 + "1" + "}" * 201)
    assert values(content)["b"] == "1"
    assert "limit" in codes(content)


def test_paths_of_a_nested_value() -> None:
    content = parse('{"a": {"b": [1.50, {"c": null}], "d": "x"}}')
    assert fields.flatten(content.fields[0].value) == [("b[0]", "1.50"), ("b[1].c", None), ("d", "x")]
    assert fields.flatten("plain") == [("", "plain")]
    assert fields.flatten("{not json") == [("", "{not json")]
    assert fields.flatten(None) == [("", None)]


TEXTS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def plain(value: object) -> object:
    """What the reader gives for JSON values: numbers and truth values as their text."""
    if isinstance(value, dict):
        return loose_json.Pairs((key, plain(item)) for key, item in value.items())
    if isinstance(value, list):
        return [plain(item) for item in value]
    return json.dumps(value) if isinstance(value, bool | int) else value


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_strict_json_reads_as_it_is(value: dict) -> None:
    text = json.dumps(value, ensure_ascii=len(value) % 2 == 0)
    read = loose_json.read(text)
    assert (read.value, read.end, read.complete, read.repaired) == (plain(value), len(text), True, False)
    assert loose_json.read(loose_json.dump(read.value)).value == read.value


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=5), st.data())
def test_strict_json_cut_anywhere_keeps_what_is_complete(value: dict, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    read = loose_json.read(cut)
    assert not read.complete
    known = list(value)
    assert [key for key, _ in read.value] == known[: len(read.value)]


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from([*"{}[],:\"'\\/*#“”：，ab1 \n", "null", "//", '"a"', "12.50"]), max_size=60))
def test_any_soup_of_json_is_read(pieces: list[str]) -> None:
    text = "{" + "".join(pieces)
    read = loose_json.read(text)
    assert isinstance(read.value, list)
    assert 0 < read.end <= len(text)
    loose_json.dump(read.value)
