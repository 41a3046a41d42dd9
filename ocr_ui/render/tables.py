"""Tables of a model's answer as HTML that holds nothing but a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape

import nh3

from ocr_ui.render.formulas import FormulaSetter
from ocr_ui.render.visible import MAX_SHOWN, cut_notice, spell_out, well_formed

KEPT_TAGS = frozenset(("table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "sup", "sub", "br"))
"""What a table may consist of. colspan, rowspan and the direction are the only attributes."""

MAX_NESTING = 8
"""Tables in tables. The parser of HTML needs quadratic time where thousands are left open within each other."""

_DROPPED = frozenset(
    (
        *("a", "abbr", "b", "big", "body", "button", "center", "cite", "code", "col", "colgroup", "div", "em"),
        *("embed", "font", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "html", "i", "iframe", "img"),
        *("input", "ins", "kbd", "label", "li", "link", "math", "meta", "object", "ol", "p", "pre", "s", "script"),
        *("small", "span", "strong", "style", "svg", "title", "tt", "u", "ul", "video"),
    )
)
"""Elements of HTML whose tags are taken for markup and left out; what stands inside them stays. Any other word in
angle brackets was on the page (`<Enter>`) and is shown."""

_LONGEST_COMMENT = 2_000
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>")
_NAME_ONLY = re.compile(r"\s*/?|\s+[\w:-]+\s*=.*", re.DOTALL)
_TABLE = re.compile(r"<(/?)table(?=[\s/>])", re.IGNORECASE)
_ANY_TABLE_TAG = re.compile(r"</?(?:table|t[rdh]|thead|tbody|tfoot|caption)(?=[\s/>])[^<>]*>", re.IGNORECASE)
_BETWEEN_TAGS = re.compile(r"(<[^<>]*>)")


def sanitize_table(html: str, formulas: FormulaSetter | None = None) -> str:
    """Clean HTML of a table and what it holds: rows, cells, captions, sup, sub, br. Any string is taken.

    Everything else becomes text. Spans reach no further than the table has cells and rows; an open end is closed.

    Args:
        formulas: sets the formulas in the cells; give the one of the page where the table is part of one.
    """
    notice = cut_notice(html)
    shown = re.sub(r"<[^<>]{0,200}\Z", "", html[:MAX_SHOWN]) if notice else html
    marked = _Markup(well_formed(shown)).cleaned()
    cells, rows = _spans(marked)
    clean = nh3.clean(
        marked,
        tags=set(KEPT_TAGS),
        clean_content_tags=set(),
        attributes={"td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}},
        attribute_filter=lambda tag, name, value: _attribute(name, value, cells, rows),
        set_tag_attribute_values={tag: {"dir": "auto"} for tag in ("td", "th", "caption")},
        link_rel=None,
    )
    parts = _BETWEEN_TAGS.split(clean)
    text_html = (formulas or FormulaSetter()).text_html
    return spell_out("".join(part if n % 2 else text_html(unescape(part)) for n, part in enumerate(parts))) + notice


def grid_html(grid: Sequence[Sequence[str]]) -> str:
    """A grid of cell texts as an HTML table; the texts are text."""
    rows = ("".join(f'<td dir="auto">{_cell_html(cell)}</td>' for cell in row) for row in grid)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return spell_out(f"<table><tbody>{body}</tbody></table>") if body else ""


def table_end(source: str, start: int) -> int:
    """Where the table that begins at offset `start` ends: after its closing tag, or after the last tag of a table
    where it was cut off."""
    depth = 0
    for match in _TABLE.finditer(source, start):
        depth += -1 if match[1] else 1
        if depth == 0:
            closed = source.find(">", match.start())
            return closed + 1 if closed >= 0 else len(source)
    last = start
    for match in _ANY_TABLE_TAG.finditer(source, start):
        last = match.end()
    line_end = source.find("\n", last)
    return len(source) if line_end < 0 else line_end


def _cell_html(text: str) -> str:
    return "<br>".join(escape(line, quote=False) for line in well_formed(text).split("\n"))


class _Markup:
    """Goes once through HTML: tags of tables stay, known tags of HTML and closed comments go, any other `<` is text.

    Tables within tables are bounded, and sup, sub and br outside of a cell go: the parser would move each of them in
    front of the table, in quadratic time.
    """

    def __init__(self, html: str) -> None:
        self._html = html
        self._cells = [False]
        self._raised = 0

    def cleaned(self) -> str:
        html, made, position = self._html, [], 0
        while (found := html.find("<", position)) >= 0:
            made.append(html[position:found])
            kept, position = self._at(found)
            made.append(kept)
        return "".join(made) + html[position:]

    def _at(self, found: int) -> tuple[str, int]:
        """What stays of what begins with `<` at `found`, and where it ends."""
        if self._html.startswith("<!--", found):
            end = self._html.find("-->", found, found + _LONGEST_COMMENT)
            return ("", end + 3) if end >= 0 else ("&lt;", found + 1)
        match = _TAG.match(self._html, found)
        kept = self._kept(match[1].lower(), match[0][1] == "/", match) if match else None
        return ("&lt;", found + 1) if kept is None else (kept, match.end())

    def _kept(self, name: str, closing: bool, match: re.Match[str]) -> str | None:
        """The tag as it may stay, "" where it goes, None where it is text."""
        if name not in KEPT_TAGS:
            is_markup = name in _DROPPED and _NAME_ONLY.fullmatch(match[2])
            return "" if is_markup else None
        if name == "table":
            return self._table(closing, match)
        if name in ("br", "sup", "sub"):
            return self._within_cell(name, closing, match)
        self._cells[-1] = not closing and name in ("td", "th", "caption")
        return match[0]

    def _table(self, closing: bool, match: re.Match[str]) -> str | None:
        if closing:
            self._cells = self._cells[:-1] or [False]
        elif len(self._cells) > MAX_NESTING:
            return None
        else:
            self._cells.append(False)
        return match[0]

    def _within_cell(self, name: str, closing: bool, match: re.Match[str]) -> str:
        if not self._cells[-1]:
            return ""
        if name != "br":
            self._raised = max(0, self._raised + (-1 if closing else 1))
        return match[0] if self._raised <= MAX_NESTING else ""


def _attribute(name: str, value: str, cells: int, rows: int) -> str | None:
    if name == "dir":
        return value
    return _clamped(value, cells if name == "colspan" else rows)


def _spans(marked: str) -> tuple[int, int]:
    """How many cells and rows a table has at most."""
    return len(re.findall(r"<t[dh][\s/>]", marked, re.IGNORECASE)), len(re.findall(r"<tr[\s/>]", marked, re.IGNORECASE))


def _clamped(value: str, most: int) -> str | None:
    """A span as a whole number from 2 to what the table has; None, which is 1, for all else."""
    digits = re.match(r"\s*\+?(\d{1,9})", value)
    span = min(int(digits[1]), max(most, 1), 1000) if digits else 1
    return str(span) if span > 1 else None
