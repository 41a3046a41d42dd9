"""Table HTML as models write it, to cells: unclosed, cut off, nested, wrapped, with attributes and foreign markup.

Structure is read by lxml. Before that, every ``<`` that does not begin a tag of a table is made text or dropped, so
that ``<Enter>`` and ``5 < 6`` survive, an unclosed comment or script hides nothing, and no foreign element reaches
the tree.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

_TABLE_NAMES = "table tr td th thead tbody tfoot caption sup sub br"
_BLOCK_NAMES = "p div li ul ol h1 h2 h3 h4 h5 h6 hr blockquote pre dl dt dd center"
_FORMAT_NAMES = "b i u s em strong span font code small big html head body strike del ins mark tt col colgroup"
_FOREIGN_NAMES = (
    "a abbr area audio base bdi bdo button canvas embed fieldset figcaption figure footer form frame frameset header "
    "iframe img input kbd label legend link main map math meta nav noembed noframes noscript object option path "
    "picture plaintext q samp script section select source style summary svg template textarea title var video wbr xmp"
)
KEPT = frozenset(_TABLE_NAMES.split())
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_FORMAT = _BLOCKS | frozenset(_FORMAT_NAMES.split())
_FOREIGN = frozenset(_FOREIGN_NAMES.split())
_TAG = re.compile(
    r"<!--|<[!?][A-Za-z\[][^<>]*>|<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9]*)"
    r"(?P<rest>(?:[^<>\"']|\"[^\"<]{0,300}\"|'[^'<]{0,300}')*(?=>)|[^<>]*)(?P<end>>|(?=<)|\Z)"
)
_PARSER = etree.HTMLParser(huge_tree=True, no_network=True, remove_comments=True, remove_pis=True)
_HALF_TAG = re.compile(r"</?([A-Za-z]{0,7})\Z")
_TABS = re.compile(r"[\t\r\f]+")
_SPAN = re.compile(r"\s*\+?(\d{1,9})")
DEEPEST = 12
MOST_CELLS = 20_000
LONGEST = 300_000


@dataclass(slots=True)
class Cell:
    """A cell: its text (sup and sub as tags, a break as a line feed), its spans as written, and whether it is a th."""

    text: str
    colspan: int = 1
    rowspan: int = 1
    header: bool = False


@dataclass(slots=True)
class RawTable:
    rows: list[list[Cell]] = field(default_factory=list)
    caption: str = ""


@dataclass(slots=True)
class Reading:
    """Tables in order, text that stood between their cells, and the codes of what was wrong."""

    tables: list[RawTable] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)
    codes: dict[str, None] = field(default_factory=dict)
    cells: int = 0


def read(source: str) -> Reading:
    """The tables in a piece of HTML."""
    reading = Reading()
    if len(source) > LONGEST:
        reading.codes["limit"] = None
        source = source[:LONGEST]
    guarded, hidden = _hide_unencodable(source)
    cleaner = _Cleaner(guarded, reading.codes)
    root = etree.fromstring(f"<html><body>{cleaner.clean()}</body></html>", _PARSER)
    for element in [] if root is None else _top_tables(root):
        _Walker(reading, hidden).table(element, 0)
    return reading


def _top_tables(root: etree._Element) -> Iterator[etree._Element]:
    for element in root.iter("table"):
        if next(element.iterancestors("table"), None) is None:
            yield element


def _hide_unencodable(text: str) -> tuple[str, dict[int, str]]:
    """Lone surrogates and NUL, which no XML library takes, as private characters that the text does not have."""
    odd = {c for c in text if "\ud800" <= c <= "\udfff" or c == "\0"} if not _encodable(text) else set()
    if not odd:
        return text, {}
    free = (code for code in range(0x10F000, 0x10FFFE) if chr(code) not in text)
    there = {ord(c): next(free) for c in sorted(odd)}
    return text.translate(there), {new: chr(old) for old, new in there.items()}


def _encodable(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _without_half_tag(source: str) -> str:
    """Without the beginning of a tag at the end of what was cut off."""
    found = _HALF_TAG.search(source, max(0, len(source) - 12))
    half = found is not None and any(name.startswith(found[1].lower()) for name in KEPT)
    return source[: found.start()] if found and half else source


class _Cleaner:
    """Leaves tags of KEPT, with the attributes of cells, and text."""

    def __init__(self, source: str, codes: dict[str, None]) -> None:
        self.source = source = _without_half_tag(source)
        self.lower = source.lower()
        self.codes = codes
        self.out: list[str] = []
        self.at = 0
        self.raised = 0
        self.tables = 0
        self.no_more: set[str] = set()

    def clean(self) -> str:
        while (found := _TAG.search(self.source, self.at)) is not None:
            self._text(found.start())
            self.at = found.end()
            self._tag(found)
        self._text(len(self.source))
        return "".join(self.out)

    def _text(self, end: int) -> None:
        if end > self.at:
            self.out.append(self.source[self.at : end].replace("<", "&lt;").replace(">", "&gt;"))

    def _literal(self, text: str) -> None:
        self.out.append(html.escape(text, quote=False))

    def _tag(self, found: re.Match[str]) -> None:
        if found[0] == "<!--":
            self._skip_to("-->", found[0])
        elif found["name"] is None:
            return
        else:
            self._named(found["name"].lower(), bool(found["close"]), found["rest"], found)

    def _skip_to(self, end: str, opening: str) -> None:
        """Leaves out what is closed; what is not must not hide the rest."""
        at = -1 if end in self.no_more else self.lower.find(end, self.at)
        if at >= 0:
            close = self.source.find(">", at)
            self.at = close + 1 if close >= 0 else len(self.source)
            return
        self.no_more.add(end)
        self.codes["repaired"] = None
        if opening == "<!--":
            self._literal(opening)

    def _named(self, name: str, close: bool, rest: str, found: re.Match[str]) -> None:
        plain = rest.strip().strip("/").strip()
        whole = found["end"] == ">"
        if name in KEPT:
            self._kept(name, close, rest, plain, whole)
        elif name in _FORMAT and whole and (not plain or "=" in plain):
            self.out.append("<br>" if name in _BLOCKS else "")
        elif name in ("script", "style") and not close and whole:
            self._skip_to(f"</{name}", found[0])
        elif name in _FOREIGN and whole and (close or "=" in plain or name in ("script", "style")):
            return
        else:
            self._literal(found[0])

    def _kept(self, name: str, close: bool, rest: str, plain: str, whole: bool) -> None:
        """A tag of a table; what is no attribute in one that is not closed is text."""
        if name in ("sup", "sub"):
            self.raised = max(0, self.raised + (-1 if close else 1))
            if self.raised > 4:
                return
        if name == "table":
            self.tables = max(0, self.tables + (-1 if close else 1))
            if self.tables > DEEPEST:
                self.codes["limit"] = None
                self.out.append("<br>")
                return
        words = "" if "=" in plain or whole else plain
        if not whole:
            self.codes["repaired"] = None
        if close:
            self.out.append(f"</{name}>")
        else:
            self.out.append(f"<{name}{self._attributes(rest) if name in ('td', 'th') and not words else ''}>")
        self._literal(words)

    def _attributes(self, rest: str) -> str:
        if rest.count('"') % 2 or rest.count("'") % 2:
            self.codes["repaired"] = None
            rest = rest.replace('"', " ").replace("'", " ")
        return " " + rest.replace("/", " ") if rest.strip() else ""


class _Walker:
    """Reads one table element, and those that stand in it outside a cell."""

    def __init__(self, reading: Reading, hidden: dict[int, str]) -> None:
        self.reading = reading
        self.hidden = hidden

    def table(self, element: etree._Element, depth: int) -> None:
        table = RawTable()
        self.reading.tables.append(table)
        loose: list[Cell] = []
        later: list[etree._Element] = []
        for node in self._parts(element):
            if isinstance(node, str):
                self._stray(node)
            elif node.tag in ("td", "th"):
                loose.append(self._cell(node))
            elif node.tag == "tr":
                loose = self._end_row(table, loose)
                self._row(table, node, later)
            elif node.tag == "caption":
                table.caption = self._text(node)
            elif node.tag == "table":
                later.append(node)
        self._end_row(table, loose)
        if later and not table.rows:
            self.reading.tables.pop()
        for node in later:
            self.reading.codes["repaired"] = None
            self.table(node, depth + 1)

    def _parts(self, element: etree._Element) -> Iterator[etree._Element | str]:
        """What stands in a table, through thead, tbody and tfoot."""
        if element.text:
            yield element.text
        for node in element:
            if node.tag in ("thead", "tbody", "tfoot", "sup", "sub"):
                yield from self._parts(node)
            else:
                yield node
            if node.tail:
                yield node.tail

    def _end_row(self, table: RawTable, cells: list[Cell]) -> list[Cell]:
        if cells:
            self.reading.codes["repaired"] = None
            table.rows.append(cells)
        return []

    def _row(self, table: RawTable, element: etree._Element, later: list[etree._Element]) -> None:
        if self.reading.cells > MOST_CELLS:
            self.reading.codes["limit"] = None
            return
        row: list[Cell] = []
        for node in self._parts(element):
            if isinstance(node, str):
                self._stray(node)
            elif node.tag in ("td", "th"):
                row.append(self._cell(node))
            elif node.tag == "table":
                later.append(node)
            elif node.tag == "tr":
                self._row(table, node, later)
        table.rows.append(row)
        self.reading.cells += len(row)

    def _stray(self, text: str) -> None:
        plain = self._show(text).strip()
        if plain:
            self.reading.stray.append(plain)

    def _cell(self, element: etree._Element) -> Cell:
        cell = Cell(self._text(element), header=element.tag == "th")
        if element.attrib:
            cell.colspan, cell.rowspan = self._span(element.get("colspan")), self._span(element.get("rowspan"))
        return cell

    def _span(self, value: str | None) -> int:
        """Zero, negative and wordy spans are 1 (HTML takes the leading digits of the rest)."""
        found = _SPAN.match(value or "1")
        if found is None or int(found[1]) == 0:
            self.reading.codes["repaired"] = None
            return 1
        return int(found[1])

    def _text(self, element: etree._Element) -> str:
        pieces: list[str] = []
        self._collect(element, pieces)
        lines = (line.strip() for line in "".join(pieces).split("\n"))
        return "\n".join(line for line in lines if line)

    def _collect(self, element: etree._Element, pieces: list[str]) -> None:
        pieces.append(self._show(element.text))
        for node in element:
            if node.tag == "br":
                pieces.append("\n")
            elif node.tag in ("sup", "sub"):
                pieces.append(f"<{node.tag}>")
                self._collect(node, pieces)
                pieces.append(f"</{node.tag}>")
            elif node.tag == "table":
                self.reading.codes["repaired"] = None
                self._collect_table(node, pieces)
            else:
                self._collect(node, pieces)
            pieces.append(self._show(node.tail))

    def _collect_table(self, element: etree._Element, pieces: list[str]) -> None:
        """A table in a cell as lines of text, one a row: a grid has one text a cell."""
        inner = _Walker(Reading(), self.hidden)
        inner.table(element, 0)
        for table in inner.reading.tables:
            pieces.append("\n")
            pieces.append("\n".join(" ".join(cell.text for cell in row) for row in table.rows))
            pieces.append("\n")
        pieces.append("\n".join(inner.reading.stray))

    def _show(self, text: str | None) -> str:
        shown = _one_line(text) if text else ""
        return shown.translate(self.hidden) if self.hidden else shown


def _one_line(text: str) -> str:
    """Line breaks of the source, with the blanks around them, as one blank; tabs as blanks."""
    if "\n" in text:
        first, *rest = text.split("\n")
        middle = [part.strip(" \t\r\f") for part in rest]
        text = " ".join([first.rstrip(" \t\r\f"), *(part for part in middle if part)])
        if not middle[-1] or rest[-1].endswith((" ", "\t")):
            text += " "
    return _TABS.sub(" ", text)
