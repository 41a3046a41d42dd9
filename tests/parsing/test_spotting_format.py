"""Lines to each of the four shapes and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.errors import BadInput
from ocr_ui.parsing import dispatch
from ocr_ui.parsing.coordinates import order_points
from ocr_ui.parsing.spotting_format import NO_TEXT, Shape, problem, write
from ocr_ui.scoring.spotting_shapes import read

SIZE = (2000, 500)
SIDES = st.tuples(*[st.integers(0, 1000)] * 4).filter(lambda s: s[0] != s[2] and s[1] != s[3] and max(s) > 1)


def box(sides: tuple[int, int, int, int]) -> Quad:
    x, y = sorted(sides[::2]), sorted(sides[1::2])
    return Quad.from_normalized([(x[0], y[0]), (x[1], y[1])], *SIZE)


def turned(points: list[tuple[int, int]]) -> Quad | None:
    ordered = order_points([(float(x), float(y)) for x, y in points])
    quad = Quad.from_normalized(ordered, *SIZE)
    upright = quad.bounds.width == 0 or quad.bounds.height == 0 or quad == Quad.from_box(quad.bounds)
    return None if upright or order_points(ordered) != ordered else quad


POINTS = st.lists(st.tuples(st.integers(2, 1000), st.integers(2, 1000)), min_size=4, max_size=4)
QUADS = SIDES.map(box) | POINTS.map(turned).filter(lambda quad: quad is not None)
TEXTS = st.text(max_size=12) | st.lists(
    st.sampled_from(
        [
            *("a", "(1,2)", "(1,2),(3,4)", "<ref>", "</ref>", "<quad>", "<pos_1>", '"', "\\", "{", "}", "[", ","),
            *(" ", "\n", "\t", "\\frac", "没有文字", "\ud800", "\0", "<|im_end|>", "```", "\u202e", "\b", '{"text":'),
            *("C:\\temp\\", "(", ")", "(1)", "（店）", "，"),
        ]
    ),
    max_size=8,
).map("".join)


def lines_for(shape: Shape) -> st.SearchStrategy[list[TextLine]]:
    quads = QUADS if shape is Shape.BARE else QUADS | st.none()
    line = st.builds(TextLine, TEXTS, quads).filter(lambda line: not problem(line, shape, SIZE))
    return st.lists(line, max_size=8, unique_by=lambda line: (line.text, line.quad))


@pytest.mark.parametrize("shape", list(Shape))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_written_reads_back(shape: Shape, data: st.DataObject) -> None:
    lines = data.draw(lines_for(shape))
    assume(shape is not Shape.POSITIONS or not lines or lines[0].quad is not None)
    content = dispatch.parse(Task.SPOTTING, write(lines, shape, SIZE), SIZE)
    assert list(content.lines) == lines


LINES = [
    TextLine("Total (USD)", Quad.from_box(BoundingBox(240, 20, 620, 35))),
    TextLine("12.50", Quad.from_box(BoundingBox(1400, 20, 1600, 35))),
]
WRITTEN = {
    Shape.TAGS: "<ref>Total (USD)</ref><quad>(120,40),(310,70)</quad><ref>12.50</ref><quad>(700,40),(800,70)</quad>",
    Shape.POSITIONS: "<quad><pos_120><pos_40><pos_310><pos_70></quad><ref>Total (USD)</ref>"
    "<quad><pos_700><pos_40><pos_800><pos_70></quad><ref>12.50</ref>",
    Shape.BARE: "Total (USD)(120,40),(310,70)12.50(700,40),(800,70)",
    Shape.JSON: '[{"box": [120, 40, 310, 70], "text": "Total (USD)"},\n{"box": [700, 40, 800, 70], "text": "12.50"}]',
}


@pytest.mark.parametrize("shape", list(Shape))
def test_the_official_shapes_letter_by_letter(shape: Shape) -> None:
    assert write(LINES, shape, SIZE) == WRITTEN[shape]


def test_a_page_without_text_has_the_label_of_the_model() -> None:
    assert write([], Shape.TAGS, SIZE) == NO_TEXT
    assert dispatch.parse(Task.SPOTTING, NO_TEXT, SIZE).lines == ()


def test_json_is_strict_json() -> None:
    text = 'a "quoted" \\frac\n\t\x08'
    written = write([TextLine(text, LINES[0].quad)], Shape.JSON, SIZE)
    assert json.loads(written) == [{"box": [120, 40, 310, 70], "text": text}]


def test_a_turned_line_is_written_as_four_points_or_as_the_box_around_it() -> None:
    quad = Quad.from_normalized([(100, 100), (300, 120), (298, 160), (98, 140)], *SIZE)
    line = TextLine("a", quad)
    assert write([line], Shape.BARE, SIZE) == "a(100,100),(300,120),(298,160),(98,140)"
    assert write([line], Shape.BARE, SIZE, upright=True) == "a(98,100),(300,160)"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("ends like (1,2),", Shape.BARE),
        ("f(1,2),(3,4) open", Shape.BARE),
        (" blank", Shape.BARE),
        ("", Shape.BARE),
        (",", Shape.BARE),
        (", (5,6)", Shape.BARE),
        ("、（a）", Shape.BARE),
        ("()", Shape.BARE),
        ("open (", Shape.BARE),
        ("a</ref>b", Shape.TAGS),
        ("a</REF>", Shape.POSITIONS),
        ("\nline", Shape.TAGS),
    ],
)
def test_what_a_shape_cannot_hold_is_refused_and_json_holds_it(text: str, shape: Shape) -> None:
    line = TextLine(text, LINES[0].quad)
    with pytest.raises(BadInput) as caught:
        write([LINES[1], line], shape, SIZE)
    assert caught.value.code == "not_writable"
    assert caught.value.details["line"] == 2
    content = dispatch.parse(Task.SPOTTING, write([line], Shape.JSON, SIZE), SIZE)
    assert content.lines == (line,)


@pytest.mark.parametrize("text", ["(Main Street)", "（南湖店）", "(1)", "(1,2)", "(a), (b)"])
def test_a_line_in_brackets_is_held_by_the_bare_shape_and_read_by_the_official_rule(text: str) -> None:
    lines = [LINES[0], TextLine(text, LINES[1].quad), LINES[1]]
    raw = write(lines, Shape.BARE, SIZE)
    assert dispatch.parse(Task.SPOTTING, raw, SIZE).lines == tuple(lines)
    assert [one.text for one in read(raw, "bare")] == [line.text for line in lines]


def test_a_line_without_box_is_refused_where_it_would_take_the_next_box() -> None:
    lines = [TextLine("no box"), LINES[0]]
    for shape in (Shape.BARE, Shape.POSITIONS):
        with pytest.raises(BadInput, match="Line 1"):
            write(lines, shape, SIZE)
    for shape in (Shape.TAGS, Shape.JSON):
        assert dispatch.parse(Task.SPOTTING, write(lines, shape, SIZE), SIZE).lines == tuple(lines)
