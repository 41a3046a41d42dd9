"""A page as a client sends it, checked before it is stored: types, sizes, unique ids, boxes inside the picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.geometry import Quad
from ocr_ui.errors import BadInput, TooLarge

MOST_PARTS = 20_000
"""Lines, regions, fields or tables of one page."""

MOST_CHARACTERS = 4_000_000
"""Of all texts of one page together."""

_STRINGS = {
    "lines": ("text", "id"),
    "regions": ("kind", "text"),
    "fields": ("name", "value", "kind"),
    "tables": ("html",),
    "warnings": ("code", "message"),
}


def checked(content: PageContent | dict[str, Any], width: int | None = None, height: int | None = None) -> PageContent:
    """The content with an id for each line and its boxes clipped to the picture, where its size is given in pixels.

    Raises:
        BadInput: `bad_content` (details: where, reason), `duplicate_line_id` (details: id).
        TooLarge: `content_too_large` (details: what, number, limit).
    """
    value = content if isinstance(content, PageContent) else _read(content)
    _check_sizes(value)
    _check_ids(value)
    for where, quad in _quads(value):
        _check_quad(where, quad)
    for index, line in enumerate(value.lines):
        _check_confidence(f"lines[{index}]", line.confidence, line.lowest)
    for index, field in enumerate(value.fields):
        _check_confidence(f"fields[{index}]", field.confidence, field.lowest)
    for index, table in enumerate(value.tables):
        _check_confidence(f"tables[{index}]", *(number for pair in table.confidences if pair for number in pair))
    named = value.with_ids()
    return named if width is None or height is None else _clipped(named, width, height)


def _read(data: dict[str, Any]) -> PageContent:
    _check_shape(data)
    try:
        return PageContent.from_dict(data)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise _bad("content", f"{type(error).__name__}: {error}") from error


def _check_shape(data: Any) -> None:
    """`PageContent.from_dict` turns anything into a text; what a client sends must be text already."""
    if not isinstance(data, dict):
        raise _bad("content", "not an object")
    if not isinstance(data.get("text", ""), str):
        raise _bad("text", "not a text")
    for part, strings in _STRINGS.items():
        entries = data.get(part, [])
        if not isinstance(entries, list | tuple):
            raise _bad(part, "not a list")
        for index, entry in enumerate(entries):
            _check_entry(f"{part}[{index}]", entry, strings)
    for index, field in enumerate(data.get("fields", ())):
        _check_texts(f"fields[{index}].alternatives", field.get("alternatives", []))
    for index, warning in enumerate(data.get("warnings", ())):
        _check_details(f"warnings[{index}].details", warning.get("details") or {})
    for index, table in enumerate(data.get("tables", ())):
        _check_grid(f"tables[{index}].grid", table.get("grid", []))


def _check_entry(where: str, entry: Any, strings: tuple[str, ...]) -> None:
    if not isinstance(entry, dict):
        raise _bad(where, "not an object")
    for name in strings:
        value = entry.get(name, "")
        if not isinstance(value, str) and not (name == "value" and value is None):
            raise _bad(f"{where}.{name}", "not a text")


def _check_details(where: str, details: Any) -> None:
    if not isinstance(details, dict) or not all(isinstance(value, str | int | float) for value in details.values()):
        raise _bad(where, "not an object of texts and numbers")


def _check_grid(where: str, grid: Any) -> None:
    if not isinstance(grid, list | tuple):
        raise _bad(where, "not a list")
    for row in grid:
        _check_texts(where, row)


def _check_texts(where: str, texts: Any) -> None:
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise _bad(where, "not a list of texts")


def _check_sizes(content: PageContent) -> None:
    for what in ("lines", "regions", "fields", "tables", "warnings"):
        _check_size(what, len(getattr(content, what)), MOST_PARTS)
    _check_size("characters", sum(len(text) for text in _texts(content)), MOST_CHARACTERS)


def _check_size(what: str, number: int, limit: int) -> None:
    if number > limit:
        raise TooLarge(
            "content_too_large",
            f"The page has {number} {what}.",
            f"At most {limit} are stored.",
            what=what,
            number=number,
            limit=limit,
        )


def _texts(content: PageContent) -> Iterator[str]:
    yield content.text
    for line in content.lines:
        yield line.text
    for region in content.regions:
        yield region.text
    for field in content.fields:
        yield from (field.name, field.value or "", *field.alternatives)
    for table in content.tables:
        yield table.html
        yield from (cell for row in table.grid for cell in row)


def _check_ids(content: PageContent) -> None:
    seen: set[str] = set()
    for line in content.lines:
        if line.id and line.id in seen:
            raise BadInput(
                "duplicate_line_id", f"Two lines have the id {line.id[:80]}.", "Give each its own.", id=line.id[:80]
            )
        seen.add(line.id)


def _quads(content: PageContent) -> Iterator[tuple[str, Quad]]:
    for part in ("lines", "regions", "fields", "tables"):
        for index, entry in enumerate(getattr(content, part)):
            if entry.quad is not None:
                yield f"{part}[{index}].quad", entry.quad


def _check_quad(where: str, quad: Quad) -> None:
    if not all(_is_number(value) for point in quad.points for value in point):
        raise _bad(where, "not four points of finite numbers")


def _check_confidence(where: str, *values: Any) -> None:
    if any(value is not None and not (_is_number(value) and 0 <= value <= 1) for value in values):
        raise _bad(f"{where}.confidence", "not a number from 0 to 1")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _clipped(content: PageContent, width: int, height: int) -> PageContent:
    parts = {
        part: tuple(
            replace(entry, quad=entry.quad.clip(width, height)) if entry.quad else entry
            for entry in getattr(content, part)
        )
        for part in ("lines", "regions", "fields", "tables")
    }
    return replace(content, **parts)


def _bad(where: str, reason: str) -> BadInput:
    return BadInput(
        "bad_content",
        f"The page cannot be stored: {where}: {reason}.",
        "Reload the page and try again.",
        where=where,
        reason=reason,
    )
