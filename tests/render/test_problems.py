"""Mistakes in what a person types are found where they stand."""

from __future__ import annotations

import pytest

from ocr_ui.domain.prompt import Task
from ocr_ui.render.problems import MOST_PROBLEMS, PROBLEMS, find_problems


def shown(text: str, task: Task = Task.DOCUMENT) -> list[tuple[str, str, int, int]]:
    return [(p.code, text[p.start : p.end], p.line, p.column) for p in find_problems(text, task)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"x^2 + \frac{1}{2}", []),
        (r"\frac{1}{2", [("unclosed_brace", "{", 1, 9)]),
        ("a\n+ b}", [("unopened_brace", "}", 2, 4)]),
        ("  \\[\n\\left( x\n\\]", [("missing_right", r"\left", 2, 1)]),
        (r"\fraq{1}{2} + \alpha", [("unknown_command", r"\fraq", 1, 1)]),
        (r"\begin{aligned} a \\ b", [("unclosed_environment", r"\begin{aligned}", 1, 1)]),
        ("x_1_2", [("double_script", "_1_", 1, 2)]),
    ],
)
def test_a_formula_has_its_mistake_marked(text: str, found: list) -> None:
    assert shown(text, Task.FORMULA) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Title\n\nIt costs $5 and `$\\frac{$` is code. $x_1$", []),
        ("one $\\frac{1}{$ two $\\frac{1}{$", [("unclosed_brace", "{", 1, 14), ("unclosed_brace", "{", 1, 30)]),
        ("a\n\n$$\nx^{2\n$$\n", [("unclosed_brace", "{", 4, 3)]),
        ("> $$\n> x^{2\n> $$", [("unclosed_brace", "$$\n> x^{2\n> $$", 1, 3)]),
        ("- item\n\n  ```math\n  \\sqrt{\n  ```", [("unclosed_brace", "{", 4, 8)]),
        ("a $$ b\n\nc", [("unclosed_formula", "$$", 1, 3)]),
        ("\\begin{align}\nx", [("unclosed_environment", r"\begin{align}", 1, 1)]),
        ("```python\nx = 1\n", [("unclosed_fence", "```python", 1, 1)]),
        ("```\nx\n```\n\n~~~~\ny", [("unclosed_fence", "~~~~", 5, 1)]),
        (
            "see <table><tr><td>$\\sqrt{$</td></tr>",
            [("unclosed_table", "<table", 1, 5), ("unclosed_brace", "{", 1, 26)],
        ),
        ("<table><tr><td>a &lt; $\\nope$</td></tr></table>", [("unknown_command", r"\nope", 1, 24)]),
        ("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n", [("long_row", " 3 |", 4, 10)]),
        ("a | b\n-|-\n1\\|1 | 2 | 3 | 4", [("long_row", " 3 | 4", 3, 11)]),
    ],
)
def test_markdown_has_its_mistakes_marked(text: str, found: list) -> None:
    assert shown(text) == found


def test_places_are_those_of_the_text_as_it_is_typed() -> None:
    """The parser reads another text: without the fence around it all, with line feeds around tables."""
    table = "<table><tr><td>a</td></tr></table>"
    text = f"```markdown\n𝑥 {table} tail\r\n\r\n$\\sqrt{{$\n```"
    assert shown(text) == [("unclosed_brace", "{", 4, 7)]
    assert shown(f"\n\n{table} $\\nope$ {table} $\\nope$") == [
        ("unknown_command", r"\nope", 3, 37),
        ("unknown_command", r"\nope", 3, 80),
    ]


def test_plain_text_has_no_mistakes_and_every_one_has_words() -> None:
    assert shown("$\\frac{$", Task.TEXT) == []
    assert shown("   \n", Task.FORMULA) == []
    assert len(find_problems("$\\nope$ " * 500, Task.DOCUMENT)) == MOST_PROBLEMS
    assert all(PROBLEMS.values())


@pytest.mark.parametrize("text", ["> " * 500 + "$\\frac{$", "|" * 300 + "\n" + "|-" * 150, "<table>" * 200, "$$" * 999])
def test_any_text_is_taken(text: str) -> None:
    for task in Task:
        for problem in find_problems(text, task):
            assert 0 <= problem.start < problem.end <= len(text)
