"""LaTeX formulas as MathML, which a browser sets by itself and which cannot load or run anything.

latex2mathml does the translation. Its own output is not used as text, because it lets markup in `\\text{...}` through:
its tree is checked element by element against a short list and written here. What it cannot translate is shown as it
was read, with the place of the mistake marked.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import Converter
from latex2mathml.exceptions import DoubleSubscriptsError, DoubleSuperscriptsError, MissingSuperScriptOrSubscriptError

from ocr_ui.render.visible import spell_out, well_formed

MAX_SOURCE = 10_000
"""Characters of one formula; a page-long derivation has about 3,000."""

MAX_DEPTH = 60
"""Groups within groups; the translator calls itself for each."""

NODES_PER_CHARACTER = 4
"""Elements that a formula may grow to: a few short commands can stand for millions (nested \\sideset)."""

_FLAG = re.compile("true|false")
_LENGTH = re.compile(r"([+-]?)(\d{0,3}(?:\.\d{1,4})?)(em|ex|px|pt|pc|mu|mm|cm|in|%)?")
_LINES = re.compile("(?:none|solid|dashed)(?: (?:none|solid|dashed)){0,100}")
_ALIGN = re.compile("left|right|center")
_NOTATION = re.compile("box|(?:updiagonalstrike|downdiagonalstrike|horizontalstrike| )+")
_EM = {"em": 1, "ex": 0.5, "px": 1 / 16, "pt": 1 / 12, "pc": 1, "mu": 1 / 18, "mm": 0.24, "cm": 2.4, "in": 6, "%": 0.01}
_MOST_EM = 20
"""A longer blank, or one backwards by more than a tenth of it, could lay a formula over its surroundings."""

_SIZES = {"width": _LENGTH, "height": _LENGTH, "depth": _LENGTH, "lspace": _LENGTH, "voffset": _LENGTH}
_ACCENTS = {"accent": _FLAG, "accentunder": _FLAG}
MATHML: dict[str, dict[str, re.Pattern[str]]] = {
    "math": {"display": re.compile("block|inline")},
    "mrow": {},
    "mi": {"mathvariant": re.compile("normal")},
    "mn": {},
    "mo": {
        **dict.fromkeys(("stretchy", "fence", "separator", "largeop", "movablelimits", "symmetric"), _FLAG),
        **dict.fromkeys(("minsize", "maxsize", "lspace", "rspace"), _LENGTH),
        "form": re.compile("prefix|infix|postfix"),
    },
    "mtext": {},
    "mspace": _SIZES,
    "mpadded": _SIZES,
    "mphantom": {},
    "mstyle": {"scriptlevel": re.compile(r"[+-]?[0-3]")},
    "mfrac": {"linethickness": _LENGTH},
    "msqrt": {},
    "mroot": {},
    "msub": {},
    "msup": {},
    "msubsup": {},
    "munder": _ACCENTS,
    "mover": _ACCENTS,
    "munderover": _ACCENTS,
    "menclose": {"notation": _NOTATION},
    "mtable": {"rowlines": _LINES, "columnlines": _LINES},
    "mtr": {},
    "mtd": {"columnalign": _ALIGN},
}
"""Every element and attribute that a formula may have, with the values allowed. Elements that switch back to HTML or
link, load or act (annotation-xml, semantics, maction, mglyph, href, style) are not among them."""

_TOKENS = ("mi", "mn", "mo", "mtext")
_ARITY = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
_CLASSES = {
    ("mtd", "columnalign", "left"): "ocr-left",
    ("mtd", "columnalign", "right"): "ocr-right",
    ("mstyle", "displaystyle", "true"): "ocr-display",
    ("mtable", "displaystyle", "true"): "ocr-display",
    ("mstyle", "displaystyle", "false"): "ocr-compact",
    ("mtext", "mathvariant", "bold"): "ocr-bold",
    ("mtext", "mathvariant", "italic"): "ocr-italic",
    ("menclose", "notation", "box"): "ocr-box",
    ("menclose", "notation", "updiagonalstrike"): "ocr-strike",
    ("menclose", "notation", "downdiagonalstrike"): "ocr-strike",
    ("menclose", "notation", "updiagonalstrike downdiagonalstrike"): "ocr-strike",
}
"""What MathML Core leaves to style sheets: alignment, boxes, strokes and `math-style`. (An attribute named displaystyle
would look like a style to simple filters.)"""

_FORBIDDEN = frozenset(
    (
        *("href", "url", "html", "htmlId", "htmlClass", "htmlStyle", "htmlData", "cssId", "class", "style"),
        *("includegraphics", "image", "input", "include", "require", "usepackage", "documentclass"),
        *("def", "edef", "gdef", "xdef", "let", "futurelet", "newcommand", "renewcommand", "providecommand"),
        *("newenvironment", "renewenvironment", "DeclareMathOperator", "csname", "endcsname", "expandafter"),
        *("catcode", "write", "immediate", "openin", "openout", "read", "special", "directlua", "loop", "repeat"),
        "unicode",
    )
)
"""Commands that name other files or addresses, run something or define commands. None stands in a picture's text."""

PROBLEMS = {
    "too_long": "This formula is too long to be set.",
    "too_deep": "This formula is nested too deeply to be set.",
    "too_big": "This formula grows too large to be set.",
    "forbidden": "This command is shown and not run.",
    "missing_right": "\\left has no \\right.",
    "missing_left": "\\right has no \\left.",
    "unclosed_brace": "This brace is not closed.",
    "unopened_brace": "This brace was never opened.",
    "unclosed_environment": "\\begin has no \\end.",
    "unopened_environment": "\\end has no \\begin.",
    "missing_argument": "Something is missing here.",
    "double_script": "Two indices or two exponents stand at one place.",
    "empty": "There is no formula here.",
    "unreadable": "This formula cannot be set.",
}
"""What can be wrong with a formula, in English; the page has its own words by code."""


class FormulaError(ValueError):
    """A formula that cannot be set.

    Attributes:
        code: one of PROBLEMS.
        start, end: offsets in the source of what is wrong; equal where the place is not known.
    """

    def __init__(self, code: str, start: int = 0, end: int = 0) -> None:
        super().__init__(PROBLEMS[code])
        self.code, self.start, self.end = code, start, end


class FormulaSetter:
    """Sets the formulas of one text, up to a total length; further ones are shown as they were read.

    Args:
        budget: characters of all formulas together, each counted with 20 more: about 3 s of work at most.
    """

    def __init__(self, budget: int = 100_000) -> None:
        self._left = budget

    def html(self, latex: str, display: bool = False) -> str:
        self._left -= len(latex) + 20
        if self._left < 0:
            return f'<code class="ocr-formula">{escape(well_formed(latex), quote=False)}</code>'
        return formula_html(latex, display)

    def text_html(self, text: str) -> str:
        """HTML of a text in which `$..$`, `$$..$$`, `\\(..\\)` and `\\[..\\]` are set and all else is text."""
        made, position = [], 0
        for span in FormulaFinder(text).all():
            made += [escape(text[position : span.start], quote=False), self.html(span.latex)]
            position = span.end
        return "".join(made) + escape(text[position:], quote=False)


def formula_html(latex: str, display: bool = False) -> str:
    """A formula as MathML, or its source with the mistake marked. Any string is taken; at most about 0.1 s."""
    return _outcome(latex, display)[0]


def formula_mistake(latex: str, display: bool = False) -> FormulaError | None:
    """Why a formula is shown as its source, None where it is set."""
    return _outcome(latex, display)[1]


def to_mathml(latex: str, display: bool = False) -> str:
    """A formula as one `math` element of allowed MathML.

    Raises:
        FormulaError: it cannot be set, or is refused.
    """
    if len(latex) > MAX_SOURCE:
        raise FormulaError("too_long")
    structure = _check_structure(latex)
    source = _for_translator(latex, structure)
    try:
        tree = _Translator(
            "block" if display else "inline", 100 + NODES_PER_CHARACTER * len(source)
        ).convert_to_element(source)
        return "".join(_mathml(tree, 0))
    except FormulaError as error:
        raise _placed(error, latex) from error
    except RecursionError as error:
        raise FormulaError("too_deep") from error
    except (DoubleSubscriptsError, DoubleSuperscriptsError) as error:
        raise _placed(FormulaError("double_script"), latex) from error
    except MissingSuperScriptOrSubscriptError as error:
        raise _placed(FormulaError("missing_argument"), latex) from error
    except Exception as error:  # the translator fails on half formulas in many ways: StopIteration, IndexError, ...
        raise _placed(FormulaError("unreadable"), latex) from error


def bare_latex(text: str) -> str:
    """A formula without what it was wrapped in: dollars, \\( \\), \\[ \\], a code fence."""
    text = text.strip()
    fence = re.fullmatch(r"```[ \t]*\w*[ \t]*\n(.*?)\n?```", text, re.DOTALL)
    text = fence[1].strip() if fence else text
    for opener, closer in (("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)")):
        inner = text[len(opener) : -len(closer)]
        if len(text) > len(opener + closer) and text.startswith(opener) and text.endswith(closer):
            return inner.strip() if closer not in inner else text
    return text


@dataclass(frozen=True, slots=True)
class FormulaSpan:
    """A formula within a text: `source[start:end]` with its delimiters."""

    start: int
    end: int
    latex: str
    display: bool


class FormulaFinder:
    """Finds the formulas of one text, left to right, in time linear in its length.

    `$$..$$`, `\\[..\\]` and `\\(..\\)` are always formulas. `$..$` is one by Pandoc's rule (no blank inside the
    dollars, no digit after the last one) made stricter: no letter or digit right outside, and what begins with a digit
    must not read like prose, because `$5 soup and $10 roast` are prices.
    """

    _DELIMITERS = (("$$", "$$", True), ("\\[", "\\]", True), ("\\(", "\\)", False), ("$", "$", False))

    def __init__(self, source: str) -> None:
        self.source = source
        self._places: dict[str, list[int]] = {}

    def at(self, start: int) -> FormulaSpan | None:
        """The formula that begins at offset `start`, if one does."""
        for opener, closer, display in self._DELIMITERS:
            if self.source.startswith(opener, start):
                if _escaped(self.source, start):
                    return None
                end = self.find(closer, start + len(opener))
                if end < 0 or end - start > MAX_SOURCE:
                    continue
                latex = self.source[start + len(opener) : end]
                span = FormulaSpan(start, end + len(closer), latex.strip(), display)
                if latex.strip() and (opener != "$" or self._is_dollar_formula(span, latex)):
                    return span
        return None

    def all(self) -> Iterator[FormulaSpan]:
        """All formulas, none within another."""
        position = 0
        for match in re.finditer(r"(?<!\$)\${1,2}(?!\$)|\\[(\[]", self.source):
            if match.start() >= position and (span := self.at(match.start())):
                position = span.end
                yield span

    def find(self, closer: str, start: int) -> int:
        """Offset of the first `closer` at or after `start`, -1 if there is none. An escaped dollar is none."""
        if closer not in self._places:
            self._places[closer] = list(self._all_places(closer))
        places = self._places[closer]
        index = bisect_left(places, start)
        return places[index] if index < len(places) else -1

    def _all_places(self, closer: str) -> Iterator[int]:
        found = self.source.find(closer)
        while found >= 0:
            if closer[0] != "$" or not _escaped(self.source, found):
                yield found
            found = self.source.find(closer, found + 1)

    def _is_dollar_formula(self, span: FormulaSpan, latex: str) -> bool:
        before, after = self.source[span.start - 1 : span.start], self.source[span.end : span.end + 1]
        if latex != latex.strip() or "\n\n" in latex or _word(before) or _word(after) or "$" in (before, after):
            return False
        if not re.match(r"[+\-.]?\d", latex):
            return True
        rest = re.sub(r"\\(?:text|mathrm|operatorname)\s*\{[^{}]*\}|\\[a-zA-Z]+", "", latex)
        return not re.search(r"[A-Za-z]{3}|[A-Za-z]{2}\s|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", rest)


def _word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _escaped(source: str, position: int) -> bool:
    """An odd number of backslashes stands before."""
    count = 0
    while count < position and source[position - 1 - count] == "\\":
        count += 1
    return count % 2 == 1


def _outcome(latex: str, display: bool) -> tuple[str, FormulaError | None]:
    return _cached_outcome(latex, display) if len(latex) <= 300 else _fresh_outcome(latex, display)


@lru_cache(maxsize=2048)
def _cached_outcome(latex: str, display: bool) -> tuple[str, FormulaError | None]:
    return _fresh_outcome(latex, display)


def _fresh_outcome(latex: str, display: bool) -> tuple[str, FormulaError | None]:
    latex = well_formed(latex)
    try:
        return spell_out(to_mathml(latex, display)), None
    except FormulaError as error:
        bare = FormulaError(error.code, error.start, error.end)  # what is kept holds no frames of the translator
        return spell_out(_source_html(latex, bare)), bare


def _source_html(latex: str, error: FormulaError) -> str:
    before, wrong, after = latex[: error.start], latex[error.start : error.end], latex[error.end :]
    marked = f"{escape(before)}<mark>{escape(wrong)}</mark>{escape(after)}" if wrong else escape(latex)
    return f'<code class="ocr-formula-error" data-code="{error.code}" title="{escape(str(error))}">{marked}</code>'


_STRUCTURE = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}|\\([a-zA-Z]+)|\\.|[{}]", re.DOTALL)
_UNCLOSED = {"{": "unclosed_brace", "left": "missing_right", "begin": "unclosed_environment"}
_UNOPENED = {"}": "unopened_brace", "right": "missing_left", "end": "unopened_environment"}
_PARTNER = {"}": "{", "right": "left", "end": "begin"}


@dataclass(frozen=True, slots=True)
class _Structure:
    """`breaks`: the formula has line breaks outside of every environment."""

    breaks: bool


def _check_structure(latex: str) -> _Structure:
    """Braces, \\left and \\right, \\begin and \\end fit together, nothing is forbidden; else a FormulaError with its
    place, which the translator does not tell."""
    if not latex.strip():
        raise FormulaError("empty")
    stack: list[tuple[str, str, re.Match[str]]] = []
    breaks = False
    for match in _STRUCTURE.finditer(latex):
        kind, name = match[1] or match[3] or match[0], match[2] or ""
        if kind in _FORBIDDEN or (kind == "begin" and name in _FORBIDDEN):
            raise FormulaError("forbidden", *match.span())
        if kind in _UNCLOSED:
            stack.append((kind, name, match))
        elif kind in _PARTNER:
            opened = stack.pop() if stack else None
            if opened is None:
                raise FormulaError(_UNOPENED[kind], *match.span())
            if opened[:2] != (_PARTNER[kind], name):
                raise _mismatch(kind, opened, match)
        breaks = breaks or (match[0] == "\\\\" and not stack)
        if len(stack) > MAX_DEPTH:
            raise FormulaError("too_deep", *match.span())
    if stack:
        raise FormulaError(_UNCLOSED[stack[-1][0]], *stack[-1][2].span())
    return _Structure(breaks)


def _mismatch(kind: str, opened: tuple[str, str, re.Match[str]], match: re.Match[str]) -> FormulaError:
    if opened[0] == "begin" and kind != "end":
        return FormulaError(_UNOPENED[kind], *match.span())
    return FormulaError(_UNCLOSED[opened[0]], *opened[2].span())


_ENVIRONMENTS = {
    "aligned": "align*",
    "alignat": "align*",
    "alignat*": "align*",
    "alignedat": "align*",
    "eqnarray": "align*",
    "eqnarray*": "align*",
    "flalign": "align*",
    "flalign*": "align*",
    "align": "align*",
    "gather": "matrix",
    "gather*": "matrix",
    "gathered": "matrix",
    "multline": "matrix",
    "multline*": "matrix",
    "tabular": "array",
    "dcases": "cases",
    "rcases": "cases",
}
"""Environments that the translator does not know, as ones that look the same. `align` would number the lines, which no
picture said."""

_CIRCLED = {str(n): chr(0x245F + n) for n in range(1, 21)} | {"0": "\u24ea"}
_CIRCLED |= {chr(65 + n): chr(0x24B6 + n) for n in range(26)} | {chr(97 + n): chr(0x24D0 + n) for n in range(26)}


def _for_translator(latex: str, structure: _Structure) -> str:
    """The same formula in the words of latex2mathml."""
    source = re.sub(r"(?<!\\)((?:\\\\)*)%", r"\1\\%", latex)  # a recognised percent sign is no comment
    source = re.sub(r"\\(?:label\s*\{[^{}]*\}|nonumber(?![a-zA-Z])|notag(?![a-zA-Z]))", "", source)
    source = re.sub(r"\\textcircled\s*\{\s*(\w+)\s*\}", lambda m: _CIRCLED.get(m[1], m[0]), source)
    source = re.sub(r"\\(?:newline|cr)(?![a-zA-Z])", r"\\\\", source)
    source = re.sub(r"\\(begin|end)\s*\{\s*(equation\*?|math|displaymath)\s*\}", "", source)
    source = re.sub(r"\\begin\s*\{(alignat\*?|alignedat)\}\s*\{\d*\}", r"\\begin{\1}", source)
    source = re.sub(r"\\(begin|end)\s*\{([a-zA-Z]+\*?)\}", _environment, source)
    if structure.breaks:
        environment = "align*" if re.search(r"(?<!\\)&", source) else "matrix"
        source = rf"\begin{{{environment}}}{source}\end{{{environment}}}"
    return source


def _environment(match: re.Match[str]) -> str:
    return rf"\{match[1]}{{{_ENVIRONMENTS.get(match[2], match[2])}}}"


class _Translator(Converter):
    """latex2mathml with an end to its growth."""

    def __init__(self, display: str, most_nodes: int) -> None:
        super().__init__(display=display)
        self._left = most_nodes

    def _convert_group(self, nodes: Iterable[Any], parent: Element, font: Any = None) -> None:
        super()._convert_group(self._counted(nodes), parent, font)

    def _counted(self, nodes: Iterable[Any]) -> Iterator[Any]:
        for node in nodes:
            self._left -= 1
            if self._left < 0:
                raise FormulaError("too_big")
            yield node


_REFERENCE = re.compile("&#x[0-9A-Fa-f]{1,6};")
_STYLED = {
    "bold": (0x1D400, 0x1D41A, 0x1D7CE),
    "bold-italic": (0x1D468, 0x1D482, 0x1D7CE),
    "sans-serif": (0x1D5A0, 0x1D5BA, 0x1D7E2),
    "monospace": (0x1D670, 0x1D68A, 0x1D7F6),
    "double-struck": (0x1D538, 0x1D552, 0x1D7D8),
    "script": (0x1D49C, 0x1D4B6, None),
    "fraktur": (0x1D504, 0x1D51E, None),
}
"""First capital, small letter and digit of Unicode's mathematical alphabets: browsers follow MathML Core, which knows
`mathvariant="normal"` alone."""
_ELSEWHERE = {
    "script": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
    "double-struck": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
}
"""Letters that Unicode had before it got those alphabets."""


def _mathml(element: Element, depth: int) -> Iterator[str]:
    tag = element.tag
    if tag not in MATHML:
        raise FormulaError("unreadable")
    if depth > 4 * MAX_DEPTH:
        raise FormulaError("too_deep")
    if tag in _TOKENS and len(element):
        tag = "mrow"  # within these a browser reads HTML, not MathML
    if tag in _ARITY and len(element) != _ARITY[tag]:
        raise FormulaError("missing_argument")
    yield f"<{tag}{_attributes(tag, element)}>"
    if element.text:
        variant = element.get("mathvariant", "") if tag in ("mi", "mn") else ""
        yield escape(_styled(_REFERENCE.sub(lambda match: unescape(match[0]), element.text), variant))
    for child in element:
        yield from _mathml(child, depth + 1)
    yield f"</{tag}>"


def _attributes(tag: str, element: Element) -> str:
    allowed = MATHML[tag]
    kept = {
        name: value
        for name, value in element.attrib.items()
        if name in allowed and allowed[name].fullmatch(value) and (allowed[name] is not _LENGTH or _is_short(value))
    }
    classes = [found for name, value in element.attrib.items() if (found := _CLASSES.get((tag, name, value)))]
    if classes:
        kept["class"] = " ".join(classes)
    return "".join(f' {name}="{value}"' for name, value in kept.items())


def _is_short(length: str) -> bool:
    sign, number, unit = _LENGTH.fullmatch(length).groups()
    return bool(number) and number != "." and float(number) * _EM.get(unit, 1) <= _MOST_EM / (10 if sign == "-" else 1)


def _styled(text: str, variant: str) -> str:
    if variant not in _STYLED or len(text) != 1 or not text.isascii():
        return text
    if text in _ELSEWHERE.get(variant, ()):
        return _ELSEWHERE[variant][text]
    capital, small, digit = _STYLED[variant]
    code = ord(text)
    if text.isupper():
        return chr(capital + code - 65)
    if text.islower():
        return chr(small + code - 97)
    return chr(digit + code - 48) if text.isdigit() and digit else text


_DOUBLE = (r"{0}\s*(?:\{{[^{{}}]*\}}|\\[a-zA-Z]+|[^{{}}\\\s])\s*{0}", r"{0}\s*{0}")
_DANGLING = re.compile(r"[_^]\s*(?=$|[}&])|\\(?:[cdt]?frac|sqrt)(?![a-zA-Z])(?:\s*\{[^{}]*\})?\s*(?=$|[}&])")


def _placed(error: FormulaError, latex: str) -> FormulaError:
    """The same error with the place of the likely cause."""
    if error.code == "double_script":
        found = next((m for mark in ("_", r"\^") for p in _DOUBLE if (m := re.search(p.format(mark), latex))), None)
    else:
        found = _DANGLING.search(latex) if error.code in ("missing_argument", "unreadable") else None
    if found is None:
        return error
    return FormulaError("missing_argument" if error.code == "unreadable" else error.code, *found.span())
