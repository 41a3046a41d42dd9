"""Folders of pictures whose right answer is known: one JSON file a picture, as the product's examples have them, or a
`manifest.jsonl` with a picture a line. docs/evaluation.md shows both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ocr_ui.domain.content import Field, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.truth import Fact, Truth
from ocr_ui.errors import BadInput

MANIFEST = "manifest.jsonl"


@dataclass(frozen=True, slots=True)
class KnownPage:
    """Attributes:
    truth: its boxes in pixels of the picture as it was handed in.
    language, kind, tags: as the folder names them; results are broken down by them.
    template: the one that fits, where the folder says so, with `variables` for it.
    upright: whether the picture stands as it is read; None where that is not told.
    layout: simple, dense or complex, where the folder says so; `regions` blocks that it names.
    """

    name: str
    picture: Path
    truth: Truth
    language: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    template: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    upright: bool | None = None
    layout: str = ""
    regions: int = 0


def known_pages(folder: Path, read_fact: Callable[[dict[str, Any]], Fact]) -> list[KnownPage]:
    """All pages of a folder in the order of its files; none where it is no such folder.

    Args:
        read_fact: makes a fact of its JSON, and raises BadInput where it is none.

    Raises:
        BadInput: `broken_known_page` (details: source, reason), `bad_fact`.
    """
    return [_page(folder, source, data, read_fact) for source, data in _described(folder)]


def _described(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    manifest = folder / MANIFEST
    if manifest.is_file():
        for number, line in enumerate(manifest.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                source = f"{MANIFEST}, line {number}"
                yield source, _flat(source, _parsed(source, line))
        return
    for file in sorted(folder.glob("*.json")):
        data = _parsed(file.name, file.read_text(encoding="utf-8"))
        if isinstance(data, dict) and "file" in data:
            yield file.name, data


def _flat(source: str, data: Any) -> dict[str, Any]:
    """A line of a manifest as an example: what is known of the picture stands in `gt` there."""
    if not isinstance(data, dict) or not isinstance(data.get("gt"), dict):
        raise _broken(source, "there is no gt")
    turned_by_file = (data.get("exif_orientation") or 1) > 1
    lies = any(str(tag).startswith("rotated") for tag in data.get("tags") or ())
    return {**data, "name": data.get("id", data.get("file")), "upright": turned_by_file or not lies, **data["gt"]}


def _page(folder: Path, source: str, data: dict[str, Any], read_fact: Callable[[dict[str, Any]], Fact]) -> KnownPage:
    try:
        return KnownPage(
            name=str(data.get("name") or Path(data["file"]).stem),
            picture=folder / data["file"],
            truth=_truth(data, read_fact),
            language=str(data.get("language") or ""),
            kind=str(data.get("kind") or ""),
            tags=tuple(map(str, data.get("tags") or ())),
            template=str(data.get("template") or ""),
            variables={name: str(value) for name, value in (data.get("variables") or {}).items()},
            upright=data.get("upright"),
            layout=str(data.get("layout") or ""),
            regions=len(data.get("regions") or ()),
        )
    except BadInput:
        raise
    except (TypeError, AttributeError, LookupError, ValueError) as error:
        raise _broken(source, f"{type(error).__name__}: {error}") from error


def _truth(data: dict[str, Any], read_fact: Callable[[dict[str, Any]], Fact]) -> Truth:
    lines = data.get("lines")
    text = data.get("text")
    if text is None and lines is not None:
        text = "\n".join(line["text"] for line in lines)
    boxed = [TextLine(line["text"], Quad.from_points(line["quad"])) for line in lines or () if line.get("quad")]
    latex = data.get("latex")
    answers = {Task.TRANSLATE: "translation", Task.QA: "answer", Task.CHART: "markdown"}
    parts = [{"type": "present", "text": part} for part in data.get("text_parts") or ()]
    return Truth(
        text=text,
        lines=tuple(boxed) if lines is not None and len(boxed) == len(lines) else None,
        fields=_fields(data.get("fields")),
        tables=None if "html" not in data else _listed(data["html"]),
        formulas=None if latex is None else _listed(latex),
        answers={task: str(data[key]) for task, key in answers.items() if data.get(key)},
        facts=tuple(read_fact(one) for one in (*parts, *(data.get("tests") or ()))),
    )


def _fields(known: dict[str, Any] | None) -> tuple[Field, ...] | None:
    """Values that are texts, or null for a field that the page does not have; lists and objects are left alone."""
    if known is None:
        return None
    kept = {name: value for name, value in known.items() if value is None or isinstance(value, str)}
    return tuple(Field(name, value) for name, value in kept.items()) or None


def _listed(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def _parsed(source: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _broken(source, "it is no JSON") from error


def _broken(source: str, reason: str) -> BadInput:
    return BadInput(
        "broken_known_page",
        f"{source} does not say what stands on a picture: {reason}.",
        "Mend the file; docs/evaluation.md shows its form.",
        source=source,
        reason=reason,
    )
