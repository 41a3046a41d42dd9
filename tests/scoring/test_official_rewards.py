"""The official rules, to the sixth place: 200 pairs with their values, and the corners that those do not reach."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from ocr_ui.domain.reward import Reward
from ocr_ui.scoring import official_fields, official_parsing, official_spotting, teds
from ocr_ui.scoring.rewards import score

HERE = Path(__file__).parent
CASES = [json.loads(line) for line in (HERE / "reward_cases.jsonl").read_text(encoding="utf-8").splitlines()]
TABLES = [json.loads(line) for line in (HERE / "teds_pairs.jsonl").read_text(encoding="utf-8").splitlines()]
"""TEDS and TEDS of the structure as the package table-recognition-metric 0.0.6 gives them; null where it raises."""

BOX = '[{"box": [10, 10, 110, 60], "text": "Total"}]'


def check(found: Reward, value: float | None) -> None:
    assert found.reason.endswith((".", "…"))
    assert found.code
    assert found.value == (None if value is None else pytest.approx(value, abs=1e-6)), found.reason


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_value_of_the_rule(number: int) -> None:
    case = CASES[number]
    check(score(case["task"], case["response"], case["reference"]), case["reward"])


@pytest.mark.parametrize(
    ("response", "reference", "value"),
    [
        ("<answer>a(1,2),(30,40)</answer>", "a(1,2),(30,40)", 1),  # each side by itself
        ("a(1,2),(30,40)", "text\n<answer>\na(1,2),(30,40) </answer>", 1),
        ("<answer></answer>", BOX, -1),
        ("a.b。(1,2),(30,40)", " ab(1,2),(30,40)", 1),  # stops do not count where all else is the same
        ("a. b。(1,2),(30,40)", " ab(1,2),(30,40)", 0.5 + 0.5e-6),  # and do where anything differs
        ("", "", 1),
        ("没有文字。", "", 1),
        ("图中没有文字", "没有文字", 1),
        ("没有文字", BOX, 0),
        (BOX, "没有文字", -1),
        (BOX, "", -1),
        ("nothing", "nothing at all", 0),  # neither has a shape: the answer is looked at first
        ("(1,2),(3,4)", BOX, 0),  # boxes without a text before them have no shape
        (",(1,2),(3,4)", BOX, None),  # and here one that cannot be read
        (BOX, ",(1,2),(3,4)", None),
        ('[{"box": [1, 2, 3], "text": "a"}]', BOX, None),
        ('[{"box": ["10", 10.9, 110, 60], "text": "Total"}, 7, {"box": null, "text": "b"}]', BOX, 1),
        ('[{"text": "Total", "box": [10, 10, 110, 60]}', BOX, 0),  # cut off: no JSON, no other shape
        ('[{"box": [10, 10, 110, 60], "txt": "Total"}]', BOX, 0),
        ("<ref>To\ntal</ref><quad>(10,10),(110,60)</quad>", BOX, None),
        ("<ref>T<b>o</b>ta l</ref><quad>(10,10),(110,60)</quad>", BOX, 1),
        ("Total(10,10),(110,60),(1,2),(3,4)", BOX, 1),  # the chain's second pair says nothing
        ("a (b) (c)(10,10),(110,60)", "a(b)(c)(10,10),(110,60)", 1),
        ("Tota1(10,10),(110,60)", BOX, 1 - 0.2 / 1.000001),
        ("Total(110,60),(10,10)", BOX, 0),  # corners in the other order enclose nothing
        ("Total(60,10),(110,60)", "Total(10,10),(110,60)", 1),  # half of it is enough
        ("Total(61,10),(110,60)", "Total(10,10),(110,60)", 0),
    ],
)
def test_corners_of_spotting(response: str, reference: str, value: float | None) -> None:
    check(official_spotting.reward(response, reference), value)


def test_the_order_of_the_answer_can_change_the_value() -> None:
    label = "a(0,0),(100,100)b(0,0),(100,60)"
    exact, wide = "a(0,0),(100,100)", "b(0,0),(100,80)"
    check(official_spotting.reward(wide + exact, label), 0)
    check(official_spotting.reward(exact + wide, label), 1)


@pytest.mark.parametrize(
    ("response", "reference", "value"),
    [
        ("", '{"a": "b"}', 0),
        ("{}", "{}", 0),
        ('{"a": null, "b": ""}', '{"c": null}', 1),
        ('{"a": "X Y\\n Z"}', '{"a": "xyz"}', 1),
        ('{"a": "x\\ty"}', '{"a": "xy"}', round(1 - 1 / 3, 6)),
        ('{"a": {"z": 1, "b": [true, "ü"]}}', '{"a": {"b": [true, "ü"], "z": 1}}', 1),
        ('{"a": "{\\"b\\": 1}"}', '{"a": {"b": 1}}', 1),
        ('{"a": 1.50}', '{"a": "1.5"}', 1),
        ('[{"a": 1}]', '{"a": 1}', 0),  # a list is JSON, and no object
        ('So: {"a": 1}', '{"a": 1}', 1),
        ('```JSON\n{"a": 1}```', '{"a": 1}', 1),
        ('```\n[1]\n``` {"a": 1}', '{"a": 1}', 1),
        ("{'a': 1}", '{"a": 1}', 0),
        ('{"a": "1", "a": "2"}', '{"a": "2"}', 1),
        ("Total 12", "Total 12", 1),  # a label that is no object is scored as a text
        ("Total 12", "else", 0),
    ],
)
def test_corners_of_fields(response: str, reference: str, value: float) -> None:
    check(official_fields.reward(response, reference), value)


TEN = "abcdefghij"


@pytest.mark.parametrize(
    ("response", "reference", "value"),
    [
        ("", "", 1),
        ("", TEN, 0),
        (TEN, TEN, 1),
        ("abc def\nghij", TEN, 1),
        ("$abc\\mathrm defghij$", TEN, 1),
        ("（a，b）“c”", '(a,b)"c"', 1),
        ("abcdefghix", TEN, 0.9),
        ("abcdexxxxx", TEN, 0.5),
        ("abcdxxxxxx", TEN, 0),
        ("abcdefghij(12, 34)", TEN, 1),
        (TEN, "abcdefghij(1,2)", 10 / 15),  # from the answer alone
        ("\\alpha \\leq \\frac", "α≤frac", 1),
        ("abcdefghij<quad>(1,2),(3,4)</quad>", TEN, 1),
        ("Fig. 1<pFig><quad>(1,2)</quad></pFig>abcdefghij", "Fig. 1abcdefghij", 1),
        ("abcde\n\nfghij", TEN, 1 - 1 / 11),  # an empty line is one character
        ("\n\nabcdefghij\n\n", TEN, 1),
        (TEN + "xy" * 10, TEN, 0),
        (TEN + "xy" * 10, TEN * 2, 0.5 * 0 + 0),
    ],
)
def test_corners_of_parsing(response: str, reference: str, value: float) -> None:
    check(official_parsing.reward(response, reference), value)


def test_an_end_that_repeats_counts_only_where_the_answer_is_over_twice_as_long() -> None:
    label = TEN * 10
    once = label + "xy" * 20
    assert official_parsing.ends_in_repeats(once)
    check(official_parsing.reward(once, label), 1 - 40 / 140)
    check(official_parsing.reward(label * 3, TEN), 0)
    assert official_parsing.reward(label * 3, TEN).code == "repeats"
    assert not official_parsing.ends_in_repeats("x" + "xy" * 9)
    assert not official_parsing.ends_in_repeats("x" * 19)  # a unit has two characters or more


def table(*rows: str, attributes: str = "") -> str:
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row.split()) + "</tr>" for row in rows)
    return f"<table{attributes}>{cells}</table>"


def test_a_table_counts_for_half() -> None:
    label, answer = f"The year {table('a b', 'c d')}", f"The yeah {table('a b', 'c x')}"
    text = official_parsing.text_similarity(answer, label)
    expected = 0.5 * text + 0.25 * (1 - 1 / 7) + 0.25
    check(official_parsing.reward(answer, label), expected)


def test_where_tables_make_it_0_or_minus_1() -> None:
    two = table("aaaa bbbb", "cccc dddd") + table("eeee ffff")
    one = table("aaaa bbbb", "cccc dddd") + "eeee ffff"
    assert official_parsing.reward(one, two).code == "table_numbers"
    check(official_parsing.reward(one, two), 0)
    bordered = table("aaaa bbbb", "cccc dddx", attributes=' border="1"')
    check(official_parsing.reward(table("aaaa bbbb", "cccc dddd"), bordered), 0)
    check(official_parsing.reward(bordered, bordered.replace("x", "y")), -1)
    far = "Some words that both of them have in common. " * 3
    found = official_parsing.reward(far + table("a b c d e f"), far + table("x", "y"))
    assert found.code == "table_too_different"
    check(found, 0)


def test_tables_are_paired_by_what_they_say() -> None:
    first, second = table("aaaa bbbb", "cccc dddd"), table("1111 2222 3333", "4444 5555 6666")
    assert official_parsing._pairs([second, first], [first, second]) == [(second, second), (first, first)]


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_teds_is_that_of_the_package(number: int) -> None:
    case = TABLES[number]
    if case["teds"] is None:
        with pytest.raises(ValueError, match="invalid literal"):
            teds.similarity(case["one"], case["other"])
        return
    assert teds.similarity(case["one"], case["other"]) == pytest.approx(case["teds"], abs=1e-9)
    assert teds.similarity(case["one"], case["other"], True) == pytest.approx(case["structure"], abs=1e-9)


def test_a_table_that_is_too_large_or_too_deep_gives_no_value() -> None:
    large = table(*["1 2 3 4 5 6 7 8 9 0"] * 300)
    words = "They have some words in common. "
    found = official_parsing.reward(words + large.replace("1", "2").replace("3", "4"), words + large)
    assert found.code == "table_too_large"
    check(found, None)
    deep = "<table><tr><th>" * 600
    with pytest.raises(teds.TooLarge):
        teds.similarity(deep + "1", deep + "2")


@pytest.mark.parametrize("task", ["spotting", "ie", "parsing"])
@pytest.mark.parametrize(
    "hostile",
    [
        "<" * 100_000,
        "<ref>" * 20_000,
        "</ref>" + "<ref>" * 20_000 + "<quad>(1,2),(3,4)",
        "<quad><pos_1><pos_2><pos_3><pos_4></quad><ref>" * 2_000,
        "(" * 100_000,
        "```" + " " * 100_000 + "```x",
        "{" * 100_000 + "}" * 100_000,
        "[" * 100_000 + '"box" "text"' + "]" * 100_000,
        "<table>" * 15_000,
        "<pFig>" * 15_000 + "</pFig>",
        "\\begin{array}{" * 7_000,
        "\\" + "a" * 100_000,
        "ab" * 50_000,
        "a(1,2),(3,4)" * 500,
        "\ud800<ref>\udfff</ref><quad>(1,2),(3,4)</quad>",
        "a(" + "9" * 5_000 + ",2),(3,4)",
    ],
    ids=range(16),
)
def test_no_text_raises_or_hangs(task: str, hostile: str) -> None:
    begin = time.monotonic()
    for pair in ((hostile, BOX), (hostile, hostile + "x"), ('{"a": 1}', hostile)):
        score(task, *pair)
    assert time.monotonic() - begin < 60
