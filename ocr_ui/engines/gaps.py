"""Blanks that the recogniser leaves out: it was trained on Chinese without any, yet forms and headings have them."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import cv2
import numpy as np

from ocr_ui.engines.rapid_models import Reading

WIDE_GAP = 0.6
"""Ink-free run in line heights: letters leave less between them."""
FAR_APART = 1.3
FAR_APART_SIGNS = 1.6
"""Distance of the middles in usual distances of the line. Brackets and commas have their ink on one side of their
place, so that the run beside them is wide without any blank."""
OUTSTANDING = 2.5
"""Run in usual runs of the line; where all characters are set wide apart, none is a blank."""


def with_gaps(crop: np.ndarray, reading: Reading) -> str:
    """The text with a blank where a visibly wide gap stands beside a Chinese or Japanese character.

    Args:
        crop: the level line, BGR.
        reading: what was read from it.
    """
    letters = [index for index, char in enumerate(reading.text) if not char.isspace()]
    if len(letters) != len(reading.places) or len(letters) < 3:
        return reading.text
    ink = ink_columns(crop)
    middles = [round(place * crop.shape[1]) for place in reading.places]
    runs = [_longest_run(~ink[a:b]) for a, b in pairwise(middles)]
    steps = [b - a for a, b in pairwise(middles)]
    wide_run = max(WIDE_GAP * crop.shape[0], OUTSTANDING * float(np.median(runs)))
    usual_step = float(np.median(steps))
    text = reading.text[: letters[0] + 1]
    for number, (before, after) in enumerate(pairwise(letters)):
        pair = reading.text[before] + reading.text[after]
        far = FAR_APART if pair.isalnum() else FAR_APART_SIGNS
        blank = runs[number] >= wide_run and steps[number] >= far * usual_step and any(map(_is_wide, pair))
        text += (" " if blank and after == before + 1 else "") + reading.text[before + 1 : after + 1]
    return text + reading.text[letters[-1] + 1 :]


def ink_columns(crop: np.ndarray) -> np.ndarray:
    """Whether each column of a level line holds ink, a boolean array."""
    spread = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).std(axis=0)
    return spread > 0.25 * spread.max()


def _longest_run(blank: np.ndarray) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], blank.astype(np.int8), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"
