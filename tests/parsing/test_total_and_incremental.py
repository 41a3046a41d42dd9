"""Any string gives a PageContent, and pieces give what the whole gives."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ocr_ui.domain.content import WARNING_CODES, PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import dispatch, plain

SIZE = (640, 480)
PIECES = [
    *(
        "<ref>",
        "</ref>",
        "<quad>",
        "</quad>",
        "(1,2),(30,40)",
        "(50,60",
        "),(",
        "(",
        ",(5,6)",
        "（１，２），（３０，４０）",
    ),
    *("<pos_1>", "<pos_20>", "<pos_1001>", "<pos_", "<REF>", "<", ">", "&amp;", "Text", "12.50", " ", "\n", "\t", "\0"),
    *('{"box":[1,2,30,40],"text":"A"}', '{"box":[1,2', '],"text":"', '"}', "[", "]", ",", "{", "}", '"', "'", "\\"),
    *('{"text":"q \\"x\\" (1,2),(3,4)","bbox":"5,6,70,80"}', "{'text': 'it's', 'box': (1,2,3,4)}", "```json\n", "```"),
    *(
        "<｜hy_place▁holder▁no▁112｜>",
        "<｜hy_place▁holder▁no▁113｜>",
        "<｜hy_place▁holder▁no▁110｜>",
        "<｜hy_Assistant｜>",
    ),
    *("/*", "*/", "//", "x" * 700, " " * 50, '"text":"say "hi" now",', "没有文字", "\ud800", "\ufeff", "key: value\n"),
    *("<table>", "<tr><td>", "</table>", "<td colspan='9'>", "| a | b |\n", "|---|---|\n", "$$", "\\[", "\\begin{a}"),
    *("<hy-meta>", "</hy-meta>", "<layout>text</layout>", "<!--", "<script>", "NaN", "\\frac", "__proto__"),
]
GOOD = [
    "<ref>Alpha</ref><quad>(1,2),(30,40)</quad>",
    "Two(10,40),(90,60)",
    "<quad><pos_10><pos_20><pos_110><pos_60></quad><ref>three</ref>",
    '{"box":[1,2,30,41],"text":"A"},',
    "<ref>lost<quad>(5,6),(70,80)</quad>",
]


def answers(most: int) -> st.SearchStrategy[str]:
    piece = st.sampled_from(PIECES) | st.sampled_from(GOOD) | st.text(max_size=6)
    return st.lists(piece, max_size=most).map("".join)


def cut(text: str, sizes: Sequence[int]) -> list[str]:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    return [*pieces, text[at:]]


def check(content: PageContent) -> None:
    for line in content.lines:
        if line.quad is not None:
            assert all(0 <= x <= SIZE[0] and 0 <= y <= SIZE[1] for x, y in line.quad.points)
    for warning in content.warnings:
        assert warning.code in WARNING_CODES
        assert warning.message[0].isupper() or warning.message[0] in "'\""
        assert warning.line is None or 0 <= warning.line < len(content.lines)
    assert PageContent.from_dict(content.to_dict()) == content


@settings(max_examples=120, deadline=None)
@given(text=answers(40) | st.text(), task=st.sampled_from(list(Task)), finished=st.booleans())
@example(text='{"a":' * 5000 + "1" + "}" * 5000, task=Task.FIELDS, finished=True)
@example(text="[" * 3000 + "]" * 3000, task=Task.FIELDS, finished=True)
@example(text="<table><tr><td>" * 3000 + "x", task=Task.TABLE, finished=True)
@example(text="<sup>" * 3000 + "x", task=Task.TABLE, finished=True)
@example(text='{"text":' * 3000 + "x", task=Task.SPOTTING, finished=True)
def test_any_string_gives_a_page(text: str, task: Task, finished: bool) -> None:
    content = dispatch.parse(task, text, SIZE, field_names=("total", ""), finished=finished)
    check(content)
    assert finished or not any(warning.code == "truncated" for warning in content.warnings)


@settings(max_examples=120, deadline=None)
@given(text=answers(60), sizes=st.lists(st.integers(0, 40) | st.integers(0, 2000), max_size=60))
def test_a_spotting_answer_in_pieces_gives_what_the_whole_gives(text: str, sizes: list[int]) -> None:
    stream = dispatch.IncrementalParser(Task.SPOTTING, SIZE)
    for piece in cut(text, sizes):
        check(stream.feed(piece))
    assert stream.finish() == dispatch.parse(Task.SPOTTING, text, SIZE)


@settings(max_examples=100, deadline=None)
@given(
    text=answers(20),
    task=st.sampled_from([task for task in Task if task is not Task.SPOTTING]),
    sizes=st.lists(st.integers(0, 60), max_size=20),
)
def test_other_answers_in_pieces_give_what_the_whole_gives(text: str, task: Task, sizes: list[int]) -> None:
    stream = dispatch.IncrementalParser(task, SIZE, ("total",))
    for piece in cut(text, sizes):
        check(stream.feed(piece))
    assert stream.finish() == dispatch.parse(task, text, SIZE, field_names=("total",))


@settings(max_examples=100, deadline=None)
@given(order=st.lists(st.sampled_from(range(4)), min_size=1, max_size=60), data=st.data())
def test_lines_shown_on_the_way_stay_as_they_are(order: list[int], data: st.DataObject) -> None:
    lines = [GOOD[kind].replace("1", str(place % 9 + 1), 1) for place, kind in enumerate(order)]
    text = "".join(lines)
    stream = dispatch.IncrementalParser(Task.SPOTTING, SIZE)
    shown = []
    for piece in cut(text, data.draw(st.lists(st.integers(1, 30), max_size=40))):
        shown.append(stream.feed(piece).lines)
    final = stream.finish().lines
    assert all(final[: len(lines)] == lines for lines in shown)


@pytest.mark.parametrize("line", GOOD[:4], ids=["tags", "bare", "positions", "json"])
def test_a_line_appears_with_its_last_character(line: str) -> None:
    stream = dispatch.IncrementalParser(Task.SPOTTING, SIZE)
    last = {"]": "}", "}": "}"}.get(line.rstrip(",")[-1], line.rstrip(",")[-1])
    end = line.rindex(last) + 1
    for c in line[: end - 1]:
        assert all(shown.quad is None or "quad" in line for shown in stream.feed(c).lines)
    content = stream.feed(line[end - 1])
    assert len(content.lines) == 1
    assert content.lines[0].quad is not None


def test_a_box_in_tags_appears_before_its_closing_tag() -> None:
    stream = dispatch.IncrementalParser(Task.SPOTTING, SIZE)
    assert not stream.feed("<ref>A</ref><quad>(1,2),(30,40").lines
    assert stream.feed(")").lines[0].quad is not None


def test_an_answer_that_says_nothing_new_gives_the_same_object() -> None:
    stream = dispatch.IncrementalParser(Task.SPOTTING, SIZE)
    first = stream.feed("A(1,2),(30,40)B")
    assert stream.feed(" and more") is first


@pytest.mark.parametrize("task", list(Task))
def test_work_grows_with_the_answer_alone(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is parsed on the way, counted in characters, stays a small multiple of the answer."""
    parsed = 0
    whole = dispatch.parse

    def counting(task: Task, text: str, *args: object, **options: object) -> PageContent:
        nonlocal parsed
        parsed += len(text)
        return whole(task, text, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(dispatch, "parse", counting)
    text = "".join(f"Line {i} of the page, {i * 7 % 13} words.\n" for i in range(1500))
    stream = dispatch.IncrementalParser(task, SIZE)
    for at in range(0, len(text), 5):
        stream.feed(text[at : at + 5])
    assert parsed <= 12 * len(text)


@pytest.mark.parametrize("task", [Task.SPOTTING, Task.TEXT, Task.FIELDS, Task.TABLE, Task.DOCUMENT, Task.LAYOUT])
def test_lines_beyond_those_told_apart_stay_as_one(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MOST_LINES", 3)
    text = "apple\nbread\ncheese\ndates\neggs"
    content = dispatch.parse(task, text, SIZE)
    assert [line.text for line in content.lines] == ["apple", "bread", "cheese", "dates\neggs"]
    assert content.text == text
    assert "limit" in {warning.code for warning in content.warnings}
    stream = dispatch.IncrementalParser(task, SIZE)
    for piece in text:
        stream.feed(piece)
    assert stream.finish() == content
    assert "limit" not in {warning.code for warning in dispatch.parse(task, "apple\nbread\ncheese", SIZE).warnings}
