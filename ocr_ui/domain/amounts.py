"""Large numbers as people write them."""

from __future__ import annotations


def bytes_text(number: float) -> str:
    """`20 MB`, `1.5 MB`, `300 kB`, `12 bytes`."""
    for unit, size in (("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{number:g} bytes"


def pixels_text(number: int, language: str = "en") -> str:
    """`100 megapixels`, `1 亿像素`; below a million (万 in Chinese) the plain number."""
    if language == "zh":
        for unit, size in (("亿", 1e8), ("万", 1e4)):
            if number >= size:
                return f"{round(number / size, 2):g} {unit}像素"
        return f"{number} 像素"
    return f"{round(number / 1e6, 2):g} megapixels" if number >= 1e6 else f"{number} pixels"
