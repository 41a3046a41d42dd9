"""Kinds of spotting answers beyond the collected cases: for each, what is kept and what is told."""

from __future__ import annotations

import pytest

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import dispatch

SIZE = (1000, 1000)
Item = tuple[str, tuple[float, ...] | None]


def parse(text: str, size: tuple[int, int] = SIZE) -> PageContent:
    return dispatch.parse(Task.SPOTTING, text, size)


def items(content: PageContent) -> list[Item]:
    return [
        (line.text, None if line.quad is None else tuple(round(v, 6) for p in line.quad.points[::2] for v in p))
        for line in content.lines
    ]


def codes(content: PageContent) -> list[str]:
    return sorted({warning.code for warning in content.warnings})


A, B = ("A", (1, 2, 30, 40)), ("B", (1, 50, 30, 80))

READS: dict[str, tuple[str, list[Item], list[str]]] = {
    "negative coordinates": ("<ref>A</ref><quad>(-5,2),(30,40)</quad>", [("A", (0, 2, 30, 40))], ["clamped"]),
    "floats": ("<ref>A</ref><quad>(1.5,2.25),(30,40.0)</quad>", [("A", (1.5, 2.25, 30, 40))], []),
    "percentages": ("A(10%,20%),(30%,40.5%)", [("A", (100, 200, 300, 405))], []),
    "fractions of one": (
        '[{"box":[0.1,0.2,0.35,0.4],"text":"A"}]',
        [("A", (100, 200, 350, 400))],
        ["repaired"],
    ),
    "beyond the edge": ("A(990,2),(1010,40)", [("A", (990, 2, 1000, 40))], ["clamped"]),
    "wholly outside": ("A(1200,2),(1300,40)B(1,50),(30,80)", [("A", None), B], ["bad_box"]),
    "glued in one number": ("A(1,2),(3040,87095)B(1,50),(30,80)", [("A", None), B], ["bad_box"]),
    "a line break inside a text": (
        "<ref>A\nsecond</ref><quad>(1,2),(30,40)</quad>",
        [("A\nsecond", (1, 2, 30, 40))],
        [],
    ),
    "line breaks inside the tags": ("<ref>\nA\r\n</ref>\n<quad>\n(1,2),\n(30,40)\n</quad>\n", [A], []),
    "blanks inside the coordinates": ("A( 1 , 2 ) , ( 30 , 40 )", [A], []),
    "tags in upper case": ("<REF>A</REF><Quad>(1,2),(30,40)</QUAD>", [A], []),
    "tags with blanks": ("< ref >A</ ref >< quad >(1,2),(30,40)</ quad >", [A], []),
    "box tags of another model": ("<ref>A</ref><box>(1,2),(30,40)</box>", [A], []),
    "special tokens of another model": (
        "<|object_ref_start|>A<|object_ref_end|><|box_start|>(1,2),(30,40)<|box_end|>",
        [A],
        [],
    ),
    "detection tags with a list": ("<|ref|>A<|/ref|><|det|>[[1,2,30,40]]<|/det|>", [A], []),
    "names of the tags of 1.0": (
        "<｜hy_place▁holder▁no▁112｜>A<｜hy_place▁holder▁no▁113｜>"
        "<｜hy_place▁holder▁no▁110｜>(1,2),(30,40)<｜hy_place▁holder▁no▁111｜>",
        [A],
        [],
    ),
    "tags of figures of 1.0": ("<｜hy_place▁holder▁no▁114｜>A(1,2),(30,40)<｜hy_place▁holder▁no▁115｜>", [A], []),
    "the end token": ("A(1,2),(30,40)<｜hy_Assistant｜>", [A], []),
    "a byte order mark": ("\ufeffA(1,2),(30,40)", [A], []),
    "tabs and carriage returns": ("A(1,2),(30,40)\r\n\tB(1,50),(30,80)\r\n", [A, B], []),
    "a NUL in the text": ("<ref>A\0x</ref><quad>(1,2),(30,40)</quad>", [("A\0x", (1, 2, 30, 40))], []),
    "a lone surrogate": ("A\ud800(1,2),(30,40)", [("A\ud800", (1, 2, 30, 40))], []),
    "blanks around a text in tags": ("<ref>  A </ref><quad>(1,2),(30,40)</quad>", [("  A ", (1, 2, 30, 40))], []),
    "a box with an empty text": ("<ref></ref><quad>(1,2),(30,40)</quad>", [("", (1, 2, 30, 40))], ["empty"]),
    "the same box with two texts": ("A(1,2),(30,40)B(1,2),(30,40)", [A, ("B", (1, 2, 30, 40))], []),
    "the same line twice": ("A(1,2),(30,40)A(1,2),(30,40)B(1,50),(30,80)", [A, B], ["repeated"]),
    "the same text in two boxes": ("A(1,2),(30,40)A(1,50),(30,80)", [A, ("A", (1, 50, 30, 80))], []),
    "a lost closing ref": (
        "<ref>A<quad>(1,2),(30,40)</quad><ref>B</ref><quad>(1,50),(30,80)</quad>",
        [A, B],
        ["repaired"],
    ),
    "a lost opening ref": (
        "A</ref><quad>(1,2),(30,40)</quad><ref>B</ref><quad>(1,50),(30,80)</quad>",
        [A, B],
        ["repaired"],
    ),
    "a lost closing quad": (
        "<ref>A</ref><quad>(1,2),(30,40)<ref>B</ref><quad>(1,50),(30,80)</quad>",
        [A, B],
        ["repaired"],
    ),
    "a lost closing quad before a bare number": (
        "<ref>A</ref><quad>(1,2),(30,40)3.50(1,50),(30,80)",
        [A, ("3.50", (1, 50, 30, 80))],
        ["mixed_format", "repaired"],
    ),
    "lost quad tags": ("<ref>A</ref>(1,2),(30,40)<ref>B</ref>(1,50),(30,80)", [A, B], []),
    "lost ref tags": ("A<quad>(1,2),(30,40)</quad>B<quad>(1,50),(30,80)</quad>", [A, B], []),
    "a box inside the ref": (
        "<ref>A<quad>(1,2),(30,40)</quad></ref><ref>B</ref><quad>(1,50),(30,80)</quad>",
        [A, B],
        ["repaired"],
    ),
    "a whole box as text of a ref": (
        "<ref>A<quad>(5,6),(7,8)</quad></ref><quad>(1,2),(30,40)</quad>",
        [("A<quad>(5,6),(7,8)</quad>", (1, 2, 30, 40))],
        [],
    ),
    "a ref without box between others": (
        "<ref>A</ref><quad>(1,2),(30,40)</quad><ref>x</ref><ref>B</ref><quad>(1,50),(30,80)</quad>",
        [A, ("x", None), B],
        ["bad_box"],
    ),
    "letters among the digits": (
        "<ref>x</ref><quad>(312,44),(87o,951)</quad><ref>B</ref><quad>(1,50),(30,80)</quad>",
        [("x", None), B],
        ["bad_box"],
    ),
    "three points": (
        "<ref>x</ref><quad>(1,2),(3,4),(5,6)</quad><ref>B</ref><quad>(1,50),(30,80)</quad>",
        [("x", None), B],
        ["bad_box"],
    ),
    "points that go on and on": ("x(1,2),(3,4),(5,6),(7,8),(9,9),(1,1)B(1,50),(30,80)", [("x", None), B], ["bad_box"]),
    "three points bare": ("x(1,2),(3,4),(5,6)B(1,50),(30,80)", [("x", None), B], ["bad_box"]),
    "a flat list in quad tags": ("<ref>A</ref><quad>1,2,30,40</quad>", [A], []),
    "a list in quad tags": ("<ref>A</ref><quad>[1, 2, 30, 40]</quad>", [A], []),
    "three numbers in one bracket": ("<ref>x</ref><quad>(1,2,3),(4)</quad>", [("x", None)], ["bad_box"]),
    "positions without quad tags": ("<pos_1><pos_2><pos_30><pos_40><ref>A</ref>", [A], []),
    "positions of a quad cut at its end": (
        "<quad><pos_1><pos_2><pos_30><pos_40></quad><ref>A</ref><quad><pos_5><pos_6>",
        [A],
        ["truncated"],
    ),
    "a quad of positions that got no text any more": (
        "<quad><pos_1><pos_2><pos_30><pos_40></quad><ref>A</ref><quad><pos_5><pos_6><pos_7><pos_8></quad>",
        [A],
        ["truncated"],
    ),
    "a text of positions cut off": (
        "<quad><pos_1><pos_2><pos_30><pos_40></quad><ref>A</ref><quad><pos_1><pos_50><pos_30><pos_80></quad><ref>B",
        [A, B],
        ["truncated"],
    ),
    "a text that lost its quad of positions": (
        "<quad><pos_1><pos_2><pos_30><pos_40></quad><ref>A</ref><ref>x</ref>"
        "<quad><pos_1><pos_50><pos_30><pos_80></quad><ref>B</ref>",
        [A, ("x", None), B],
        ["bad_box"],
    ),
    "two quads of positions in a row": (
        "<quad><pos_1><pos_2><pos_30><pos_40></quad><quad><pos_1><pos_50><pos_30><pos_80></quad><ref>B</ref>",
        [("", (1, 2, 30, 40)), B],
        ["empty"],
    ),
    "coordinates before the text": (
        "<quad>(1,2),(30,40)</quad><ref>A</ref><quad>(1,50),(30,80)</quad><ref>B</ref>",
        [A, B],
        [],
    ),
    "cut inside a tag": ("<ref>A</ref><quad>(1,2),(30,40)</quad><ref>B</ref><qu", [A, ("B", None)], ["truncated"]),
    "cut inside a closing tag": ("<ref>A</ref><quad>(1,2),(30,40)</quad><ref>B</re", [A, ("B", None)], ["truncated"]),
    "cut after the last bracket": ("<ref>A</ref><quad>(1,2),(30,40)", [A], ["truncated"]),
    "bare, cut inside the box": ("A(1,2),(30,40)B(50,6", [A, ("B", None)], ["truncated"]),
    "bare, cut inside the text": ("A(1,2),(30,40)Bet", [A, ("Bet", None)], ["truncated"]),
    "full-width comma between points": ("A(1,2)，(30,40)", [A], []),
    "Arabic digits": ("A(١,٢),(٣٠,٤٠)", [A], []),
    "a formula as text": ("f(x,y)=(a,b)(1,2),(30,40)", [("f(x,y)=(a,b)", (1, 2, 30, 40))], []),
    "one pair as text": ("P(3,4) Q(1,2),(30,40)", [("P(3,4) Q", (1, 2, 30, 40))], []),
    "four points bare": (
        "A(100,100),(300,120),(298,160),(98,140)",
        [("A", (100, 100, 298, 160))],
        [],
    ),
    "prose before tags": (
        "Here you are: <ref>A</ref><quad>(1,2),(30,40)</quad>",
        [("Here you are:", None), A],
        ["unparsed"],
    ),
    "prose alone": ("The sign says\nStop.", [("The sign says", None), ("Stop.", None)], ["unparsed"]),
    "without text": ("没有文字。", [], ["empty"]),
    "NO_TEXT": ("NO_TEXT", [], ["empty"]),
    "an empty array": ("```json\n[]\n```", [], ["empty"]),
    "blanks alone": (" \n\t ", [], ["empty"]),
    "JSON lines": ('{"box":[1,2,30,40],"text":"A"}\n{"box":[1,50,30,80],"text":"B"}\n', [A, B], []),
    "a single object": ('{"box":[1,2,30,40],"text":"A"}', [A], []),
    "a wrapper object": ('{"result":{"lines":[{"box":[1,2,30,40],"text":"A"}]}}', [A], []),
    "points as pairs": ('[{"points":[[1,2],[30,2],[30,40],[1,40]],"text":"A"}]', [A], []),
    "named corners": ('[{"box":{"x1":1,"y1":2,"x2":30,"y2":40},"text":"A"}]', [A], []),
    "left, top, width, height": ('[{"box":{"x":1,"y":2,"width":29,"height":38},"text":"A"}]', [A], []),
    "numbers as texts": ('[{"box":["1","2","30","40"],"text":"A"}]', [A], []),
    "a word in the box": (
        '[{"box":[1,2,"wide",40],"text":"x"},{"box":[1,50,30,80],"text":"B"}]',
        [("x", None), B],
        ["bad_box"],
    ),
    "NaN in the box": ('[{"box":[1,2,NaN,40],"text":"x"}]', [("x", None)], ["bad_box"]),
    "no box": ('[{"text":"x"},{"box":[1,50,30,80],"text":"B"}]', [("x", None), B], ["bad_box"]),
    "null text": ('[{"box":[1,2,30,40],"text":null}]', [("", (1, 2, 30, 40))], ["empty"]),
    "a number as text": ('[{"box":[1,2,30,40],"text":12.50}]', [("12.50", (1, 2, 30, 40))], []),
    "single quotes": ("[{'box': [1,2,30,40], 'text': 'it\\'s'}]", [("it's", (1, 2, 30, 40))], ["repaired"]),
    "quotes inside a text": (
        '[{"text":"say "A" now","box":[1,2,30,40]},{"box":[1,50,30,80],"text":"B"}]',
        [('say "A" now', (1, 2, 30, 40)), B],
        ["repaired"],
    ),
    "coordinates inside a JSON text": (
        '[{"box":[1,2,30,40],"text":"<ref>(5,6),(7,8)</ref>"}]',
        [("<ref>(5,6),(7,8)</ref>", (1, 2, 30, 40))],
        [],
    ),
    "a lost quote between entries": (
        '[{"box":[1,2,30,40],"text":"A},{"box":[1,50,30,80],"text":"B"}]',
        [A, B],
        ["repaired"],
    ),
    "JSON cut inside the text": (
        '[{"box":[1,2,30,40],"text":"A"},{"box":[1,50,30,80],"text":"B',
        [A, B],
        ["truncated"],
    ),
    "JSON cut inside the box": (
        '[{"text":"A","box":[1,2,30,40]},{"text":"B","box":[1,50,30,8',
        [A, ("B", None)],
        ["truncated"],
    ),
    "JSON cut between entries": ('[{"box":[1,2,30,40],"text":"A"},', [A], ["truncated"]),
    "LaTeX in a JSON text": (
        '[{"box":[1,2,30,40],"text":"\\frac{1}{2}"}]',
        [("\\frac{1}{2}", (1, 2, 30, 40))],
        ["repaired"],
    ),
    "JSON, then bare": ('[{"box":[1,2,30,40],"text":"A"}]\nB(1,50),(30,80)', [A, B], ["mixed_format"]),
    "a text for each box, as keys": ('{"A":[1,2,30,40],"B":[1,50,30,80]}', [A, B], ["repaired"]),
    "a list for each line": ('[["A",[1,2,30,40]],["B",[1,50,30,80]]]', [A, B], ["repaired"]),
    "a flat list for each line": ('[["A",1,2,30,40],["B",1,50,30,80]]', [A, B], ["repaired"]),
    "four numbers in one bracket, back to back": ("A(1,2,30,40)B(1,50,30,80)", [A, B], ["repaired"]),
    "four numbers in one bracket, in lines": ("A [1, 2, 30, 40]\nB: [1, 50, 30, 80]", [A, B], ["repaired"]),
    "a list of four numbers in prose": ("See (1,2,3,4) there.", [("See (1,2,3,4) there.", None)], ["unparsed"]),
    "keys in another case": ('[{"Box":[1,2,30,40],"TEXT":"A"}]', [A], []),
    "names of the tags of 1.0 in ASCII": (
        "<|hy_place_holder_no_112|>A<hy_place_holder_no_113><hy_place▁holder▁no▁110>(1,2),(30,40)"
        "<hy_place▁holder▁no▁111>",
        [A],
        [],
    ),
    "separators between tags": (
        "<ref>A</ref><quad>(1,2),(30,40)</quad>,\n- <ref>B</ref><quad>(1,50),(30,80)</quad>;",
        [A, B],
        [],
    ),
    "a sentence that there is none": ("图中没有可识别的文字。", [], ["empty"]),
    "two orders": (
        "<ref>A</ref><quad>(1,2),(30,40)</quad><quad><pos_1><pos_50><pos_30><pos_80></quad><ref>B</ref>",
        [A, B],
        ["mixed_format"],
    ),
}


@pytest.mark.parametrize("kind", READS)
def test_what_is_read_and_what_is_told(kind: str) -> None:
    text, wanted, told = READS[kind]
    content = parse(text)
    assert items(content) == wanted
    assert codes(content) == told


@pytest.mark.parametrize("kind", READS)
def test_every_cut_gives_what_the_whole_gives(kind: str) -> None:
    """In single characters, and in two pieces cut at each place, with another answer before so that much is settled."""
    text = READS["floats"][0] + READS[kind][0]
    whole = parse(text)
    for pieces in [list(text), *([text[:at], text[at:]] for at in range(1, len(text)))]:
        stream = dispatch.IncrementalParser(Task.SPOTTING, SIZE)
        for piece in pieces:
            stream.feed(piece)
        assert stream.finish() == whole


def test_warnings_name_their_line() -> None:
    content = parse("A(1,2),(30,40)x(1,2),(3,4),(5,6)R(800,300),(200,100)")
    assert {(w.code, w.line) for w in content.warnings} == {("bad_box", 1), ("reversed", 2)}


@pytest.mark.parametrize(
    "points",
    [
        "(98,140),(298,160),(300,120),(100,100)",
        "(100,100),(298,160),(300,120),(98,140)",
        "(100,100),(98,140),(298,160),(300,120)",
    ],
    ids=["counter-clockwise", "crossed", "down first"],
)
def test_four_points_in_a_wrong_order_become_clockwise_from_the_top_left(points: str) -> None:
    content = parse(f"<ref>A</ref><quad>{points}</quad>")
    assert content.lines[0].quad is not None
    assert content.lines[0].quad.points == ((100, 100), (300, 120), (298, 160), (98, 140))
    assert codes(content) == ["reversed"]


def test_a_turned_line_keeps_the_corner_where_its_text_starts() -> None:
    content = parse("<ref>A</ref><quad>(300,100),(300,900),(200,900),(200,100)</quad>")
    assert content.lines[0].quad is not None
    assert content.lines[0].quad.points[0] == (300, 100)
    assert codes(content) == []


def test_four_points_on_a_line_are_flat() -> None:
    content = parse("<ref>A</ref><quad>(1,2),(3,4),(5,6),(7,8)</quad>")
    assert codes(content) == ["degenerate"]


def test_bare_coordinates_that_go_on_after_the_box_keep_the_first_two() -> None:
    content = parse("Hello(1,2),(3,4),(5,6),(7,8)")
    assert items(content) == [("Hello", (1, 2, 3, 4))]
    assert codes(content) == ["bad_box"]


def test_each_axis_has_its_own_scale() -> None:
    content = parse("A(100,100),(200,300)", (50, 4000))
    assert items(content) == [("A", (5, 400, 10, 1200))]


def test_a_very_long_line_is_one_line() -> None:
    text = "word " * 20_000 + "end"
    content = parse(f"<ref>{text}</ref><quad>(1,2),(30,40)</quad>")
    assert items(content) == [(text, (1, 2, 30, 40))]


def test_open_ends_of_a_running_answer_are_not_told() -> None:
    content = dispatch.parse(Task.SPOTTING, "<ref>A</ref><quad>(1,2),(30,40)</quad><ref>B", SIZE, finished=False)
    assert codes(content) == []
    assert [line.text for line in content.lines] == ["A", "B"]


def test_the_same_text_with_boxes_that_creep_on_is_told_and_kept() -> None:
    content = parse("".join(f"<ref>B</ref><quad>(1,{50 + i}),(30,{80 + i})</quad>" for i in range(100)))
    assert len(content.lines) == 100
    assert [(w.code, w.line) for w in content.warnings] == [("repeated", 0)]


def test_the_same_text_in_the_cells_of_a_column_is_none() -> None:
    content = parse("".join(f"0.00(1,{20 * i}),(30,{20 * i + 15})" for i in range(48)))
    assert codes(content) == []


def test_lines_without_boxes_in_a_loop_are_cut() -> None:
    content = parse("<ref>A</ref><quad>(1,2),(30,40)</quad>" + "<ref>again and again</ref>" * 80)
    assert [line.text for line in content.lines] == ["A", "again and again"]
    assert "repeated" in codes(content)


def test_a_hundred_thousand_bad_boxes_do_not_bury_the_page_in_warnings() -> None:
    content = parse("".join(f"<ref>{i}</ref><quad>()</quad>" for i in range(1000)))
    assert len(content.lines) == 1000
    assert len(content.warnings) <= 200
