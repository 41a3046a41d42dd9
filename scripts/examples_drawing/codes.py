"""Bar codes that scan, and a square pattern that only looks like a two-dimensional code."""

from __future__ import annotations

import numpy as np

from examples_drawing.sheet import INK, Colour, Sheet

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. *"
PATTERNS = (
    "000110100 100100001 001100001 101100000 000110001 100110000 001110000 000100101 100100100 001100100 "
    "100001001 001001001 101001000 000011001 100011000 001011000 000001101 100001100 001001100 000011100 "
    "100000011 001000011 101000010 000010011 100010010 001010010 000000111 100000110 001000110 000010110 "
    "110000001 011000001 111000000 010010001 110010000 011010000 010000101 110000100 011000100 010010100"
)
"""Code 39: nine bars and gaps a character, 1 for a wide one (ISO/IEC 16388)."""
CODE_39 = dict(zip(LETTERS, PATTERNS.split(), strict=True))


def barcode(sheet: Sheet, x: float, y: float, width: float, height: float, text: str, fill: Colour = INK) -> None:
    """A Code 39 bar code of `text`, filling `width`."""
    bars = [2.5 if bit == "1" else 1 for letter in f"*{text}*" for bit in CODE_39[letter] + "0"][:-1]
    unit, at = width / sum(bars), x
    for number, wide in enumerate(bars):
        if number % 2 == 0:
            sheet.box(at, y, at + wide * unit, y + height, fill)
        at += wide * unit


def square_code(
    sheet: Sheet, x: float, y: float, size: float, rng: np.random.Generator, modules: int = 29, fill: Colour = INK
) -> None:
    """Three finder squares and random modules: looks like a code, says nothing."""
    unit = size / modules
    dark = rng.random((modules, modules)) < 0.48
    dark[6, 8:-8] = dark[8:-8, 6] = np.arange(modules - 16) % 2 == 0
    for row, column in ((0, 0), (0, modules - 7), (modules - 7, 0)):
        dark[max(0, row - 1) : row + 8, max(0, column - 1) : column + 8] = False
        dark[row : row + 7, column : column + 7] = True
        dark[row + 1 : row + 6, column + 1 : column + 6] = False
        dark[row + 2 : row + 5, column + 2 : column + 5] = True
    for row, column in np.argwhere(dark):
        left, top = x + column * unit, y + row * unit
        sheet.box(left, top, left + unit, top + unit, fill)
