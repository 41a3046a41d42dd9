"""From every way of storing colours to RGB."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import cv2
import numpy as np
from PIL import Image, ImageCms

from ocr_ui.domain.content import ContentWarning
from ocr_ui.images.depth import to_8_bits

_SRGB = ImageCms.createProfile("sRGB")
_CMS_PIXELS = 40_000_000
"""Larger pictures keep their own colour space (CMYK excepted): the conversion takes about a second for these many."""

_DEEP_MODES = frozenset({"I", "F", "I;16", "I;16L", "I;16B", "I;16N"})
_GROUNDS = {255: "white", 0: "black", 128: "grey"}
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
_ENOUGH_CONTRAST = 128
_BETTER = 1.25
_REACH = 3
_BAND_PIXELS = 4_000_000

Notes = tuple[ContentWarning, ...]
Convert = Callable[[Image.Image], Image.Image]


def to_rgb(image: Image.Image) -> tuple[np.ndarray, Notes]:
    """Pixels of a loaded picture of any mode: uint8 (height, width, 3), RGB, and what a person should know.

    Transparent pictures are laid on white, black or grey, whichever makes their visible pixels stand out. The work is
    done in bands of rows, so that a large picture is not in memory several times.

    Raises:
        ValueError, OSError, ImageCms.PyCMSError: Pillow cannot convert the picture.
    """
    if image.mode in _DEEP_MODES:
        samples, notes = to_8_bits(np.asarray(image))
        return np.repeat(samples[:, :, None], 3, axis=2), notes
    convert, notes = _conversion(image)
    if image.has_transparency_data:
        convert, more = _flattening(image, convert)
        notes += more
    out = np.empty((image.height, image.width, 3), np.uint8)
    for top, band in _bands(image):
        out[top : top + band.height] = np.asarray(convert(band))
    return out, notes


def _bands(image: Image.Image) -> Iterator[tuple[int, Image.Image]]:
    rows = max(1, _BAND_PIXELS // image.width)
    for top in range(0, image.height, rows):
        yield top, image.crop((0, top, image.width, min(image.height, top + rows)))


def _conversion(image: Image.Image) -> tuple[Convert, Notes]:
    """How the colours become sRGB: by the profile in the picture, where it has a usable one, else by Pillow."""
    profile = image.info.get("icc_profile")
    mode = image.mode.removesuffix("A") if image.mode in ("RGBA", "LA") else image.mode
    if mode == "LAB":
        return _by_profile(ImageCms.createProfile("LAB"), "LAB"), ()
    large = image.width * image.height > _CMS_PIXELS and mode != "CMYK"
    if not profile or _is_srgb(profile) or large or mode not in ("RGB", "L", "CMYK"):
        return _plainly, ()
    try:
        return _by_profile(ImageCms.ImageCmsProfile(io.BytesIO(profile)), mode), ()
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        note = ContentWarning("profile_ignored", "The colour profile in the file cannot be used; colours may be off.")
        return _plainly, (note,)


def _plainly(band: Image.Image) -> Image.Image:
    return band.convert("RGB")


def _by_profile(profile: ImageCms.core.CmsProfile | ImageCms.ImageCmsProfile, mode: str) -> Convert:
    transform = ImageCms.buildTransform(profile, _SRGB, mode, "RGB")

    def convert(band: Image.Image) -> Image.Image:
        converted = ImageCms.applyTransform(band if band.mode == mode else band.convert(mode), transform)
        return converted or band.convert("RGB")

    return convert


def _is_srgb(profile: bytes) -> bool:
    return b"sRGB" in profile or "sRGB".encode("utf-16-be") in profile


def _flattening(image: Image.Image, convert: Convert) -> tuple[Convert, Notes]:
    """`convert`, and then laid on the ground that suits the whole picture."""
    ground = choose_ground((convert(band), _opacity(band)) for _, band in _bands(image))
    if ground is None:
        return convert, ()

    def flat(band: Image.Image) -> Image.Image:
        below = Image.new("RGB", band.size, (ground, ground, ground))
        below.paste(convert(band), mask=_opacity(band))
        return below

    text = f"The picture is transparent; it was laid on {_GROUNDS[ground]}."
    return flat, (ContentWarning("flattened", text),)


def _opacity(band: Image.Image) -> Image.Image:
    return (band if band.mode in ("RGBA", "LA") else band.convert("RGBA")).getchannel("A")


def choose_ground(bands: Iterator[tuple[Image.Image, Image.Image]]) -> int | None:
    """Brightness of the ground, 255, 0 or 128, on which the visible pixels are seen best; None: nothing is transparent.

    Only pixels next to more transparent ones count, since these alone meet the ground: the strokes of text do, the
    inside of a photo or of a white sheet with round corners does not. Each counts by its opacity, so that faint colours
    are weighed as they will look. White is kept unless another ground is clearly better.

    Args:
        bands: the colours (RGB) and the opacity (L) of each part of the picture.
    """
    score = dict.fromkeys(_GROUNDS, 0.0)
    transparent = False
    for colors, opacity in bands:
        if opacity.getextrema()[0] == 255:
            continue
        transparent = True
        alpha = np.asarray(opacity)
        edges = _edges(alpha)
        light = np.asarray(colors)[edges].astype(np.float32) @ _LUMA
        weights = alpha[edges].astype(np.float32) / 255
        for ground in score:
            score[ground] += float(np.dot(weights, np.minimum(np.abs(light - ground), _ENOUGH_CONTRAST)))
    best = 255
    for ground in score:
        if score[ground] > _BETTER * score[best]:
            best = ground
    return best if transparent else None


def _edges(alpha: np.ndarray) -> np.ndarray:
    """True for visible pixels that have one at most half as opaque within _REACH pixels left, right, above or below."""
    span = 2 * _REACH + 1
    lowest = np.minimum(cv2.erode(alpha, np.ones((1, span), np.uint8)), cv2.erode(alpha, np.ones((span, 1), np.uint8)))
    return (lowest <= alpha >> 1) & (alpha > 0)
