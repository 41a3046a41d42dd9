"""The formats by name; each is imported when it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Protocol

from ocr_ui.errors import BadInput
from ocr_ui.exports.sample import Notes, Sample


class Format(Protocol):
    """Writes samples as text, one after the other, in constant memory; the same samples give the same text."""

    name: str
    file_name: str
    media_type: str

    def write(self, samples: Iterable[Sample], notes: Notes) -> Iterator[str]:
        """Pieces of the file, to be encoded as UTF-8. What is left out or changed is told to `notes`."""
        ...


_MODULES = {"jsonl": "ocr_ui.exports.jsonl:JsonLines", "csv": "ocr_ui.exports.csv:Csv"}

NAMES = tuple(_MODULES)


def format_named(name: str) -> Format:
    """Raises BadInput (`unknown_format`; details: format, allowed)."""
    if name not in _MODULES:
        allowed = ", ".join(NAMES)
        raise BadInput(
            "unknown_format",
            f"There is no export format {name[:80]!r}.",
            f"Use one of: {allowed}.",
            format=name[:80],
            allowed=allowed,
        )
    module, _, attribute = _MODULES[name].partition(":")
    return getattr(import_module(module), attribute)()
