"""Lines with boxes as the official reward reads them: four shapes, two corners, nothing forgiven."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

PAIR = re.compile(r"\((\d+),(\d+)\),\((\d+),(\d+)\)")
"""The two corners of a box."""

_REF = re.compile(r"<ref>(.*?)</ref>")
_QUAD = re.compile(r"<quad>" + PAIR.pattern)
_POSITIONS = re.compile(r"<quad>" + r"<pos_(\d+)>" * 4 + r"</quad><ref>(.*?)</ref>")
_BARE = re.compile(r"[^(]\(\d+,\d+\),\(\d+,\d+\)")
_SAYS_SOMETHING = re.compile(r"[^\s(),]")
_TAG = re.compile(r"<[^>]+>")
_LOWERED = str.maketrans("₁₂", "12")


class BoxedText(NamedTuple):
    """A text and its corners, as they stand in the answer."""

    text: str
    left: int
    top: int
    right: int
    bottom: int

    def iou(self, other: BoxedText) -> float:
        """Intersection over union; 0 where both together have no area."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        if width < 0 or height < 0:
            return 0.0
        union = self.area + other.area - width * height
        return width * height / union if union > 0 else 0.0

    @property
    def area(self) -> int:
        return (self.right - self.left) * (self.bottom - self.top)


def rule_shape(text: str) -> str:
    """json, tags, positions or bare, where the official rule reads the text as that; empty where it reads none."""
    if _json_list(text):
        return "json"
    if "<ref>" in text and "<quad>(" in text:
        return "tags"
    if "<quad><pos_" in text and "</quad><ref>" in text:
        return "positions"
    return "bare" if _BARE.search(text) else ""


def read(text: str, shape: str) -> list[BoxedText]:
    """What can be read of a text in the shape; what cannot is left out."""
    readers = {"json": _read_json, "tags": _read_tags, "positions": _read_positions, "bare": _read_bare}
    return list(readers[shape](text))


def comparable(text: str) -> str:
    """Without tags and white space, lowered 1 and 2 as plain digits."""
    tagged, end, rest = text.rpartition(">")
    return "".join((_TAG.sub("", tagged + end) + rest).split()).translate(_LOWERED)


def _json_list(text: str) -> list[Any]:
    """The entries of a JSON list whose first one has a box; none for anything else."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]") and '"text"' in text):
        return []
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return []
    first = entries[0] if isinstance(entries, list) and entries else None
    return entries if isinstance(first, dict) and ("box" in first or "bbox" in first) else []


def _read_json(text: str) -> Iterator[BoxedText]:
    for entry in _json_list(text):
        if not isinstance(entry, dict):
            continue
        box = entry.get("box", entry.get("bbox"))
        if not isinstance(box, list) or len(box) != 4:
            continue
        try:
            corners = [int(value) for value in box]
        except (TypeError, ValueError, OverflowError):
            continue
        yield BoxedText(str(entry.get("text", "")).strip(), *corners)


def _read_tags(text: str) -> Iterator[BoxedText]:
    for part in text.split("</quad>"):
        said, box = _REF.search(_to_last_ref(part)), _QUAD.search(part)
        if said and box:
            yield BoxedText(said[1].strip(), *map(int, box.groups()))


def _read_positions(text: str) -> Iterator[BoxedText]:
    for found in _POSITIONS.finditer(_to_last_ref(text)):
        yield BoxedText(found[5].strip(), *map(int, found.groups()[:4]))


def _to_last_ref(text: str) -> str:
    """Up to the last end of a text: behind it each open one would be followed to the end of the answer, in vain."""
    return text[: text.rfind("</ref>") + len("</ref>")] if "</ref>" in text else ""


def _read_bare(text: str) -> Iterator[BoxedText]:
    end = 0
    for found in PAIR.finditer(text):
        said, end = text[end : found.start()].strip(), found.end()
        if _SAYS_SOMETHING.search(said):
            yield BoxedText(said, *map(int, found.groups()))
