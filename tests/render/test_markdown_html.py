"""Markdown of a model as HTML: what was recognised is seen, nothing of it runs."""

from __future__ import annotations

import pytest
from dom import PAYLOADS, assert_safe, elements, visible_text
from hypothesis import given, settings
from hypothesis import strategies as st

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.prompt import Task
from ocr_ui.render.markdown import CLASSES, MAX_LEVEL, clean_html, content_html, lines_html, render_markdown
from ocr_ui.render.visible import MAX_SHOWN


def tags(html: str) -> list[str]:
    return [element.tag.rpartition("}")[2] for element in elements(html)]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("# A", '<h1 dir="auto">A</h1>'),
        ("b *c* **d** `e`", '<p dir="auto">b <em>c</em> <strong>d</strong> <code>e</code></p>'),
        ("中文**粗体**中文", '<p dir="auto">中文<strong>粗体</strong>中文</p>'),
        ("a\nb", '<p dir="auto">a<br>\nb</p>'),
        ("- a\n- b", '<ul>\n<li dir="auto">a</li>\n<li dir="auto">b</li>\n</ul>'),
        ("> a", '<blockquote>\n<p dir="auto">a</p>\n</blockquote>'),
        ("x<br/>y m<sup>2</sup> H<sub>2</sub>O", '<p dir="auto">x<br>y m<sup>2</sup> H<sub>2</sub>O</p>'),
        ("```mermaid\ngraph TD\n```", '<pre><code class="language-mermaid">graph TD\n</code></pre>'),
        ("```python x\na\n```", "<pre><code>a\n</code></pre>"),
    ],
)
def test_markdown_is_rendered(markdown: str, html: str) -> None:
    assert render_markdown(markdown).strip() == html


@pytest.mark.parametrize(
    "text",
    [
        "Press <Enter> then <s nip> and go on.",
        "5 < 6 > 4",
        "2*3*4 and a*b*c",
        "snake_case_name ~~not struck~~",
        "AT&T &amp; &lt;b&gt; &copy; &#60;",
        "<http://a.example> <me@a.example>",
        "[r]: http://a.example",
        "![x][y] [z]",
        "<!-- note -->",
        "C:\\dir\\file",
        "Menu $5 soup and $10 roast. A$$ and 3$ more.",
        "{{ template }} ${x} <% y %>",
    ],
)
def test_text_that_only_looks_like_markup_is_seen(text: str) -> None:
    html = render_markdown(text)
    assert_safe(html)
    assert visible_text(html).strip() == text


def test_a_list_keeps_its_numbers() -> None:
    items = [(e.get("value"), "".join(e.itertext())) for e in elements(render_markdown("7. a\n9. b")) if "li" in e.tag]
    assert items == [("7", "a"), ("9", "b")]


def test_indented_text_is_no_code() -> None:
    assert "code" not in tags(render_markdown("a\n\n    indented"))


def test_a_web_link_opens_apart_and_tells_nobody() -> None:
    (link,) = [e for e in elements(render_markdown('[x](https://a.example/?b=1 "t")')) if e.tag.endswith("}a")]
    assert dict(link.attrib) == {
        "href": "https://a.example/?b=1",
        "rel": "noopener noreferrer nofollow",
        "target": "_blank",
    }


@pytest.mark.parametrize("address", ["javascript:x", "mailto:a@b.c", "ftp://x", "/x", "//x", "#x", "x.html", "http:"])
def test_any_other_link_is_text(address: str) -> None:
    html = render_markdown(f"[x]({address})")
    assert "a" not in tags(html)
    assert visible_text(html).strip() == f"[x]({address})"


def test_a_picture_becomes_its_description_and_address() -> None:
    html = render_markdown("![a *chart*](http://127.0.0.1:9/track.png)")
    assert_safe(html)
    assert visible_text(html).strip() == "a chart (http://127.0.0.1:9/track.png)"


@pytest.mark.parametrize(
    ("markdown", "display"),
    [
        ("$x^2$", "inline"),
        (r"a \(x^2\) b", "inline"),
        ("$$x^2$$", "block"),
        ("$$\nx^2\n$$", "block"),
        ("text\n\\[\nx^2\n\\]\ntext", "block"),
        ("a $$x^2$$ b", "block"),
        ("> $$\n> x^2\n> $$", "block"),
        ("- \\[ x^2 \\]", "block"),
        ("\\begin{equation}\nx^2\n\\end{equation}", "block"),
        ("```math\nx^2\n```", "block"),
        ("| $x^2$ |\n|---|\n| a |", "inline"),
        ("<table><tr><td>$x^2$</td></tr></table>", "inline"),
        ("# $x^2$", "inline"),
    ],
)
def test_a_formula_is_set_wherever_it_stands(markdown: str, display: str) -> None:
    html = render_markdown(markdown)
    assert_safe(html)
    (math,) = [e for e in elements(html) if e.tag.endswith("}math")]
    assert (math.get("display"), "".join(math.itertext())) == (display, "x2")
    assert "$" not in visible_text(html)


def test_the_number_of_a_formula_stays_beside_it() -> None:
    assert visible_text(render_markdown("$$x$$ (3.1)")).strip() == "x (3.1)"


def test_a_table_of_html_within_a_paragraph() -> None:
    html = render_markdown("Before <table><tr><td>a</td></tr></table> after")
    assert tags(html) == ["p", "table", "tbody", "tr", "td", "p"]
    assert visible_text(html).split() == ["Before", "a", "after"]


@pytest.mark.parametrize(
    "markdown", ["a `<table>` b", "```\n<table><tr><td>x</td></tr></table>\n```", "~~~\n<table>", "<tablet> x"]
)
def test_a_table_in_code_is_code(markdown: str) -> None:
    assert "table" not in tags(render_markdown(markdown))


def test_a_table_with_blank_lines_and_a_cut_end() -> None:
    html = render_markdown("<table>\n<tr><td>a</td></tr>\n\n<tr><td>b\n\nProse *c*.")
    assert [t for t in tags(html) if t in ("td", "p", "em")] == ["td", "td", "p", "em"]


def test_an_answer_in_one_fence_is_unwrapped() -> None:
    assert "table" in tags(render_markdown("```html\n<table><tr><td>1</td></tr></table>\n```"))
    assert tags(render_markdown("```markdown\n# A\n```")) == ["h1"]
    assert "pre" in tags(render_markdown("```markdown\n# A\n```\ntext\n```\nb\n```"))


def test_a_pipe_table_has_aligned_cells_and_no_style() -> None:
    html = render_markdown("| a | b \\| c |\n|:--|--:|\n| 1 | 2 |")
    assert_safe(html)
    found = [(e.get("class"), "".join(e.itertext())) for e in elements(html) if e.tag.endswith(("}td", "}th"))]
    assert found == [("ocr-left", "a"), ("ocr-right", "b | c"), ("ocr-left", "1"), ("ocr-right", "2")]


@pytest.mark.parametrize("mark", ["> ", "- ", "1. "])
def test_nothing_is_lost_however_deep_it_lies(mark: str) -> None:
    html = render_markdown(mark * 200 + "deep")
    assert_safe(html)
    assert "deep" in visible_text(html)
    assert len(tags(html)) <= 2 * MAX_LEVEL + 2


def test_invisible_characters_are_revealed_on_demand() -> None:
    text = "a\u202eb `c\u200bd`"
    assert visible_text(render_markdown(text)).strip() == "a\u202eb c\u200bd"
    assert visible_text(render_markdown(text, reveal=True)).strip() == "aRLOb cZWSPd"
    assert_safe(render_markdown(text, reveal=True))


def test_a_very_long_text_is_cut_with_a_notice() -> None:
    html = render_markdown("word " * 200_000)
    assert len(visible_text(html)) < MAX_SHOWN + 200
    assert "first 250,000 of 1,000,000 characters" in html
    assert render_markdown("word").count("notice") == 0


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_runs_or_loads(payload: str) -> None:
    for text in (
        payload,
        f"# {payload}",
        f"- {payload}",
        f"> {payload}",
        f"*{payload}*",
        f"| {payload} |\n|--|\n| x |",
    ):
        assert_safe(render_markdown(text))
        assert_safe(render_markdown(text, reveal=True))
    assert_safe(lines_html(PageContent(lines=(TextLine(payload, id=payload),))))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_the_last_gate_alone_lets_nothing_run(payload: str) -> None:
    html = clean_html(payload)
    for element in elements(html):
        assert element.tag.rpartition("}")[2] not in ("script", "style", "img", "svg", "iframe", "mglyph")
        assert not [name for name in element.attrib if name.startswith("on") or name in ("style", "src")]


pieces = st.sampled_from(
    [
        *(
            "# ",
            "- ",
            "> ",
            "1. ",
            "\n",
            "\n\n",
            "    ",
            "|",
            "|-|\n",
            "```\n",
            "`",
            "*",
            "**",
            "_",
            "[",
            "](",
            ")",
            "![",
        ),
        *(
            "http://a ",
            "javascript:x",
            "<table>",
            "</table>",
            "<tr><td>",
            "<br>",
            "<sup>",
            "</sup>",
            "<script>",
            "<!--",
        ),
        *(
            "$",
            "$$",
            "\\(",
            "\\)",
            "\\[",
            "\\]",
            "\\begin{align}",
            "\\end{align}",
            "\\",
            "&lt;",
            '"',
            "'",
            "=",
            "onerror=",
        ),
        *("a", "1", " ", "中", "\x00", "\u202e", "\ud800", "<img src=x ", "<math>", "<mtext>", "style=", "url("),
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(pieces, max_size=30).map("".join), st.booleans())
def test_whatever_it_is_it_becomes_safe_html(text: str, reveal: bool) -> None:
    assert_safe(render_markdown(text, reveal))


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab1 .,<>&=\"'/中\n"), max_size=60))
def test_no_character_of_plain_text_is_lost(text: str) -> None:
    shown = "".join(visible_text(render_markdown("x" + text)).split())
    kept = "".join(("x" + text).split())
    assert shown == kept or ">" in text or "=" in text


def test_lines_are_shown_as_they_were_read() -> None:
    texts = ["7. seven", "# 12 boxes", "    indented  ", "> 5", "", "<b>&amp;</b>", "\n\ta"]
    content = PageContent(lines=tuple(TextLine(text, id=f"l{n}") for n, text in enumerate(texts)))
    html = lines_html(content)
    assert_safe(html)
    shown = [(e.get("data-line"), "".join(e.itertext())) for e in elements(html) if e.tag.endswith("}pre")]
    assert shown == [(f"l{n}", text) for n, text in enumerate(texts)]
    assert html.count("<bdi") == len(texts)


def test_a_page_without_lines_shows_its_text() -> None:
    html = lines_html(PageContent(text="a\n  b"))
    assert [e.tag[-3:] for e in elements(html)].count("pre") == 2
    assert visible_text(html) == "a  b"


@pytest.mark.parametrize(
    ("task", "text", "tag", "seen"),
    [
        (Task.SPOTTING, "# 7", "pre", "# 7"),
        (Task.TEXT, "- 7", "pre", "- 7"),
        (Task.DOCUMENT, "# 7", "h1", "7"),
        (Task.TRANSLATE, "*7*", "em", "7"),
        (Task.TABLE, "<table><tr><td>7</td></tr></table>", "td", "7"),
        (Task.FORMULA, "x^7", "msup", "x7"),
        (Task.FORMULA, "$$x^7$$", "msup", "x7"),
        (Task.FORMULA, "Area: $x^7$\n\nb", "msup", "Area: x7\nb"),
    ],
)
def test_a_page_is_shown_as_its_task_calls_for(task: Task, text: str, tag: str, seen: str) -> None:
    html = content_html(PageContent(text=text), task)
    assert_safe(html)
    assert tag in tags(html)
    assert visible_text(html).strip() == seen


def test_very_many_lines_are_cut_with_a_notice() -> None:
    html = lines_html(PageContent(lines=tuple(TextLine("x" * 99) for _ in range(10_000))))
    assert html.count("<pre") == MAX_SHOWN // 100
    assert 'data-code="cut"' in html


def test_every_class_has_the_prefix_of_the_package() -> None:
    names = {name for classes in CLASSES.values() for name in classes}
    assert {name for name in names if not name.startswith("ocr-")} == {"language-mermaid"}
