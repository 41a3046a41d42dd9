"""Fields found in lines of text by rules: the value beside or below its printed label.

For each asked name:
1. Labels: all known labels are looked for in all lines, longest first, so that "Subtotal" is not taken for "Total".
   Case, blanks, width, accents and punctuation do not matter, and a slip of the recogniser in a long label neither.
2. Values: what follows the label in its line; the nearest line to the right in its row; the nearest line below it.
   A value that looks like the field's kind is wanted; an amount, a date or a number is never anything else.
3. Several labels: the better kind of label and the nearer value win; of totals the lowest on the page.
4. Without a label: by the field's pattern (an IBAN, a VAT number), by the first date or time on the page, by the most
   frequent currency, by the largest text of the page's top (the seller's name, a contract's title).
What is not found is absent: `value` None.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from rapidfuzz import fuzz, process

from ocr_ui.domain.content import Field, TextLine
from ocr_ui.domain.geometry import BoundingBox, Point, Quad
from ocr_ui.parsing.field_specs import (
    FieldSet,
    FieldSpec,
    document_titles,
    load_field_sets,
    load_field_specs,
    spec_for,
    squeeze,
    squeezed,
)
from ocr_ui.parsing.value_kinds import CURRENCY, DATE, RATE, TIME, fold, value_span

__all__ = ["FieldSet", "find_fields", "load_field_sets", "part_of"]

FUZZY_LENGTH = 6
FUZZY_LENGTH_WIDE = 4
FUZZY_RATIO = 85
QUALIFIERS = 2
NEAR_BELOW = 2.5
"""A value below its label begins within this many label heights."""
_SEPARATORS = " \t\u3000:：.。-–—=·…_|/*（(【[<《)）】]>》;；,，"
_DECORATION = " \t\u3000*=~#_-–—·|<>"
_KINDS = {"amount": "amount", "date": "date", "number": "number"}


@dataclass(frozen=True, slots=True)
class Label:
    """A printed label: characters start..end of a line, and how it was matched (1 exact, less for slips)."""

    line: int
    start: int
    end: int
    squeezed: str
    quality: float


@dataclass(frozen=True, slots=True)
class Found:
    """A value with where it stands: characters start..end of a line, and whole lines that go on with it.

    Smaller ranks are better.
    """

    line: int
    start: int
    end: int
    rank: tuple[float, ...] = ()
    more: tuple[int, ...] = ()


class Sheet:
    """The lines of a page with their boxes, neighbours and labels."""

    def __init__(self, lines: Sequence[TextLine], asked: Sequence[FieldSpec]) -> None:
        self.lines = [line for line in lines if line.text.strip()]
        self.boxes = [line.quad.bounds if line.quad else None for line in self.lines]
        self.slope = _slope(self.lines)
        known = {squeeze(label) for spec in (*load_field_specs().values(), *asked) for label in spec.labels} - {""}
        ordered = sorted(known, key=lambda label: (-len(label), label))
        self.labels = [_labels_in(number, line.text, ordered) for number, line in enumerate(self.lines)]

    def right_of(self, number: int) -> list[int]:
        """Lines in the same row to the right, nearest first."""
        box = self.boxes[number]
        if box is None:
            return []
        hits = []
        for other, place in enumerate(self.boxes):
            if (
                place is None
                or other == number
                or place.center[0] <= box.center[0]
                or place.left < box.right - box.height
            ):
                continue
            drift = self.slope * (place.center[0] - box.center[0])
            if abs(place.center[1] - box.center[1] - drift) < 0.6 * max(
                min(box.height, place.height), 0.4 * box.height
            ):
                hits.append((place.left, other))
        return [other for _, other in sorted(hits)]

    def below(self, number: int, part: BoundingBox | None = None) -> list[int]:
        """Lines under this one, or under a part of it, nearest first."""
        box = part or self.boxes[number]
        if box is None:
            return [number + 1] if number + 1 < len(self.lines) else []
        hits = []
        for other, place in enumerate(self.boxes):
            if place is None or other == number:
                continue
            gap = place.top - box.bottom
            if -0.4 * box.height < gap < NEAR_BELOW * box.height and place.center[1] > box.bottom and _over(box, place):
                hits.append((round(gap / box.height), abs(place.left - box.left), other))
        return [other for *_, other in sorted(hits)]

    def is_label(self, number: int) -> bool:
        """Whether the line holds nothing but labels."""
        text = self.lines[number].text
        covered = sum(label.end - label.start for label in self.labels[number])
        rest = _without(text, self.labels[number]).strip(_SEPARATORS)
        return covered > 0 and not any(char.isalnum() for char in rest)


def find_fields(lines: Sequence[TextLine], names: Sequence[str]) -> tuple[Field, ...]:
    """A field for each asked name, in that order; `value` is None for what is not there.

    Args:
        lines: in reading order, quads in pixels of the stored picture (lines without a quad work less well).
        names: as asked for, in any known language; an unknown name is looked for as a label.

    Returns:
        Fields whose quad covers the value's part of its line (by its share of the characters) and whose confidence
        is the line's. `kind` is amount, date, number or text.
    """
    specs = [spec_for(name) for name in names]
    sheet = Sheet(lines, specs)
    return tuple(_field(sheet, name, spec) for name, spec in zip(names, specs, strict=True))


def _field(sheet: Sheet, name: str, spec: FieldSpec) -> Field:
    found = _by_label(sheet, spec) or _by_pattern(sheet, spec) or _unlabelled(sheet, spec)
    if found is None and spec.instead:
        return replace(_field(sheet, name, load_field_specs()[spec.instead]), name=name)
    kind = _KINDS.get(spec.kind, "text")
    if found is None:
        return Field(name, None, kind=kind)
    line = sheet.lines[found.line]
    value, quad = line.text[found.start : found.end], part_of(line, found.start, found.end)
    for more in (*found.more, *_continued(sheet, found, spec.lines)):
        value += ("" if _ends_wide(value) else " ") + sheet.lines[more].text.strip(_DECORATION)
        quad = _around(quad, sheet.lines[more].quad)
    return Field(name, value, quad, line.confidence, kind)


def part_of(line: TextLine, start: int, end: int) -> Quad | None:
    """The quad of the characters start..end of a line: their share of its length, a wide character counting twice."""
    if line.quad is None:
        return None
    widths = [2.0 if ord(char) > 0x2E7F else 1.0 for char in line.text]
    total = sum(widths) or 1.0
    return _slice(line.quad, sum(widths[:start]) / total, sum(widths[:end]) / total)


def _slice(quad: Quad, start: float, end: float) -> Quad:
    """The part of a quad between two shares of its reading direction."""
    a, b, c, d = quad.points

    def between(first: Point, last: Point, share: float) -> Point:
        return first[0] + (last[0] - first[0]) * share, first[1] + (last[1] - first[1]) * share

    return Quad((between(a, b, start), between(a, b, end), between(d, c, end), between(d, c, start)))


def _around(first: Quad | None, second: Quad | None) -> Quad | None:
    points = [point for quad in (first, second) if quad for point in quad.points]
    return Quad.from_box(BoundingBox.around(points)) if points else None


def _by_label(sheet: Sheet, spec: FieldSpec) -> Found | None:
    wanted = {squeeze(label): place for place, label in reversed(list(enumerate(spec.labels)))}
    found = [
        value
        for labels in sheet.labels
        for label in labels
        if label.squeezed in wanted
        for value in _values(sheet, spec, label, asked=wanted[label.squeezed] == 0 and spec.key != "total")
    ]
    return min(found, key=lambda value: value.rank, default=None)


def _values(sheet: Sheet, spec: FieldSpec, label: Label, asked: bool) -> Iterator[Found]:
    """The value of one printed label: in its line, else to its right, else below."""
    start, end = _rest_of_line(sheet, label)
    text = sheet.lines[label.line].text
    rank = (1 - label.quality, 0 if asked else 1, -len(label.squeezed), _order(sheet, spec, label.line))
    if spec.kind == "rate" or not _only_qualifies(text[label.end : end]):
        if span := _inline(text, start, end, spec, label):
            yield Found(label.line, *span, (0, *rank))
            return
        if spec.kind == "text" or not _ends_line(sheet, label, spec):
            return
    elif not (sheet.is_label(label.line) or _ends_line(sheet, label, spec)):
        return  # a later label of the line has the value that stands there or to the right
    row = [] if _qualifies(sheet, label, spec) else _until_label(sheet, sheet.right_of(label.line))
    spans = [(other, span) for other in row if (span := _span_of_line(sheet, other, spec))]
    if spans:
        other, span = spans[-1] if spec.kind == "amount" else spans[0]
        yield Found(other, *span, (0, *rank))
        return
    part = part_of(sheet.lines[label.line], label.start, label.end)
    for other in sheet.below(label.line, part and part.bounds)[:1]:
        if not sheet.labels[other] and (span := _span_of_line(sheet, other, spec)):
            yield Found(other, *span, (1, *rank))


def _qualifies(sheet: Sheet, label: Label, spec: FieldSpec) -> bool:
    """Whether a label only qualifies another one right before it, as BAR does in "Rückgeld BAR"."""
    before = [other for other in sheet.labels[label.line] if other.start < label.start]
    if not before or before[-1].squeezed in {squeeze(name) for name in spec.labels}:
        return False
    return not any(char.isalnum() for char in sheet.lines[label.line].text[before[-1].end : label.start])


def _only_qualifies(rest: str) -> bool:
    """Whether what follows a label is no value: nothing, a rate, a remark in brackets, the label translated."""
    rest = re.sub(r"[(（\[【][^)）\]】]*[)）\]】]", "", RATE.sub("", fold(rest)))
    translated = re.match(r"\s*[/|]\s*\D+$", rest)
    return bool(translated) or not any(char.isalnum() for char in rest)


def _ends_line(sheet: Sheet, label: Label, spec: FieldSpec) -> bool:
    """Whether the value may stand to the right: the label is the line's last, after two qualifying words at most."""
    text = sheet.lines[label.line].text
    before = text[: label.start]
    last = sheet.labels[label.line][-1].start <= label.start or sheet.is_label(label.line)
    return last and len(before.split()) <= (QUALIFIERS if spec.kind != "text" else 0)


def _inline(text: str, start: int, end: int, spec: FieldSpec, label: Label) -> tuple[int, int] | None:
    """The value after a label in its line. After a label inside a sentence it must follow at once."""
    if spec.kind == "text":
        return _span(text, start, end, spec) if spec.tight or _separated(text, label) else None
    span = _span(text, start, end, spec)
    inside = re.search(r"[^\W\d_]\s?$", text[: label.start]) and not _is_wide(text[label.start])
    if span and inside and any(char.isalpha() for char in text[start : span[0]]):
        return None
    return span


def _rest_of_line(sheet: Sheet, label: Label) -> tuple[int, int]:
    """What stands between a label and the next one in its line, without separators at the start."""
    text, end = sheet.lines[label.line].text, len(sheet.lines[label.line].text)
    start = label.end
    for other in sheet.labels[label.line]:
        if other.start >= label.end:
            end = other.start
            break
    while start < end and text[start] in _SEPARATORS and not _starts_value(text, start):
        start += 1
    return start, end


def _starts_value(text: str, index: int) -> bool:
    """A minus or a point right before a digit belongs to the number, unless it ends an abbreviated label (No.)."""
    return text[index] in "-–" and text[index + 1 : index + 2].isdigit() and text[index - 1 : index].isspace()


def _span(text: str, start: int, end: int, spec: FieldSpec) -> tuple[int, int] | None:
    if spec.pattern and (match := spec.pattern.search(fold(text[start:end]))):
        return start + match.start(), start + match.end()
    span = value_span(text[start:end], spec.kind)
    return (start + span[0], start + span[1]) if span else None


def _span_of_line(sheet: Sheet, number: int, spec: FieldSpec) -> tuple[int, int] | None:
    text = sheet.lines[number].text
    return _span(text, 0, len(text), spec)


def _until_label(sheet: Sheet, row: Sequence[int]) -> list[int]:
    return list(takewhile(lambda other: not sheet.labels[other], row))


def _separated(text: str, label: Label) -> bool:
    return bool(re.match(r"\s*[:：=]|\s*[)）】\]]\s*[:：]?|\s{2,}", text[label.end :]))


def _order(sheet: Sheet, spec: FieldSpec, number: int) -> float:
    """Of several labels the first counts, of totals the last."""
    box = sheet.boxes[number]
    place = box.center[1] if box else float(number)
    return -place if spec.key == "total" else place


def _continued(sheet: Sheet, found: Found, lines: int) -> list[int]:
    """Further lines of a value that may have several: under it, aligned with it, until a label comes."""
    more: list[int] = []
    current = found.line
    line = sheet.lines[found.line]
    value = part_of(line, found.start, found.end)
    while len(more) + 1 < lines and value is not None:
        box, left = sheet.boxes[current], value.bounds.left
        if box is None:
            break
        below = [
            other
            for other in sheet.below(current)
            if (place := sheet.boxes[other])
            and abs(place.left - left) < 1.5 * box.height
            and place.top - box.bottom < 0.9 * box.height
            and 0.7 < place.height / max(box.height, 1) < 1.4
        ]
        if not below or sheet.labels[below[0]]:
            break
        current = below[0]
        more.append(current)
    return more


def _by_pattern(sheet: Sheet, spec: FieldSpec) -> Found | None:
    if spec.pattern is None:
        return None
    return _first_match(sheet, spec.pattern)


def _unlabelled(sheet: Sheet, spec: FieldSpec) -> Found | None:
    match spec.unlabelled:
        case "date":
            return _first_match(sheet, DATE, unless_labelled=True)
        case "time":
            return _first_match(sheet, TIME, unless_labelled=True)
        case "currency":
            return _currency(sheet)
        case "merchant":
            return _largest_at_top(sheet, lambda text: squeeze(text) not in document_titles())
        case "title":
            return _largest_at_top(sheet, lambda text: True)
    return None


def _first_match(sheet: Sheet, pattern: re.Pattern[str], unless_labelled: bool = False) -> Found | None:
    """The first match on the page; where `unless_labelled`, not one that a label claims for another field."""
    for number, line in enumerate(sheet.lines):
        if unless_labelled and sheet.labels[number]:
            continue
        if match := pattern.search(fold(line.text)):
            return Found(number, match.start(), match.end())
    return None


def _currency(sheet: Sheet) -> Found | None:
    """The currency that is printed most often, where it stands last."""
    hits = [
        (match[0], number, match.span())
        for number, line in enumerate(sheet.lines)
        for match in re.finditer(CURRENCY, fold(line.text))
    ]
    if not hits:
        return None
    most = Counter(text for text, *_ in hits).most_common(1)[0][0]
    number, span = [(number, span) for text, number, span in hits if text == most][-1]
    return Found(number, *span)


def _largest_at_top(sheet: Sheet, fits: Callable[[str], bool]) -> Found | None:
    """The highest line of letters in the top quarter of the text; of nearly equal ones the first."""
    places = [box for box in sheet.boxes if box]
    if not places:
        return None
    top, bottom = min(box.top for box in places), max(box.bottom for box in places)
    best: tuple[float, int] | None = None
    for number, (line, box) in enumerate(zip(sheet.lines, sheet.boxes, strict=True)):
        if box is None or box.center[1] > top + max(0.25 * (bottom - top), 3 * box.height):
            continue
        if sheet.labels[number] or not fits(line.text) or not _is_wording(line.text):
            continue
        if best is None or box.height > 1.2 * best[0]:
            best = box.height, number
    return _whole_row(sheet, best[1]) if best else None


def _whole_row(sheet: Sheet, number: int) -> Found | None:
    """A line and the ones that go on with it in its row, without decoration (*** SHOP ***)."""
    text = sheet.lines[number].text
    kept = text.strip(_DECORATION)
    if not kept:
        return None
    more: list[int] = []
    box = sheet.boxes[number]
    for other in sheet.right_of(number):
        place = sheet.boxes[other]
        if not (box and place) or place.left - box.right > box.height or not 0.7 < place.height / box.height < 1.4:
            break
        more.append(other)
        box = place
    start = text.index(kept)
    return Found(number, start, start + len(kept), more=tuple(more))


def _is_wording(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    return letters >= 2 and letters > sum(char.isdigit() for char in text) and not DATE.search(text)


def _labels_in(number: int, text: str, known: Sequence[str]) -> list[Label]:
    """The labels of one line from left to right, longest first where they overlap."""
    chars = squeezed(text)
    line = "".join(char for char, _ in chars)
    taken = [False] * len(line)
    found: list[Label] = []
    for label in [*known, *known]:  # twice: a label may be bounded by one that is found after it
        at = line.find(label)
        while at >= 0:
            stop = at + len(label)
            if not any(taken[at:stop]):
                start, end = chars[at][1], chars[stop - 1][1] + 1
                if _bounded(text, start, end, after_label=any(taken[:at])):
                    found.append(Label(number, start, end, label, 1.0))
                    taken[at:stop] = [True] * len(label)
            at = line.find(label, at + 1)
    if not found and (slip := _slip(number, text, known)):
        found.append(slip)
    return sorted(found, key=lambda label: label.start)


def _bounded(text: str, start: int, end: int, after_label: bool) -> bool:
    """Whether text[start:end] stands as a word of its own rather than inside another one."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if "_" in (before, after):
        return False  # part of an identifier
    if _is_wide(text[start]):
        if end - start == 1 and after.isalnum():
            return False
        return not before.isalnum() or after_label or not _is_wide(before)
    return not (before.isalnum() and not _is_wide(before)) and not (after.isalpha() and not _is_wide(after))


def _slip(number: int, text: str, known: Sequence[str]) -> Label | None:
    """A long label before a colon, or a whole line, in which the recogniser took one character for another."""
    head = re.split(r"[:：]", text, maxsplit=1)[0]
    wanted = squeeze(head)
    wide = bool(head) and _is_wide(head.strip()[:1] or " ")
    if len(wanted) < (4 if wide else FUZZY_LENGTH) or wanted.isdigit():
        return None
    near = [
        label for label in known if abs(len(label) - len(wanted)) <= 1 and len(label) >= (4 if wide else FUZZY_LENGTH)
    ]
    hit = process.extractOne(wanted, near, scorer=fuzz.ratio, score_cutoff=75 if wide else FUZZY_RATIO)
    return Label(number, 0, len(head), hit[0], hit[1] / 100) if hit else None


def _is_wide(char: str) -> bool:
    return bool(char) and ord(char) > 0x2E7F


def _ends_wide(text: str) -> bool:
    return _is_wide(text[-1:])


def _without(text: str, labels: Sequence[Label]) -> str:
    for label in reversed(labels):
        text = text[: label.start] + text[label.end :]
    return text


def _over(upper: BoundingBox, lower: BoundingBox) -> bool:
    shared = min(upper.right, lower.right) - max(upper.left, lower.left)
    return shared > 0.3 * min(upper.width, lower.width)


def _slope(lines: Sequence[TextLine]) -> float:
    """Median rise over run of the long lines: how the page slants."""
    slopes = []
    for line in lines:
        if line.quad:
            (ax, ay), (bx, by), *_ = line.quad.points
            if bx - ax > 4 * line.quad.bounds.height / 2:
                slopes.append((by - ay) / (bx - ax))
    return sorted(slopes)[len(slopes) // 2] if slopes else 0.0
