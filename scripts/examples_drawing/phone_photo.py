"""A notice lying askew on a desk, photographed with a telephone."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

from examples_drawing.desk import mug, pencil, wood
from examples_drawing.example import Example
from examples_drawing.paper import cloud, fibres, grain, ramp, shaded, soft_shape, to_array, to_image
from examples_drawing.picture import Picture
from examples_drawing.sheet import Sheet

SIZE = (1200, 1600)
CORNERS = np.array([(298, 196), (1070, 352), (908, 1454), (70, 1238)], float)
BLUE = (24, 62, 120)
DAYS = (
    ("Mon 8 June", "Stairwell A", "Cold and hot water", "08:00 – 13:00"),
    ("Tue 9 June", "Stairwell B", "Cold and hot water", "08:00 – 13:00"),
    ("Wed 10 June", "Stairwells A, B", "Hot water only", "09:00 – 16:00"),
    ("Thu 11 June", "Cellar, laundry", "Cold water only", "10:00 – 12:00"),
)
COLUMNS = (96, 282, 504, 760)


def draw(rng: np.random.Generator) -> Example:
    page = _sheet().picture()
    page = page.with_image(shaded(page.image, fibres(rng, page.image.size, 0.012) * _folds(page.image.size)))
    desk = pencil(mug(wood(rng, SIZE), 1096, 150, 165), (1150, 760), (1010, 1290), 22)
    shadow = soft_shape(SIZE, np.add(CORNERS, (-12, 14)), 12)
    desk = to_image(to_array(desk) * (1 - 0.55 * shadow[..., None]))
    large = desk.resize((SIZE[0] * 2, SIZE[1] * 2), Image.Resampling.BICUBIC)
    picture = page.projected(CORNERS * 2, large).shrunk(2)
    return Example(
        name="phone_photo",
        title={"en": "Photo of a notice", "zh": "手机拍摄的通知"},
        template="full_text",
        language="en",
        kind="photo",
        picture=picture.with_image(_photographed(picture, rng)),
        suffix=".jpg",
        options={"quality": 80},
    )


def _sheet() -> Sheet:
    sheet = Sheet(990, 1330, (252, 251, 247))
    sheet.box(0, 0, 990, 128, BLUE)
    sheet.text(64, 84, "NOTICE TO RESIDENTS", "modern-black", 48, (255, 255, 255), spacing=1)
    sheet.text(64, 186, "Linden Court, Stairwells A and B", "modern-bold", 28)
    sheet.text(926, 186, "2 June 2026", "modern", 26, align="right")
    sheet.rule(64, 208, 926, 208, 2, BLUE)
    sheet.text(64, 272, "Water will be shut off for repairs", "modern-bold", 38, BLUE)
    first = (
        "Dear residents, the plumbers will replace the rising pipes next week. While they work, the water has to be "
        "shut off in parts of the house. Please fill a kettle and a bucket the evening before."
    )
    y = sheet.paragraph(64, 336, 862, first, "modern", 31, 46, justify=False)
    y = _days(sheet, y + 24)
    second = (
        "Please be at home or leave a key with the caretaker. After the work, let each tap run for two minutes until "
        "the water is clear."
    )
    y = sheet.paragraph(64, y + 66, 862, second, "modern", 31, 46, justify=False)
    sheet.text(64, y + 24, "Questions?", "modern-bold", 32)
    sheet.text(64, y + 70, "Caretaker: Mr Okafor, ground floor left, Tel 01632 960 355", "modern", 30)
    sheet.text(64, y + 114, "Office: linden-court@example.org", "modern", 30)
    sheet.text(64, y + 212, "Amara Quist", "script", 58, (30, 46, 110), kind="handwriting")
    sheet.text(64, y + 262, "House management", "modern", 27, (90, 94, 100))
    return sheet


def _days(sheet: Sheet, y: float) -> float:
    """The table of days. Returns its lower edge."""
    sheet.box(64, y, 926, y + 60, (222, 231, 243))
    for x, word in zip(COLUMNS, ("Day", "Where", "What", "When"), strict=True):
        sheet.text(x - 16, y + 40, word, "modern-bold", 28, BLUE)
    for number, cells in enumerate(DAYS, 1):
        sheet.rule(64, y + 60 * number, 926, y + 60 * number, 1, (150, 162, 180))
        for x, text in zip(COLUMNS, cells, strict=True):
            sheet.text(x - 16, y + 60 * number + 40, text, "modern", 28)
    sheet.box(64, y, 926, y + 300, outline=BLUE, width=1.5)
    return y + 300


def _folds(size: tuple[int, int]) -> np.ndarray:
    """The sheet was folded in three: each part catches the light a little differently."""
    width, height = size
    y = np.arange(height, dtype=np.float32)
    light = np.interp(y, [0, height / 3 - 3, height / 3 + 3, 2 * height / 3 - 3, 2 * height / 3 + 3, height],
                      [1.0, 0.955, 1.0, 0.975, 0.94, 0.99])  # fmt: skip
    for crease in (height / 3, 2 * height / 3):
        light += 0.05 * np.exp(-(((y - crease - 3) / 3) ** 2)) - 0.07 * np.exp(-(((y - crease + 2) / 2.5) ** 2))
    return np.repeat(light[:, None], width, axis=1).astype(np.float32)


def _photographed(picture: Picture, rng: np.random.Generator) -> Image.Image:
    """Lamp from the upper left, the shadow of a hand with a telephone, warm white, blur to one side, sensor noise."""
    size = picture.image.size
    light = ramp(size, 1.10, 0.72, 50) * (1 + 0.02 * cloud(rng, size, 300))
    hand = np.array([(560, 1700), (600, 1330), (720, 1130), (960, 1010), (1300, 960), (1300, 1700)], float)
    light *= 1 - 0.34 * soft_shape(size, hand, 46)
    warm = np.array((1.02, 0.985, 0.925), np.float32)
    image = to_image(to_array(picture.image) * light[..., None] * warm)
    image = image.filter(ImageFilter.GaussianBlur(0.55))
    soft = image.filter(ImageFilter.GaussianBlur(1.1))
    away = ramp(size, 0, 1, 90)[::-1] ** 3
    mixed = to_array(image) * (1 - away[..., None]) + to_array(soft) * away[..., None]
    return grain(to_image(mixed), rng, 0.022)
