"""Lines of text with boxes: the four shapes in which the model answers, mixed, damaged or cut off.

1. ``<ref>text</ref><quad>(x1,y1),(x2,y2)</quad>``
2. ``<quad><pos_x1><pos_y1><pos_x2><pos_y2></quad><ref>text</ref>``
3. ``text(x1,y1),(x2,y2)`` back to back
4. a JSON array of ``{"box": [x1, y1, x2, y2], "text": "..."}``

The 1.0 names of the tags (``<｜hy_place▁holder▁no▁112｜>``) and those of related models are read as well. What stands
inside a ``<ref>`` or a JSON string is text, whatever it looks like; between them, whatever is no coordinate is text.

One scanner reads finished and running answers. While an answer runs, nothing is settled that more text could change, so
how it was cut into pieces cannot matter; what stands at the open end is read on a copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.parsing import loose_json
from ocr_ui.parsing import spotting_tokens as tokens
from ocr_ui.parsing.answers import strip_fence
from ocr_ui.parsing.coordinates import is_flat, number, numbers, order_points, read_list
from ocr_ui.parsing.plain import rows
from ocr_ui.parsing.repeats import find_repeat
from ocr_ui.parsing.spotting_json import (
    box_of,
    damaged,
    entries_of,
    is_entry,
    json_box,
    other_json,
    other_text,
    text_of,
    texts_in,
)
from ocr_ui.parsing.spotting_lines import Box, Lines

LOOK = 1280
"""More than the longest token, and than what broken JSON is judged by."""
EAGER = 4096
"""While an open line is longer than this, a running answer is looked at only when it grew by an eighth."""

SEPARATORS = " \t\r\n,，;；、|-•*"
"""What alone between tags is no text."""


class Scanner:
    """Reads an answer as it grows. `text` is what is not settled yet."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.text = ""
        self.at = 0
        self.scan = 0
        self.gap = ""
        self.ref: tuple[str, bool] | None = None
        self.stray: list[str] = []
        self.quad: Box | None = None
        self.quad_first: dict[str, bool] = {}
        self.shapes: dict[str, None] = {}
        self.brackets = 0
        self.final = False
        self.peek = False
        self.last_close = -1
        self.atoms = 0

    def fork(self) -> Scanner:
        """A copy to look ahead with; its lines start where these end."""
        other = Scanner(self.lines.fork())
        other.text, other.at, other.scan, other.gap, other.ref = self.text, self.at, self.scan, self.gap, self.ref
        other.stray, other.quad, other.brackets = self.stray.copy(), self.quad, self.brackets
        other.atoms = self.atoms
        other.quad_first, other.shapes, other.last_close = self.quad_first.copy(), self.shapes.copy(), self.last_close
        return other

    def feed(self, delta: str) -> None:
        self.text = self.text[self.at :] + delta
        self.scan -= self.at
        self.last_close -= self.at
        self.at = 0

    def run(self, final: bool, peek: bool = False) -> None:
        """Settles all that can be settled. `peek`: no more text is there yet, but what is open stays open."""
        self.final, self.peek = final, peek
        while found := self._next():
            if not self._step(found):
                return

    def _next(self) -> re.Match[str] | None:
        """The next token; None where there is none yet. No token holds another, so the first one found is the first."""
        if self.atoms > loose_json.MOST_ATOMS:
            return None
        self.scan = max(self.scan, self.at)
        found = tokens.TOKEN.search(self.text, self.scan)
        if self.final:
            return found
        if found is None:
            self.scan = max(self.scan, len(self.text) - LOOK)
        elif self._may_grow(found):
            self.scan = found.start()
            return None
        return found

    def _may_grow(self, found: re.Match[str]) -> bool:
        """More points or positions could follow."""
        if found.lastgroup == "points":
            return tokens.MORE_POINTS.match(self.text, found.end()) is not None
        return found.lastgroup == "positions" and self._tag_may_come(found.end())

    def _tag_may_come(self, position: int) -> bool:
        """The text ends here, or in the middle of a tag."""
        return not self.final and tokens.MORE_TAG.match(self.text, position) is not None

    def _step(self, found: re.Match[str]) -> bool:
        """Takes one token with what belongs to it; False where more text is needed first."""
        kind = found.lastgroup if found.lastgroup in ("points", "positions", "special", "entry") else "tag"
        if kind == "special":
            self.gap += self.text[self.at : found.start()]
            self.at = found.end()
            return True
        if kind == "entry":
            return self._entry(found)
        if kind == "points":
            return self._points(found)
        if kind == "positions":
            return self._open_quad(found, found.start())
        name = tokens.tag_name(found)
        if name == "ref":
            return self._open_ref(found)
        if name == "/ref":
            return self._lone_close(found)
        if name == "quad":
            return self._open_quad(found, found.end())
        self.gap += self.text[self.at : found.start()]
        self.at = found.end()
        return True

    # ---- text between tokens

    def _take_gap(self, end: int) -> str:
        if end == self.at and not self.gap:
            return ""
        gap, self.gap = self.gap + self.text[self.at : end], ""
        self.at = end
        if "json" in self.shapes:
            self.brackets += gap.count("[") - gap.count("]")
            gap = tokens.JSON_LEFT.sub("", gap)
        return strip_fence(gap).strip("\ufeff")

    def _settle_gap(self, end: int) -> None:
        """Text outside tags: goes with the box before it, waits for one after it, or is a stray line."""
        text = self._take_gap(end)
        if not text or (self.shapes and not text.strip(SEPARATORS)):
            return
        if self.quad is not None:
            self._bind(text)
        elif self.ref is None:
            self.ref = (text, False)
        else:
            self.stray.append(text)

    def _bind(self, text: str, *codes: str) -> None:
        box, self.quad = self.quad, None
        self._emit(text, box, *codes)

    def _emit(self, text: str, box: Box | None, *codes: str) -> None:
        self.lines.add(text, box, *(("empty",) if not text.strip() and box is not None else ()), *codes)
        for line in self.stray:
            self.lines.add(line, None, "unparsed")
        self.stray.clear()

    def _flush(self) -> None:
        """What waits for its other half gets none."""
        if self.quad is not None:
            self._bind("")
        if self.ref is not None:
            (text, tagged), self.ref = self.ref, None
            self._emit(text, None, "bad_box" if tagged else "unparsed")

    # ---- bare coordinates

    def _points(self, found: re.Match[str]) -> bool:
        text = self._take_gap(found.start())
        self.at = found.end()
        box = _bare_box(found[0])
        if not text and self._tagged_ref():
            self._emit_ref(box)
            return True
        self._flush()
        self.shapes["bare"] = None
        self._emit(text, box)
        return True

    def _emit_ref(self, box: Box, *codes: str) -> None:
        text, self.ref = self.ref[0] if self.ref else "", None
        self._emit(text, box, *codes)

    # ---- tags

    def _open_ref(self, found: re.Match[str]) -> bool:
        close = self._find_close(found.end())
        inner = tokens.WHOLE_QUAD.search(self.text, found.end(), close.start() if close else len(self.text))
        if close is None and (not self.final or (self.peek and inner is None)):
            return False
        if close is not None and inner is not None and self._tag_may_come(close.end()):
            return False
        self._settle_gap(found.start())
        if inner is not None and self._lost_close(inner, close):
            self._new_ref(self.text[found.end() : inner.start()], "repaired")
            self.at = inner.start()
        elif close is not None and inner is not None and self._box_inside(inner, close):
            self._new_ref(self.text[found.end() : inner.start()], "repaired")
            self.at = inner.start()
            self._take_box(*self._read_quad(tokens.after_open(self.text, inner.start()))[:2])
            self.at = close.end()
        elif close is not None:
            self._new_ref(self.text[found.end() : close.start()])
            self.at = close.end()
        else:
            self._cut_ref(found.end())
        return True

    def _find_close(self, start: int) -> re.Match[str] | None:
        """The next ``</ref>``, looked for once: without any, every open tag would search the rest again."""
        found = tokens.CLOSE_REF.search(self.text, max(start, self.last_close))
        self.last_close = found.start() if found else max(self.last_close, len(self.text) - 64)
        return found

    def _is_settled(self, read: loose_json.Read) -> bool:
        """Strict JSON is settled when it is closed; what was repaired is judged by what follows."""
        if not read.complete or read.ran_out:
            return False
        return not read.repaired or read.end + LOOK <= len(self.text)

    def _lost_close(self, inner: re.Match[str], close: re.Match[str] | None) -> bool:
        """A whole box inside a ref, and the next ref opens before this one closes: ``</ref>`` was lost."""
        return close is None or tokens.OPEN_REF.search(self.text, inner.end(), close.start()) is not None

    def _box_inside(self, inner: re.Match[str], close: re.Match[str]) -> bool:
        """The box stands inside the ref as its last part, and none follows."""
        if self.text[inner.end() : close.start()].strip():
            return False
        return tokens.OPEN_QUAD.match(self.text, close.end()) is None

    def _new_ref(self, text: str, *codes: str) -> None:
        if not self.shapes:
            self.shapes["tags"] = None
        text = text.strip("\r\n")
        if self.quad is not None:
            self._bind(text, *codes)
            return
        self._flush()
        self.ref = (text, True)
        for code in codes:
            self.lines.notes.add(code)

    def _cut_ref(self, start: int) -> None:
        """The answer ends inside a ref."""
        text = tokens.CUT_TAG.sub("", self.text[start:]) if tokens.cut_tag(self.text[start:]) else self.text[start:]
        self.at = len(self.text)
        if not self.shapes:
            self.shapes["tags"] = None
        if self.quad is None:
            self._flush()
        self._bind(text.strip("\r\n"), "truncated")

    def _lone_close(self, found: re.Match[str]) -> bool:
        text = self._take_gap(found.start())
        self.at = found.end()
        if text:
            self._new_ref(text, "repaired")
        return True

    def _open_quad(self, found: re.Match[str], start: int) -> bool:
        """A box that opens at `found` and whose coordinates begin at `start`."""
        if not self.final and not self._quad_is_whole(start):
            return False
        if self.text.startswith("<", start) and tokens.OPEN_QUAD.match(self.text, start) is not None:
            self.gap += self.text[self.at : found.start()]
            self.at = start
            return True
        box, kind, end = self._read_quad(start)
        if box.cut and self.peek:
            return False
        self._settle_gap(found.start())
        self.at = end
        self._take_box(box, kind)
        return True

    def _read_quad(self, start: int) -> tuple[Box, str, int]:
        """Coordinates from `start` to where the quad ends, closed or not."""
        if (exact := tokens.POINT_RUN.match(self.text, start)) is not None:
            if (close := tokens.CLOSE_QUAD.match(self.text, exact.end())) is not None:
                return Box(numbers(exact[0])), "points", close.end()
            if len(numbers(exact[0])) in (4, 8) and not self._goes_on(exact.end()):
                code = "truncated" if self._ends_in_tag(exact.end()) else "repaired"
                return Box(numbers(exact[0]), (code,)), "points", exact.end()
        if (run := tokens.POSITION_RUN.match(self.text, start)) is not None:
            return self._read_positions(run)
        return self._read_loose(start)

    def _quad_is_whole(self, start: int) -> bool:
        """What ends the quad has come: its closing tag, or text that cannot belong to it."""
        run = tokens.POSITION_RUN.match(self.text, start)
        end = run.end() if run else tokens.run_end(self.text, start)
        if self._tag_may_come(end):
            return False
        rest = tokens.NO_TAG.match(self.text, end)
        return rest is None or (rest.end() < len(self.text) and not self._tag_may_come(rest.end()))

    def _goes_on(self, position: int) -> bool:
        """Numbers or brackets follow, up to the end of the quad: what was read is not all of it."""
        end = tokens.run_end(self.text, position)
        return end > position and tokens.CLOSE_QUAD.match(self.text, end) is not None

    def _read_positions(self, run: re.Match[str]) -> tuple[Box, str, int]:
        values = [number(value) for value in tokens.POSITION.findall(run[0])]
        close = tokens.CLOSE_QUAD.match(self.text, run.end())
        end = close.end() if close else run.end()
        cut = close is None and len(values) not in (4, 8) and self._ends_in_tag(end)
        return Box(values, cut=cut), "positions", end

    def _read_loose(self, start: int) -> tuple[Box, str, int]:
        """Coordinates in another form, or none that can be read."""
        end = tokens.run_end(self.text, start)
        close = tokens.CLOSE_QUAD.match(self.text, end)
        if close is not None:
            return Box(read_list(self.text[start:end].strip())), "points", close.end()
        if self._ends_in_tag(end):
            return Box(None, cut=True), "points", len(self.text)
        rest = tokens.NO_TAG.match(self.text, end)
        close = tokens.CLOSE_QUAD.match(self.text, rest.end()) if rest else None
        return Box(None), "points", close.end() if close else end

    def _ends_in_tag(self, position: int) -> bool:
        """Nothing is left, or only the beginning of a tag."""
        if tokens.BLANK_END.match(self.text, position) is not None:
            return True
        return tokens.MORE_TAG.match(self.text, position) is not None and tokens.cut_tag(self.text) is not None

    def _take_box(self, box: Box, kind: str) -> None:
        """Which text a box belongs to: the shape says whether it stands before or after it."""
        self.shapes["positions" if kind == "positions" else "tags"] = None
        first = self.quad_first.setdefault(kind, self.ref is None if kind == "points" else not self._tagged_ref())
        if not first and self.ref is not None:
            self._emit_ref(box, *(("truncated",) if box.cut else ()))
            return
        self._flush()
        if first:
            self.quad = box
        else:
            self._emit("", box)

    def _tagged_ref(self) -> bool:
        return self.ref is not None and self.ref[1]

    # ---- JSON

    def _entry(self, found: re.Match[str]) -> bool:
        read = loose_json.read(self.text, found.start())
        if (self.peek and not read.complete) or (not self.final and not self._is_settled(read)):
            return False
        self._take_gap_before_json(found.start())
        self._flush()
        self.atoms += loose_json.MOST_ATOMS + 1 if read.limit else read.atoms
        self.shapes["json"] = None
        self.at = max(read.end, found.start() + 1)
        entries = self._take_entries(read)
        if read.repaired or not read.complete:
            self._keep_texts(self.text[found.start() : self.at], entries)
        if not read.complete:
            self.lines.notes.add("truncated")
        elif read.repaired and entries:
            self.lines.notes.add("repaired", line=self.lines.count - 1 if self.lines.count else None)
        return True

    def _take_entries(self, read: loose_json.Read) -> list[dict[str, Any]]:
        entries = list(entries_of(read.value))
        before = self.lines.count
        for index, entry in enumerate(entries):
            self._take_entry(entry, read, index == len(entries) - 1)
        if len(entries) > 1 and is_entry(read.value):
            line = before if self.lines.count > before else None  # an entry without a text gives no line
            self.lines.notes.add("duplicate_key", "An entry has the same name more than once.", line)
        return entries

    def _keep_texts(self, source: str, entries: list[dict[str, Any]]) -> None:
        """Texts of broken JSON that its entries do not have."""
        known = {text for entry in entries for text in entry.values() if isinstance(text, str)}
        for text in texts_in(source):
            if text not in known and not any(text in other for other in known):
                self._emit(text, None, "unparsed")

    def _take_damaged(self, source: str) -> None:
        """An entry whose beginning is lost, so that it was taken for what stands between entries."""
        read = damaged(source)
        if read is None:
            return
        self.atoms += read.atoms
        before = self.lines.count
        self._keep_texts(source, self._take_entries(read))
        if self.lines.count > before:
            self.lines.notes.add("repaired", line=before)

    def _take_gap_before_json(self, end: int) -> None:
        """Brackets and prose around an array say nothing; text between other shapes and an array is a line."""
        before, self.gap, self.at = self.gap + self.text[self.at : end], "", end
        self.brackets += before.count("[") - before.count("]")
        if not self.shapes or "json" in self.shapes:
            self._take_damaged(before)
        if self.shapes and "json" not in self.shapes:
            self._settle_text(strip_fence(before).strip("[").strip())

    def _settle_text(self, text: str) -> None:
        self._flush()
        if text:
            self._emit(text, None, "unparsed")

    def _take_entry(self, entry: dict[str, Any], read: loose_json.Read, last: bool) -> None:
        text, raw = text_of(entry), box_of(entry)
        codes: tuple[str, ...] = ()
        if text is None and raw is not None and (text := other_text(entry)) is not None:
            codes = ("repaired",)
        cut = last and not read.complete
        if cut and text is None:
            return
        if cut and read.open_list:
            raw = None
        plain = "" if text is None else text if isinstance(text, str) else loose_json.dump(text)
        box = Box(json_box(raw), codes)
        if cut and box.values is None:
            self._emit(plain, None, "truncated")
        else:
            self._emit(plain, box)

    # ---- the end

    def finish(self) -> None:
        """Settles the rest: nothing more will come."""
        self.run(final=True)
        rest = self.gap + self.text[self.at :]
        if self.atoms > loose_json.MOST_ATOMS:
            self._settle_text(rest)
            self.lines.notes.add("limit")
            rest = ""
        if "json" in self.shapes:
            self.brackets += rest.count("[") - rest.count("]")
        if "json" in self.shapes and len(self.shapes) == 1:
            self._take_damaged(rest)
            if self.brackets > 0:
                self.lines.notes.add("truncated")
            rest = ""
        cut = tokens.cut_tag(rest)
        if cut is None and ("bare" in self.shapes or not self.shapes):
            cut = tokens.cut_pair(rest, bool(self.shapes))
        if cut:
            rest = rest[: cut.start()]
        self.gap, self.text, self.at = rest, "", 0
        self._finish_text(self._take_gap(0), bool(cut))
        if len(self.shapes) > 1:
            self.lines.notes.add("mixed_format")

    def _finish_text(self, text: str, cut: bool) -> None:
        if not self.shapes:
            self._plain(text, cut)
            return
        if "bare" not in self.shapes and not text.strip(SEPARATORS):
            text = ""
        if self.quad is not None and not text and self.lines.count:
            self.quad = None
            self.lines.notes.add("truncated")
        elif self.quad is not None:
            self._bind(text, *(("truncated",) if cut else ()))
            text = ""
        if self.ref is not None:
            (waiting, tagged), self.ref = self.ref, None
            self._emit(waiting, None, "truncated" if cut or (tagged and not text) else "unparsed")
        if text:
            open_end = cut or "bare" in self.shapes
            self._emit(text, None, "truncated" if open_end else "unparsed")
        elif cut:
            self.lines.notes.add("truncated")

    def _plain(self, text: str, cut: bool) -> None:
        """No coordinates in any of the shapes: other forms, else lines of text, none of it lost."""
        found = list(other_json(text)) or list(_fours(text))
        if found:
            for line, values in found:
                self._emit(line, Box(values))
            self.lines.notes.add("repaired", "The boxes came in another form than was asked for.")
            return
        for line in rows(text, self.lines.notes):
            if line.strip():
                self.lines.add(line.strip("\r"), None)
        self.lines.notes.add("unparsed", "The answer has no coordinates that can be read; its text is kept.")
        if cut:
            self.lines.notes.add("truncated")


@lru_cache(maxsize=256)
def _bare_box(chain: str) -> Box:
    """Two points are a box, four a quad; four that enclose nothing are a box and something else."""
    values = numbers(chain)
    if len(values) == 8:
        points = list(zip(values[::2], values[1::2], strict=True))
        if is_flat(order_points(points)):
            return Box(values[:4], ("bad_box",))
    return Box(values if len(values) in (4, 8) else None)


def _fours(text: str) -> Iterator[tuple[str, list[float]]]:
    """Lines of ``text(x1,y1,x2,y2)`` or ``text [x1, y1, x2, y2]``; only where nothing follows the last of them."""
    found = list(tokens.FOUR.finditer(text))
    if not found or found[-1].end() != len(text.rstrip()):
        return
    at = 0
    for match in found:
        yield text[at : match.start()].strip().rstrip(":：").rstrip(), numbers(match[0])
        at = match.end()


# ---- whole and running answers


def parse(text: str, size: tuple[int, int], finished: bool = True) -> PageContent:
    """Lines of a whole answer. `size`: width and height of the stored picture in pixels."""
    repeat = find_repeat(text) if finished else None
    if repeat is not None and repeat.exact:
        text = text[: repeat.cut]
    scanner = Scanner(Lines(size))
    scanner.feed(text)
    return _content(scanner, finished, repeat is not None and repeat.exact)


def _content(scanner: Scanner, finished: bool, repeated: bool) -> PageContent:
    scanner.finish()
    lines, notes = scanner.lines.lines, scanner.lines.notes
    if repeated:
        notes.add("repeated", line=len(lines) - 1 if lines else None)
    if not lines:
        notes.add("empty")
    warnings = tuple(w for w in notes.warnings() if finished or w.code != "truncated")
    return PageContent(tuple(lines), text="\n".join(line.text for line in lines), warnings=warnings)


class Incremental:
    """A running answer. `feed` gives the lines so far, `finish` the same as `parse` of the whole."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._scanner = Scanner(Lines(size))
        self._parts: list[str] = []
        self._settled: tuple[TextLine, ...] = ()
        self._settled_text = ""
        self._state: tuple[int, tuple[TextLine, ...]] = (0, ())
        self._shown = PageContent()
        self._waiting: list[str] = []
        self._waiting_length = 0
        self._open_length = 0

    def feed(self, delta: str) -> PageContent:
        self._parts.append(delta)
        self._waiting.append(delta)
        self._waiting_length += len(delta)
        if tokens.ENDS_TOKEN.search(delta) is None:
            return self._shown
        if self._open_length > EAGER and self._waiting_length * 8 < self._open_length:
            return self._shown
        self._take_waiting()
        self._scanner.run(final=False)
        self._open_length = len(self._scanner.text) - self._scanner.at
        return self._show()

    def _take_waiting(self) -> None:
        self._scanner.feed("".join(self._waiting))
        self._waiting.clear()
        self._waiting_length = 0

    def _show(self) -> PageContent:
        lines, notes = self._scanner.lines.lines, self._scanner.lines.notes
        ahead = self._scanner.fork()
        ahead.run(final=True, peek=True)
        if len(self._settled) != len(lines):
            self._settled = tuple(lines)
            self._settled_text = "\n".join(line.text for line in lines)
        if self._state != (state := (len(lines), tuple(ahead.lines.lines))):
            self._state = state
            shown = self._settled + state[1]
            text = "\n".join([*([self._settled_text] if lines else []), *(line.text for line in state[1])])
            warnings = tuple(w for w in (*notes.warnings(), *ahead.lines.notes.warnings()) if w.code != "truncated")
            self._shown = PageContent(shown, text=text, warnings=warnings)
        return self._shown

    def finish(self) -> PageContent:
        text = "".join(self._parts)
        repeat = find_repeat(text)
        if repeat is not None and repeat.exact:
            return parse(text, self._size)
        self._take_waiting()
        return _content(self._scanner, True, False)
