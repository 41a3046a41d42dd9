"""What is known about fields by name: labels, kinds and rules, read from field_names.toml."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("field_names.toml")
KINDS = ("text", "amount", "date", "number", "time", "rate")


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field of field_names.toml; see the explanation at the top of that file."""

    key: str
    kind: str = "text"
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    lines: int = 1
    tight: bool = False
    unlabelled: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class FieldSet:
    """Names that belong together, ready to be asked for.

    Attributes:
        key: invoice, receipt, identity_card or contract.
        title: by language ("en", "zh").
        names: by language, in the order asked.
    """

    key: str
    title: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def load_field_sets() -> dict[str, FieldSet]:
    """The ready field sets by key, in the order of the file."""
    return {
        key: FieldSet(key, dict(data["title"]), {language: tuple(names) for language, names in data["names"].items()})
        for key, data in _data()["sets"].items()
    }


@cache
def load_field_specs() -> dict[str, FieldSpec]:
    """All known fields by key.

    Raises:
        ValueError: the file names an unknown kind.
    """
    specs = {key: _spec(key, data) for key, data in _data()["fields"].items()}
    for spec in specs.values():
        if spec.kind not in KINDS:
            raise ValueError(f"{FILE.name}: field {spec.key} has the unknown kind {spec.kind!r}")
    return specs


def spec_for(name: str) -> FieldSpec:
    """The field that is meant by an asked name; a name that is not known becomes a field labelled like that."""
    wanted = squeeze(name)
    specs = load_field_specs()
    if key := _keys_by_name().get(wanted):
        spec = specs[key]
        return replace(spec, labels=(name, *spec.labels))
    return FieldSpec(key="", labels=(name,))


@cache
def document_titles() -> frozenset[str]:
    """Squeezed words that head a document ("Invoice") and are nobody's name."""
    return frozenset(squeeze(title) for title in _data()["titles"])


def squeeze(text: str) -> str:
    """Text as it is compared: full width as half width, no case, no blanks, no punctuation, no accents."""
    return "".join(char for char, _ in squeezed(text))


def squeezed(text: str) -> list[tuple[str, int]]:
    """The characters of `squeeze(text)`, each with the index in `text` that it stands for."""
    found = []
    for index, original in enumerate(text):
        if original in "°º" and text[max(0, index - 1) : index] in ("n", "N"):
            original = "o"  # n° is no.
        for char in unicodedata.normalize("NFKD", original).casefold():
            if char.isalnum() or char in "#%":
                found.append((char, index))
    return found


@cache
def _keys_by_name() -> dict[str, str]:
    """Field keys by squeezed name. Where two fields have a name in common the earlier one has it."""
    keys: dict[str, str] = {}
    specs = load_field_specs().values()
    for spec in specs:
        for name in (spec.key, *spec.names):
            keys.setdefault(squeeze(name), spec.key)
    for spec in specs:
        for name in spec.labels:
            keys.setdefault(squeeze(name), spec.key)
    return keys


def _spec(key: str, data: Mapping[str, Any]) -> FieldSpec:
    pattern = re.compile(data["pattern"]) if "pattern" in data else None
    return FieldSpec(
        key,
        data["kind"],
        tuple(data.get("names", ())),
        tuple(data["labels"]),
        pattern,
        data.get("lines", 1),
        data.get("tight", False),
        data.get("unlabelled", ""),
        data.get("instead", ""),
    )


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
