"""Formulas are set where they can be and shown where they cannot; nothing in them loads, runs or grows without end."""

from __future__ import annotations

import pytest
from dom import assert_safe, elements, visible_text
from hypothesis import given, settings
from hypothesis import strategies as st

from ocr_ui.render.formulas import (
    MAX_SOURCE,
    PROBLEMS,
    FormulaError,
    FormulaFinder,
    FormulaSetter,
    bare_latex,
    formula_html,
    to_mathml,
)
from ocr_ui.render.markdown import clean_html


def tags(html: str) -> list[str]:
    return [element.tag.rpartition("}")[2] for element in elements(html)]


@pytest.mark.parametrize(
    ("latex", "text", "needed"),
    [
        (r"\frac{a}{b}", "ab", ["mfrac"]),
        (r"x_1^2", "x12", ["msubsup"]),
        (r"\sqrt[3]{x}", "x3", ["mroot"]),
        (r"\left\{ \begin{array}{l} x \\ y \end{array} \right.", "{xy", ["mtable"]),
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "a=b=c", ["mtable"]),
        (r"\begin{align} a &= b \end{align}", "a=b", ["mtable"]),
        (r"a = b \\ c = d", "a=bc=d", ["mtable"]),
        (r"\begin{equation}\label{e} x \nonumber \end{equation}", "x", ["mi"]),
        (r"\text{if } a<b", "if\xa0a<b", ["mtext"]),
        (r"50% of x", "50%ofx", ["mn"]),
        (r"\mathbf{x}\mathbb{R}\mathscr{L}\mathfrak{g}", "𝐱ℝℒ𝔤", ["mi"]),
        (r"\textcircled{3}", "③", ["mi"]),
        (r"\mathop{a}", "a", ["mrow"]),
        ("中文 x", "中文x", ["mi"]),
    ],
)
def test_a_formula_is_set(latex: str, text: str, needed: list[str]) -> None:
    html = formula_html(latex)
    assert_safe(html)
    assert visible_text(html) == text
    assert set(needed) <= set(tags(html))
    assert tags(html)[0] == "math"


def test_display_and_inline() -> None:
    assert 'display="block"' in formula_html("x", display=True)
    assert 'display="inline"' in formula_html("x")


@pytest.mark.parametrize(
    ("latex", "code", "wrong"),
    [
        (r"\left( x + 1", "missing_right", r"\left"),
        (r"x \right)", "missing_left", r"\right"),
        (r"\frac{1}{", "unclosed_brace", "{"),
        (r"\left( {x \right)", "unclosed_brace", "{"),
        ("a } b", "unopened_brace", "}"),
        (r"\begin{matrix} a", "unclosed_environment", r"\begin{matrix}"),
        (r"a \end{matrix}", "unopened_environment", r"\end{matrix}"),
        (r"\begin{a} x \end{b}", "unclosed_environment", r"\begin{a}"),
        ("x_1_2", "double_script", "_1_"),
        ("x^", "missing_argument", "^"),
        (r"y = \frac{a}", "missing_argument", r"\frac{a}"),
        (r"\sqrt", "missing_argument", r"\sqrt"),
        (r"a \href{javascript:alert(1)}{x}", "forbidden", r"\href"),
        (r"\includegraphics{http://x}", "forbidden", r"\includegraphics"),
        (r"\input{/etc/passwd}", "forbidden", r"\input"),
        (r"\def\a{\a}\a", "forbidden", r"\def"),
        (r"\newcommand{\a}{\a\a}\a", "forbidden", r"\newcommand"),
        (r"\style{x}{y}", "forbidden", r"\style"),
        (r"\middle|", "unreadable", ""),
        ("  ", "empty", ""),
    ],
)
def test_a_formula_that_cannot_be_set_is_shown_with_the_place(latex: str, code: str, wrong: str) -> None:
    with pytest.raises(FormulaError) as told:
        to_mathml(latex)
    assert (told.value.code, latex[told.value.start : told.value.end]) == (code, wrong)
    html = formula_html(latex)
    assert_safe(html)
    assert visible_text(html) == latex
    assert f'data-code="{code}"' in html
    assert PROBLEMS[code] in html
    assert ("<mark>" in html) == bool(wrong)


@pytest.mark.parametrize(
    ("latex", "code"),
    [
        ("x" * (MAX_SOURCE + 1), "too_long"),
        ("{" * 5_000, "too_deep"),
        ("{" * 70 + "x" + "}" * 70, "too_deep"),
        (r"\sqrt" * 1_500 + "x", "too_deep"),
        (r"\sideset{}{}{" * 40 + "x" + "}" * 40, "too_big"),
        (r"\displaystyle " * 600 + "x", "too_big"),
    ],
)
def test_a_formula_that_would_grow_without_end_is_refused(latex: str, code: str) -> None:
    with pytest.raises(FormulaError) as told:
        to_mathml(latex)
    assert told.value.code == code


@pytest.mark.parametrize(
    "latex", [r"\hspace{9999em}x", r"\hspace{-99em}x", r"\rule{500em}{500em}", r"\color{white}{x}", r"{\Huge x}"]
)
def test_no_formula_covers_or_hides_its_surroundings(latex: str) -> None:
    html = formula_html(latex)
    assert_safe(html)
    for attribute in ("9999", "500em", "-99", "color", "mathsize", "background"):
        assert attribute not in html


@pytest.mark.parametrize(
    ("latex", "name"),
    [
        (r"\boxed{x}", "ocr-box"),
        (r"\cancel{x}", "ocr-strike"),
        (r"\xcancel{x}", "ocr-strike"),
        (r"\dfrac{a}{b}", "ocr-display"),
        (r"\tfrac{a}{b}", "ocr-compact"),
        (r"\textbf{x}", "ocr-bold"),
        (r"\begin{array}{r}a\end{array}", "ocr-right"),
    ],
)
def test_what_browsers_leave_to_style_sheets_has_a_class(latex: str, name: str) -> None:
    assert f'class="{name}"' in clean_html(formula_html(latex))


def test_markup_in_text_stays_text() -> None:
    html = formula_html(r"\text{a <script>alert(1)</script> &lt;b&gt;}")
    assert_safe(html)
    assert visible_text(html).replace("\xa0", " ") == "a <script>alert(1)</script> &lt;b&gt;"


pieces = st.sampled_from(
    [
        *("{", "}", "^", "_", "&", r"\\", "'", "x", "1", " ", "%", "$", "<", '"', "(", "[", "]", "中", "\x00", "#1"),
        *(r"\frac", r"\sqrt", r"\left", r"\right", r"\begin{matrix}", r"\end{matrix}", r"\begin{align}", r"\text{a<b}"),
        *(r"\over", r"\limits", r"\sum", r"\sideset", r"\unicode", r"\hspace", r"\textcolor", r"\mathbf", r"\not"),
        *(r"\genfrac", r"\skew", r"\overset", r"\mathop", r"\verb|x|", r"\substack", r"\raise", r"\root", r"\of"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(pieces, max_size=25).map("".join))
def test_whatever_it_is_it_becomes_safe_html(latex: str) -> None:
    html = formula_html(latex)
    assert_safe(html)
    assert html.startswith("<math ") or visible_text(html) == latex.replace("\x00", "\ufffd")


@pytest.mark.parametrize(
    "text", ["$$x^2$$", r"\[x^2\]", r"\(x^2\)", "```latex\nx^2\n```", "$x^2$", "x^2", " $$ x^2 $$\n", "```\n$x^2$\n```"]
)
def test_delimiters_of_every_kind_are_taken_off(text: str) -> None:
    assert bare_latex(text) == "x^2"


@pytest.mark.parametrize("text", ["$a$ and $b$", "$", "$$", "", r"\(", "$$a$$ b $$c$$"])
def test_what_is_not_one_formula_stays_whole(text: str) -> None:
    assert bare_latex(text) == text


def found(text: str) -> list[tuple[str, bool]]:
    return [(span.latex, span.display) for span in FormulaFinder(text).all()]


@pytest.mark.parametrize(
    "text",
    [
        "Menu $5 soup and $10 roast. A$$ and 3$ more.",
        "US$5 and US$6",
        "$5-$10",
        "$5,$6",
        "from $5 soup$",
        "$HOME/$USER",
        "价格$5至$10",
        "$5元和$",
        "$5、$6、$7",
        r"costs \$5 and \$6",
        "$ x $",
        "$$",
        "$$$$",
        "a$b",
        r"\\(x\\)",
        r"\(x",
        "$$x",
        "$a\n\nb$",
    ],
)
def test_a_price_is_no_formula(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("$x$", [("x", False)]),
        ("其中$x$是$y$。", [("x", False), ("y", False)]),
        ("$2x+1$", [("2x+1", False)]),
        (r"$10\%$ and $5 \text{ kg}$", [(r"10\%", False), (r"5 \text{ kg}", False)]),
        ("$-3$", [("-3", False)]),
        ("a $$x$$ b", [("x", True)]),
        (r"\(a\) \[b\]", [("a", False), ("b", True)]),
        (r"$a\$b$", [(r"a\$b", False)]),
        ("$5 or $x$", [("x", False)]),
    ],
)
def test_a_formula_is_found(text: str, spans: list[tuple[str, bool]]) -> None:
    assert found(text) == spans


@given(st.text("$\\()[]a 1\n", max_size=60))
def test_spans_follow_each_other_and_hold_their_delimiters(text: str) -> None:
    position = 0
    for span in FormulaFinder(text).all():
        assert position <= span.start < span.end <= len(text)
        assert text[span.start] in "$\\"
        assert span.latex
        position = span.end


def test_formulas_past_the_budget_are_shown_and_not_set() -> None:
    setter = FormulaSetter(budget=50)
    assert [setter.html("x").startswith("<math") for _ in range(4)] == [True, True, False, False]
    assert setter.html("a<b") == '<code class="ocr-formula">a&lt;b</code>'
