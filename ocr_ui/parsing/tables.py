"""Tables in an answer: HTML, Markdown with pipes, JSON or tabs, with the text around them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ocr_ui.domain.content import PageContent, Table, TextLine
from ocr_ui.parsing import loose_json, table_grid, table_html
from ocr_ui.parsing.loose_json import Pairs
from ocr_ui.parsing.notes import Notes
from ocr_ui.parsing.plain import cut_repeat, text_lines

MOST_TABLES = 1000
MOST_COLUMNS = 1000
"""As many as a colspan may cover in HTML."""
_TABLE_TAG = re.compile(r"<\s{0,2}(/?)\s{0,2}table(?=[\s>/]|\Z)[^<>]{0,400}>?", re.IGNORECASE)
_ROW_TAG = re.compile(r"<(?:tr|td|th|thead|tbody|caption)(?:\s[^<>]{0,400})?>", re.IGNORECASE)
_WRAPPER = re.compile(r"</?(?:html|head|body|center|div)(?:\s[^<>]{0,400})?>|<!doctype[^<>]{0,400}>", re.IGNORECASE)
_RULE = re.compile(r"\|?\s{0,80}:?-{1,400}:?\s{0,80}(?:\|\s{0,80}:?-{1,400}:?\s{0,80}){0,400}\|?")
_BORDER = re.compile(r"\+(?:[-=:]{1,400}\+){1,400}")
"""The lines of a table drawn in characters."""
_PIPE = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"<br\s?/?>")
_LIST_NAME = re.compile(r"\{\s{0,40}[\"']?\w{1,40}[\"']?\s{0,8}:\s{0,8}\Z")
_FENCE_LINE = re.compile(r"\s*```[A-Za-z]*\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an answer: a table, or text between tables."""

    text: str = ""
    table: Table | None = None


def parse(text: str, finished: bool = True) -> PageContent:
    """All tables; prose around them becomes lines without boxes. `text` has each table as clean HTML in its place."""
    notes = Notes()
    looped = len(text)
    text = cut_repeat(text, notes, finished)
    looped = len(text) < looped
    pieces = split(_html_in_json(_unescaped(text, notes)), notes, strict=False, looped=looped)
    tables = tuple(piece.table for piece in pieces if piece.table)
    if not tables:
        pieces = _other_table(text, notes) or pieces
        tables = tuple(piece.table for piece in pieces if piece.table)
    lines = tuple(line for piece in pieces if not piece.table for line in prose(piece.text, notes))
    if not tables:
        notes.add("unparsed" if lines else "empty", "The answer has no table." if lines else "")
    elif not any(cell for table in tables for row in table.grid for cell in row):
        notes.add("empty")
    warnings = tuple(w for w in notes.warnings() if finished or w.code != "truncated")
    return PageContent(lines, tables=tables, text=join(pieces), warnings=warnings)


def join(pieces: Sequence[Piece]) -> str:
    return "".join(piece.table.html if piece.table else piece.text for piece in pieces).strip("\r\n")


def prose(text: str, notes: Notes) -> tuple[TextLine, ...]:
    """Lines of the text around tables, without the wrapper of a web page and without fences."""
    outside = _WRAPPER.sub("", text)
    return tuple(line for line in text_lines(outside, notes) if not _FENCE_LINE.fullmatch(line.text))


def split(text: str, notes: Notes, strict: bool = True, looped: bool = False) -> list[Piece]:
    """The answer in pieces, in order.

    Args:
        strict: pipes need a rule line (``|---|``) to be a table, and cells need a ``<table>``.
        looped: the text was cut at a loop: empty rows at its end are part of it.
    """
    pieces: list[Piece] = []
    at = 0
    for start, end, closed in _html_parts(text, strict):
        if len(pieces) > 2 * MOST_TABLES:
            notes.add("limit")
            break
        pieces += _pipe_pieces(text[at:start], notes, strict)
        pieces += _html_pieces(text[start:end], notes, looped and not closed)
        if not closed:
            notes.add("truncated", "The table was cut off; it is closed after what was read.")
        at = end
    return pieces + _pipe_pieces(text[at:], notes, strict)


# ---- HTML


def _html_parts(text: str, strict: bool) -> Iterator[tuple[int, int, bool]]:
    """Start, end and whether it is closed, of each outermost table element."""
    start, depth, in_prose = -1, 0, strict
    tags = list(_TABLE_TAG.finditer(text))
    ends = [*(tag.start() for tag in tags[1:]), len(text)][: len(tags)]
    for found, end in zip(tags, ends, strict=True):
        if not found[1] and depth == 0 and in_prose and not _opens_table(text, found, end):
            continue
        if not found[1]:
            start = found.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield start, found.end(), True
                start = -1
        elif not strict and (row := _ROW_TAG.search(text, 0, found.start())):
            yield row.start(), found.end(), True
        strict = True
    if depth:
        yield start, len(text), False
    elif not strict and start == -1 and (row := _ROW_TAG.search(text)) is not None:
        last = text.lower().rfind("</tr>") + len("</tr>")
        closed = last > row.start() and _ROW_TAG.search(text, last) is None and bool(text[last:].strip())
        yield row.start(), last if closed else len(text), closed


def _opens_table(text: str, tag: re.Match[str], end: int) -> bool:
    """Whether ``<table>`` in prose is one: a row, a caption or nothing yet follows before the next such tag."""
    return not text[tag.end() : end].strip() or _ROW_TAG.search(text, tag.end(), end) is not None


def _html_pieces(source: str, notes: Notes, looped: bool) -> list[Piece]:
    if not source.lower().startswith("<table"):
        notes.add("repaired")
        source = "<table>" + source
    reading = table_html.read(source)
    pieces = []
    for raw in reading.tables:
        if looped:
            table_grid.drop_empty_end(raw)
        pieces.append(Piece(table=table_grid.build(raw, reading.codes)))
    for code in reading.codes:
        notes.add(code)
    if reading.stray:
        notes.add("repaired", "Text between the cells of a table is kept beside it.")
        pieces.append(Piece("\n" + "\n".join(reading.stray) + "\n"))
    if len(source) > table_html.LONGEST:
        pieces.append(Piece("\n" + source[table_html.LONGEST :]))
    return pieces


# ---- pipes


def _pipe_pieces(text: str, notes: Notes, strict: bool) -> list[Piece]:
    if "|" not in text:
        return [Piece(text)] if text else []
    pieces: list[Piece] = []
    plain: list[str] = []
    lines = text.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        end = _pipe_end(lines, at, strict)
        if end == at:
            plain.append(lines[at])
            at += 1
            continue
        pieces += [Piece("".join(plain))] if plain else []
        plain = ["\n"] if end < len(lines) else []
        pieces.append(Piece(table=_pipe_table(lines[at:end], notes)))
        at = end
    return pieces + ([Piece("".join(plain))] if plain else [])


def _pipe_end(lines: list[str], start: int, strict: bool) -> int:
    """The line after the pipe table that begins at `start`; `start` where none does."""
    drawn = _is_border(lines[start])
    if not drawn and ("|" not in lines[start] or _is_rule(lines[start])):
        return start
    if drawn and (start + 1 == len(lines) or not _is_row(lines[start + 1], False)):
        return start
    ruled = drawn or (start + 1 < len(lines) and (_is_rule(lines[start + 1]) or _is_border(lines[start + 1])))
    end = start
    while end < len(lines) and (_is_row(lines[end], ruled) or (ruled and _is_border(lines[end]))):
        end += 1
    return end if ruled or (not strict and end > start) else start


def _is_rule(line: str) -> bool:
    return "-" in line and _RULE.fullmatch(line.strip()) is not None


def _is_border(line: str) -> bool:
    return line.lstrip()[:1] == "+" and _BORDER.fullmatch(line.strip()) is not None


def _is_row(line: str, ruled: bool) -> bool:
    bare = line.strip()
    pipes = bare.count("|")
    return 0 < pipes <= MOST_COLUMNS and (ruled or (pipes > 1 and bare.startswith("|")))


def _pipe_table(lines: list[str], notes: Notes) -> Table:
    rows = []
    cells = 0
    for line in lines:
        if not _is_rule(line) and not _is_border(line):
            rows.append(pipe_cells(line))
            cells += len(rows[-1])
        if cells > table_html.MOST_CELLS:
            notes.add("limit")
            break
    codes: dict[str, None] = {}
    table = table_grid.from_rows(rows, codes, header=any(map(_is_rule, lines)))
    for code in codes:
        notes.add(code)
    return table


def pipe_cells(line: str) -> list[str]:
    r"""The cells of one line, ``\|`` read as a pipe, ``<br>`` as a break."""
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [_BREAK.sub("\n", cell.strip().replace("\\|", "|")) for cell in _PIPE.split(line)]


# ---- JSON and tabs


def _html_in_json(text: str) -> str:
    """The HTML that stands in a string of a JSON answer."""
    start = re.match(r"\s*(?:```json\s*)?(?=[{\[]\s*[{\[\"])", text)
    if start is None or "<table" not in text:
        return text
    found = [value for value in _strings(loose_json.read(text, start.end()).value) if "<table" in value]
    return "\n".join(found) if found else text


def _unescaped(text: str, notes: Notes) -> str:
    """HTML whose tags came as entities."""
    if "<table" in text.lower() or "&lt;table" not in text.lower():
        return text
    notes.add("repaired", "The tags of the table came as entities.")
    return html.unescape(text)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, Pairs):
        for _, item in value:
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif value is not None:
        yield str(value)


def _other_table(text: str, notes: Notes) -> list[Piece]:
    """A table as JSON rows or as lines with tabs."""
    start = re.search(r"\[\s*[{\[]", text)
    read = loose_json.read(text, start.start()) if start else None
    rows = _json_rows(read) if read else []
    header = bool(rows) and start is not None and start[0][-1] == "{"
    before = after = ""
    if rows and start is not None and read is not None:
        before, after = text[: start.start()], text[read.end :]
        if not read.complete:
            notes.add("truncated")
        if head := _head(text, before, after, max(map(len, rows))):
            rows, header, before, after = [head, *rows], True, "", ""
    else:
        lines = [line.rstrip("\r") for line in text.split("\n") if line.strip()]
        if not lines or any("\t" not in line for line in lines) or all("\t" not in line.strip() for line in lines):
            return []
        rows = [[cell.strip() for cell in line.split("\t")] for line in lines]
    notes.add("repaired", "The table did not come as HTML; it was read from its rows.")
    codes: dict[str, None] = {}
    table = table_grid.from_rows(rows, codes, header)
    for code in codes:
        notes.add(code)
    return [*_around(before), Piece(table=table), *_around(after)]


def _head(text: str, before: str, after: str, columns: int) -> list[str]:
    """The names of the columns in ``{"columns": ["a", "b"], "rows": [...]}``; none for anything else."""
    opening = text.find("{")
    if not 0 <= opening < len(before):
        return []
    value = loose_json.read(text, opening).value
    lists = [item for _, item in value if isinstance(item, list)] if isinstance(value, Pairs) else []
    heads = [item for item in lists if len(item) == columns and all(isinstance(cell, str) for cell in item)]
    return [str(cell) for cell in heads[0]] if len(lists) == 2 and len(heads) == 1 else []


def _around(text: str) -> list[Piece]:
    """Prose beside rows in JSON; brackets, fences and the name of the list are none."""
    left = _LIST_NAME.sub("", text.replace("```json", "").replace("```", "")).strip(" \t\r\n{}[],;:")
    return [Piece(f"\n{left}\n")] if any(c.isalnum() for c in left) else []


def _json_rows(read: loose_json.Read) -> list[list[str]]:
    """Rows of ``[["a", "b"], ...]`` or, with a head, of ``[{"a": ..., "b": ...}, ...]``."""
    value = read.value
    if not value or not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return []
    if all(isinstance(row, Pairs) for row in value):
        head = list(dict.fromkeys(key for row in value for key, _ in row))
        return [head, *([_cell_text(row.last().get(key)) for key in head] for row in value)]
    if any(isinstance(row, Pairs) for row in value):
        return []
    return [[_cell_text(cell) for cell in row] for row in value]


def _cell_text(value: Any) -> str:
    return "" if value is None else loose_json.dump(value) if isinstance(value, list) else str(value)
