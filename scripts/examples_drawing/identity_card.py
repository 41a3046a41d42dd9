"""A specimen identity card of a country that does not exist."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from examples_drawing.example import Example
from examples_drawing.fonts import font
from examples_drawing.paper import cloud, fibres, ramp, shaded, soft_shape, to_array, to_image
from examples_drawing.picture import Picture
from examples_drawing.portrait import portrait
from examples_drawing.sheet import Sheet

WIDTH, HEIGHT = 1000, 630
NAVY, LABEL, INK = (26, 52, 96), (86, 100, 124), (24, 26, 34)
ENTRIES = (
    (350, 190, "Surname / Nom", "LINDQVIST"),
    (350, 262, "Given names / Prénoms", "MIRA SOLEIL"),
    (350, 334, "Date of birth / Date de naissance", "12 08 1989"),
    (700, 334, "Sex / Sexe", "F"),
    (350, 406, "Nationality / Nationalité", "UTOPIAN"),
    (700, 406, "Card no. / No de carte", "X00000017"),
    (350, 478, "Date of issue / Délivrée le", "03 05 2024"),
    (700, 478, "Date of expiry / Expire le", "02 05 2034"),
)
QUESTION = "When does this card expire?"


def draw(rng: np.random.Generator) -> Example:
    card = _card(rng)
    corners = np.array([(92, 96), (1090, 76), (1108, 704), (104, 730)], float)
    picture = _laid(card, rng, (1200, 800), corners)
    return Example(
        name="identity_card",
        title={"en": "Specimen identity card", "zh": "身份证样本（虚构国家）"},
        template="qa",
        language="en",
        kind="identity_card",
        picture=picture,
        suffix=".webp",
        options={"quality": 84, "method": 6},
        variables={"question": QUESTION},
        extra={
            "answer": "02 05 2034",
            "fields": {label.split(" / ")[0]: value for _, _, label, value in ENTRIES},
        },
    )


def check_digit(text: str) -> str:
    """Check digit of a machine-readable zone (ICAO 9303, part 3)."""
    values = [0 if letter == "<" else int(letter, 36) for letter in text]
    return str(sum(value * (7, 3, 1)[n % 3] for n, value in enumerate(values)) % 10)


def machine_rows() -> tuple[str, str, str]:
    """The three rows of a card of size TD1 (ICAO 9303, part 5); UTO is the code kept for specimens."""
    number, birth, expiry = "X00000017", "890812", "340502"
    first = f"I<UTO{number}{check_digit(number)}".ljust(30, "<")
    second = f"{birth}{check_digit(birth)}F{expiry}{check_digit(expiry)}UTO".ljust(29, "<")
    second += check_digit(first[5:30] + second[:7] + second[8:15] + second[18:29])
    return first, second, "LINDQVIST<<MIRA<SOLEIL".ljust(30, "<")


def _card(rng: np.random.Generator) -> Picture:
    sheet = Sheet(WIDTH, HEIGHT, (232, 238, 242))
    _guilloche(sheet)
    sheet.box(0, 0, WIDTH, 112, NAVY)
    _crest(sheet, 72, 56)
    sheet.text(134, 56, "REPUBLIC OF UTOPIA", "modern-black", 36, (255, 255, 255), spacing=2)
    sheet.text(135, 90, "RÉPUBLIQUE D'UTOPIE", "modern", 21, (206, 218, 236), spacing=2)
    sheet.text(WIDTH - 40, 54, "IDENTITY CARD", "modern-bold", 26, (255, 255, 255), "right", spacing=1)
    sheet.text(WIDTH - 40, 86, "CARTE D'IDENTITÉ", "modern", 19, (206, 218, 236), "right", spacing=1)
    sheet.paste(portrait(244, 310, sheet.scale), 54, 150)
    sheet.box(54, 150, 298, 460, outline=(150, 164, 182), width=1.5)
    for x, y, label, value in ENTRIES:
        sheet.text(x, y - 28, label, "sans", 16, LABEL)
        sheet.text(x, y, value, "sans-bold", 27, INK)
    _chip(sheet, 834, 152)
    _specimen(sheet)
    sheet.box(0, 500, WIDTH, HEIGHT, (244, 246, 246))
    for number, row in enumerate(machine_rows()):
        sheet.text(82, 542 + 37 * number, row, "machine", 31, INK, spacing=5)
    return sheet.picture()


def _guilloche(sheet: Sheet) -> None:
    """Fine wavy lines, as on security paper."""
    x = np.linspace(0, WIDTH, 260)
    for number in range(26):
        phase = number * 0.24
        wave = 306 + 170 * np.sin(x / 170 + phase) * np.cos(x / 410 - phase * 0.7) + 16 * np.sin(x / 23 + phase * 3)
        tone = (184, 206, 222) if number % 2 else (222, 206, 206)
        sheet.curve(list(zip(x, wave, strict=True)), 0.8, tone)


def _crest(sheet: Sheet, x: float, y: float) -> None:
    sheet.disc(x, y, 40, (244, 214, 132))
    sheet.disc(x, y, 35, NAVY)
    for turn in np.linspace(0, 2 * np.pi, 8, endpoint=False):
        side = np.array([-np.sin(turn), np.cos(turn)]) * 6
        tip, root = np.array([np.cos(turn), np.sin(turn)]) * 30, np.array([np.cos(turn), np.sin(turn)]) * 9
        points = np.add((x, y), (root + side, tip, root - side))
        sheet.polygon([tuple(point) for point in points], (244, 214, 132))
    sheet.disc(x, y, 9, (244, 214, 132))


def _chip(sheet: Sheet, x: float, y: float) -> None:
    gold, line = (214, 182, 104), (150, 120, 58)
    sheet.box(x, y, x + 112, y + 90, gold, line, 1.5, 12)
    for level in (30, 60):
        sheet.rule(x, y + level, x + 36, y + level, 1.5, line)
        sheet.rule(x + 76, y + level, x + 112, y + level, 1.5, line)
    sheet.box(x + 36, y + 18, x + 76, y + 72, outline=line, width=1.5, radius=8)
    sheet.rule(x + 56, y, x + 56, y + 18, 1.5, line)
    sheet.rule(x + 56, y + 72, x + 56, y + 90, 1.5, line)


def _specimen(sheet: Sheet) -> None:
    """The word SPECIMEN in red across the photo."""
    scale, size = sheet.scale, (300, 90)
    layer = Image.new("L", (size[0] * scale, size[1] * scale))
    letters = font("modern-black", 50 * scale)
    pen = ImageDraw.Draw(layer)
    middle = layer.width / 2, layer.height / 2
    pen.text(middle, "SPECIMEN", 220, letters, anchor="mm")
    left, top, right, bottom = pen.textbbox(middle, "SPECIMEN", letters, anchor="mm")
    turned = layer.rotate(24, Image.Resampling.BICUBIC, expand=True)
    at = 176 * scale - turned.width // 2, 312 * scale - turned.height // 2
    sheet.image.paste((206, 30, 40), at, turned)
    turn = np.deg2rad(-24)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = (np.array([(left, top), (right, top), (right, bottom), (left, bottom)]) - middle) @ spin.T / scale
    sheet.remember("SPECIMEN", (0, 0, 1, 1), "stamp")
    sheet.lines[-1].quad[:] = np.add(corners, (176, 312))


def _laid(card: Picture, rng: np.random.Generator, size: tuple[int, int], corners: np.ndarray) -> Picture:
    """On dark felt, with a gleam of the lamp on the plastic."""
    felt = np.array((0.17, 0.20, 0.19), np.float32) * fibres(rng, size, 0.10)[..., None]
    felt *= 1 + 0.10 * cloud(rng, size, 1.5)[..., None]
    dark = soft_shape(size, np.add(corners, (5, 10)), 10)
    table = to_image(felt * ramp(size, 1.3, 0.7, 40)[..., None] * (1 - 0.6 * dark[..., None]))
    large = table.resize((size[0] * 2, size[1] * 2), Image.Resampling.BICUBIC)
    shape = Image.new("L", card.image.size)
    ImageDraw.Draw(shape).rounded_rectangle([2, 2, WIDTH - 3, HEIGHT - 3], 34, 255)
    laid = card.projected(corners * 2, large, shape).shrunk(2)
    array = to_array(shaded(laid.image, ramp(size, 1.04, 0.92, 40)))
    band = np.array([(640, 0), (760, 0), (430, 800), (310, 800)], float)
    gleam = soft_shape(size, band, 60) * soft_shape(size, corners, 2)
    return laid.with_image(to_image(array + 0.11 * gleam[..., None]))
