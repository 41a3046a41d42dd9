"""From every way of storing colours to RGB."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageCms

from ocr_ui.domain.content import ContentWarning
from ocr_ui.images.depth import to_8_bits

_SRGB = ImageCms.createProfile("sRGB")
_CMS_PIXELS = 40_000_000
"""Larger pictures keep their own colour space (CMYK excepted): the conversion takes about a second for these many."""

_DEEP_MODES = frozenset({"I", "F", "I;16", "I;16L", "I;16B", "I;16N"})
_GROUNDS = ((255, "white"), (0, "black"), (128, "grey"))
_ENOUGH_CONTRAST = 128
_BETTER = 1.25
_REACH = 3

Notes = tuple[ContentWarning, ...]


def to_rgb(image: Image.Image) -> tuple[np.ndarray, Notes]:
    """Pixels of a loaded picture of any mode: uint8 (height, width, 3), RGB, and what a person should know.

    Transparent pictures are laid on white, black or grey, whichever makes their visible pixels stand out.
    """
    if image.mode in _DEEP_MODES:
        samples, notes = to_8_bits(np.asarray(image))
        return np.repeat(samples[:, :, None], 3, axis=2), notes
    if image.has_transparency_data:
        image, alpha = _without_alpha(image)
        rgb, notes = _in_srgb(image)
        flat, more = flatten(np.asarray(rgb), alpha)
        return flat, notes + more
    rgb, notes = _in_srgb(image)
    return np.asarray(rgb), notes


def _without_alpha(image: Image.Image) -> tuple[Image.Image, np.ndarray]:
    """The colours as RGB, with the profile of the picture, and the opacity, uint8 (height, width)."""
    rgba = image.convert("RGBA")
    colors = rgba.convert("RGB")
    colors.info = {key: value for key, value in image.info.items() if key == "icc_profile" and image.mode != "LA"}
    return colors, np.asarray(rgba.getchannel("A"))


def _in_srgb(image: Image.Image) -> tuple[Image.Image, Notes]:
    """RGB by the colour profile in the picture, where it has a usable one, else by Pillow's own formulas."""
    profile = image.info.get("icc_profile")
    if image.mode == "LAB":
        return _convert(image, ImageCms.createProfile("LAB")), ()
    if not profile or _is_srgb(profile) or image.mode not in ("RGB", "L", "CMYK"):
        return image.convert("RGB"), ()
    if image.mode != "CMYK" and image.width * image.height > _CMS_PIXELS:
        return image.convert("RGB"), ()
    try:
        return _convert(image, ImageCms.ImageCmsProfile(io.BytesIO(profile))), ()
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        note = ContentWarning("profile_ignored", "The colour profile in the file cannot be used; colours may be off.")
        return image.convert("RGB"), (note,)


def _convert(image: Image.Image, profile: ImageCms.core.CmsProfile | ImageCms.ImageCmsProfile) -> Image.Image:
    converted = ImageCms.profileToProfile(image, profile, _SRGB, outputMode="RGB")
    return image.convert("RGB") if converted is None else converted


def _is_srgb(profile: bytes) -> bool:
    return b"sRGB" in profile or "sRGB".encode("utf-16-be") in profile


def flatten(rgb: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, Notes]:
    """The picture on an opaque ground.

    Args:
        rgb: uint8 (height, width, 3).
        alpha: uint8 (height, width), 0 where nothing is seen.
    """
    if int(alpha.min()) == 255:
        return rgb, ()
    ground = choose_ground(rgb, alpha)
    out = np.empty_like(rgb)
    for target, colors, opacity in zip(out, rgb, alpha, strict=True):
        share = opacity[:, None].astype(np.uint16)
        target[...] = (colors * share + ground * (255 - share) + 127) // 255
    name = dict(_GROUNDS)[ground]
    return out, (ContentWarning("flattened", f"The picture is transparent; it was laid on {name}."),)


def choose_ground(rgb: np.ndarray, alpha: np.ndarray) -> int:
    """Brightness of the ground, 255, 0 or 128, on which the visible pixels are seen best.

    Only pixels next to more transparent ones count, since these alone meet the ground: the strokes of text do, the
    inside of a photo or of a white sheet with round corners does not. Each counts by its opacity, so that faint colours
    are weighed as they will look. White is kept unless another ground is clearly better.
    """
    edges = _edges(alpha)
    weights = alpha[edges].astype(np.float32) / 255
    if weights.size == 0:
        return 255
    light = rgb[edges].astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    score = {g: float(np.dot(weights, np.minimum(np.abs(light - g), _ENOUGH_CONTRAST))) for g, _ in _GROUNDS}
    best = 255
    for ground, _ in _GROUNDS[1:]:
        if score[ground] > _BETTER * score[best]:
            best = ground
    return best


def _edges(alpha: np.ndarray) -> np.ndarray:
    """True for visible pixels that have one at most half as opaque within _REACH pixels left, right, above or below."""
    half = alpha >> 1
    edges = np.zeros(alpha.shape, bool)
    for step in range(1, _REACH + 1):
        edges[:, step:] |= alpha[:, :-step] <= half[:, step:]
        edges[:, :-step] |= alpha[:, step:] <= half[:, :-step]
        edges[step:] |= alpha[:-step] <= half[step:]
        edges[:-step] |= alpha[step:] <= half[:-step]
    return edges & (alpha > 0)
