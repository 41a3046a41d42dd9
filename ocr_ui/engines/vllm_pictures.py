"""Pictures on the short way into vLLM: their bytes, prepared in threads, instead of vLLM's own numbers.

vLLM prepares pictures in the process that also hands out every token: 0.25's processor for HunYuanVL takes 0.1 s of one
core for an A4 page, most of it under the interpreter's lock, makes 26 MB of it and sends 13. Here a page goes as its
6.5 MB of bytes; the worker brings it to the model's size and makes the numbers (`picture_bytes`).

Nothing about the numbers is assumed: what a value becomes is read off a chart that vLLM itself prepared, and what is
made here is compared with what vLLM makes, number for number and token for token, before any page is read so. Where a
version differs, vLLM's own preparation stays.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ocr_ui.engines.picture_bytes import COLOURS, numbers_of, patches_of, rows_of

Resize = Callable[[np.ndarray, int, int], np.ndarray]
"""A picture at a height and width."""


class Unlike(Exception):
    """vLLM's own preparation is not what is made here; says where they differ."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Which sizes a model reads.

    Attributes:
        patch: side of a patch, pixels.
        merge: patches that become one token, along each side.
        least, most: pixels.
    """

    patch: int
    merge: int
    least: int
    most: int

    def of(self, height: int, width: int) -> tuple[int, int]:
        """The height and width at which a picture is read: multiples of a token's side, within the bounds.

        The rule is `smart_resize` of HunYuanVL's image processor (transformers 5.17 and vLLM 0.25).
        """
        side = self.patch * self.merge
        high, wide = round(height / side) * side, round(width / side) * side
        if high * wide > self.most:
            shrink = math.sqrt(height * width / self.most)
            return max(side, int(height / shrink / side) * side), max(side, int(width / shrink / side) * side)
        if high * wide < self.least:
            grow = math.sqrt(self.least / (height * width))
            return math.ceil(height * grow / side) * side, math.ceil(width * grow / side) * side
        return high, wide

    def tokens(self, high: int, wide: int) -> int:
        """Tokens of a picture of that size: one for each merge x merge patches, one a line, begin and end."""
        side = self.patch * self.merge
        return high // side * (wide // side + 1) + 2


def as_it_is(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """Left to the worker, which resizes as Pillow does: so does vLLM's own processor up to 0.28."""
    return pixels


def by_torch(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """As transformers' processor does, which vLLM uses from 0.29 on; differs from Pillow by one in some places."""
    planes = torch.from_numpy(pixels).permute(2, 0, 1)[None]
    resized = torch.nn.functional.interpolate(planes, (height, width), mode="bicubic", antialias=True)
    return np.ascontiguousarray(resized[0].permute(1, 2, 0).numpy())


class Pictures:
    """Prepares questions about pictures as vLLM's renderer does.

    Attributes:
        table: float32 of shape (3, 256), the model's number for each value of each colour.
        dtype: the type in which vLLM hands numbers to the model, by its name in torch.
    """

    def __init__(self, renderer: Any, text: str, ask: Callable[[str, np.ndarray], Any], by_content: bool) -> None:
        """Learns from vLLM's renderer and compares with it: some tenths of a second.

        Args:
            renderer: vLLM's.
            text: any that the model's template made, the picture's mark in it.
            ask: a rendered text and a picture to what vLLM's own preparation makes of them.
            by_content: name a picture by its bytes, so that vLLM's prefix cache finds it again.

        Raises:
            Unlike: this version of vLLM prepares pictures in another way.
        """
        self._tokenizer = renderer.get_tokenizer()
        self._by_content = by_content
        self._sizes = sizes_of(renderer.get_mm_processor())
        chart = colour_chart(self._sizes)
        self._example = ask(text, chart)
        self._learn(text, chart)
        self._resize = self._learn_resizing(text, ask)

    def prepare(self, text: str, pixels: np.ndarray) -> dict[str, Any]:
        """What vLLM's `generate` takes for a text with one picture in it; may run in any thread.

        Args:
            text: by the model's template, the picture's mark in it.
            pixels: uint8 of shape (height, width, 3), RGB.

        Raises:
            ValueError: they are something else, at which the worker and all that it reads would end.
        """
        if pixels.dtype != np.uint8 or pixels.shape[2:] != (COLOURS,) or 0 in pixels.shape:
            raise ValueError(f"a picture of {pixels.dtype} and shape {pixels.shape}")
        return self._prepared(text, pixels, self._resize)

    def _prepared(self, text: str, pixels: np.ndarray, resize: Resize) -> dict[str, Any]:
        high, wide = self._sizes.of(*pixels.shape[:2])
        pixels = resize(np.require(pixels, requirements=["C", "W"]), high, wide)
        grid = torch.tensor([1, high // self._sizes.patch, wide // self._sizes.patch])
        values = {
            "pixel_values": rows_of(pixels),
            "image_grid_thw": grid,
            "num_image_patches": grid.prod(),
            "picture_size": torch.tensor(pixels.shape[:2]),
        }
        ids, place = self._tokens(text, self._sizes.tokens(high, wide))
        items = self._example["mm_kwargs"]
        element = items["image"][0]
        element = {**element, "picture_size": element["image_grid_thw"]}
        item = type(items["image"][0])({name: refilled(one, values[name]) for name, one in element.items()})
        return {
            "type": "multimodal",
            "prompt": text,
            "prompt_token_ids": ids,
            "mm_kwargs": type(items)({"image": [item]}),
            "mm_hashes": {"image": [self._name(pixels)]},
            "mm_placeholders": {"image": [place]},
            "arrival_time": time.time(),
        }

    def _name(self, pixels: np.ndarray) -> str:
        if not self._by_content:
            return uuid.uuid4().hex
        return hashlib.sha256(pixels).hexdigest() + "-{}x{}".format(*pixels.shape)

    def _tokens(self, text: str, count: int) -> tuple[list[int], Any]:
        """The text's tokens with `count` of the picture's in the place of its mark, and where they are."""
        ids = self._tokenizer.encode(text, add_special_tokens=False)
        at = ids.index(self._token)
        place = self._place
        embedded = None
        if place.is_embed is not None:
            lead, tail = self._around
            embedded = torch.tensor([False] * lead + [True] * count + [False] * tail)
        length = sum(self._around) + count
        return (
            ids[:at] + [self._token] * count + ids[at + 1 :],
            type(place)(offset=at - self._around[0], length=length, is_embed=embedded),
        )

    def _learn(self, text: str, chart: np.ndarray) -> None:
        """The picture's token, what stands around it, and the table, from what vLLM made of the chart."""
        example = self._example
        (place,) = example["mm_placeholders"]["image"]
        (element,) = example["mm_kwargs"]["image"]
        if set(element) - {"pixel_values", "image_grid_thw", "num_image_patches"}:
            raise Unlike(f"a picture has {sorted(element)}")
        inside = example["prompt_token_ids"][place.offset : place.offset + place.length]
        self._place = place
        self._token = max(set(inside), key=inside.count)
        lead = inside.index(self._token)
        self._around = (lead, len(inside) - lead - inside.count(self._token))
        numbers = element["pixel_values"].data
        self.dtype = str(numbers.dtype).removeprefix("torch.")
        self.table = table_of(chart, numbers, self._sizes.patch)
        self._compare(text, chart, example, as_it_is)

    def _learn_resizing(self, text: str, ask: Callable[[str, np.ndarray], Any]) -> Resize:
        pictures = noisy_pictures(self._sizes)
        own = [ask(text, picture) for picture in pictures]
        for resize in (as_it_is, by_torch):
            try:
                for picture, one in zip(pictures, own, strict=True):
                    self._compare(text, picture, one, resize)
            except Unlike as error:
                reason = error
            else:
                return resize
        raise reason

    def _compare(self, text: str, picture: np.ndarray, own: Any, resize: Resize) -> None:
        made = self._prepared(text, picture, resize)
        size = "{} x {}".format(*picture.shape[1::-1])
        if made["prompt_token_ids"] != own["prompt_token_ids"]:
            raise Unlike(f"other tokens at {size}")
        (place,), (its,) = made["mm_placeholders"]["image"], own["mm_placeholders"]["image"]
        if (place.offset, place.length) != (its.offset, its.length) or not same(place.is_embed, its.is_embed):
            raise Unlike(f"another place for the picture at {size}")
        (element,), (theirs,) = made["mm_kwargs"]["image"], own["mm_kwargs"]["image"]
        if any(not same(element[name].data, theirs[name].data) for name in theirs if name != "pixel_values"):
            raise Unlike(f"another grid at {size}")
        numbers = theirs["pixel_values"].data
        grid, shape = (element[name].data.tolist() for name in ("image_grid_thw", "picture_size"))
        table = self.table.to(numbers.dtype)
        if not torch.equal(
            numbers_of(element["pixel_values"].data, [shape], [grid], table, self._sizes.patch), numbers
        ):
            raise Unlike(f"other numbers at {size}")


def sizes_of(processor: Any) -> Sizes:
    """From vLLM's processor for the model.

    Raises:
        Unlike: it does not say.
    """
    try:
        images = processor.info.get_hf_processor().image_processor
        bounds = images.size if isinstance(images.size, dict) else dict(images.size)
        return Sizes(images.patch_size, images.merge_size, bounds["shortest_edge"], bounds["longest_edge"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unlike(f"the sizes are not told: {error!r}") from error


def colour_chart(sizes: Sizes) -> np.ndarray:
    """A picture that is read as it is and holds every value of every colour."""
    side = sizes.patch * sizes.merge
    edge = math.ceil(math.sqrt(max(sizes.least, 256)) / side) * side
    values = np.arange(edge * edge, dtype=np.uint32).reshape(edge, edge)
    return np.stack([values, values * 3 + 85, values * 5 + 170], axis=-1).astype(np.uint8)


def noisy_pictures(sizes: Sizes) -> list[np.ndarray]:
    """Pictures that are enlarged, reduced, and brought to a size close by: noise shows every difference."""
    noise = np.random.default_rng(0)
    middle = math.sqrt(math.sqrt(sizes.least * sizes.most))
    sides = [
        (math.sqrt(sizes.least) * 0.6, math.sqrt(sizes.least) * 0.4),
        (math.sqrt(sizes.most) * 1.2, math.sqrt(sizes.most)),
        (middle * 1.1, middle * 0.9),
        (middle * 3, middle * 0.3),
    ]
    return [noise.integers(0, 256, (round(high), round(wide), COLOURS), dtype=np.uint8) for high, wide in sides]


def table_of(chart: np.ndarray, numbers: torch.Tensor, patch: int) -> torch.Tensor:
    """The number for each value of each colour, read off what vLLM made of a chart that it did not resize.

    Raises:
        Unlike: a value became more than one number, or the chart was resized.
    """
    patches = patches_of(torch.from_numpy(chart), patch)
    if numbers.shape != (len(patches), COLOURS * patch * patch):
        raise Unlike(f"a picture becomes {tuple(numbers.shape)} numbers")
    table = torch.zeros(COLOURS, 256)
    for colour in range(COLOURS):
        table[colour, patches[:, colour].flatten().long()] = (
            numbers.view(-1, COLOURS, patch * patch)[:, colour].flatten().float()
        )
    return table


def refilled(element: Any, data: torch.Tensor) -> Any:
    """A field of vLLM's with other data in it, which is all of its item."""
    field = element.field
    if hasattr(field, "slices"):
        field = dataclasses.replace(field, slices=[(slice(0, len(data)),)])
    return dataclasses.replace(element, data=data, field=field)


def same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    """Equal tensors, whatever their integer types, or none on both sides."""
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and bool((one == other).all())
