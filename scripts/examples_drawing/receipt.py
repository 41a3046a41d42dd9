"""A café receipt in English."""

from __future__ import annotations

import numpy as np

from examples_drawing.codes import barcode
from examples_drawing.example import Example
from examples_drawing.picture import Picture
from examples_drawing.sheet import Sheet
from examples_drawing.till import PRINT, Till, laid_on, printed

ITEMS = (
    (2, "Flat White", 7.60),
    (1, "Oat Cappuccino", 4.10),
    (0, "+ extra shot", 0.60),
    (1, "Almond Croissant", 3.45),
    (1, "Eggs Royale", 11.90),
    (1, "Blood Orange Juice", 3.80),
)


def draw(rng: np.random.Generator) -> Example:
    strip = printed(_strip(), rng)
    corners = np.array([(74, 38), (683, 52), (668, 1240), (62, 1232)], float)
    picture = laid_on(strip, rng, (740, 1290), corners, (0.42, 0.36, 0.31))
    fields = {
        "Store": "MARLOW & FINCH",
        "Date": "14/03/2026",
        "Receipt number": "20418",
        "Subtotal": "31.45",
        "Service": "3.15",
        "Total": "£34.60",
        "Payment method": "Debit card",
    }
    return Example(
        name="receipt",
        title={"en": "Café receipt", "zh": "咖啡馆小票（英文）"},
        template="fields",
        language="en",
        kind="receipt",
        picture=picture,
        suffix=".jpg",
        options={"quality": 88},
        variables={"fields": ", ".join(fields)},
        extra={"fields": fields},
    )


def _strip() -> Picture:
    till = Till(600, 1300, 46, "till", 21, 32)
    sheet = till.sheet
    _cup(sheet, 300, 66)
    till.y = 104
    till.center("MARLOW & FINCH", "serif-bold", 44, 3)
    till.center("Coffee House & Bakery", "serif-italic", 27)
    till.down(0.3)
    till.center("27 Lantern Street, Westhaven")
    till.center("Tel 01632 960 147")
    till.center("VAT No 999 9999 73")
    till.dashes()
    till.pair("Receipt 20418", "Table 6")
    till.pair("14/03/2026 08:52", "Server: Priya")
    till.dashes()
    for count, name, price in ITEMS:
        till.cells(
            (0, str(count) if count else "", "left"),
            (38, name, "left"),
            (till.right - till.left, f"{price:.2f}", "right"),
        )
    till.dashes()
    till.pair("Subtotal", "31.45")
    till.pair("Service 10%", "3.15")
    till.down(0.2)
    till.pair("TOTAL", "£34.60", "till-bold", 34)
    till.dashes(double=True)
    till.pair("Debit card", "34.60")
    till.pair("Number", "**** **** **** 0000")
    till.pair("Auth code", "048213")
    till.pair("of which VAT 20%", "5.24")
    till.dashes()
    till.center("Thank you, see you soon!", "serif-italic", 28)
    till.center("www.example.com/marlow", size=19)
    barcode(sheet, 130, till.y + 26, 340, 74, "MF-20418-6")
    till.y += 106
    till.center("MF-20418-6", size=19, spacing=4)
    return till.strip(40)


def _cup(sheet: Sheet, x: float, y: float) -> None:
    """A small cup as a mark."""
    sheet.disc(x + 34, y + 12, 16, None, PRINT, 5)
    sheet.box(x - 36, y - 14, x + 36, y + 34, PRINT, radius=16)
    sheet.box(x - 36, y - 14, x + 36, y + 6, PRINT)
    sheet.box(x - 50, y + 38, x + 50, y + 43, PRINT, radius=2)
    for shift in (-16, 0, 16):
        wave = [(x + shift + 4 * np.sin(t * 2.2), y - 22 - t * 8) for t in np.linspace(0, 3, 24)]
        sheet.curve(wave, 3, PRINT)
