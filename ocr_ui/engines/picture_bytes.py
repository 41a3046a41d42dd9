"""A picture as its bytes on the way to a vision model, and the model's numbers made of them where the model runs.

A HunYuanVL reads patches of 16 x 16 pixels whose values were scaled: 26 MB of float32 for an A4 page at 150 dpi. They
hold no more than the 6.6 MB of the picture itself, since every value comes from one of 256 for its colour. So the bytes
travel, and at the other end the picture is brought to the model's size, cut into patches, and a table turns its values
into numbers.

This module imports torch and numpy alone: it runs in vLLM's workers as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch

COLOURS = 3
PRECISION = 22
"""Bits behind the point of a weight, as in Pillow: 32 less the 8 of a value less 2 for sums beyond it."""


def rows_of(pixels: np.ndarray) -> torch.Tensor:
    """The bytes of a picture, one a row: vLLM joins pictures along their first side and wants two.

    Args:
        pixels: uint8 of shape (height, width, 3), contiguous.

    Returns:
        uint8 of shape (height * width * 3, 1).
    """
    return torch.from_numpy(pixels).view(-1, 1)


def numbers_of(
    rows: torch.Tensor,
    sizes: Sequence[Sequence[int]],
    grids: Sequence[Sequence[int]],
    table: torch.Tensor,
    patch: int,
) -> torch.Tensor:
    """The model's input from the bytes of one or more pictures.

    Args:
        rows: as of `rows_of`, the pictures one after another, on the device of `table`.
        sizes: (height, width) of each picture, pixels.
        grids: (1, rows of patches, patches in a row) at which each is read.
        table: of shape (3, 256): the number for each value of each colour.
        patch: side of a patch, pixels.

    Returns:
        Shape (patches of all, 3 * patch * patch), in the type and on the device of `table`, row by row of each picture.
    """
    parts = rows.view(-1).split([int(height) * int(width) * COLOURS for height, width in sizes])
    made = []
    for part, (height, width), (_, high, wide) in zip(parts, sizes, grids, strict=True):
        pixels = resized(part.view(int(height), int(width), COLOURS), int(high) * patch, int(wide) * patch)
        made.append(looked_up(patches_of(pixels, patch), table))
    return torch.cat(made)


def patches_of(pixels: torch.Tensor, patch: int) -> torch.Tensor:
    """The patches of a picture, row by row: shape (patches, 3, patch * patch)."""
    high, wide = pixels.shape[0] // patch, pixels.shape[1] // patch
    cells = pixels.view(high, patch, wide, patch, COLOURS)
    return cells.permute(0, 2, 4, 1, 3).reshape(high * wide, COLOURS, patch * patch)


def looked_up(patches: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """The number of each value: shape (patches, 3 * patch * patch)."""
    first = torch.arange(COLOURS, dtype=torch.int32, device=patches.device).view(1, COLOURS, 1) * 256
    return table.reshape(-1)[patches.int() + first].reshape(len(patches), -1)


def resized(pixels: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """A picture at another size, the very values that Pillow's bicubic `Image.resize` gives.

    Sums of whole numbers, first along the lines, then along the columns, rounded to a value after each: the rule of
    Pillow's Resample.c, which a processor and a card work out to the same bit.

    Args:
        pixels: uint8 of shape (height, width, 3).
    """
    across = along(pixels.transpose(0, 1), width).transpose(0, 1)
    return along(across, height).contiguous()


def along(pixels: torch.Tensor, length: int) -> torch.Tensor:
    """Brings the first side to a length."""
    if pixels.shape[0] == length:
        return pixels
    first, weights = weights_for(pixels.shape[0], length, pixels.device)
    total = torch.full((length, *pixels.shape[1:]), 1 << (PRECISION - 1), dtype=torch.int32, device=pixels.device)
    last = pixels.shape[0] - 1
    for place in range(weights.shape[1]):
        weight = weights[:, place].view(-1, *[1] * (pixels.dim() - 1))
        total += pixels[(first + place).clamp(max=last)].int() * weight
    return (total >> PRECISION).clamp(0, 255).to(torch.uint8)


@lru_cache(maxsize=256)
def weights_for(length: int, wanted: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Where each value comes from along one side.

    Returns:
        The first source of each value, int64 of shape (wanted,), and the weights of it and those after it, int32 of
        shape (wanted, most sources); a weight beyond the side is 0.
    """
    scale = length / wanted
    stretch = max(scale, 1.0)
    reach = 2.0 * stretch
    centre = (np.arange(wanted) + 0.5) * scale
    first = np.maximum((centre - reach + 0.5).astype(np.int64), 0)
    count = np.minimum((centre + reach + 0.5).astype(np.int64), length) - first
    most = math.ceil(reach) * 2 + 1
    weights = np.zeros((wanted, most))
    total = np.zeros(wanted)
    for place in range(most):  # one after another: sums in another order would differ in the last bit
        here = bicubic((place + first - centre + 0.5) * (1.0 / stretch))
        weights[:, place] = np.where(place < count, here, 0.0)
        total += weights[:, place]
    exact = weights / total[:, None] * (1 << PRECISION)
    whole = np.trunc(exact + np.where(exact < 0, -0.5, 0.5)).astype(np.int32)
    return torch.from_numpy(first).to(device), torch.from_numpy(whole).to(device)


def bicubic(distance: np.ndarray) -> np.ndarray:
    """Keys' cubic convolution with a = -0.5, as in Pillow."""
    a, x = -0.5, np.abs(distance)
    near = ((a + 2.0) * x - (a + 3.0)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * a
    return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))
