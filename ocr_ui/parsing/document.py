"""Documents: Markdown with tables in HTML and formulas in LaTeX, and layouts with their regions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ocr_ui.domain.content import PageContent, TextLine, TextRegion
from ocr_ui.domain.geometry import Quad
from ocr_ui.parsing import spotting, spotting_json, tables
from ocr_ui.parsing.answers import unfence
from ocr_ui.parsing.coordinates import POINTS, numbers, place, read_list
from ocr_ui.parsing.notes import Notes
from ocr_ui.parsing.plain import cut_repeat, text_lines

_FENCES = frozenset({"markdown", "md", "html", ""})
_POINTS = re.compile(POINTS)
_META = re.compile(r"<hy-meta>|</hy-meta>", re.IGNORECASE)
_LAYOUT = re.compile(r"<layout>([^<]{0,80})</layout>", re.IGNORECASE)
_PLACE = re.compile(r"<(?:quad|poly|bbox|box)>([^<]{0,600})", re.IGNORECASE)
_LAYOUT_ENTRY = re.compile(r"\{\s{0,40}\"(?:layout_type|bbox|box|category|type)\"\s{0,4}:")
_KIND = ("layout_type", "category", "type", "label")
MOST_FIGURES = 1000
"""Places of figures that are taken from a page; an answer with more is noise and stays text."""
SMALLEST_FIGURE = 8
"""In thousandths: what is narrower and lower is no figure but points in the text, ``from (1,2),(3,4)``."""
_MATHS_LINE = re.compile(r"\$\$|\\\[|\\\]")


@dataclass(slots=True)
class _Page:
    size: tuple[int, int]
    regions: list[TextRegion] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)


def parse(
    text: str, size: tuple[int, int], finished: bool = True, layout: bool = False, boxes: bool = True
) -> PageContent:
    """Markdown with its tables and regions.

    Coordinates that close a line outside tables and formulas are the place of a figure: they leave the text and
    become a region, with the line as its caption.

    Args:
        layout: the answer was asked for as layout: JSON entries and tags are regions.
        boxes: look for coordinates at all.
    """
    page = _Page(size)
    length = len(text)
    text = cut_repeat(text, page.notes, finished)
    if layout and (content := _layout(text, page, finished)) is not None:
        return content
    text = unfence(text, _FENCES)
    if "<hy-meta>" in text.lower():
        text = _take_meta(text, page)
    pieces = tables.split(text, page.notes, looped=len(text) < length)
    if boxes:
        pieces = [p if p.table else tables.Piece(_take_figures(p.text, page)) for p in pieces]
    return _content(pieces, page, finished)


def _content(pieces: list[tables.Piece], page: _Page, finished: bool) -> PageContent:
    notes = page.notes
    lines = tuple(line for piece in pieces if not piece.table for line in text_lines(piece.text, notes))
    found = tuple(piece.table for piece in pieces if piece.table)
    text = tables.join(pieces).rstrip()
    if page.regions and not text.strip():
        notes.add("degenerate", "The answer is nothing but coordinates, without any text; try another template.")
    if not text.strip():
        notes.add("empty")
    if _is_cut(text):
        notes.add("truncated")
    warnings = tuple(w for w in notes.warnings() if finished or w.code != "truncated")
    return PageContent(lines, regions=tuple(page.regions), tables=found, text=text, warnings=warnings)


def _is_cut(text: str) -> bool:
    """A display formula, an environment or a fenced block is still open at the end."""
    lines = text.split("\n") if "$$" in text or "```" in text else []
    opened = [line for line in lines if "$$" in line and (line.lstrip()[:2] == "$$" or line.rstrip()[-2:] == "$$")]
    marks = sum(line.count("$$") for line in opened)
    dangling = marks % 2 == 1 and bool(opened) and opened[-1].lstrip().startswith("$$")
    fences = sum(line.lstrip()[:3] == "```" for line in lines)
    brackets = text.count("\\[") > text.count("\\]") and text.rfind("\\[") > text.rfind("\\]")
    environments = text.count("\\begin{") > text.count("\\end{")
    return dangling or fences % 2 == 1 or (brackets and not text.endswith("\\[")) or environments


# ---- figures


def _take_figures(text: str, page: _Page) -> str:
    if "(" not in text and "（" not in text:
        return text
    lines, kept, maths = text.split("\n"), [], False
    for line in lines:
        marks = len(_MATHS_LINE.findall(line))
        left = line if maths or marks or "$" in line else _take_figure(line, page)
        maths = maths != (marks % 2 == 1)
        if left.strip() or left == line:
            kept.append(left)
    return "\n".join(kept)


def _take_figure(line: str, page: _Page) -> str:
    """The line without the coordinates that it ends in."""
    found = list(_POINTS.finditer(line))
    end, taken = len(line.rstrip()), []
    while found and line[found[-1].end() : end].strip(" \t,，") == "":
        taken.append(found.pop())
        end = taken[-1].start()
    if not taken:
        return line
    if len(page.regions) + len(taken) > MOST_FIGURES:
        page.notes.add("limit")
        return line
    caption = line[:end].rstrip(" \t,，")
    regions = []
    for match in reversed(taken):
        values = numbers(match[0])
        reading = place(values, page.size)
        if reading.quad is None or _is_tiny(values):
            return line
        regions.append(TextRegion("figure", reading.quad, caption.strip()))
        for code in reading.codes:
            page.notes.add(code)
    page.regions += regions
    return caption


def _is_tiny(values: list[float]) -> bool:
    sides = (max(part) - min(part) for part in (values[::2], values[1::2]))
    return max(values) > 1 and max(sides) < SMALLEST_FIGURE


# ---- layouts


def _layout(text: str, page: _Page, finished: bool) -> PageContent | None:
    """Regions of a layout that came as JSON entries or as tags; None for anything else."""
    if _LAYOUT_ENTRY.search(text):
        return _layout_entries(text, page, finished)
    if "<quad>" in text.lower() and "<hy-meta>" not in text.lower():
        content = spotting.parse(text, page.size, finished)
        regions = tuple(TextRegion(kind_of(line.text), line.quad, line.text) for line in content.lines)
        return PageContent(content.lines, regions=regions, text=content.text, warnings=content.warnings)
    return None


def _layout_entries(text: str, page: _Page, finished: bool) -> PageContent:
    entries, complete = spotting_json.json_entries(text)
    lines: list[TextLine] = []
    for entry in entries:
        kind = next((str(entry[key]) for key in _KIND if isinstance(entry.get(key), str)), "text")
        body = next((str(entry[key]) for key in ("text", "content") if isinstance(entry.get(key), str)), "")
        quad = _quad(spotting_json.box_of(entry), page)
        page.regions.append(TextRegion(kind_of(kind), quad, body))
        if body.strip():
            lines.append(TextLine(body, quad))
    if not complete:
        page.notes.add("truncated")
    if not page.regions:
        page.notes.add("empty")
    joined = "\n".join(line.text for line in lines)
    warnings = tuple(w for w in page.notes.warnings() if finished or w.code != "truncated")
    return PageContent(tuple(lines), regions=tuple(page.regions), text=joined, warnings=warnings)


def _quad(raw: object, page: _Page) -> Quad | None:
    reading = place(spotting_json.json_box(raw), page.size)
    for code in reading.codes:
        page.notes.add(code)
    return reading.quad


def _take_meta(text: str, page: _Page) -> str:
    """The text without ``<hy-meta><layout>kind</layout><poly>...</poly></hy-meta>``; each becomes a region."""
    kept: list[str] = []
    at, start = 0, None
    for found in _META.finditer(text):
        if found[0][1] != "/":
            if start is None:
                kept.append(text[at : found.start()])
                start = found.end()
        elif start is not None:
            _meta_region(text[start : found.start()], kept[-1].strip(), page)
            at, start = found.end(), None
    if start is not None:
        page.notes.add("truncated")
        return "".join(kept)
    return "".join([*kept, text[at:]])


def _meta_region(meta: str, text: str, page: _Page) -> None:
    kind, where = _LAYOUT.search(meta), _PLACE.search(meta)
    reading = place(read_list(where[1].strip()) if where else None, page.size)
    for code in reading.codes:
        page.notes.add(code)
    page.regions.append(TextRegion(kind_of(kind[1] if kind else "text"), reading.quad, text))


def kind_of(name: str) -> str:
    """A region's kind in one spelling: ``Section Title`` and ``section-title`` are ``section_title``."""
    return re.sub(r"[\s\-]+", "_", name.strip().lower())[:40] or "text"
