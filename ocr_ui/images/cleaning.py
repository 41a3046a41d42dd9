"""Which cleaning a page needs before an engine reads its copy, decided by measures of the page."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from ocr_ui.domain.content import ContentWarning
from ocr_ui.errors import BadInput
from ocr_ui.images.clean_steps import Binarise, Denoise, Deskew, Despeckle, EvenLight
from ocr_ui.images.condition import light, noise, skew, specks
from ocr_ui.images.ink import ground_color
from ocr_ui.images.transform import PictureTransform, Step

OFF, AUTO = "off", "auto"
LEAST_DEGREES = 1.0
"""Less than this is nothing that could matter."""
MOST_GROWN = 4
"""Times the pixels of the page that the sheet of a levelled copy may have: a long strip would come to lie across one of
a thousand times its own size."""
SHARP, GAIN = 5.0, 2.0
"""Lines of text fall into rows that are this much sharper than at other angles, and than they lie. Of 164 pages and
copies on their sides and heads, those that did not lie askew gained 1.44 at most."""

MOST_SPECKS = 0.005
"""Share of the pixels. Clean pages have at most 0.0008, small print and all. Grain has specks too, and taking those out
of it costs letters."""
MOST_NOISE = 10.0
"""Grey levels. Scans and photographs have up to 3."""
EVEN, DARKEST = 0.6, 0.2
"""Shares of the lightest ground: what is darker still in its darker part is no page in a shadow but a picture."""
CLEAR, FAINTEST = 40.0, 18.0
"""Grey levels. What is clearer is read as well in a shadow; the grain of an empty sheet is fainter."""

Decision = tuple[Step, ContentWarning]


def clean(pixels: np.ndarray, wanted: str) -> tuple[np.ndarray, PictureTransform, tuple[ContentWarning, ...]]:
    """The picture with what `wanted` allows and the page needs, how it was made, and what a person is told of it.

    Args:
        pixels: uint8 (height, width, 3), RGB, upright; itself returned where nothing is to be done.
        wanted: off, auto, or names of STEPS with commas between.

    Raises:
        BadInput: `unknown_preprocess`.
    """
    transform = PictureTransform(pixels.shape[1], pixels.shape[0])
    told: list[ContentWarning] = []
    for name in steps_of(wanted):
        decided = STEPS[name](pixels)
        if decided is not None:
            step, said = decided
            pixels, transform = step.apply(pixels), transform.then(step)
            told.append(said)
    return pixels, transform, tuple(told)


def steps_of(wanted: str) -> tuple[str, ...]:
    """Names of the steps that are allowed, in the order of doing them. Raises BadInput (`unknown_preprocess`)."""
    if wanted in (OFF, AUTO):
        return _AUTOMATIC if wanted == AUTO else ()
    named = {name.strip() for name in wanted.split(",")}
    if not named <= STEPS.keys():
        known = ", ".join((OFF, AUTO, *STEPS))
        raise BadInput(
            "unknown_preprocess",
            f"There is no preprocessing {wanted[:80]!r}.",
            f"Use one of: {known}; steps may be joined by commas.",
            wanted=wanted[:80],
            known=known,
        )
    return tuple(name for name in STEPS if name in named)


def _deskew(pixels: np.ndarray) -> Decision | None:
    found = skew(pixels)
    if abs(found.degrees) < LEAST_DEGREES or found.sharpness < SHARP or found.gain < GAIN:
        return None
    step, size = Deskew(found.degrees, ground_color(pixels)), (pixels.shape[1], pixels.shape[0])
    if prod(step.size(size)) > MOST_GROWN * prod(size):
        return None
    degrees = f"{abs(found.degrees):.1f}"
    said = f"The page lies askew by {degrees} degrees; the engine was given a level copy."
    return step, ContentWarning("deskewed", said, details={"degrees": degrees})


def _despeckle(pixels: np.ndarray) -> Decision | None:
    if specks(pixels) < MOST_SPECKS or noise(pixels) >= MOST_NOISE:
        return None
    said = "The page is covered with specks; the engine was given a copy without them."
    return Despeckle(), ContentWarning("despeckled", said)


def _denoise(pixels: np.ndarray) -> Decision | None:
    found = noise(pixels)
    if found < MOST_NOISE:
        return None
    said = "The page is grainy; the engine was given a smoothed copy."
    return Denoise(round(found, 1)), ContentWarning("denoised", said)


def _even_light(pixels: np.ndarray) -> Decision | None:
    found = light(pixels)
    if not (DARKEST <= found.evenness < EVEN and FAINTEST <= found.contrast < CLEAR):
        return None
    said = "The text is faint and the page lit unevenly; the engine was given an evenly lit copy."
    return EvenLight(), ContentWarning("light_evened", said)


def _binarise(pixels: np.ndarray) -> Decision | None:
    if not FAINTEST <= light(pixels).contrast < CLEAR:
        return None
    said = "The text is faint; the engine was given a copy in black and white."
    return Binarise(), ContentWarning("binarised", said)


STEPS: dict[str, Callable[[np.ndarray], Decision | None]] = {
    "despeckle": _despeckle,
    "denoise": _denoise,
    "even_light": _even_light,
    "deskew": _deskew,
    "binarise": _binarise,
}
_AUTOMATIC = ("despeckle", "even_light")
"""What makes the CPU engine read better where it is done: docs/benchmarks.md."""
