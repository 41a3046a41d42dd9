"""Confidences of lines, fields and cells from the probabilities of an answer's tokens."""

from __future__ import annotations

import json
import math

import pytest

from ocr_ui.domain.content import PageContent, Table
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import confidence
from ocr_ui.parsing.confidence import ConfidencesAsTheyCome, with_confidences
from ocr_ui.parsing.dispatch import IncrementalParser, parse
from ocr_ui.parsing.probabilities import Probabilities

SURE, DOUBT = 0.99, 0.4
SIZE = (1000, 1000)


def tokens_of(answer: str, doubtful: str) -> Probabilities:
    """Tokens of three characters, sure but for those that touch `doubtful` (its last place in the answer)."""
    low = answer.rindex(doubtful)
    found = Probabilities()
    for start in range(0, len(answer), 3):
        piece = answer[start : start + 3]
        doubt = start < low + len(doubtful) and start + len(piece) > low
        found.feed(piece, (piece,), (math.log(DOUBT if doubt else SURE),))
    return found


def read(task: Task, answer: str, doubtful: str, names: tuple[str, ...] = ()) -> PageContent:
    return with_confidences(parse(task, answer, SIZE, field_names=names), answer, tokens_of(answer, doubtful))


def doubted(content: PageContent) -> list[str]:
    """Texts, names and cells whose least sure token is the doubtful one."""
    found = [line.text for line in content.lines if line.lowest == pytest.approx(DOUBT)]
    found += [field.name for field in content.fields if field.lowest == pytest.approx(DOUBT)]
    for table in content.tables:
        cells = table.html.replace("<th", "<td").split("<td")[1:]
        for cell, pair in zip(cells, table.confidences, strict=True):
            if pair and pair[1] == pytest.approx(DOUBT):
                found.append(cell[cell.index(">") + 1 : cell.index("</t")])
    return found


SPOTTING = {
    "tags": "<ref>Invoice</ref><quad>(5,5),(90,20)</quad><ref>5</ref><quad>(5,30),(9,40)</quad><ref>Total</ref>"
    "<quad>(1,50),(9,60)</quad>",
    "bare": "Invoice(5,5),(90,20)5(5,30),(9,40)Total(1,50),(9,60)",
    "json": '[{"box": [5, 5, 90, 20], "text": "Invoice"}, {"box": [5, 30, 9, 40], "text": "5"}, '
    '{"box": [1, 50, 9, 60], "text": "Total"}]',
}


@pytest.mark.parametrize("shape", SPOTTING)
@pytest.mark.parametrize("text", ["Invoice", "Total"])
def test_a_line_has_the_probability_of_its_own_tokens(shape: str, text: str) -> None:
    content = read(Task.SPOTTING, SPOTTING[shape], text[1:3] if text == "Total" else text[1:5])
    assert doubted(content) == [text]
    line = next(line for line in content.lines if line.text == text)
    assert DOUBT <= line.confidence < SURE, "the mean, the doubtful tokens among it"
    other = next(line for line in content.lines if line.text not in {text, "5"})
    assert other.confidence == pytest.approx(SURE)


@pytest.mark.parametrize("shape", SPOTTING)
def test_a_text_that_looks_like_a_coordinate_is_found_where_it_stands(shape: str) -> None:
    answer = SPOTTING[shape]
    place = {"tags": ">5<", "bare": ")5(", "json": '"5"'}[shape]
    start = answer.index(place) + 1
    found = Probabilities()
    for index, letter in enumerate(answer):
        found.feed(letter, (letter,), (math.log(DOUBT if index == start else SURE),))
    content = with_confidences(parse(Task.SPOTTING, answer, SIZE), answer, found)
    assert doubted(content) == ["5"]


FIELDS = {
    "json": '{"Total": "12.50", "No": "12.5", "Date": null}',
    "spaced": '{\n  "Total" : "12.50",\n  "No" : 12.5,\n  "Date": null\n}',
    "pairs": '[{"name": "Total", "value": "12.50"}, {"name": "No", "value": "12.5"}, {"name": "Date", "value": null}]',
    "lines": "Total: 12.50\nNo: 12.5\nDate: none",
}


@pytest.mark.parametrize("shape", FIELDS)
def test_a_field_has_the_probability_of_its_value(shape: str) -> None:
    answer = FIELDS[shape]
    names = ("Date", "No", "Total")
    assert doubted(read(Task.FIELDS, answer, "12.5", names))[:1] == ["No"]
    assert doubted(read(Task.FIELDS, answer, "12.50", names))[:1] == ["Total"]
    last = "null" if "null" in answer else "none"
    assert doubted(read(Task.FIELDS, answer, last, names)) == ["Date"], "how sure it is that there is none"


def test_a_name_doubted_is_no_value_doubted() -> None:
    assert doubted(read(Task.FIELDS, '{"Total amount": "1"      }', "amou", ("Total amount",))) == []


def test_a_value_with_structure_has_the_probability_of_all_of_it() -> None:
    answer = '{"Items": [{"name": "Tea", "price": "2.00"}], "Total": "2.00"}'
    assert doubted(read(Task.FIELDS, answer, "Tea", ("Items", "Total"))) == ["Items"]


def test_an_escaped_value_is_found() -> None:
    answer = json.dumps({"Address": "1 High St\nLeeds", "Name": "Zoë"})
    assert doubted(read(Task.FIELDS, answer, "Leeds", ("Address", "Name"))) == ["Address"]
    assert doubted(read(Task.FIELDS, answer, "u00eb", ("Address", "Name"))) == ["Name"]


TABLES = {
    "html": "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>1</td></tr>"
    "<tr><td>Cake &amp; cream</td><td>11</td></tr></table>",
    "spans": '<table><tr><td colspan="2">Item</td></tr><tr><td>Tea</td><td>1</td></tr>'
    "<tr><td>Cake &amp; cream</td><td>11</td></tr></table>",
    "pipes": "| Item | Price |\n|---|---|\n| Tea | 1 |\n| Cake & cream | 11 |",
}


@pytest.mark.parametrize("shape", TABLES)
def test_a_cell_has_the_probability_of_its_own_tokens(shape: str) -> None:
    answer = TABLES[shape]
    assert doubted(read(Task.TABLE, answer, "Tea")) == ["Tea"]
    assert doubted(read(Task.TABLE, answer, "cream")) == ["Cake &amp; cream"]
    assert doubted(read(Task.TABLE, answer, "11"))[-1] == "11"


def test_empty_cells_have_none_and_do_not_shift_the_others() -> None:
    answer = "<table><tr><td></td><td>A</td><td></td></tr><tr><td>B</td><td></td><td>CC</td></tr></table>"
    content = read(Task.TABLE, answer, "CC")
    (table,) = content.tables
    assert [pair is not None for pair in table.confidences] == [False, True, False, True, False, True]
    assert doubted(content) == ["CC"]


def test_a_cell_that_the_table_does_not_have_is_passed_over() -> None:
    answer = "<table><tr><td>A</td><td>left out</td><td>B</td></tr></table>"
    table = Table("<table><tr><td>A</td><td>B</td></tr></table>", (("A", "B"),))
    content = with_confidences(PageContent(tables=(table,)), answer, tokens_of(answer, "B"))
    assert doubted(content) == ["B"]
    assert content.tables[0].confidences[0][1] == pytest.approx(SURE)


def test_the_parts_of_a_character_count_for_it() -> None:
    found = Probabilities()
    found.feed("a", ("a",), (math.log(SURE),))
    found.feed("", ("",), (math.log(DOUBT),))
    found.feed("发b", ("", "发", "b"), (math.log(0.7), math.log(SURE), math.log(SURE)))
    assert found.between(1, 2).lowest == pytest.approx(DOUBT)
    assert found.between(1, 2).mean == pytest.approx((DOUBT * 0.7 * SURE) ** (1 / 3))
    assert found.between(0, 1).lowest == found.between(2, 3).lowest == pytest.approx(SURE)
    assert found.between(3, 9) is None


def test_without_probabilities_nothing_changes() -> None:
    found = Probabilities()
    found.feed(SPOTTING["tags"], (), ())
    content = parse(Task.SPOTTING, SPOTTING["tags"], SIZE)
    assert with_confidences(content, SPOTTING["tags"], found) is content


RUNNING = {
    **{f"spotting, {shape}": (Task.SPOTTING, answer, "Total") for shape, answer in SPOTTING.items()},
    "many lines": (
        Task.SPOTTING,
        "".join(f"<ref>{n % 7}</ref><quad>({n},{n}),({n + 9},{n + 9})</quad>" for n in range(40)),
        ">5<",
    ),
    "a line that the parser mends": (
        Task.SPOTTING,
        "<ref>A\tB</ref><quad>(5,5),(90,20)</quad><ref></ref><quad>(1,1),(2,2)</quad><ref>C</ref><quad>(5,30),(9,40)</quad>",
        "C",
    ),
    "fields": (Task.FIELDS, json.dumps({f"No {n}": str(n) for n in range(90)}), "12"),
    "table": (
        Task.TABLE,
        TABLES["html"].replace("<tr><td>Tea", "<tr><td>Jam</td><td>3</td></tr>" * 30 + "<tr><td>Tea"),
        "Jam",
    ),
    "document": (Task.DOCUMENT, "# Prices\n\nTea and cake\n\n" + TABLES["html"] + "\n\n" + "More words. " * 90, "cake"),
}


@pytest.mark.parametrize("case", RUNNING)
def test_while_an_answer_runs_each_step_has_what_its_beginning_says(case: str) -> None:
    task, answer, doubtful = RUNNING[case]
    low = answer.rindex(doubtful)
    parser, so_far = IncrementalParser(task, SIZE), Probabilities()
    running, told, before = ConfidencesAsTheyCome(so_far), 0, None
    for start in range(0, len(answer), 3):
        piece = answer[start : start + 3]
        doubt = start < low + len(doubtful) and start + len(piece) > low
        so_far.feed(piece, (piece,), (math.log(DOUBT if doubt else SURE),))
        content, raw = parser.feed(piece), answer[: start + 3]
        known = running.of(content, raw)
        if content is not before:
            assert known == with_confidences(content, raw, so_far)
        before = content
        told += len(doubted(known)) > 0
    assert told > 0, "seen before the end"


def test_a_line_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    find = confidence._find
    monkeypatch.setattr(confidence, "_find", lambda *args: looked.append(len(args[1])) or find(*args))
    parser, so_far = IncrementalParser(Task.SPOTTING, SIZE), Probabilities()
    running, raw = ConfidencesAsTheyCome(so_far), ""
    for n in range(500):
        piece = f"<ref>line {n}</ref><quad>(5,5),(90,20)</quad>"
        raw += piece
        so_far.feed(piece, (piece,), (math.log(SURE),))
        assert len(running.of(parser.feed(piece), raw).lines) == n + 1
    assert len(looked) <= 2 * 500, "at the open end it may be looked for again"
    assert sum(looked) < 4 * len(raw)


def test_confidences_outlast_storing() -> None:
    for content in (
        read(Task.SPOTTING, SPOTTING["tags"], "Total"),
        read(Task.FIELDS, FIELDS["json"], "12.50", ("Total",)),
        read(Task.TABLE, TABLES["html"], "Tea"),
    ):
        assert PageContent.from_dict(json.loads(json.dumps(content.to_dict()))) == content
        assert content.least_confidence < SURE
