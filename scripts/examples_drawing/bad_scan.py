"""A typed letter, folded, stained and faded, laid askew on a worn-out scanner."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter
from scipy import ndimage

from examples_drawing.example import Example
from examples_drawing.paper import cloud, fibres, ramp, to_image
from examples_drawing.picture import Picture
from examples_drawing.sheet import Sheet
from examples_drawing.stamps import stamp

SIZE = (1100, 1500)
CORNERS = np.array([(52, 18), (1092, 64), (1046, 1512), (-8, 1466)], float)
FACE, LETTER, ROW = "typewriter", 25, 36
LETTER_HEAD = ("Westhaven Lighthouse Service", "Depot 4, Gull Quay", "Westhaven")
BODY = (
    "To the keeper of the North Rock light",
    "",
    "Subject: lamp oil and the broken pane",
    "",
    "Dear Mr Harrow,",
    "",
    "thank you for your letter of 2 November. The tender",
    "will bring forty litres of oil and two panes of",
    "thick glass, 62 by 48 centimetres, as soon as the",
    "sea allows. Please measure the frame once more and",
    "tell the skipper if the old putty has come loose.",
    "",
    "The hours of the lamp for the last quarter are still",
    "missing from our books. Kindly send them with the",
    "tender, together with the empty drums (we count",
    "seven) and the key of the boat house.",
    "",
    "As for the goat, the office has no objection, so",
    "long as it is kept away from the fog signal.",
    "",
    "Yours faithfully,",
)


def draw(rng: np.random.Generator) -> Example:
    page = _letter(rng)
    laid = page.projected(CORNERS * 2, Image.new("RGB", (SIZE[0] * 2, SIZE[1] * 2), (30, 30, 31))).shrunk(2)
    return Example(
        name="bad_scan",
        title={"en": "Bad scan of a typed letter", "zh": "质量很差的打字信扫描件"},
        template="full_text",
        language="en",
        kind="bad_scan",
        picture=laid.with_image(_copied(laid.image, rng)),
        suffix=".jpg",
        options={"quality": 52},
    )


def _letter(rng: np.random.Generator) -> Picture:
    sheet = Sheet(1040, 1450, (214, 211, 202))
    for number, row in enumerate(LETTER_HEAD):
        _typed(sheet, 110, 120 + ROW * number, row, rng)
    _typed(sheet, 660, 120 + ROW * 3, "14 November 1961", rng)
    y = 120 + ROW * 6
    for row in BODY:
        if row:
            _typed(sheet, 110, y, row, rng)
        y += ROW
    sheet.text(420, y + 58, "E. Thornby", "script", 54, (58, 62, 92), kind="handwriting")
    _typed(sheet, 420, y + 112, "E. Thornby, stores", rng)
    stamp(sheet, rng, 820, 150, "RECEIVED", "sans-bold", 36, (120, 70, 92), 9)
    return sheet.picture()


def _typed(sheet: Sheet, x: float, y: float, text: str, rng: np.random.Generator) -> None:
    """Each letter struck on its own: a little high or low, a little light or dark."""
    start = len(sheet.lines)
    wide = sheet.measure("m", FACE, LETTER)
    for number, letter in enumerate(text):
        if letter == " ":
            continue
        tone = int(np.clip(rng.normal(62, 24), 18, 130))
        at = x + wide * number + rng.uniform(-0.6, 0.6), y + rng.normal(0, 0.8)
        sheet.text(*at, letter, FACE, LETTER, (tone, tone, tone + 8))
    quads = np.array([line.quad for line in sheet.lines[start:]])
    del sheet.lines[start:]
    sheet.remember(text, (*quads.reshape(-1, 2).min(axis=0), *quads.reshape(-1, 2).max(axis=0)))


def _copied(image: Image.Image, rng: np.random.Generator) -> Image.Image:
    grey = np.asarray(image.convert("L").filter(ImageFilter.GaussianBlur(0.8)), np.float32) / 255
    paper = np.clip((grey - 0.2) * 4, 0, 1)
    grey *= 1 + paper * (fibres(rng, SIZE, 0.03) * ramp(SIZE, 1.06, 0.90, 20) - 1)
    grey += paper * (_folds() + _ring() - 0.05 * np.clip(cloud(rng, SIZE, 160) - 0.7, 0, 2))
    fading = np.clip(0.34 + 0.20 * cloud(rng, SIZE, 120), 0.05, 0.72)
    grey += paper.clip(0.5, 1) * fading * np.clip(0.80 - grey, 0, 1) * (ndimage.uniform_filter(grey, 41) > 0.45)
    grey = _speckled(grey, rng)
    grey[:, 742:744] -= 0.10
    grey[:, 311] += 0.12
    grey += 0.055 * rng.standard_normal(grey.shape).astype(np.float32)
    return to_image(np.repeat(grey[..., None], 3, axis=2)).convert("L")


def _folds() -> np.ndarray:
    """Two creases across and one down, each dark on one side and light on the other."""
    x, y = np.meshgrid(np.arange(SIZE[0], dtype=np.float32), np.arange(SIZE[1], dtype=np.float32))
    total = np.zeros(SIZE[::-1], np.float32)
    for level, slope in ((512, 0.045), (1004, 0.041)):
        gap = y - level - slope * x
        total += (
            0.20 * np.exp(-((gap / 1.6) ** 2))
            - 0.24 * np.exp(-(((gap - 4) / 3) ** 2))
            - 0.05 * np.exp(-np.abs(gap) / 30)
        )
    gap = x - 556 + 0.03 * y
    return total + 0.10 * np.exp(-((gap / 1.4) ** 2)) - 0.14 * np.exp(-(((gap + 3) / 2.4) ** 2))


def _ring() -> np.ndarray:
    """The mark of a cup."""
    x, y = np.meshgrid(np.arange(SIZE[0], dtype=np.float32), np.arange(SIZE[1], dtype=np.float32))
    gap = np.hypot(x - 836, (y - 1190) * 1.02)
    turn = np.arctan2(y - 1190, x - 836)
    weight = 0.6 + 0.4 * np.sin(turn * 1.3 + 1)
    return -weight * (0.16 * np.exp(-(((gap - 128) / 3.5) ** 2)) + 0.05 * np.exp(-(((gap - 118) / 10) ** 2)))


def _speckled(grey: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    for count, low, high in ((900, 0.6, 1.3), (120, 1.2, 2.6)):
        dots = np.zeros(grey.shape, np.float32)
        rows, columns = rng.integers(0, SIZE[1], count), rng.integers(0, SIZE[0], count)
        dots[rows, columns] = rng.uniform(0.5, 1, count)
        reach = rng.uniform(low, high)
        spots = ndimage.gaussian_filter(dots, reach) * 2 * np.pi * reach**2
        grey = grey - 0.55 * np.clip(spots, 0, 1)
    return grey
