"""The kind of a page by what stands on it."""

from __future__ import annotations

SIMPLE, DENSE, COMPLEX = LAYOUTS = ("simple", "dense", "complex")
DENSE_LINES = 60
"""Lines from which on a page is dense."""
COMPLEX_BLOCKS = 5
"""Blocks from which on a page is complex; one with a table is as well."""


def layout_by(lines: int, regions: int, tables: int) -> str:
    if tables or regions >= COMPLEX_BLOCKS:
        return COMPLEX
    return DENSE if lines >= DENSE_LINES else SIMPLE
