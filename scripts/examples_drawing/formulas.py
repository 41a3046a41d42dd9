"""Mathematics, set with the Latin Modern fonts by ziamath."""

from __future__ import annotations

import io
import re

import numpy as np
import resvg_py
import ziamath
from PIL import Image

from examples_drawing.fonts import face_path
from examples_drawing.sheet import INK, Colour, Sheet


def formula(
    sheet: Sheet,
    x: float,
    y: float,
    latex: str,
    size: float,
    align: str = "left",
    fill: Colour = INK,
    kind: str | None = "formula",
) -> float:
    """Sets a formula with its baseline at `y`; remembers it as LaTeX. Returns the x where it ends."""
    drawn, rise = _drawn(latex, size * sheet.scale, fill)
    wide = drawn.width / sheet.scale
    left = x - {"left": 0, "center": wide / 2, "right": wide}[align]
    top = y - rise / sheet.scale
    sheet.paste(drawn, left, top)
    if kind:
        sheet.remember(latex, (left, top, left + wide, top + drawn.height / sheet.scale), kind, margin=2)
    return left + wide


def _drawn(latex: str, size: float, fill: Colour) -> tuple[Image.Image, float]:
    """The formula cut to its ink as RGBA, and how far its baseline lies below the top."""
    svg = ziamath.Latex(
        latex, size=size, font=str(face_path("tex-math")), color="#{:02x}{:02x}{:02x}".format(*fill)
    ).svg()
    top = float(re.search(r'viewBox="\S+ (\S+) ', svg)[1])
    image = Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)))).convert("RGBA")
    ink = np.asarray(image)[..., 3] > 8
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    box = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
    return image.crop(tuple(int(v) for v in box)), -top - float(rows[0])
