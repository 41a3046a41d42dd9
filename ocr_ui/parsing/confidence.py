"""How sure a model was of each line, field and table cell: its tokens' probabilities, found by where they stand.

What was parsed is looked for in the raw answer, always a little further on than what came before it and never far
ahead, so that the whole costs time linear in the answer. What is not found again, because the parser had to mend it,
has no confidence.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.parsing import loose_json
from ocr_ui.parsing.fields import normal_name
from ocr_ui.parsing.probabilities import Certainty, Probabilities

AHEAD = 4096
"""How far ahead of the last place a line or cell is looked for, in characters."""
AROUND = 128
"""More than the longest mark or coordinate, which must be seen whole to be known as one."""
NEAR = 64
"""The same for the value behind a field's name."""
SHORTEST_ANYWHERE = 4
"""Characters of a text that is also looked for among marks and coordinates."""
MOST_PLACES = 8
"""Places of one name that are tried, the last ones first."""

Span = tuple[int, int]

_MARKUP = re.compile(
    r"</?(?:ref|quad|box|table|t[rdh])\b[^<>]{0,80}>|<pos_\d+>|\(\d{1,5},\s?\d{1,5}\)|\[[\d,.\s]{1,80}\]|\"b?box\"|\"text\""
)
_CELL = re.compile(r"<(t[dh])(?:\s[^<>]{0,400})?>", re.IGNORECASE)
_CELL_END = re.compile(r"</?(?:t[dhr]|table|thead|tbody)\b", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,200}>")
_CLEAN_CELL = re.compile(r"<(t[dh])[^<>]*>(.*?)</\1>", re.DOTALL)
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.){1,200})\"(\s{0,8}[:：]\s{0,8})?")
_NAMED = re.compile(r"^[\s\-*•|_]{0,8}([^:：=\t|\n]{1,80}?)[\s*_]{0,4}[:：=\t|]\s{0,8}", re.MULTILINE)


def with_confidences(content: PageContent, raw: str, probabilities: Probabilities) -> PageContent:
    """The content with what `probabilities` say of its parts.

    Args:
        raw: the answer that both were made from.
    """
    if not len(probabilities):
        return content
    lines = tuple(_line(line, span, probabilities) for line, span in _lines(content.lines, raw))
    return replace(_with_those_of_parts(content, raw, probabilities), lines=lines)


def _with_those_of_parts(content: PageContent, raw: str, probabilities: Probabilities) -> PageContent:
    """With the confidences of fields and tables."""
    tables = _tables(content.tables, raw, probabilities)
    fields = tuple(_field(field, span, probabilities) for field, span in _fields(content.fields, raw))
    return replace(content, fields=fields, tables=tables)


class ConfidencesAsTheyCome:
    """The same for an answer that is still running: each line is looked for once, when it appears.

    Fields and tables are looked for whenever the content is another one. Their parsers give another when the answer
    grew by an eighth, so that this stays linear too; a spotting answer, another with every line, has neither.
    """

    def __init__(self, probabilities: Probabilities) -> None:
        self._probabilities = probabilities
        self._content = self._told = PageContent()
        self._lines: list[tuple[TextLine, int]] = []
        """Each line with its confidence, and where the search for the next one begins."""

    def of(self, content: PageContent, raw: str) -> PageContent:
        """The content so far with what is known of its parts.

        Args:
            raw: the answer so far; each time as before or longer.
        """
        if not len(self._probabilities):
            return content
        if content is not self._content:
            del self._lines[same_lines(self._content.lines, content.lines) :]
            for line in content.lines[len(self._lines) :]:
                self._lines.append(self._look_for(line, raw, self._lines[-1][1] if self._lines else 0))
            told = _with_those_of_parts(content, raw, self._probabilities)
            self._content, self._told = content, replace(told, lines=tuple(line for line, _ in self._lines))
        return self._told

    def _look_for(self, line: TextLine, raw: str, at: int) -> tuple[TextLine, int]:
        near = raw[at : at + AHEAD + 2 * len(line.text) + AROUND]
        span = _find(line.text, near, _blotted(near), 0)
        if span is None:
            return line, at
        return _line(line, (at + span[0], at + span[1]), self._probabilities), at + span[1]


def same_lines(before: tuple[TextLine, ...], now: tuple[TextLine, ...]) -> int:
    """How many lines at the beginning are the same."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((n for n, (old, new) in pairs if old is not new and old != new), min(len(before), len(now)))


def _of(span: Span | None, probabilities: Probabilities) -> Certainty | None:
    return None if span is None else probabilities.between(*span)


# ---- lines


def _line(line: TextLine, span: Span | None, probabilities: Probabilities) -> TextLine:
    found = _of(span, probabilities)
    return line if found is None else replace(line, confidence=found.mean, lowest=found.lowest)


def _lines(lines: tuple[TextLine, ...], raw: str) -> Iterator[tuple[TextLine, Span | None]]:
    """Each line with the place of its text, in order."""
    words = _blotted(raw)
    at = 0
    for line in lines:
        span = _find(line.text, raw, words, at)
        at = span[1] if span else at
        yield line, span


def _blotted(raw: str) -> str:
    """`raw` with its marks and coordinates blotted out."""
    return _MARKUP.sub(lambda found: "\0" * len(found[0]), raw)


def _find(text: str, raw: str, words: str, at: int) -> Span | None:
    """The next place of a text. Where marks stand around it they are looked for too: "5" is in many a coordinate.

    Args:
        words: `raw`, blotted.
    """
    if not text.strip():
        return None
    quoted = json.dumps(text, ensure_ascii=False)
    framed = [(f">{text}<", 1, len(text)), (quoted, 1, len(quoted) - 2), (f"{text}(", 0, len(text))]
    places = [(raw.find(form, at, at + AHEAD + len(form)), skip, length) for form, skip, length in framed]
    found = [(place + skip, place + skip + length) for place, skip, length in places if place >= 0]
    bare = words.find(text, at, at + AHEAD + len(text))
    if bare >= 0 and (not found or bare + len(text) < min(found)[0]) and not _inside_word(text, words, bare):
        found.append((bare, bare + len(text)))
    if not found and len(text) >= SHORTEST_ANYWHERE and (place := raw.find(text, at, at + AHEAD + len(text))) >= 0:
        found.append((place, place + len(text)))  # it looks like a mark itself: (12,34)
    return min(found) if found else None


def _inside_word(text: str, words: str, place: int) -> bool:
    """The text is a part of a longer number or word there."""
    before, after = words[place - 1 : place], words[place + len(text) : place + len(text) + 1]
    return (_joins(before) and _joins(text[:1])) or (_joins(after) and _joins(text[-1:]))


def _joins(character: str) -> bool:
    return character.isascii() and character.isalnum()


# ---- fields


def _field(field: Field, span: Span | None, probabilities: Probabilities) -> Field:
    found = _of(span, probabilities)
    return field if found is None else replace(field, confidence=found.mean, lowest=found.lowest)


def _fields(fields: tuple[Field, ...], raw: str) -> Iterator[tuple[Field, Span | None]]:
    """Each field with the place of its value: behind the last of its names that has it."""
    places = _places_of_names(raw) if fields else {}
    for field in fields:
        last_first = places.get(normal_name(field.name), ())[: -MOST_PLACES - 1 : -1]
        spans = (_value(field.value, raw, start, direct) for start, direct in last_first)
        span = next((span for span in spans if span), None)
        if span is None and len(fields) == 1 and field.value and not places:
            place = raw.find(field.value)
            span = (place, place + len(field.value)) if place >= 0 else None
        yield field, span


def _places_of_names(raw: str) -> dict[str, list[tuple[int, bool]]]:
    """Where the value of each name may begin, and whether it must begin right there."""
    places: dict[str, list[tuple[int, bool]]] = {}
    for found in _STRING.finditer(raw):
        places.setdefault(normal_name(_unescaped(found[1])), []).append((found.end(), found[2] is not None))
    if not places:
        for found in _NAMED.finditer(raw):
            places.setdefault(normal_name(found[1]), []).append((found.end(), True))
    return places


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    try:
        return json.loads(f'"{text}"')
    except ValueError:
        return text


def _value(value: str | None, raw: str, start: int, direct: bool) -> Span | None:
    if value is None:
        return _form("null", raw, start, direct)
    if value[:1] in ("{", "[") and raw[start : start + 1] == value[0]:
        return start, loose_json.read(raw, start).end
    quoted, escaped = json.dumps(value, ensure_ascii=False), json.dumps(value)
    for form in dict.fromkeys((quoted, escaped)):
        if span := _form(form, raw, start, direct):
            return (span[0] + 1, span[1] - 1) if span[1] - span[0] > 2 else span
    return _form(value, raw, start, direct) if value else None


def _form(form: str, raw: str, start: int, direct: bool) -> Span | None:
    place = raw.find(form, start, start + len(form) + (0 if direct else NEAR))
    return None if place < 0 else (place, place + len(form))


# ---- tables


def _tables(tables: tuple[Table, ...], raw: str, probabilities: Probabilities) -> tuple[Table, ...]:
    """The cells of all tables, in order, against those of the answer."""
    if not tables:
        return tables
    spans = _html_cells(raw)
    words = "" if spans else _blotted(raw)
    at = 0
    made = []
    for table in tables:
        confidences: list[tuple[float, float] | None] = []
        for cell in _CLEAN_CELL.finditer(table.html):
            text = _plain(cell[2])
            span, at = _next_cell(text, raw, spans, at) if spans else _next_text(text, raw, words, at)
            found = _of(span, probabilities) if text.strip() else None
            confidences.append(None if found is None else (found.mean, found.lowest))
        known = any(pair is not None for pair in confidences)
        made.append(replace(table, confidences=tuple(confidences)) if known else table)
    return tuple(made)


def _html_cells(raw: str) -> list[Span]:
    """The inside of each cell as the model wrote it, closed or not."""
    starts = [found.end() for found in _CELL.finditer(raw)]
    spans = []
    for start in starts:
        end = _CELL_END.search(raw, start)
        spans.append((start, end.start() if end else len(raw)))
    return spans


def _next_cell(text: str, raw: str, spans: list[Span], at: int) -> tuple[Span | None, int]:
    """The place of a cell and the number of the one after it. A cell that the parser left out is passed over."""
    wanted = _squeezed(text)
    for index in range(at, min(at + MOST_PLACES, len(spans))):
        start, end = spans[index]
        if _squeezed(_plain(raw[start:end])) == wanted:
            return (start, end), index + 1
    return None, at + 1


def _next_text(text: str, raw: str, words: str, at: int) -> tuple[Span | None, int]:
    span = _find(text, raw, words, at)
    return span, span[1] if span else at


def _plain(markup: str) -> str:
    return html.unescape(_TAG.sub("", markup.replace("<br>", "\n")))


def _squeezed(text: str) -> str:
    return "".join(text.split())
