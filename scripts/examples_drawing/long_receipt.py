"""A wholesale market's receipt, more than ten times as long as wide."""

from __future__ import annotations

import numpy as np

from examples_drawing.codes import barcode, square_code
from examples_drawing.example import Example
from examples_drawing.picture import Picture
from examples_drawing.till import Till, printed

AISLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "FRUIT & VEGETABLES",
        (
            "Carrots bunched", "Leeks 500g", "Celeriac", "Red Onions 1kg", "Baby Spinach 200g", "Vine Tomatoes",
            "Cucumber", "Fennel", "Sweet Potatoes 1kg", "Braeburn Apples", "Conference Pears", "Lemons unwaxed",
            "Medjool Dates 250g",
        ),
    ),
    (
        "DAIRY & EGGS",
        (
            "Whole Milk 2L", "Salted Butter 250g", "Greek Yogurt 1kg", "Mature Cheddar", "Goat's Cheese 150g",
            "Double Cream 300ml", "Free Range Eggs 12", "Halloumi 225g",
        ),
    ),
    (
        "BAKERY",
        ("Sourdough Loaf", "Rye Crispbread", "Seeded Rolls 6pk", "Cinnamon Buns 4pk", "Flour Tortillas 8pk"),
    ),
    (
        "PANTRY",
        (
            "Basmati Rice 2kg", "Penne Rigate 500g", "Red Lentils 1kg", "Chickpeas 400g", "Plum Tomatoes 400g",
            "Olive Oil 750ml", "Sea Salt 350g", "Black Pepper 100g", "Smoked Paprika", "Vegetable Stock",
            "Peanut Butter 340g", "Blossom Honey 340g", "Porridge Oats 1kg", "Strong Flour 1.5kg", "Dried Yeast 56g",
            "Dark Chocolate 85%", "Earl Grey Tea 80", "Ground Coffee 227g",
        ),
    ),
    ("FROZEN", ("Garden Peas 900g", "Cod Fillets 520g", "Mixed Berries 500g", "Vanilla Ice Cream 1L")),
    (
        "HOUSEHOLD",
        (
            "Kitchen Roll 4pk", "Dish Soap 500ml", "Laundry Liquid 2L", "Bin Liners 30L", "Tea Lights 50",
            "AA Batteries 8pk", "Matches 3pk",
        ),
    ),
)  # fmt: skip


def draw(rng: np.random.Generator) -> Example:
    picture = printed(_strip(rng), rng, 0.22)
    return Example(
        name="long_receipt",
        title={"en": "Very long receipt", "zh": "超长小票"},
        template="full_text",
        language="en",
        kind="long_receipt",
        picture=picture,
        suffix=".webp",
        options={"quality": 82, "method": 6},
    )


def _strip(rng: np.random.Generator) -> Picture:
    till = Till(400, 4700, 26, "mono", 20, 29.5)
    till.y = 34
    till.center("TIDEWATER", "sans-bold", 46, 2)
    till.center("WHOLESALE MARKET", "sans-bold", 22, 4)
    till.down(0.3)
    for row in ("Unit 4, Old Rope Works", "Westhaven WH0 0AA", "Tel 01632 960 088", "VAT No 999 9999 73"):
        till.center(row)
    till.dashes()
    till.pair("Till 07", "Op. 1123")
    till.pair("21/02/2026", "17:46:09")
    till.dashes()
    total, count = _items(till, rng)
    till.dashes(double=True)
    _totals(till, total, count)
    _farewell(till, rng)
    return till.strip(48)


def _items(till: Till, rng: np.random.Generator) -> tuple[int, int]:
    """Prints all items. Returns the sum in cents and the number of pieces."""
    total = count = 0
    for aisle, names in AISLES:
        till.down(0.3)
        till.pair(aisle, "", "mono-bold")
        for name in names:
            price, pieces = int(rng.integers(9, 70)) * 10 + int(rng.choice([5, 9])), int(rng.choice([1, 1, 1, 2, 3, 4]))
            till.pair(name, f"{price * pieces / 100:.2f} A")
            if pieces > 1:
                till.pair(f"{pieces} @ {price / 100:.2f}", "", indent=36)
            total += price * pieces
            count += pieces
    return total, count


def _totals(till: Till, total: int, count: int) -> None:
    saved = round(total * 0.05)
    due = total - saved
    till.pair("Items", str(count))
    till.pair("Subtotal", f"{total / 100:.2f}")
    till.pair("Member discount 5%", f"-{saved / 100:.2f}")
    till.down(0.2)
    till.pair("TOTAL", f"{due / 100:.2f}", "mono-bold", 34)
    till.dashes(double=True)
    till.pair("Cash", f"{(due // 2000 + 1) * 20:.2f}")
    till.pair("Change", f"{((due // 2000 + 1) * 2000 - due) / 100:.2f}")
    till.dashes()
    net = round(due / 1.2)
    amounts = (f"{cents / 100:.2f}" for cents in (net, due - net, due))
    for first, *others in (("Rate", "Net", "VAT", "Gross"), ("A 20%", *amounts)):
        till.cells((0, first, "left"), *((x, text, "right") for x, text in zip((180, 266, 348), others, strict=True)))
    till.dashes()
    till.pair("Member", "TW **** 0071")
    till.pair("Points earned", str(due // 100))
    till.pair("Points balance", str(2315 + due // 100))
    till.dashes()


def _farewell(till: Till, rng: np.random.Generator) -> None:
    rows = (
        "Keep this receipt for returns.", "Unopened goods may be brought", "back within 28 days. Fresh and",
        "frozen goods on the day of", "purchase only.",
    )  # fmt: skip
    for row in rows:
        till.center(row)
    till.down(0.4)
    till.center("How did we do today?", "sans-bold", 24)
    till.center("www.example.org/tidewater")
    square_code(till.sheet, 110, till.y + 30, 180, rng)
    till.y += 226
    till.dashes()
    till.center("Opening hours", "mono-bold")
    for day, hours in (("Mon - Fri", "06:00 - 20:00"), ("Saturday", "07:00 - 19:00"), ("Sunday", "closed")):
        till.pair(day, hours)
    till.dashes()
    till.center("You were served by Tomasz")
    till.center("THANK YOU", "sans-bold", 36, 3)
    barcode(till.sheet, 30, till.y + 30, 340, 84, "07-1123-88214")
    till.y += 116
    till.center("07-1123-88214", spacing=3)
