"""What is wrong in the source of a formula or of Markdown, each with its place: for whoever is editing it.

The source is read by the parser that renders it, so that a dollar of a price or within code is no mistake here either.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import accumulate, islice

from markdown_it.token import Token

from ocr_ui.domain.prompt import Task
from ocr_ui.render.formulas import PROBLEMS as FORMULA_PROBLEMS
from ocr_ui.render.formulas import FormulaFinder, bare_latex, formula_html, formula_mistake
from ocr_ui.render.markdown import PLAIN, as_read, is_bare_formula, tokens_of

PROBLEMS = FORMULA_PROBLEMS | {
    "unknown_command": "This command is not known; it is shown as it stands.",
    "unclosed_formula": "This formula is not closed.",
    "unclosed_fence": "This block of code is not closed.",
    "unclosed_table": "This table is not closed.",
    "long_row": "This row has more cells than the head of its table; they are not shown.",
}
"""What can be wrong, in English; the page has its own words by code."""

MOST_PROBLEMS = 100
BUDGET = 100_000
"""Characters of all formulas together that are looked at, each counted with 20 more, as in FormulaSetter."""

_UNKNOWN = re.compile(r"<m[io][^<>]*>\\([a-zA-Z]+)</m[io]>")
_OPENED = re.compile(
    r"\$\$|\\begin\{((?:equation|align|aligned|alignat|gather|gathered|multline|eqnarray|flalign|split|cases|array"
    r"|[pbBvV]?matrix)\*?)\}"
)
_TABLE_EDGE = re.compile(r"<(/?)table(?=[\s/>])", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a text.

    Attributes:
        code: one of PROBLEMS.
        start, end: offsets in the text, in characters; end is greater.
        line, column: where it begins, counted from 1.
    """

    code: str
    start: int
    end: int
    line: int
    column: int


def find_problems(text: str, task: Task) -> tuple[Problem, ...]:
    """The mistakes in what is edited, in order, at most MOST_PROBLEMS. Any string is taken; plain text has none."""
    if task in PLAIN or not text.strip():
        return ()
    found = _in_formula(text) if is_bare_formula(text, task) else _in_markdown(text)
    begins = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    placed = [_placed(code, start, end, text, begins) for code, start, end in islice(found, MOST_PROBLEMS)]
    return tuple(sorted(placed, key=lambda problem: (problem.start, problem.end)))


_Found = tuple[str, int, int]


def _placed(code: str, start: int, end: int, text: str, begins: list[int]) -> Problem:
    start = max(0, min(start, len(text) - 1))
    line = bisect_right(begins, start)
    return Problem(code, start, max(start + 1, min(end, len(text))), line, start - begins[line - 1] + 1)


def _in_formula(text: str) -> Iterator[_Found]:
    latex = bare_latex(text)
    at = text.find(latex)
    for code, start, end in _mistakes(latex, True):
        yield code, at + start, at + end


def _mistakes(latex: str, display: bool) -> Iterator[_Found]:
    """Mistakes within one formula; one without a place is the whole of it."""
    mistake = formula_mistake(latex, display)
    if mistake:
        has_place = mistake.end > mistake.start
        yield (mistake.code, mistake.start, mistake.end) if has_place else (mistake.code, 0, len(latex))
        return
    for name in dict.fromkeys(_UNKNOWN.findall(formula_html(latex, display))):
        for match in re.finditer(rf"\\{name}(?![a-zA-Z])", latex):
            yield "unknown_command", *match.span()


def _in_markdown(text: str) -> Iterator[_Found]:
    read, begin = as_read(text)
    source = re.sub("\r\n?", "\n", read)
    try:
        tokens = tokens_of(source)
    except RecursionError:  # shown as plain text
        return
    places = list(_places(text, begin, source))
    for code, start, end in _Walk(source, tokens).found():
        yield code, places[start], places[end - 1] + 1


def _places(text: str, at: int, source: str) -> Iterator[int]:
    """Where each character of what is rendered stands in the text: line feeds were put in, and the line ends of Windows
    are one character there."""
    for character in source:
        at += text.startswith("\r\n", at)
        yield at
        at += at < len(text) and (character != "\n" or text[at] in "\r\n")


class _Walk:
    """Goes through the tokens of a source once. `self._at` is the place up to which everything has been looked at, so
    that of two equal formulas each is found where it stands."""

    def __init__(self, source: str, tokens: list[Token]) -> None:
        self._source, self._tokens = source, tokens
        self._begins = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
        self._at = 0
        self._left = BUDGET
        self._width = 0

    def found(self) -> Iterator[_Found]:
        in_head = False
        for token in self._tokens:
            if token.map:
                self._at = max(self._at, self._begins[token.map[0]])
            if token.type == "inline":
                yield from self._inline(token)
            elif token.type == "formula_block":
                yield from self._formula(token.content, True, token.meta["start"], token.meta["end"])
            elif token.type == "fence":
                yield from self._fence(token)
            elif token.type == "table_html":
                yield from self._table(token)
            elif token.type == "tr_open" and token.map:
                yield from self._row(token.map[0], in_head)
            in_head = token.type == "thead_open"

    def _line(self, number: int) -> str:
        return self._source[self._begins[number] : self._begins[number + 1] - 1]

    def _find(self, piece: str) -> int:
        found = self._source.find(piece, self._at)
        return self._at if found < 0 else found

    def _formula(self, latex: str, display: bool, start: int, end: int) -> Iterator[_Found]:
        """Mistakes of a formula that stands between two places with what surrounds it."""
        self._left -= len(latex) + 20
        self._at = end
        if self._left < 0:
            return
        at = self._source.find(latex, start, end)
        for code, first, last in _mistakes(latex, display):
            yield (code, at + first, at + last) if at >= 0 else (code, start, end)

    def _inline(self, token: Token) -> Iterator[_Found]:
        for child in token.children or ():
            if child.type == "formula_inline":
                raw = child.meta["raw"]
                start = self._find(raw)
                yield from self._formula(child.content, child.info == "display", start, start + len(raw))
            elif child.type == "text":
                yield from self._open_ends(child.content)

    def _open_ends(self, text: str) -> Iterator[_Found]:
        """What begins a formula and is shown as text, because nothing ends it."""
        for match in _OPENED.finditer(text):
            start = self._find(match[0])
            self._at = start + len(match[0])
            if match[0] == "$$":
                yield "unclosed_formula", start, self._at
            elif self._source.find(f"\\end{{{match[1]}}}", self._at) < 0:
                yield "unclosed_environment", start, self._at

    def _fence(self, token: Token) -> Iterator[_Found]:
        assert token.map is not None  # noqa: S101 - every block has it
        first, end = token.map
        start, last = self._find(token.markup), self._line(end - 1).strip(" \t>")
        if end - first < 2 or not last.startswith(token.markup) or last.strip(token.markup[0]):
            yield "unclosed_fence", start, self._begins[first + 1] - 1
        if token.info.strip().lower() in ("math", "latex", "tex"):
            yield from self._formula(token.content.strip(), True, start, self._begins[end] - 1)

    def _table(self, token: Token) -> Iterator[_Found]:
        html = token.content.strip()
        start = self._find(html)
        if sum(-1 if edge[1] else 1 for edge in _TABLE_EDGE.finditer(html)) > 0:
            yield "unclosed_table", start, start + len("<table")
        at = 0
        for tag in (*_TAG.finditer(html), None):
            cell = html[at : tag.start()] if tag else html[at:]
            for span in FormulaFinder(cell).all():
                begin, end = start + at + span.start, start + at + span.end
                yield from self._formula(unescape(span.latex), span.display, begin, end)
            at = tag.end() if tag else at

    def _row(self, number: int, in_head: bool) -> Iterator[_Found]:
        """A row in pipes: the head of its table says how many cells are shown."""
        line = self._line(number).rstrip()
        bars = [match.start() for match in _PIPE.finditer(line)]
        if bars and not line[: bars[0]].strip(" \t>"):
            bars.pop(0)
        if bars and bars[-1] == len(line) - 1:
            bars.pop()
        if in_head:
            self._width = len(bars) + 1
        elif len(bars) >= self._width:
            begin = self._begins[number]
            yield "long_row", begin + bars[self._width - 1] + 1, begin + len(line)
