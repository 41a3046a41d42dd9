"""Documents, layouts, formulas and plain answers beyond the collected cases."""

from __future__ import annotations

import pytest

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import dispatch

SIZE = (2000, 500)


def parse(task: Task, text: str) -> PageContent:
    return dispatch.parse(task, text, SIZE)


def codes(content: PageContent) -> set[str]:
    return {warning.code for warning in content.warnings}


def regions(content: PageContent) -> list[tuple[str, tuple[float, ...] | None, str]]:
    found = []
    for region in content.regions:
        box = region.quad and region.quad.bounds
        found.append((region.kind, box and (box.left, box.top, box.right, box.bottom), region.text))
    return found


@pytest.mark.parametrize("task", [Task.DOCUMENT, Task.CHART, Task.LAYOUT])
def test_a_bare_coordinate_as_document_is_told(task: Task) -> None:
    content = parse(task, "(156,68),(783,758)")
    assert codes(content) == {"degenerate", "empty"}
    assert content.text == ""
    assert regions(content) == [("figure", (312, 34, 1566, 379), "")]


def test_coordinates_behind_a_caption_become_a_figure() -> None:
    content = parse(
        Task.DOCUMENT, "# Title\n\nFigure 1: a map(39,300),(512,900)\n(147,90),(925,415)\n\nText (1,2) goes on."
    )
    assert content.text == "# Title\n\nFigure 1: a map\n\nText (1,2) goes on."
    assert [region[0::2] for region in regions(content)] == [("figure", "Figure 1: a map"), ("figure", "")]


@pytest.mark.parametrize(
    "text",
    [
        "The points $(2,4),(3,3)$",
        "$$\n(2,4),(3,3)\n$$",
        "\\[\n(2,4),(3,3)\n\\]",
        "from (1,2),(3,4) to there",
        "<table><tr><td>(2,4),(3,3)</td></tr></table>",
    ],
)
def test_coordinates_in_formulas_tables_and_prose_stay(text: str) -> None:
    content = parse(Task.DOCUMENT, text)
    assert content.text == text
    assert content.regions == ()


def test_a_translation_keeps_what_looks_like_coordinates() -> None:
    assert parse(Task.TRANSLATE, "line (1,2),(3,4)").text == "line (1,2),(3,4)"


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("a\n\n$$\nx = 1", True),
        ("a\n\n$$x = 1$$\n\nb", False),
        ("\\[ x", True),
        ("\\[ x \\]", False),
        ("\\begin{align} x", True),
        ("\\begin{align} x \\end{align}", False),
        ("```mermaid\ngraph TD", True),
        ("```mermaid\ngraph TD\n```", False),
        ("# T\n<table><tr><td>a", True),
        ("costs 5$$ and more", False),
    ],
)
def test_open_ends_are_told(text: str, cut: bool) -> None:
    assert ("truncated" in codes(parse(Task.DOCUMENT, text))) is cut


def test_an_answer_in_one_fence_is_unwrapped_but_a_diagram_is_not() -> None:
    assert parse(Task.DOCUMENT, "```markdown\n# T\n\ntext\n```").text == "# T\n\ntext"
    assert parse(Task.CHART, "```mermaid\ngraph TD\n```").text == "```mermaid\ngraph TD\n```"


def test_layout_entries_become_regions() -> None:
    text = '[{"layout_type": "Section Title", "bbox": "(100,100),(200,100),(200,200),(100,200)", "text": "T"}, '
    content = parse(Task.LAYOUT, text + '{"layout_type": "figure", "bbox": [[0,300],[500,300],[500,600],[0,600]]}]')
    assert regions(content) == [("section_title", (200, 50, 400, 100), "T"), ("figure", (0, 150, 1000, 300), "")]
    assert [line.text for line in content.lines] == ["T"]


def test_layout_entries_cut_off_keep_what_is_complete() -> None:
    content = parse(Task.LAYOUT, '[{"layout_type": "text", "bbox": [1,2,30,40]}, {"layout_type": "table", "bb')
    assert regions(content)[0] == ("text", (2, 1, 60, 20), "")
    assert "truncated" in codes(content)


def test_layout_marks_of_the_first_version_become_regions() -> None:
    meta = "<hy-meta><layout>{}</layout><poly>(100,100),(200,100),(200,200),(100,200)</poly></hy-meta>"
    content = parse(Task.LAYOUT, "A title" + meta.format("para-title") + "\nSome text" + meta.format("paragraph"))
    box = (200, 50, 400, 100)
    assert regions(content) == [("para_title", box, "A title"), ("paragraph", box, "Some text")]
    assert content.text == "A title\nSome text"


def test_layout_in_tags_becomes_regions() -> None:
    content = parse(Task.LAYOUT, "<ref>table</ref><quad>(100,100),(200,200)</quad>")
    assert regions(content) == [("table", (200, 50, 400, 100), "table")]


FORMULAS = {
    "two display formulas": ("$$a$$\n$$b$$", ["a", "b"]),
    "doubled delimiters": ("$$\\[x^2\\]$$", ["x^2"]),
    "a fence without a name": ("```\nx^2\n```", ["x^2"]),
    "a fence around delimiters": ("```latex\n$$x^2$$\n```", ["x^2"]),
    "a lead-in": ("The formula is:\n$$x^2$$", ["x^2"]),
    "an environment": ("$$\\begin{align}\na &= b\n\\end{align}$$", ["\\begin{align}\na &= b\n\\end{align}"]),
    "a dollar inside": ("$$5\\$ + x$$", ["5\\$ + x"]),
    "text inside": ("\\[x \\text{ if } y\\]", ["x \\text{ if } y"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMULAS)
def test_formulas_without_delimiters(kind: str) -> None:
    text, wanted = FORMULAS[kind]
    content = parse(Task.FORMULA, text)
    assert [line.text for line in content.lines] == wanted
    assert content.text == "\n".join(wanted)
    assert codes(content) == set()


@pytest.mark.parametrize("text", ["$$x^2", "\\[x^2", "\\frac{a}{b", "\\begin{cases} a"])
def test_a_formula_cut_off_is_told(text: str) -> None:
    content = parse(Task.FORMULA, text)
    assert codes(content) == {"truncated"}
    assert content.text == text.removeprefix("$$").removeprefix("\\[")


def test_prose_between_formulas_is_kept() -> None:
    text = "Let $x$ be small, then $y = x$."
    content = parse(Task.FORMULA, text)
    assert content.text == text
    assert codes(content) == {"mixed_format"}


@pytest.mark.parametrize("task", [Task.TEXT, Task.TRANSLATE, Task.SUBTITLES, Task.DOCUMENT, Task.TABLE, Task.FORMULA])
@pytest.mark.parametrize("text", ["", " \n", "没有文字", "没有文字。", "NO_TEXT"])
def test_a_page_without_text_is_empty(task: Task, text: str) -> None:
    content = parse(task, text)
    assert (content.lines, content.text, codes(content)) == ((), "", {"empty"})


def test_a_question_may_be_answered_by_these_words() -> None:
    assert parse(Task.QA, "没有文字").text == "没有文字"


@pytest.mark.parametrize(
    "text",
    [
        "<ref>A</ref><quad>(1,2),(30,40)</quad>",
        '[{"box": [1,2,30,40], "text": "A"}]',
        "A(1,2),(30,40)B(1,50),(30,80)",
    ],
)
def test_boxes_that_were_not_asked_for_are_used_and_told(text: str) -> None:
    content = parse(Task.TEXT, text)
    assert content.lines[0].text == "A"
    assert content.lines[0].quad is not None
    assert codes(content) == {"mixed_format"}


def test_mathematics_in_plain_text_is_no_box() -> None:
    text = "The segment from (1,2),(3,4) is short."
    assert parse(Task.TEXT, text).text == text


def test_plain_text_keeps_lines_and_indentation_and_windows_line_ends() -> None:
    content = parse(Task.TEXT, "a\r\n\r\n    b\r\n")
    assert [line.text for line in content.lines] == ["a", "    b"]
