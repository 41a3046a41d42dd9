"""Two people's versions of one page: where they differ, how far they agree, and one page made of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from rapidfuzz.distance import Levenshtein

from ocr_ui.domain.content import Field, PageContent, Table, TextLine, TextRegion
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.second import Agreement, Choice
from ocr_ui.scoring.pairing import SAME_PLACE, by_name, pair_lines
from ocr_ui.scoring.text import edit_distance

STATES = ("same", "text", "kind", "box", "order", "first", "second")
"""How two sides stand to each other: the same; another text; the same value of a field as another type; the same text
in another place; the same lines in another order; there is such a part on the first side alone, or on the second alone.
"""

Value = TextLine | Field | Table | str | tuple[TextRegion, ...] | tuple[TextLine, ...] | None


@dataclass(frozen=True, slots=True)
class Part:
    """A line, a field, a table, a passage of the text, all regions, or the order of the lines, on both sides.

    Attributes:
        kind: line, order, field, table, text or regions.
        name: of a field; empty elsewhere.
        first, second: None where a side has no such part.
        state: one of STATES.
    """

    kind: str
    name: str
    first: Value
    second: Value
    state: str

    @property
    def differs(self) -> bool:
        return self.state != "same"


def parts(first: PageContent, second: PageContent) -> tuple[Part, ...]:
    """All parts of both, in the order of the second."""
    found = [*_lines(first.lines, second.lines), *_fields(first.fields, second.fields)]
    found += (Part("table", "", *pair, _state(*pair, same=_same_table)) for pair in _zipped(first, second))
    if not (_follows(first) and _follows(second)):
        found += _passages(first.text, second.text)
    if _regions(first) != _regions(second):
        found.append(Part("regions", "", first.regions, second.regions, "text"))
    return tuple(found)


def agreement(first: PageContent, second: PageContent) -> Agreement:
    ours, theirs = _said(first), _said(second)
    longest = max(len(ours), len(theirs))
    return Agreement(
        cer=edit_distance(ours, theirs) / longest if longest else 0.0,
        box_f1=_box_f1(first, second),
        fields=_field_agreement(first.fields, second.fields),
        differing=sum(part.differs for part in parts(first, second)),
    )


def merged(first: PageContent, second: PageContent, choices: Mapping[int, Choice]) -> PageContent:
    """One page: what both say, and of each part that differs what was chosen.

    Args:
        choices: by the index of the part in `parts`, one for each that differs; others are ignored. `own` is only for
            lines, fields and passages.

    Raises:
        KeyError: no choice for a part that differs.
    """
    all_parts = parts(first, second)
    taken = [(part, _taken(part, choices[n]) if part.differs else part.first) for n, part in enumerate(all_parts)]
    order = next((choices[n].take for n, part in enumerate(all_parts) if part.kind == "order"), "second")
    lines = _ordered([(part, value) for part, value in taken if part.kind == "line"], first.lines, order)
    made = replace(
        first,
        lines=_with_own_ids(lines),
        fields=tuple(value for part, value in taken if part.kind == "field" and isinstance(value, Field)),
        tables=tuple(value for part, value in taken if part.kind == "table" and isinstance(value, Table)),
    )
    regions = next((value for part, value in taken if part.kind == "regions"), first.regions)
    made = replace(made, regions=regions)  # type: ignore[arg-type]
    if _follows(first) and _follows(second):
        return replace(made, text="\n".join(line.text for line in made.lines)).with_ids()
    passages = [value for part, value in taken if part.kind == "text" and isinstance(value, str)]
    return replace(made, text="\n".join(passages)).with_ids()


def _taken(part: Part, choice: Choice) -> Value:
    if choice.take == "first":
        return part.first
    if choice.take == "second":
        return part.second
    model = part.first if part.first is not None else part.second
    if isinstance(model, TextLine):
        return replace(model, text=choice.text, confidence=None, lowest=None)
    if isinstance(model, Field):
        return replace(model, value=choice.text, confidence=None, lowest=None)
    return choice.text


def _lines(first: Sequence[TextLine], second: Sequence[TextLine]) -> Iterator[Part]:
    indices = pair_lines(first, second)
    for one, other in indices:
        pair = (None if one is None else first[one], None if other is None else second[other])
        yield Part("line", "", *pair, _state(*pair, same=_same_line, placed=_same_place))
    both = [one for one, other in indices if one is not None and other is not None]
    if any(a > b for a, b in pairwise(both)):
        yield Part("order", "", tuple(first), tuple(second), "order")


def _fields(first: Sequence[Field], second: Sequence[Field]) -> Iterator[Part]:
    ours, theirs = by_name(first), by_name(second)
    for key in dict.fromkeys((*ours, *theirs)):
        pair = ours.get(key), theirs.get(key)
        state = _state(*pair, same=_same_field, placed=_same_place)
        yield Part("field", key[0], *pair, "kind" if state in ("same", "box") and _other_kind(*pair) else state)


def _zipped(first: PageContent, second: PageContent) -> Iterator[tuple[Table | None, Table | None]]:
    return zip_longest(first.tables, second.tables)


def _passages(first: str, second: str) -> Iterator[Part]:
    """Runs of lines that are equal, or that differ."""
    ours, theirs = first.split("\n"), second.split("\n")
    at = 0, 0
    blocks = [op for op in Levenshtein.opcodes(ours, theirs) if op.tag == "equal"]
    for start, end, there, over in [(b.src_start, b.src_end, b.dest_start, b.dest_end) for b in blocks]:
        yield from _passage(ours[at[0] : start], theirs[at[1] : there])
        yield Part("text", "", "\n".join(ours[start:end]), "\n".join(theirs[there:over]), "same")
        at = end, over
    yield from _passage(ours[at[0] :], theirs[at[1] :])


def _passage(ours: list[str], theirs: list[str]) -> Iterator[Part]:
    if ours or theirs:
        pair = "\n".join(ours) if ours else None, "\n".join(theirs) if theirs else None
        yield Part("text", "", *pair, "second" if not ours else "first" if not theirs else "text")


def _state(one, other, *, same, placed=lambda one, other: True) -> str:
    if one is None or other is None:
        return "second" if one is None else "first"
    if not same(one, other):
        return "text"
    return "same" if placed(one, other) else "box"


def _same_line(one: TextLine, other: TextLine) -> bool:
    return one.text == other.text


def _same_field(one: Field, other: Field) -> bool:
    return one.value == other.value


def _other_kind(one: Field | None, other: Field | None) -> bool:
    return one is not None and other is not None and one.kind != other.kind


def _same_table(one: Table, other: Table) -> bool:
    return (one.html, one.grid) == (other.html, other.grid)


def _same_place(one: TextLine | Field, other: TextLine | Field) -> bool:
    if one.quad is None or other.quad is None:
        return one.quad is other.quad
    return one.quad == other.quad or one.quad.bounds.iou(other.quad.bounds) >= SAME_PLACE


def _regions(content: PageContent) -> list[tuple[str, str, Quad | None]]:
    return [(region.kind, region.text, region.quad) for region in content.regions]


def _follows(content: PageContent) -> bool:
    return content.text in ("", "\n".join(line.text for line in content.lines))


def _said(content: PageContent) -> str:
    """What is compared: the lines, else the text, else the values of the fields, else the cells of the tables."""
    texts = (
        "\n".join(line.text for line in content.lines),
        content.text,
        "\n".join(field.value or "" for field in content.fields),
        "\n".join(cell for table in content.tables for row in table.grid for cell in row),
    )
    return next(filter(None, texts), "")


def _box_f1(first: PageContent, second: PageContent) -> float | None:
    """Boxes are matched one to one, greatest overlap first."""
    ours, theirs = ([line.quad.bounds for line in content.lines if line.quad] for content in (first, second))
    if not ours and not theirs:
        return None
    left = Counter(ours)
    left.subtract(Counter(theirs))
    same = len(ours) - sum(number for number in left.values() if number > 0)
    ours = [box for box, number in left.items() for _ in range(number)]
    theirs = [box for box, number in left.items() for _ in range(-number)]
    overlaps = sorted(
        ((box.iou(other), n, m) for n, box in enumerate(ours) for m, other in enumerate(theirs)), reverse=True
    )
    taken: tuple[set[int], set[int]] = (set(), set())
    for overlap, n, m in overlaps:
        if overlap >= SAME_PLACE and n not in taken[0] and m not in taken[1]:
            taken[0].add(n)
            taken[1].add(m)
    return 2 * (same + len(taken[0])) / (2 * same + len(ours) + len(theirs))


def _field_agreement(first: Sequence[Field], second: Sequence[Field]) -> float | None:
    ours, theirs = by_name(first), by_name(second)
    keys = ours.keys() | theirs.keys()
    if not keys:
        return None
    return sum(key in ours and key in theirs and ours[key].value == theirs[key].value for key in keys) / len(keys)


def _ordered(taken: list[tuple[Part, Value]], first: Sequence[TextLine], order: str) -> list[TextLine]:
    if order == "first":
        places = {id(line): index for index, line in enumerate(first)}
        keys, last = [], -1.0
        for part, _ in taken:
            # A line that the first side lacks stays behind the one that it followed.
            last = float(places[id(part.first)]) if part.first is not None else last
            keys.append(last)
        taken = [taken[n] for n in sorted(range(len(taken)), key=keys.__getitem__)]
    return [value for _, value in taken if isinstance(value, TextLine)]


def _with_own_ids(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Two people both count the lines that they add from 1: of two lines with one id the later gets another."""
    seen: set[str] = set()
    made = []
    for line in lines:
        made.append(replace(line, id="") if line.id in seen else line)
        seen.add(line.id)
    return tuple(made)
