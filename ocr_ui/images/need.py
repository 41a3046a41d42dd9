"""As few pixels of a page as its smallest text needs."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ocr_ui.domain.pixels import AS_MANY, FEW, REDUCED, UNCALIBRATED, UNKNOWN, Need, PixelChoice
from ocr_ui.images.text_height import REVISION as ESTIMATE
from ocr_ui.images.text_height import smallest_text

RULE = 100 + ESTIMATE
"""Of rule and estimate together: either one, when it changes, gives other sizes."""
WORTH = 0.85
"""A copy with more than this share of the pixels saves less than making it costs in sharpness."""


def pixels_needed(pixels: np.ndarray, full: tuple[int, int], need: Need) -> tuple[int, PixelChoice]:
    """The most pixels that an engine's copy of a page has to have, and the choice. Its `size` is right to a pixel or
    two: the copy's own is known once it is made.

    Args:
        pixels: uint8 (height, width, 3), the stored picture.
        full: width and height of the copy with all pixels; never larger than the picture.
    """
    begin = time.perf_counter()
    all_of_them = full[0] * full[1]
    choice = PixelChoice(AS_MANY, full, full, target=need.target, rule=RULE)
    if need.target is None:
        return all_of_them, replace(choice, reason=UNCALIBRATED)
    if all_of_them * WORTH <= need.fewest:
        return all_of_them, replace(choice, reason=FEW)
    found = smallest_text(pixels)
    if found.pixels is None:
        return all_of_them, replace(choice, reason=UNKNOWN, seconds=time.perf_counter() - begin)
    height = found.pixels * full[1] / pixels.shape[0]
    scale = min(1.0, need.target / height)
    wanted = max(need.fewest, round(all_of_them * scale * scale))
    told = replace(choice, text_height=round(height, 1), seconds=time.perf_counter() - begin)
    if wanted > WORTH * all_of_them:
        return all_of_them, told
    scale = (wanted / all_of_them) ** 0.5
    return wanted, replace(told, reason=REDUCED, size=(round(full[0] * scale), round(full[1] * scale)))
