"""Boxes and texts in JSON: entries at any depth, with keys and coordinates in any of the forms that models use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ocr_ui.parsing import escapes, loose_json
from ocr_ui.parsing.coordinates import NUMBER, number, read_list
from ocr_ui.parsing.spotting_tokens import ENTRY

TEXT_KEYS = ("text", "text_content", "transcription", "content", "words", "label")
BOX_KEYS = ("box", "bbox", "bbox_2d", "box_2d", "quad", "poly", "polygon", "points", "location", "position")
BOX_KEYS += ("coordinates", "rect")

_KNOWN = frozenset(TEXT_KEYS + BOX_KEYS)
_TEXT_NAMES = frozenset(TEXT_KEYS)
_NO_TEXT_KEYS = frozenset(
    ("layout_type", "category", "type", "kind", "language", "confidence", "score", "id", "index", "no", "line")
)
_NAMES = "|".join(TEXT_KEYS + BOX_KEYS)
_KEYED = re.compile(rf"(?:[\"'“”](?:{_NAMES})|[\"'“”]?\b(?:{_NAMES})[\"'“”])\s{{0,8}}[:：]", re.IGNORECASE)
_TEXTS = re.compile(
    r"(?<!\\)\"(?:text|text_content|transcription)\"\s{0,8}:\s{0,8}\"((?:[^\"\\\n]|\\[^\n]){1,2000})\"", re.IGNORECASE
)


def text_of(entry: dict[str, Any]) -> Any:
    """The value of the first text key that has one; None for none."""
    text = entry.get("text")
    return text if text is not None else next((entry[key] for key in TEXT_KEYS if entry.get(key) is not None), None)


def other_text(entry: dict[str, Any]) -> str | None:
    """The text under a name that is none of TEXT_KEYS (``rec_text``, or ``texxt``), where there is one alone."""
    if not _TEXT_NAMES.isdisjoint(entry):
        return None
    left = [value for key, value in entry.items() if key not in _KNOWN and key not in _NO_TEXT_KEYS]
    texts = [value for value in left if isinstance(value, str) and value.strip() and _number(value) is None]
    return str(texts[0]) if len(texts) == 1 else None


def damaged(text: str) -> loose_json.Read | None:
    """What stands between entries, where it looks like one whose beginning is lost."""
    first = _KEYED.search(text)
    if first is None:
        return None
    opening = text.rfind("{", 0, first.start())
    return loose_json.read("{" + text[opening + 1 if opening >= 0 else first.start() :])


def texts_in(source: str) -> list[str]:
    """The texts of a piece of JSON by their keys alone, whatever its brackets say."""
    return [escapes.decode(found)[0] for found in _TEXTS.findall(source)]


def box_of(entry: dict[str, Any]) -> Any:
    """The value of the first box key, as it came."""
    return entry["box"] if "box" in entry else next((entry[key] for key in BOX_KEYS if key in entry), None)


def json_entries(text: str) -> tuple[list[dict[str, Any]], bool]:
    """All entries with a text or a box, and whether the last object is closed."""
    found_entries: list[dict[str, Any]] = []
    at, complete = 0, True
    while (found := ENTRY.search(text, at)) is not None:
        read = loose_json.read(text, found.start())
        at, complete = max(read.end, found.start() + 1), read.complete
        found_entries += entries_of(read.value)
    return found_entries, complete


def is_entry(value: Any) -> bool:
    """An object that has a text or a box itself."""
    return isinstance(value, loose_json.Pairs) and any(key.lower() in _KNOWN for key, _ in value)


def entries_of(value: Any) -> Iterator[dict[str, Any]]:
    """Objects with a text or a box, at any depth, in order."""
    if isinstance(value, loose_json.Pairs):
        entry = dict(value)
        if _KNOWN.isdisjoint(entry):
            entry = {key.lower(): item for key, item in value}
        if not _KNOWN.isdisjoint(entry):
            yield from [entry] if len(entry) == len(value) else _one_by_one(value)
            return
        for inner in entry.values():
            yield from entries_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from entries_of(inner)


def _one_by_one(pairs: loose_json.Pairs) -> Iterator[dict[str, Any]]:
    """An object in which a key comes twice: the brackets between two entries were lost."""
    entry: dict[str, Any] = {}
    for key, value in ((key.lower(), value) for key, value in pairs):
        if key in _KNOWN and key in entry and entry[key] != value:
            yield entry
            entry = {}
        entry[key] = value
    yield entry


def other_json(text: str) -> Iterator[tuple[str, list[float]]]:
    """Lines of ``{"text": [x1, y1, x2, y2], ...}``, ``[["text", [x1, y1, x2, y2]], ...]`` or of one flat list each."""
    if text[:1] not in ("{", "["):
        return
    value = loose_json.read(text).value
    pairs = value if isinstance(value, loose_json.Pairs) else [_text_and_box(item) for item in value]
    found = [(pair[0], json_box(pair[1])) for pair in pairs if pair is not None]
    if len(found) == len(pairs) and all(values is not None and len(values) in (4, 8) for _, values in found):
        yield from ((line, values) for line, values in found if values is not None)


def _text_and_box(item: Any) -> tuple[str, list[Any]] | None:
    if not isinstance(item, list) or isinstance(item, loose_json.Pairs):
        return None
    texts = [part for part in item if isinstance(part, str) and _number(part) is None]
    boxes = [part for part in item if isinstance(part, list)]
    numbers_alone = [part for part in item if isinstance(part, str) and _number(part) is not None]
    raw = boxes[0] if len(boxes) == 1 else numbers_alone
    return (texts[0], raw) if len(texts) == 1 and raw else None


def json_box(raw: Any) -> list[float] | None:
    """The numbers of a box in any of the forms that models use; None where it has another shape."""
    if isinstance(raw, str):
        return read_list(raw.strip()) if len(raw) <= 400 else None
    if isinstance(raw, loose_json.Pairs):
        return _corner_names(raw.last())
    if not isinstance(raw, list):
        return None
    if all(isinstance(item, str) and item.isdecimal() for item in raw):
        return [float(item) for item in raw]
    if raw and all(isinstance(item, list) for item in raw):
        pairs = raw[0] if len(raw) == 1 and len(raw[0]) in (4, 8) else None
        if pairs is None and all(len(item) == 2 for item in raw):
            pairs = [value for item in raw for value in item]
        raw = pairs or []
    values = [_number(item) for item in raw]
    return None if None in values else [value for value in values if value is not None]


_CORNERS = (
    ("x1", "y1", "x2", "y2"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x_min", "y_min", "x_max", "y_max"),
    ("left", "top", "right", "bottom"),
)


def _corner_names(raw: dict[str, Any]) -> list[float] | None:
    for names in _CORNERS:
        if all(name in raw for name in names):
            values = [_number(raw[name]) for name in names]
            return None if None in values else [value for value in values if value is not None]
    sides = [_number(raw.get(name)) for name in ("x", "y", "width", "height")]
    if None in sides:
        return None
    x, y, width, height = (value or 0.0 for value in sides)
    return [x, y, x + width, y + height]


def _number(value: Any) -> float | None:
    """A number, or a text that is one."""
    if not isinstance(value, str):
        return None
    found = re.fullmatch(NUMBER, value.strip())
    return number(found[0]) if found else None
