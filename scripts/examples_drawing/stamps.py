"""Rubber stamps and seals, as transparent layers."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from examples_drawing.fonts import font
from examples_drawing.paper import cloud
from examples_drawing.sheet import Colour, Sheet

RED: Colour = (200, 38, 44)


def seal(
    sheet: Sheet, rng: np.random.Generator, x: float, y: float, radius: float, around: str, below: str = ""
) -> None:
    """A round Chinese company seal with a star, centred at (x, y); its text is remembered as kind `seal`."""
    scale = sheet.scale
    size = int(2 * radius * scale) + 8
    layer = Image.new("L", (size, size))
    pen, middle, reach = ImageDraw.Draw(layer), size / 2, radius * scale
    pen.ellipse([middle - reach, middle - reach, middle + reach, middle + reach], None, 255, int(reach * 0.05))
    pen.polygon(_star(middle, middle * 0.98, reach * 0.3), 255)
    _around(layer, around, reach)
    if below:
        pen.text((middle, middle + reach * 0.56), below, 255, font("song-bold", reach * 0.2), anchor="mm")
    _press(sheet, layer, x, y, rng, RED, angle=rng.uniform(-9, 9))
    ends = (x - radius, y - radius, x + radius, y + radius)
    sheet.remember(around, ends, "seal")
    if below:
        half = radius * 0.1 * len(below) + 2
        sheet.remember(below, (x - half, y + radius * 0.43, x + half, y + radius * 0.69), "seal")


def stamp(
    sheet: Sheet,
    rng: np.random.Generator,
    x: float,
    y: float,
    text: str,
    face: str,
    size: float,
    colour: Colour,
    angle: float,
) -> None:
    """A framed word, turned by `angle` degrees against the clock, centred at (x, y)."""
    scale, letters = sheet.scale, font(face, size * sheet.scale)
    wide, high = letters.getlength(text), size * scale
    frame = int(wide + high * 0.9), int(high * 1.55)
    layer = Image.new("L", frame)
    pen = ImageDraw.Draw(layer)
    line = int(high * 0.09)
    pen.rounded_rectangle([line, line, frame[0] - line, frame[1] - line], high * 0.16, None, 255, line)
    pen.text((frame[0] / 2, frame[1] / 2), text, 255, letters, anchor="mm")
    left, top, right, bottom = pen.textbbox((frame[0] / 2, frame[1] / 2), text, letters, anchor="mm")
    corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)]) - np.array(frame) / 2
    _press(sheet, layer, x, y, rng, colour, angle)
    turn = np.deg2rad(-angle)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    sheet.remember(text, (0, 0, 1, 1))
    sheet.lines[-1].quad[:] = corners @ spin.T / scale + (x, y)


def _star(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    reach = [radius if n % 2 == 0 else radius * 0.382 for n in range(10)]
    turns = [np.pi * n / 5 - np.pi / 2 for n in range(10)]
    return [(x + r * np.cos(t), y + r * np.sin(t)) for r, t in zip(reach, turns, strict=True)]


def _around(layer: Image.Image, text: str, reach: float) -> None:
    """Sets a text along the upper part of a circle, letters upright to the rim."""
    letters, middle = font("song-bold", reach * 0.27), layer.width / 2
    span = min(250, 24 * len(text))
    for number, letter in enumerate(text):
        angle = -span / 2 + span * number / (len(text) - 1)
        tile = Image.new("L", layer.size)
        ImageDraw.Draw(tile).text((middle, middle - reach * 0.76), letter, 255, letters, anchor="mm")
        layer.paste(255, mask=tile.rotate(-angle, Image.Resampling.BICUBIC))


def _press(
    sheet: Sheet, layer: Image.Image, x: float, y: float, rng: np.random.Generator, colour: Colour, angle: float
) -> None:
    """Presses a shape on the sheet with uneven, slightly transparent ink."""
    turned = layer.rotate(angle, Image.Resampling.BICUBIC, expand=True)
    worn = 0.82 - 0.16 * np.clip(cloud(rng, turned.size, 26), -1, 2) - 0.07 * cloud(rng, turned.size, 3)
    alpha = np.asarray(turned, np.float32) * np.clip(worn, 0.15, 1)
    ink = Image.new("RGB", turned.size, colour)
    at = round(x * sheet.scale - turned.width / 2), round(y * sheet.scale - turned.height / 2)
    sheet.image.paste(ink, at, Image.fromarray(alpha.astype(np.uint8), "L"))
