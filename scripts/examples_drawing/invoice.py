"""An invoice as a program prints it: no paper, no noise."""

from __future__ import annotations

import numpy as np
from PIL import Image

from examples_drawing.example import Example
from examples_drawing.sheet import Sheet

TEAL = (17, 94, 103)
PALE = (229, 240, 241)
GREY = (96, 104, 110)
LEFT, RIGHT = 96, 1144
COLUMNS = ((110, "left"), (170, "left"), (752, "right"), (790, "left"), (978, "right"), (1126, "right"))
HEAD = ("#", "Description", "Qty", "Unit", "Unit price", "Amount")
ITEMS = (
    ("Survey of the existing roof structure", "2 visits, written report", 2, "day", 640.00),
    ("Oak truss, hand-cut, pegged", "span 6.4 m, kiln-dried", 4, "pcs", 1285.50),
    ("Copper flashing 0.6 mm", "folded on site", 38, "m", 27.40),
    ("Scaffolding, erection and removal", "week 14 to week 17", 1, "lot", 2150.00),
    ("Delivery to site", "two loads, crane lorry", 2, "load", 185.00),
)


def draw(rng: np.random.Generator) -> Example:
    sheet = Sheet(1240, 1754)
    _head(sheet)
    _parties(sheet)
    net = _items(sheet)
    _totals(sheet, net)
    _payment(sheet)
    picture = sheet.picture()
    fields = {
        "Invoice number": "2026-0417",
        "Invoice date": "9 April 2026",
        "Due date": "9 May 2026",
        "Customer": "Saltmarsh Heritage Trust",
        "Subtotal": f"€{net:,.2f}",
        "VAT": f"€{vat(net):,.2f}",
        "Total": f"€{net + vat(net):,.2f}",
        "IBAN": iban("TEST00000012345678"),
        "BIC": "TESTGB2LXXX",
    }
    return Example(
        name="invoice",
        title={"en": "Invoice", "zh": "发票（英文）"},
        template="fields",
        language="en",
        kind="invoice",
        picture=picture.with_image(picture.image.quantize(96, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)),
        options={"optimize": True},
        variables={"fields": ", ".join(fields)},
        extra={"fields": fields},
    )


def vat(net: float) -> float:
    return round(net * 0.19, 2)


def iban(account: str, country: str = "GB") -> str:
    """An IBAN with right check digits (ISO 13616) in groups of four; the bank `TEST` does not exist."""
    digits = "".join(str(int(letter, 36)) for letter in f"{account}{country}00")
    whole = f"{country}{98 - int(digits) % 97:02d}{account}"
    return " ".join(whole[n : n + 4] for n in range(0, len(whole), 4))


def _head(sheet: Sheet) -> None:
    _logo(sheet, LEFT, 84)
    sheet.text(214, 128, "Hollowell & Daughters", "modern-black", 34, TEAL)
    sheet.text(215, 164, "TIMBER FRAMES · ROOFS · REPAIRS", "modern", 17, GREY, spacing=2.4)
    sheet.text(RIGHT, 140, "INVOICE", "modern-light", 62, TEAL, "right", spacing=3)
    sheet.rule(LEFT, 208, RIGHT, 208, 3, TEAL)


def _logo(sheet: Sheet, x: float, y: float) -> None:
    """A roof over a ring."""
    sheet.polygon(
        [(x, y + 58), (x + 50, y), (x + 100, y + 58), (x + 84, y + 58), (x + 50, y + 19), (x + 16, y + 58)], TEAL
    )
    sheet.disc(x + 50, y + 66, 30, TEAL)
    sheet.disc(x + 50, y + 66, 19, (255, 255, 255))
    sheet.disc(x + 50, y + 66, 9, (214, 140, 52))


def _parties(sheet: Sheet) -> None:
    sheet.text(LEFT, 262, "BILL TO", "modern-bold", 17, TEAL, spacing=1.6)
    rows = ("Saltmarsh Heritage Trust", "Attn. Ms Odile Fenwright", "The Old Customs House", "3 Ferry Lane")
    sheet.text(LEFT, 298, rows[0], "modern-bold", 24)
    for number, row in enumerate((*rows[1:], "Westhaven WH0 0AB")):
        sheet.text(LEFT, 330 + 30 * number, row, "modern", 22)
    sheet.box(720, 240, RIGHT, 426, PALE, radius=8)
    pairs = (
        ("Invoice number", "2026-0417"),
        ("Invoice date", "9 April 2026"),
        ("Due date", "9 May 2026"),
        ("Your order", "SHT/R-118"),
    )
    for number, (name, value) in enumerate(pairs):
        y = 280 + 39 * number
        sheet.text(744, y, name, "modern", 21, GREY)
        sheet.text(RIGHT - 24, y, value, "modern-bold", 21, align="right")


def _items(sheet: Sheet) -> float:
    """Draws the table. Returns the net sum."""
    sheet.box(LEFT, 492, RIGHT, 540, TEAL)
    for (x, align), word in zip(COLUMNS, HEAD, strict=True):
        sheet.text(x, 523, word, "modern-bold", 20, (255, 255, 255), align)
    y, net = 540.0, 0.0
    for number, (name, detail, count, unit, price) in enumerate(ITEMS, 1):
        if number % 2 == 0:
            sheet.box(LEFT, y, RIGHT, y + 84, (246, 249, 249))
        cells = (str(number), name, str(count), unit, f"{price:,.2f}", f"{count * price:,.2f}")
        for (x, align), text in zip(COLUMNS, cells, strict=True):
            sheet.text(x, y + 37, text, "modern", 22, align=align)
        sheet.text(170, y + 66, detail, "modern", 18, GREY)
        y += 84
        net += count * price
        sheet.rule(LEFT, y, RIGHT, y, 1, (203, 214, 216))
    sheet.rule(LEFT, y, RIGHT, y, 2, TEAL)
    return net


def _totals(sheet: Sheet, net: float) -> None:
    pairs = (("Subtotal", net), ("VAT 19%", vat(net)))
    for number, (name, value) in enumerate(pairs):
        sheet.text(800, 1012 + 40 * number, name, "modern", 22, GREY)
        sheet.text(1126, 1012 + 40 * number, f"€{value:,.2f}", "modern", 22, align="right")
    sheet.box(784, 1080, RIGHT, 1142, TEAL, radius=6)
    sheet.text(800, 1120, "Total", "modern-bold", 26, (255, 255, 255))
    sheet.text(1126, 1120, f"€{net + vat(net):,.2f}", "modern-bold", 28, (255, 255, 255), "right")


def _payment(sheet: Sheet) -> None:
    sheet.text(LEFT, 1230, "PAYMENT", "modern-bold", 17, TEAL, spacing=1.6)
    pairs = (
        ("Account holder", "Hollowell & Daughters Ltd"),
        ("IBAN", iban("TEST00000012345678")),
        ("BIC", "TESTGB2LXXX"),
        ("Reference", "2026-0417"),
    )
    for number, (name, value) in enumerate(pairs):
        sheet.text(LEFT, 1270 + 36 * number, name, "modern", 21, GREY)
        sheet.text(290, 1270 + 36 * number, value, "modern-bold" if name == "IBAN" else "modern", 21)
    words = (
        "Payable within 30 days without deduction. After the due date we charge interest at the statutory rate. "
        "Goods remain our property until they are paid for in full."
    )
    sheet.paragraph(LEFT, 1446, 700, words, "modern", 19, 28, justify=False, fill=GREY)
    sheet.text(900, 1470, "Ruth Hollowell", "script", 46, (38, 58, 120), kind="handwriting")
    sheet.rule(860, 1492, RIGHT, 1492, 1, GREY)
    sheet.text(860, 1518, "Ruth Hollowell, managing director", "modern", 17, GREY)
    sheet.rule(LEFT, 1626, RIGHT, 1626, 1, (203, 214, 216))
    foot = (
        "Hollowell & Daughters Ltd · Sawpit Yard, Upper Wending UW0 0ZZ · Tel 01632 960 210",
        "accounts@hollowell.example · www.hollowell.example · VAT GB 999 9999 73 · Page 1 of 1",
    )
    for number, row in enumerate(foot):
        sheet.text(620, 1660 + 28 * number, row, "modern", 17, GREY, "center")
