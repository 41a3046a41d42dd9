"""JSON as models write it: fenced, single-quoted, unquoted, cut off, with comments or full-width punctuation.

Strict JSON is read by the standard library, with literals kept as written. For everything else json-repair mends the
structure, but never sees a value: it would turn ``12.50`` into 12.5, ``0012`` into 12, ``$12.50`` into 12.5, ``10:30``
into 10 and ``\\beta`` into a backspace, and let the last of two equal keys win. So strings and literals are taken out
first and stand as numbered placeholders in what is repaired.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import json_repair

from ocr_ui.parsing import escapes

DEEPEST = 64
MOST_ATOMS = 16_000
"""Keys and values of broken JSON in one answer; 32,768 tokens hold about half of that."""
CANDIDATES = 16
FIRST_PIECE = 4096
NEAR_END = 64
"""An error this near to the end of a piece may come from where the piece was cut."""

_QUOTES = {'"': '"', "'": "'", "“": '”"“', "”": '”"“', "‘": "’'‘", "’": "’'‘", "＂": "＂"}
_ENDS = {quote: re.compile(rf"\\.|[{ends}]", re.DOTALL) for quote, ends in _QUOTES.items()}
_Q = "\"'“”‘’＂"
_GAP = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*)+")
_GAP_BEFORE_VALUE = re.compile(r"(?:\s+|//[^\n]*|#\s[^\n]*)+")
"""``#12`` where a value has to come is one."""
_AFTER_KEY = re.compile(r"\s{0,40}[:：=]")
_NEXT_KEY = rf"(?:[{_Q}][^\n]{{0,120}}?[{_Q}]\s{{0,8}}[:：=]|[^\W\d][\w .\-]{{0,60}}[:：=])"
_CUT_KEY = rf"[{_Q}]?[^{_Q}\n:]{{0,120}}[{_Q}]?\s{{0,40}}\Z"
_NEXT_OBJECT = rf"\{{\s{{0,40}}[{_Q}]\w{{1,40}}[{_Q}]\s{{0,8}}[:：]"
_OBJECT_COMMA = re.compile(
    rf"[,，;；、](?:\s{{0,4}}[,，])?\s{{0,200}}(?:[}}\]｝］]|//|/\*|#|\Z|{_NEXT_KEY}|{_CUT_KEY}|{_NEXT_OBJECT})"
)
_AFTER_VALUE = re.compile(
    rf"\s{{0,200}}(?:[}}\]｝］]|//|/\*|#|\Z|{_OBJECT_COMMA.pattern}|{_NEXT_OBJECT}"
    rf"|[{_Q}][^\n]{{0,120}}?[{_Q}]\s{{0,8}}[:：])"
)
_AFTER_ITEM = re.compile(r"\s{0,200}(?:[\]}］｝,，;；、]|//|/\*|#|\Z)|\s{1,40}\"")
_NEW_ENTRY = re.compile(rf"\}}\s{{0,40}},?\s{{0,40}}{_NEXT_OBJECT}")
_ENTRY_START = re.compile(r"\}\s{0,40},?\s{0,40}\{\s{0,40}\Z")
_LINE_END = re.compile(r"[,，\n]\s*\Z")
_BARE_STOP = re.compile(r"[,，;；}\]｝］{\n]|\s//|\s/\*|\s#")
_BARE_KEY = re.compile(rf"[^:：=,，{{}}\[\]\n{_Q}]{{1,120}}")
_NO_BRACKET = rf"[^(){{}}\[\]\n{_Q}]"
_TUPLE = re.compile(rf"\((?:{_NO_BRACKET}|\({_NO_BRACKET}{{0,80}}\)){{1,400}}\)(?=\s{{0,40}}(?:[,，}}\]]|\Z))")
_FIRST_KEY = re.compile(rf"[{{｛]\s{{0,40}}[{_Q}]?(\w{{1,60}})[{_Q}]?\s{{0,8}}[:：]")
_KEY_AND_VALUE = re.compile(rf"(\w{{1,40}})[^\w\s]{{1,3}}\s{{0,8}}[{_Q}]?(\w.*)", re.DOTALL)
"""What a key that lost its second quote makes of key and value."""
_HALF_QUOTED = re.compile(rf"[{_Q}]\s{{0,8}}[:：]")
_VALUE_ENDS = re.compile(r"\s{0,200}(?:[,，}\]]|\Z)")
_NEXT_LINE = re.compile(rf"\s{{0,200}}(?:[}}\]]|\Z|{_NEXT_KEY})")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NUMBERS = re.compile(r"\[\s{0,8}(?:-?\d{1,20}(?:\.\d{1,20})?\s{0,8}(?:,\s{0,8}(?!\])|(?=\])))+\]")
_ONE_NUMBER = re.compile(r"[-\d.]+")
_CONTROL = re.compile(r"\\.")
_CONTROL_CODES = {"b": "0008", "f": "000c", "n": "000a", "r": "000d", "t": "0009"}
_NOTHING = frozenset({"null", "None", "NULL", "Null", "nil", "none"})
_COMMAS, _COLONS = ",，;；、", ":：="
_OPENERS, _CLOSERS = {"{": "}", "[": "]", "｛": "}", "［": "]"}, {"}": "}", "]": "]", "｝": "}", "］": "]"}


class Bare(str):
    """A value without quotes, exactly as written: a number, true, or words."""

    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """An object: its keys and values in order, equal keys kept."""

    def last(self) -> dict[str, Any]:
        """As a dict; of equal keys the last counts."""
        return dict(self)


@dataclass(frozen=True, slots=True)
class Read:
    """What stands at a place of a text.

    Attributes:
        value: str, Bare, None, list or Pairs; true and false are Bare.
        end: index after it.
        complete: its brackets are closed.
        repaired: it was no strict JSON, or a backslash was kept that JSON would have eaten.
        open_list: it ends inside a list.
        limit: nested deeper or longer than what is read; the rest is left out.
        ran_out: more text could change how it is read.
        atoms: keys and values that were taken out one by one; 0 where strict JSON was read.
    """

    value: Any
    end: int
    complete: bool = True
    repaired: bool = False
    open_list: bool = False
    limit: bool = False
    ran_out: bool = False
    atoms: int = 0


def read(text: str, start: int = 0) -> Read:
    """The object or list that begins at `text[start]`. Never raises; what is no JSON at all gives an empty one."""
    strict = _read_strict(text, start)
    if strict is None:
        return _Reader(text, start, broken=True).read()
    value, length = strict
    end = start + length
    if not _is_shallow(value, DEEPEST) or escapes.SUSPECT.search(text, start, end):
        loose = _Reader(text, start, broken=False).read()
        if loose.limit or loose.repaired:
            return loose
    has_words = text.find("true", start, end) >= 0 or text.find("false", start, end) >= 0
    return Read(_plain(value) if has_words else value, end)


def _read_strict(text: str, start: int) -> tuple[Any, int] | None:
    """The value and its length in characters; None for what is no strict JSON.

    Tried on growing pieces: the error of the standard library counts the lines of all that it was given.
    """
    size = FIRST_PIECE
    while True:
        piece = text[start : start + size]
        try:
            return _STRICT.raw_decode(piece)
        except json.JSONDecodeError as error:
            if start + size >= len(text) or (error.pos < size - NEAR_END and not error.msg.startswith("Unterminated")):
                return None
        except (ValueError, RecursionError):
            return None
        size *= 4


def dump(value: Any) -> str:
    """JSON text of a value, literals as they were written."""
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{quote(key)}: {dump(item)}" for key, item in value.last().items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(dump(item) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, Bare) and (_NUMBER.fullmatch(value) or value in ("true", "false")):
        return str(value)
    return quote(str(value))


def quote(text: str) -> str:
    r"""A JSON string that `read` gives back: control characters as ``\u0009``.

    ``\t`` before letters would read as a LaTeX command that lost its backslash.
    """
    return _CONTROL.sub(_as_code, json.dumps(text, ensure_ascii=False))


def _as_code(found: re.Match[str]) -> str:
    code = _CONTROL_CODES.get(found[0][1])
    return f"\\u{code}" if code else found[0]


_STRICT = json.JSONDecoder(parse_float=Bare, parse_int=Bare, parse_constant=Bare, object_pairs_hook=Pairs, strict=False)


def _is_shallow(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [item for outer in level if isinstance(outer, list) for item in _items(outer)]
        if not level:
            return True
    return not any(isinstance(item, list) for item in level)


def _items(value: Any) -> list[Any]:
    return [item for _, item in value] if isinstance(value, Pairs) else value


def _plain(value: Any) -> Any:
    """`true` and `false` as Bare, all else as it is."""
    if isinstance(value, Pairs):
        return Pairs((key, _plain(item)) for key, item in value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bool):
        return Bare("true" if value else "false")
    return value


def _open_value(raw: str) -> str:
    """A value whose closing quote is missing: without the comma after it, or the quote that a backslash hid."""
    raw = raw.rstrip().rstrip(",，").rstrip()
    return raw[:-1] if raw.endswith(('\\"', "\\'")) else raw


class _Reader:
    """Takes values out, mends quotes and brackets, and has json-repair mend the rest."""

    def __init__(self, text: str, start: int, broken: bool) -> None:
        self.text = text
        self.at = start
        self.mended = broken
        self.atoms: list[Any] = []
        self.tokens: list[str] = []
        self.stack: list[str] = []
        self.keys: set[int] = set()
        self.is_key = False
        self.limit = False
        self.cut = False
        self.comment_closes = True
        self.tripled = True
        self.ran_out = False
        self.names: list[set[str]] = []
        """The keys so far of each open object; an empty set for a list."""

    def read(self) -> Read:
        while self._step():
            pass
        complete = not self.stack and not self.cut and bool(self.tokens)
        open_list = bool(self.stack) and self.stack[-1] == "]"
        if not complete:
            self._drop_open_ends()
        value = self._rebuild(self._load())
        if not isinstance(value, list):
            value = Pairs()
        return Read(
            value, self.at, complete and not self.limit, self.mended, open_list, self.limit, self.ran_out, self.count
        )

    @property
    def count(self) -> int:
        return len(self.atoms)

    def _step(self) -> bool:
        """One token; False at the end of the value or of the text."""
        self._skip_gap()
        if self.at >= len(self.text):
            return False
        if len(self.atoms) >= MOST_ATOMS:
            self.limit = True
            return False
        c = self.text[self.at]
        if c == "[" and not self.is_key and (found := _NUMBERS.match(self.text, self.at)) is not None:
            self.at = found.end()
            self._atom([Bare(value) for value in _ONE_NUMBER.findall(found[0])])
            return bool(self.stack)
        if c in _OPENERS:
            return self._open(_OPENERS[c])
        if c in _CLOSERS:
            return self._close(_CLOSERS[c])
        if c in _COMMAS:
            self._push(",")
            self.is_key = self._in_object()
            self.at += 1
        elif c in _COLONS:
            self._push(":")
            self.is_key = False
            self.at += 2 if self.text.startswith("=>", self.at) else 1
        elif c in _QUOTES or (c in "urbURB" and self.text[self.at + 1 : self.at + 2] in ('"', "'")):
            self.at += c not in _QUOTES
            self._string()
        else:
            self._bare()
        return True

    def _skip_gap(self) -> None:
        while True:
            before_value = bool(self.tokens) and self.tokens[-1] == ":"
            gap = (_GAP_BEFORE_VALUE if before_value else _GAP).match(self.text, self.at)
            if gap:
                self.at = gap.end()
            if not (self.comment_closes and self.text.startswith("/*", self.at)):
                return
            end = self.text.find("*/", self.at + 2)
            if end < 0:
                self.comment_closes, self.ran_out = False, True
                return
            self.at = end + 2

    def _in_object(self) -> bool:
        return bool(self.stack) and self.stack[-1] == "}"

    def _push(self, mark: str) -> None:
        """A comma or colon, unless one stands there already."""
        if self.tokens and self.tokens[-1] not in (",", ":", "{", "["):
            self.tokens.append(mark)

    def _open(self, closer: str) -> bool:
        if len(self.stack) >= DEEPEST:
            self.limit = True
            return False
        if closer == "}" and self._is_next_entry():
            self._pop()
            return bool(self.stack)
        self._separate()
        self.tokens.append("{" if closer == "}" else "[")
        self.stack.append(closer)
        self.names.append(set())
        self.is_key = closer == "}"
        self.at += 1
        return True

    def _close(self, closer: str) -> bool:
        """Closes what is open up to the bracket meant; one that nothing opened is left out."""
        self.at += 1
        if closer in self.stack:
            while True:
                if self._pop() == closer:
                    break
        self.is_key = False
        return bool(self.stack)

    def _pop(self) -> str:
        """Closes what was opened last."""
        self.names.pop()
        self._drop_lone_key()
        self.tokens.append(self.stack.pop())
        self.is_key = False
        return self.tokens[-1]

    def _is_next_entry(self) -> bool:
        """An object that begins where a key should, with a key that the open one has: its bracket was lost."""
        if not self._in_object() or self.tokens[-1] in "{:" or self._is_key_token(self.tokens[-1]):
            return False
        first = _FIRST_KEY.match(self.text, self.at)
        return first is not None and first[1] in self.names[-1]

    def _separate(self) -> None:
        """A colon or a comma that was forgotten."""
        if self.tokens and self._is_key_token(self.tokens[-1]):
            self.tokens.append(":")
            self.is_key = False
        elif self.tokens and self.tokens[-1][-1] in '"}]':
            self.tokens.append(",")
            self.is_key = self._in_object()

    def _atom(self, value: Any) -> None:
        self._separate()
        if self.is_key:
            self.keys.add(len(self.atoms))
            self.names[-1].add(str(value))
        self.tokens.append(f'"{len(self.atoms)}"')
        self.atoms.append(value)

    def _expect_key(self) -> None:
        """After a value of an object comes a key, with or without a comma; after a key a value."""
        if self._in_object() and self.tokens[-1][-1] in '"}]':
            self.is_key = not self._is_key_token(self.tokens[-1])

    def _string(self) -> None:
        quote = self.text[self.at]
        self._expect_key()
        raw, self.at, closed = self._to_quote(quote, self.at + 1)
        self.cut = not closed
        value, kept = escapes.decode(raw)
        self.mended = self.mended or kept
        if closed and self.is_key and (both := self._key_and_value(raw)) is not None:
            self._atom(both[1])
            self._push(":")
            self.is_key = False
            self._atom(escapes.decode(both[2].rstrip(_Q))[0])
        elif closed or not self.is_key:
            self._atom(value)

    def _key_and_value(self, raw: str) -> re.Match[str] | None:
        if self.at >= len(self.text) or _AFTER_KEY.match(self.text, self.at) is not None:
            return None
        return _KEY_AND_VALUE.fullmatch(raw)

    def _to_quote(self, quote: str, start: int) -> tuple[str, int, bool]:
        """The raw string from `start`, the index after it, and whether it is closed.

        A quote ends the string only if what follows could follow a string: models leave quotes inside unescaped.
        """
        after = _AFTER_KEY if self.is_key else _AFTER_VALUE if self._in_object() else _AFTER_ITEM
        if not self.is_key and (tripled := self._triple_end(quote, start)):
            return self.text[start + 2 : tripled], tripled + 3, True
        first = previous = None
        for count, found in enumerate(_ENDS[quote].finditer(self.text, start)):
            if found[0][0] == "\\":
                continue
            if after.match(self.text, found.end()):
                return self._ended(start, found)
            if previous is not None and not self.is_key:
                end = self._lost_quote(start, previous, found)
                if end is not None:
                    return _open_value(self.text[start:end]), end, True
            first, previous = first or found, found
            if count >= CANDIDATES:
                break
        else:
            self.ran_out = True
        if first is not None:
            return self.text[start : first.start()], first.end(), True
        return self.text[start:].rstrip(), len(self.text), False

    def _triple_end(self, quote: str, start: int) -> int:
        """Where the text between three quotes ends, 0 where there is none."""
        if not self.tripled or not self.text.startswith(quote * 2, start):
            return 0
        end = self.text.find(quote * 3, start + 2)
        if end < 0:
            self.tripled, self.ran_out = False, True
        return end if end >= 0 and _VALUE_ENDS.match(self.text, end + 3) else 0

    def _ended(self, start: int, found: re.Match[str]) -> tuple[str, int, bool]:
        lost = _NEW_ENTRY.search(self.text, start, found.end() + 8)
        if lost is not None and lost.start() >= found.start():
            lost = None
        if lost is not None:
            return self.text[start : lost.start()], lost.start(), True
        return self.text[start : found.start()], found.end(), True

    def _lost_quote(self, start: int, opening: re.Match[str], closing: re.Match[str]) -> int | None:
        """Where a value ends whose closing quote was forgotten: the quotes found are those of the next key."""
        if not _AFTER_KEY.match(self.text, closing.end()):
            return None
        window = max(start, opening.start() - 200)
        entry = _ENTRY_START.search(self.text, window, opening.start())
        if entry is not None:
            return entry.start()
        line = _LINE_END.search(self.text, window, opening.start()) if self._in_object() else None
        return opening.start() if line else None

    def _bare(self) -> None:
        self._expect_key()
        if self.is_key:
            self._bare_key()
        else:
            self._bare_value()

    def _bare_key(self) -> None:
        found = _BARE_KEY.match(self.text, self.at)
        if found is None:
            self.at += 1
            return
        self.at = found.end()
        half = _HALF_QUOTED.match(self.text, self.at)
        if half is not None:
            self.at += 1
        if half is not None or self.text[self.at : self.at + 1] in (*_COLONS,):
            self._atom(found[0].strip())

    def _bare_value(self) -> None:
        end = self._bare_end()
        raw = self.text[self.at : end].strip()
        self.cut = end >= len(self.text)
        self.at = max(end, self.at + 1)
        raw = raw.rstrip(_Q)
        self._atom(None if raw in _NOTHING else Bare(raw))

    def _bare_end(self) -> int:
        if self.text[self.at] == "(" and (group := _TUPLE.match(self.text, self.at)) is not None:
            return group.end()
        depth = 0
        for found in _BARE_STOP.finditer(self.text, self.at):
            c = found[0]
            if c == "{":
                depth += 1
            elif c == "}" and depth:
                depth -= 1
            elif not depth and self._ends_bare(c, found):
                return found.start()
        return len(self.text)

    def _ends_bare(self, c: str, found: re.Match[str]) -> bool:
        if not self._in_object():
            return True
        if c in _COMMAS:
            return _OBJECT_COMMA.match(self.text, found.start()) is not None
        return c != "\n" or _NEXT_LINE.match(self.text, found.end()) is not None

    def _drop_lone_key(self) -> None:
        """A key that got no value says nothing."""
        while self.tokens and (self.tokens[-1] in ",:" or self._is_key_token(self.tokens[-1])):
            self.tokens.pop()

    def _drop_open_ends(self) -> None:
        """What was opened last and holds nothing, with its key."""
        self._drop_lone_key()
        while self.tokens and self.tokens[-1] in "{[" and self.stack:
            self.tokens.pop()
            self.stack.pop()
            self._drop_lone_key()

    def _is_key_token(self, token: str) -> bool:
        return token[0] == '"' and int(token[1:-1]) in self.keys

    def _load(self) -> Any:
        """The structure, with placeholders for the values."""
        if not self.tokens:
            return None
        skeleton = "".join(self.tokens)
        try:
            return json.loads(skeleton)
        except ValueError:
            return json_repair.loads(skeleton, skip_json_loads=True)

    def _rebuild(self, value: Any) -> Any:
        if isinstance(value, dict):
            return Pairs((self._key(key), self._rebuild(item)) for key, item in value.items())
        if isinstance(value, list):
            return [self._rebuild(item) for item in value]
        return self._value(value)

    def _value(self, placeholder: Any) -> Any:
        known = isinstance(placeholder, str) and placeholder.isdecimal() and int(placeholder) < len(self.atoms)
        return self.atoms[int(placeholder)] if known else None

    def _key(self, placeholder: str) -> str:
        value = self._value(placeholder)
        return "" if value is None else str(value)
