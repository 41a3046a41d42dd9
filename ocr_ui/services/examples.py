"""The example pictures that come with the product, each with the template that fits it."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ocr_ui.errors import NotFound
from ocr_ui.images.door import Limits, open_picture, thumbnail
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

THUMBNAIL_SIDE = 144
PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp", ".gif")


@dataclass(frozen=True, slots=True)
class Example:
    """A picture, and how to read it.

    Attributes:
        title: by language.
        template: the template that fits.
        variables: values for its variables.
        kind: receipt, invoice, form, ... for people and for figures by kind.
    """

    name: str
    file: Path
    title: dict[str, str]
    template: str
    variables: dict[str, str]
    kind: str


class Examples:
    """The folder of examples: each picture beside a JSON file that says what stands on it."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.examples_dir
        self._limits = Limits.from_settings(settings)
        self._thumbnails: dict[str, bytes] = {}
        self._one_at_a_time = asyncio.Lock()

    @cached_property
    def _by_name(self) -> dict[str, Example]:
        described = [(_description(file), file) for file in self._folder.glob("*.json")]
        ranked = sorted(
            (pair for pair in described if {"template", "title"} <= pair[0].keys()),
            key=lambda pair: (pair[0].get("order", 999), pair[1]),
        )
        found = (self._example(data, file) for data, file in ranked)
        return {example.name: example for example in found if example is not None}

    @staticmethod
    def _example(data: dict, file: Path) -> Example | None:
        picture = next((file.with_suffix(end) for end in PICTURE_ENDINGS if file.with_suffix(end).exists()), None)
        if picture is None:
            return None
        return Example(
            name=file.stem,
            file=picture,
            title=data["title"],
            template=data["template"],
            variables={key: str(value) for key, value in data.get("variables", {}).items()},
            kind=data.get("kind", ""),
        )

    def list(self) -> list[Example]:
        return list(self._by_name.values())

    def get(self, name: str) -> Example:
        if name not in self._by_name:
            raise NotFound(
                "unknown_example",
                f"There is no example {name!r}.",
                f"There are: {', '.join(self._by_name)}.",
                name=name,
            )
        return self._by_name[name]

    async def bytes(self, name: str) -> bytes:
        return await asyncio.to_thread(self.get(name).file.read_bytes)

    async def thumbnail(self, name: str) -> bytes:
        """A small JPEG of an example, made once in a process."""
        async with self._one_at_a_time:
            if name not in self._thumbnails:
                data = await self.bytes(name)
                picture = await asyncio.to_thread(open_picture, data, self._limits)
                self._thumbnails[name] = await asyncio.to_thread(thumbnail, picture.pixels, THUMBNAIL_SIDE)
        return self._thumbnails[name]


def _description(file: Path) -> dict[str, Any]:
    """What a JSON file says; nothing where it is none, so that one bad file does not take the others along."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        log.warning("example %s cannot be used: %s", file, error)
        return {}
    return data if isinstance(data, dict) else {}
