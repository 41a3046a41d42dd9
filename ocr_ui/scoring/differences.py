"""What a person changed in a model's reading, and what kinds of mistakes that says the model made."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from ocr_ui.domain.content import Field, PageContent, Table, TextLine, TextRegion
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.review import ErrorKind
from ocr_ui.scoring.look_alikes import alike
from ocr_ui.scoring.pairing import SAME_PLACE, by_name, pair_lines
from ocr_ui.scoring.text import edit_distance, rate

_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>+\s*|\||`{3,}|\$\$)")
_LONGEST_EXPLAINED = 20_000
_SAME_POINT = 0.01


@dataclass(frozen=True, slots=True)
class LinePair:
    """A line as the model read it and as the person says it is.

    Attributes:
        model, human: None where the other side has no such line.
        distance: edit distance of the two texts in characters, a missing one counting as empty.
        iou: overlap of the two boxes' upright bounds; None where a box is missing.
        kinds: mistakes seen in this line, in the order of ErrorKind.
    """

    model: TextLine | None
    human: TextLine | None
    distance: int
    iou: float | None
    kinds: tuple[ErrorKind, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Attributes:
    changed: the two say something different (confidences, warnings and ids aside).
    edit_distance: in characters, see `compare`.
    cer: that distance divided by the characters of the corrected text; without one 0 or, for any distance, 1.
    kinds: mistakes of the model, in the order of ErrorKind; at least one where `changed`.
    pairs: the lines of both, in the person's order; for pages without lines, those of the text.
    """

    changed: bool
    edit_distance: int
    cer: float
    kinds: tuple[ErrorKind, ...]
    pairs: tuple[LinePair, ...]


def compare(model: PageContent, human: PageContent) -> Difference:
    """Compares a model's reading with a person's.

    The edit distance is that of the lines joined by line feeds. Only where the lines are equal it is that of the text,
    then of the fields' values, then of the tables' cells: the same characters stand in several of them and count once.
    """
    changed = not same(model, human)
    distance, length = _measure(model, human)
    pairs = tuple(_pairs(model.lines, human.lines)) or _text_pairs(model, human)
    kinds = set(_all_kinds(model, human, pairs)) if changed else set()
    if changed and not kinds:
        kinds = {ErrorKind.OTHER}
    return Difference(changed, distance, rate(distance, length), _sorted(kinds), pairs)


def same(one: PageContent, other: PageContent) -> bool:
    """Both say the same: texts, boxes (to 0.01 pixel), fields, tables and regions in the same order."""
    return _comparable(one) == _comparable(other)


def text_kinds(model: str, human: str) -> set[ErrorKind]:
    """Mistakes in one text: none, or some of missing, invented, repeated, look-alike and wrong characters; OTHER where
    only white space differs."""
    if model == human:
        return set()
    if _squeezed(model) == _squeezed(human):
        return {ErrorKind.OTHER}
    if not model.strip():
        return {ErrorKind.MISSING_LINE}
    if not human.strip():
        return {ErrorKind.INVENTED_LINE}
    if _tail_repeated(model, human):
        return {ErrorKind.REPEATED}
    if len(model) + len(human) > _LONGEST_EXPLAINED:
        return {ErrorKind.WRONG_CHARACTER}
    changes = (change for change in _changes(model, human) if "".join(change).strip())
    return {ErrorKind.LOOK_ALIKE if alike(*change) else ErrorKind.WRONG_CHARACTER for change in changes}


def _comparable(content: PageContent) -> tuple[object, ...]:
    return (
        [(line.text, _rounded(line.quad)) for line in content.lines],
        [(region.kind, region.text, _rounded(region.quad)) for region in content.regions],
        [(field.name, field.value, field.kind, _rounded(field.quad)) for field in content.fields],
        [(table.html, table.grid, _rounded(table.quad)) for table in content.tables],
        content.text,
    )


def _rounded(quad: Quad | None) -> list[tuple[int, int]] | None:
    return quad and [(round(x / _SAME_POINT), round(y / _SAME_POINT)) for x, y in quad.points]


def _measure(model: PageContent, human: PageContent) -> tuple[int, int]:
    """Edit distance, and the length of the corrected text that it is divided by."""
    for ours, theirs in zip(_texts(model), _texts(human), strict=True):
        if ours != theirs:
            return edit_distance(ours, theirs), len(theirs)
    return 0, 0


def characters(content: PageContent) -> int:
    """Of a page that says what its label says: what a distance of 0 would be divided by."""
    return len(next(filter(None, _texts(content)), ""))


def _texts(content: PageContent) -> Iterator[str]:
    yield "\n".join(line.text for line in content.lines)
    yield content.text
    yield "\n".join(field.value or "" for field in content.fields)
    yield "\n".join(cell for table in content.tables for row in table.grid for cell in row)


def _pairs(ours: Sequence[TextLine], theirs: Sequence[TextLine]) -> Iterator[LinePair]:
    indices = pair_lines(ours, theirs)
    late = _out_of_order(indices)
    texts = Counter(line.text for line in ours), Counter(line.text for line in theirs)
    for m, h in indices:
        pair = _pair(None if m is None else ours[m], None if h is None else theirs[h], *texts)
        yield replace(pair, kinds=_sorted({*pair.kinds, ErrorKind.WRONG_ORDER})) if m in late else pair


def _text_lines(content: PageContent) -> tuple[TextLine, ...]:
    return tuple(TextLine(text) for text in content.text.split("\n") if text.strip())


def _pair(model: TextLine | None, human: TextLine | None, read: Counter[str], right: Counter[str]) -> LinePair:
    distance = edit_distance(model.text if model else "", human.text if human else "")
    overlap = _overlap(model.quad if model else None, human.quad if human else None)
    return LinePair(model, human, distance, overlap, _sorted(_line_kinds(model, human, read, right)))


def _line_kinds(
    model: TextLine | None, human: TextLine | None, read: Counter[str], right: Counter[str]
) -> set[ErrorKind]:
    if model is None:
        return {ErrorKind.MISSING_LINE}
    if human is None:
        again = model.text.strip() and read[model.text] > right[model.text] > 0
        return {ErrorKind.REPEATED if again else ErrorKind.INVENTED_LINE}
    if human.quad and model.text.strip() and not human.text.strip():
        # The line is there and nobody can read it: what the model made of it is neither right nor invented.
        return {ErrorKind.OTHER} | _box_kinds(model.quad, human.quad)
    return _marked_kinds(model.text, human.text) | _box_kinds(model.quad, human.quad)


def _marked_kinds(model: str, human: str) -> set[ErrorKind]:
    """As `text_kinds`, with Markdown's marks at the start of the line taken as format, not as characters."""
    ours, theirs = _MARKS.match(model), _MARKS.match(human)
    before, after = ours[0].strip() if ours else "", theirs[0].strip() if theirs else ""
    if before == after:
        return text_kinds(model, human)
    if re.sub(r"\d+", "1", before) == re.sub(r"\d+", "1", after):
        return text_kinds(model, human)
    return {ErrorKind.FORMAT_BROKEN} | text_kinds(
        model[ours.end() :] if ours else model, human[theirs.end() :] if theirs else human
    )


def _box_kinds(model: Quad | None, human: Quad | None) -> set[ErrorKind]:
    """BOX_OFF where the model's box overlaps the corrected one by less than SAME_PLACE, or is not there at all."""
    if human is None or model == human:
        return set()
    overlap = _overlap(model, human)
    return {ErrorKind.BOX_OFF} if overlap is None or overlap < SAME_PLACE else set()


def _overlap(one: Quad | None, other: Quad | None) -> float | None:
    return one.bounds.iou(other.bounds) if one and other else None


def _all_kinds(model: PageContent, human: PageContent, pairs: Sequence[LinePair]) -> Iterator[ErrorKind]:
    ours, theirs = [line.text for line in model.lines], [line.text for line in human.lines]
    if not ours and not theirs:
        ours, theirs = ([line.text for line in _text_lines(content)] for content in (model, human))
    elif ours == theirs and model.text != human.text:
        yield from _all_kinds(PageContent(text=model.text), PageContent(text=human.text), _text_pairs(model, human))
    yield from _unless_only_cut(ours, theirs, {kind for pair in pairs for kind in pair.kinds})
    yield from _field_kinds(model.fields, human.fields)
    yield from _table_kinds(model.tables, human.tables)
    yield from _region_kinds(model.regions, human.regions)
    if any(warning.code == "repeated" for warning in model.warnings) and len(theirs) < len(ours):
        yield ErrorKind.REPEATED


def _text_pairs(model: PageContent, human: PageContent) -> tuple[LinePair, ...]:
    return tuple(_pairs(_text_lines(model), _text_lines(human)))


def _unless_only_cut(ours: list[str], theirs: list[str], kinds: set[ErrorKind]) -> set[ErrorKind]:
    """`kinds`, or OTHER for what comes of the same characters in the same order being cut into lines in another way."""
    if ours == theirs or _squeezed("".join(ours)) != _squeezed("".join(theirs)):
        return kinds
    return (kinds & {ErrorKind.WRONG_ORDER, ErrorKind.BOX_OFF, ErrorKind.FORMAT_BROKEN}) | {ErrorKind.OTHER}


def _field_kinds(model: Sequence[Field], human: Sequence[Field]) -> Iterator[ErrorKind]:
    ours, theirs = by_name(model), by_name(human)
    if list(ours) != list(theirs):
        yield ErrorKind.FORMAT_BROKEN
    for key in ours.keys() & theirs.keys():
        yield from text_kinds(ours[key].value or "", theirs[key].value or "")
        if ours[key].value is not None:
            yield from _box_kinds(ours[key].quad, theirs[key].quad)


def _table_kinds(model: Sequence[Table], human: Sequence[Table]) -> Iterator[ErrorKind]:
    if len(model) != len(human):
        yield ErrorKind.FORMAT_BROKEN
        return
    for ours, theirs in zip(model, human, strict=True):
        yield from _box_kinds(ours.quad, theirs.quad)
        if [len(row) for row in ours.grid] != [len(row) for row in theirs.grid]:
            yield ErrorKind.FORMAT_BROKEN
        elif ours.grid != theirs.grid:
            yield from _cell_kinds(ours, theirs)
        elif ours.html != theirs.html:
            yield ErrorKind.FORMAT_BROKEN


def _cell_kinds(model: Table, human: Table) -> Iterator[ErrorKind]:
    for row, right in zip(model.grid, human.grid, strict=True):
        for cell, wanted in zip(row, right, strict=True):
            yield from text_kinds(cell, wanted)


def _region_kinds(model: Sequence[TextRegion], human: Sequence[TextRegion]) -> Iterator[ErrorKind]:
    if [region.kind for region in model] != [region.kind for region in human]:
        yield ErrorKind.FORMAT_BROKEN
        return
    for ours, theirs in zip(model, human, strict=True):
        yield from text_kinds(ours.text, theirs.text)
        yield from _box_kinds(ours.quad, theirs.quad)


def _changes(model: str, human: str) -> Iterator[tuple[str, str]]:
    """The runs in which two texts differ, as (what the model read, what it should be)."""
    start = 0, 0
    for block in Levenshtein.opcodes(model, human):
        if block.tag != "equal":
            continue
        change = model[start[0] : block.src_start], human[start[1] : block.dest_start]
        if any(change):
            yield change
        start = block.src_end, block.dest_end
    change = model[start[0] :], human[start[1] :]
    if any(change):
        yield change


def _tail_repeated(model: str, human: str) -> bool:
    """The model read the right text and then its end again, twice or more."""
    extra = model.removeprefix(human)
    if extra == model or len(extra) < 2:
        return False
    period = _period(extra)
    return len(extra) >= 2 * period and human.endswith(extra[:period].strip())


def _period(text: str) -> int:
    """Length of the shortest unit whose repetition begins with `text` (by the Knuth-Morris-Pratt failure function)."""
    borders = [0] * len(text)
    for i in range(1, len(text)):
        k = borders[i - 1]
        while k and text[i] != text[k]:
            k = borders[k - 1]
        borders[i] = k + (text[i] == text[k])
    return len(text) - borders[-1]


def _out_of_order(indices: Iterable[tuple[int | None, int | None]]) -> set[int]:
    """Lines of the model that must move for the rest to be in order: all but a longest increasing run."""
    order = [m for m, h in indices if m is not None and h is not None]
    if all(a < b for a, b in pairwise(order)):
        return set()
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for m in order:
        place = bisect_left(ends, m)
        before[m] = ends[place - 1] if place else None
        ends[place : place + 1] = [m]
    kept, at = set(), ends[-1] if ends else None
    while at is not None:
        kept.add(at)
        at = before[at]
    return set(order) - kept


def _squeezed(text: str) -> str:
    return _SPACE.sub("", text)


def _sorted(kinds: Iterable[ErrorKind]) -> tuple[ErrorKind, ...]:
    wanted = set(kinds)
    return tuple(kind for kind in ErrorKind if kind in wanted)
