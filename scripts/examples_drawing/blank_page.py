"""A page with nothing on it: paper, light, and the ghost of the other side's edge."""

from __future__ import annotations

import numpy as np

from examples_drawing.example import Example
from examples_drawing.paper import cloud, fibres, grain, ramp, to_image
from examples_drawing.picture import Picture

SIZE = (1000, 1414)


def draw(rng: np.random.Generator) -> Example:
    paper = np.array((0.965, 0.955, 0.925), np.float32) * fibres(rng, SIZE, 0.012)[..., None]
    paper *= (ramp(SIZE, 1.01, 0.95, 25) * (1 - 0.10 * np.exp(-np.arange(SIZE[0]) / 30))[None, :])[..., None]
    level = np.arange(SIZE[1], dtype=np.float32)[:, None, None]
    paper -= 0.02 * np.exp(-(((level - 709) / 3) ** 2)) - 0.012 * np.exp(-(((level - 704) / 3) ** 2))
    paper -= (0.018 * np.clip(cloud(rng, SIZE, 4) - 2.7, 0, 2))[..., None]
    return Example(
        name="blank_page",
        title={"en": "Blank page", "zh": "空白页"},
        template="full_text",
        language="und",
        kind="blank",
        picture=Picture(grain(to_image(paper), rng, 0.010)),
        suffix=".jpg",
        options={"quality": 80},
    )
