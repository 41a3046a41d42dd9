"""The order in which a person reads the lines of a page, for sorting them anew after boxes were drawn or moved."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.engines.reading_order import reading_order
from ocr_ui.services.checked_content import checked

_FROM_RIGHT = ("R", "AL")


def ordered_ids(lines: list[dict]) -> list[str]:
    """Ids of lines as a client sends them (see `PageContent.to_dict`), in reading order.

    Raises as `ocr_ui.services.checked_content.checked`.
    """
    content = checked({"lines": lines})
    return [content.lines[index].id for index in line_order(content.lines)]


def line_order(lines: Sequence[TextLine]) -> list[int]:
    """Indices of lines in reading order: columns, rows, vertical columns; of a page that is mostly written from right
    to left, its mirror image's. A line without a box stays behind the line that it stood behind."""
    boxed = [index for index, line in enumerate(lines) if line.quad]
    quads = [quad.upright() for line in lines if (quad := line.quad)]
    if runs_from_right(line.text for line in lines):
        quads = [_mirrored(quad) for quad in quads]
    found = reading_order(np.array([quad.points for quad in quads], float).reshape(-1, 4, 2))
    order = [boxed[place] for place in found]
    for index, line in enumerate(lines):
        if line.quad is None:
            order.insert(order.index(index - 1) + 1 if index else 0, index)
    return order


def runs_from_right(texts: Iterable[str]) -> bool:
    """Whether most letters are of scripts written from right to left."""
    kinds = Counter(unicodedata.bidirectional(letter) for text in texts for letter in text)
    return sum(kinds[kind] for kind in _FROM_RIGHT) > kinds["L"]


def _mirrored(quad: Quad) -> Quad:
    a, b, c, d = ((-x, y) for x, y in quad.points)
    return Quad((b, a, d, c))
