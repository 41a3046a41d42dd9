"""A frame of a film at night, with subtitles in two languages."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from scipy import ndimage

from examples_drawing.example import Example
from examples_drawing.fonts import font
from examples_drawing.paper import cloud, grain, ramp, to_array, to_image
from examples_drawing.picture import Picture
from examples_drawing.sheet import Sheet

SIZE = (1280, 720)
BAR = 70
CHINESE, ENGLISH = "那些信，你还留着吗？", "Do you still have the letters?"
LAMPS = ((1.0, 0.72, 0.36), (1.0, 0.82, 0.55), (1.0, 0.42, 0.26), (0.52, 0.78, 1.0), (0.98, 0.9, 0.78))


def draw(rng: np.random.Generator) -> Example:
    frame = _street(rng) + _lamps(rng)
    frame = _person(frame, rng)
    frame = frame * (1 - 0.3 * _distance()[..., None] ** 2)
    image = grain(to_image(frame), rng, 0.022)
    picture = _subtitled(image)
    return Example(
        name="film_still",
        title={"en": "Film frame with subtitles", "zh": "带双语字幕的影片画面"},
        template="subtitles",
        language="zh",
        kind="subtitles",
        picture=picture,
        suffix=".jpg",
        options={"quality": 85},
    )


def _distance() -> np.ndarray:
    """How far each pixel is from the middle, 0..1."""
    x, y = np.meshgrid(np.linspace(-1, 1, SIZE[0]), np.linspace(-1, 1, SIZE[1]))
    return (np.hypot(x, y) / np.sqrt(2)).astype(np.float32)


def _street(rng: np.random.Generator) -> np.ndarray:
    """Dark house fronts on both sides and a wet street, far out of focus."""
    width, height = SIZE
    sky = np.array((0.05, 0.09, 0.14), np.float32) + ramp(SIZE, 0, 1, 90)[..., None] * np.array((0.07, 0.06, 0.05))
    scene = Image.fromarray((np.clip(sky, 0, 1) * 255).astype(np.uint8))
    pen = ImageDraw.Draw(scene)
    for edge, top, tone in ((430, -60, 22), (330, -200, 14), (210, -400, 9)):
        pen.polygon([(0, top), (edge, 190), (edge, 470), (0, 640)], (tone, tone + 5, tone + 9))
        pen.polygon(
            [(width, top), (width - edge + 60, 190), (width - edge + 60, 470), (width, 640)], (tone, tone + 4, tone + 6)
        )
    pen.polygon([(430, 470), (910, 470), (width + 200, height), (-200, height)], (20, 22, 27))
    for _ in range(34):
        x, y = rng.choice([rng.uniform(0, 380), rng.uniform(930, width)]), rng.uniform(60, 400)
        warm = rng.uniform(0.4, 1)
        pen.rectangle(
            [x, y, x + rng.uniform(12, 30), y + rng.uniform(20, 42)], tuple(int(v * warm) for v in (190, 138, 70))
        )
    return to_array(scene.filter(ImageFilter.GaussianBlur(13)))


def _lamps(rng: np.random.Generator) -> np.ndarray:
    """Lights out of focus: discs with a brighter rim, and their long reflections on the wet street."""
    width, height = SIZE
    light = np.zeros((height, width, 3), np.float32)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    for _ in range(46):
        depth = rng.uniform(0, 1)
        spread = 80 + 620 * (1 - depth)
        at, level = 660 + rng.uniform(-1, 1) * spread, 420 - (1 - depth) * rng.uniform(10, 330)
        reach = 8 + 30 * (1 - depth) * rng.uniform(0.6, 1.1)
        colour = np.array(LAMPS[int(rng.integers(len(LAMPS)))], np.float32) * rng.uniform(0.16, 0.5)
        gap = np.hypot(x - at, (y - level) * 1.02)
        disc = np.clip(reach - gap, 0, 1.6) / 1.6 * (0.72 + 0.28 * np.clip(gap / reach, 0, 1) ** 6)
        streak = np.exp(-(((x - at) / (reach * 0.9)) ** 2)) * np.exp(-(((y - (940 - level)) / 95) ** 2)) * (y > 470)
        light += colour * (disc + 0.32 * streak)[..., None]
    ripple = 1 + 0.35 * ndimage.gaussian_filter(rng.standard_normal((height, width)), (1.2, 26)) * 8
    light[470:] *= np.clip(ripple[470:, :, None], 0.2, 1.8)
    return ndimage.gaussian_filter(light, (1.1, 1.1, 0)) + 0.5 * ndimage.gaussian_filter(light, (26, 26, 0))


def _person(frame: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Somebody from behind, looking down the street, with the light of a lamp along hair, neck and shoulder."""
    layer = Image.new("L", (SIZE[0] * 2, SIZE[1] * 2))
    pen = ImageDraw.Draw(layer)

    def shape(points: list[tuple[float, float]]) -> None:
        curve = np.array(points, float)
        closed = np.vstack([curve, curve[:1]])
        steps = np.linspace(0, len(curve), 400, endpoint=False)
        smooth = [np.interp(steps, np.arange(len(closed)), closed[:, axis]) for axis in (0, 1)]
        round_ = np.stack([ndimage.gaussian_filter1d(values, 5, mode="wrap") for values in smooth], axis=1)
        pen.polygon([(px * 2, py * 2) for px, py in round_], fill=255)

    shape([(322, 232), (370, 186), (428, 178), (478, 206), (500, 262), (496, 330), (478, 392), (440, 424), (380, 424),
           (340, 392), (318, 330), (312, 276)])  # fmt: skip
    shape([(352, 380), (462, 380), (470, 470), (344, 470)])
    shape([(120, 800), (134, 640), (176, 548), (262, 500), (346, 452), (466, 450), (560, 492), (648, 536), (690, 626),
           (706, 800)])  # fmt: skip
    body = to_array(layer.resize(SIZE, Image.Resampling.LANCZOS).filter(ImageFilter.GaussianBlur(1.6)))[..., :1]
    inside = ndimage.gaussian_filter(body[..., 0], 9)
    side = ndimage.gaussian_filter(np.clip(ndimage.sobel(inside, axis=1) * -6, 0, 1), 12)
    rim = np.clip(body[..., 0] - inside, 0, 1) * np.clip(side * 2.2, 0, 1)
    cloth = np.array((0.030, 0.036, 0.046), np.float32) * (1 + 0.16 * cloud(rng, SIZE, 3)[..., None])
    lit = cloth + np.array((1.0, 0.66, 0.36), np.float32) * (rim * 1.5)[..., None]
    return frame * (1 - body) + lit * body


def _subtitled(image: Image.Image) -> Picture:
    """Black bars above and below, and white words with a dark edge."""
    sheet = Sheet(*SIZE, scale=1)
    sheet.image.paste(image)
    sheet.box(0, 0, SIZE[0], BAR, (0, 0, 0))
    sheet.box(0, SIZE[1] - BAR, SIZE[0], SIZE[1], (0, 0, 0))
    for words, face, size, y in ((CHINESE, "hei", 42, 580), (ENGLISH, "sans", 30, 628)):
        sheet.image.paste((8, 8, 8), mask=_edge(words, face, size, y))
        sheet.text(SIZE[0] / 2, y, words, face, size, (244, 243, 238), "center")
    return sheet.picture()


def _edge(words: str, face: str, size: float, y: float) -> Image.Image:
    mask = Image.new("L", SIZE)
    letters = font(face, size)
    x = SIZE[0] / 2 - letters.getlength(words) / 2
    ImageDraw.Draw(mask).text((x, y), words, 255, letters, anchor="ls", stroke_width=2)
    soft = mask.filter(ImageFilter.GaussianBlur(3)).point(lambda value: value * 0.7)
    return Image.fromarray(np.maximum(np.asarray(mask), np.asarray(soft)))
