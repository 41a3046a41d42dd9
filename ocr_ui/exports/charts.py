"""Bar charts as SVG files, for whoever shows Markdown: no browser and no library draws them."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

from ocr_ui.exports.sample import Notes
from ocr_ui.exports.xml_text import allowed

MOST_BARS = 12
_ROW, _LABELS, _BARS, _NUMBERS, _MARGIN = 26, 190, 380, 80, 12
_LONGEST = 26
"""Characters of a label that fit beside the bars."""


def bars(title: str, counts: Mapping[str, int]) -> str:
    """A horizontal bar a value, the largest first; what is beyond MOST_BARS stands together as the last one.

    The ground is white and the letters are dark, so that it can be read on a light and on a dark page.
    """
    rows = _rows(counts)
    most = max((count for _, count in rows), default=1)
    width = _LABELS + _BARS + _NUMBERS + 2 * _MARGIN
    height = _ROW * (len(rows) + 1) + 2 * _MARGIN
    said = escape(_clean(title))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13" role="img" aria-label="{said.replace(chr(34), "")}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_MARGIN}" y="{_MARGIN + 14}" font-weight="bold" fill="#1f2937">{said}</text>',
    ]
    for number, (label, count) in enumerate(rows, start=1):
        middle, left = _MARGIN + _ROW * number + _ROW // 2, _MARGIN + _LABELS
        long = max(1, round(_BARS * count / most))
        parts += [
            f'<text x="{left - 8}" y="{middle + 5}" text-anchor="end" fill="#374151">{escape(_short(label))}</text>',
            f'<rect x="{left}" y="{middle - 8}" width="{long}" height="16" rx="2" fill="#2563eb"/>',
            f'<text x="{left + long + 6}" y="{middle + 5}" fill="#374151">{count:,}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _rows(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    rows = ranked(counts)
    if len(rows) <= MOST_BARS:
        return rows
    rest = rows[MOST_BARS - 1 :]
    return [*rows[: MOST_BARS - 1], (f"{len(rest)} others", sum(count for _, count in rest))]


def _short(label: str) -> str:
    text = _clean(label)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _clean(text: str) -> str:
    return " ".join(allowed(text, Notes()).split())
