"""Named values: an answer in JSON of any quality, or in lines of ``key: value``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from ocr_ui.domain.content import Field, PageContent
from ocr_ui.parsing import loose_json, tables
from ocr_ui.parsing.answers import inside_string, strip_fence
from ocr_ui.parsing.loose_json import Pairs
from ocr_ui.parsing.notes import Notes
from ocr_ui.parsing.plain import text_lines
from ocr_ui.parsing.repeats import find_repeat

MOST_ROOTS = 1000
_Q = "\"'“”‘’＂"
_ROOT = re.compile(rf"[{{｛]\s{{0,40}}(?:[{_Q}}}｝]|//|/\*|[^\W\d][\w .\-]{{0,60}}[:：=])|\[\s{{0,40}}[{{\[{_Q}]")
_PAIR_START = re.compile(rf"[{_Q}]\w[^{_Q}\n:：]{{0,60}}[{_Q}]\s{{0,8}}[:：]|[{_Q}]\w[{_Q}]\s{{0,8}}[:：]")
_BULLET = re.compile(r"(?:[-*•]\s{1,4}|\d{1,3}[.)]\s{1,4})")
_NAME_KEYS = ("name", "key", "field", "字段", "字段名", "名称", "键")
_VALUE_KEYS = ("value", "text", "content", "值", "内容", "字段值")
_SEPARATOR = re.compile("[:：=\t|]")
_NOT_A_NAME = re.compile(r"[.。!?！？,，;；]|https?$|^\d{1,2}$")


def parse(text: str, field_names: Sequence[str] = (), finished: bool = True) -> PageContent:
    """Fields in the order asked for, then the others as they came.

    Values stay as written (leading zeros, twenty digits, ``12.50``); null is None; an object or a list is its JSON
    text, see `flatten`. Names are matched to `field_names` ignoring case, blanks and width. A name that the answer
    does not have gets no field.
    """
    notes = Notes()
    repeat = find_repeat(text) if finished else None
    if repeat is not None and repeat.exact:
        text = text[: repeat.cut]
        notes.add("repeated")
    source = _whole_object(text)
    if source != text:
        notes.add("repaired")
    pairs = _from_json(source, field_names, notes)
    if pairs is None:
        pairs = _from_lines(text, field_names, notes)
    fields = _fields(pairs, field_names, notes)
    there = bool(text.strip())
    if not fields and "limit" not in notes:
        notes.add("unparsed" if there else "empty", "The answer has no fields." if there else "")
    lines = () if fields else text_lines(text, notes)
    _name_missing(fields, field_names, notes)
    warnings = tuple(w for w in notes.warnings() if finished or w.code != "truncated")
    return PageContent(fields=fields, lines=lines, text=text.strip("\r\n"), warnings=warnings)


def flatten(value: str | None) -> list[tuple[str, str | None]]:
    """Paths and texts of a field's value: ``items[0].p``; one pair with an empty path where it is no JSON text."""
    if value is None or value[:1] not in ("{", "["):
        return [("", value)]
    read = loose_json.read(value)
    if read.repaired or not read.complete or read.end != len(value):
        return [("", value)]
    return list(_paths(read.value, "")) or [("", value)]


def _paths(value: Any, path: str) -> Iterator[tuple[str, str | None]]:
    if isinstance(value, Pairs):
        for key, item in value:
            yield from _paths(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, f"{path}[{index}]")
    else:
        yield path, None if value is None else str(value)


def normal_name(name: str) -> str:
    """A name for comparing: full-width as half-width, without case, blanks and a final colon."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(folded.split()).rstrip(":")


# ---- JSON


def _whole_object(text: str) -> str:
    """The object in an answer that is a JSON text of JSON (``"{\\"a\\": 1}"``), or one without its brackets."""
    bare = strip_fence(text)
    inner = inside_string(bare)
    if inner is not None:
        return inner
    if _PAIR_START.match(bare) is None:
        return text
    return "{" + (bare.removesuffix("}") + "}" if bare.count('"') % 2 == 0 else bare)


def _from_json(text: str, field_names: Sequence[str], notes: Notes) -> list[tuple[str, Any]] | None:
    """The pairs of all objects in the text; None where there is no JSON."""
    pairs: list[tuple[str, Any]] = []
    known: list[Any] = []
    at, atoms, found_any = 0, 0, False
    for _ in range(MOST_ROOTS):
        found = _ROOT.search(text, at)
        if found is None:
            break
        read = loose_json.read(text, found.start())
        at = max(read.end, found.start() + 1)
        found_any = True
        _note(read, notes)
        atoms += read.atoms
        if (read.limit and not read.value) or atoms > loose_json.MOST_ATOMS:
            notes.add("limit")
            break
        if _is_known(read, known):
            notes.add("repeated")
            continue
        known.append(read.value)
        pairs += _pairs_of(read.value, field_names)
    else:
        notes.add("limit")
    return pairs if found_any else None


def _note(read: loose_json.Read, notes: Notes) -> None:
    if read.limit:
        notes.add("limit")
    elif not read.complete:
        notes.add("truncated")
    elif read.repaired:
        notes.add("repaired")


def _is_known(read: loose_json.Read, known: list[Any]) -> bool:
    """The same object again, or the beginning of it."""
    if read.value in known[-8:]:
        return True
    if read.complete or not isinstance(read.value, Pairs):
        return False
    return any(isinstance(old, Pairs) and old[: len(read.value)] == read.value for old in known[-8:])


def _pairs_of(value: Any, field_names: Sequence[str]) -> list[tuple[str, Any]]:
    if isinstance(value, Pairs):
        return _unwrap(value, field_names)
    if not isinstance(value, list) or not value:
        return []
    if all(isinstance(item, Pairs) for item in value):
        named = [_named(item) for item in value]
        if all(named):
            return [pair for pair in named if pair]
        keys = [key for item in value for key, _ in item]
        if len(set(keys)) == len(keys):
            return [pair for item in value for pair in item]
        return [(f"[{index}].{key}", inner) for index, item in enumerate(value) for key, inner in item]
    return [(f"[{index}]", item) for index, item in enumerate(value)]


def _named(item: Pairs) -> tuple[str, Any] | None:
    """The pair of ``{"name": "total", "value": "12.50"}``."""
    inside = item.last()
    names = [key for key in _NAME_KEYS if isinstance(inside.get(key), str)]
    values = [key for key in _VALUE_KEYS if key in inside and key not in names[:1]]
    return (inside[names[0]], inside[values[0]]) if names and values else None


def _unwrap(value: Pairs, field_names: Sequence[str]) -> list[tuple[str, Any]]:
    """The pairs of an object, or of the one object in it that has the names asked for."""
    wanted = {normal_name(name) for name in field_names}
    if not wanted or any(normal_name(key) in wanted for key, _ in value):
        return list(value)
    return _inside(value, wanted, 0) or list(value)


def _inside(value: list[Any], wanted: set[str], depth: int) -> list[tuple[str, Any]] | None:
    """The pairs of the first object below `value` that has one of the names."""
    inner = [item for _, item in value] if isinstance(value, Pairs) else value
    lists = [item for item in inner if isinstance(item, list)]
    for item in lists:
        pairs = _pairs_of(item, ())
        if any(normal_name(key) in wanted for key, _ in pairs):
            return pairs
    deeper = (found for item in lists if depth < 8 and (found := _inside(item, wanted, depth + 1)))
    return next(deeper, None)


# ---- lines


def _from_lines(text: str, field_names: Sequence[str], notes: Notes) -> list[tuple[str, Any]]:
    asked = {normal_name(name): name for name in field_names}
    lines = text.split("\n") if _SEPARATOR.search(text) else ()
    pairs = [pair for line in lines if line.strip() and (pair := _line_pair(line, asked)) is not None]
    pairs = pairs or _from_table(text, asked)
    if pairs:
        notes.add("repaired", "The answer is no JSON; its lines were read as names and values.")
    elif len(field_names) == 1 and _is_value(text):
        notes.add("repaired", "The answer is no JSON; it was taken as the value of the one field asked for.")
        pairs = [(field_names[0], text.strip())]
    return pairs


def _from_table(text: str, asked: dict[str, str]) -> list[tuple[str, Any]]:
    """The rows of a table with two columns; its head, where it has one, names no field that was asked for."""
    if "|" not in text and "<t" not in text.lower():
        return []
    found = tables.parse(text).tables
    rows = [row for table in found for row in table.grid if len(row) == 2]
    known = [row for row in rows if normal_name(row[0]) in asked]
    head = 0 if known or not found or "<th" not in found[0].html else 1
    return list(known or rows[head:])


def _line_pair(line: str, asked: dict[str, str]) -> tuple[str, str] | None:
    """A line split at its first colon, or at the one after a name asked for that has a colon itself."""
    if len(line) > 4000 or not _SEPARATOR.search(line, 0, 200):
        return None
    for place, c in enumerate(line[:200]):
        if asked and c in ":：=\t|" and (name := asked.get(normal_name(line[:place].strip(" \t-*•|_")))) is not None:
            return name, line[place + 1 :].strip().strip("*").strip(" |")
    return None if asked else _first_pair(line.strip())


def _first_pair(line: str) -> tuple[str, str] | None:
    """A line split at its first colon, where what stands before it looks like a name."""
    bullet = _BULLET.match(line)
    line = line[bullet.end() :] if bullet else line
    place = next((place for place, c in enumerate(line[:80]) if c in ":："), -1)
    name = line[: max(place, 0)].strip().strip("*_").strip()
    value = line[place + 1 :].strip().removeprefix("**").removeprefix("__").strip()
    return (name, value) if name and value and not _NOT_A_NAME.search(name) else None


def _is_value(text: str) -> bool:
    """One short line that is no sentence."""
    line = text.strip()
    return bool(line) and "\n" not in line and len(line) <= 80 and line[-1] not in ".。!?！？:：" and "{" not in line


# ---- fields


def _fields(pairs: list[tuple[str, Any]], field_names: Sequence[str], notes: Notes) -> tuple[Field, ...]:
    asked: dict[str, str] = {}
    for name in field_names:
        asked.setdefault(normal_name(name), name)
    values: dict[str, list[str | None]] = {name: [] for name in asked.values()}
    for key, value in pairs:
        text = None if value is None else loose_json.dump(value) if isinstance(value, list) else str(value)
        seen = values.setdefault(asked.get(normal_name(key), key), [])
        if text not in seen:
            seen.append(text)
        if _has_duplicates(value):
            notes.add("duplicate_key")
    fields = tuple(_field(name, seen) for name, seen in values.items() if seen)
    for field in fields:
        if field.alternatives:
            notes.add("duplicate_key", f"{field.name!r} has several values; the last one is shown.", name=field.name)
    return fields


def _field(name: str, seen: list[str | None]) -> Field:
    return Field(name, seen[-1], alternatives=tuple(value for value in seen[:-1] if value is not None))


def _has_duplicates(value: Any) -> bool:
    if isinstance(value, Pairs):
        return len(value.last()) < len(value) or any(_has_duplicates(item) for _, item in value)
    return isinstance(value, list) and any(_has_duplicates(item) for item in value)


def _name_missing(fields: tuple[Field, ...], field_names: Sequence[str], notes: Notes) -> None:
    have = {field.name for field in fields}
    missing = [name for name in dict.fromkeys(field_names) if name not in have]
    if missing and fields:
        notes.add("empty", f"The answer has nothing for: {', '.join(missing)}.", names=", ".join(missing))
